import { badRequest } from '../../errors.ts';
import { assertJsonDepth, isArray, isObject, type Json, type JsonObject, member } from '../../model/json.ts';
import { parseSearchQuery } from '../query-string/parse-query.ts';
import { LEAF_CLAUSES } from './leaf-clauses.ts';
import {
  type ClauseLocation,
  clauseError,
  countClauses,
  type FilterReadContext,
  fieldAt,
  locationBelow,
  MAX_CLAUSE_DEPTH,
  objectAt,
  optionsAt,
  readMinimumMatch,
  requiredMember,
} from './read-context.ts';
import { andFilter, MATCH_ALL, notFilter, orFilter, type SearchFilter } from './search-filter.ts';

/** Reads a filter in the query language that OpenMetadata took over from its search engine (search.md 4). */

/** The name of the filter in error messages, and the test for field names. */
export type FilterOptions = { readonly name: string; readonly isField: (name: string) => boolean };

const readClausesAt = (
  reading: FilterReadContext,
  place: ClauseLocation,
  value: Json | undefined,
): readonly SearchFilter[] => {
  if (value === undefined) return [];
  if (!isArray(value)) return [readClause(reading, place, value)];
  return value.map((clause, index) => readClause(reading, locationBelow(place, index), clause));
};

const readBool = (reading: FilterReadContext, place: ClauseLocation, clause: Json): SearchFilter => {
  const known = ['must', 'filter', 'should', 'must_not', 'minimum_should_match', 'adjust_pure_negative'];
  const options = optionsAt(reading, place, clause, known);
  const of = (name: string) => readClausesAt(reading, locationBelow(place, name), member(options, name));
  const [required, refused, optional] = [[...of('must'), ...of('filter')], of('must_not'), of('should')];
  const share = member(options, 'minimum_should_match');
  const fallback = required.length === 0 && optional.length > 0 ? 1 : 0;
  const at = locationBelow(place, 'minimum_should_match');
  const least = share === undefined ? fallback : readMinimumMatch(reading, at, share, optional.length);
  return andFilter([...required, ...(least > 0 ? [orFilter(optional, least)] : []), ...refused.map(notFilter)]);
};

const readNested = (reading: FilterReadContext, place: ClauseLocation, clause: Json): SearchFilter => {
  const options = optionsAt(reading, place, clause, ['path', 'query', 'inner_hits']);
  const path = fieldAt(reading, locationBelow(place, 'path'), requiredMember(reading, place, options, 'path'));
  const of = readClause(reading, locationBelow(place, 'query'), requiredMember(reading, place, options, 'query'));
  return { is: 'nested', path, of };
};

const readInner = (
  reading: FilterReadContext,
  place: ClauseLocation,
  options: JsonObject,
  name: string,
): SearchFilter => readClause(reading, locationBelow(place, name), requiredMember(reading, place, options, name));

const readFunctionScore = (reading: FilterReadContext, place: ClauseLocation, clause: Json): SearchFilter => {
  const options = optionsAt(reading, place, clause, ['query', 'random_score', 'weight', 'field_value_factor']);
  return member(options, 'query') === undefined ? MATCH_ALL : readInner(reading, place, options, 'query');
};

const COMPOUND_CLAUSES: ReadonlyMap<
  string,
  (reading: FilterReadContext, place: ClauseLocation, clause: Json) => SearchFilter
> = new Map([
  ['bool', readBool],
  ['nested', readNested],
  [
    'constant_score',
    (reading: FilterReadContext, place: ClauseLocation, clause: Json) =>
      readInner(reading, place, optionsAt(reading, place, clause, ['filter']), 'filter'),
  ],
  ['function_score', readFunctionScore],
]);

const readClause = (reading: FilterReadContext, { path, depth }: ClauseLocation, value: Json): SearchFilter => {
  const place = { path, depth: depth + 1 };
  if (place.depth > MAX_CLAUSE_DEPTH)
    throw clauseError(reading, place, `more than ${MAX_CLAUSE_DEPTH} clauses inside each other`);
  countClauses(reading, place);
  const names = Object.keys(objectAt(reading, place, value));
  const [name] = names;
  if (name === undefined || names.length > 1) throw clauseError(reading, place, 'must have exactly one clause');
  const read = COMPOUND_CLAUSES.get(name) ?? LEAF_CLAUSES.get(name);
  if (!read) throw clauseError(reading, locationBelow(place, name), 'is no clause that is understood');
  return read(reading, locationBelow(place, name), (value as JsonObject)[name] ?? null);
};

/** The maximum JSON depth, deeper than any accepted filter. */
const MAX_JSON_DEPTH = 100;

const parseFilterJson = (name: string, text: string): Json => {
  assertJsonDepth(text, MAX_JSON_DEPTH);
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw badRequest(`[${name} must be JSON]`);
  }
};

/** Returns the clause itself, without the search request around it. */
const unwrapQuery = (filter: JsonObject): JsonObject | undefined => {
  const names = Object.keys(filter);
  if (names.length === 0) return undefined;
  const query = member(filter, 'query');
  return names.length === 1 && isObject(query) ? unwrapQuery(query) : filter;
};

/** Reads a filter from JSON text or parsed JSON. An empty filter matches everything. */
export const readFilter = (filter: string | Json, options: FilterOptions): SearchFilter => {
  if (typeof filter === 'string' && filter.trim() === '') return MATCH_ALL;
  const value = typeof filter === 'string' ? parseFilterJson(options.name, filter) : filter;
  if (!isObject(value)) throw badRequest(`[${options.name} must be a JSON object]`);
  const clause = unwrapQuery(value);
  return clause ? readClause({ ...options, clauses: 0 }, { path: '', depth: 0 }, clause) : MATCH_ALL;
};

/** Reads a filter that is written as JSON or as a query string. */
export const readFilterOrQuery = (text: string, options: FilterOptions): SearchFilter => {
  const trimmed = text.trim();
  if (trimmed === '') return MATCH_ALL;
  return trimmed.startsWith('{') ? readFilter(trimmed, options) : parseSearchQuery(trimmed, options);
};
