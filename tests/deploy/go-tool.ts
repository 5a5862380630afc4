import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fillCacheFolder } from '../clients/cache-folder.ts';

/** Builds programs that are written in Go, from the Go proxy, and keeps them from run to run. */

const run = promisify(execFile);

/**
 * How long all builds of a process may take together: a run ends a file of which it has heard nothing for 15 minutes. Helm
 * takes about two minutes on two free cores; the compiler goes on where it was stopped.
 */
const BUILT_WITHIN_MS = 700_000;

/** When the builds of this process must be done, on the clock of `performance`; it starts with the first build. */
let deadlineMs = Number.POSITIVE_INFINITY;

const remainingMs = (): number => {
  deadlineMs = Math.min(deadlineMs, performance.now() + BUILT_WITHIN_MS);
  // Zero would mean no limit.
  return Math.max(1, Math.floor(deadlineMs - performance.now()));
};

type GoTool = {
  readonly name: string;
  /** The package, with its whole version. */
  readonly from: string;
};

/** The program, or why there is none. */
export const provideGoTool = async ({
  name,
  from,
}: GoTool): Promise<{ readonly program: string } | { readonly missing: string }> => {
  const filled = await fillCacheFolder(name, from, async (folder) => {
    const env = { ...process.env, GOBIN: folder, CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false' };
    try {
      await run('go', ['install', from], { env, timeout: remainingMs(), maxBuffer: 16 * 1024 * 1024 });
      await run(join(folder, name), ['--help'], { maxBuffer: 16 * 1024 * 1024 });
      return undefined;
    } catch (failure) {
      const text = failure instanceof Error ? failure.message : String(failure);
      return `${name} could not be built by Go: ${text.trim().split('\n').at(-1)}`;
    }
  });
  return 'missing' in filled ? filled : { program: join(filled.folder, name) };
};
