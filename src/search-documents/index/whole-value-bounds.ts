import { fqnPrefixes } from '../../model/name.ts';
import type { FieldClass } from '../fields.ts';
import { parseDate } from '../filter/dates.ts';
import type { Scalar } from '../filter/search-filter.ts';
import { allowedTypos } from '../filter/typos.ts';
import { parseFilterNumber, type ValueFilter } from '../filter/value-test.ts';
import { foldWildcard, limitWildcard } from '../filter/wildcard.ts';
import { foldText, parseIndexedWords } from '../tokens.ts';
import { boundsBetween, exactBounds, NO_DOCUMENTS, orBounds, type QueryBounds } from './bounds.ts';
import type { IndexedField } from './indexed-field.ts';
import {
  andQuery,
  fuzzyQuery,
  LUCENE_NONE,
  type LuceneQuery,
  notQuery,
  orQuery,
  prefixQuery,
  type RangeEnd,
  rangeQuery,
  termQuery,
  wildcardQuery,
} from './lucene.ts';
import { slotNameForPath } from './slots.ts';
import {
  encodeTermText,
  existsTerm,
  fieldCode,
  isTooLongForTerm,
  longValueTerm,
  numberTerm,
  termPrefix,
  valueTerm,
  wordTerm,
} from './terms.ts';

/** Translates conditions on values that are compared as a whole into terms of the index. */

/** How a value is compared, after the suffix of its field's name. */
export type WholeValueClass = Exclude<FieldClass, 'text' | 'object' | 'any'>;

const TERMS_PROPERTY = 'terms';

const presenceQuery = ({ code }: IndexedField): LuceneQuery => termQuery(TERMS_PROPERTY, existsTerm(code));

/** Matches all words of a text in the property that holds the words of the field. */
const allWordsQuery = (place: IndexedField, text: string): LuceneQuery => {
  const property = place.hasSlot ? slotNameForPath(place.path) : 'bag';
  const parts = parseIndexedWords(text).flatMap((word) => word.parts);
  return parts.length === 0 ? presenceQuery(place) : andQuery(parts.map((part) => termQuery(property, wordTerm(part))));
};

/** The first term after all terms of a field and form. */
const termAfter = (code: string, sort: 'folded' | 'exact' | 'number'): string => {
  const start = termPrefix(code, sort);
  return start.slice(0, -1) + String.fromCharCode(start.charCodeAt(start.length - 1) + 1);
};

/** A text stored as written has a folded term only where the folded form differs. */
const termFormsOf = (
  place: IndexedField,
  how: 'folded' | 'exact',
  anyCase: boolean,
): readonly ('folded' | 'exact')[] => {
  if (place.class !== 'exact') return ['folded'];
  return how === 'folded' || anyCase ? ['folded', 'exact'] : ['exact'];
};

/** Bounds of a condition on whole texts, from its query for each form of term. */
const wholeTextBounds = (
  place: IndexedField,
  how: 'folded' | 'exact',
  anyCase: boolean,
  text: string,
  condition: (sort: 'folded' | 'exact', text: string) => LuceneQuery,
): QueryBounds => {
  const isAsWritten = how === 'exact' && !anyCase;
  const sorts = termFormsOf(place, how, anyCase);
  const found = orQuery(sorts.map((sort) => condition(sort, isAsWritten && sort === 'exact' ? text : foldText(text))));
  // For other texts the index does not know the original case.
  return isAsWritten && place.class !== 'exact' ? boundsBetween(LUCENE_NONE, found) : exactBounds(found);
};

const FQN_CODE = fieldCode(['fullyQualifiedName']);

/** Matches records whose columns may have that name. */
const columnOwnersQuery = (text: string): LuceneQuery =>
  orQuery(fqnPrefixes(foldText(text)).map((scope) => termQuery(TERMS_PROPERTY, valueTerm(FQN_CODE, 'folded', scope))));

const equalTextBounds = (place: IndexedField, how: 'folded' | 'exact', text: string, anyCase: boolean): QueryBounds => {
  if (place.isColumnName) return boundsBetween(LUCENE_NONE, columnOwnersQuery(text));
  if (!place.hasTerms) return boundsBetween(LUCENE_NONE, allWordsQuery(place, text));
  return wholeTextBounds(place, how, anyCase, text, (sort, one) =>
    termQuery(TERMS_PROPERTY, valueTerm(place.code, sort, one)),
  );
};

