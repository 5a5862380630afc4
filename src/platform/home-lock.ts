import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '../errors.ts';
import { type Lock, takeLock } from './lock.ts';

/** Reserves TRIBUTARY_HOME for one process. */

/** The lock of TRIBUTARY_HOME. `note` stores the address of the service for other processes to report. */
export type HomeLock = Lock;

/**
 * Creates the folder if needed and locks it until `release`, or until the process ends in any way. Throws a
 * StartupError that names the process holding it.
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
