/** Values kept until a time of their own; the one unused for longest makes room when there are too many. */
export type ExpiringCache<V> = {
  get(key: string, now: number): V | undefined;
  set(key: string, value: V, until: number): void;
  delete(key: string): void;
  clear(): void;
};

/** A bounded cache. Times are epoch milliseconds; an entry is gone from the moment `until` on. */
export const createExpiringCache = <V>(max: number): ExpiringCache<V> => {
  // A Map keeps the order of insertion, so an entry that is used moves to the end and the first is the oldest.
  const entries = new Map<string, { readonly value: V; readonly until: number }>();

  const get = (key: string, now: number): V | undefined => {
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    entries.delete(key);
    if (entry.until <= now) return undefined;
    entries.set(key, entry);
    return entry.value;
  };

  const set = (key: string, value: V, until: number): void => {
    entries.delete(key);
    entries.set(key, { value, until });
    if (entries.size <= max) return;
    for (const oldest of entries.keys()) {
      entries.delete(oldest);
      return;
    }
  };

  const remove = (key: string): void => {
    entries.delete(key);
  };

  return Object.freeze({ get, set, delete: remove, clear: () => entries.clear() });
};

/**
 * Work shared by everybody who asks for it while it is under way: the second caller of one key gets the promise of the
 * first. Nothing is kept afterwards, a failure neither.
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
  /** Makes the next look-up of the key ask anew; one that is under way serves nobody who comes later. */
  forget(key: string): void;
  forgetAll(): void;
};

type LookupCacheOptions<V> = {
  readonly read: (key: string) => Promise<V>;
  /** Which answers may be reused; failures never are. */
  readonly keeps: (value: V) => boolean;
  readonly clock: () => number;
  /** How long an answer is reused, counted from before it was asked for. */
  readonly graceMs: number;
  readonly max: number;
};

/** Answers of a slow source, each reused for a while and shared by all who ask meanwhile. */
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
