import type { SpendSteps } from '../../model/language/match-budget.ts';
import type { FieldClass } from '../fields.ts';
import { foldText, parseWords, type TextWord, type TokenizedText } from '../tokens.ts';
import { type DateSpan, parseDate } from './dates.ts';
import type { RangeBound, Scalar, SearchFilter } from './search-filter.ts';
import { allowedTypos, hasPhrase, hasToken, isWithinTypos } from './typos.ts';
import { foldWildcard, matchesWildcard } from './wildcard.ts';

/** Tests for the values of one field: word by word for texts, as a whole for all others. */

export type WholeFieldClass = Exclude<FieldClass, 'text' | 'object' | 'any'>;

export type FieldValueTest = {
  readonly whole: (how: WholeFieldClass, value: Scalar) => boolean;
  /** Tests all texts of a field together: a list of texts counts as one text with gaps. */
  readonly texts: (texts: readonly TokenizedText[]) => boolean;
};

export type ValueFilter = Extract<
  SearchFilter,
  { is: 'term' | 'range' | 'words' | 'phrase' | 'prefix' | 'wildcard' | 'fuzzy' }
>;

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?$/;

/** Parses a filter value as a number; undefined when it is none. */
export const parseFilterNumber = (value: Scalar): number | undefined => {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && NUMBER.test(value.trim()) ? Number(value) : undefined;
};

const isText = (how: WholeFieldClass): how is 'folded' | 'exact' => how === 'folded' || how === 'exact';

const comparableText = (how: WholeFieldClass, value: Scalar, anyCase: boolean): string =>
  how === 'exact' && !anyCase ? String(value) : foldText(String(value));

const momentOf = (value: Scalar, now: number): number | undefined => parseDate(value, now)?.from;

const isInSpan = (span: DateSpan | undefined, moment: number | undefined): boolean =>
  span !== undefined && moment !== undefined && moment >= span.from && moment <= span.to;

/** Whether a value equals the wanted one, in whichever form the filter writes it. */
const equalsValue = (
  how: WholeFieldClass,
  value: Scalar,
  wanted: Scalar,
  { anyCase = false, now = 0 } = {},
): boolean => {
  if (how === 'number') return typeof value === 'number' && value === parseFilterNumber(wanted);
  if (how === 'flag') return typeof value === 'boolean' && String(wanted) === String(value);
  if (how === 'date') return isInSpan(parseDate(wanted, now), momentOf(value, now));
  return comparableText(how, value, anyCase) === comparableText(how, wanted, anyCase);
};

const isWithinBound = <T extends number | string>(is: RangeBound['is'], value: T, bound: T): boolean => {
  if (is === 'gt') return value > bound;
  if (is === 'gte') return value >= bound;
  return is === 'lt' ? value < bound : value <= bound;
};

/** The edge of a time range that a bound uses: `gt` and `lte` use its last moment, `gte` and `lt` its first. */
const spanEdgeOf = (is: RangeBound['is'], span: DateSpan): number =>
  is === 'gt' || is === 'lte' ? span.to : span.from;

type RangeFilter = Extract<SearchFilter, { is: 'range' }>;

const fulfilsBound = (
  how: WholeFieldClass,
  value: Scalar,
  { is, value: wanted }: RangeBound,
  unit: RangeFilter['unit'],
  now: number,
) => {
  if (how === 'number') {
    const bound = parseFilterNumber(wanted);
    return typeof value === 'number' && bound !== undefined && isWithinBound(is, value, bound);
  }
  if (how === 'date') {
    const moment = momentOf(value, now);
    const span = parseDate(wanted, now, unit);
    return moment !== undefined && span !== undefined && isWithinBound(is, moment, spanEdgeOf(is, span));
  }
  return isText(how) && isWithinBound(is, comparableText(how, value, false), comparableText(how, wanted, false));
};

