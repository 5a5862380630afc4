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

/** What the index keeps of a document of a kind. */
export const entryOf = (kind: Kind, document: JsonObject): Entry => {
  const gathering: Gathering = { terms: new Set(), bag: new Set() };
  addMembers(gathering, document, placesOf(kind));
  const filled = slotsOf(kind).map(({ name, paths }) => {
    const texts = new Set(paths.flatMap((path) => textsAt(document, path)));
    return [name, [...texts].map((text) => spelledOut(text).inRows).join(BARRIER)] as const;
  });
  return {
    terms: [...gathering.terms].join(' '),
    bag: [...gathering.bag].join(' '),
    slots: Object.fromEntries(filled.filter(([, text]) => text !== '')),
  };
};
