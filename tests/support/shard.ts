/**
 * One of the processes that share the test files of a run. It runs each file it is given, reports the result, and
 * closes shared resources when no files are left.
 */
import { once } from 'node:events';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findLeftBehind } from './after-file.ts';
import { runAtEnd } from './at-end.ts';
import { takeFailedCases } from './failed-cases.ts';
import { encodeOutcome, firstLineOf, type SuiteOutcome } from './suite-outcome.ts';
import { findLeftFiles } from './temporary-files.ts';

type Ran = readonly [errors: string | true, passed: number, skipped: number, total: number];
type Queue = (readonly (() => Promise<Ran>)[])[];

/** The folder of the test files. */
const FOLDER = process.env['TEST_FOLDER'] ?? 'tests';

const shared = globalThis as { UVU_DEFER?: number; UVU_INDEX?: number; UVU_QUEUE?: Queue };

/** The suites of one file, in their order. Suites wait in the runner's own queue until they are run. */
const suitesOf = async (file: string): Promise<readonly (() => Promise<Ran>)[]> => {
  const suites: (() => Promise<Ran>)[] = [];
  shared.UVU_QUEUE = [suites];
  await import(pathToFileURL(resolve(FOLDER, file)).href);
  return suites;
};

const LEFT_OPEN_MS = 30_000;

type Counts = Omit<SuiteOutcome, 'seconds'>;

const runFile = async (file: string): Promise<Counts> => {
  const outcome = { passed: 0, skipped: 0, total: 0 };
  for (const run of await suitesOf(file)) {
    const [errors, passed, skipped, total] = await run();
    outcome.passed += passed;
    outcome.skipped += skipped;
    outcome.total += total;
    if (errors !== true) console.log(`\n${errors}`);
  }
  return { ...outcome, failed: takeFailedCases() };
};

const MOST_NAMES = 3;

/** What the last file left in the temporary folder, as one failure. */
const nameLeftFiles = async (): Promise<readonly string[]> => {
  const names = await findLeftFiles();
  const some = names.slice(0, MOST_NAMES).join(', ');
  return names.length === 0 ? [] : [`left ${names.length} in the temporary folder: ${some}`];
};

/** A file that cannot be loaded, or a suite that cannot be run, is a case that failed. */
const attempt = async (file: string): Promise<SuiteOutcome> => {
  const started = performance.now();
  const counts = await runFile(file).catch((failure: unknown): Counts => {
    console.log(`\n  FAIL  ${file}\n`, failure);
    takeFailedCases();
    return { passed: 0, skipped: 0, total: 1, failed: [{ title: 'the whole file', error: firstLineOf(failure) }] };
  });
  const left = [
    ...(await findLeftBehind().catch((failure: unknown) => [firstLineOf(failure)])),
    ...(await nameLeftFiles()),
  ];
  for (const what of left) console.log(`  FAIL  ${file} ${what}`);
  return {
    ...counts,
    total: counts.total + left.length,
    failed: [...counts.failed, ...left.map((what) => ({ title: what, error: what }))],
    seconds: (performance.now() - started) / 1000,
  };
};

/** What the last file left open is closed before anybody takes this process for well ended. */
const close = async (): Promise<void> => {
  await runAtEnd();
  process.disconnect();
  // A process that something still holds is ended and counted as a failure: nobody is to wait for it for good.
  setTimeout(() => {
    console.log(`after the last file something was left open: ${process.getActiveResourcesInfo().join(', ')}`);
    process.exit(1);
  }, LEFT_OPEN_MS).unref();
};

// Suites are not to run by themselves.
shared.UVU_DEFER = 1;
shared.UVU_INDEX = 0;

for (;;) {
  const told = once(process, 'message');
  process.send?.('next');
  const [file] = (await told) as [string];
  if (file === '') break;
  process.stdout.write(encodeOutcome(await attempt(file)));
}
await close();
