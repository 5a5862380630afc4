import { type Json, member } from '../../model/json.ts';
import { parseQueryString } from '../query-string/parse-query.ts';
import { countWordParts, parseWords } from '../tokens.ts';
import {
  arrayAt,
  type ClauseLocation,
  clauseError,
  countClauses,
  type FilterReadContext,
  fieldAt,
  fieldClauseAt,
  fieldOptionsAt,
  flagAt,
  locationBelow,
  MAX_CLAUSES,
  MAX_QUERY_LENGTH,
  MAX_TERMS,
  operatorAt,
  optionsAt,
  readMinimumMatch,
  requiredMember,
  scalarAt,
  stringAt,
  typosAt,
} from './read-context.ts';
import {
  MATCH_ALL,
  MATCH_NONE,
  orFilter,
  type RangeBound,
  type SearchFilter,
  type TypoLimit,
} from './search-filter.ts';
import { parseSimpleRegex, parseWildcard } from './wildcard.ts';

/** Readers of the clauses that contain no other clauses. */

export type ClauseReader = (reading: FilterReadContext, place: ClauseLocation, clause: Json) => SearchFilter;

const readTerm: ClauseReader = (reading, at, clause) => {
  const { field, options, place } = fieldOptionsAt(reading, at, clause, 'value', ['case_insensitive']);
  const value = scalarAt(reading, place, requiredMember(reading, place, options, 'value'));
  return { is: 'term', field, values: [value], anyCase: flagAt(reading, place, options, 'case_insensitive') };
};

const readTerms: ClauseReader = (reading, at, clause) => {
  const { field, value, place } = fieldClauseAt(reading, at, clause);
  const values = arrayAt(reading, place, value, MAX_TERMS).map((one, index) =>
    scalarAt(reading, locationBelow(place, index), one),
  );
  return values.length === 0 ? MATCH_NONE : { is: 'term', field, values, anyCase: false };
};

const readIds: ClauseReader = (reading, place, clause) => {
  const options = optionsAt(reading, place, clause, ['values']);
  const inner = locationBelow(place, 'values');
  const values = arrayAt(reading, inner, requiredMember(reading, place, options, 'values'), MAX_TERMS);
  return { is: 'ids', ids: values.map((id, index) => stringAt(reading, locationBelow(inner, index), id)) };
};

const textAt = (reading: FilterReadContext, place: ClauseLocation, value: Json): string =>
  String(scalarAt(reading, place, value));

type WordsOptions = { readonly operator: 'and' | 'or'; readonly share: Json | undefined; readonly typos: TypoLimit };

const buildWordsFilter = (
  reading: FilterReadContext,
  place: ClauseLocation,
  field: string | undefined,
  text: string,
  how: WordsOptions,
): SearchFilter => {
  const parts = countWordParts(parseWords(text));
  if (parts > MAX_CLAUSES) throw clauseError(reading, place, `more than ${MAX_CLAUSES} words`);
  const wanted = how.operator === 'and' ? parts : 1;
  const { share, typos } = how;
  const least =
    share === undefined
      ? wanted
      : readMinimumMatch(reading, locationBelow(place, 'minimum_should_match'), share, parts);
  return { is: 'words', field, text, least, typos };
};

const readMatch: ClauseReader = (reading, at, clause) => {
  const known = ['operator', 'fuzziness', 'minimum_should_match', 'zero_terms_query'];
  const { field, options, place } = fieldOptionsAt(reading, at, clause, 'query', known);
  const text = textAt(reading, place, requiredMember(reading, place, options, 'query'));
  const words = buildWordsFilter(reading, place, field, text, {
    operator: operatorAt(reading, place, options, 'operator'),
    share: member(options, 'minimum_should_match'),
    typos: typosAt(reading, place, options),
  });
  const empty = member(options, 'zero_terms_query') ?? 'none';
  if (empty !== 'none' && empty !== 'all') throw clauseError(reading, place, 'zero_terms_query must be none or all');
  return empty === 'all' && parseWords(text).length === 0 ? MATCH_ALL : words;
};

const MAX_SLOP = 10;
/** A phrase with slop may have at most this many words, because every word is compared at every position. */
const MAX_SLOPPY_WORDS = 32;

