import { type Clock, monotonicNow } from '../model/time.ts';
import type { Graph } from './client.ts';
import { coalesce } from './coalesce.ts';

/**
 * Tells whether anything in the store has changed, at the cost of one small question that all callers share. Each
 * answer of the database carries a bookmark, which names the newest transaction that it has committed, whoever sent it.
 *
 * The database names a transaction before it shows all of its changes. So what belongs to a bookmark must be read
 * `after` it; as long as that is the newest one, what was read is up to date.
 */
export type ChangeWatch = {
  /**
   * The bookmark of the newest change that was seen, which need not be the newest by now. Undefined when it was seen just
   * now, because the next one is probably near, and when nobody has looked for a while.
   */
  settled(): string | undefined;
  /** Asks whether nothing has changed since a bookmark, at any moment after this call. */
  isNewest(bookmark: string): Promise<boolean>;
};

/** For so long after a change, the next one is expected. */
const QUIET_MS = 100;

/**
 * A bookmark is not relied on for longer without a look. Where an older copy of the store takes its place, statements would
 * wait for a change that never comes.
 */
const LOOK_MS = 1000;

export const createChangeWatch = (
  { readBookmark, observer }: Pick<Graph, 'readBookmark' | 'observer'>,
  clock: Clock = monotonicNow,
): ChangeWatch => {
  let seen: string | undefined;
  let seenMs = Number.NEGATIVE_INFINITY;
  let lookedMs = Number.NEGATIVE_INFINITY;

  const look = coalesce<undefined, string | undefined>({
    name: 'newest change',
    observer,
    maxBatch: 5000,
    load: async (callers) => {
      const newest = await readBookmark();
      lookedMs = clock();
      if (newest !== seen) {
        seen = newest;
        seenMs = lookedMs;
      }
      return callers.map(() => newest);
    },
  });

  return {
    settled: () => {
      const now = clock();
      const isOld = now - lookedMs > LOOK_MS;
      // Nobody waits for this look, and whoever reads the store meets its failure.
      if (isOld) look(undefined).catch(() => {});
      return isOld || now - seenMs < QUIET_MS ? undefined : seen;
    },
    isNewest: async (bookmark) => (await look(undefined)) === bookmark,
  };
};
