import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { machineCacheFolder } from '../../src/graph/embedded/jars.ts';

const run = promisify(execFile);

const HERE = dirname(fileURLToPath(import.meta.url));
const REQUIREMENTS = join(HERE, 'requirements.txt');
const MAX_OUTPUT = 64 * 1024 * 1024;

/** A registry that answers no faster is as good as none. */
const INSTALL_WITHIN_MS = 300_000;

export type Provided = { readonly python: string } | { readonly missing: string };

const said = (failure: unknown): string => {
  const { stderr, message } = failure as { stderr?: string; message?: string };
  return stderr || message || String(failure);
};

/** Why the Python of this machine cannot run the SDK, or undefined. */
const refusal = async (): Promise<string | undefined> => {
  const version = 'import sys, venv, ensurepip; print("%d.%d" % sys.version_info[:2])';
  try {
    const { stdout } = await run('python3', ['-c', version]);
    const [major = 0, minor = 0] = stdout.trim().split('.').map(Number);
    return major === 3 && minor >= 10 ? undefined : `Python ${stdout.trim()} is older than 3.10`;
  } catch (failure) {
    return `Python 3.10 with venv and pip is missing: ${said(failure).trim().split('\n').at(-1)}`;
  }
};

/** A virtual environment with the SDK, kept from run to run. The mark is written last: without it nothing is trusted. */
export const providePython = async (): Promise<Provided> => {
  const missing = await refusal();
  if (missing) return { missing };
  const hash = createHash('sha256')
    .update(await readFile(REQUIREMENTS))
    .digest('hex')
    .slice(0, 12);
  const folder = join(machineCacheFolder(process.env), `openmetadata-sdk-${hash}`);
  const python = join(folder, 'bin', 'python');
  const mark = join(folder, 'whole');
  if (existsSync(mark)) return { python };
  await rm(folder, { recursive: true, force: true });
  await mkdir(dirname(folder), { recursive: true });
  const install = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--requirement', REQUIREMENTS];
  try {
    await run('python3', ['-m', 'venv', folder]);
    await run(python, install, { maxBuffer: MAX_OUTPUT, timeout: INSTALL_WITHIN_MS });
  } catch (failure) {
    return { missing: `pip could not install the SDK: ${said(failure).trim().slice(-300)}` };
  }
  await writeFile(mark, '');
  return { python };
};

/** How a program ended, and what it printed to either stream. */
export type Run = { readonly code: number; readonly output: string };

/** Runs a module of the environment, as `metadata` or `dbt` are; a failure is an answer like any other. */
export const runModule = async (python: string, module: string, args: readonly string[]): Promise<Run> => {
  const options = { maxBuffer: MAX_OUTPUT, timeout: 240_000 };
  try {
    const { stdout, stderr } = await run(python, ['-W', 'ignore', '-m', module, ...args], options);
    return { code: 0, output: stdout + stderr };
  } catch (failure) {
    const { code, stdout = '', stderr = '' } = failure as { code?: unknown; stdout?: string; stderr?: string };
    return { code: typeof code === 'number' ? code : 1, output: stdout + stderr || String(failure) };
  }
};

/** Runs a script beside this file; answers what it printed. */
export const runScript = async (python: string, script: string, args: readonly string[]): Promise<string> => {
  const options = { maxBuffer: MAX_OUTPUT, timeout: 240_000 };
  return (await run(python, ['-W', 'ignore', join(HERE, script), ...args], options)).stdout;
};
