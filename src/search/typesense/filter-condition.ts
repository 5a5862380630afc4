import type { Kind } from '../../model/kind/kind.ts';
import { createFieldLookup, type DocumentField, type FieldLookup } from '../../search-documents/fields.ts';
import { parseDate } from '../../search-documents/filter/dates.ts';
import type { Scalar, SearchFilter } from '../../search-documents/filter/search-filter.ts';
import { allowedTypos } from '../../search-documents/filter/typos.ts';
import {
  filterWords,
  parseFilterNumber,
  type ValueFilter,
  type WholeFieldClass,
} from '../../search-documents/filter/value-test.ts';
import { combinationsOf } from '../../search-documents/index/combinations.ts';
import { type IndexedField, indexedFieldOf } from '../../search-documents/index/indexed-field.ts';
import { type Slot, slotNameForPath, slotsOf } from '../../search-documents/index/slots.ts';
import { existsTerm, numberTerm, termNumber, valueTerm, wordTerm } from '../../search-documents/index/terms.ts';
import { countWordParts, foldText, type TextWord } from '../../search-documents/tokens.ts';
import { sortableNumberPathsOf } from './collection-schema.ts';
import {
  andConditions,
  anyHashCondition,
  betweenCondition,
  CONDITION_ALL,
  CONDITION_NONE,
  notCondition,
  orConditions,
  type ServerCondition,
} from './condition.ts';
import { hasPairs, pairKey, wordKey } from './import-line.ts';
import { hashValue, MAX_ORDERED, MIN_ORDERED, orderedInteger } from './value-encoding.ts';

/**
 * Translates filters to conditions on collections, kind by kind. A filter without an exact translation makes Neo4j
 * answer the whole request.
 */

type ConditionScope = {
  readonly kind: Kind;
  readonly fields: FieldLookup;
  readonly slots: readonly Slot[];
  readonly now: number;
  /** The path of the list whose elements the condition applies to. */
  readonly inside: readonly string[];
};

type TranslatedCondition = ServerCondition | undefined;

const UNTRANSLATABLE: TranslatedCondition = undefined;

const isTranslated = (one: TranslatedCondition): one is ServerCondition => one !== undefined;

const joinTranslated = (
  parts: readonly TranslatedCondition[],
  join: (of: readonly ServerCondition[]) => ServerCondition,
): TranslatedCondition => (parts.every(isTranslated) ? join(parts) : UNTRANSLATABLE);

const presenceHash = (code: string): string => hashValue(existsTerm(code));

const orderedNumber = (value: number): bigint => orderedInteger(termNumber.write(value));

/** Whether the numbers of this field have a field of their own in the collection. */
const hasNumbers = ({ kind }: ConditionScope, { code }: IndexedField): boolean => sortableNumberPathsOf(kind).has(code);

const equalTextCondition = (
  place: IndexedField,
  how: 'folded' | 'exact',
  text: string,
  anyCase: boolean,
): TranslatedCondition => {
  if (!place.hasTerms || place.isColumnName) return UNTRANSLATABLE;
  const isAsWritten = how === 'exact' && !anyCase;
  if (place.class !== 'exact')
    return isAsWritten
      ? UNTRANSLATABLE
      : anyHashCondition([hashValue(valueTerm(place.code, 'folded', foldText(text)))]);
  if (isAsWritten) return anyHashCondition([hashValue(valueTerm(place.code, 'exact', text))]);
  // A lower-case text is indexed only in its exact form.
  const folded = foldText(text);
  return anyHashCondition((['folded', 'exact'] as const).map((sort) => hashValue(valueTerm(place.code, sort, folded))));
};

const equalDateCondition = (scope: ConditionScope, place: IndexedField, wanted: Scalar): TranslatedCondition => {
  const span = parseDate(wanted, scope.now);
  if (!span) return CONDITION_NONE;
  if (span.from === span.to) return anyHashCondition([hashValue(numberTerm(place.code, span.from))]);
  return hasNumbers(scope, place)
    ? betweenCondition(place.code, orderedNumber(span.from), orderedNumber(span.to))
    : UNTRANSLATABLE;
};

const equalValueCondition = (
  scope: ConditionScope,
  place: IndexedField,
  how: WholeFieldClass,
  wanted: Scalar,
  anyCase = false,
): TranslatedCondition => {
  if (!place.hasTerms) return UNTRANSLATABLE;
  if (how === 'folded' || how === 'exact') return equalTextCondition(place, how, String(wanted), anyCase);
  if (how === 'flag') {
    const flag = String(wanted);
    return flag === 'true' || flag === 'false'
      ? anyHashCondition([hashValue(valueTerm(place.code, 'folded', flag))])
      : CONDITION_NONE;
  }
  if (how === 'date') return equalDateCondition(scope, place, wanted);
  const number = parseFilterNumber(wanted);
  return number === undefined ? CONDITION_NONE : anyHashCondition([hashValue(numberTerm(place.code, number))]);
};

type RangeValueFilter = Extract<ValueFilter, { is: 'range' }>;

