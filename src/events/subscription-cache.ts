import type { Graph } from '../graph/client.ts';
import { chunk } from '../model/chunk.ts';
import type { EventFilterInput } from '../model/language/event-filter.ts';
import type { DeliveryPrincipal } from '../model/schemas/events/delivers-as.ts';
import type { Destination } from '../model/schemas/events/destination.ts';
import { listSubscriptionStates, type SubscriptionStateRow } from './queries.ts';

/** A subscription as those who serve it need it: with its secrets in the clear. */
export type Subscription = {
  readonly id: string;
  readonly name: string;
  /** Tells its states apart. */
  readonly stateKey: string;
  readonly updatedAt: number;
  /** Whether anything is delivered: enabled, and of a type that is. */
  readonly isActive: boolean;
  readonly retries: number;
  readonly batchSize: number;
  readonly resources: readonly string[];
  readonly filters: readonly EventFilterInput[];
  readonly destinations: readonly Destination[];
  /** As whom it delivers. */
  readonly deliversAs: readonly DeliveryPrincipal[];
};

/** The subscriptions of these ids as they are now; those that are gone are left out. */
export type SubscriptionsById = (ids: readonly string[]) => Promise<readonly Subscription[]>;

/** All subscriptions that something is delivered to, as they are now. Only those that changed are read again. */
export type SubscriptionCache = () => Promise<readonly Subscription[]>;

const PAGE_SIZE = 1000;

/** What tells the states of a subscription apart. */
export const subscriptionStateKey = ({
  version,
  updatedAt,
}: Pick<SubscriptionStateRow, 'version' | 'updatedAt'>): string => `${version} ${updatedAt}`;

const listAllSubscriptions = async (graph: Graph): Promise<SubscriptionStateRow[]> => {
  const rows: SubscriptionStateRow[] = [];
  for (let edge = ''; ; ) {
    const some = await graph.read(listSubscriptionStates, { edge, limit: PAGE_SIZE });
    rows.push(...some);
    const last = some.at(-1);
    if (!last || some.length < PAGE_SIZE) return rows;
    edge = last.sortKey;
  }
};

export const openSubscriptionCache = (graph: Graph, readSubscriptions: SubscriptionsById): SubscriptionCache => {
  const known = new Map<string, Subscription>();
  return async () => {
    const rows = await listAllSubscriptions(graph);
    const ids = new Set(rows.map(({ id }) => id));
    for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
    const changed = rows.filter((row) => known.get(row.id)?.stateKey !== subscriptionStateKey(row)).map(({ id }) => id);
    for (const some of chunk(changed, PAGE_SIZE)) {
      for (const subscription of await readSubscriptions(some)) known.set(subscription.id, subscription);
    }
    return [...known.values()].filter(({ isActive }) => isActive);
  };
};
