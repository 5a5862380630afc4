import type { Engine } from '../../catalog/engine.ts';
import { chunk } from '../../model/chunk.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { type FacetValues, facetNames, facetValuesOf } from '../../search-documents/index/facets.ts';
import { countEverythingByFacetKey, countFacetKeys, type FacetCount, readFacetTerms } from './queries.ts';

/** Counts hits by all facets (search.md 3.2). */

/** The size of the cache of facet values by key. The values of a key never change. */
const MAX_CACHED = 50_000;
const READ_AT_ONCE = 2000;
const MAX_BUCKETS = 1000;

export type FacetBucket = { readonly key: string; readonly doc_count: number };

export type TermsAggregation = {
  readonly doc_count_error_upper_bound: 0;
  readonly sum_other_doc_count: number;
  readonly buckets: readonly FacetBucket[];
};

/** Reads the facet values of keys; created once per process. */
export type FacetValueLookup = (keys: readonly string[]) => Promise<ReadonlyMap<string, FacetValues>>;

export const createFacetValueLookup = ({ graph, registry }: Pick<Engine, 'graph' | 'registry'>): FacetValueLookup => {
  const cache = new Map<string, FacetValues>();
  const load = async (keys: readonly string[], into: Map<string, FacetValues>): Promise<void> => {
    for (const { key, terms, entityType } of await graph.read(readFacetTerms, { keys })) {
      const kind = registry.byType.get(entityType);
      if (!kind) continue;
      const counted = facetValuesOf(kind, terms);
      into.set(key, counted);
      if (cache.size >= MAX_CACHED) cache.delete(cache.keys().next().value ?? '');
      cache.set(key, counted);
    }
  };
  return async (keys) => {
    const found = new Map<string, FacetValues>();
    const unknown: string[] = [];
    for (const key of keys) {
      const known = cache.get(key);
      if (known) found.set(key, known);
      else unknown.push(key);
    }
    for (const some of chunk(unknown, READ_AT_ONCE)) await load(some, found);
    return found;
  };
};

const byCount = (a: FacetBucket, b: FacetBucket): number => b.doc_count - a.doc_count || (a.key < b.key ? -1 : 1);

/** Returns the most frequent values, and the sum of the other counts. */
const buildTermsAggregation = (counts: ReadonlyMap<string, number> | undefined): TermsAggregation => {
  const all = [...(counts ?? [])].map(([key, count]): FacetBucket => ({ key, doc_count: count })).sort(byCount);
  const others = all.slice(MAX_BUCKETS).reduce((sum, bucket) => sum + bucket.doc_count, 0);
  return { doc_count_error_upper_bound: 0, sum_other_doc_count: others, buckets: all.slice(0, MAX_BUCKETS) };
};

const addFacetCounts = (counts: Map<string, Map<string, number>>, counted: FacetValues, count: number): void => {
  for (const [name, values] of counted) {
    const facet = counts.get(name) ?? new Map<string, number>();
    counts.set(name, facet);
    for (const value of values) facet.set(value, (facet.get(value) ?? 0) + count);
  }
};

/** Formats the counts of all facets of these kinds. */
export const formatAggregations = (
  kinds: readonly Kind[],
  counts: ReadonlyMap<string, ReadonlyMap<string, number>>,
): JsonObject =>
  Object.fromEntries(facetNames(kinds).map((name) => [`sterms#${name}`, buildTermsAggregation(counts.get(name))]));

/** A query, and the ids of the only documents that count; null when all of them do. */
export type CountedHits = {
  readonly index: string;
  readonly query: string;
  readonly only: readonly string[] | null;
  /** The kinds of which everything counts, where that is so. */
  readonly everythingOf?: readonly string[] | undefined;
};

/** The empty counts of all facets of these kinds. */
export const emptyAggregations = (kinds: readonly Kind[]): JsonObject => formatAggregations(kinds, new Map());

/** Sums up the counts of keys by all facets of these kinds. */
export const aggregateFacetCounts = async (
  meanings: FacetValueLookup,
  kinds: readonly Kind[],
  rows: readonly FacetCount[],
): Promise<JsonObject> => {
  const known = await meanings(rows.map(({ key }) => key));
  const counts = new Map<string, Map<string, number>>();
  for (const { key, count } of rows) addFacetCounts(counts, known.get(key) ?? [], count);
  return formatAggregations(kinds, counts);
};

/** Counts hits by all facets of these kinds. */
export const aggregateHits = async (
  { graph }: Pick<Engine, 'graph'>,
  meanings: FacetValueLookup,
  kinds: readonly Kind[],
  { everythingOf, ...counting }: CountedHits,
  signal: AbortSignal,
): Promise<JsonObject> => {
  const rows = everythingOf
    ? await graph.read(countEverythingByFacetKey, { entityTypes: everythingOf }, { signal })
    : await graph.read(countFacetKeys, counting, { signal });
  return aggregateFacetCounts(meanings, kinds, rows);
};
