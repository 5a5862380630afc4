import type { Graph } from '../graph/client.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import { type DeliveryProgress, decodeDeliveryProgress } from './delivery-progress.ts';
import { type EventVisibility, filterVisible, redactEventsFor } from './event-visibility.ts';
import {
  countFailedDeliveryRows,
  createDeliveries,
  type ListedFailedDelivery,
  listFailedDeliveryRows,
  moveDelivery,
  readDeliveries,
} from './queries.ts';
import { unpackFirstEvents } from './unpack-events.ts';

/** Reads the progress of the deliveries to a subscription; undefined when delivery has not started. */
export const readDeliveryProgress = async (
  graph: Graph,
  subscriptionId: string,
): Promise<DeliveryProgress | undefined> => {
  const [row] = await graph.read(readDeliveries, { rows: [{ at: 0, subscriptionId }] });
  return row && decodeDeliveryProgress(row.node);
};

/** Moves the delivery to a subscription to an event number, whichever process holds it. */
export const moveDeliveryTo = async (graph: Graph, subscriptionId: string, seq: number): Promise<void> => {
  const rows = [{ at: 0, subscriptionId, seq: encodeProperty(seq) }];
  await graph.write(async (transaction) => {
    await transaction.run(createDeliveries, { rows });
    await transaction.run(moveDelivery, { subscriptionId, seq });
  });
};

/** Sorts after every position, because positions begin with a digit. */
const NEWEST_PLACE = ':';

type FailureWithEvent = ListedFailedDelivery & {
  readonly json: string;
  readonly entityType: string;
  readonly entityId: string;
};

const hasEvent = (row: ListedFailedDelivery): row is FailureWithEvent => row.entityId !== null;

/** Keeps the failures that the caller may see. Failures whose event is gone reveal no record, so they stay. */
const filterVisibleFailures = async (
  rows: readonly ListedFailedDelivery[],
  visibility: EventVisibility,
): Promise<readonly ListedFailedDelivery[]> => {
  const withEvents = rows.filter(hasEvent).map((row) => ({ ...row, row, ends: row.ends ?? [] }));
  const seen = new Set<ListedFailedDelivery>(
    (await filterVisible(withEvents, visibility.records)).map(({ row }) => row),
  );
  return rows.filter((row) => !hasEvent(row) || seen.has(row));
};

/** Reads and redacts the events of the first failures, as many as fit into memory at once. */
const redactFirstFailures = async (
  graph: Graph,
  rows: readonly ListedFailedDelivery[],
  visibility: EventVisibility,
): Promise<readonly ListedFailedDelivery[]> => {
  const unpacked = await unpackFirstEvents(
    graph,
    rows.map((row) => ({ row, json: row.json ?? '' })),
  );
  const withEvents = unpacked.flatMap(({ row, json }) =>
    hasEvent(row) ? [{ ...row, row, json, ends: row.ends ?? [] }] : [],
  );
  const shown = new Map<ListedFailedDelivery, ListedFailedDelivery>(
    (await redactEventsFor(withEvents, visibility)).map((one) => [one.row, one]),
  );
  return unpacked.map(({ row }) => {
    const event = shown.get(row);
    return event ? { ...row, json: event.json } : row;
  });
};

/** How many failures are read at once when each must be checked. */
const PAGE_SIZE = 500;

const placeOfFailure = ({ node }: ListedFailedDelivery): string => String(node['place']);

/** Reads the failed deliveries of a subscription that the caller may see, newest first. */
async function* readFailedDeliveries(
  graph: Graph,
  subscriptionId: string,
  after: string,
  visibility: EventVisibility,
  size = PAGE_SIZE,
) {
  for (let edge = after; ; ) {
    const rows = await graph.read(listFailedDeliveryRows, { subscriptionId, edge, limit: size });
    yield* await filterVisibleFailures(rows, visibility);
    const last = rows.at(-1);
    if (!last || rows.length < size) return;
    edge = placeOfFailure(last);
  }
}

/** Counts the failed deliveries of a subscription that are still stored and that the caller may see. */
export const countFailedDeliveries = async (
  graph: Graph,
  subscriptionId: string,
  visibility: EventVisibility,
): Promise<number> => {
  if (visibility.records === 'everything')
    return (await graph.read(countFailedDeliveryRows, { subscriptionId }))[0]?.total ?? 0;
  let total = 0;
  for await (const _ of readFailedDeliveries(graph, subscriptionId, NEWEST_PLACE, visibility)) total += 1;
  return total;
};

export type FailedDeliveryPage = {
  readonly rows: readonly ListedFailedDelivery[];
  readonly next: string | undefined;
  total: number;
};

/** Lists the failed deliveries of a subscription, newest first, after a position in that order. */
export const listFailedDeliveries = async (
  graph: Graph,
  subscriptionId: string,
  {
    after = NEWEST_PLACE,
    limit,
    eyes: visibility,
  }: { readonly after?: string | undefined; readonly limit: number; readonly eyes: EventVisibility },
): Promise<FailedDeliveryPage> => {
  const found: ListedFailedDelivery[] = [];
  const size = visibility.records === 'everything' ? limit + 1 : PAGE_SIZE;
  for await (const row of readFailedDeliveries(graph, subscriptionId, after, visibility, size)) {
    found.push(row);
    if (found.length > limit) break;
  }
  // A page of long events ends early; the rest follows on the next page.
  const rows = await redactFirstFailures(graph, found.slice(0, limit), visibility);
  const last = rows.at(-1);
  const next = found.length > rows.length && last ? placeOfFailure(last) : undefined;
  return { rows, next, total: await countFailedDeliveries(graph, subscriptionId, visibility) };
};
