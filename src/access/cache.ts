import { LRUCache } from 'lru-cache';

/**
 * A cache whose entries each have their own expiry time. When the cache is full, the least recently used entry is
 * evicted.
 */
export type ExpiringCache<V> = {
  get(key: string, now: number): V | undefined;
  set(key: string, value: V, until: number): void;
  delete(key: string): void;
  clear(): void;
};

/** Creates a bounded cache. Times are epoch milliseconds; an entry is gone from the moment `until` on. */
export const createExpiringCache = <V>(max: number): ExpiringCache<V> => {
  const entries = new LRUCache<string, { readonly value: V; readonly until: number }>({ max });
  return Object.freeze({
    get: (key: string, now: number) => {
      const entry = entries.get(key);
      if (entry !== undefined && entry.until <= now) entries.delete(key);
      return entry !== undefined && entry.until > now ? entry.value : undefined;
    },
    set: (key: string, value: V, until: number) => void entries.set(key, { value, until }),
    delete: (key: string) => void entries.delete(key),
    clear: () => entries.clear(),
  });
};

/**
 * Shares work in progress: a second caller with the same key gets the promise of the first. Nothing is cached after the
 * work ends, not even a failure.
 */
export const createSingleFlight = <V>() => {
  const running = new Map<string, Promise<V>>();
  return (key: string, work: () => Promise<V>): Promise<V> => {
    const present = running.get(key);
    if (present !== undefined) return present;
    const promise = work().finally(() => running.delete(key));
    running.set(key, promise);
    return promise;
  };
};

export type LookupCache<V> = {
  find(key: string): Promise<V>;
  /** Makes the next lookup of the key read again. A lookup in progress is not shared with later callers. */
  forget(key: string): void;
  forgetAll(): void;
};

type LookupCacheOptions<V> = {
  readonly read: (key: string) => Promise<V>;
  /** Which values may be reused. Failures never are. */
  readonly keeps: (value: V) => boolean;
  readonly clock: () => number;
  /** How long a value is reused, measured from before it was requested. */
  readonly graceMs: number;
  readonly max: number;
};

/** Caches values of a slow source. Concurrent lookups of one key share one read. */
export const createLookupCache = <V>({ read, keeps, clock, graceMs, max }: LookupCacheOptions<V>): LookupCache<V> => {
  const known = createExpiringCache<Promise<V>>(max);

  const find = (key: string): Promise<V> => {
    const now = clock();
    const found = known.get(key, now);
    if (found !== undefined) return found;
    const reading = read(key);
    known.set(key, reading, now + graceMs);
    const drop = () => known.delete(key);
    reading.then((value) => (keeps(value) ? undefined : drop()), drop);
    return reading;
  };

  return Object.freeze({ find, forget: (key: string): void => known.delete(key), forgetAll: () => known.clear() });
};
