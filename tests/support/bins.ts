/** Plans which files run on which server and in which order, from nothing but their names and weights. */

/**
 * The files that come first on the first server, in this order: they look at all that the store holds, so they run while
 * that is little and before other files write to the store by hand.
 */
const FIRST = [
  // Counts what is wrong in the whole store.
  'catalog/graph.test.ts',
  // Asks every route twice, about whatever there is.
  'access/hidden-records.test.ts',
  'access/every-route.test.ts',
  // Compare searches with all documents of the store.
  'search-documents/index.test.ts',
  'search/',
];

/** The files that come last on their server. */
const LAST = [
  // Empties the cache of plans again and again, so that every later file would be planned anew.
  'graph/statements.test.ts',
];

const rankAmong = (starts: readonly string[], file: string): number => {
  const rank = starts.findIndex((start) => file.startsWith(start));
  return rank < 0 ? starts.length : rank;
};

const isFirst = (file: string): boolean => rankAmong(FIRST, file) < FIRST.length;

/** The longest first; files of the same weight stay as they are. */
export const longestFirst = (files: readonly string[], weigh: (file: string) => number): string[] =>
  [...files].sort((one, other) => weigh(other) - weigh(one));

export type Bin = { readonly files: readonly string[]; readonly seconds: number };

/**
 * Distributes files over bins: those that come first go to the first bin, and each other one, the longest first, to the bin
 * that has the least to do by then. Inside a bin they keep the order in which they were given.
 */
export const planBins = (files: readonly string[], weigh: (file: string) => number, count: number): readonly Bin[] => {
  const bins = Array.from({ length: count }, () => ({ files: [] as string[], seconds: 0 }));
  const put = (file: string, bin = bins.reduce((least, other) => (other.seconds < least.seconds ? other : least))) => {
    bin.files.push(file);
    bin.seconds += weigh(file);
  };
  if (count === 0) return bins;
  for (const file of files.filter(isFirst)) put(file, bins[0]);
  for (const file of longestFirst(files, weigh)) if (!isFirst(file)) put(file);
  const place = new Map(files.map((file, at) => [file, at]));
  const order = (one: string, other: string) =>
    rankAmong(FIRST, one) - rankAmong(FIRST, other) ||
    rankAmong(LAST, other) - rankAmong(LAST, one) ||
    (place.get(one) ?? 0) - (place.get(other) ?? 0);
  return bins.map(({ files: some, seconds }) => ({ files: some.sort(order), seconds }));
};

/** A bin in one line, with the files in their order. */
export const describeBin = ({ files, seconds }: Bin, at: number): string =>
  `bin ${at + 1} (${Math.round(seconds)} s): ${files.map((file) => file.replace(/\.test\.ts$/, '')).join(' ')}`;
