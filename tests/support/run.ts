/**
 * The test command. It distributes the test files over two processes, each with its own Neo4j (or runs them in one
 * process on the server named by NEO4J_URI), and ends with the line `N passed, N failed`. Arguments narrow the run to
 * matching file names.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmbeddedServer } from '../../src/graph/embedded/server.ts';
import { copyPreparedHome, PREPARED_HOMES } from './prepared-home.ts';
import { decodeOutcome, type SuiteOutcome } from './suite-outcome.ts';

/** A server more is worth its start when there is enough to run on it. */
const MOST_SHARDS = 2;
const FILES_WORTH_A_SERVER = 20;

/** A file that takes longer hangs; the longest takes two minutes on two cores. */
const FILE_MS = 900_000;

const SHARD = fileURLToPath(new URL('shard.ts', import.meta.url));
const THREADS = new URL('threads.mjs', import.meta.url).href;
const escapes = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

/** What has come of the run so far. */
type Tally = Omit<SuiteOutcome, 'seconds'> & { readonly failures: readonly string[] };

const NOTHING: Tally = { passed: 0, skipped: 0, total: 0, failures: [] };

const sum = (one: Tally, other: Tally): Tally => ({
  passed: one.passed + other.passed,
  skipped: one.skipped + other.skipped,
  total: one.total + other.total,
  failures: [...one.failures, ...other.failures],
});

/** Something that should have run and did not is a failure, although no case failed. */
const missing = (what: string): Tally => ({ ...NOTHING, total: 1, failures: [`FAIL  ${what}`] });

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

const matching = async (names: readonly string[]): Promise<string[]> => {
  const pattern = new RegExp(names.join('|'), 'i');
  const files = await readdir('tests', { recursive: true });
  return files
    .filter((file) => file.endsWith('.test.ts') && pattern.test(file))
    .sort((one, other) => turnOf(one) - turnOf(other) || one.localeCompare(other));
};

/** The cases that failed, told once more at the end, where whoever reads only the end of a long run finds them. */
const failedCases = (printed: string): string[] =>
  printed
    .replace(escapes, '')
    .split('\n')
    .filter((line) => /^\s*FAIL\s/.test(line))
    .map((line) => line.trim());

/**
 * Databases that tests start for themselves live for a minute. The optimising compiler would take a quarter of their
 * processor time and be stopped before that pays.
 */
const BRIEF_JAVA = '-XX:TieredStopAtLevel=1';

/**
 * The databases of the run live for a few minutes. The optimising compiler then pays only for what is called most, so it
 * waits ten times as long as usual.
 */
const LATE_OPTIMISING = [
  '-XX:Tier4InvocationThreshold=50000',
  '-XX:Tier4MinInvocationThreshold=6000',
  '-XX:Tier4CompileThreshold=150000',
  '-XX:Tier4BackEdgeThreshold=400000',
  // Memory is cheaper here than time: by default, a twelfth of the time may go to collecting garbage in a small heap.
  '-XX:GCTimeRatio=99',
].join(' ');

const withJavaOptions = (options: string): NodeJS.ProcessEnv => ({
  ...process.env,
  JDK_JAVA_OPTIONS: [process.env['JDK_JAVA_OPTIONS'] ?? '', options].join(' ').trim(),
});

/** Where a process finds its database and its keys. */
type Place = { readonly env: NodeJS.ProcessEnv; readonly archived: Promise<void>; close(): Promise<void> };

