/** Caches answers by request for a short time. */
export type AnswerCache<T> = (key: string, compute: () => Promise<T>) => Promise<T>;

export type AnswerCacheOptions = { readonly ttlMs: number; readonly maxEntries: number; readonly now?: () => number };

type CachedAnswer<T> = { readonly since: number; readonly answer: Promise<T> };

/** Limits the number and the age of cached answers. */
export const createAnswerCache = <T>({
  ttlMs,
  maxEntries,
  now = () => performance.now(),
}: AnswerCacheOptions): AnswerCache<T> => {
  const cache = new Map<string, CachedAnswer<T>>();
  const computeAnew = (key: string, compute: () => Promise<T>): Promise<T> => {
    const entry: CachedAnswer<T> = { since: now(), answer: compute() };
    cache.delete(key);
    if (cache.size >= maxEntries) cache.delete(cache.keys().next().value ?? '');
    cache.set(key, entry);
    entry.answer.catch(() => {
      if (cache.get(key) === entry) cache.delete(key);
    });
    return entry.answer;
  };
  return (key, compute) => {
    const cached = cache.get(key);
    if (!cached || now() - cached.since >= ttlMs) return computeAnew(key, compute);
    // The computation may have failed by the time limit of its own request, so other requests try again.
    return cached.answer.catch(() => computeAnew(key, compute));
  };
};
