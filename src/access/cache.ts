/** Values kept until a time of their own; the one unused for longest makes room when there are too many. */
export type Cache<V> = {
  get(key: string, now: number): V | undefined;
  set(key: string, value: V, until: number): void;
  delete(key: string): void;
  clear(): void;
};

/** A bounded cache. Times are epoch milliseconds; an entry is gone from the moment `until` on. */
export const createCache = <V>(max: number): Cache<V> => {
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
export const createFlights = <V>() => {
  const flights = new Map<string, Promise<V>>();
  return (key: string, work: () => Promise<V>): Promise<V> => {
    const underWay = flights.get(key);
    if (underWay !== undefined) return underWay;
    const flight = work().finally(() => flights.delete(key));
    flights.set(key, flight);
    return flight;
  };
};

export type Lookups<V> = {
  find(key: string): Promise<V>;
  /** Makes the next look-up of the key ask anew; one that is under way serves nobody who comes later. */
  forget(key: string): void;
  forgetAll(): void;
};

type LookupOptions<V> = {
  readonly read: (key: string) => Promise<V>;
  /** Which answers may be reused; failures never are. */
  readonly keeps: (value: V) => boolean;
  readonly clock: () => number;
  /** How long an answer is reused, counted from before it was asked for. */
  readonly graceMs: number;
  readonly max: number;
};

/** Answers of a slow source, each reused for a while and shared by all who ask meanwhile. */
export const createLookups = <V>({ read, keeps, clock, graceMs, max }: LookupOptions<V>): Lookups<V> => {
  const known = createCache<Promise<V>>(max);

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