const slopAt = (reading: FilterReadContext, place: ClauseLocation, value: Json | undefined): number => {
  const slop = Number(value ?? 0);
  if (!Number.isInteger(slop) || slop < 0 || slop > MAX_SLOP || typeof value === 'boolean') {
    throw clauseError(reading, locationBelow(place, 'slop'), `must be a whole number from 0 to ${MAX_SLOP}`);
  }
  return slop;
};

const buildPhraseFilter = (
  reading: FilterReadContext,
  place: ClauseLocation,
  field: string | undefined,
  text: string,
  slop: number,
): SearchFilter => {
  const most = slop > 0 ? MAX_SLOPPY_WORDS : MAX_CLAUSES;
  if (countWordParts(parseWords(text)) > most) throw clauseError(reading, place, `more than ${most} words`);
  return { is: 'phrase', field, text, slop };
};

const readMatchPhrase: ClauseReader = (reading, at, clause) => {
  const { field, options, place } = fieldOptionsAt(reading, at, clause, 'query', ['slop', 'zero_terms_query']);
  const text = textAt(reading, place, requiredMember(reading, place, options, 'query'));
  return buildPhraseFilter(reading, place, field, text, slopAt(reading, place, member(options, 'slop')));
};

type WeightedField = { readonly field: string | undefined; readonly by: number };

const WEIGHTED_NAME = /^([^^]+)(?:\^(\d{1,9}(?:\.\d{1,9})?))?$/;

const fieldsAt = (
  reading: FilterReadContext,
  place: ClauseLocation,
  value: Json | undefined,
): readonly WeightedField[] => {
  const fields = typeof value === 'string' ? [value] : value;
  if (fields === undefined) return [{ field: undefined, by: 1 }];
  return arrayAt(reading, place, fields, MAX_TERMS).map((one, index) => {
    const [, field, by = '1'] = WEIGHTED_NAME.exec(fieldAt(reading, locationBelow(place, index), one)) ?? [];
    if (field === undefined) throw clauseError(reading, locationBelow(place, index), 'must name a field');
    return { field: field === '*' ? undefined : field, by: Number(by) };
  });
};

const MULTI_MATCH_TYPES = ['best_fields', 'most_fields', 'cross_fields', 'phrase'];

const readMultiMatch: ClauseReader = (reading, place, clause) => {
  const known = ['query', 'fields', 'type', 'operator', 'fuzziness', 'minimum_should_match', 'slop'];
  const options = optionsAt(reading, place, clause, known);
  const text = textAt(reading, locationBelow(place, 'query'), requiredMember(reading, place, options, 'query'));
  const type = member(options, 'type') ?? 'best_fields';
  if (typeof type !== 'string' || !MULTI_MATCH_TYPES.includes(type)) {
    throw clauseError(reading, locationBelow(place, 'type'), `must be one of ${MULTI_MATCH_TYPES.join(', ')}`);
  }
  const how = {
    operator: operatorAt(reading, place, options, 'operator'),
    share: member(options, 'minimum_should_match'),
    typos: typosAt(reading, place, options),
  };
  const slop = slopAt(reading, place, member(options, 'slop'));
  const fields = fieldsAt(reading, locationBelow(place, 'fields'), member(options, 'fields'));
  countClauses(reading, place, fields.length);
  return orFilter(
    fields.map(({ field, by }) => {
      const isPhrase = type === 'phrase';
      const of = isPhrase
        ? buildPhraseFilter(reading, place, field, text, slop)
        : buildWordsFilter(reading, place, field, text, how);
      return by === 1 ? of : { is: 'boosted', of, by };
    }),
  );
};

const readPrefix: ClauseReader = (reading, at, clause) => {
  const { field, options, place } = fieldOptionsAt(reading, at, clause, 'value', ['case_insensitive']);
  const text = stringAt(reading, place, requiredMember(reading, place, options, 'value'));
  return { is: 'prefix', field, text, anyCase: flagAt(reading, place, options, 'case_insensitive') };
};

const readWildcardClause: ClauseReader = (reading, at, clause) => {
  const known = ['wildcard', 'case_insensitive'];
  const { field, options, place } = fieldOptionsAt(reading, at, clause, 'value', known);
  const text = member(options, 'wildcard') ?? requiredMember(reading, place, options, 'value');
  const pattern = parseWildcard(stringAt(reading, place, text, MAX_QUERY_LENGTH));
  return { is: 'wildcard', field, pattern, anyCase: flagAt(reading, place, options, 'case_insensitive') };
};

