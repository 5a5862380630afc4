import { isArray, isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { textsAt } from '../fields.ts';
import { parseDate } from '../filter/dates.ts';
import { foldText, parseIndexedWords } from '../tokens.ts';
import { type IndexedField, isNamePath, rootFieldOf } from './indexed-field.ts';
import { slotsOf, spellingSlotOf } from './slots.ts';
import { existsTerm, isTooLongForTerm, lastWordTerm, longValueTerm, numberTerm, valueTerm, wordTerm } from './terms.ts';

/** The index entry of a document. */
export type IndexEntry = {
  /** Terms: each names a path and a value at that path. */
  readonly terms: string;
  /** Every word, once, of texts that have neither a slot nor terms. */
  readonly bag: string;
  /** The words of the texts that are searched when a query names no field, also once more for misspelled words. */
  readonly slots: Readonly<Record<string, string>>;
};

/**
 * Separates texts, so that no sequence of words starts in one text and ends in the next. It is so long that no short
 * word is similar to it.
 */
const BARRIER = ` ${'\u0001'.repeat(5)} `;

/** The words of a text in the form that index properties hold. */
type EncodedText = {
  /** All searchable forms: part by part, without separators, and as written. */
  readonly sequences: string;
  /** The parts of all words, and each word without separators. */
  readonly tokens: readonly string[];
};

const encodeText = (text: string): EncodedText => {
  const words = parseIndexedWords(text);
  const parts = words.flatMap((word) => word.parts.map(wordTerm));
  const joined = words.map((word) => wordTerm(word.joined));
  const rows = [parts];
  if (words.some((word) => word.parts.length > 1)) rows.push(joined);
  for (const word of words)
    if (word.whole !== word.joined && word.whole !== word.parts[0]) rows.push([wordTerm(word.whole)]);
  return { sequences: rows.map((row) => row.join(' ')).join(BARRIER), tokens: [...parts, ...joined] };
};

const encodedTexts = new Map<string, EncodedText>();
const MAX_CACHED = 20_000;
const MAX_CACHED_LENGTH = 120;

/** Encodes a text; short texts are cached, because the same names and descriptions recur in many tables. */
const encodeCached = (text: string): EncodedText => {
  if (text.length > MAX_CACHED_LENGTH) return encodeText(text);
  const known = encodedTexts.get(text);
  if (known) return known;
  if (encodedTexts.size >= MAX_CACHED) encodedTexts.clear();
  const fresh = encodeText(text);
  encodedTexts.set(text, fresh);
  return fresh;
};

type EntryBuilder = { readonly terms: Set<string>; readonly bag: Set<string> };

const addWholeValue = ({ terms }: EntryBuilder, { path, code, class: how }: IndexedField, text: string): void => {
  const folded = foldText(text);
  if (isNamePath(path)) terms.add(lastWordTerm(code, folded));
  if (isTooLongForTerm(text)) terms.add(longValueTerm(code));
  if (how === 'exact') terms.add(valueTerm(code, 'exact', text));
  if (how !== 'exact' || folded !== text) terms.add(valueTerm(code, 'folded', folded));
};

const addWords = (words: Set<string>, text: string): void => {
  for (const word of encodeCached(text).tokens) words.add(word);
};

const addText = (gathering: EntryBuilder, place: IndexedField, text: string): void => {
  const { class: how, code, hasTerms, hasSlot } = place;
  if (how === 'date') {
    const moment = parseDate(text, 0);
    if (moment) gathering.terms.add(numberTerm(code, moment.from));
    return;
  }
  if (hasTerms) addWholeValue(gathering, place, text);
  if (!place.isColumnName && !hasSlot && (!hasTerms || how === 'text' || how === 'any')) addWords(gathering.bag, text);
};

const addScalar = (gathering: EntryBuilder, place: IndexedField, value: string | number | boolean): void => {
  const { class: how, code, hasTerms } = place;
  if (typeof value === 'string') addText(gathering, place, value);
  else if (!hasTerms) gathering.terms.add(existsTerm(code));
  else if (typeof value === 'number') {
    if (how === 'number' || how === 'date' || how === 'any') gathering.terms.add(numberTerm(code, value));
  } else if (how === 'flag' || how === 'any') gathering.terms.add(valueTerm(code, 'folded', String(value)));
};

const addValue = (gathering: EntryBuilder, value: Json, place: IndexedField): void => {
  if (value === null || place.class === undefined) return;
  if (isArray(value)) {
    for (const item of value) addValue(gathering, item, place);
    return;
  }
  if (!place.hasTerms || isObject(value)) gathering.terms.add(existsTerm(place.code));
  if (isObject(value)) addMembers(gathering, value, place);
  else addScalar(gathering, place, value);
};

const addMembers = (gathering: EntryBuilder, object: JsonObject, place: IndexedField): void => {
  for (const [name, value] of Object.entries(object)) addValue(gathering, value, place.child(name));
};

/** The number of items of a long list that one step processes. */
const ITEMS_PER_STEP = 64;

function* addDocument(gathering: EntryBuilder, document: JsonObject, place: IndexedField): Generator<undefined, void> {
  for (const [name, value] of Object.entries(document)) {
    const below = place.child(name);
    if (!isArray(value) || value.length <= ITEMS_PER_STEP) addValue(gathering, value, below);
    else if (below.class !== undefined) {
      for (let start = 0; start < value.length; start += ITEMS_PER_STEP) {
        addValue(gathering, value.slice(start, start + ITEMS_PER_STEP), below);
        yield;
      }
    }
  }
}

/** Encodes the words of some texts for one property. */
function* encodeTexts(texts: ReadonlySet<string>): Generator<undefined, string> {
  const rows: string[] = [];
  for (const text of texts) {
    rows.push(encodeCached(text).sequences);
    if (rows.length % ITEMS_PER_STEP === 0) yield;
  }
  return rows.join(BARRIER);
}

/** Adds each word of some texts to those that a property of misspelled words holds. */
function* addSpellings(spellings: Set<string>, texts: ReadonlySet<string>): Generator<undefined, void> {
  let added = 0;
  for (const text of texts) {
    addWords(spellings, text);
    added += 1;
    if (added % ITEMS_PER_STEP === 0) yield;
  }
}

/** Builds the index entry of a document in short steps. */
export function* buildEntryInSteps(kind: Kind, document: JsonObject): Generator<undefined, IndexEntry> {
  const gathering: EntryBuilder = { terms: new Set(), bag: new Set() };
  yield* addDocument(gathering, document, rootFieldOf(kind));
  const slots: Record<string, string> = {};
  const spellings = new Map<string, Set<string>>();
  for (const slot of slotsOf(kind)) {
    const texts = new Set(slot.paths.flatMap((path) => textsAt(document, path)));
    const text = yield* encodeTexts(texts);
    if (text === '') continue;
    slots[slot.name] = text;
    const spelling = spellingSlotOf(slot);
    if (spelling === undefined) continue;
    const words = spellings.get(spelling) ?? new Set();
    spellings.set(spelling, words);
    yield* addSpellings(words, texts);
  }
  for (const [name, words] of spellings) slots[name] = [...words].join(' ');
  return { terms: [...gathering.terms].join(' '), bag: [...gathering.bag].join(' '), slots };
}

/** Builds the index entry of a document. */
export const buildEntry = (kind: Kind, document: JsonObject): IndexEntry => {
  const steps = buildEntryInSteps(kind, document);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
};
