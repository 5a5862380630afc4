import type { JsonObject } from '../../model/json.ts';
import { type Kind, perKind } from '../../model/kind.ts';
import { countedAs } from '../index/facets.ts';
import { slotNameOf, slotsOf } from '../index/slots.ts';
import { codeOf, stem, thereTerm } from '../index/terms.ts';
import { countable, hashOf, orderedFrom, sortableText } from './companions.ts';
import {
  facetField,
  numberField,
  numberPlaces,
  PAYLOAD,
  POPULARITY,
  REVISION,
  SORTED,
  TERMS,
  TIE,
  UNCOUNTED,
} from './schema.ts';

/** A document as a collection holds it, made from the very terms and words that the index of the graph has of it. */

/** What a document is called by where only equality matters: a word of a slot, and two that stand side by side. */
export const wordKey = (slot: string, word: string): string => `${slot}:${word}`;
export const pairKey = (slot: string, first: string, second: string): string => `${slot}:${first} ${second}`;

/** What stands between texts is made of marks alone. */
const isBarrier = (word: string): boolean => /^\p{Cc}+$/u.test(word);

/** The codes of all places are as long. */
const CODE_LENGTH = codeOf([]).length;

const keysOfTerm = (term: string): readonly string[] => {
  const code = term.slice(0, CODE_LENGTH);
  return term.startsWith(thereTerm(code)) ? [term] : [term, thereTerm(code)];
};

/** The slots of which also pairs of words are known. For others they would take as much room as everything else. */
const PAIRED: ReadonlySet<string> = new Set(['name', 'displayName', 'description'].map((name) => slotNameOf([name])));

export const hasPairs = (slot: string): boolean => PAIRED.has(slot);

const keysOfSlot = (slot: string, filled: string): readonly string[] => {
  const isPaired = hasPairs(slot);
  const keys: string[] = [];
  let before: string | undefined;
  for (const word of filled.split(' ')) {
    if (isBarrier(word)) {
      before = undefined;
      continue;
    }
    keys.push(wordKey(slot, word));
    if (isPaired && before !== undefined) keys.push(pairKey(slot, before, word));
    before = word;
  }
  return keys;
};

/** Words that servers take as they are, so that they can be asked for. Others are found by equality alone. */
export const PLAIN_WORD = /^[a-z0-9]{1,60}$/;

/** Words of which servers know what they begin with and what they are near, although they write some letters otherwise. */
const KNOWN_WORD = /^[\p{L}\p{N}\p{M}]{1,60}$/u;

const knownWords = (filled: string): string =>
  [...new Set(filled.split(' '))].filter((word) => KNOWN_WORD.test(word)).join(' ');

/** What a record is found by, as the index of the graph has it. */
export type Stored = Readonly<Record<string, string | number | boolean>>;

const textIn = (stored: Stored, name: string): string => {
  const value = stored[name];
  return typeof value === 'string' ? value : '';
};

const numberStems = perKind((kind): readonly (readonly [code: string, start: string])[] =>
  [...numberPlaces(kind).keys()].map((code) => [code, stem(code, 'number')]),
);

/** The numbers of a document, as the index of the graph writes them. */
const numbersOf = (kind: Kind, terms: readonly string[]): ReadonlyMap<string, string> => {
  const numbers = new Map<string, string>();
  for (const [code, start] of numberStems(kind)) {
    const found = terms.find((term) => term.startsWith(start));
    if (found !== undefined) numbers.set(code, found.slice(start.length));
  }
  return numbers;
};

/** What an answer tells of a hit before its record is read. */
export type Payload = {
  readonly entityType: string;
  readonly name: string;
  readonly displayName: string;
  readonly fqn: string;
  /** As exact as the server has it, so that both put hits in the same order. */
  readonly popularity: number;
  readonly numbers: Readonly<Record<string, string>>;
};

const facetsOf = (kind: Kind, terms: string): JsonObject => {
  let isLong = false;
  const facets = countedAs(kind, terms).map(([name, values]) => {
    const counted = values.map(countable);
    isLong ||= counted.includes(undefined);
    return [facetField(name), counted.filter((value) => value !== undefined)] as const;
  });
  return { ...Object.fromEntries(facets), [UNCOUNTED]: isLong };
};

/** One line of an import: JSON, in which whole numbers are written to their last digit. */
export const lineOf = (kind: Kind, stored: Stored, revision: number): string => {
  const terms = textIn(stored, 'terms').split(' ');
  const filled = slotsOf(kind).flatMap(({ name }) => {
    const words = textIn(stored, name);
    return words === '' ? [] : [[name, words] as const];
  });
  const keys = new Set([...terms.flatMap(keysOfTerm), ...filled.flatMap(([name, words]) => keysOfSlot(name, words))]);
  const numbers = numbersOf(kind, terms);
  const id = textIn(stored, 'id');
  const name = textIn(stored, 'nameSort');
  const sorts = Object.entries(SORTED).flatMap(([property, field]) => {
    const value = textIn(stored, property);
    return value === '' ? [] : [[field, sortableText(value)] as const];
  });
  const payload: Payload = {
    entityType: kind.entityType,
    name,
    displayName: textIn(stored, 'displayNameSort'),
    fqn: textIn(stored, 'fqnSort'),
    popularity: Math.fround(Number(stored['popularity'] ?? 0)),
    numbers: Object.fromEntries(numbers),
  };
  const whole = JSON.stringify({
    id,
    [TERMS]: [...keys].map(hashOf),
    ...Object.fromEntries(filled.map(([slot, words]) => [slot, knownWords(words)])),
    ...Object.fromEntries(sorts),
    [TIE]: sortableText(`${name}\0${id}`),
    ...facetsOf(kind, textIn(stored, 'terms')),
    [POPULARITY]: stored['popularity'],
    [REVISION]: revision,
    [PAYLOAD]: JSON.stringify(payload),
  });
  const digits = [...numbers].map(([code, hex]) => `,"${numberField(code)}":${orderedFrom(hex)}`);
  return `${whole.slice(0, -1)}${digits.join('')}}`;
};
