import { badRequest, type CatalogError } from '../../errors.ts';
import { isArray, isObject, type Json, type JsonObject, member } from '../../model/json.ts';
import type { Scalar, Typos } from './tree.ts';

/** What the readers of all clauses share: where they are, what they may still read, and how they refuse. */

export const MAX_DEPTH = 20;
export const MAX_CLAUSES = 1024;
export const MAX_TERMS = 1024;
/** The longest query string, pattern or name of a field. */
export const MAX_QUERY = 4096;
/** The longest value that a term of an index can have. */
const MAX_VALUE = 32_766;

/** One request's filter while it is read. */
export type Reading = {
  /** What the filter is called in messages. */
  readonly name: string;
  readonly isField: (name: string) => boolean;
  /** How many clauses there are so far. */
  clauses: number;
};

/** Where a value stands in the filter, and how deep in clauses. */
export type Place = { readonly path: string; readonly depth: number };

export const below = ({ path, depth }: Place, step: string | number): Place => ({
  path: typeof step === 'number' ? `${path}[${step}]` : path === '' ? step : `${path}.${step}`,
  depth,
});

export const refuse = ({ name }: Pick<Reading, 'name'>, { path }: Pick<Place, 'path'>, problem: string): CatalogError =>
  badRequest(`[${name}${path === '' ? '' : ` at ${path}`}: ${problem}]`);

export const countClauses = (reading: Reading, place: Place, more = 1): void => {
  reading.clauses += more;
  if (reading.clauses > MAX_CLAUSES) throw refuse(reading, place, `more than ${MAX_CLAUSES} clauses`);
};

export const objectAt = (reading: Reading, place: Place, value: Json): JsonObject => {
  if (!isObject(value)) throw refuse(reading, place, 'must be an object');
  return value;
};

export const stringAt = (reading: Reading, place: Place, value: Json, most = MAX_VALUE): string => {
  if (typeof value !== 'string') throw refuse(reading, place, 'must be a string');
  if (value.length > most) throw refuse(reading, place, `must be at most ${most} characters long`);
  return value;
};

export const scalarAt = (reading: Reading, place: Place, value: Json): Scalar => {
  if (typeof value === 'string') return stringAt(reading, place, value);
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  throw refuse(reading, place, 'must be a string, a number or a boolean');
};

export const listAt = (reading: Reading, place: Place, value: Json, most: number): readonly Json[] => {
  if (!isArray(value)) throw refuse(reading, place, 'must be a list');
  if (value.length > most) throw refuse(reading, place, `must have at most ${most} values`);
  return value;
};

export const fieldAt = (reading: Reading, place: Place, value: Json): string => {
  const name = stringAt(reading, place, value, MAX_QUERY);
  if (name === '') throw refuse(reading, place, 'must name a field');
  return name;
};

/** What changes scores or how hard an engine tries, but never what is found. */
const TUNING: ReadonlySet<string> = new Set([
  'boost',
  '_name',
  'analyzer',
  'analyze_wildcard',
  'auto_generate_synonyms_phrase_query',
  'boost_mode',
  'functions',
  'fuzzy_max_expansions',
  'fuzzy_prefix_length',
  'fuzzy_transpositions',
  'ignore_unmapped',
  'lenient',
  'max_boost',
  'max_determinized_states',
  'max_expansions',
  'prefix_length',
  'rewrite',
  'score_mode',
  'tie_breaker',
]);

/** The members of a clause that are known; any other is refused by its name. */
export const optionsAt = (reading: Reading, place: Place, value: Json, known: readonly string[]): JsonObject => {
  const options = objectAt(reading, place, value);
  const stray = Object.keys(options).find((name) => !known.includes(name) && !TUNING.has(name));
  if (stray !== undefined) throw refuse(reading, below(place, stray), 'is not understood');
  return options;
};

type OneField = { readonly field: string; readonly value: Json; readonly place: Place };

/** A clause about one field, by its name. */
export const oneFieldAt = (reading: Reading, place: Place, clause: Json): OneField => {
  const members = Object.entries(objectAt(reading, place, clause));
  const named = members.length === 1 ? members : members.filter(([name]) => name !== 'boost' && name !== '_name');
  const [only] = named;
  if (!only || named.length > 1) throw refuse(reading, place, 'must name exactly one field');
  const [name, value] = only;
  return { field: fieldAt(reading, place, name), value, place: below(place, name) };
};

export type FieldOptions = { readonly field: string; readonly options: JsonObject; readonly place: Place };

/** A clause about one field whose value stands alone or among options, as this member of theirs. */
export const fieldOptionsAt = (
  reading: Reading,
  place: Place,
  clause: Json,
  main: string,
  known: readonly string[],
): FieldOptions => {
  const one = oneFieldAt(reading, place, clause);
  if (!isObject(one.value)) return { ...one, options: { [main]: one.value } };
  return { ...one, options: optionsAt(reading, one.place, one.value, [main, ...known]) };
};

/** A member that must be there. */
export const needed = (reading: Reading, place: Place, options: JsonObject, name: string): Json => {
  const value = member(options, name);
  if (value === undefined) throw refuse(reading, below(place, name), 'is missing');
  return value;
};

export const flagAt = (reading: Reading, place: Place, options: JsonObject, name: string): boolean => {
  const value = member(options, name);
  if (value === undefined) return false;
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 'false') return value === 'true';
  throw refuse(reading, below(place, name), 'must be true or false');
};

export const operatorAt = (reading: Reading, place: Place, options: JsonObject, name: string): 'and' | 'or' => {
  const value = member(options, name) ?? 'or';
  const operator = typeof value === 'string' ? value.toLowerCase() : undefined;
  if (operator === 'and' || operator === 'or') return operator;
  throw refuse(reading, below(place, name), 'must be AND or OR');
};

export const typosAt = (
  reading: Reading,
  place: Place,
  options: JsonObject,
  fallback: Typos = 0,
  name = 'fuzziness',
): Typos => {
  const value = member(options, name);
  if (value === undefined) return fallback;
  const text = String(value).toUpperCase();
  if (text === '0' || text === '1' || text === '2') return Number(text) as Typos;
  if (/^AUTO(:\d{1,3},\d{1,3})?$/.test(text)) return 'auto';
  throw refuse(reading, below(place, name), 'must be 0, 1, 2 or AUTO');
};

const SHARE = /^(-?)(\d{1,4})(%?)$/;

/** How many of some conditions must hold: a number, or a share of them; less than nothing counts from the other end. */
export const leastOf = (reading: Reading, place: Place, value: Json, count: number): number => {
  const [, sign, digits, percent] = SHARE.exec(String(value)) ?? [];
  if (digits === undefined || typeof value === 'boolean' || isArray(value)) {
    throw refuse(reading, place, 'must be a whole number or a percentage');
  }
  const number = percent ? Math.floor((count * Number(digits)) / 100) : Number(digits);
  return sign ? Math.max(0, count - number) : number;
};
