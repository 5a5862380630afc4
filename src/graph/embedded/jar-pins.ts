import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { StartupError } from '../../errors.ts';
import { mapConcurrently } from '../map-concurrently.ts';

/** The jars that the embedded server consists of, and their checksums. They are checked at every start. */

/** One jar: its file, where it comes from, and its SHA-256. */
export type JarPin = {
  readonly file: string;
  readonly group: string;
  readonly artifact: string;
  readonly version: string;
  readonly classifier?: string;
  readonly sha256: string;
};

/** The file beside a pom that pins what Maven brings for it; written by `npm run pin:jars`. */
export const jarPinsPath = (pom: string): string => join(dirname(pom), 'jars.json');

export const readJarPins = async (pom: string): Promise<readonly JarPin[]> =>
  JSON.parse(await readFile(jarPinsPath(pom), 'utf8')) as JarPin[];

export const sha256OfFile = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
};

/** Reading and hashing overlap; more at once would only wait for each other. */
const MAX_CONCURRENT_HASHES = 4;

const refetchAdvice = (folder: string): string =>
  `Remove ${folder} to have it fetched again; if it happens again, somebody or something changes what Maven brings.`;

/**
 * Throws a StartupError naming the first jar that is not the pinned one, is missing, or is not known: Java would load
 * whatever lies in the folder.
 */
export const checkJars = async (folder: string, pins: readonly JarPin[]): Promise<void> => {
  const present = new Set(await readdir(folder));
  const wanted = new Set(pins.map(({ file }) => file));
  const missing = pins.find(({ file }) => !present.has(file));
  if (missing)
    throw new StartupError(`The jar ${missing.file} of the embedded Neo4j is missing. ${refetchAdvice(folder)}`);
  const stranger = [...present].sort().find((file) => !wanted.has(file));
  if (stranger !== undefined) {
    throw new StartupError(`${stranger} is no jar of the embedded Neo4j and lies among them. ${refetchAdvice(folder)}`);
  }
  const sums = await mapConcurrently(pins, MAX_CONCURRENT_HASHES, ({ file }) => sha256OfFile(join(folder, file)));
  const changed = pins.find(({ sha256 }, at) => sums[at] !== sha256);
  if (changed) {
    throw new StartupError(
      `The jar ${changed.file} of the embedded Neo4j has another checksum. ${refetchAdvice(folder)}`,
    );
  }
};
