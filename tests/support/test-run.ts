import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bin, describeBin, longestFirst, planBins } from './bins.ts';
import { openPlace, type Place } from './place.ts';
import { runShard } from './shard-process.ts';
import { isPureFile, listTestFiles } from './test-files.ts';
import {
  chooseSecondTries,
  type FileResult,
  hasFailed,
  judge,
  missingResult,
  unrunResult,
  type Verdict,
} from './verdict.ts';
import { createWeigher, mergeWeights, readWeights, writeWeights } from './weights.ts';

/** A server more is worth its start when there is enough to run on it. */
const MOST_SHARDS = 2;
const FILES_WORTH_A_SERVER = 20;

export type RunOptions = {
  /** The folder of the test files. */
  readonly folder: string;
  readonly secondTries: boolean;
  /** At most so many servers and processes at a time. */
  readonly shards?: number;
  /** Only this bin of the plan, counted from one. */
  readonly bin?: number;
  /** Writes down how long each file took. */
  readonly isWeighed?: boolean;
  /** Ends the run; files that nobody has run by then are failures. */
  readonly ending: AbortSignal;
};

type Plan = {
  /** The files that need no server, the longest first. */
  readonly pure: readonly string[];
  /** The other files, by the server they run on. */
  readonly bins: readonly Bin[];
};

const mostShards = ({ shards = MOST_SHARDS }: RunOptions): number => Math.min(shards, availableParallelism());

const plan = async (files: readonly string[], options: RunOptions): Promise<Plan> => {
  const weigh = createWeigher(await readWeights(options.folder));
  const [pure, others]: [string[], string[]] = [[], []];
  for (const file of files) ((await isPureFile(options.folder, file)) ? pure : others).push(file);
  const count = process.env['NEO4J_URI']
    ? Math.min(1, others.length)
    : Math.min(mostShards(options), Math.ceil(others.length / FILES_WORTH_A_SERVER));
  return { pure: longestFirst(pure, weigh), bins: planBins(others, weigh, count) };
};

/** Runs what needs no server while the servers start, and later when those that need one leave a processor idle. */
const runPure = async (left: string[], options: RunOptions, env: NodeJS.ProcessEnv): Promise<FileResult[]> => {
  const processes = Array.from({ length: Math.min(mostShards(options), left.length) }, () =>
    runShard(env, () => left.shift(), options.ending, constants.priority.PRIORITY_BELOW_NORMAL),
  );
  return (await Promise.all(processes)).flat();
};

/** Opens the places of a run one after the other, and runs each bin as soon as its place is open. */
const runBins = async (
  bins: readonly string[][],
  prepared: string | undefined,
  places: Place[],
  options: RunOptions,
  env: NodeJS.ProcessEnv,
): Promise<FileResult[]> => {
  const running: Promise<FileResult[]>[] = [];
  for (const [at, left] of bins.entries()) {
    const place = await openPlace(prepared, at === 0 ? (line) => console.log(line) : () => {});
    places.push(place);
    // On a new machine the first server creates the class archive that speeds up every later start. While tests run,
    // that takes longer than most servers of tests live, so each of them would begin it again in vain.
    if (bins.length > 1) await place.archived;
    running.push(runShard({ ...place.env, ...env }, () => left.shift(), options.ending));
  }
  return (await Promise.all(running)).flat();
};

/** Writes down how long the files of this run took; those that did not end keep what they had. */
const weighFiles = async (folder: string, results: readonly FileResult[]): Promise<void> => {
  const measured = Object.fromEntries(
    results.flatMap(({ file, seconds }) => (seconds === undefined ? [] : [[file, seconds]])),
  );
  const existing = new Set(await listTestFiles(folder, 'all', /./));
  await writeWeights(folder, mergeWeights(await readWeights(folder), measured, existing));
};

/** Runs a file alone, in a fresh process, on a store of its own. */
const runAlone = async (
  file: string,
  prepared: string | undefined,
  options: RunOptions,
  env: NodeJS.ProcessEnv,
): Promise<FileResult> => {
  console.log(`second try, alone on a store of its own: ${file}`);
  const place = await openPlace(prepared, () => {});
  try {
    const left = [file];
    const results = await runShard({ ...place.env, ...env }, () => left.shift(), options.ending);
    // The process may also fail behind its file, with what the file left open.
    return results.find(hasFailed) ?? results[0] ?? unrunResult(file);
  } finally {
    await place.close();
  }
};

/** Runs the pure files, and each bin on its server. */
const runOnce = async (
  { pure, bins }: Plan,
  prepared: string | undefined,
  options: RunOptions,
  env: NodeJS.ProcessEnv,
): Promise<FileResult[]> => {
  const places: Place[] = [];
  const [leftPure, leftInBins] = [[...pure], bins.map(({ files }) => [...files])];
  const failing = new AbortController();
  const ending = AbortSignal.any([options.ending, failing.signal]);
  try {
    const results = await Promise.all([
      runPure(leftPure, { ...options, ending }, { ...process.env, ...env }),
      runBins(leftInBins, prepared, places, { ...options, ending }, env),
    ]);
    return [...results.flat(), ...[...leftPure, ...leftInBins.flat()].map(unrunResult)];
  } catch (failure) {
    // Without its server a bin cannot run, and nobody would hear of what the others find.
    failing.abort();
    throw failure;
  } finally {
    await Promise.all(places.map((place) => place.close()));
  }
};

const runPlan = async (chosen: Plan, prepared: string | undefined, options: RunOptions): Promise<Verdict> => {
  const env = { TEST_FOLDER: options.folder };
  const results = await runOnce(chosen, prepared, options, env);
  if (options.isWeighed) await weighFiles(options.folder, results);
  const again: FileResult[] = [];
  if (options.secondTries) {
    const onServers = new Set(chosen.bins.flatMap(({ files }) => files));
    for (const file of chooseSecondTries(results, (name) => !onServers.has(name))) {
      if (!options.ending.aborted) again.push(await runAlone(file, prepared, options, env));
    }
  }
  return judge(results, again);
};

/** Runs test files in processes that share what can be shared, tries what failed once more, and tells what came of it. */
export const runFiles = async (files: readonly string[], options: RunOptions): Promise<Verdict> => {
  const whole = await plan(files, options);
  whole.bins.forEach((bin, at) => {
    console.log(describeBin(bin, at));
  });
  const isShared = whole.bins.flatMap((bin) => bin.files).length > FILES_WORTH_A_SERVER && !process.env['NEO4J_URI'];
  const only = options.bin === undefined ? undefined : whole.bins[options.bin - 1];
  if (options.bin !== undefined && !only) {
    return judge([missingResult(`bin ${options.bin}`, `there are ${whole.bins.length} bins`)], []);
  }
  const prepared = isShared ? await mkdtemp(join(tmpdir(), 'tributary-prepared-')) : undefined;
  try {
    return await runPlan(only ? { pure: [], bins: [only] } : whole, prepared, options);
  } finally {
    if (prepared !== undefined) await rm(prepared, { recursive: true, force: true });
  }
};
