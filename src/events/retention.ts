import type { Graph } from '../graph/client.ts';
import {
  countAllFailedDeliveries,
  deleteEventsBefore,
  deleteFailedDeliveries,
  listOldestEvents,
  retireEvents,
} from './queries.ts';
import { EVENT_SEQUENCE } from './sequencer.ts';

export type EventRetention = {
  /** How long an event is kept. */
  readonly retentionMs: number;
  /** How many events one transaction removes, and how many transactions one round has at most. */
  readonly batch: number;
  readonly batches: number;
  /** Whether the round should continue. */
  readonly shouldContinue?: () => boolean;
};

const alwaysContinue = (): boolean => true;

/**
 * Finds, among the oldest events, the number before which every event is older than `cutoff`; undefined when none is.
 */
const findRetirementSeq = async (graph: Graph, cutoff: number, limit: number): Promise<number | undefined> => {
  const oldest = await graph.read(listOldestEvents, { limit });
  const kept = oldest.find(({ timestamp }) => timestamp >= cutoff);
  if (kept) return kept === oldest[0] ? undefined : kept.seq;
  const last = oldest.at(-1);
  return last && last.seq + 1;
};

/**
 * Removes expired events, a bounded number of them. It removes them in the order of their numbers, so that no gaps
 * remain, and announces it first, so that readers take a missing number for a removed event.
 */
export const removeOldEvents = async (
  graph: Graph,
  now: number,
  { retentionMs, batch, batches, shouldContinue = alwaysContinue }: EventRetention,
): Promise<number> => {
  let removed = 0;
  for (let round = 0; round < batches && shouldContinue(); round += 1) {
    const first = await findRetirementSeq(graph, now - retentionMs, batch);
    if (first === undefined) break;
    await graph.write((transaction) => transaction.run(retireEvents, { name: EVENT_SEQUENCE, first }));
    const [row] = await graph.write((transaction) => transaction.run(deleteEventsBefore, { first, limit: batch }));
    removed += row?.removed ?? 0;
  }
  return removed;
};

/** The most failed deliveries that are kept; they are kept as long as events. */
const MAX_FAILED_DELIVERIES = 100_000;

/** Removes failed deliveries that are expired or over the limit, a bounded number of them. */
export const removeOldFailedDeliveries = async (
  graph: Graph,
  now: number,
  { retentionMs, batch, batches, shouldContinue = alwaysContinue }: EventRetention,
  max = MAX_FAILED_DELIVERIES,
): Promise<void> => {
  const remove = async (before: number, limit: number): Promise<number> => {
    const [row] = await graph.write((transaction) => transaction.run(deleteFailedDeliveries, { before, limit }));
    return row?.removed ?? 0;
  };
  for (let round = 0; round < batches && shouldContinue(); round += 1) {
    if ((await remove(now - retentionMs, batch)) < batch) break;
  }
  const total = (await graph.read(countAllFailedDeliveries, {}))[0]?.total ?? 0;
  const excess = Math.min(total - max, batch * batches);
  for (let left = excess; left > 0 && shouldContinue(); left -= batch) await remove(now, Math.min(left, batch));
};
