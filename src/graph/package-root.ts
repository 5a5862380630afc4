import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Finds the root folder of the package. */

/** Finds the folder that holds package.json. Source and compiled files are at different depths below it. */
const findPackageRoot = (from: string): string => {
  if (existsSync(join(from, 'package.json'))) return from;
  const parent = dirname(from);
  if (parent === from) throw new Error('package.json was not found above the program');
  return findPackageRoot(parent);
};

export const packageRoot = findPackageRoot(dirname(fileURLToPath(import.meta.url)));
