import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { machineCacheFolder } from '../../src/graph/embedded/jars.ts';
import { PATIENCE_MS } from '../support/patience.ts';

/** Finds `promtool`: the one on the PATH, or that of Debian's package, which is kept from run to run. */

const run = promisify(execFile);

const FETCH_WITHIN_MS = PATIENCE_MS;

const canRun = (program: string): Promise<boolean> =>
  run(program, ['--version']).then(
    () => true,
    () => false,
  );

const fetchInto = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  const work = await mkdtemp(join(folder, 'fetch-'));
  try {
    await run('apt-get', ['download', 'prometheus'], { cwd: work, timeout: FETCH_WITHIN_MS });
    const [archive = ''] = await readdir(work);
    await run('dpkg-deb', ['-x', archive, 'files'], { cwd: work, timeout: FETCH_WITHIN_MS });
    await rename(join(work, 'files', 'usr', 'bin', 'promtool'), join(folder, 'promtool'));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
};

/** The program, or why there is none. */
export const providePromtool = async (): Promise<{ readonly program: string } | { readonly missing: string }> => {
  if (await canRun('promtool')) return { program: 'promtool' };
  const folder = join(machineCacheFolder(process.env), 'promtool');
  const program = join(folder, 'promtool');
  if (existsSync(program) && (await canRun(program))) return { program };
  try {
    await fetchInto(folder);
    if (await canRun(program)) return { program };
    return { missing: 'the promtool of the package prometheus does not run here' };
  } catch (failure) {
    const [first = ''] = (failure instanceof Error ? failure.message : String(failure)).split('\n');
    return { missing: `promtool is not on the PATH and could not be fetched: ${first}` };
  }
};

/** How a call of promtool ended, and what it printed to either stream. */
export const callPromtool = (program: string, args: readonly string[], input = ''): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = execFile(program, [...args], (failure, stdout, stderr) => {
      if (failure) reject(new Error(`promtool ${args.join(' ')}: ${stdout}${stderr}`));
      else resolve(stdout + stderr);
    });
    child.stdin?.end(input);
  });
