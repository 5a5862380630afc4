import { statfs } from 'node:fs/promises';
import { StartupError } from '../../errors.ts';

/** Below this, the server can neither recover its store nor write for long. */
export const MIN_FREE_BYTES = 32 * 2 ** 20;

/** Answers how many bytes can still be written to the file system of a folder. */
export const readFreeBytes = async (folder: string): Promise<number> => {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
};

export const formatMegabytes = (bytes: number): string => `${Math.floor(bytes / 2 ** 20)} MB`;

/** Replaces the failure of a start by a clear message when the cause is a full disk. */
export const explainFullDisk = (failure: unknown, folder: string): unknown =>
  ['ENOSPC', 'EDQUOT'].includes((failure as NodeJS.ErrnoException | undefined)?.code ?? '')
    ? new StartupError(`There is no room left on the disk of ${folder}. Make room, then start again.`, {
        cause: failure,
      })
    : failure;
