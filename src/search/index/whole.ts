import { scopesOf } from '../../model/name.ts';
import type { FieldClass } from '../fields.ts';
import { readDate } from '../filter/dates.ts';
import { type Leaf, numberOf } from '../filter/leaves.ts';
import { typosFor } from '../filter/near.ts';
import { boundPattern, foldPattern } from '../filter/pattern.ts';
import type { Scalar } from '../filter/tree.ts';
import { fold, soughtWords } from '../tokens.ts';
import { type Bounds, exactly, nothing, someBounds, within } from './bounds.ts';
import {
  allOf,
  anyOf,
  type End,
  type Lucene,
  NOTHING,
  nearIn,
  noneOf,
  patternIn,
  prefixIn,
  rangeIn,
  termIn,
} from './lucene.ts';
import type { Place } from './places.ts';
import { slotNameOf } from './slots.ts';
import { codeOf, isLong, longTerm, numberTerm, stem, term, thereTerm, wordTerm, written } from './terms.ts';

/** Conditions on values that are compared as a whole, in the terms of the index. */

/** How the value is compared that a name with its variant leads to. */
export type Whole = Exclude<FieldClass, 'text' | 'object' | 'any'>;

const TERMS = 'terms';

const there = ({ code }: Place): Lucene => termIn(TERMS, thereTerm(code));

/** All words of a text, wherever the index keeps those of the place. */
const wordsOfText = (place: Place, text: string): Lucene => {
  const property = place.isSlotted ? slotNameOf(place.path) : 'bag';
  const parts = soughtWords(text).flatMap((word) => word.parts);
  return parts.length === 0 ? there(place) : allOf(parts.map((part) => termIn(property, wordTerm(part))));
};

/** The places where the end of what begins so would be. */
const after = (code: string, sort: 'folded' | 'exact' | 'number'): string => {
  const start = stem(code, sort);
  return start.slice(0, -1) + String.fromCharCode(start.charCodeAt(start.length - 1) + 1);
};

/** Texts that are kept as they are written have a folded form of their own only where it differs. */
const sortsOf = (place: Place, how: 'folded' | 'exact', anyCase: boolean): readonly ('folded' | 'exact')[] => {
  if (place.class !== 'exact') return ['folded'];
  return how === 'folded' || anyCase ? ['folded', 'exact'] : ['exact'];
};

/** A condition on whole texts, from what it is for each sort of terms. */
const onTexts = (
  place: Place,
  how: 'folded' | 'exact',
  anyCase: boolean,
  text: string,
  condition: (sort: 'folded' | 'exact', text: string) => Lucene,
): Bounds => {
  const isAsWritten = how === 'exact' && !anyCase;
  const sorts = sortsOf(place, how, anyCase);
  const found = anyOf(sorts.map((sort) => condition(sort, isAsWritten && sort === 'exact' ? text : fold(text))));
  // Of other texts the index does not know how they were written.
  return isAsWritten && place.class !== 'exact' ? within(NOTHING, found) : exactly(found);
};

const RECORD_NAME = codeOf(['fullyQualifiedName']);

/** Records whose columns may have that name. */
const holdersOf = (text: string): Lucene =>
  anyOf(scopesOf(fold(text)).map((scope) => termIn(TERMS, term(RECORD_NAME, 'folded', scope))));

const equalText = (place: Place, how: 'folded' | 'exact', text: string, anyCase: boolean): Bounds => {
  if (place.isColumnName) return within(NOTHING, holdersOf(text));
  if (!place.isApart) return within(NOTHING, wordsOfText(place, text));
  return onTexts(place, how, anyCase, text, (sort, one) => termIn(TERMS, term(place.code, sort, one)));
};

const between = (place: Place, from: number, to: number): Bounds =>
  exactly(
    rangeIn(
      TERMS,
      { term: numberTerm(place.code, from), isIn: true },
      { term: numberTerm(place.code, to), isIn: true },
    ),
  );

const unlessTold = (place: Place, bounds: () => Bounds): Bounds =>
  place.isApart ? bounds() : within(NOTHING, there(place));

/** Of a place that may hold anything, a flag and a text that says the same have the same term. */
const equalFlag = (place: Place, wanted: string): Bounds => {
  if (wanted !== 'true' && wanted !== 'false') return nothing;
  const found = termIn(TERMS, term(place.code, 'folded', wanted));
  return unlessTold(place, () => (place.class === 'any' ? within(NOTHING, found) : exactly(found)));
};

/** The value is the one that is wanted. */
export const equalTo = (place: Place, how: Whole, wanted: Scalar, now: number, anyCase = false): Bounds => {
  if (how === 'folded' || how === 'exact') return equalText(place, how, String(wanted), anyCase);
  if (how === 'flag') return equalFlag(place, String(wanted));
  if (how === 'date') {
    const span = readDate(wanted, now);
    return span ? unlessTold(place, () => between(place, span.from, span.to)) : nothing;
  }
  const number = numberOf(wanted);
  return number === undefined ? nothing : unlessTold(place, () => between(place, number, number));
};

type Range = Extract<Leaf, { is: 'range' }>;

type Limit = { readonly is: 'gt' | 'gte' | 'lt' | 'lte'; readonly term: string };

