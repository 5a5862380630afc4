import { isArray, isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import { textsAt } from '../fields.ts';
import { readDate } from '../filter/dates.ts';
import { fold, soughtWords } from '../tokens.ts';
import { type Place, placesOf } from './places.ts';
import { slotsOf } from './slots.ts';
import { isLong, longTerm, numberTerm, term, thereTerm, wordTerm } from './terms.ts';

/** What the index keeps of a document. */
export type Entry = {
  /** What stands where, value by value. */
  readonly terms: string;
  /** Every word of any text that has neither slot nor term, once. */
  readonly bag: string;
  /** The words of the texts in which those are looked for who name no field. */
  readonly slots: Readonly<Record<string, string>>;
};

/**
 * Stands between texts, so that no sequence of words begins in one and ends in the next. It is so long that no short word
 * is near it.
 */
const BARRIER = ` ${'\u0001'.repeat(5)} `;

/** The words of a text as properties of the index hold them. */
type Spelled = {
  /** In every form under which they are found: part by part, without separators, and as written. */
  readonly inRows: string;
  /** Their parts, and each without its separators. */
  readonly loose: readonly string[];
};

const spell = (text: string): Spelled => {
  const words = soughtWords(text);
  const parts = words.flatMap((word) => word.parts.map(wordTerm));
  const joined = words.map((word) => wordTerm(word.joined));
  const rows = [parts];
  if (words.some((word) => word.parts.length > 1)) rows.push(joined);
  for (const word of words)
    if (word.whole !== word.joined && word.whole !== word.parts[0]) rows.push([wordTerm(word.whole)]);
  return { inRows: rows.map((row) => row.join(' ')).join(BARRIER), loose: [...parts, ...joined] };
};

const spelled = new Map<string, Spelled>();
const MOST_KEPT = 20_000;
const LONGEST_KEPT = 120;

/** The same names and remarks return from table to table, so short texts are remembered. */
const spelledOut = (text: string): Spelled => {
  if (text.length > LONGEST_KEPT) return spell(text);
  const known = spelled.get(text);
  if (known) return known;
  if (spelled.size >= MOST_KEPT) spelled.clear();
  const fresh = spell(text);
  spelled.set(text, fresh);
  return fresh;
};

type Gathering = { readonly terms: Set<string>; readonly bag: Set<string> };

const addWhole = ({ terms }: Gathering, { code, class: how }: Place, text: string): void => {
  const folded = fold(text);
  if (isLong(text)) terms.add(longTerm(code));
  if (how === 'exact') terms.add(term(code, 'exact', text));
  if (how !== 'exact' || folded !== text) terms.add(term(code, 'folded', folded));
};

const addWords = ({ bag }: Gathering, text: string): void => {
  for (const word of spelledOut(text).loose) bag.add(word);
};

const addText = (gathering: Gathering, place: Place, text: string): void => {
  const { class: how, code, isApart, isSlotted } = place;
  if (how === 'date') {
    const moment = readDate(text, 0);
    if (moment) gathering.terms.add(numberTerm(code, moment.from));
    return;
  }
  if (isApart) addWhole(gathering, place, text);
  if (!place.isColumnName && !isSlotted && (!isApart || how === 'text' || how === 'any')) addWords(gathering, text);
};

const addScalar = (gathering: Gathering, place: Place, value: string | number | boolean): void => {
  const { class: how, code, isApart } = place;
  if (typeof value === 'string') addText(gathering, place, value);
  else if (!isApart) gathering.terms.add(thereTerm(code));
  else if (typeof value === 'number') {
    if (how === 'number' || how === 'date' || how === 'any') gathering.terms.add(numberTerm(code, value));
  } else if (how === 'flag' || how === 'any') gathering.terms.add(term(code, 'folded', String(value)));
};

const addValue = (gathering: Gathering, value: Json, place: Place): void => {
  if (value === null || place.class === undefined) return;
  if (isArray(value)) {
    for (const item of value) addValue(gathering, item, place);
    return;
  }
  if (!place.isApart || isObject(value)) gathering.terms.add(thereTerm(place.code));
  if (isObject(value)) addMembers(gathering, value, place);
  else addScalar(gathering, place, value);
};

const addMembers = (gathering: Gathering, object: JsonObject, place: Place): void => {
  for (const [name, value] of Object.entries(object)) addValue(gathering, value, place.at(name));
};

/** How many items of a long list are looked at between two steps. */
const AT_ONCE = 64;

function* addDocument(gathering: Gathering, document: JsonObject, place: Place): Generator<undefined, void> {
  for (const [name, value] of Object.entries(document)) {
    const below = place.at(name);
    if (!isArray(value) || value.length <= AT_ONCE) addValue(gathering, value, below);
    else if (below.class !== undefined) {
      for (let start = 0; start < value.length; start += AT_ONCE) {
        addValue(gathering, value.slice(start, start + AT_ONCE), below);
        yield;
      }
    }
  }
}

/** The words of some texts as one property holds them. */
function* spellAll(texts: ReadonlySet<string>): Generator<undefined, string> {
  const rows: string[] = [];
  for (const text of texts) {
    rows.push(spelledOut(text).inRows);
    if (rows.length % AT_ONCE === 0) yield;
  }
  return rows.join(BARRIER);
}

/** Works out what the index keeps of a document of a kind, in steps none of which takes long. */
export function* entrySteps(kind: Kind, document: JsonObject): Generator<undefined, Entry> {
  const gathering: Gathering = { terms: new Set(), bag: new Set() };
  yield* addDocument(gathering, document, placesOf(kind));
  const slots: Record<string, string> = {};
  for (const { name, paths } of slotsOf(kind)) {
    const text = yield* spellAll(new Set(paths.flatMap((path) => textsAt(document, path))));
    if (text !== '') slots[name] = text;
  }
  return { terms: [...gathering.terms].join(' '), bag: [...gathering.bag].join(' '), slots };
}

/** What the index keeps of a document of a kind. */
export const entryOf = (kind: Kind, document: JsonObject): Entry => {
  const steps = entrySteps(kind, document);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
};
