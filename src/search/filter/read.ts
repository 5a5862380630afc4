import { badRequest } from '../../errors.ts';
import { assertDepth, isArray, isObject, type Json, type JsonObject, member } from '../../model/json.ts';
import { readQuery } from '../query-string/read.ts';
import { CLAUSES } from './clauses.ts';
import {
  below,
  countClauses,
  fieldAt,
  leastOf,
  MAX_DEPTH,
  needed,
  objectAt,
  optionsAt,
  type Place,
  type Reading,
  refuse,
} from './reading.ts';
import { ALL, every, type Filter, not, some } from './tree.ts';

/** Reads a filter in the language that OpenMetadata borrowed from its search engine (search.md 4). */

/** What a filter is called in messages, and which names are those of fields. */
export type FilterOptions = { readonly name: string; readonly isField: (name: string) => boolean };

const clausesAt = (reading: Reading, place: Place, value: Json | undefined): readonly Filter[] => {
  if (value === undefined) return [];
  if (!isArray(value)) return [readClause(reading, place, value)];
  return value.map((clause, index) => readClause(reading, below(place, index), clause));
};

const readBool = (reading: Reading, place: Place, clause: Json): Filter => {
  const known = ['must', 'filter', 'should', 'must_not', 'minimum_should_match', 'adjust_pure_negative'];
  const options = optionsAt(reading, place, clause, known);
  const of = (name: string) => clausesAt(reading, below(place, name), member(options, name));
  const [required, refused, optional] = [[...of('must'), ...of('filter')], of('must_not'), of('should')];
  const share = member(options, 'minimum_should_match');
  const fallback = required.length === 0 && optional.length > 0 ? 1 : 0;
  const at = below(place, 'minimum_should_match');
  const least = share === undefined ? fallback : leastOf(reading, at, share, optional.length);
  return every([...required, ...(least > 0 ? [some(optional, least)] : []), ...refused.map(not)]);
};

const readNested = (reading: Reading, place: Place, clause: Json): Filter => {
  const options = optionsAt(reading, place, clause, ['path', 'query', 'inner_hits']);
  const path = fieldAt(reading, below(place, 'path'), needed(reading, place, options, 'path'));
  const of = readClause(reading, below(place, 'query'), needed(reading, place, options, 'query'));
  return { is: 'nested', path, of };
};

const readInner = (reading: Reading, place: Place, options: JsonObject, name: string): Filter =>
  readClause(reading, below(place, name), needed(reading, place, options, name));

const readScored = (reading: Reading, place: Place, clause: Json): Filter => {
  const options = optionsAt(reading, place, clause, ['query', 'random_score', 'weight', 'field_value_factor']);
  return member(options, 'query') === undefined ? ALL : readInner(reading, place, options, 'query');
};

const HOLDING: ReadonlyMap<string, (reading: Reading, place: Place, clause: Json) => Filter> = new Map([
  ['bool', readBool],
  ['nested', readNested],
  [
    'constant_score',
    (reading: Reading, place: Place, clause: Json) =>
      readInner(reading, place, optionsAt(reading, place, clause, ['filter']), 'filter'),
  ],
  ['function_score', readScored],
]);

const readClause = (reading: Reading, { path, depth }: Place, value: Json): Filter => {
  const place = { path, depth: depth + 1 };
  if (place.depth > MAX_DEPTH) throw refuse(reading, place, `more than ${MAX_DEPTH} clauses inside each other`);
  countClauses(reading, place);
  const names = Object.keys(objectAt(reading, place, value));
  const [name] = names;
  if (name === undefined || names.length > 1) throw refuse(reading, place, 'must have exactly one clause');
  const read = HOLDING.get(name) ?? CLAUSES.get(name);
  if (!read) throw refuse(reading, below(place, name), 'is no clause that is understood');
  return read(reading, below(place, name), (value as JsonObject)[name] ?? null);
};

/** Deeper than any filter that would be accepted. */
const MAX_JSON_DEPTH = 100;

const parse = (name: string, text: string): Json => {
  assertDepth(text, MAX_JSON_DEPTH);
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw badRequest(`[${name} must be JSON]`);
  }
};

/** The clause itself, without the request that may stand around it. */
const unwrapped = (filter: JsonObject): JsonObject | undefined => {
  const names = Object.keys(filter);
  if (names.length === 0) return undefined;
  const query = member(filter, 'query');
  return names.length === 1 && isObject(query) ? unwrapped(query) : filter;
};

/** Reads a filter from its JSON text or from what is parsed already. No filter at all holds of everything. */
export const readFilter = (filter: string | Json, options: FilterOptions): Filter => {
  if (typeof filter === 'string' && filter.trim() === '') return ALL;
  const value = typeof filter === 'string' ? parse(options.name, filter) : filter;
  if (!isObject(value)) throw badRequest(`[${options.name} must be a JSON object]`);
  const clause = unwrapped(value);
  return clause ? readClause({ ...options, clauses: 0 }, { path: '', depth: 0 }, clause) : ALL;
};

/** Reads a filter that is written either way: as JSON, or as people write queries. */
export const readFilterOrQuery = (text: string, options: FilterOptions): Filter => {
  const trimmed = text.trim();
  if (trimmed === '') return ALL;
  return trimmed.startsWith('{') ? readFilter(trimmed, options) : readQuery(trimmed, options);
};
