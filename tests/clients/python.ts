import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PATIENCE_MS } from '../support/patience.ts';
import { fillCacheFolder } from './cache-folder.ts';

/**
 * Runs Python programs that others publish. The tests of this folder run them against the service:
 *
 * 1. `openmetadata-sdk.test.ts` runs OpenMetadata's SDK with the script `openmetadata_sdk.py`.
 * 2. `openmetadata-framework.test.ts` runs its ingestion framework, by `ingestion-framework.ts`, with a SQLite database
 *    that `make_shop.py` makes.
 * 3. `openmetadata-postgres.test.ts` does so with the server of `postgres-server.ts` and the database of
 *    `postgres-shop.sql`.
 * 4. `openmetadata-dbt.test.ts` does so with the dbt project in `dbt-shop`.
 * 5. `openlineage-emitters.test.ts` runs OpenLineage's client with the script `openlineage_events.py`, and its wrapper of
 *    dbt with the same project.
 * 6. `datacontract-cli.test.ts` runs the program of `datacontract-cli.ts` with the contracts and files of
 *    `data-contracts.ts`, the same project, and the server of `postgres-server.ts`.
 *
 * The requirements pin what each of them needs.
 */

const run = promisify(execFile);

const HERE = dirname(fileURLToPath(import.meta.url));
const MAX_OUTPUT = 64 * 1024 * 1024;

/** A registry that answers no faster is as good as none. */
const INSTALL_WITHIN_MS = 3 * PATIENCE_MS;
/** Programs of others start slowly. */
const RUN_WITHIN_MS = 2 * PATIENCE_MS;

/** The folder of a virtual environment and its interpreter, or why there is none. */
export type Provided = { readonly folder: string; readonly python: string } | { readonly missing: string };

const messageOf = (failure: unknown): string => {
  const { stderr, message } = failure as { stderr?: string; message?: string };
  return stderr || message || String(failure);
};

/** Why the Python of this machine cannot run the packages, or undefined. */
const findObstacle = async (): Promise<string | undefined> => {
  const version = 'import sys, venv, ensurepip; print("%d.%d" % sys.version_info[:2])';
  try {
    const { stdout } = await run('python3', ['-c', version]);
    const [major = 0, minor = 0] = stdout.trim().split('.').map(Number);
    return major === 3 && minor >= 10 ? undefined : `Python ${stdout.trim()} is older than 3.10`;
  } catch (failure) {
    return `Python 3.10 with venv and pip is missing: ${messageOf(failure).trim().split('\n').at(-1)}`;
  }
};

/** Why pip could not fill the folder, or undefined. */
const install = async (folder: string, list: string): Promise<string | undefined> => {
  try {
    await run('python3', ['-m', 'venv', folder]);
    const args = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--requirement', list];
    await run(join(folder, 'bin', 'python'), args, { maxBuffer: MAX_OUTPUT, timeout: INSTALL_WITHIN_MS });
  } catch (failure) {
    return `pip could not install ${list.split('/').at(-1)}: ${messageOf(failure).trim().slice(-300)}`;
  }
  return undefined;
};

/** A virtual environment with the packages of a list beside this file, kept from run to run. */
export const providePython = async (name: string, requirements: string): Promise<Provided> => {
  const missing = await findObstacle();
  if (missing) return { missing };
  const list = join(HERE, requirements);
  const filled = await fillCacheFolder(name, await readFile(list), (folder) => install(folder, list));
  return 'missing' in filled ? filled : { ...filled, python: join(filled.folder, 'bin', 'python') };
};

/** How a program ended, and what it printed to either stream. */
export type Run = { readonly code: number; readonly output: string };

type RunOptions = { readonly cwd?: string | undefined; readonly env?: NodeJS.ProcessEnv };

const runToEnd = async (file: string, args: readonly string[], options: RunOptions): Promise<Run> => {
  try {
    const { stdout, stderr } = await run(file, args, { maxBuffer: MAX_OUTPUT, timeout: RUN_WITHIN_MS, ...options });
    return { code: 0, output: stdout + stderr };
  } catch (failure) {
    const { code, stdout = '', stderr = '' } = failure as { code?: unknown; stdout?: string; stderr?: string };
    return { code: typeof code === 'number' ? code : 1, output: stdout + stderr || String(failure) };
  }
};

/** Runs a module of the environment, as `metadata` or `dbt` are; a failure is an answer like any other. */
export const runModule = (python: string, module: string, args: readonly string[], cwd?: string): Promise<Run> =>
  runToEnd(python, ['-W', 'ignore', '-m', module, ...args], { cwd });

/** Runs a program of the environment that itself runs others of it. */
export const runProgram = (
  folder: string,
  program: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<Run> => {
  const programs = join(folder, 'bin');
  const path = `${programs}:${process.env['PATH'] ?? ''}`;
  return runToEnd(join(programs, program), args, { cwd, env: { ...process.env, ...env, PATH: path } });
};

/** Runs a script beside this file; answers what it printed. */
export const runScript = async (python: string, script: string, args: readonly string[]): Promise<string> => {
  const options = { maxBuffer: MAX_OUTPUT, timeout: RUN_WITHIN_MS };
  return (await run(python, ['-W', 'ignore', join(HERE, script), ...args], options)).stdout;
};