const readRegexp: ClauseReader = (reading, at, clause) => {
  const { field, options, place } = fieldOptionsAt(reading, at, clause, 'value', ['case_insensitive', 'flags']);
  const text = stringAt(reading, place, requiredMember(reading, place, options, 'value'), MAX_QUERY_LENGTH);
  const pattern = parseSimpleRegex(text);
  if (!pattern) throw clauseError(reading, place, 'only plain characters, . and .* are understood');
  return { is: 'wildcard', field, pattern, anyCase: flagAt(reading, place, options, 'case_insensitive') };
};

const RANGE_OPTIONS = ['gt', 'gte', 'lt', 'lte'] as const;
const DATE_FORMATS: ReadonlySet<string> = new Set([
  'epoch_millis',
  'epoch_second',
  'date_optional_time',
  'strict_date_optional_time',
  'date_time',
  'strict_date_time',
  'date',
  'strict_date',
  'yyyy-MM-dd',
]);

const unitAt = (reading: FilterReadContext, place: ClauseLocation, format: Json | undefined): 's' | 'ms' => {
  if (format === undefined) return 'ms';
  const formats = stringAt(reading, locationBelow(place, 'format'), format).split('||');
  const strange = formats.find((one) => !DATE_FORMATS.has(one));
  if (strange !== undefined) throw clauseError(reading, locationBelow(place, 'format'), 'is not understood');
  return formats.includes('epoch_second') ? 's' : 'ms';
};

const readRange: ClauseReader = (reading, at, clause) => {
  const { field, value, place } = fieldClauseAt(reading, at, clause);
  const options = optionsAt(reading, place, value, [...RANGE_OPTIONS, 'format']);
  const bounds = RANGE_OPTIONS.flatMap((is): RangeBound[] => {
    const bound = member(options, is) ?? null;
    return bound === null ? [] : [{ is, value: scalarAt(reading, locationBelow(place, is), bound) }];
  });
  const unit = unitAt(reading, place, member(options, 'format'));
  return bounds.length === 0 ? { is: 'exists', field } : { is: 'range', field, bounds, unit };
};

const readExists: ClauseReader = (reading, place, clause) => {
  const options = optionsAt(reading, place, clause, ['field']);
  return {
    is: 'exists',
    field: fieldAt(reading, locationBelow(place, 'field'), requiredMember(reading, place, options, 'field')),
  };
};

const readQueryStringClause: ClauseReader = (reading, place, clause) => {
  const known = ['query', 'fields', 'default_field', 'default_operator', 'fuzziness'];
  const options = optionsAt(reading, place, clause, known);
  const text = stringAt(
    reading,
    locationBelow(place, 'query'),
    requiredMember(reading, place, options, 'query'),
    MAX_QUERY_LENGTH,
  );
  const fields = fieldsAt(
    reading,
    locationBelow(place, 'fields'),
    member(options, 'fields') ?? member(options, 'default_field'),
  );
  return parseQueryString(text, {
    ...reading,
    operator: operatorAt(reading, place, options, 'default_operator'),
    typos: typosAt(reading, place, options, 2),
    fields,
    fault: (problem) => clauseError(reading, locationBelow(place, 'query'), problem),
    count: (more) => countClauses(reading, place, more),
  });
};

const readConstant =
  (known: SearchFilter): ClauseReader =>
  (reading, place, clause) => {
    optionsAt(reading, place, clause, []);
    return known;
  };

/** The reader of each clause, by its name. */
export const LEAF_CLAUSES: ReadonlyMap<string, ClauseReader> = new Map<string, ClauseReader>([
  ['match_all', readConstant(MATCH_ALL)],
  ['match_none', readConstant(MATCH_NONE)],
  ['term', readTerm],
  ['terms', readTerms],
  ['ids', readIds],
  ['match', readMatch],
  ['match_phrase', readMatchPhrase],
  ['multi_match', readMultiMatch],
  ['prefix', readPrefix],
  ['wildcard', readWildcardClause],
  ['regexp', readRegexp],
  ['range', readRange],
  ['exists', readExists],
  ['query_string', readQueryStringClause],
  ['simple_query_string', readQueryStringClause],
]);
