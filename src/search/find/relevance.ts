import type { Graph } from '../../graph/client.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { termNumber } from '../../search-documents/index/terms.ts';
import type { CustomRanking, Relevance } from '../request/custom-ranking.ts';
import type { CountedHits } from './aggregate.ts';
import { countTerms, type RelevanceRows } from './queries.ts';

/** The most distinct numbers that boost hits; rarer ones count as absent. */
const MAX_NUMBERS = 20_000;

type RelevanceReader = { readonly graph: Pick<Graph, 'read'>; readonly signal: AbortSignal };

/** Lists the number terms of the hits that boosts apply to. */
const listNumbers = async (
  { graph, signal }: RelevanceReader,
  counting: CountedHits,
  prefixes: readonly string[],
): Promise<readonly string[]> => {
  if (prefixes.length === 0) return [];
  const rows = await graph.read(countTerms, { ...counting, prefixes, limit: MAX_NUMBERS }, { signal });
  return rows.map(({ term }) => term);
};

/** Computes the boost of each term. */
const sumTermBoosts = ({ terms, numbers }: Relevance, found: readonly string[]): Readonly<Record<string, number>> => {
  const sums = new Map(terms);
  for (const term of found) {
    for (const { start, of, without } of numbers) {
      if (!term.startsWith(start)) continue;
      sums.set(term, (sums.get(term) ?? 0) + of(termNumber(term.slice(start.length))) - without);
    }
  }
  return Object.fromEntries(sums);
};

/** Computes the relevance of each kind under some search settings, for the terms that the hits have. */
export const readRelevance = async (
  finding: RelevanceReader,
  customRanking: CustomRanking | undefined,
  kinds: readonly Kind[],
  counting: CountedHits,
): Promise<RelevanceRows | null> => {
  const relevances = kinds.flatMap((kind) => {
    const relevance = customRanking?.relevanceOf(kind);
    return relevance ? [{ kind, worth: relevance }] : [];
  });
  if (relevances.length === 0) return null;
  const prefixes = [
    ...new Set(relevances.flatMap(({ worth: relevance }) => relevance.numbers.map(({ start }) => start))),
  ];
  const found = await listNumbers(finding, counting, prefixes);
  return Object.fromEntries(
    relevances.map(({ kind, worth: relevance }) => {
      const base = relevance.numbers.reduce((sum, { without }) => sum + without, 0);
      return [kind.entityType, { base, terms: sumTermBoosts(relevance, found) }];
    }),
  );
};
