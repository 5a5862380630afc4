import { readdirSync, readFileSync, statSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readOrCreateKeyFile, replaceSecretFile } from './key-file.ts';

/**
 * A key ring stores the versions of a key as files in one folder: `signing.pem` is the first, `signing-2.pem` the next,
 * and the highest number is the current one. A retired key leaves its fingerprint in `signing.retired`, so that
 * processes on one store still recognise each other.
 */
export type KeyRingFiles = { readonly folder: string; readonly name: string; readonly ending: string };

/** The key ring that signs tokens, when this program created the keys. */
export const signingKeyFiles = (home: string): KeyRingFiles => ({
  folder: join(home, 'keys'),
  name: 'signing',
  ending: 'pem',
});
export const sealingKeyFiles = (home: string): KeyRingFiles => ({
  folder: join(home, 'keys'),
  name: 'secrets',
  ending: 'key',
});

const MAX_VERSIONS = 100;

const isMissing = (failure: unknown): boolean => (failure as { code?: string }).code === 'ENOENT';

/** The version number in a file name, or undefined when the file is not part of the ring. */
const versionOf = ({ name, ending }: KeyRingFiles, file: string): number | undefined => {
  if (file === `${name}.${ending}`) return 1;
  const [, digits] = new RegExp(`^${name}-([1-9]\\d{0,5})\\.${ending}$`).exec(file) ?? [];
  return digits === undefined || Number(digits) < 2 ? undefined : Number(digits);
};

const keyPathOf = ({ folder, name, ending }: KeyRingFiles, version: number): string =>
  join(folder, version === 1 ? `${name}.${ending}` : `${name}-${version}.${ending}`);

const retiredPathOf = ({ folder, name }: KeyRingFiles): string => join(folder, `${name}.retired`);

/** The existing version numbers, newest first. */
const listKeyVersions = (files: KeyRingFiles): readonly number[] => {
  try {
    return readdirSync(files.folder)
      .flatMap((file) => versionOf(files, file) ?? [])
      .sort((one, other) => other - one)
      .slice(0, MAX_VERSIONS);
  } catch (failure) {
    if (isMissing(failure)) return [];
    throw failure;
  }
};

/** The paths of all versions, newest first. Creates the first version when there is none. */
export const ensureKeyPaths = async (
  files: KeyRingFiles,
  make: () => Promise<string> | string,
): Promise<readonly string[]> => {
  if (listKeyVersions(files).length === 0) await readOrCreateKeyFile(keyPathOf(files, 1), make);
  return listKeyPaths(files);
};

/** The paths of all existing versions, newest first. */
export const listKeyPaths = (files: KeyRingFiles): readonly string[] =>
  listKeyVersions(files).map((version) => keyPathOf(files, version));

/** A text that changes whenever one of the files changes. */
export const fileStampOf = (paths: readonly string[]): string =>
  paths
    .map((path) => {
      const { mtimeMs, size } = statSync(path);
      return `${path} ${mtimeMs} ${size}`;
    })
    .join('\n');

/** Adds a version, which becomes the current one, and returns its path. */
export const addKeyVersion = async (files: KeyRingFiles, make: () => Promise<string> | string): Promise<string> => {
  const newest = listKeyVersions(files)[0] ?? 0;
  const path = keyPathOf(files, newest + 1);
  await readOrCreateKeyFile(path, make);
  return path;
};

/** The fingerprints of retired keys, newest first. */
export const retiredFingerprints = (files: KeyRingFiles): readonly string[] => {
  try {
    return readFileSync(retiredPathOf(files), 'utf8').split('\n').filter(Boolean);
  } catch (failure) {
    if (isMissing(failure)) return [];
    throw failure;
  }
};

/**
 * Removes every version except the current one. It stores their fingerprints first, so that none is lost if the process
 * dies in between.
 */
export const retireFormerKeys = async (
  files: KeyRingFiles,
  fingerprintOf: (path: string) => Promise<string>,
): Promise<void> => {
  const [, ...former] = listKeyPaths(files);
  const fingerprints = await Promise.all(former.map(fingerprintOf));
  const known = [...new Set([...fingerprints, ...retiredFingerprints(files)])];
  await replaceSecretFile(retiredPathOf(files), known.map((fingerprint) => `${fingerprint}\n`).join(''));
  for (const path of former) await rm(path, { force: true });
};

/** Every key file of this installation. A backup is useless without them. */
export const listKeyFiles = async (home: string): Promise<readonly string[]> => {
  const rings = [signingKeyFiles(home), sealingKeyFiles(home)];
  const folder = join(home, 'keys');
  const found = await readdir(folder).catch((failure: unknown) => {
    if (isMissing(failure)) return [];
    throw failure;
  });
  return found
    .filter((file) => rings.some((ring) => versionOf(ring, file) !== undefined || file === `${ring.name}.retired`))
    .sort()
    .map((file) => join(folder, file));
};