const numberRangeBounds = (place: IndexedField, from: number, to: number): QueryBounds =>
  exactBounds(
    rangeQuery(
      TERMS_PROPERTY,
      { term: numberTerm(place.code, from), isIncluded: true },
      { term: numberTerm(place.code, to), isIncluded: true },
    ),
  );

const boundsIfIndexed = (place: IndexedField, bounds: () => QueryBounds): QueryBounds =>
  place.hasTerms ? bounds() : boundsBetween(LUCENE_NONE, presenceQuery(place));

/** Bounds for a flag in a field of any type, where a flag and a text of the same spelling share a term. */
const equalFlagBounds = (place: IndexedField, wanted: string): QueryBounds => {
  if (wanted !== 'true' && wanted !== 'false') return NO_DOCUMENTS;
  const found = termQuery(TERMS_PROPERTY, valueTerm(place.code, 'folded', wanted));
  return boundsIfIndexed(place, () => (place.class === 'any' ? boundsBetween(LUCENE_NONE, found) : exactBounds(found)));
};

/** Bounds for equality with a value. */
export const equalValueBounds = (
  place: IndexedField,
  how: WholeValueClass,
  wanted: Scalar,
  now: number,
  anyCase = false,
): QueryBounds => {
  if (how === 'folded' || how === 'exact') return equalTextBounds(place, how, String(wanted), anyCase);
  if (how === 'flag') return equalFlagBounds(place, String(wanted));
  if (how === 'date') {
    const span = parseDate(wanted, now);
    return span ? boundsIfIndexed(place, () => numberRangeBounds(place, span.from, span.to)) : NO_DOCUMENTS;
  }
  const number = parseFilterNumber(wanted);
  return number === undefined ? NO_DOCUMENTS : boundsIfIndexed(place, () => numberRangeBounds(place, number, number));
};

type RangeLeaf = Extract<ValueFilter, { is: 'range' }>;

type TermLimit = { readonly is: 'gt' | 'gte' | 'lt' | 'lte'; readonly term: string };

const termLimitsOf = (
  place: IndexedField,
  how: WholeValueClass,
  { bounds, unit }: RangeLeaf,
  now: number,
): readonly TermLimit[] | undefined => {
  const limits = bounds.map(({ is, value }): TermLimit | undefined => {
    if (how === 'number') {
      const number = parseFilterNumber(value);
      return number === undefined ? undefined : { is, term: numberTerm(place.code, number) };
    }
    if (how === 'date') {
      const span = parseDate(value, now, unit);
      if (!span) return undefined;
      return { is, term: numberTerm(place.code, is === 'gt' || is === 'lte' ? span.to : span.from) };
    }
    if (how === 'flag') return undefined;
    const sort = place.class === 'exact' ? 'exact' : 'folded';
    const text = how === 'exact' && sort === 'exact' ? String(value) : foldText(String(value));
    return { is, term: termPrefix(place.code, sort) + encodeTermText(text) };
  });
  return limits.every((limit) => limit !== undefined) ? limits : undefined;
};

/** Matches terms within all limits; of several limits on one side, the narrowest counts. */
const termRangeQuery = (place: IndexedField, how: WholeValueClass, limits: readonly TermLimit[]): LuceneQuery => {
  const sort = how === 'number' || how === 'date' ? 'number' : place.class === 'exact' ? 'exact' : 'folded';
  let from: RangeEnd = { term: termPrefix(place.code, sort), isIncluded: true };
  let to: RangeEnd = { term: termAfter(place.code, sort), isIncluded: false };
  for (const { is, term: limit } of limits) {
    const isIncluded = is === 'gte' || is === 'lte';
    if (is === 'gt' || is === 'gte') {
      if (limit > from.term || (limit === from.term && !isIncluded)) from = { term: limit, isIncluded };
    } else if (limit < to.term || (limit === to.term && !isIncluded)) to = { term: limit, isIncluded };
  }
  return from.term > to.term ? LUCENE_NONE : rangeQuery(TERMS_PROPERTY, from, to);
};

const rangeBounds = (place: IndexedField, how: WholeValueClass, leaf: RangeLeaf, now: number): QueryBounds => {
  const limits = termLimitsOf(place, how, leaf, now);
  if (!limits) return NO_DOCUMENTS;
  const isVague =
    leaf.bounds.some(({ value }) => isTooLongForTerm(String(value))) ||
    // The index can compare texts with case only where it stores them with case.
    (how === 'exact' && place.class !== 'exact') ||
    (how === 'folded' && place.class === 'exact');
  if (!place.hasTerms || isVague)
    return boundsBetween(LUCENE_NONE, place.hasTerms ? existsQuery(place) : presenceQuery(place));
  return exactBounds(termRangeQuery(place, how, limits));
};