const wordsOfFilter = new WeakMap<SearchFilter, readonly TextWord[]>();

/** Parses the words of a condition once, because they are the same for every document. */
export const filterWords = (filter: SearchFilter & { readonly text: string }): readonly TextWord[] => {
  const words = wordsOfFilter.get(filter) ?? parseWords(filter.text);
  wordsOfFilter.set(filter, words);
  return words;
};

const someToken = (texts: readonly TokenizedText[], test: (token: string) => boolean): boolean =>
  texts.some(({ tokens }) => {
    for (const token of tokens) if (test(token)) return true;
    return false;
  });

/** Counts the parts of a word that occur; if the whole word occurs, all its parts do. */
const countFound = (
  texts: readonly TokenizedText[],
  word: TextWord,
  near: (token: string) => number,
  spend: SpendSteps,
): number => {
  const isThere = (token: string) => texts.some(({ tokens }) => hasToken(tokens, token, near(token), spend));
  if (isThere(word.joined)) return word.parts.length;
  return word.parts.filter(isThere).length;
};

type WordsFilter = Extract<SearchFilter, { is: 'words' }>;

const createWordsTest = (leaf: WordsFilter, now: number, spend: SpendSteps): FieldValueTest => {
  const { text, least, typos } = leaf;
  const near = (token: string) => allowedTypos(token, typos);
  return {
    whole: (how, value) =>
      equalsValue(how, value, text, { now }) ||
      (isText(how) &&
        isWithinTypos(comparableText(how, value, false), comparableText(how, text, false), near(text), spend)),
    texts: (texts) => {
      const found = filterWords(leaf).reduce((sum, word) => sum + countFound(texts, word, near, spend), 0);
      return found > 0 && found >= least;
    },
  };
};

/** Creates the test for a condition on one field, which spends steps while it compares. */
export const createValueTest = (leaf: ValueFilter, now: number, spend: SpendSteps): FieldValueTest => {
  switch (leaf.is) {
    case 'term': {
      const { values, anyCase } = leaf;
      const folded = values.map((value) => foldText(String(value)));
      return {
        whole: (how, value) => values.some((wanted) => equalsValue(how, value, wanted, { anyCase, now })),
        texts: (texts) => folded.some((token) => texts.some(({ tokens }) => tokens.has(token))),
      };
    }
    case 'range':
      return {
        whole: (how, value) => leaf.bounds.every((bound) => fulfilsBound(how, value, bound, leaf.unit, now)),
        texts: () => false,
      };
    case 'words':
      return createWordsTest(leaf, now, spend);
    case 'phrase':
      return {
        whole: (how, value) => equalsValue(how, value, leaf.text, { now }),
        texts: (texts) => texts.some((text) => hasPhrase(text, filterWords(leaf), leaf.slop, spend)),
      };
    case 'prefix': {
      const { text, anyCase } = leaf;
      return {
        whole: (how, value) =>
          isText(how) && comparableText(how, value, anyCase).startsWith(comparableText(how, text, anyCase)),
        texts: (texts) => someToken(texts, (token) => token.startsWith(foldText(text))),
      };
    }
    case 'wildcard': {
      const { pattern, anyCase } = leaf;
      const folded = foldWildcard(pattern);
      return {
        whole: (how, value) =>
          isText(how) &&
          matchesWildcard(how === 'exact' && !anyCase ? pattern : folded, comparableText(how, value, anyCase), spend),
        texts: (texts) => someToken(texts, (token) => matchesWildcard(folded, token, spend)),
      };
    }
    case 'fuzzy': {
      const { text, typos } = leaf;
      const most = allowedTypos(text, typos);
      return {
        whole: (how, value) =>
          isText(how) &&
          isWithinTypos(comparableText(how, value, false), comparableText(how, text, false), most, spend),
        texts: (texts) => texts.some(({ tokens }) => hasToken(tokens, foldText(text), most, spend)),
      };
    }
  }
};
