import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder that holds package.json: sources and compiled files lie at different depths below it. */
const findPackageRoot = (from: string): string => {
  if (existsSync(join(from, 'package.json'))) return from;
  const parent = dirname(from);
  if (parent === from) throw new Error('package.json was not found above the program');
  return findPackageRoot(parent);
};

export const packageRoot = findPackageRoot(dirname(fileURLToPath(import.meta.url)));