/** Matches documents that have any value in the field. */
export const existsQuery = (place: IndexedField): LuceneQuery =>
  orQuery([
    presenceQuery(place),
    ...(place.hasTerms
      ? (['folded', 'exact', 'number'] as const).map((sort) =>
          prefixQuery(TERMS_PROPERTY, termPrefix(place.code, sort)),
        )
      : []),
  ]);

const isText = (how: WholeValueClass): how is 'folded' | 'exact' => how === 'folded' || how === 'exact';

const fuzzyTextBounds = (place: IndexedField, how: 'folded' | 'exact', text: string, typos: number): QueryBounds => {
  const same = equalValueBounds(place, how, text, 0, true);
  if (typos === 0 || !place.hasTerms) return place.hasTerms ? same : boundsBetween(LUCENE_NONE, presenceQuery(place));
  // A typo could also fall into the field code before the text, so the results are only possible matches.
  const near = orQuery(
    termFormsOf(place, 'folded', true).map((sort) =>
      fuzzyQuery(TERMS_PROPERTY, valueTerm(place.code, sort, foldText(text)), typos),
    ),
  );
  return orBounds([same, boundsBetween(LUCENE_NONE, near)]);
};

const prefixBounds = (
  place: IndexedField,
  how: 'folded' | 'exact',
  leaf: Extract<ValueFilter, { is: 'prefix' }>,
): QueryBounds => {
  if (!place.hasTerms) return boundsBetween(LUCENE_NONE, presenceQuery(place));
  if (isTooLongForTerm(leaf.text)) return boundsBetween(LUCENE_NONE, existsQuery(place));
  const { text, anyCase } = leaf;
  return wholeTextBounds(place, how, anyCase, text, (sort, start) =>
    prefixQuery(TERMS_PROPERTY, termPrefix(place.code, sort) + encodeTermText(start)),
  );
};

const wildcardBounds = (
  place: IndexedField,
  how: 'folded' | 'exact',
  leaf: Extract<ValueFilter, { is: 'wildcard' }>,
): QueryBounds => {
  if (!place.hasTerms) return boundsBetween(LUCENE_NONE, presenceQuery(place));
  const { pattern, anyCase } = leaf;
  const isAsWritten = how === 'exact' && !anyCase;
  const bounded = limitWildcard(pattern);
  const folded = limitWildcard(foldWildcard(pattern));
  const found = orQuery(
    termFormsOf(place, how, anyCase).map((sort) =>
      wildcardQuery(
        TERMS_PROPERTY,
        termPrefix(place.code, sort),
        (isAsWritten && sort === 'exact' ? bounded : folded).pattern,
      ),
    ),
  );
  const long = termQuery(TERMS_PROPERTY, longValueTerm(place.code));
  const isVague = (isAsWritten && place.class !== 'exact') || !bounded.isWhole || !folded.isWhole;
  const sure = isVague ? LUCENE_NONE : andQuery([found, notQuery(long)]);
  return boundsBetween(sure, orQuery([found, long]));
};

/** Bounds of a condition on the whole value of a field. */
export const wholeValueBounds = (
  place: IndexedField,
  how: WholeValueClass,
  leaf: ValueFilter,
  now: number,
): QueryBounds => {
  switch (leaf.is) {
    case 'term':
      return orBounds(leaf.values.map((value) => equalValueBounds(place, how, value, now, leaf.anyCase)));
    case 'range':
      return rangeBounds(place, how, leaf, now);
    case 'phrase':
      return equalValueBounds(place, how, leaf.text, now);
    case 'words': {
      const same = equalValueBounds(place, how, leaf.text, now);
      const typos = allowedTypos(leaf.text, leaf.typos);
      return isText(how) && typos > 0 ? orBounds([same, fuzzyTextBounds(place, how, leaf.text, typos)]) : same;
    }
    case 'fuzzy':
      return isText(how) ? fuzzyTextBounds(place, how, leaf.text, allowedTypos(leaf.text, leaf.typos)) : NO_DOCUMENTS;
    case 'prefix':
      return isText(how) ? prefixBounds(place, how, leaf) : NO_DOCUMENTS;
    case 'wildcard':
      return isText(how) ? wildcardBounds(place, how, leaf) : NO_DOCUMENTS;
  }
};
