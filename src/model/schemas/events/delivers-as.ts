import { equalJson, type JsonObject } from '../../json.ts';

/**
 * As whom a subscription delivers: as all of its owners and as whoever last changed what it delivers, where to, or for
 * whom. Only what each of them may see is delivered, so that nobody reaches hidden records by owning, editing or handing
 * over somebody else's subscription.
 */

/** A user or a team, as the record keeps it: a user by id and name, a team by its id. */
export type DeliveryPrincipal =
  | { readonly type: 'user'; readonly id: string; readonly name: string }
  | { readonly type: 'team'; readonly id: string };

type SubscriptionOwner = { readonly id: string; readonly entityType: string; readonly name: string };

/** A write of a subscription: its values and owners before and after, and who makes it. */
export type SubscriptionWrite = {
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly ownersBefore: readonly SubscriptionOwner[];
  readonly ownersAfter: readonly SubscriptionOwner[];
  readonly by: { readonly id: string; readonly name: string };
};

const DELIVERS_AS = 'deliversAs';

/** A change of one of these changes what is delivered, or where to. */
const DELIVERY_MEMBERS = ['alertType', 'enabled', 'resources', 'input', 'destinations'];

const encodePrincipal = ({ entityType, id, name }: SubscriptionOwner): string =>
  entityType === 'team' ? `team ${id}` : `user ${id} ${name}`;

const sortedIds = (owners: readonly SubscriptionOwner[]): string[] => owners.map(({ id }) => id).sort();

const keepsDelivery = ({ before, after, ownersBefore, ownersAfter }: SubscriptionWrite): boolean =>
  before[DELIVERS_AS] !== undefined &&
  DELIVERY_MEMBERS.every((name) => equalJson(before[name], after[name])) &&
  equalJson(sortedIds(ownersBefore), sortedIds(ownersAfter));

/** As whom a subscription delivers after a write; nothing when the write leaves that as it is. */
export const computeDeliversAs = (write: SubscriptionWrite): JsonObject => {
  if (keepsDelivery(write)) return {};
  const { ownersAfter, by } = write;
  return {
    [DELIVERS_AS]: [...new Set([...ownersAfter.map(encodePrincipal), encodePrincipal({ ...by, entityType: 'user' })])],
  };
};

const decodePrincipal = (text: string): DeliveryPrincipal => {
  const [type, id = '', ...name] = text.split(' ');
  return type === 'team' ? { type, id } : { type: 'user', id, name: name.join(' ') };
};

/** As whom the subscription with these values delivers; as nobody where that was never noted. */
export const deliveryPrincipalsOf = (values: JsonObject): readonly DeliveryPrincipal[] =>
  ((values[DELIVERS_AS] ?? []) as readonly string[]).map(decodePrincipal);