const rangeLimitOf = (
  how: 'number' | 'date',
  { is, value }: RangeValueFilter['bounds'][number],
  unit: RangeValueFilter['unit'],
  now: number,
) => {
  if (how === 'number') return parseFilterNumber(value);
  const span = parseDate(value, now, unit);
  return span && (is === 'gt' || is === 'lte' ? span.to : span.from);
};

const rangeCondition = (
  scope: ConditionScope,
  place: IndexedField,
  how: WholeFieldClass,
  { bounds, unit }: RangeValueFilter,
): TranslatedCondition => {
  if (how === 'flag') return CONDITION_NONE;
  if ((how !== 'number' && how !== 'date') || !hasNumbers(scope, place)) return UNTRANSLATABLE;
  let [from, to] = [MIN_ORDERED, MAX_ORDERED];
  for (const bound of bounds) {
    const limit = rangeLimitOf(how, bound, unit, scope.now);
    if (limit === undefined) return CONDITION_NONE;
    const at = orderedNumber(limit);
    if (bound.is === 'gt' || bound.is === 'gte') {
      const first = bound.is === 'gt' ? at + 1n : at;
      if (first > from) from = first;
    } else {
      const last = bound.is === 'lt' ? at - 1n : at;
      if (last < to) to = last;
    }
  }
  return betweenCondition(place.code, from, to);
};

const isText = (how: WholeFieldClass): how is 'folded' | 'exact' => how === 'folded' || how === 'exact';

const wholeValueCondition = (
  scope: ConditionScope,
  place: IndexedField,
  how: WholeFieldClass,
  leaf: ValueFilter,
): TranslatedCondition => {
  switch (leaf.is) {
    case 'term':
      return joinTranslated(
        leaf.values.map((value) => equalValueCondition(scope, place, how, value, leaf.anyCase)),
        orConditions,
      );
    case 'range':
      return rangeCondition(scope, place, how, leaf);
    case 'phrase':
      return equalValueCondition(scope, place, how, leaf.text);
    case 'words':
      return isText(how) && allowedTypos(leaf.text, leaf.typos) > 0
        ? UNTRANSLATABLE
        : equalValueCondition(scope, place, how, leaf.text);
    case 'fuzzy':
      if (!isText(how)) return CONDITION_NONE;
      return how === 'folded' && allowedTypos(leaf.text, leaf.typos) === 0
        ? equalValueCondition(scope, place, how, leaf.text)
        : UNTRANSLATABLE;
    case 'prefix':
    case 'wildcard':
      return isText(how) ? UNTRANSLATABLE : CONDITION_NONE;
  }
};

const wordHash = (slot: string, word: string): string => hashValue(wordKey(slot, wordTerm(word)));

const wordCondition = (slot: string, word: string): ServerCondition => anyHashCondition([wordHash(slot, word)]);

const wholeWordCondition = (slot: string, { joined: whole, parts }: TextWord): ServerCondition =>
  orConditions([wordCondition(slot, whole), andConditions(parts.map((part) => wordCondition(slot, part)))]);

/** The most combinations that are written out for a minimum number of matching conditions. */
const MAX_COMBINATIONS = 64;

const countCombinations = (count: number, least: number): number => {
  let ways = 1;
  for (let taken = 1; taken <= least; taken += 1) ways = (ways * (count - taken + 1)) / taken;
  return ways;
};

const atLeastCondition = (of: readonly ServerCondition[], least: number): TranslatedCondition => {
  if (least > of.length) return CONDITION_NONE;
  if (least <= 0) return CONDITION_ALL;
  if (least === 1) return orConditions(of);
  if (countCombinations(of.length, least) > MAX_COMBINATIONS) return UNTRANSLATABLE;
  return orConditions(combinationsOf(of, least).map(andConditions));
};

const slotWordsCondition = (slot: string, leaf: Extract<ValueFilter, { is: 'words' }>): TranslatedCondition => {
  const words = filterWords(leaf);
  const count = countWordParts(words);
  const { least, typos } = leaf;
  if (count === 0 || least > count) return CONDITION_NONE;
  const all = words.flatMap(({ joined: whole, parts }) => [whole, ...parts]);
  if (all.some((word) => allowedTypos(word, typos) > 0)) return UNTRANSLATABLE;
  if (least <= 1) return anyHashCondition(all.map((word) => wordHash(slot, word)));
  if (least === count) return andConditions(words.map((word) => wholeWordCondition(slot, word)));
  if (words.some(({ parts }) => parts.length > 1)) return UNTRANSLATABLE;
  return atLeastCondition(
    words.map((word) => wholeWordCondition(slot, word)),
    least,
  );
};

const sequenceCondition = (slot: string, words: readonly string[]): TranslatedCondition => {
  const [first, second] = words.map(wordTerm);
  if (first === undefined) return CONDITION_NONE;
  if (second === undefined) return anyHashCondition([hashValue(wordKey(slot, first))]);
  return words.length === 2 && hasPairs(slot)
    ? anyHashCondition([hashValue(pairKey(slot, first, second))])
    : UNTRANSLATABLE;
};

