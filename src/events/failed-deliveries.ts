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

/** How far the delivery to a subscription has come; undefined when it has not begun. */
export const readDeliveryProgress = async (
  graph: Graph,
  subscriptionId: string,
): Promise<DeliveryProgress | undefined> => {
  const [row] = await graph.read(readDeliveries, { rows: [{ at: 0, subscriptionId }] });
  return row && decodeDeliveryProgress(row.node);
};

/** Lets the delivery to a subscription go on after a number, whoever does it and wherever it is. */
export const moveDeliveryTo = async (graph: Graph, subscriptionId: string, seq: number): Promise<void> => {
  const rows = [{ at: 0, subscriptionId, seq: encodeProperty(seq) }];
  await graph.write(async (transaction) => {
    await transaction.run(createDeliveries, { rows });
    await transaction.run(moveDelivery, { subscriptionId, seq });
  });
};

/** Beyond every place there is: places begin with a digit. */
const NEWEST_PLACE = ':';

type FailureWithEvent = ListedFailedDelivery & {
  readonly json: string;
  readonly entityType: string;
  readonly entityId: string;
};

const hasEvent = (row: ListedFailedDelivery): row is FailureWithEvent => row.entityId !== null;

/** The failures that somebody may see, in their order; those whose event is gone say nothing of any record. */
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

/** The first of some failures with their events as somebody may see them, as many as may be held in memory at once. */
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

/** What is read at once of failures that are looked at one by one. */
const PAGE_SIZE = 500;

const placeOfFailure = ({ node }: ListedFailedDelivery): string => String(node['place']);

/** What could not be delivered to a subscription, newest first, as far as somebody may see it. */
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

/** How many deliveries to a subscription failed that somebody may see; only what is still kept counts. */
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

/** What could not be delivered to a subscription, newest first, after a place in that order. */
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
  // A page of long events ends earlier: the rest follows on the next one.
  const rows = await redactFirstFailures(graph, found.slice(0, limit), visibility);
  const last = rows.at(-1);
  const next = found.length > rows.length && last ? placeOfFailure(last) : undefined;
  return { rows, next, total: await countFailedDeliveries(graph, subscriptionId, visibility) };
};
