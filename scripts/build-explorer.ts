/**
 * Builds the explorer unless it is there and nothing that it is made of has changed: its sources, the versions of its
 * packages, and this program. What it was built from stands beside the packages, so a new installation builds anew.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const SOURCES = join(ROOT, 'src', 'explorer');
const PAGE = join(ROOT, 'dist', 'explorer', 'index.html');
const STAMP = join(ROOT, 'node_modules', '.cache', 'tributary', 'explorer.sha256');

const listSources = async (): Promise<readonly string[]> => {
  const entries = await readdir(SOURCES, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return [...files.sort(), join(ROOT, 'package-lock.json'), fileURLToPath(import.meta.url)];
};

const hashSources = async (): Promise<string> => {
  const hash = createHash('sha256');
  for (const file of await listSources()) hash.update(`${file.slice(ROOT.length)}\0`).update(await readFile(file));
  return hash.digest('hex');
};

const wanted = await hashSources();
const built = await readFile(STAMP, 'utf8').catch(() => '');
if (built !== wanted || !existsSync(PAGE)) {
  // A build that fails half-way must not count as the last one.
  await rm(STAMP, { force: true });
  await build({ configFile: join(SOURCES, 'vite.config.ts'), logLevel: 'warn' });
  await mkdir(dirname(STAMP), { recursive: true });
  await writeFile(STAMP, wanted);
}
