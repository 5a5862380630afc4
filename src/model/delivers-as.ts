import { equalJson, type JsonObject } from './json.ts';

/**
 * As whom a subscription delivers: as all of its owners and as whoever last changed what it delivers, where to, or for
 * whom. Only what each of them may see is delivered, so that nobody reaches hidden records by owning, editing or handing
 * over somebody else's subscription.
 */

/** A user or a team, as the record keeps it: a user by id and name, a team by its id. */
export type DeliversAs =
  | { readonly type: 'user'; readonly id: string; readonly name: string }
  | { readonly type: 'team'; readonly id: string };

type Owner = { readonly id: string; readonly entityType: string; readonly name: string };

/** A write of a subscription: its values and owners before and after, and who makes it. */
export type SubscriptionWrite = {
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly ownersBefore: readonly Owner[];
  readonly ownersAfter: readonly Owner[];
  readonly by: { readonly id: string; readonly name: string };
};

const MEMBER = 'deliversAs';

/** A change of one of these changes what is delivered, or where to. */
const DECISIVE = ['alertType', 'enabled', 'resources', 'input', 'destinations'];

const encode = ({ entityType, id, name }: Owner): string =>
  entityType === 'team' ? `team ${id}` : `user ${id} ${name}`;

const idsOf = (owners: readonly Owner[]): string[] => owners.map(({ id }) => id).sort();

const isSettled = ({ before, after, ownersBefore, ownersAfter }: SubscriptionWrite): boolean =>
  before[MEMBER] !== undefined &&
  DECISIVE.every((name) => equalJson(before[name], after[name])) &&
  equalJson(idsOf(ownersBefore), idsOf(ownersAfter));

/** As whom a subscription delivers after a write; nothing when the write leaves that as it is. */
export const stampDeliversAs = (write: SubscriptionWrite): JsonObject => {
  if (isSettled(write)) return {};
  const { ownersAfter, by } = write;
  return { [MEMBER]: [...new Set([...ownersAfter.map(encode), encode({ ...by, entityType: 'user' })])] };
};

const decode = (text: string): DeliversAs => {
  const [type, id = '', ...name] = text.split(' ');
  return type === 'team' ? { type, id } : { type: 'user', id, name: name.join(' ') };
};

/** As whom the subscription with these values delivers; as nobody where that was never noted. */
export const deliversAsOf = (values: JsonObject): readonly DeliversAs[] =>
  ((values[MEMBER] ?? []) as readonly string[]).map(decode);
