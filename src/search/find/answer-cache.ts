import { createExpiringCache } from '../../access/cache.ts';

/** Caches answers by request for a short time. */
export type AnswerCache<T> = (key: string, compute: () => Promise<T>) => Promise<T>;

export type AnswerCacheOptions = { readonly ttlMs: number; readonly maxEntries: number; readonly now?: () => number };

/** Limits the number and the age of cached answers. */
export const createAnswerCache = <T>({
  ttlMs,
  maxEntries,
  now = () => performance.now(),
}: AnswerCacheOptions): AnswerCache<T> => {
  const cache = createExpiringCache<Promise<T>>(maxEntries);
  const computeAnew = (key: string, compute: () => Promise<T>): Promise<T> => {
    const answer = compute();
    cache.set(key, answer, now() + ttlMs);
    answer.catch(() => {
      if (cache.get(key, now()) === answer) cache.delete(key);
    });
    return answer;
  };
  // The computation may have failed by the time limit of its own request, so other requests try again.
  return (key, compute) => cache.get(key, now())?.catch(() => computeAnew(key, compute)) ?? computeAnew(key, compute);
};
