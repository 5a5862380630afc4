import { CatalogError } from '../errors.ts';
import type { TraceCaller } from '../tracing/tracing.ts';
import type { GraphObserver } from './client.ts';
import { createDeferredPump } from './deferred-pump.ts';

/** Batches look-ups that arrive together into one query. */

type PendingLookup<K, V> = {
  readonly key: K;
  readonly resolve: (value: V) => void;
  readonly reject: (reason: unknown) => void;
  readonly caller: TraceCaller | undefined;
};

export type CoalesceOptions<K, V> = {
  readonly name: string;
  /** Loads the values of all keys, in their order. */
  readonly load: (keys: readonly K[]) => Promise<readonly V[]>;
  readonly observer: GraphObserver;
  /** Keys with the same identity are loaded once per batch, because many callers often need the same record. */
  readonly identity?: (key: K) => string;
  readonly maxBatch?: number;
  readonly maxInFlight?: number;
  readonly maxWaiting?: number;
};

type DistinctKeys<K> = { readonly keys: readonly K[]; readonly places: readonly number[] };

/** Answers the distinct keys of a batch, and the index among them for each look-up of the batch. */
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
 * Batches look-ups that arrive together, or while others are running, into one query. A single look-up is sent in the
 * same turn of the event loop without a timer. Under load the batches grow by themselves.
 */
export const coalesce = <K, V>(options: CoalesceOptions<K, V>): ((key: K) => Promise<V>) => {
  const { name, load, observer, identity, maxBatch = 128, maxInFlight = 1, maxWaiting = 50_000 } = options;
  let waiting: PendingLookup<K, V>[] = [];
  let inFlight = 0;
  observer.queueDepth(name, () => waiting.length);

  const { tracing } = observer;
  const traceLoad = (batch: readonly PendingLookup<K, V>[], work: () => Promise<readonly V[]>) =>
    tracing
      ? tracing.shared(
          name,
          batch.map(({ caller }) => caller),
          work,
        )
      : work();

  /** Loads a batch and answers a function that delivers the results to the callers. */
  const loadBatch = async (batch: readonly PendingLookup<K, V>[]): Promise<() => void> => {
    try {
      const { keys, places } = distinctKeys(batch, identity);
      const values = await traceLoad(batch, () => load(keys));
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
    // A full batch goes out first: the database works on it while these results are processed here.
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
      waiting.push({ key, resolve, reject, caller: tracing?.caller() });
      if (waiting.length < maxBatch) schedulePump();
      else pump();
    });
};
