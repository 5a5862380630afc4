import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { decodeOutcome } from './suite-outcome.ts';
import { makeTemporaryFolder } from './temporary-files.ts';
import { type FileResult, missingResult, unrunResult } from './verdict.ts';

const SHARD = fileURLToPath(new URL('shard.ts', import.meta.url));
const THREADS = new URL('threads.mjs', import.meta.url).href;

/** A file that takes longer hangs; the longest takes three minutes on two busy cores. */
const FILE_MS = 900_000;

/** Where the next file comes from; nothing when there is none left. */
export type FileQueue = () => string | undefined;

/** Ends a process and what it has started. */
const endGroup = (pid: number | undefined): void => {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch (failure) {
    // Usually nothing is left.
    if ((failure as NodeJS.ErrnoException).code !== 'ESRCH') throw failure;
  }
};

/** Runs files in one process until there are none left or the process ends; what a file prints is passed on whole. */
const runProcess = (
  env: NodeJS.ProcessEnv,
  next: FileQueue,
  ending: AbortSignal,
  priority: number,
): Promise<FileResult[]> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--max-semi-space-size=64', '--import', 'tsx', '--import', THREADS, SHARD], {
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A group of its own, so that the programs that a test started end with it.
      detached: true,
    });
    if (child.pid !== undefined) setPriority(child.pid, priority);
    const end = () => child.kill();
    ending.addEventListener('abort', end);
    const given: string[] = [];
    const results: FileResult[] = [];
    let [printed, complaints] = ['', ''];
    const watch = setTimeout(() => {
      complaints += `nothing was heard for ${FILE_MS / 60_000} minutes\n`;
      endGroup(child.pid);
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
        const file = given.shift() ?? 'no file';
        printed = whole.rest;
        passOn(`${file} (${whole.outcome.seconds.toFixed(1)} s)\n${whole.printed}`);
        const isEmpty = whole.outcome.total + whole.outcome.skipped === 0;
        results.push(isEmpty ? missingResult(file, 'it has no cases') : { ...whole.outcome, file });
      }
    });
    child.on('message', () => {
      watch.refresh();
      const file = ending.aborted ? undefined : next();
      if (file !== undefined) given.push(file);
      // A process that died meanwhile is told in vain; its end says the rest.
      child.send(file ?? '', () => {});
    });
    child.once('error', reject);
    // The pipes close when the last program that holds them has ended.
    child.once('exit', () => endGroup(child.pid));
    child.once('close', (code, signal) => {
      clearTimeout(watch);
      ending.removeEventListener('abort', end);
      passOn([...given, printed].join('\n'));
      // A process that dies takes the file along that it had begun.
      if (code !== 0 || given.length > 0) {
        const file = given[0] ?? 'after the last file';
        const what = `the process ended with ${signal ?? `code ${code}`}`;
        results.push(ending.aborted ? unrunResult(file) : missingResult(file, what));
      }
      resolve(results);
    });
  });

/** Runs files for as long as there are any. A new process goes on where one has died with a file. */
export const runShard = async (
  env: NodeJS.ProcessEnv,
  next: FileQueue,
  ending: AbortSignal,
  priority: number = constants.priority.PRIORITY_NORMAL,
): Promise<FileResult[]> => {
  const results: FileResult[] = [];
  for (let file = next(); file !== undefined && !ending.aborted; file = next()) {
    const first = [file];
    const folder = await makeTemporaryFolder();
    try {
      results.push(...(await runProcess({ ...env, TMPDIR: folder }, () => first.shift() ?? next(), ending, priority)));
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
    // A process that never asked for its first file would not do so the next time either.
    if (first.length > 0) return [...results, missingResult(file, 'its process did not start')];
  }
  return results;
};
