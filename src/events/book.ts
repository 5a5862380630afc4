import type { Graph } from '../graph/client.ts';
import type { DeliversAs } from '../model/delivers-as.ts';
import type { Destination } from '../model/destination-values.ts';
import type { FilterInput } from '../model/event-filter.ts';
import { piecesOf } from '../model/pieces.ts';
import { listSubscriptions, type SubscriptionRow } from './queries.ts';

/** A subscription as those who serve it need it: with its secrets in the clear. */
export type Subscription = {
  readonly id: string;
  readonly name: string;
  /** Tells its states apart. */
  readonly state: string;
  readonly updatedAt: number;
  /** Whether anything is delivered: enabled, and of a type that is. */
  readonly isActive: boolean;
  readonly retries: number;
  readonly batchSize: number;
  readonly resources: readonly string[];
  readonly filters: readonly FilterInput[];
  readonly destinations: readonly Destination[];
  /** As whom it delivers. */
  readonly deliversAs: readonly DeliversAs[];
};

/** The subscriptions of these ids as they are now; those that are gone are left out. */
export type ReadSubscriptions = (ids: readonly string[]) => Promise<readonly Subscription[]>;

/** All subscriptions that something is delivered to, as they are now. Only those that changed are read again. */
export type Book = () => Promise<readonly Subscription[]>;

const LIST_AT_ONCE = 1000;

/** What tells the states of a subscription apart. */
export const stateOf = ({ version, updatedAt }: Pick<SubscriptionRow, 'version' | 'updatedAt'>): string =>
  `${version} ${updatedAt}`;

const listAll = async (graph: Graph): Promise<SubscriptionRow[]> => {
  const rows: SubscriptionRow[] = [];
  for (let edge = ''; ; ) {
    const some = await graph.read(listSubscriptions, { edge, limit: LIST_AT_ONCE });
    rows.push(...some);
    const last = some.at(-1);
    if (!last || some.length < LIST_AT_ONCE) return rows;
    edge = last.sortKey;
  }
};

export const openBook = (graph: Graph, readSubscriptions: ReadSubscriptions): Book => {
  const known = new Map<string, Subscription>();
  return async () => {
    const rows = await listAll(graph);
    const ids = new Set(rows.map(({ id }) => id));
    for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
    const changed = rows.filter((row) => known.get(row.id)?.state !== stateOf(row)).map(({ id }) => id);
    for (const some of piecesOf(changed, LIST_AT_ONCE)) {
      for (const subscription of await readSubscriptions(some)) known.set(subscription.id, subscription);
    }
    return [...known.values()].filter(({ isActive }) => isActive);
  };
};
