import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { replaceSecretFile } from '../access/key-file.ts';
import { StartupError } from '../errors.ts';

/** One file of the folder of keys, whatever keys the service keeps there. The name is a path below it, with slashes. */
export type KeyFile = { readonly name: string; readonly content: Buffer };

const keyFolderOf = (home: string): string => join(home, 'keys');

/** Files that are being written end with a random id; they are no keys yet. */
const isDraft = (name: string): boolean => /\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name);

/** All keys of a home, by name; none when there is no such folder. */
export const readKeyFolder = async (home: string): Promise<KeyFile[]> => {
  const folder = keyFolderOf(home);
  const found = await readdir(folder, { withFileTypes: true, recursive: true }).catch(
    (failure: NodeJS.ErrnoException) => {
      if (failure.code === 'ENOENT') return [];
      throw failure;
    },
  );
  const paths = found
    .filter((entry) => entry.isFile() && !isDraft(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(
    paths.sort().map(async (path) => ({
      name: relative(folder, path).split(sep).join('/'),
      content: await readFile(path),
    })),
  );
};

/** Throws when the home has other keys than those given: they would be lost, and something may be sealed with them. */
export const refuseOtherKeys = async (home: string, given: readonly KeyFile[]): Promise<void> => {
  for (const { name, content } of await readKeyFolder(home)) {
    if (given.find((key) => key.name === name)?.content.equals(content)) continue;
    throw new StartupError(
      `${keyFolderOf(home)} holds other keys than the backup. Set TRIBUTARY_HOME to an empty folder, or move these keys away.`,
    );
  }
};

/** A name from an archive becomes a path only when every part of it is a plain file name. */
const isPlainFileName = (name: string): boolean =>
  name.split('/').every((part) => /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(part));

export const checkKeyName = (name: string): void => {
  if (!isPlainFileName(name))
    throw new StartupError(`The backup holds a key with the name "${name}", which is no file name.`);
};

/** Writes keys of mode 0600 into folders of mode 0700, each whole or not at all. */
export const writeKeyFolder = async (home: string, keys: readonly KeyFile[]): Promise<void> => {
  for (const { name, content } of keys) {
    checkKeyName(name);
    const path = join(keyFolderOf(home), name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await replaceSecretFile(path, content);
  }
};
