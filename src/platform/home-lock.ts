import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '../errors.ts';
import { type Lock, takeLock } from './lock.ts';

/** TRIBUTARY_HOME while this process has it for itself. `note` tells others the address to look for. */
export type HomeLock = Lock;

/**
 * Creates the folder if need be and holds it until `release`, or until the process ends in any way. Throws a
 * StartupError naming the process that holds it already.
 */
export const lockHome = async (home: string): Promise<HomeLock> => {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const path = join(home, 'lock');
  const taken = await takeLock(path);
  if ('lock' in taken) return taken.lock;
  const { pid, place, note } = taken.holder;
  const where = note ? ` at ${note}` : '';
  throw new StartupError(
    `TRIBUTARY_HOME ${home} is in use by process ${pid}${where} (host ${place.split(' ')[0]}). ` +
      'Stop that process, or set TRIBUTARY_HOME to another folder.',
  );
};
