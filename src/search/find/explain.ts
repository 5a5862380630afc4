import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { textsAt } from '../../search-documents/fields.ts';
import type { SearchFilter } from '../../search-documents/filter/search-filter.ts';
import { type RankKinds, rankByDefault } from '../../search-documents/index/ranking.ts';
import { slotsOf } from '../../search-documents/index/slots.ts';
import { type ComparisonBudget, marksInText } from '../answer/marks.ts';
import { findSearchTermsIn, type SearchedText } from '../answer/search-terms.ts';

/** Explains in which fields words matched, and their weights (search.md 1). */

/** The most words per field in an explanation, and the most comparisons for one document. */
const MAX_WORDS = 5;
const MAX_COMPARISONS = 100_000;

const listFoundWords = (
  { path, sought }: SearchedText,
  document: JsonObject,
  budget: ComparisonBudget,
): readonly string[] => {
  const words = new Set<string>();
  for (const text of textsAt(document, path)) {
    for (const { start, end } of marksInText(text, sought, budget)) words.add(text.slice(start, end));
    if (words.size >= MAX_WORDS) break;
  }
  return [...words].slice(0, MAX_WORDS);
};

type WeightedText = SearchedText & { readonly weight: number };

/** Collects the search terms and the weight of each text field that counts for ranking. */
const weightedTextsOf = (
  kind: Kind,
  filter: SearchFilter,
  rankedBy: RankKinds = rankByDefault,
): readonly WeightedText[] => {
  const weights = new Map(
    rankedBy([kind]).flatMap(({ ranking }) => ranking.slots.map(({ name, weight }) => [name, weight] as const)),
  );
  return slotsOf(kind).flatMap(({ name: slot, typos, paths }) => {
    const weight = weights.get(slot);
    if (weight === undefined) return [];
    const texts = paths.map((path) => ({ name: path.join('.'), path, typos }));
    return findSearchTermsIn(kind, filter, texts).map((sought) => ({ ...sought, weight }));
  });
};

/** Lists the fields with matched words and their weights, the heaviest first. */
const explainFields = (weighed: readonly WeightedText[], document: JsonObject): JsonObject[] => {
  const budget: ComparisonBudget = { remaining: MAX_COMPARISONS };
  return weighed
    .flatMap((text) => {
      const words = listFoundWords(text, document, budget);
      if (words.length === 0) return [];
      return [
        { value: text.weight, description: `weight of ${text.name}, which has ${words.join(', ')}`, details: [] },
      ];
    })
    .sort((a, b) => b.value - a.value);
};

/** The engines that can rank hits. */
export type RankingEngine = 'neo4j' | 'typesense';

const ENGINE_DESCRIPTIONS: Readonly<Record<RankingEngine, string>> = {
  neo4j: 'Neo4j full-text: how well the words are found in the fields by their weights, and how popular the record is',
  typesense: 'Typesense: how well the words are found in the fields by their weights, or how popular the record is',
};

/** Creates a function that explains the hits of one request. */
export const createExplainer = (filter: SearchFilter, rankedIn: RankingEngine, rankedBy?: RankKinds) => {
  const kinds = new Map<Kind, readonly WeightedText[]>();
  return (kind: Kind, document: JsonObject, value: number): JsonObject => {
    const weighed = kinds.get(kind) ?? weightedTextsOf(kind, filter, rankedBy);
    kinds.set(kind, weighed);
    return { value, description: ENGINE_DESCRIPTIONS[rankedIn], details: explainFields(weighed, document) };
  };
};