const limitsOf = (place: Place, how: Whole, { bounds, unit }: Range, now: number): readonly Limit[] | undefined => {
  const limits = bounds.map(({ is, value }): Limit | undefined => {
    if (how === 'number') {
      const number = numberOf(value);
      return number === undefined ? undefined : { is, term: numberTerm(place.code, number) };
    }
    if (how === 'date') {
      const span = readDate(value, now, unit);
      if (!span) return undefined;
      return { is, term: numberTerm(place.code, is === 'gt' || is === 'lte' ? span.to : span.from) };
    }
    if (how === 'flag') return undefined;
    const sort = place.class === 'exact' ? 'exact' : 'folded';
    const text = how === 'exact' && sort === 'exact' ? String(value) : fold(String(value));
    return { is, term: stem(place.code, sort) + written(text) };
  });
  return limits.every((limit) => limit !== undefined) ? limits : undefined;
};

/** The term lies between all of these; of several limits on one side the narrowest counts. */
const ranging = (place: Place, how: Whole, limits: readonly Limit[]): Lucene => {
  const sort = how === 'number' || how === 'date' ? 'number' : place.class === 'exact' ? 'exact' : 'folded';
  let from: End = { term: stem(place.code, sort), isIn: true };
  let to: End = { term: after(place.code, sort), isIn: false };
  for (const { is, term: limit } of limits) {
    const isIn = is === 'gte' || is === 'lte';
    if (is === 'gt' || is === 'gte') {
      if (limit > from.term || (limit === from.term && !isIn)) from = { term: limit, isIn };
    } else if (limit < to.term || (limit === to.term && !isIn)) to = { term: limit, isIn };
  }
  return from.term > to.term ? NOTHING : rangeIn(TERMS, from, to);
};

const rangeBounds = (place: Place, how: Whole, leaf: Range, now: number): Bounds => {
  const limits = limitsOf(place, how, leaf, now);
  if (!limits) return nothing;
  const isVague =
    leaf.bounds.some(({ value }) => isLong(String(value))) ||
    // Texts with a case of their own are compared in it only where they are kept in it.
    (how === 'exact' && place.class !== 'exact') ||
    (how === 'folded' && place.class === 'exact');
  if (!place.isApart || isVague) return within(NOTHING, place.isApart ? anyTerm(place) : there(place));
  return exactly(ranging(place, how, limits));
};

/** Whatever the place has. */
export const anyTerm = (place: Place): Lucene =>
  anyOf([
    there(place),
    ...(place.isApart
      ? (['folded', 'exact', 'number'] as const).map((sort) => prefixIn(TERMS, stem(place.code, sort)))
      : []),
  ]);

const isText = (how: Whole): how is 'folded' | 'exact' => how === 'folded' || how === 'exact';

const nearText = (place: Place, how: 'folded' | 'exact', text: string, typos: number): Bounds => {
  const same = equalTo(place, how, text, 0, true);
  if (typos === 0 || !place.isApart) return place.isApart ? same : within(NOTHING, there(place));
  // A letter that is off may be one of the code before the text.
  const near = anyOf(
    sortsOf(place, 'folded', true).map((sort) => nearIn(TERMS, term(place.code, sort, fold(text)), typos)),
  );
  return someBounds([same, within(NOTHING, near)]);
};

const prefixBounds = (place: Place, how: 'folded' | 'exact', leaf: Extract<Leaf, { is: 'prefix' }>): Bounds => {
  if (!place.isApart) return within(NOTHING, there(place));
  if (isLong(leaf.text)) return within(NOTHING, anyTerm(place));
  const { text, anyCase } = leaf;
  return onTexts(place, how, anyCase, text, (sort, start) => prefixIn(TERMS, stem(place.code, sort) + written(start)));
};

const wildcardBounds = (place: Place, how: 'folded' | 'exact', leaf: Extract<Leaf, { is: 'wildcard' }>): Bounds => {
  if (!place.isApart) return within(NOTHING, there(place));
  const { pattern, anyCase } = leaf;
  const isAsWritten = how === 'exact' && !anyCase;
  const bounded = boundPattern(pattern);
  const folded = boundPattern(foldPattern(pattern));
  const found = anyOf(
    sortsOf(place, how, anyCase).map((sort) =>
      patternIn(TERMS, stem(place.code, sort), (isAsWritten && sort === 'exact' ? bounded : folded).pattern),
    ),
  );
  const long = termIn(TERMS, longTerm(place.code));
  const isVague = (isAsWritten && place.class !== 'exact') || !bounded.isWhole || !folded.isWhole;
  const sure = isVague ? NOTHING : allOf([found, noneOf(long)]);
  return within(sure, anyOf([found, long]));
};

/** A condition on the whole value of a place. */
export const wholeBounds = (place: Place, how: Whole, leaf: Leaf, now: number): Bounds => {
  switch (leaf.is) {
    case 'term':
      return someBounds(leaf.values.map((value) => equalTo(place, how, value, now, leaf.anyCase)));
    case 'range':
      return rangeBounds(place, how, leaf, now);
    case 'phrase':
      return equalTo(place, how, leaf.text, now);
    case 'words': {
      const same = equalTo(place, how, leaf.text, now);
      const typos = typosFor(leaf.text, leaf.typos);
      return isText(how) && typos > 0 ? someBounds([same, nearText(place, how, leaf.text, typos)]) : same;
    }
    case 'fuzzy':
      return isText(how) ? nearText(place, how, leaf.text, typosFor(leaf.text, leaf.typos)) : nothing;
    case 'prefix':
      return isText(how) ? prefixBounds(place, how, leaf) : nothing;
    case 'wildcard':
      return isText(how) ? wildcardBounds(place, how, leaf) : nothing;
  }
};
