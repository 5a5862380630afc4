import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PATIENCE_MS } from '../support/patience.ts';
import { type Filled, fillCacheFolder } from './cache-folder.ts';

/**
 * Runs programs for Node that others publish and that the project itself does not need. `api-document.test.ts` runs them
 * on the API document, `mcp-inspector.test.ts` on the endpoint for assistants.
 */

const run = promisify(execFile);

const MAX_OUTPUT = 64 * 1024 * 1024;
/** Programs of others start slowly, and what they install comes from a registry. */
const INSTALL_WITHIN_MS = 3 * PATIENCE_MS;
const RUN_WITHIN_MS = 2 * PATIENCE_MS;

type Packages = Readonly<Record<string, string>>;

/** A folder with these packages in exactly these versions, kept from run to run. */
export const provideNodePackages = (name: string, packages: Packages): Promise<Filled> => {
  const manifest = JSON.stringify({ private: true, type: 'module', dependencies: packages });
  return fillCacheFolder(name, manifest, async (folder) => {
    await mkdir(folder);
    await writeFile(join(folder, 'package.json'), manifest);
    try {
      const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
      await run('npm', args, { cwd: folder, timeout: INSTALL_WITHIN_MS });
      return undefined;
    } catch (failure) {
      return `npm could not install ${Object.keys(packages).join(', ')}: ${String(failure).slice(0, 300)}`;
    }
  });
};

/** How a program ended, and what it printed. */
export type NodeRun = { readonly code: number; readonly output: string; readonly errors: string };

/** Runs a program of the folder; a failure is an answer like any other. */
export const runNodeProgram = async (
  folder: string,
  program: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<NodeRun> => {
  const file = join(folder, 'node_modules', '.bin', program);
  const options = { cwd, env: { ...process.env, ...env }, maxBuffer: MAX_OUTPUT, timeout: RUN_WITHIN_MS };
  try {
    const { stdout, stderr } = await run(file, args, options);
    return { code: 0, output: stdout, errors: stderr };
  } catch (failure) {
    const { code, stdout = '', stderr = '' } = failure as { code?: unknown; stdout?: string; stderr?: string };
    return { code: typeof code === 'number' ? code : 1, output: stdout, errors: stderr || String(failure) };
  }
};
