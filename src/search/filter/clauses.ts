import { type Json, member } from '../../model/json.ts';
import { readQueryString } from '../query-string/read.ts';
import { countParts, wordsOf } from '../tokens.ts';
import { readPlainExpression, readWildcard } from './pattern.ts';
import {
  below,
  countClauses,
  fieldAt,
  fieldOptionsAt,
  flagAt,
  leastOf,
  listAt,
  MAX_CLAUSES,
  MAX_QUERY,
  MAX_TERMS,
  needed,
  oneFieldAt,
  operatorAt,
  optionsAt,
  type Place,
  type Reading,
  refuse,
  scalarAt,
  stringAt,
  typosAt,
} from './reading.ts';
import { ALL, type Bound, type Filter, NONE, some, type Typos } from './tree.ts';

/** The clauses that hold no others. */

export type ReadClause = (reading: Reading, place: Place, clause: Json) => Filter;

const term: ReadClause = (reading, at, clause) => {
  const { field, options, place } = fieldOptionsAt(reading, at, clause, 'value', ['case_insensitive']);
  const value = scalarAt(reading, place, needed(reading, place, options, 'value'));
  return { is: 'term', field, values: [value], anyCase: flagAt(reading, place, options, 'case_insensitive') };
};

const terms: ReadClause = (reading, at, clause) => {
  const { field, value, place } = oneFieldAt(reading, at, clause);
  const values = listAt(reading, place, value, MAX_TERMS).map((one, index) =>
    scalarAt(reading, below(place, index), one),
  );
  return values.length === 0 ? NONE : { is: 'term', field, values, anyCase: false };
};

const ids: ReadClause = (reading, place, clause) => {
  const options = optionsAt(reading, place, clause, ['values']);
  const inner = below(place, 'values');
  const values = listAt(reading, inner, needed(reading, place, options, 'values'), MAX_TERMS);
  return { is: 'ids', ids: values.map((id, index) => stringAt(reading, below(inner, index), id)) };
};

const textAt = (reading: Reading, place: Place, value: Json): string => String(scalarAt(reading, place, value));

type HowMany = { readonly operator: 'and' | 'or'; readonly share: Json | undefined; readonly typos: Typos };

const wordsIn = (reading: Reading, place: Place, field: string | undefined, text: string, how: HowMany): Filter => {
  const parts = countParts(wordsOf(text));
  if (parts > MAX_CLAUSES) throw refuse(reading, place, `more than ${MAX_CLAUSES} words`);
  const wanted = how.operator === 'and' ? parts : 1;
  const { share, typos } = how;
  const least = share === undefined ? wanted : leastOf(reading, below(place, 'minimum_should_match'), share, parts);
  return { is: 'words', field, text, least, typos };
};

const match: ReadClause = (reading, at, clause) => {
  const known = ['operator', 'fuzziness', 'minimum_should_match', 'zero_terms_query'];
  const { field, options, place } = fieldOptionsAt(reading, at, clause, 'query', known);
  const text = textAt(reading, place, needed(reading, place, options, 'query'));
  const words = wordsIn(reading, place, field, text, {
    operator: operatorAt(reading, place, options, 'operator'),
    share: member(options, 'minimum_should_match'),
    typos: typosAt(reading, place, options),
  });
  const empty = member(options, 'zero_terms_query') ?? 'none';
  if (empty !== 'none' && empty !== 'all') throw refuse(reading, place, 'zero_terms_query must be none or all');
  return empty === 'all' && wordsOf(text).length === 0 ? ALL : words;
};

const MAX_SLOP = 10;
/** Out of order, every word of a phrase is looked for everywhere. */
const MAX_SCATTERED = 32;

const slopAt = (reading: Reading, place: Place, value: Json | undefined): number => {
  const slop = Number(value ?? 0);
  if (!Number.isInteger(slop) || slop < 0 || slop > MAX_SLOP || typeof value === 'boolean') {
    throw refuse(reading, below(place, 'slop'), `must be a whole number from 0 to ${MAX_SLOP}`);
  }
  return slop;
};

const phraseOf = (reading: Reading, place: Place, field: string | undefined, text: string, slop: number): Filter => {
  const most = slop > 0 ? MAX_SCATTERED : MAX_CLAUSES;
  if (countParts(wordsOf(text)) > most) throw refuse(reading, place, `more than ${most} words`);
  return { is: 'phrase', field, text, slop };
};

const matchPhrase: ReadClause = (reading, at, clause) => {
  const { field, options, place } = fieldOptionsAt(reading, at, clause, 'query', ['slop', 'zero_terms_query']);
  const text = textAt(reading, place, needed(reading, place, options, 'query'));
  return phraseOf(reading, place, field, text, slopAt(reading, place, member(options, 'slop')));
};

type Weighted = { readonly field: string | undefined; readonly by: number };

const WEIGHTED = /^([^^]+)(?:\^(\d{1,9}(?:\.\d{1,9})?))?$/;

const fieldsAt = (reading: Reading, place: Place, value: Json | undefined): readonly Weighted[] => {
  const fields = typeof value === 'string' ? [value] : value;
  if (fields === undefined) return [{ field: undefined, by: 1 }];
  return listAt(reading, place, fields, MAX_TERMS).map((one, index) => {
    const [, field, by = '1'] = WEIGHTED.exec(fieldAt(reading, below(place, index), one)) ?? [];
    if (field === undefined) throw refuse(reading, below(place, index), 'must name a field');
    return { field: field === '*' ? undefined : field, by: Number(by) };
  });
};

const TYPES = ['best_fields', 'most_fields', 'cross_fields', 'phrase'];

