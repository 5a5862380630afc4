import { badRequest, CatalogError } from '../errors.ts';

/**
 * JSON values and the operations on them that are safe for members of any name. This folder holds what the rest of the
 * program shares and has no database or HTTP in it. Read this file first, then `kind/kind.ts` (how kinds are declared),
 * `values.ts` and `schemas/` (the schemas of values), and `language/` (patches, filters, conditions and patterns). The
 * other files are single concepts such as names, versions, cursors and change descriptions.
 */

/** A JSON value as `JSON.parse` returns it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. Read its members with `member`, because a name may be anything, `constructor` included. */
export type JsonObject = { readonly [name: string]: Json };

/** A JSON object under construction. */
export type MutableJsonObject = { [name: string]: Json };

/** Whether a value is a JSON object: neither null nor an array. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a value is an array. Keeps the element type, which `Array.isArray` loses. */
export const isArray = (value: unknown): value is readonly Json[] => Array.isArray(value);

/** Reads the object's own member, or undefined. Never finds inherited names such as `constructor`. */
export const member = (object: JsonObject, name: string): Json | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;

/** Reads the member of a member, as far down as the names lead. Undefined where one of them is no object. */
export const memberAt = (value: Json | undefined, ...names: readonly string[]): Json | undefined =>
  names.reduce((inner, name) => (isObject(inner) ? member(inner, name) : undefined), value);

/** Sets a member as plain data. An assignment to `__proto__` would change the prototype instead. */
export const setMember = (target: MutableJsonObject, name: string, value: Json): void => {
  if (name === '__proto__') {
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[name] = value;
  }
};

/** Copies the object with one member set. */
export const withMember = (object: JsonObject, name: string, value: Json): JsonObject => {
  const copy: MutableJsonObject = { ...object };
  setMember(copy, name, value);
  return copy;
};

/** Copies the object without one member. */
export const withoutMember = (object: JsonObject, name: string): JsonObject => {
  const copy: MutableJsonObject = { ...object };
  delete copy[name];
  return copy;
};

const equalArrays = (a: readonly Json[], b: readonly Json[]): boolean => {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) {
    if (!equalJson(a[index], b[index])) return false;
  }
  return true;
};

const equalObjects = (a: JsonObject, b: JsonObject): boolean => {
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  for (const name of names) {
    if (!Object.hasOwn(b, name) || !equalJson(a[name], b[name])) return false;
  }
  return true;
};

/** Whether two JSON values are deeply equal. The order of members does not matter, that of elements does. */
export const equalJson = (a: Json | undefined, b: Json | undefined): boolean => {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (isArray(a)) return isArray(b) && equalArrays(a, b);
  return !isArray(b) && isObject(a) && isObject(b) && equalObjects(a, b);
};

/** Writes JSON text with sorted members, so that equal values have equal texts. */
export const canonicalJson = (value: Json): string => {
  if (isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, inner]) => `${JSON.stringify(name)}:${canonicalJson(inner)}`).join(',')}}`;
};

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

const tooManyValues = (max: number) => new CatalogError('payload_too_large', `JSON holds more than ${max} values`);

/** Finds the quote that closes the string opened at `start`, or the end of an unfinished text. */
export const findStringEnd = (text: string, start: number): number => {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return quote;
  }
  return text.length;
};

/**
 * Refuses JSON text that is nested deeper than `max` before it is parsed, so that later code may recurse safely. Also
 * refuses text of more than `maxValues` values, each of which takes many times its text in memory. The text need not be
 * valid JSON; brackets inside strings do not count.
 */
export const assertJsonDepth = (text: string, max: number, maxValues = Number.POSITIVE_INFINITY): void => {
  let depth = 0;
  let values = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      index = findStringEnd(text, index);
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      values += 1;
      if (depth > max) throw badRequest(`JSON is nested more than ${max} levels deep`);
      if (values > maxValues) throw tooManyValues(maxValues);
    } else if (code === COMMA) {
      values += 1;
      if (values > maxValues) throw tooManyValues(maxValues);
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
    }
  }
};
