import type { Engine } from '../../catalog/engine.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import { piecesOf } from '../../model/pieces.ts';
import { type Counted, countedAs, facetNames } from '../index/facets.ts';
import { countAlike, readAlike } from './queries.ts';

/** Counting what is found, by everything that hits are counted by (search.md 3.2). */

/** So many keys are remembered with what they stand for, which never changes. */
const MOST_KEPT = 50_000;
const READ_AT_ONCE = 2000;
const MOST_BUCKETS = 1000;

export type Bucket = { readonly key: string; readonly doc_count: number };

export type Terms = {
  readonly doc_count_error_upper_bound: 0;
  readonly sum_other_doc_count: number;
  readonly buckets: readonly Bucket[];
};

/** What keys stand for; made once per process. */
export type Meanings = (keys: readonly string[]) => Promise<ReadonlyMap<string, Counted>>;

export const createMeanings = ({ graph, registry }: Pick<Engine, 'graph' | 'registry'>): Meanings => {
  const kept = new Map<string, Counted>();
  const learn = async (keys: readonly string[], into: Map<string, Counted>): Promise<void> => {
    for (const { key, terms, entityType } of await graph.read(readAlike, { keys })) {
      const kind = registry.byType.get(entityType);
      if (!kind) continue;
      const counted = countedAs(kind, terms);
      into.set(key, counted);
      if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value ?? '');
      kept.set(key, counted);
    }
  };
  return async (keys) => {
    const found = new Map<string, Counted>();
    const unknown: string[] = [];
    for (const key of keys) {
      const known = kept.get(key);
      if (known) found.set(key, known);
      else unknown.push(key);
    }
    for (const some of piecesOf(unknown, READ_AT_ONCE)) await learn(some, found);
    return found;
  };
};

const byCount = (a: Bucket, b: Bucket): number => b.doc_count - a.doc_count || (a.key < b.key ? -1 : 1);

/** The most frequent values, and how often the others are there together. */
const termsOf = (counts: ReadonlyMap<string, number> | undefined): Terms => {
  const all = [...(counts ?? [])].map(([key, count]): Bucket => ({ key, doc_count: count })).sort(byCount);
  const others = all.slice(MOST_BUCKETS).reduce((sum, bucket) => sum + bucket.doc_count, 0);
  return { doc_count_error_upper_bound: 0, sum_other_doc_count: others, buckets: all.slice(0, MOST_BUCKETS) };
};

const add = (counts: Map<string, Map<string, number>>, counted: Counted, count: number): void => {
  for (const [name, values] of counted) {
    const facet = counts.get(name) ?? new Map<string, number>();
    counts.set(name, facet);
    for (const value of values) facet.set(value, (facet.get(value) ?? 0) + count);
  }
};

/** Counts, by everything that documents of these kinds are counted by. */
export const showCounts = (
  kinds: readonly Kind[],
  counts: ReadonlyMap<string, ReadonlyMap<string, number>>,
): JsonObject => Object.fromEntries(facetNames(kinds).map((name) => [`sterms#${name}`, termsOf(counts.get(name))]));

/** What is counted: a query, and the only documents that count, if not all do. */
export type Counting = {
  readonly index: string;
  readonly query: string;
  readonly only: readonly string[] | null;
};

/** What documents of these kinds are counted by, where nothing could be counted. */
export const uncounted = (kinds: readonly Kind[]): JsonObject => showCounts(kinds, new Map());

/** Counts what is found by everything that documents of these kinds are counted by. */
export const aggregate = async (
  { graph }: Pick<Engine, 'graph'>,
  meanings: Meanings,
  kinds: readonly Kind[],
  counting: Counting,
  signal: AbortSignal,
): Promise<JsonObject> => {
  const rows = await graph.read(countAlike, counting, { signal });
  const known = await meanings(rows.map(({ key }) => key));
  const counts = new Map<string, Map<string, number>>();
  for (const { key, count } of rows) add(counts, known.get(key) ?? [], count);
  return showCounts(kinds, counts);
};
