import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { machineCacheFolder } from '../../src/graph/embedded/jars.ts';
import { takeLock } from '../../src/platform/lock.ts';

/** Keeps what tests install from registries in folders of the machine, from run to run. */

const LOCK_RETRY_MS = 500;

/** The folder, or why there is none. */
export type Filled = { readonly folder: string } | { readonly missing: string };

/**
 * The folder that holds what `list` names. `fill` answers why it could not fill it, or undefined. The mark is written
 * last: without it nothing is trusted.
 */
export const fillCacheFolder = async (
  name: string,
  list: string | Buffer,
  fill: (folder: string) => Promise<string | undefined>,
): Promise<Filled> => {
  const hash = createHash('sha256').update(list).digest('hex').slice(0, 12);
  const folder = join(machineCacheFolder(process.env), `${name}-${hash}`);
  const mark = join(folder, 'whole');
  await mkdir(dirname(folder), { recursive: true });
  // Files that run at the same time need the same packages: one installs them, the others wait.
  while (!existsSync(mark)) {
    const taken = await takeLock(`${folder}.lock`);
    if ('holder' in taken) {
      await sleep(LOCK_RETRY_MS);
      continue;
    }
    try {
      if (existsSync(mark)) break;
      await rm(folder, { recursive: true, force: true });
      const missing = await fill(folder);
      if (missing) return { missing };
      await writeFile(mark, '');
    } finally {
      await taken.lock.release();
    }
  }
  return { folder };
};
