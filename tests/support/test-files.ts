import { readdir, readFile } from 'node:fs/promises';
import { posix } from 'node:path';

/**
 * The test files below `tests`, and what their names and imports tell: the tier that runs them, and whether they need a
 * database or a process.
 */

/** `gate` is what `npm test` runs; `heavy` starts databases and programs of its own; `all` is both. */
export type Tier = 'gate' | 'heavy' | 'all';

const isHeavy = (file: string): boolean => file.endsWith('.heavy.test.ts');

const isOfTier = (file: string, tier: Tier): boolean => tier === 'all' || isHeavy(file) === (tier === 'heavy');

/** Lists the files of a tier below a folder whose paths match, in the order of their paths. */
export const listTestFiles = async (folder: string, tier: Tier, pattern: RegExp): Promise<string[]> => {
  const files = await readdir(folder, { recursive: true });
  return files.filter((file) => file.endsWith('.test.ts') && isOfTier(file, tier) && pattern.test(file)).sort();
};

/** Imports by which a test reaches a database, a browser or another process. */
const OUTSIDE = new RegExp(
  [
    'node:child_process',
    'node:worker_threads',
    'playwright-core',
    'neo4j-driver',
    '/support/service\\.ts',
    '/src/graph/(client|embedded/)',
  ]
    .map((name) => `'[^']*${name}`)
    .join('|'),
);

const IMPORT = /^(?:import|export)\s(?!type\s)[^;]*?from\s+('[^']+')|^import\s+('[^']+')|\bimport\(('[^']+')\)/gm;

const importsOf = (text: string): string[] =>
  [...text.matchAll(IMPORT)].map(([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? '');

/**
 * Tells whether a test file needs neither a database nor a process: the same code then gives the same verdict each time.
 * It follows the imports among the tests; what the service imports is judged by the name of its room.
 */
export const isPureFile = async (folder: string, file: string): Promise<boolean> => {
  const [seen, left] = [new Set<string>(), [posix.join(folder, file)]];
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const imports = importsOf(await readFile(path, 'utf8')).map((name) => name.slice(1, -1));
    const resolved = imports.map((name) => (name.startsWith('.') ? posix.join(posix.dirname(path), name) : name));
    if (resolved.some((name) => OUTSIDE.test(`'/${name}`))) return false;
    left.push(...resolved.filter((name) => name.startsWith(`${posix.normalize(folder)}/`) && name.endsWith('.ts')));
  }
  return true;
};
