import type { Graph } from '../graph/client.ts';
import { encodeProperty } from '../graph/property.ts';
import { decodeProgress, type Progress } from './progress.ts';
import {
  countFailed,
  createDeliveries,
  type ListedFailure,
  listFailed,
  readDeliveries,
  sendDeliveryTo,
} from './queries.ts';
import { type Eyes, onlySeen, retold } from './seen.ts';
import { unpackFirst } from './unpack.ts';

/** How far the delivery to a subscription has come; undefined when it has not begun. */
export const readProgress = async (graph: Graph, subscriptionId: string): Promise<Progress | undefined> => {
  const [row] = await graph.read(readDeliveries, { rows: [{ at: 0, subscriptionId }] });
  return row && decodeProgress(row.node);
};

/** Lets the delivery to a subscription go on after a number, whoever does it and wherever it is. */
export const sendTo = async (graph: Graph, subscriptionId: string, seq: number): Promise<void> => {
  const rows = [{ at: 0, subscriptionId, seq: encodeProperty(seq) }];
  await graph.write(async (transaction) => {
    await transaction.run(createDeliveries, { rows });
    await transaction.run(sendDeliveryTo, { subscriptionId, seq });
  });
};

/** Beyond every place there is: places begin with a digit. */
const NEWEST = ':';

type KeptFailure = ListedFailure & { readonly json: string; readonly entityType: string; readonly entityId: string };

const isKept = (row: ListedFailure): row is KeptFailure => row.entityId !== null;

/** The failures that somebody may see, in their order; those whose event is gone say nothing of any record. */
const visibleFailures = async (rows: readonly ListedFailure[], eyes: Eyes): Promise<readonly ListedFailure[]> => {
  const told = rows.filter(isKept).map((row) => ({ ...row, row, ends: row.ends ?? [] }));
  const seen = new Set<ListedFailure>((await onlySeen(told, eyes.sight)).map(({ row }) => row));
  return rows.filter((row) => !isKept(row) || seen.has(row));
};

/** The first of some failures with their events as somebody may see them, as many as may be held in memory at once. */
const showFirst = async (
  graph: Graph,
  rows: readonly ListedFailure[],
  eyes: Eyes,
): Promise<readonly ListedFailure[]> => {
  const unpacked = await unpackFirst(
    graph,
    rows.map((row) => ({ row, json: row.json ?? '' })),
  );
  const told = unpacked.flatMap(({ row, json }) => (isKept(row) ? [{ ...row, row, json, ends: row.ends ?? [] }] : []));
  const shown = new Map<ListedFailure, ListedFailure>((await retold(told, eyes)).map((one) => [one.row, one]));
  return unpacked.map(({ row }) => {
    const event = shown.get(row);
    return event ? { ...row, json: event.json } : row;
  });
};

/** What is read at once of failures that are looked at one by one. */
const PIECE = 500;

const placeOf = ({ node }: ListedFailure): string => String(node['place']);

/** What could not be delivered to a subscription, newest first, as far as somebody may see it. */
async function* readFailures(graph: Graph, subscriptionId: string, after: string, eyes: Eyes, size = PIECE) {
  for (let edge = after; ; ) {
    const rows = await graph.read(listFailed, { subscriptionId, edge, limit: size });
    yield* await visibleFailures(rows, eyes);
    const last = rows.at(-1);
    if (!last || rows.length < size) return;
    edge = placeOf(last);
  }
}

/** How many deliveries to a subscription failed that somebody may see; only what is still kept counts. */
export const countFailures = async (graph: Graph, subscriptionId: string, eyes: Eyes): Promise<number> => {
  if (eyes.sight === 'everything') return (await graph.read(countFailed, { subscriptionId }))[0]?.total ?? 0;
  let total = 0;
  for await (const _ of readFailures(graph, subscriptionId, NEWEST, eyes)) total += 1;
  return total;
};

export type FailedPage = { readonly rows: readonly ListedFailure[]; readonly next: string | undefined; total: number };

/** What could not be delivered to a subscription, newest first, after a place in that order. */
export const listFailures = async (
  graph: Graph,
  subscriptionId: string,
  { after = NEWEST, limit, eyes }: { readonly after?: string | undefined; readonly limit: number; readonly eyes: Eyes },
): Promise<FailedPage> => {
  const found: ListedFailure[] = [];
  const size = eyes.sight === 'everything' ? limit + 1 : PIECE;
  for await (const row of readFailures(graph, subscriptionId, after, eyes, size)) {
    found.push(row);
    if (found.length > limit) break;
  }
  // A page of long events ends earlier: the rest follows on the next one.
  const rows = await showFirst(graph, found.slice(0, limit), eyes);
  const last = rows.at(-1);
  const next = found.length > rows.length && last ? placeOf(last) : undefined;
  return { rows, next, total: await countFailures(graph, subscriptionId, eyes) };
};
