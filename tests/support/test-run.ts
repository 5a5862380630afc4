import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPlace, type Place } from './place.ts';
import { type FileQueue, runShard } from './shard-process.ts';
import { isPureFile } from './test-files.ts';
import { chooseSecondTries, type FileResult, hasFailed, judge, unrunResult, type Verdict } from './verdict.ts';

/** A server more is worth its start when there is enough to run on it. */
const MOST_SHARDS = 2;
const FILES_WORTH_A_SERVER = 20;

/** What looks at all that there is has its turn while there is little, and before others write to the store by hand. */
const FIRST = [
  'catalog/graph.test.ts',
  'access/hidden-records.test.ts',
  'access/every-route.test.ts',
  'search-documents/index.test.ts',
  'search/',
];

const turnOf = (file: string): number => {
  const turn = FIRST.findIndex((start) => file.startsWith(start));
  return turn < 0 ? FIRST.length : turn;
};

const inTurn = (files: readonly string[]): string[] =>
  [...files].sort((one, other) => turnOf(one) - turnOf(other) || one.localeCompare(other));

export type RunOptions = {
  /** The folder of the test files. */
  readonly folder: string;
  readonly secondTries: boolean;
  /** At most so many servers and processes at a time. */
  readonly shards?: number;
  /** Ends the run; files that nobody has run by then are failures. */
  readonly ending: AbortSignal;
};

type Group = { readonly pure: ReadonlySet<string>; readonly others: readonly string[] };

const group = async (folder: string, files: readonly string[]): Promise<Group> => {
  const pure = new Set<string>();
  for (const file of files) if (await isPureFile(folder, file)) pure.add(file);
  return { pure, others: inTurn(files.filter((file) => !pure.has(file))) };
};

const mostShards = ({ shards = MOST_SHARDS }: RunOptions): number => Math.min(shards, availableParallelism());

/** Runs what needs no server in as many processes as there are processors. */
const runPure = async (files: ReadonlySet<string>, options: RunOptions, env: NodeJS.ProcessEnv) => {
  const left = [...files];
  const processes = Array.from({ length: Math.min(mostShards(options), left.length) }, () =>
    runShard(env, () => left.shift(), options.ending),
  );
  return { results: (await Promise.all(processes)).flat(), left };
};

/** The places of a run, opened one after the other. */
const openPlaces = async (count: number, prepared: string | undefined, places: Place[]): Promise<void> => {
  for (let at = 0; at < count; at += 1) {
    const place = await openPlace(prepared, at === 0 ? (line) => console.log(line) : () => {});
    places.push(place);
    // On a new machine the first server creates the class archive that speeds up every later start. While tests run,
    // that takes longer than most servers of tests live, so each of them would begin it again in vain.
    if (count > 1) await place.archived;
  }
};

/** Files of one room ask for the same, and a server that has been asked before need not plan it again: so from both ends. */
const fromBothEnds =
  (left: string[]) =>
  (at: number): FileQueue =>
  () =>
    at === 0 ? left.shift() : left.pop();

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

const runGroups = async (
  { pure, others }: Group,
  prepared: string | undefined,
  options: RunOptions,
): Promise<Verdict> => {
  const env = { TEST_FOLDER: options.folder };
  const shards = process.env['NEO4J_URI']
    ? Math.min(1, others.length)
    : Math.min(mostShards(options), Math.ceil(others.length / FILES_WORTH_A_SERVER));
  const places: Place[] = [];
  const left = [...others];
  const results: FileResult[] = [];
  try {
    // The servers start while files run that need none.
    const [fromPure] = await Promise.all([
      runPure(pure, options, { ...process.env, ...env }),
      openPlaces(shards, prepared, places),
    ]);
    const queue = fromBothEnds(left);
    const shardResults = await Promise.all(
      places.map((place, at) => runShard({ ...place.env, ...env }, queue(at), options.ending)),
    );
    const unrun = [...fromPure.left, ...left].map(unrunResult);
    results.push(...fromPure.results, ...shardResults.flat(), ...unrun);
  } finally {
    await Promise.all(places.map((place) => place.close()));
  }
  const again: FileResult[] = [];
  if (options.secondTries) {
    for (const file of chooseSecondTries(results, (name) => pure.has(name) || !others.includes(name))) {
      if (!options.ending.aborted) again.push(await runAlone(file, prepared, options, env));
    }
  }
  return judge(results, again);
};

/** Runs test files in processes that share what can be shared, tries what failed once more, and tells what came of it. */
export const runFiles = async (files: readonly string[], options: RunOptions): Promise<Verdict> => {
  const groups = await group(options.folder, files);
  const isShared = groups.others.length > FILES_WORTH_A_SERVER && !process.env['NEO4J_URI'];
  const prepared = isShared ? await mkdtemp(join(tmpdir(), 'tributary-prepared-')) : undefined;
  try {
    return await runGroups(groups, prepared, options);
  } finally {
    if (prepared !== undefined) await rm(prepared, { recursive: true, force: true });
  }
};
