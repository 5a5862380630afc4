import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** How long each test file takes, as measured runs have written it down (`npm test -- --weigh`). */

/** Seconds by file. */
export type Weights = Readonly<Record<string, number>>;

const pathOf = (folder: string): string => join(folder, 'weights.json');

/** Reads the weights of a folder; there are none where no run has been measured. */
export const readWeights = async (folder: string): Promise<Weights> => {
  try {
    return JSON.parse(await readFile(pathOf(folder), 'utf8')) as Weights;
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw failure;
  }
};

/** A file that nobody has measured counts as the median of the others. */
export const createWeigher = (weights: Weights): ((file: string) => number) => {
  const sorted = Object.values(weights).sort((one, other) => one - other);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 1;
  return (file) => weights[file] ?? median;
};

/** Joins measured seconds with the weights of other files that still exist, by path and in whole seconds. */
export const mergeWeights = (before: Weights, measured: Weights, existing: ReadonlySet<string>): Weights => {
  const entries = Object.entries({ ...before, ...measured }).filter(([file]) => existing.has(file));
  return Object.fromEntries(
    entries.map(([file, seconds]) => [file, Math.round(seconds)] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
};

export const writeWeights = (folder: string, weights: Weights): Promise<void> =>
  writeFile(pathOf(folder), `${JSON.stringify(weights, null, 2)}\n`);
