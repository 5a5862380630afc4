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

/** A link fails when somebody else was first; where the file system knows no links, the last one to rename wins. */
const publish = async (draft: string, path: string): Promise<void> => {
  try {
    await link(draft, path);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) await rename(draft, path);
  }
};

/**
 * The text of a key file, made on first use with mode 0600 in a folder of mode 0700. The file appears whole or not at
 * all, and of several processes that start at once all read the same one.
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
 * Puts a file of mode 0600 where perhaps another one is, whose mode somebody may have changed: the content is never in a
 * file that others may read, and a reader finds the old one or the new one, whole.
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
