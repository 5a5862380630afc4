/** What was worked out lately is not worked out again: an answer that may be a little old, by what was asked. */
export type AnswerCache<T> = (key: string, compute: () => Promise<T>) => Promise<T>;

export type AnswerCacheOptions = { readonly ttlMs: number; readonly maxEntries: number; readonly now?: () => number };

type CachedAnswer<T> = { readonly since: number; readonly answer: Promise<T> };

/** Keeps no more than so many answers, none for longer than it may be old. */
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
    // Whoever worked it out may have run out of patience, which says nothing of others.
    return cached.answer.catch(() => computeAnew(key, compute));
  };
};
