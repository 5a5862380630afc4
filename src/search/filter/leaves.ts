import type { FieldClass } from '../fields.ts';
import { fold, type Text, type Word, wordsOf } from '../tokens.ts';
import { readDate, type Span } from './dates.ts';
import { hasToken, holdsPhrase, isNear, typosFor } from './near.ts';
import { fitsPattern, foldPattern } from './pattern.ts';

import type { Bound, Filter, Scalar } from './tree.ts';

/** How a value of one field is judged: as a whole when it is no text, and by its words when it is. */

export type Whole = Exclude<FieldClass, 'text' | 'object' | 'any'>;

export type Test = {
  readonly whole: (how: Whole, value: Scalar) => boolean;
  /** All texts of a field together: a list of texts is one text with gaps. */
  readonly texts: (texts: readonly Text[]) => boolean;
};

export type Leaf = Extract<Filter, { is: 'term' | 'range' | 'words' | 'phrase' | 'prefix' | 'wildcard' | 'fuzzy' }>;

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?$/;

/** A value of a filter as a number; undefined when it is none. */
export const numberOf = (value: Scalar): number | undefined => {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && NUMBER.test(value.trim()) ? Number(value) : undefined;
};

const isText = (how: Whole): how is 'folded' | 'exact' => how === 'folded' || how === 'exact';

const written = (how: Whole, value: Scalar, anyCase: boolean): string =>
  how === 'exact' && !anyCase ? String(value) : fold(String(value));

const momentOf = (value: Scalar, now: number): number | undefined => readDate(value, now)?.from;

const isInSpan = (span: Span | undefined, moment: number | undefined): boolean =>
  span !== undefined && moment !== undefined && moment >= span.from && moment <= span.to;

/** Whether a value is the one that is wanted, whichever way a filter writes it. */
const equals = (how: Whole, value: Scalar, wanted: Scalar, { anyCase = false, now = 0 } = {}): boolean => {
  if (how === 'number') return typeof value === 'number' && value === numberOf(wanted);
  if (how === 'flag') return typeof value === 'boolean' && String(wanted) === String(value);
  if (how === 'date') return isInSpan(readDate(wanted, now), momentOf(value, now));
  return written(how, value, anyCase) === written(how, wanted, anyCase);
};

const compare = <T extends number | string>(is: Bound['is'], value: T, bound: T): boolean => {
  if (is === 'gt') return value > bound;
  if (is === 'gte') return value >= bound;
  return is === 'lt' ? value < bound : value <= bound;
};

/** A day that is no longer meant ends before the next begins; one that still is, with its last moment. */
const edgeOf = (is: Bound['is'], span: Span): number => (is === 'gt' || is === 'lte' ? span.to : span.from);

type Range = Extract<Filter, { is: 'range' }>;

const isInBound = (how: Whole, value: Scalar, { is, value: wanted }: Bound, unit: Range['unit'], now: number) => {
  if (how === 'number') {
    const bound = numberOf(wanted);
    return typeof value === 'number' && bound !== undefined && compare(is, value, bound);
  }
  if (how === 'date') {
    const moment = momentOf(value, now);
    const span = readDate(wanted, now, unit);
    return moment !== undefined && span !== undefined && compare(is, moment, edgeOf(is, span));
  }
  return isText(how) && compare(is, written(how, value, false), written(how, wanted, false));
};

const made = new WeakMap<Filter, readonly Word[]>();

/** The words of a condition are the same for every document. */
export const wordsIn = (filter: Filter & { readonly text: string }): readonly Word[] => {
  const words = made.get(filter) ?? wordsOf(filter.text);
  made.set(filter, words);
  return words;
};

const someToken = (texts: readonly Text[], test: (token: string) => boolean): boolean =>
  texts.some(({ tokens }) => {
    for (const token of tokens) if (test(token)) return true;
    return false;
  });

/** How many parts of a word are there; as a whole it is there with all of them. */
const countFound = (texts: readonly Text[], word: Word, near: (token: string) => number): number => {
  const isThere = (token: string) => texts.some(({ tokens }) => hasToken(tokens, token, near(token)));
  if (isThere(word.joined)) return word.parts.length;
  return word.parts.filter(isThere).length;
};

type Words = Extract<Filter, { is: 'words' }>;

const wordsTest = (leaf: Words, now: number): Test => {
  const { text, least, typos } = leaf;
  const near = (token: string) => typosFor(token, typos);
  return {
    whole: (how, value) =>
      equals(how, value, text, { now }) ||
      (isText(how) && isNear(written(how, value, false), written(how, text, false), near(text))),
    texts: (texts) => {
      const found = wordsIn(leaf).reduce((sum, word) => sum + countFound(texts, word, near), 0);
      return found > 0 && found >= least;
    },
  };
};

/** How a condition on one field judges its values. */
export const testOf = (leaf: Leaf, now: number): Test => {
  switch (leaf.is) {
    case 'term': {
      const { values, anyCase } = leaf;
      const folded = values.map((value) => fold(String(value)));
      return {
        whole: (how, value) => values.some((wanted) => equals(how, value, wanted, { anyCase, now })),
        texts: (texts) => folded.some((token) => texts.some(({ tokens }) => tokens.has(token))),
      };
    }
    case 'range':
      return {
        whole: (how, value) => leaf.bounds.every((bound) => isInBound(how, value, bound, leaf.unit, now)),
        texts: () => false,
      };
    case 'words':
      return wordsTest(leaf, now);
    case 'phrase':
      return {
        whole: (how, value) => equals(how, value, leaf.text, { now }),
        texts: (texts) => texts.some((text) => holdsPhrase(text, wordsIn(leaf), leaf.slop)),
      };
    case 'prefix': {
      const { text, anyCase } = leaf;
      return {
        whole: (how, value) => isText(how) && written(how, value, anyCase).startsWith(written(how, text, anyCase)),
        texts: (texts) => someToken(texts, (token) => token.startsWith(fold(text))),
      };
    }
    case 'wildcard': {
      const { pattern, anyCase } = leaf;
      const folded = foldPattern(pattern);
      return {
        whole: (how, value) =>
          isText(how) && fitsPattern(how === 'exact' && !anyCase ? pattern : folded, written(how, value, anyCase)),
        texts: (texts) => someToken(texts, (token) => fitsPattern(folded, token)),
      };
    }
    case 'fuzzy': {
      const { text, typos } = leaf;
      const most = typosFor(text, typos);
      return {
        whole: (how, value) => isText(how) && isNear(written(how, value, false), written(how, text, false), most),
        texts: (texts) => texts.some(({ tokens }) => hasToken(tokens, fold(text), most)),
      };
    }
  }
};
