import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import { marksIn, type Patience } from '../answer/marks.ts';
import { type SoughtIn, soughtAmong } from '../answer/sought.ts';
import { textsAt } from '../fields.ts';
import type { Filter } from '../filter/tree.ts';
import { type RankedBy, usually } from '../index/ranking.ts';
import { slotsOf } from '../index/slots.ts';

/** Tells where in a document words were found, and how much it counts there (search.md 1). */

/** How many words of a field are told, and how many comparisons are made for one document. */
const MOST_WORDS = 5;
const MOST_COMPARISONS = 100_000;

const wordsFound = ({ path, sought }: SoughtIn, document: JsonObject, patience: Patience): readonly string[] => {
  const words = new Set<string>();
  for (const text of textsAt(document, path)) {
    for (const { start, end } of marksIn(text, sought, patience)) words.add(text.slice(start, end));
    if (words.size >= MOST_WORDS) break;
  }
  return [...words].slice(0, MOST_WORDS);
};

type Weighed = SoughtIn & { readonly weight: number };

/** What is looked for in each text by which hits are ranked, and what it counts there. */
const weighedIn = (kind: Kind, filter: Filter, rankedBy: RankedBy = usually): readonly Weighed[] => {
  const weights = new Map(
    rankedBy([kind]).flatMap(({ ranking }) => ranking.slots.map(({ name, weight }) => [name, weight] as const)),
  );
  return slotsOf(kind).flatMap(({ name: slot, typos, paths }) => {
    const weight = weights.get(slot);
    if (weight === undefined) return [];
    const texts = paths.map((path) => ({ name: path.join('.'), path, typos }));
    return soughtAmong(kind, filter, texts).map((sought) => ({ ...sought, weight }));
  });
};

/** The fields of a document in which words were found, with what they count there, the weightiest first. */
const detailsOf = (weighed: readonly Weighed[], document: JsonObject): JsonObject[] => {
  const patience: Patience = { left: MOST_COMPARISONS };
  return weighed
    .flatMap((text) => {
      const words = wordsFound(text, document, patience);
      if (words.length === 0) return [];
      return [
        { value: text.weight, description: `weight of ${text.name}, which has ${words.join(', ')}`, details: [] },
      ];
    })
    .sort((a, b) => b.value - a.value);
};

/** The engines that put hits in order. */
export type RankedIn = 'neo4j' | 'typesense';

const SAID: Readonly<Record<RankedIn, string>> = {
  neo4j: 'Neo4j full-text: how well the words are found in the fields by their weights, and how popular the record is',
  typesense: 'Typesense: how well the words are found in the fields by their weights, or how popular the record is',
};

/** Explains hits of one request. */
export const explainer = (filter: Filter, rankedIn: RankedIn, rankedBy?: RankedBy) => {
  const kinds = new Map<Kind, readonly Weighed[]>();
  return (kind: Kind, document: JsonObject, value: number): JsonObject => {
    const weighed = kinds.get(kind) ?? weighedIn(kind, filter, rankedBy);
    kinds.set(kind, weighed);
    return { value, description: SAID[rankedIn], details: detailsOf(weighed, document) };
  };
};