const slotPhraseCondition = (slot: string, leaf: Extract<ValueFilter, { is: 'phrase' }>): TranslatedCondition => {
  const words = filterWords(leaf);
  if (words.length === 0) return CONDITION_NONE;
  if (leaf.slop > 0 && countWordParts(words) > 1) return UNTRANSLATABLE;
  const parts = words.flatMap((word) => word.parts);
  const wholes = words.map((word) => word.joined);
  return joinTranslated([sequenceCondition(slot, parts), sequenceCondition(slot, wholes)], orConditions);
};

const slotCondition = (slot: string, leaf: ValueFilter): TranslatedCondition => {
  switch (leaf.is) {
    case 'term':
      return anyHashCondition(leaf.values.map((value) => wordHash(slot, foldText(String(value)))));
    case 'words':
      return slotWordsCondition(slot, leaf);
    case 'phrase':
      return slotPhraseCondition(slot, leaf);
    case 'fuzzy':
      return allowedTypos(leaf.text, leaf.typos) > 0 ? UNTRANSLATABLE : wordCondition(slot, foldText(leaf.text));
    case 'range':
      return CONDITION_NONE;
    case 'prefix':
    case 'wildcard':
      return UNTRANSLATABLE;
  }
};

const fieldCondition = (
  scope: ConditionScope,
  { class: how, path }: DocumentField,
  leaf: ValueFilter,
): TranslatedCondition => {
  const place = indexedFieldOf(scope.kind, path);
  if (how === 'object') return CONDITION_NONE;
  // In a field of any type, the collection does not distinguish a text from a flag of the same value.
  if (how === 'any' || place.class === 'any') return UNTRANSLATABLE;
  if (how !== 'text') return wholeValueCondition(scope, place, how, leaf);
  if (leaf.is === 'range' || !place.hasSlot) return UNTRANSLATABLE;
  return slotCondition(slotNameForPath(place.path), leaf);
};

const isFieldInside = ({ path }: DocumentField, inside: readonly string[]): boolean =>
  inside.every((name, at) => path[at] === name);

const findField = (scope: ConditionScope, name: string): DocumentField | undefined => {
  const field = scope.fields(name);
  return field && isFieldInside(field, scope.inside) ? field : undefined;
};

/** A presence hash tells whether a field has any value. */
const existsCondition = (scope: ConditionScope, name: string): TranslatedCondition => {
  const field = findField(scope, name);
  return field ? anyHashCondition([presenceHash(indexedFieldOf(scope.kind, field.path).code)]) : CONDITION_NONE;
};

const SINGLE_CONDITIONS: ReadonlySet<SearchFilter['is']> = new Set([
  'exists',
  'term',
  'range',
  'words',
  'phrase',
  'fuzzy',
]);

/** A single condition needs only one element, so it means the same for the list and for its elements. */
const nestedCondition = (
  scope: ConditionScope,
  { path, of }: Extract<SearchFilter, { is: 'nested' }>,
): TranslatedCondition => {
  const isLone = SINGLE_CONDITIONS.has(of.is) && 'field' in of && of.field !== undefined;
  // Two or more words may stand in different elements.
  if (!isLone || (of.is === 'words' && of.least > 1)) return UNTRANSLATABLE;
  return translateFilterNode({ ...scope, inside: path.split('.') }, of);
};

const translateFilterNode = (scope: ConditionScope, filter: SearchFilter): TranslatedCondition => {
  switch (filter.is) {
    case 'all':
      return CONDITION_ALL;
    case 'none':
      return CONDITION_NONE;
    case 'every':
      return joinTranslated(
        filter.of.map((one) => translateFilterNode(scope, one)),
        andConditions,
      );
    case 'some': {
      const parts = filter.of.map((one) => translateFilterNode(scope, one));
      return parts.every(isTranslated) ? atLeastCondition(parts, filter.least) : UNTRANSLATABLE;
    }
    case 'not': {
      const part = translateFilterNode(scope, filter.of);
      return part && notCondition(part, presenceHash);
    }
    case 'boosted':
      return translateFilterNode(scope, filter.of);
    case 'nested':
      return nestedCondition(scope, filter);
    case 'ids': {
      if (scope.inside.length > 0) return UNTRANSLATABLE;
      const place = indexedFieldOf(scope.kind, ['id']);
      return anyHashCondition(filter.ids.map((id) => hashValue(valueTerm(place.code, 'exact', id))));
    }
    case 'exists':
      return existsCondition(scope, filter.field);
    case 'simple':
      return UNTRANSLATABLE;
    default: {
      const leaf: ValueFilter = filter;
      if (leaf.field === undefined) {
        return joinTranslated(
          scope.slots.map(({ name }) => slotCondition(name, leaf)),
          orConditions,
        );
      }
      const field = findField(scope, leaf.field);
      return field ? fieldCondition(scope, field, leaf) : CONDITION_NONE;
    }
  }
};

/** Translates a filter for documents of a kind; undefined when it has no exact translation. */
export const translateToCondition = (filter: SearchFilter, kind: Kind, now: number): ServerCondition | undefined =>
  translateFilterNode({ kind, fields: createFieldLookup(kind), slots: slotsOf(kind), now, inside: [] }, filter);
