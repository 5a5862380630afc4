/** Values kept until a time of their own; the one unused for longest makes room when there are too many. */
export type Cache<V> = {
  get(key: string, now: number): V | undefined;
  set(key: string, value: V, until: number): void;
  delete(key: string): void;
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

  return Object.freeze({ get, set, delete: remove });
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
