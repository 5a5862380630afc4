import { type Json, type MutableJsonObject, setMember } from '../../model/json.ts';
import { MAX_DOCUMENT_DEPTH, MAX_DOCUMENT_NODES, MAX_SCALAR_LENGTH } from './limits.ts';
import { invalidAt, invalidSyntaxError, joinPath } from './problem.ts';

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

/** Parses a text and returns the value, or the position at which it stops being JSON. */
const tryParse = (text: string, digits: ReadonlySet<string>): { value: Json } | { stop: number } => {
  let index = 0;
  let nodes = 0;

  const blank = (): void => {
    BLANK.lastIndex = index;
    BLANK.test(text);
    index = BLANK.lastIndex;
  };

  const take = (mark: string): boolean => {
    blank();
    if (text[index] !== mark) return false;
    index += 1;
    return true;
  };

  /** The end of a string that contains escapes. */
  const closing = (start: number): number => {
    for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
      let backslashes = 0;
      while (text[quote - 1 - backslashes] === '\\') backslashes += 1;
      if (backslashes % 2 === 0) return quote;
    }
    throw NOT_JSON;
  };

  const string = (path: () => string): string => {
    blank();
    if (text[index] !== '"') throw NOT_JSON;
    STRING.lastIndex = index;
    const start = index;
    const plain = STRING.test(text);
    index = plain ? STRING.lastIndex : closing(start) + 1;
    if (index - start > 6 * MAX_SCALAR_LENGTH) throw tooLongError(path());
    const value = plain ? text.slice(start + 1, index - 1) : parseStringLiteral(text.slice(start, index));
    if (value.length > MAX_SCALAR_LENGTH) throw tooLongError(path());
    return value;
  };

  const number = (path: string): Json => {
    NUMBER.lastIndex = index;
    if (!NUMBER.test(text)) throw NOT_JSON;
    const written = text.slice(index, NUMBER.lastIndex);
    index = NUMBER.lastIndex;
    if (digits.has(path)) return written;
    const value = Number(written);
    if (!Number.isFinite(value)) throw invalidAt(path, 'must be a finite number');
    return value;
  };

  const word = (letters: string, value: Json): Json => {
    if (!text.startsWith(letters, index)) throw NOT_JSON;
    index += letters.length;
    return value;
  };

  const value = (path: string, depth: number): Json => {
    nodes += 1;
    if (nodes > MAX_DOCUMENT_NODES) throw invalidAt('', `more than ${MAX_DOCUMENT_NODES} nodes`);
    blank();
    switch (text[index]) {
      case '{':
        return object(path, depth);
      case '[':
        return list(path, depth);
      case '"':
        return string(() => path);
      case 't':
        return word('true', true);
      case 'f':
        return word('false', false);
      case 'n':
        return word('null', null);
      default:
        return number(path);
    }
  };

  const object = (path: string, depth: number): Json => {
    if (depth >= MAX_DOCUMENT_DEPTH) throw invalidAt(path, `nested more than ${MAX_DOCUMENT_DEPTH} levels deep`);
    index += 1;
    const result: MutableJsonObject = Object.create(null);
    if (take('}')) return result;
    do {
      blank();
      const start = index;
      const name = string(() => path);
      if (Object.hasOwn(result, name)) {
        const [line, column] = lineAndColumn(text, start);
        throw invalidAt(joinPath(path, name), `duplicate key at line ${line}, column ${column}`);
      }
      if (!take(':')) throw NOT_JSON;
      setMember(result, name, value(joinPath(path, name), depth + 1));
    } while (take(','));
    if (!take('}')) throw NOT_JSON;
    return result;
  };

  const list = (path: string, depth: number): Json => {
    if (depth >= MAX_DOCUMENT_DEPTH) throw invalidAt(path, `nested more than ${MAX_DOCUMENT_DEPTH} levels deep`);
    index += 1;
    const result: Json[] = [];
    if (take(']')) return result;
    do result.push(value(joinPath(path, result.length), depth + 1));
    while (take(','));
    if (!take(']')) throw NOT_JSON;
    return result;
  };

  try {
    const result = value('', 0);
    blank();
    return index === text.length ? { value: result } : { stop: index };
  } catch (reason) {
    if (reason === NOT_JSON) return { stop: index };
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
