import { badRequest, type CatalogError } from '../../errors.ts';
import { isArray, isObject, type Json, type JsonObject, member } from '../../model/json.ts';
import type { Scalar, TypoLimit } from './search-filter.ts';

/**
 * State and helpers that the readers of all clauses share: the position in the filter, the remaining limits, and the
 * errors.
 */

export const MAX_CLAUSE_DEPTH = 20;
export const MAX_CLAUSES = 1024;
export const MAX_TERMS = 1024;
/** The maximum length of a query string, a pattern or a field name. */
export const MAX_QUERY_LENGTH = 4096;
/** The maximum length of a value, which is that of an index term. */
const MAX_VALUE_LENGTH = 32_766;

/** The state of reading one request's filter. */
export type FilterReadContext = {
  /** The name of the filter in error messages. */
  readonly name: string;
  readonly isField: (name: string) => boolean;
  /** The number of clauses read so far. */
  clauses: number;
};

/** The path of a value in the filter, and its clause depth. */
export type ClauseLocation = { readonly path: string; readonly depth: number };

export const locationBelow = ({ path, depth }: ClauseLocation, step: string | number): ClauseLocation => ({
  path: typeof step === 'number' ? `${path}[${step}]` : path === '' ? step : `${path}.${step}`,
  depth,
});

export const clauseError = (
  { name }: Pick<FilterReadContext, 'name'>,
  { path }: Pick<ClauseLocation, 'path'>,
  problem: string,
): CatalogError => badRequest(`[${name}${path === '' ? '' : ` at ${path}`}: ${problem}]`);

export const countClauses = (reading: FilterReadContext, place: ClauseLocation, more = 1): void => {
  reading.clauses += more;
  if (reading.clauses > MAX_CLAUSES) throw clauseError(reading, place, `more than ${MAX_CLAUSES} clauses`);
};

export const objectAt = (reading: FilterReadContext, place: ClauseLocation, value: Json): JsonObject => {
  if (!isObject(value)) throw clauseError(reading, place, 'must be an object');
  return value;
};

export const stringAt = (
  reading: FilterReadContext,
  place: ClauseLocation,
  value: Json,
  most = MAX_VALUE_LENGTH,
): string => {
  if (typeof value !== 'string') throw clauseError(reading, place, 'must be a string');
  if (value.length > most) throw clauseError(reading, place, `must be at most ${most} characters long`);
  return value;
};

export const scalarAt = (reading: FilterReadContext, place: ClauseLocation, value: Json): Scalar => {
  if (typeof value === 'string') return stringAt(reading, place, value);
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  throw clauseError(reading, place, 'must be a string, a number or a boolean');
};

export const arrayAt = (
  reading: FilterReadContext,
  place: ClauseLocation,
  value: Json,
  most: number,
): readonly Json[] => {
  if (!isArray(value)) throw clauseError(reading, place, 'must be a list');
  if (value.length > most) throw clauseError(reading, place, `must have at most ${most} values`);
  return value;
};

export const fieldAt = (reading: FilterReadContext, place: ClauseLocation, value: Json): string => {
  const name = stringAt(reading, place, value, MAX_QUERY_LENGTH);
  if (name === '') throw clauseError(reading, place, 'must name a field');
  return name;
};

/** Options that change scores or the effort of an engine, but never which documents match. */
const IGNORED_OPTIONS: ReadonlySet<string> = new Set([
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

/** Reads the known members of a clause; any other member is refused by name. */
export const optionsAt = (
  reading: FilterReadContext,
  place: ClauseLocation,
  value: Json,
  known: readonly string[],
): JsonObject => {
  const options = objectAt(reading, place, value);
  const stray = Object.keys(options).find((name) => !known.includes(name) && !IGNORED_OPTIONS.has(name));
  if (stray !== undefined) throw clauseError(reading, locationBelow(place, stray), 'is not understood');
  return options;
};

type FieldClause = { readonly field: string; readonly value: Json; readonly place: ClauseLocation };

/** Reads a clause about one field. */
export const fieldClauseAt = (reading: FilterReadContext, place: ClauseLocation, clause: Json): FieldClause => {
  const members = Object.entries(objectAt(reading, place, clause));
  const named = members.length === 1 ? members : members.filter(([name]) => name !== 'boost' && name !== '_name');
  const [only] = named;
  if (!only || named.length > 1) throw clauseError(reading, place, 'must name exactly one field');
  const [name, value] = only;
  return { field: fieldAt(reading, place, name), value, place: locationBelow(place, name) };
};

export type FieldOptions = { readonly field: string; readonly options: JsonObject; readonly place: ClauseLocation };

/** Reads a clause about one field whose value is given alone, or as the named member of its options. */
export const fieldOptionsAt = (
  reading: FilterReadContext,
  place: ClauseLocation,
  clause: Json,
  main: string,
  known: readonly string[],
): FieldOptions => {
  const one = fieldClauseAt(reading, place, clause);
  if (!isObject(one.value)) return { ...one, options: { [main]: one.value } };
  return { ...one, options: optionsAt(reading, one.place, one.value, [main, ...known]) };
};

/** Reads a required member. */
export const requiredMember = (
  reading: FilterReadContext,
  place: ClauseLocation,
  options: JsonObject,
  name: string,
): Json => {
  const value = member(options, name);
  if (value === undefined) throw clauseError(reading, locationBelow(place, name), 'is missing');
  return value;
};

export const flagAt = (
  reading: FilterReadContext,
  place: ClauseLocation,
  options: JsonObject,
  name: string,
): boolean => {
  const value = member(options, name);
  if (value === undefined) return false;
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 'false') return value === 'true';
  throw clauseError(reading, locationBelow(place, name), 'must be true or false');
};

export const operatorAt = (
  reading: FilterReadContext,
  place: ClauseLocation,
  options: JsonObject,
  name: string,
): 'and' | 'or' => {
  const value = member(options, name) ?? 'or';
  const operator = typeof value === 'string' ? value.toLowerCase() : undefined;
  if (operator === 'and' || operator === 'or') return operator;
  throw clauseError(reading, locationBelow(place, name), 'must be AND or OR');
};

export const typosAt = (
  reading: FilterReadContext,
  place: ClauseLocation,
  options: JsonObject,
  fallback: TypoLimit = 0,
  name = 'fuzziness',
): TypoLimit => {
  const value = member(options, name);
  if (value === undefined) return fallback;
  const text = String(value).toUpperCase();
  if (text === '0' || text === '1' || text === '2') return Number(text) as TypoLimit;
  if (/^AUTO(:\d{1,3},\d{1,3})?$/.test(text)) return 'auto';
  throw clauseError(reading, locationBelow(place, name), 'must be 0, 1, 2 or AUTO');
};

const MINIMUM_MATCH = /^(-?)(\d{1,4})(%?)$/;

/**
 * Reads how many of some conditions must match: a number or a percentage; a negative number is subtracted from their
 * count.
 */
export const readMinimumMatch = (
  reading: FilterReadContext,
  place: ClauseLocation,
  value: Json,
  count: number,
): number => {
  const [, sign, digits, percent] = MINIMUM_MATCH.exec(String(value)) ?? [];
  if (digits === undefined || typeof value === 'boolean' || isArray(value)) {
    throw clauseError(reading, place, 'must be a whole number or a percentage');
  }
  const number = percent ? Math.floor((count * Number(digits)) / 100) : Number(digits);
  return sign ? Math.max(0, count - number) : number;
};
