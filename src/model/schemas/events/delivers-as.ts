import { equalJson, type JsonObject } from '../../json.ts';

/**
 * Decides as whom a subscription delivers: as all of its owners and as the user who last changed its content, targets
 * or audience. Only what each of them may see is delivered, so that nobody reaches hidden records by owning, editing or
 * handing over another user's subscription.
 */

/** A user (id and name) or a team (id), as the record stores it. */
export type DeliveryPrincipal =
  | { readonly type: 'user'; readonly id: string; readonly name: string }
  | { readonly type: 'team'; readonly id: string };

type SubscriptionOwner = { readonly id: string; readonly entityType: string; readonly name: string };

/** A write of a subscription: its values and owners before and after, and the author. */
export type SubscriptionWrite = {
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly ownersBefore: readonly SubscriptionOwner[];
  readonly ownersAfter: readonly SubscriptionOwner[];
  readonly by: { readonly id: string; readonly name: string };
};

const DELIVERS_AS = 'deliversAs';

/** A change of one of these members changes what is delivered, or where to. */
const DELIVERY_MEMBERS = ['alertType', 'enabled', 'resources', 'input', 'destinations'];

const encodePrincipal = ({ entityType, id, name }: SubscriptionOwner): string =>
  entityType === 'team' ? `team ${id}` : `user ${id} ${name}`;

const sortedIds = (owners: readonly SubscriptionOwner[]): string[] => owners.map(({ id }) => id).sort();

const keepsDelivery = ({ before, after, ownersBefore, ownersAfter }: SubscriptionWrite): boolean =>
  before[DELIVERS_AS] !== undefined &&
  DELIVERY_MEMBERS.every((name) => equalJson(before[name], after[name])) &&
  equalJson(sortedIds(ownersBefore), sortedIds(ownersAfter));

/**
 * Computes as whom a subscription delivers after a write. Answers an empty object when the write does not affect that.
 */
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

/** Answers as whom a subscription with these values delivers. Empty when that was never recorded. */
export const deliveryPrincipalsOf = (values: JsonObject): readonly DeliveryPrincipal[] =>
  ((values[DELIVERS_AS] ?? []) as readonly string[]).map(decodePrincipal);
