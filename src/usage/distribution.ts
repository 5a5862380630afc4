/**
 * Computes percentiles: the percentage of counts below a count, with two decimals. Equal counts have equal percentiles.
 */
export type CountDistribution = {
  add(count: number): void;
  percentileOf(count: number): number;
};

const round2 = (value: number): number => Math.round(value * 100) / 100;

/** Equal counts are stored once, so memory is bounded by the number of distinct counts. */
export const createCountDistribution = (): CountDistribution => {
  const times = new Map<number, number>();
  let below: ReadonlyMap<number, number> | undefined;
  let total = 0;

  const accumulate = (): ReadonlyMap<number, number> => {
    let passed = 0;
    const ranks = new Map<number, number>();
    for (const [count, number] of [...times].sort(([a], [b]) => a - b)) {
      ranks.set(count, passed);
      passed += number;
    }
    return ranks;
  };

  /** A count that was added after the distribution was built gets the percentile it would have had. */
  const countBelow = (count: number): number =>
    [...times].reduce((sum, [other, number]) => (other < count ? sum + number : sum), 0);

  return {
    add: (count) => {
      times.set(count, (times.get(count) ?? 0) + 1);
      total += 1;
      below = undefined;
    },
    percentileOf: (count) => {
      below ??= accumulate();
      return total === 0 ? 0 : round2((100 * (below.get(count) ?? countBelow(count))) / total);
    },
  };
};
