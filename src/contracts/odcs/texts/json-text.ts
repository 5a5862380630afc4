import { type Json, type MutableJsonObject, setMember } from '../../../model/json.ts';
import {
  invalidAt,
  invalidSyntaxError,
  joinPath,
  MAX_DOCUMENT_DEPTH,
  MAX_DOCUMENT_NODES,
  MAX_SCALAR_LENGTH,
} from '../issues.ts';

/**
 * A fast path for JSON, which is also YAML: twenty times as fast as the YAML reader and with the same refusals. A
 * text that is not JSON throughout is left to that reader, which also reports its faults.
 */

const BLANK = /[ \t\r\n]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them inside strings.
const STRING = /"[^"\\\u0000-\u001f]*"/y;

/** Thrown to leave the fast path; never leaves this file. */
const NOT_JSON = Symbol('no JSON');

const lineAndColumn = (text: string, index: number): readonly [line: number, column: number] => {
  const before = text.slice(0, index);
  return [before.split('\n').length, index - before.lastIndexOf('\n')];
};

/** Where the reader is in a text, and how many values it has read. */
type JsonCursor = { readonly text: string; readonly digits: ReadonlySet<string>; index: number; nodes: number };

const skipBlanks = (cursor: JsonCursor): void => {
  BLANK.lastIndex = cursor.index;
  BLANK.test(cursor.text);
  cursor.index = BLANK.lastIndex;
};

const takeMark = (cursor: JsonCursor, mark: string): boolean => {
  skipBlanks(cursor);
  if (cursor.text[cursor.index] !== mark) return false;
  cursor.index += 1;
  return true;
};

/** The end of a string that contains escapes. */
const findClosingQuote = (text: string, start: number): number => {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return quote;
  }
  throw NOT_JSON;
};

const readString = (cursor: JsonCursor, path: string): string => {
  const { text } = cursor;
  skipBlanks(cursor);
  if (text[cursor.index] !== '"') throw NOT_JSON;
  STRING.lastIndex = cursor.index;
  const start = cursor.index;
  const plain = STRING.test(text);
  cursor.index = plain ? STRING.lastIndex : findClosingQuote(text, start) + 1;
  if (cursor.index - start > 6 * MAX_SCALAR_LENGTH) throw tooLongError(path);
  const value = plain ? text.slice(start + 1, cursor.index - 1) : parseStringLiteral(text.slice(start, cursor.index));
  if (value.length > MAX_SCALAR_LENGTH) throw tooLongError(path);
  return value;
};

const readNumber = (cursor: JsonCursor, path: string): Json => {
  NUMBER.lastIndex = cursor.index;
  if (!NUMBER.test(cursor.text)) throw NOT_JSON;
  const written = cursor.text.slice(cursor.index, NUMBER.lastIndex);
  cursor.index = NUMBER.lastIndex;
  if (cursor.digits.has(path)) return written;
  const value = Number(written);
  if (!Number.isFinite(value)) throw invalidAt(path, 'must be a finite number');
  return value;
};

const readWord = (cursor: JsonCursor, letters: string, value: Json): Json => {
  if (!cursor.text.startsWith(letters, cursor.index)) throw NOT_JSON;
  cursor.index += letters.length;
  return value;
};

const readValue = (cursor: JsonCursor, path: string, depth: number): Json => {
  cursor.nodes += 1;
  if (cursor.nodes > MAX_DOCUMENT_NODES) throw invalidAt('', `more than ${MAX_DOCUMENT_NODES} nodes`);
  skipBlanks(cursor);
  switch (cursor.text[cursor.index]) {
    case '{':
      return readObject(cursor, path, depth);
    case '[':
      return readList(cursor, path, depth);
    case '"':
      return readString(cursor, path);
    case 't':
      return readWord(cursor, 'true', true);
    case 'f':
      return readWord(cursor, 'false', false);
    case 'n':
      return readWord(cursor, 'null', null);
    default:
      return readNumber(cursor, path);
  }
};

const readObject = (cursor: JsonCursor, path: string, depth: number): Json => {
  if (depth >= MAX_DOCUMENT_DEPTH) throw invalidAt(path, `nested more than ${MAX_DOCUMENT_DEPTH} levels deep`);
  cursor.index += 1;
  const result: MutableJsonObject = Object.create(null);
  if (takeMark(cursor, '}')) return result;
  do {
    skipBlanks(cursor);
    const start = cursor.index;
    const name = readString(cursor, path);
    if (Object.hasOwn(result, name)) {
      const [line, column] = lineAndColumn(cursor.text, start);
      throw invalidAt(joinPath(path, name), `duplicate key at line ${line}, column ${column}`);
    }
    if (!takeMark(cursor, ':')) throw NOT_JSON;
    setMember(result, name, readValue(cursor, joinPath(path, name), depth + 1));
  } while (takeMark(cursor, ','));
  if (!takeMark(cursor, '}')) throw NOT_JSON;
  return result;
};

const readList = (cursor: JsonCursor, path: string, depth: number): Json => {
  if (depth >= MAX_DOCUMENT_DEPTH) throw invalidAt(path, `nested more than ${MAX_DOCUMENT_DEPTH} levels deep`);
  cursor.index += 1;
  const result: Json[] = [];
  if (takeMark(cursor, ']')) return result;
  do result.push(readValue(cursor, joinPath(path, result.length), depth + 1));
  while (takeMark(cursor, ','));
  if (!takeMark(cursor, ']')) throw NOT_JSON;
  return result;
};

/** Parses a text and returns the value, or the position at which it stops being JSON. */
const tryParse = (text: string, digits: ReadonlySet<string>): { value: Json } | { stop: number } => {
  const cursor: JsonCursor = { text, digits, index: 0, nodes: 0 };
  try {
    const value = readValue(cursor, '', 0);
    skipBlanks(cursor);
    return cursor.index === text.length ? { value } : { stop: cursor.index };
  } catch (reason) {
    if (reason === NOT_JSON) return { stop: cursor.index };
    throw reason;
  }
};

/** Parses a JSON text that is an object or a list; undefined for every other text. `digits` as in `readYaml`. */
export const tryReadJson = (text: string, digits: ReadonlySet<string>): Json | undefined => {
  if (!/^[ \t\r\n]*[{[]/.test(text)) return undefined;
  const read = tryParse(text, digits);
  return 'value' in read ? read.value : undefined;
};

/** Parses a text that must be JSON. `digits` as in `readYaml`. */
export const readJsonText = (text: string, digits: ReadonlySet<string>): Json => {
  const read = tryParse(text, digits);
  if ('value' in read) return read.value;
  throw invalidSyntaxError(...lineAndColumn(text, read.stop), 'not JSON', 'JSON');
};

const tooLongError = (path: string) => invalidAt(path, `text longer than ${MAX_SCALAR_LENGTH} characters`);

const parseStringLiteral = (literal: string): string => {
  try {
    return JSON.parse(literal) as string;
  } catch {
    throw NOT_JSON;
  }
};
