import { setTimeout as sleep } from 'node:timers/promises';
import type { Graph } from '../graph/client.ts';
import type { BacklogState } from '../http/metrics.ts';
import { readBacklog } from './queries.ts';

/** Reads for the metrics how much work waits in the database. Scrapes within some seconds share one reading. */

const FRESH_MS = 5000;
/** A scraper waits for the other metrics too, so a slow database may delay it only this long. */
const READ_WITHIN_MS = 2000;
const MAX_COUNTED = 10_000;

const UNREACHABLE: BacklogState = { isReachable: false, queues: [] };

/** A database that is down or slow is itself the answer, so a failure is not reported apart. */
const readOnce = async (graph: Pick<Graph, 'isReachable' | 'read'>): Promise<BacklogState> => {
  if (!(await graph.isReachable())) return UNREACHABLE;
  const rows = await graph.read(readBacklog, { limit: MAX_COUNTED }, { signal: AbortSignal.timeout(READ_WITHIN_MS) });
  const queues = rows.map(({ queue, waiting, ageMs }) => ({ queue, waiting, ageSeconds: ageMs / 1000 }));
  return { isReachable: true, queues };
};

export const createBacklogReader = (graph: Pick<Graph, 'isReachable' | 'read'>): (() => Promise<BacklogState>) => {
  let reading: Promise<BacklogState> | undefined;
  let readAt = 0;
  return () => {
    if (reading && performance.now() - readAt < FRESH_MS) return reading;
    readAt = performance.now();
    const late = sleep(READ_WITHIN_MS, UNREACHABLE, { ref: false });
    reading = Promise.race([readOnce(graph).catch(() => UNREACHABLE), late]);
    return reading;
  };
};
