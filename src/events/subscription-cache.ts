import type { Graph } from '../graph/client.ts';
import { chunk } from '../model/chunk.ts';
import type { EventFilterInput } from '../model/language/event-filter.ts';
import type { DeliveryPrincipal } from '../model/schemas/events/delivers-as.ts';
import type { Destination } from '../model/schemas/events/destination.ts';
import { listSubscriptionStates, type SubscriptionStateRow } from './queries.ts';

/** A subscription as its delivery needs it, with decrypted secrets. */
export type Subscription = {
  readonly id: string;
  readonly name: string;
  /** Identifies the state of the subscription. */
  readonly stateKey: string;
  readonly updatedAt: number;
  /** Whether the subscription is enabled and of a type that is delivered. */
  readonly isActive: boolean;
  readonly retries: number;
  readonly batchSize: number;
  /** The time between two messages. */
  readonly pollIntervalMs: number;
  readonly resources: readonly string[];
  readonly filters: readonly EventFilterInput[];
  readonly destinations: readonly Destination[];
  /** The principals that the subscription delivers as. */
  readonly deliversAs: readonly DeliveryPrincipal[];
};

/** Reads the current subscriptions with these ids; removed ones are left out. */
export type SubscriptionsById = (ids: readonly string[]) => Promise<readonly Subscription[]>;

/** Reads all current subscriptions with deliveries. It reads only those again that have changed. */
export type SubscriptionCache = () => Promise<readonly Subscription[]>;

const PAGE_SIZE = 1000;

/** A text that identifies the state of a subscription. */
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
