import type { Kind } from '../../model/kind.ts';
import { type Field, type Fields, fieldsOf } from '../fields.ts';
import { readDate } from '../filter/dates.ts';
import { type Leaf, numberOf, type Whole, wordsIn } from '../filter/leaves.ts';
import { typosFor } from '../filter/near.ts';
import type { Filter, Scalar } from '../filter/tree.ts';
import { choices } from '../index/choices.ts';
import { type Place, placeOf } from '../index/places.ts';
import { type Slot, slotNameOf, slotsOf } from '../index/slots.ts';
import { numberIn, numberTerm, term, thereTerm, wordTerm } from '../index/terms.ts';
import { countParts, fold, type Word } from '../tokens.ts';
import { HIGHEST, hashOf, LOWEST, orderedFrom } from './companions.ts';
import { allOf, anyHash, anyOf, between, type Condition, EVERYTHING, NOTHING, notOf } from './condition.ts';
import { hasPairs, pairKey, wordKey } from './row.ts';
import { numberPlaces } from './schema.ts';

/**
 * Filters in the conditions of collections, kind by kind. What cannot be said exactly is not said: then the whole request
 * is answered by the graph.
 */

type Scope = {
  readonly kind: Kind;
  readonly fields: Fields;
  readonly slots: readonly Slot[];
  readonly now: number;
  /** The path of the list whose elements are looked at. */
  readonly inside: readonly string[];
};

type Said = Condition | undefined;

const UNSAID: Said = undefined;

const isSaid = (one: Said): one is Condition => one !== undefined;

const joined = (parts: readonly Said[], join: (of: readonly Condition[]) => Condition): Said =>
  parts.every(isSaid) ? join(parts) : UNSAID;

const thereHash = (code: string): string => hashOf(thereTerm(code));

const ordered = (value: number): bigint => orderedFrom(numberIn.write(value));

/** Whether the numbers of a place have a field of their own. */
const hasNumbers = ({ kind }: Scope, { code }: Place): boolean => numberPlaces(kind).has(code);

const equalText = (place: Place, how: 'folded' | 'exact', text: string, anyCase: boolean): Said => {
  if (!place.isApart || place.isColumnName) return UNSAID;
  const isAsWritten = how === 'exact' && !anyCase;
  if (place.class !== 'exact') return isAsWritten ? UNSAID : anyHash([hashOf(term(place.code, 'folded', fold(text)))]);
  if (isAsWritten) return anyHash([hashOf(term(place.code, 'exact', text))]);
  // A text that is in lower case anyway stands there only as it is written.
  const folded = fold(text);
  return anyHash((['folded', 'exact'] as const).map((sort) => hashOf(term(place.code, sort, folded))));
};

const equalDate = (scope: Scope, place: Place, wanted: Scalar): Said => {
  const span = readDate(wanted, scope.now);
  if (!span) return NOTHING;
  if (span.from === span.to) return anyHash([hashOf(numberTerm(place.code, span.from))]);
  return hasNumbers(scope, place) ? between(place.code, ordered(span.from), ordered(span.to)) : UNSAID;
};

const equalTo = (scope: Scope, place: Place, how: Whole, wanted: Scalar, anyCase = false): Said => {
  if (!place.isApart) return UNSAID;
  if (how === 'folded' || how === 'exact') return equalText(place, how, String(wanted), anyCase);
  if (how === 'flag') {
    const flag = String(wanted);
    return flag === 'true' || flag === 'false' ? anyHash([hashOf(term(place.code, 'folded', flag))]) : NOTHING;
  }
  if (how === 'date') return equalDate(scope, place, wanted);
  const number = numberOf(wanted);
  return number === undefined ? NOTHING : anyHash([hashOf(numberTerm(place.code, number))]);
};

type Range = Extract<Leaf, { is: 'range' }>;

const limitOf = (how: 'number' | 'date', { is, value }: Range['bounds'][number], unit: Range['unit'], now: number) => {
  if (how === 'number') return numberOf(value);
  const span = readDate(value, now, unit);
  return span && (is === 'gt' || is === 'lte' ? span.to : span.from);
};

