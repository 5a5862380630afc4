import type { Graph } from '../../graph/client.ts';
import type { Kind } from '../../model/kind.ts';
import type { Taste, Worth } from '../asked/settings.ts';
import { numberIn } from '../index/terms.ts';
import type { Counting } from './aggregate.ts';
import { countTerms, type WorthRows } from './queries.ts';

/** So many different numbers count of those that are found; the rarest beyond them count as if they were not there. */
const MOST_NUMBERS = 20_000;

type Finding = { readonly graph: Pick<Graph, 'read'>; readonly signal: AbortSignal };

/** The terms of the numbers that count, among what is found. */
const listNumbers = async (
  { graph, signal }: Finding,
  counting: Counting,
  prefixes: readonly string[],
): Promise<readonly string[]> => {
  if (prefixes.length === 0) return [];
  const rows = await graph.read(countTerms, { ...counting, prefixes, limit: MOST_NUMBERS }, { signal });
  return rows.map(({ term }) => term);
};

/** What each term adds beyond what is added anyway. */
const added = ({ terms, numbers }: Worth, found: readonly string[]): Readonly<Record<string, number>> => {
  const sums = new Map(terms);
  for (const term of found) {
    for (const { start, of, without } of numbers) {
      if (!term.startsWith(start)) continue;
      sums.set(term, (sums.get(term) ?? 0) + of(numberIn(term.slice(start.length))) - without);
    }
  }
  return Object.fromEntries(sums);
};

/** What documents of each kind are worth by some settings, in the terms that those have that are found. */
export const readWorth = async (
  finding: Finding,
  taste: Taste | undefined,
  kinds: readonly Kind[],
  counting: Counting,
): Promise<WorthRows | null> => {
  const worths = kinds.flatMap((kind) => {
    const worth = taste?.worthOf(kind);
    return worth ? [{ kind, worth }] : [];
  });
  if (worths.length === 0) return null;
  const prefixes = [...new Set(worths.flatMap(({ worth }) => worth.numbers.map(({ start }) => start)))];
  const found = await listNumbers(finding, counting, prefixes);
  return Object.fromEntries(
    worths.map(({ kind, worth }) => {
      const base = worth.numbers.reduce((sum, { without }) => sum + without, 0);
      return [kind.entityType, { base, terms: added(worth, found) }];
    }),
  );
};
