import { timePlace } from '../events/sequence.ts';
import type { Graph } from '../graph/client.ts';
import { DAY_MS } from '../model/time.ts';
import { deleteNotificationsBefore } from './queries.ts';

export type NotificationRetention = {
  /** How long a notification is kept. */
  readonly retentionMs: number;
  /** How many notifications one transaction removes, and how many transactions one round has at most. */
  readonly batch: number;
  readonly batches: number;
};

const DEFAULT_RETENTION: NotificationRetention = Object.freeze({ retentionMs: 90 * DAY_MS, batch: 1000, batches: 500 });

/** Removes expired notifications, a bounded number of them; returns how many. */
export const removeOldNotifications = async (
  graph: Graph,
  now: number,
  overrides: Partial<NotificationRetention> = {},
): Promise<number> => {
  const { retentionMs, batch, batches } = { ...DEFAULT_RETENTION, ...overrides };
  const edge = timePlace(Math.max(0, now - retentionMs));
  let removed = 0;
  for (let round = 0; round < batches; round += 1) {
    const [row] = await graph.write((transaction) =>
      transaction.run(deleteNotificationsBefore, { edge, limit: batch }),
    );
    removed += row?.removed ?? 0;
    if ((row?.removed ?? 0) < batch) break;
  }
  return removed;
};
