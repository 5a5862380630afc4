import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

const readIfPresent = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
};

const writeDurably = async (path: string, content: string | Uint8Array): Promise<void> => {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
};

/**
 * Publishes the draft without replacing an existing file: a hard link fails when another process was first. Where the
 * file system has no hard links, the last rename wins.
 */
const publish = async (draft: string, path: string): Promise<void> => {
  try {
    await link(draft, path);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) await rename(draft, path);
  }
};

/**
 * Reads a key file, and creates it on first use with mode 0600 in a folder of mode 0700. The file appears complete or
 * not at all, and processes that start at the same time all read the same one.
 */
export const readOrCreateKeyFile = async (path: string, make: () => Promise<string> | string): Promise<string> => {
  const present = await readIfPresent(path);
  if (present !== undefined) return present;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeDurably(draft, await make());
    await publish(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
  return readFile(path, 'utf8');
};

/**
 * Writes a file with mode 0600, replacing one that may have another mode. The content is never in a file that other
 * users can read, and readers find either the old file or the new one, complete.
 */
export const replaceSecretFile = async (path: string, content: string | Uint8Array): Promise<void> => {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeDurably(draft, content);
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
};
