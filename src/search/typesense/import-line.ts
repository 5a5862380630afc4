import type { JsonObject } from '../../model/json.ts';
import { memoisePerKind } from '../../model/kind/derived-values.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { facetValuesOf } from '../../search-documents/index/facets.ts';
import { slotNameForPath, slotsOf } from '../../search-documents/index/slots.ts';
import { existsTerm, fieldCode, termPrefix } from '../../search-documents/index/terms.ts';
import {
  facetFieldName,
  numberFieldName,
  PAYLOAD_FIELD,
  POPULARITY_FIELD,
  REVISION_FIELD,
  SORT_FIELDS,
  sortableNumberPathsOf,
  TERMS_FIELD,
  TIE_FIELD,
  UNCOUNTED_FIELD,
} from './collection-schema.ts';
import { encodeFacetValue, hashValue, orderedInteger, sortableText } from './value-encoding.ts';

/** Encodes a document for a collection, from the same terms and words that the index of Neo4j holds. */

/** The equality keys of a document: a word in a slot, and two adjacent words. */
export const wordKey = (slot: string, word: string): string => `${slot}:${word}`;
export const pairKey = (slot: string, first: string, second: string): string => `${slot}:${first} ${second}`;

/** Texts are separated by control characters. */
const isTextBarrier = (word: string): boolean => /^\p{Cc}+$/u.test(word);

/** All field codes have the same length. */
const CODE_LENGTH = fieldCode([]).length;

const termKeysOf = (term: string): readonly string[] => {
  const code = term.slice(0, CODE_LENGTH);
  return term.startsWith(existsTerm(code)) ? [term] : [term, existsTerm(code)];
};

/** The slots whose word pairs are indexed. For other slots the pairs would double the size. */
const PAIRED_SLOTS: ReadonlySet<string> = new Set(
  ['name', 'displayName', 'description'].map((name) => slotNameForPath([name])),
);

export const hasPairs = (slot: string): boolean => PAIRED_SLOTS.has(slot);

const slotKeysOf = (slot: string, filled: string): readonly string[] => {
  const isPaired = hasPairs(slot);
  const keys: string[] = [];
  let before: string | undefined;
  for (const word of filled.split(' ')) {
    if (isTextBarrier(word)) {
      before = undefined;
      continue;
    }
    keys.push(wordKey(slot, word));
    if (isPaired && before !== undefined) keys.push(pairKey(slot, before, word));
    before = word;
  }
  return keys;
};

/** Words that servers do not change, so that they can be searched. Others are matched by equality only. */
export const PLAIN_WORD = /^[a-z0-9]{1,60}$/;

/** Words that servers index for prefixes and typing mistakes, although they normalize some letters. */
const INDEXED_WORD = /^[\p{L}\p{N}\p{M}]{1,60}$/u;

const indexedWordsOf = (filled: string): string =>
  [...new Set(filled.split(' '))].filter((word) => INDEXED_WORD.test(word)).join(' ');

/** The properties of a search document, as Neo4j stores them. */
export type StoredProperties = Readonly<Record<string, string | number | boolean>>;

const textProperty = (stored: StoredProperties, name: string): string => {
  const value = stored[name];
  return typeof value === 'string' ? value : '';
};

const numberStems = memoisePerKind((kind): readonly (readonly [code: string, start: string])[] =>
  [...sortableNumberPathsOf(kind).keys()].map((code) => [code, termPrefix(code, 'number')]),
);

/** The numbers of a document, in the encoding of Neo4j's index. */
const numbersOf = (kind: Kind, terms: readonly string[]): ReadonlyMap<string, string> => {
  const numbers = new Map<string, string>();
  for (const [code, start] of numberStems(kind)) {
    const found = terms.find((term) => term.startsWith(start));
    if (found !== undefined) numbers.set(code, found.slice(start.length));
  }
  return numbers;
};

/** The data of a hit that answers use before the record is read. */
export type HitPayload = {
  readonly entityType: string;
  readonly name: string;
  readonly displayName: string;
  readonly fqn: string;
  /** In the precision of the server, so that both engines sort hits alike. */
  readonly popularity: number;
  readonly numbers: Readonly<Record<string, string>>;
};

const facetFieldsOf = (kind: Kind, terms: string): JsonObject => {
  let isLong = false;
  const facets = facetValuesOf(kind, terms).map(([name, values]) => {
    const counted = values.map(encodeFacetValue);
    isLong ||= counted.includes(undefined);
    return [facetFieldName(name), counted.filter((value) => value !== undefined)] as const;
  });
  return { ...Object.fromEntries(facets), [UNCOUNTED_FIELD]: isLong };
};

/** Builds one import line: JSON with whole numbers to the last digit. */
export const buildImportLine = (kind: Kind, stored: StoredProperties, revision: number): string => {
  const terms = textProperty(stored, 'terms').split(' ');
  const filled = slotsOf(kind).flatMap(({ name }) => {
    const words = textProperty(stored, name);
    return words === '' ? [] : [[name, words] as const];
  });
  const keys = new Set([...terms.flatMap(termKeysOf), ...filled.flatMap(([name, words]) => slotKeysOf(name, words))]);
  const numbers = numbersOf(kind, terms);
  const id = textProperty(stored, 'id');
  const name = textProperty(stored, 'nameSort');
  const sorts = Object.entries(SORT_FIELDS).flatMap(([property, field]) => {
    const value = textProperty(stored, property);
    return value === '' ? [] : [[field, sortableText(value)] as const];
  });
  const payload: HitPayload = {
    entityType: kind.entityType,
    name,
    displayName: textProperty(stored, 'displayNameSort'),
    fqn: textProperty(stored, 'fqnSort'),
    popularity: Math.fround(Number(stored['popularity'] ?? 0)),
    numbers: Object.fromEntries(numbers),
  };
  const whole = JSON.stringify({
    id,
    [TERMS_FIELD]: [...keys].map(hashValue),
    ...Object.fromEntries(filled.map(([slot, words]) => [slot, indexedWordsOf(words)])),
    ...Object.fromEntries(sorts),
    [TIE_FIELD]: sortableText(`${name}\0${id}`),
    ...facetFieldsOf(kind, textProperty(stored, 'terms')),
    [POPULARITY_FIELD]: stored['popularity'],
    [REVISION_FIELD]: revision,
    [PAYLOAD_FIELD]: JSON.stringify(payload),
  });
  const digits = [...numbers].map(([code, hex]) => `,"${numberFieldName(code)}":${orderedInteger(hex)}`);
  return `${whole.slice(0, -1)}${digits.join('')}}`;
};