const rangeOf = (scope: Scope, place: Place, how: Whole, { bounds, unit }: Range): Said => {
  if (how === 'flag') return NOTHING;
  if ((how !== 'number' && how !== 'date') || !hasNumbers(scope, place)) return UNSAID;
  let [from, to] = [LOWEST, HIGHEST];
  for (const bound of bounds) {
    const limit = limitOf(how, bound, unit, scope.now);
    if (limit === undefined) return NOTHING;
    const at = ordered(limit);
    if (bound.is === 'gt' || bound.is === 'gte') {
      const first = bound.is === 'gt' ? at + 1n : at;
      if (first > from) from = first;
    } else {
      const last = bound.is === 'lt' ? at - 1n : at;
      if (last < to) to = last;
    }
  }
  return between(place.code, from, to);
};

const isText = (how: Whole): how is 'folded' | 'exact' => how === 'folded' || how === 'exact';

const wholeOf = (scope: Scope, place: Place, how: Whole, leaf: Leaf): Said => {
  switch (leaf.is) {
    case 'term':
      return joined(
        leaf.values.map((value) => equalTo(scope, place, how, value, leaf.anyCase)),
        anyOf,
      );
    case 'range':
      return rangeOf(scope, place, how, leaf);
    case 'phrase':
      return equalTo(scope, place, how, leaf.text);
    case 'words':
      return isText(how) && typosFor(leaf.text, leaf.typos) > 0 ? UNSAID : equalTo(scope, place, how, leaf.text);
    case 'fuzzy':
      if (!isText(how)) return NOTHING;
      return how === 'folded' && typosFor(leaf.text, leaf.typos) === 0 ? equalTo(scope, place, how, leaf.text) : UNSAID;
    case 'prefix':
    case 'wildcard':
      return isText(how) ? UNSAID : NOTHING;
  }
};

const wordHash = (slot: string, word: string): string => hashOf(wordKey(slot, wordTerm(word)));

const hasWord = (slot: string, word: string): Condition => anyHash([wordHash(slot, word)]);

const hasWhole = (slot: string, { joined: whole, parts }: Word): Condition =>
  anyOf([hasWord(slot, whole), allOf(parts.map((part) => hasWord(slot, part)))]);

/** So many ways to take some of several conditions are written out. */
const MOST_CHOICES = 64;

const countChoices = (count: number, least: number): number => {
  let ways = 1;
  for (let taken = 1; taken <= least; taken += 1) ways = (ways * (count - taken + 1)) / taken;
  return ways;
};

const atLeast = (of: readonly Condition[], least: number): Said => {
  if (least > of.length) return NOTHING;
  if (least <= 0) return EVERYTHING;
  if (least === 1) return anyOf(of);
  if (countChoices(of.length, least) > MOST_CHOICES) return UNSAID;
  return anyOf(choices(of, least).map(allOf));
};

const wordsOfSlot = (slot: string, leaf: Extract<Leaf, { is: 'words' }>): Said => {
  const words = wordsIn(leaf);
  const count = countParts(words);
  const { least, typos } = leaf;
  if (count === 0 || least > count) return NOTHING;
  const all = words.flatMap(({ joined: whole, parts }) => [whole, ...parts]);
  if (all.some((word) => typosFor(word, typos) > 0)) return UNSAID;
  if (least <= 1) return anyHash(all.map((word) => wordHash(slot, word)));
  if (least === count) return allOf(words.map((word) => hasWhole(slot, word)));
  if (words.some(({ parts }) => parts.length > 1)) return UNSAID;
  return atLeast(
    words.map((word) => hasWhole(slot, word)),
    least,
  );
};

const inRow = (slot: string, words: readonly string[]): Said => {
  const [first, second] = words.map(wordTerm);
  if (first === undefined) return NOTHING;
  if (second === undefined) return anyHash([hashOf(wordKey(slot, first))]);
  return words.length === 2 && hasPairs(slot) ? anyHash([hashOf(pairKey(slot, first, second))]) : UNSAID;
};

const phraseOf = (slot: string, leaf: Extract<Leaf, { is: 'phrase' }>): Said => {
  const words = wordsIn(leaf);
  if (words.length === 0) return NOTHING;
  if (leaf.slop > 0 && countParts(words) > 1) return UNSAID;
  const parts = words.flatMap((word) => word.parts);
  const wholes = words.map((word) => word.joined);
  return joined([inRow(slot, parts), inRow(slot, wholes)], anyOf);
};

