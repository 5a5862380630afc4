/**
 * Writes npm-shrinkwrap.json: the part of the lock file that the published package needs, so that whoever installs it gets
 * the versions that were tested. It lies in the folder only while npm packs; otherwise npm would prefer it to the lock file.
 */
import { readFile, writeFile } from 'node:fs/promises';

type Locked = { readonly dev?: boolean; readonly devDependencies?: object };
type Lock = { readonly packages: Readonly<Record<string, Locked>> };

const lock = JSON.parse(await readFile('package-lock.json', 'utf8')) as Lock;
const needed = Object.entries(lock.packages).flatMap(([path, one]) => {
  const { devDependencies: _, ...rest } = one;
  return one.dev === true ? [] : [[path, path === '' ? rest : one] as const];
});
await writeFile(
  'npm-shrinkwrap.json',
  `${JSON.stringify({ ...lock, packages: Object.fromEntries(needed) }, null, 2)}\n`,
);
