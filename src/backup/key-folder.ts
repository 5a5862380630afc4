import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { replaceSecretFile } from '../access/key-file.ts';
import { StartupError } from '../errors.ts';

/** One file in the folder of keys, of any kind. The name is a path below the folder, with slashes. */
export type KeyFile = { readonly name: string; readonly content: Buffer };

const keyFolderOf = (home: string): string => join(home, 'keys');

/** Whether a file is still being written. Such names end with a random id. */
const isDraft = (name: string): boolean => /\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name);

/** All keys of a home, by name; none when the folder does not exist. */
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

/**
 * Throws when the home has keys other than the given ones. Replacing them would lose them, and they may have sealed
 * stored values.
 */
export const refuseOtherKeys = async (home: string, given: readonly KeyFile[]): Promise<void> => {
  for (const { name, content } of await readKeyFolder(home)) {
    if (given.find((key) => key.name === name)?.content.equals(content)) continue;
    throw new StartupError(
      `${keyFolderOf(home)} holds other keys than the backup. Set TRIBUTARY_HOME to an empty folder, or move these keys away.`,
    );
  }
};

/** Whether a name from an archive is safe as a path: every part must be a plain file name. */
const isPlainFileName = (name: string): boolean =>
  name.split('/').every((part) => /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(part));

export const checkKeyName = (name: string): void => {
  if (!isPlainFileName(name))
    throw new StartupError(`The backup holds a key with the name "${name}", which is not a file name.`);
};

/** Writes keys with mode 0600 into folders with mode 0700. Each file appears complete or not at all. */
export const writeKeyFolder = async (home: string, keys: readonly KeyFile[]): Promise<void> => {
  for (const { name, content } of keys) {
    checkKeyName(name);
    const path = join(keyFolderOf(home), name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await replaceSecretFile(path, content);
  }
};
