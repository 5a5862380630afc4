import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { StartupError } from '../errors.ts';

/** Reads JSON objects from files: one object, a list of objects, or one object in each line. */

/** An object and where it stands, or the reason why the line cannot be read. */
export type ReadObject = { readonly place: string } & ({ readonly value: unknown } | { readonly fault: string });

/** The longest line, and the longest document that goes over several lines. */
const MAX_CHARACTERS = 64 * 1024 * 1024;

const tooLong = (name: string) => new StartupError(`${name} has a line or a document of more than 64 MiB`);

async function* readTexts(name: string): AsyncGenerator<string> {
  const file = name === '-' ? process.stdin : createReadStream(name);
  const source = name.toLowerCase().endsWith('.gz') ? file.pipe(createGunzip()) : file;
  // A pipe hands on no failures, and a file that ends early would look whole.
  if (source !== file) file.once('error', (failure: Error) => source.destroy(failure));
  const decoder = new TextDecoder('utf-8');
  try {
    for await (const chunk of source) yield decoder.decode(chunk as Uint8Array, { stream: true });
    yield decoder.decode();
  } catch (failure) {
    throw new StartupError(`${name} cannot be read: ${(failure as Error).message}`, { cause: failure });
  }
}

/** Reads the lines of a file, `-` for the standard input, whatever their ends. */
export async function* readLines(name: string): AsyncGenerator<string> {
  let parts: string[] = [];
  let length = 0;
  for await (const text of readTexts(name)) {
    const [first = '', ...others] = text.split('\n');
    parts.push(first);
    length += first.length;
    if (length > MAX_CHARACTERS) throw tooLong(name);
    const last = others.pop();
    if (last === undefined) continue;
    yield parts.join('');
    yield* others;
    parts = [last];
    length = last.length;
  }
  yield parts.join('');
}

const parse = (text: string): { readonly value: unknown } | { readonly fault: string } => {
  try {
    return { value: JSON.parse(text) };
  } catch (failure) {
    return { fault: (failure as Error).message };
  }
};

function* objectsOf(place: string, text: string): Generator<ReadObject> {
  const parsed = parse(text);
  if (!('value' in parsed) || !Array.isArray(parsed.value)) yield { place, ...parsed };
  else for (const [at, value] of parsed.value.entries()) yield { place: `${place}, item ${at + 1}`, value };
}

/** Reads the rest of a document whose first line is no JSON by itself. */
const readWhole = async (name: string, first: string, lines: AsyncIterator<string>): Promise<string> => {
  const parts = [first];
  let length = first.length;
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    parts.push(next.value);
    length += next.value.length;
    if (length > MAX_CHARACTERS) throw tooLong(name);
  }
  return parts.join('\n');
};

/**
 * Reads the objects of a file, `-` for the standard input; names that end with `.gz` are unpacked. Lines are read one
 * by one, so that a file of lines may have any size.
 */
export async function* readObjects(name: string): AsyncGenerator<ReadObject> {
  const lines = readLines(name);
  let at = 0;
  let isLines = false;
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    at += 1;
    const line = (at === 1 ? next.value.replace(/^\ufeff/, '') : next.value).trim();
    if (line === '') continue;
    if (!isLines && 'fault' in parse(line)) {
      yield* objectsOf(name, await readWhole(name, line, lines));
      return;
    }
    isLines = true;
    yield* objectsOf(`${name} line ${at}`, line);
  }
}