const multiMatch: ReadClause = (reading, place, clause) => {
  const known = ['query', 'fields', 'type', 'operator', 'fuzziness', 'minimum_should_match', 'slop'];
  const options = optionsAt(reading, place, clause, known);
  const text = textAt(reading, below(place, 'query'), needed(reading, place, options, 'query'));
  const type = member(options, 'type') ?? 'best_fields';
  if (typeof type !== 'string' || !TYPES.includes(type)) {
    throw refuse(reading, below(place, 'type'), `must be one of ${TYPES.join(', ')}`);
  }
  const how = {
    operator: operatorAt(reading, place, options, 'operator'),
    share: member(options, 'minimum_should_match'),
    typos: typosAt(reading, place, options),
  };
  const slop = slopAt(reading, place, member(options, 'slop'));
  const fields = fieldsAt(reading, below(place, 'fields'), member(options, 'fields'));
  countClauses(reading, place, fields.length);
  return some(
    fields.map(({ field, by }) => {
      const isPhrase = type === 'phrase';
      const of = isPhrase ? phraseOf(reading, place, field, text, slop) : wordsIn(reading, place, field, text, how);
      return by === 1 ? of : { is: 'boosted', of, by };
    }),
  );
};

const prefix: ReadClause = (reading, at, clause) => {
  const { field, options, place } = fieldOptionsAt(reading, at, clause, 'value', ['case_insensitive']);
  const text = stringAt(reading, place, needed(reading, place, options, 'value'));
  return { is: 'prefix', field, text, anyCase: flagAt(reading, place, options, 'case_insensitive') };
};

const wildcard: ReadClause = (reading, at, clause) => {
  const known = ['wildcard', 'case_insensitive'];
  const { field, options, place } = fieldOptionsAt(reading, at, clause, 'value', known);
  const text = member(options, 'wildcard') ?? needed(reading, place, options, 'value');
  const pattern = readWildcard(stringAt(reading, place, text, MAX_QUERY));
  return { is: 'wildcard', field, pattern, anyCase: flagAt(reading, place, options, 'case_insensitive') };
};

const regexp: ReadClause = (reading, at, clause) => {
  const { field, options, place } = fieldOptionsAt(reading, at, clause, 'value', ['case_insensitive', 'flags']);
  const text = stringAt(reading, place, needed(reading, place, options, 'value'), MAX_QUERY);
  const pattern = readPlainExpression(text);
  if (!pattern) throw refuse(reading, place, 'only plain characters, . and .* are understood');
  return { is: 'wildcard', field, pattern, anyCase: flagAt(reading, place, options, 'case_insensitive') };
};

const BOUNDS = ['gt', 'gte', 'lt', 'lte'] as const;
const FORMATS: ReadonlySet<string> = new Set([
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

const unitAt = (reading: Reading, place: Place, format: Json | undefined): 's' | 'ms' => {
  if (format === undefined) return 'ms';
  const formats = stringAt(reading, below(place, 'format'), format).split('||');
  const strange = formats.find((one) => !FORMATS.has(one));
  if (strange !== undefined) throw refuse(reading, below(place, 'format'), 'is not understood');
  return formats.includes('epoch_second') ? 's' : 'ms';
};

const range: ReadClause = (reading, at, clause) => {
  const { field, value, place } = oneFieldAt(reading, at, clause);
  const options = optionsAt(reading, place, value, [...BOUNDS, 'format']);
  const bounds = BOUNDS.flatMap((is): Bound[] => {
    const bound = member(options, is) ?? null;
    return bound === null ? [] : [{ is, value: scalarAt(reading, below(place, is), bound) }];
  });
  const unit = unitAt(reading, place, member(options, 'format'));
  return bounds.length === 0 ? { is: 'exists', field } : { is: 'range', field, bounds, unit };
};

const exists: ReadClause = (reading, place, clause) => {
  const options = optionsAt(reading, place, clause, ['field']);
  return { is: 'exists', field: fieldAt(reading, below(place, 'field'), needed(reading, place, options, 'field')) };
};

const queryString: ReadClause = (reading, place, clause) => {
  const known = ['query', 'fields', 'default_field', 'default_operator', 'fuzziness'];
  const options = optionsAt(reading, place, clause, known);
  const text = stringAt(reading, below(place, 'query'), needed(reading, place, options, 'query'), MAX_QUERY);
  const fields = fieldsAt(
    reading,
    below(place, 'fields'),
    member(options, 'fields') ?? member(options, 'default_field'),
  );
  return readQueryString(text, {
    ...reading,
    operator: operatorAt(reading, place, options, 'default_operator'),
    typos: typosAt(reading, place, options, 2),
    fields,
    fault: (problem) => refuse(reading, below(place, 'query'), problem),
    count: (more) => countClauses(reading, place, more),
  });
};

const nothingIn =
  (known: Filter): ReadClause =>
  (reading, place, clause) => {
    optionsAt(reading, place, clause, []);
    return known;
  };

/** How each clause is read, by its name. */
export const CLAUSES: ReadonlyMap<string, ReadClause> = new Map<string, ReadClause>([
  ['match_all', nothingIn(ALL)],
  ['match_none', nothingIn(NONE)],
  ['term', term],
  ['terms', terms],
  ['ids', ids],
  ['match', match],
  ['match_phrase', matchPhrase],
  ['multi_match', multiMatch],
  ['prefix', prefix],
  ['wildcard', wildcard],
  ['regexp', regexp],
  ['range', range],
  ['exists', exists],
  ['query_string', queryString],
  ['simple_query_string', queryString],
]);
