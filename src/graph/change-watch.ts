import type { Graph } from './client.ts';
import { coalesce } from './coalesce.ts';

/**
 * Tells whether anything in the store has changed, at the cost of one small question that all callers share. Each
 * answer of the database carries a bookmark, which names the newest transaction that it has committed, whoever sent it.
 */
export type ChangeWatch = {
  /**
   * Returns the bookmark of the newest change, asked for after this call. Undefined while the store keeps changing:
   * then nothing is asked, because the answer would be out of date at once.
   *
   * The database names a transaction before it shows all of its changes. So what belongs to a bookmark must be read
   * `after` it; as long as this function returns the same bookmark, what was read is up to date.
   */
  newest(): Promise<string | undefined>;
};

/** For so long after a change, the next one is expected. */
const QUIET_MS = 100;

export const createChangeWatch = ({
  readBookmark,
  observer,
}: Pick<Graph, 'readBookmark' | 'observer'>): ChangeWatch => {
  let known: string | undefined;
  let changedMs = Number.NEGATIVE_INFINITY;
  const isChanging = (): boolean => performance.now() - changedMs < QUIET_MS;

  const look = async (): Promise<string | undefined> => {
    const bookmark = await readBookmark();
    if (bookmark === known) return bookmark;
    known = bookmark;
    changedMs = performance.now();
    return undefined;
  };

  const lookTogether = coalesce<undefined, string | undefined>({
    name: 'newest change',
    observer,
    maxBatch: 5000,
    load: async (callers) => {
      const bookmark = await look();
      return callers.map(() => bookmark);
    },
  });

  return { newest: async () => (isChanging() ? undefined : lookTogether(undefined)) };
};
