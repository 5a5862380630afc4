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
  /** What one transaction removes, and how many of them one round has at most. */
  readonly batch: number;
  readonly batches: number;
  /** Whether there is still somebody to go on for. */
  readonly shouldContinue?: () => boolean;
};

const alwaysContinue = (): boolean => true;

/** The number before which everything happened before `cutoff`, among the oldest events; undefined when nothing did. */
const findRetirementSeq = async (graph: Graph, cutoff: number, limit: number): Promise<number | undefined> => {
  const oldest = await graph.read(listOldestEvents, { limit });
  const kept = oldest.find(({ timestamp }) => timestamp >= cutoff);
  if (kept) return kept === oldest[0] ? undefined : kept.seq;
  const last = oldest.at(-1);
  return last && last.seq + 1;
};

/**
 * Removes events that have had their time, a bounded amount of them. They go in the order of their numbers, so that
 * those that are left have no gaps; readers are told before, so that they take a missing number for a removed event.
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

/** What could not be delivered is kept as long as events are, and no more of it than this. */
const MAX_FAILED_DELIVERIES = 100_000;

/** Removes what could not be delivered and has had its time, or is too much, a bounded amount of it. */
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
