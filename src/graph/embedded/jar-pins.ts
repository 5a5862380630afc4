import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { StartupError } from '../../errors.ts';
import { mapConcurrently } from '../map-concurrently.ts';

/** The jars of the embedded server and their checksums, which are verified at every start. */

/** One jar: its file, its source, and its SHA-256. */
export type JarPin = {
  readonly file: string;
  readonly group: string;
  readonly artifact: string;
  readonly version: string;
  readonly classifier?: string;
  readonly sha256: string;
};

/** The file beside a pom that pins the files Maven downloads for it. `npm run pin:jars` writes it. */
export const jarPinsPath = (pom: string): string => join(dirname(pom), 'jars.json');

export const readJarPins = async (pom: string): Promise<readonly JarPin[]> =>
  JSON.parse(await readFile(jarPinsPath(pom), 'utf8')) as JarPin[];

export const sha256OfFile = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
};

/** Reading and hashing overlap. More files at once would only compete. */
const MAX_CONCURRENT_HASHES = 4;

const refetchAdvice = (folder: string): string =>
  `Remove ${folder} to have it fetched again; if it happens again, somebody or something changes what Maven brings.`;

/**
 * Throws a StartupError that names the first jar that is missing, unknown or not the pinned one: Java would load any
 * jar in the folder.
 */
export const checkJars = async (folder: string, pins: readonly JarPin[]): Promise<void> => {
  const present = new Set(await readdir(folder));
  const wanted = new Set(pins.map(({ file }) => file));
  const missing = pins.find(({ file }) => !present.has(file));
  if (missing)
    throw new StartupError(`The jar ${missing.file} of the embedded Neo4j is missing. ${refetchAdvice(folder)}`);
  const unpinned = [...present].sort().find((file) => !wanted.has(file));
  if (unpinned !== undefined) {
    throw new StartupError(
      `${unpinned} is not a jar of the embedded Neo4j, but is in its folder. ${refetchAdvice(folder)}`,
    );
  }
  const sums = await mapConcurrently(pins, MAX_CONCURRENT_HASHES, ({ file }) => sha256OfFile(join(folder, file)));
  const changed = pins.find(({ sha256 }, at) => sums[at] !== sha256);
  if (changed) {
    throw new StartupError(
      `The jar ${changed.file} of the embedded Neo4j has another checksum. ${refetchAdvice(folder)}`,
    );
  }
};