const placeFor = async (prepared: string | undefined, report: (line: string) => void): Promise<Place> => {
  const home = await mkdtemp(join(tmpdir(), 'tributary-test-'));
  const external = process.env['NEO4J_URI'];
  const env = withJavaOptions(LATE_OPTIMISING);
  if (prepared !== undefined) await copyPreparedHome(home, prepared);
  const server = external ? undefined : await startEmbeddedServer({ home, heap: '2g', pagecache: '256m', report, env });
  return {
    env: {
      ...withJavaOptions(BRIEF_JAVA),
      ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
      TEST_HOME: home,
      [PREPARED_HOMES]: prepared,
      TEST_NEO4J_URI: server?.uri ?? external,
      TEST_NEO4J_USER: server?.user ?? process.env['NEO4J_USER'] ?? 'neo4j',
      TEST_NEO4J_PASSWORD: server?.password ?? process.env['NEO4J_PASSWORD'] ?? '',
    },
    archived: server?.archived ?? Promise.resolve(),
    close: async () => {
      await server?.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
};

/** Runs files in a process of its own for as long as there are any; what a file prints is passed on whole. */
const runShard = (env: NodeJS.ProcessEnv, next: () => string | undefined, ending: AbortSignal): Promise<Tally> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--max-semi-space-size=64', '--import', 'tsx', '--import', THREADS, SHARD], {
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    ending.addEventListener('abort', () => child.kill());
    const given: string[] = [];
    let tally = NOTHING;
    let [printed, complaints] = ['', ''];
    const watch = setTimeout(() => {
      complaints += `nothing was heard for ${FILE_MS / 60_000} minutes\n`;
      child.kill('SIGKILL');
    }, FILE_MS);
    const passOn = (text: string) => {
      process.stdout.write(`${text}\n`);
      process.stderr.write(complaints);
      complaints = '';
    };
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      complaints += chunk;
    });
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
      for (let whole = decodeOutcome(printed); whole; whole = decodeOutcome(printed)) {
        const file = given.shift();
        printed = whole.rest;
        passOn(`${file} (${whole.outcome.seconds.toFixed(1)} s)\n${whole.printed}`);
        tally = sum(tally, { ...whole.outcome, failures: failedCases(whole.printed) });
        if (whole.outcome.total + whole.outcome.skipped === 0) tally = sum(tally, missing(`${file}: it has no cases`));
      }
    });
    child.on('message', () => {
      watch.refresh();
      const file = next();
      if (file !== undefined) given.push(file);
      // A process that died meanwhile is told in vain; its end says the rest.
      child.send(file ?? '', () => {});
    });
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(watch);
      passOn([...given, printed].join('\n'));
      // A process that dies takes the file along that it had begun.
      const isWell = code === 0 && given.length === 0;
      const end = `${given[0] ?? 'after the last file'}: the process ended with ${signal ?? `code ${code}`}`;
      resolve(isWell ? tally : sum(tally, missing(end)));
    });
  });

const runAll = async (files: readonly string[]): Promise<Tally> => {
  const shards = process.env['NEO4J_URI']
    ? 1
    : Math.min(MOST_SHARDS, availableParallelism(), Math.ceil(files.length / FILES_WORTH_A_SERVER));
  const left = [...files];
  // Whoever ends the run ends the tests; the servers are then stopped as ever.
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => ending.abort());
  // From both ends: files of one room ask for the same, and a server that has been asked before need not plan it again.
  const nextOf = (at: number) => () => {
    if (ending.signal.aborted) return undefined;
    return at === 0 ? left.shift() : left.pop();
  };
  const places: Place[] = [];
  const prepared = shards > 1 ? await mkdtemp(join(tmpdir(), 'tributary-prepared-')) : undefined;
  try {
    for (let at = 0; at < shards; at += 1) {
      const place = await placeFor(prepared, at === 0 ? (line) => console.log(line) : () => {});
      places.push(place);
      // On a new machine the first server creates the class archive that speeds up every later start. While tests run,
      // that takes longer than most servers of tests live, so each of them would begin it again in vain.
      if (shards > 1) await place.archived;
    }
    const tallies = await Promise.all(places.map(({ env }, at) => runShard(env, nextOf(at), ending.signal)));
    const unrun = left.length === 0 ? NOTHING : missing(`${left[0]} and whatever comes after it: nobody ran it`);
    return [...tallies, unrun].reduce(sum, NOTHING);
  } finally {
    await Promise.all(places.map(({ close }) => close()));
    if (prepared !== undefined) await rm(prepared, { recursive: true, force: true });
  }
};

const main = async (): Promise<number> => {
  const files = await matching(process.argv.slice(2));
  const { passed, skipped, total, failures } =
    files.length > 0 ? await runAll(files) : missing('no file has such a name');
  if (skipped > 0) console.log(`${skipped} skipped; each is named above with its reason`);
  for (const line of failures) console.log(line);
  console.log(`${passed} passed, ${total - passed} failed`);
  return total === passed ? 0 : 1;
};

process.exitCode = await main();
