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
   * now, because the next one is probably near, and while none was seen.
   */
  settled(): string | undefined;
  /** Asks whether nothing has changed since a bookmark, at any moment after this call. */
  isNewest(bookmark: string): Promise<boolean>;
};

/** For so long after a change, the next one is expected. */
const QUIET_MS = 100;

export const createChangeWatch = ({
  readBookmark,
  observer,
}: Pick<Graph, 'readBookmark' | 'observer'>): ChangeWatch => {
  let seen: string | undefined;
  let seenMs = Number.NEGATIVE_INFINITY;

  const look = coalesce<undefined, string | undefined>({
    name: 'newest change',
    observer,
    maxBatch: 5000,
    load: async (callers) => {
      const newest = await readBookmark();
      if (newest !== seen) {
        seen = newest;
        seenMs = performance.now();
      }
      return callers.map(() => newest);
    },
  });

  return {
    settled: () => {
      // Nobody waits for this look, and whoever reads the store meets its failure.
      if (seen === undefined) look(undefined).catch(() => {});
      return performance.now() - seenMs < QUIET_MS ? undefined : seen;
    },
    isNewest: async (bookmark) => (await look(undefined)) === bookmark,
  };
};
