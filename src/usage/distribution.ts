/**
 * Where a count stands among others: how many of a hundred lie below it, with two decimals. Equal counts stand equally
 * high.
 */
export type CountDistribution = {
  add(count: number): void;
  percentileOf(count: number): number;
};

const round2 = (value: number): number => Math.round(value * 100) / 100;

/** Counts that are all equal are kept once, so that a distribution is bounded by how much counts differ. */
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

  /** A count that came in after the distribution was taken stands where it would have stood. */
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