const slotOf = (slot: string, leaf: Leaf): Said => {
  switch (leaf.is) {
    case 'term':
      return anyHash(leaf.values.map((value) => wordHash(slot, fold(String(value)))));
    case 'words':
      return wordsOfSlot(slot, leaf);
    case 'phrase':
      return phraseOf(slot, leaf);
    case 'fuzzy':
      return typosFor(leaf.text, leaf.typos) > 0 ? UNSAID : hasWord(slot, fold(leaf.text));
    case 'range':
      return NOTHING;
    case 'prefix':
    case 'wildcard':
      return UNSAID;
  }
};

const fieldOf = (scope: Scope, { class: how, path }: Field, leaf: Leaf): Said => {
  const place = placeOf(scope.kind, path);
  if (how === 'object') return NOTHING;
  // Of what may be anything, nothing is kept that tells a text from a flag that says the same.
  if (how === 'any' || place.class === 'any') return UNSAID;
  if (how !== 'text') return wholeOf(scope, place, how, leaf);
  if (leaf.is === 'range' || !place.isSlotted) return UNSAID;
  return slotOf(slotNameOf(place.path), leaf);
};

const isInside = ({ path }: Field, inside: readonly string[]): boolean => inside.every((name, at) => path[at] === name);

const fieldAt = (scope: Scope, name: string): Field | undefined => {
  const field = scope.fields(name);
  return field && isInside(field, scope.inside) ? field : undefined;
};

/** What is told of a place by equality alone says whether anything stands there. */
const existsAt = (scope: Scope, name: string): Said => {
  const field = fieldAt(scope, name);
  return field ? anyHash([thereHash(placeOf(scope.kind, field.path).code)]) : NOTHING;
};

const LONE: ReadonlySet<Filter['is']> = new Set(['exists', 'term', 'range', 'words', 'phrase', 'fuzzy']);

/** A single condition needs no more than one element, so it says the same of the list and of one of its elements. */
const nestedOf = (scope: Scope, { path, of }: Extract<Filter, { is: 'nested' }>): Said => {
  const isLone = LONE.has(of.is) && 'field' in of && of.field !== undefined;
  // At least two words may stand in two elements.
  if (!isLone || (of.is === 'words' && of.least > 1)) return UNSAID;
  return say({ ...scope, inside: path.split('.') }, of);
};

const say = (scope: Scope, filter: Filter): Said => {
  switch (filter.is) {
    case 'all':
      return EVERYTHING;
    case 'none':
      return NOTHING;
    case 'every':
      return joined(
        filter.of.map((one) => say(scope, one)),
        allOf,
      );
    case 'some': {
      const parts = filter.of.map((one) => say(scope, one));
      return parts.every(isSaid) ? atLeast(parts, filter.least) : UNSAID;
    }
    case 'not': {
      const part = say(scope, filter.of);
      return part && notOf(part, thereHash);
    }
    case 'boosted':
      return say(scope, filter.of);
    case 'nested':
      return nestedOf(scope, filter);
    case 'ids': {
      if (scope.inside.length > 0) return UNSAID;
      const place = placeOf(scope.kind, ['id']);
      return anyHash(filter.ids.map((id) => hashOf(term(place.code, 'exact', id))));
    }
    case 'exists':
      return existsAt(scope, filter.field);
    case 'simple':
      return UNSAID;
    default: {
      const leaf: Leaf = filter;
      if (leaf.field === undefined) {
        return joined(
          scope.slots.map(({ name }) => slotOf(name, leaf)),
          anyOf,
        );
      }
      const field = fieldAt(scope, leaf.field);
      return field ? fieldOf(scope, field, leaf) : NOTHING;
    }
  }
};

/** What a filter is for documents of a kind; undefined where it cannot be said exactly. */
export const conditionOf = (filter: Filter, kind: Kind, now: number): Condition | undefined =>
  say({ kind, fields: fieldsOf(kind), slots: slotsOf(kind), now, inside: [] }, filter);
