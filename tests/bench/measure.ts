/** How fast a number of callers got their answers, each asking again as soon as it was answered. */
export type Rate = {
  readonly calls: number;
  readonly perSecond: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
};

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

const ascending = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);

export const median = (values: readonly number[]): number => {
  const sorted = ascending(values);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
};

/** What all but one of twenty did not take longer than. */
export const p95 = (values: readonly number[]): number => at(ascending(values), 0.95);

/** Keeps `callers` calls under way for a while. A call that fails ends the measurement: its time would mean nothing. */
export const measureRate = async (
  callers: number,
  seconds: number,
  call: (caller: number) => Promise<void>,
): Promise<Rate> => {
  const took: number[] = [];
  const started = performance.now();
  const deadline = started + seconds * 1000;
  const repeat = async (caller: number) => {
    for (let begun = performance.now(); begun < deadline; ) {
      await call(caller);
      const now = performance.now();
      took.push(now - begun);
      begun = now;
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => repeat(caller)));
  const sorted = ascending(took);
  return {
    calls: took.length,
    perSecond: (took.length * 1000) / (performance.now() - started),
    medianMs: at(sorted, 0.5),
    p95Ms: at(sorted, 0.95),
    p99Ms: at(sorted, 0.99),
  };
};

export type Pair<A, B> = { readonly a: readonly A[]; readonly b: readonly B[] };

/** Database and service compile what they run often; until then they are several times slower than later. */
const WARM_UP_TURNS = 3;

/**
 * Measures two things in turns, A B A B, so that a machine that is slow for a while is slow for both. The first turns of
 * each only warm up.
 */
export const takeTurns = async <A, B>(
  rounds: number,
  a: () => Promise<A>,
  b: () => Promise<B>,
): Promise<Pair<A, B>> => {
  const results: { a: A[]; b: B[] } = { a: [], b: [] };
  for (let round = -WARM_UP_TURNS; round < rounds; round += 1) {
    const first = await a();
    const second = await b();
    if (round < 0) continue;
    results.a.push(first);
    results.b.push(second);
  }
  return results;
};
