import { appendFile, readFile, rename, writeFile } from 'node:fs/promises';
import { StartupError } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import { type CatalogAnswer, objectOf } from '../catalog-client.ts';

/**
 * Keeps how far an import is in a file of lines, so that the next run goes on where this one stopped. The first line
 * says what is imported into what; each further line is a step that was done. A line that a crash cut off does not count.
 */

export type Journal = {
  /** The steps of the runs before. */
  readonly steps: readonly CatalogAnswer[];
  append(step: JsonObject): Promise<void>;
  /** Keeps these steps instead of all that were done. */
  replace(steps: readonly JsonObject[]): Promise<void>;
};

/** What is imported into what. */
export type JournalHeader = { readonly import: string; readonly from: string; readonly to: string };

const parseLine = (line: string): CatalogAnswer | undefined => {
  if (line === '') return undefined;
  try {
    return objectOf(JSON.parse(line));
  } catch {
    return undefined;
  }
};

const readText = async (path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8');
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw new StartupError(`${path} cannot be read: ${(failure as Error).message}`, { cause: failure });
  }
};

/** Opens the journal of an import. Throws a StartupError when the file is that of another one. */
export const openJournal = async (path: string, header: JournalHeader): Promise<Journal> => {
  const text = await readText(path);
  const [first, ...rest] = text.split('\n');
  const before = first === undefined || first === '' ? undefined : parseLine(first);
  if (text !== '') {
    const isSame = before !== undefined && Object.entries(header).every(([name, value]) => before[name] === value);
    if (!isSame) {
      throw new StartupError(`${path} is of another import: name another file by --state, or delete it to begin anew`);
    }
  }
  const steps = rest.map(parseLine).filter((step) => step !== undefined);
  const write = async (work: Promise<void>): Promise<void> => {
    await work.catch((cause: Error) => {
      throw new StartupError(`${path} cannot be written: ${cause.message}`, { cause });
    });
  };
  const replace = async (kept: readonly object[]): Promise<void> => {
    await write(writeFile(`${path}.new`, [header, ...kept].map((one) => `${JSON.stringify(one)}\n`).join('')));
    await write(rename(`${path}.new`, path));
  };
  let isBegun = false;
  return {
    steps,
    replace,
    append: async (step) => {
      // The first write drops a line that was cut off, which would otherwise swallow the next one.
      if (!isBegun) await replace(steps);
      isBegun = true;
      await write(appendFile(path, `${JSON.stringify(step)}\n`));
    },
  };
};

/** The journal of a dry run, which keeps nothing. */
export const openDryJournal = (): Journal => ({
  steps: [],
  append: async () => undefined,
  replace: async () => undefined,
});
