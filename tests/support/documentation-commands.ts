import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PATIENCE_MS } from './patience.ts';
import { TRIBUTARY } from './program.ts';

/** Runs the shell blocks of the documentation as a reader does, in a folder of the test. */

/** A block may start a service and load the sample company. */
const BLOCK_MS = 3 * PATIENCE_MS;

/** The environment of a reader's shell, without what the test command set. */
export const readerEnvironment = (): NodeJS.ProcessEnv => {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|NEO4J_|TRIBUTARY_)/i.test(name));
  return { ...Object.fromEntries(inherited), NO_PROXY: '127.0.0.1', NEO4J_HEAP: '512m' };
};

export type Ended = { readonly code: number; readonly output: string; readonly errors: string };

export const runBlock = (
  code: string,
  { folder, env }: { readonly folder: string; readonly env: NodeJS.ProcessEnv },
): Promise<Ended> =>
  new Promise((resolve) => {
    const options = { cwd: folder, env, timeout: BLOCK_MS, maxBuffer: 2 ** 26 };
    execFile('bash', ['-e', '-o', 'pipefail', '-c', code], options, (failure, output, errors) => {
      resolve({ code: failure === null ? 0 : Number(failure.code ?? -1), output, errors });
    });
  });

/** Whether everything that `shown` has is in `actual`; elements of lists in their order, with others between them. */
export const includes = (actual: unknown, shown: unknown): boolean => {
  if (Array.isArray(shown)) {
    if (!Array.isArray(actual)) return false;
    let from = 0;
    return shown.every((item) => {
      const at = actual.findIndex((candidate, index) => index >= from && includes(candidate, item));
      from = at + 1;
      return at >= 0;
    });
  }
  if (typeof shown !== 'object' || shown === null) return actual === shown;
  if (typeof actual !== 'object' || actual === null) return false;
  return Object.entries(shown).every(([name, value]) => includes((actual as Record<string, unknown>)[name], value));
};

/** What `npx tributary` runs in the folder: the program of this repository. */
export const installProgram = async (folder: string): Promise<void> => {
  const program = join(folder, 'node_modules', '.bin', 'tributary');
  await mkdir(join(folder, 'node_modules', '.bin'), { recursive: true });
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${TRIBUTARY}' "$@"\n`);
  await chmod(program, 0o755);
};
