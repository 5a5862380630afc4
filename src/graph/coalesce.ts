import { CatalogError } from '../errors.ts';
import type { GraphObserver } from './client.ts';
import { createDeferredPump } from './deferred-pump.ts';

type PendingLookup<K, V> = {
  readonly key: K;
  readonly resolve: (value: V) => void;
  readonly reject: (reason: unknown) => void;
};

export type CoalesceOptions<K, V> = {
  readonly name: string;
  /** Answers all keys at once, in their order. */
  readonly load: (keys: readonly K[]) => Promise<readonly V[]>;
  readonly observer: GraphObserver;
  /** Keys of one identity are looked up once per batch: many callers often ask for the same thing. */
  readonly identity?: (key: K) => string;
  readonly maxBatch?: number;
  readonly maxInFlight?: number;
  readonly maxWaiting?: number;
};

type DistinctKeys<K> = { readonly keys: readonly K[]; readonly places: readonly number[] };

/** The different keys of a batch, and where among them each of the batch stands. */
const distinctKeys = <K, V>(
  batch: readonly PendingLookup<K, V>[],
  identity: ((key: K) => string) | undefined,
): DistinctKeys<K> => {
  if (!identity || batch.length === 1) return { keys: batch.map((entry) => entry.key), places: [] };
  const places = new Map<string, number>();
  const keys: K[] = [];
  const where = batch.map(({ key }) => {
    const name = identity(key);
    const known = places.get(name);
    if (known !== undefined) return known;
    places.set(name, keys.length);
    return keys.push(key) - 1;
  });
  return { keys, places: where };
};

/**
 * Lets look-ups that arrive together, or while others are under way, share the next query. A lone look-up is sent in the
 * same turn of the event loop and waits for no timer; under load the batches grow by themselves.
 */
export const coalesce = <K, V>(options: CoalesceOptions<K, V>): ((key: K) => Promise<V>) => {
  const { name, load, observer, identity, maxBatch = 128, maxInFlight = 1, maxWaiting = 50_000 } = options;
  let waiting: PendingLookup<K, V>[] = [];
  let inFlight = 0;
  observer.queueDepth(name, () => waiting.length);

  /** Looks a batch up; whoever asked is answered by calling what comes back. */
  const loadBatch = async (batch: readonly PendingLookup<K, V>[]): Promise<() => void> => {
    try {
      const { keys, places } = distinctKeys(batch, identity);
      const values = await load(keys);
      return () => {
        for (const [index, entry] of batch.entries()) entry.resolve(values[places[index] ?? index] as V);
      };
    } catch (failure) {
      return () => {
        for (const entry of batch) entry.reject(failure);
      };
    }
  };

  const finishBatch = async (batch: readonly PendingLookup<K, V>[]) => {
    const deliver = await loadBatch(batch);
    inFlight -= 1;
    // A batch that is full already goes out first: the database works on it while these answers are worked on here.
    if (waiting.length >= maxBatch) pump();
    deliver();
    schedulePump();
  };

  const pump = () => {
    while (inFlight < maxInFlight && waiting.length > 0) {
      const batch = waiting.length <= maxBatch ? waiting : waiting.slice(0, maxBatch);
      waiting = waiting.length <= maxBatch ? [] : waiting.slice(maxBatch);
      inFlight += 1;
      observer.batch(name, batch.length);
      void finishBatch(batch);
    }
  };

  const schedulePump = createDeferredPump(pump);

  return (key) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= maxWaiting) {
        reject(new CatalogError('unavailable', 'Too many requests are waiting for the database'));
        return;
      }
      waiting.push({ key, resolve, reject });
      if (waiting.length < maxBatch) schedulePump();
      else pump();
    });
};
