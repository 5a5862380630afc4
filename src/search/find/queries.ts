import { statement } from '../../graph/statement.ts';
import { SORT_ORDERS } from '../../graph/statement-variants.ts';
import type { HitRow, SearchAfter } from '../request/hit-sort.ts';

/** A query in the syntax of a full-text index. */
type IndexQuery = { readonly index: string; readonly query: string };

/** By entity type, the relevance that replaces popularity: a base and the boost of each term. */
export type RelevanceRows = Readonly<
  Record<string, { readonly base: number; readonly terms: Readonly<Record<string, number>> }>
>;

export type PageParams = IndexQuery & {
  /** The ids of the only documents that count; null when all of them do. */
  readonly only: readonly string[] | null;
  readonly by: 'score' | 'property' | 'term';
  /** The name of the property, or the prefix of the term. */
  readonly member: string;
  /** Whether terms are sorted regardless of case. */
  readonly folds: boolean;
  /** Whether all hits have the same score. */
  readonly flat: boolean;
  readonly worth: RelevanceRows | null;
  readonly behind: SearchAfter | null;
  readonly from: number;
  readonly size: number;
};

const HIT_ROW = ['id', 'entityType', 'key', 'name'] as const;

const PAGE_STATEMENT = {
  params: ['index', 'query', 'only', 'by', 'member', 'folds', 'flat', 'worth', 'behind', 'from', 'size'],
  row: HIT_ROW,
} as const;

export const findAscending = statement<PageParams, HitRow>('search/find_sorted', PAGE_STATEMENT, SORT_ORDERS.ascending);
export const findDescending = statement<PageParams, HitRow>(
  'search/find_sorted',
  PAGE_STATEMENT,
  SORT_ORDERS.descending,
);

/** Documents with the same facet values: their key and how many they are. */
export type FacetCount = { readonly key: string; readonly count: number };

/** Finds the page of the most relevant hits without sorting all of them. */
export const findBest = statement<Pick<PageParams, 'index' | 'query' | 'from' | 'size'>, HitRow>('search/find_best', {
  params: ['index', 'query', 'from', 'size'],
  row: HIT_ROW,
});

type RankedPageParams = Pick<PageParams, 'index' | 'only' | 'worth' | 'behind' | 'from' | 'size'> & {
  readonly queries: readonly string[];
  /** The score that each matching query adds, besides its own. */
  readonly each: number;
  /** 1 for the best hits first, -1 for the worst. */
  readonly sign: number;
};

/** Finds the page of hits of several queries. */
export const findRanked = statement<RankedPageParams, HitRow>('search/find_ranked', {
  params: ['index', 'queries', 'only', 'each', 'worth', 'sign', 'behind', 'from', 'size'],
  row: HIT_ROW,
});

export const countDocuments = statement<IndexQuery & { readonly most: number }, { readonly count: number }>(
  'search/count_documents',
  {
    params: ['index', 'query', 'most'],
    row: ['count'],
  },
);

export const findDocuments = statement<
  IndexQuery & { readonly most: number },
  { readonly id: string; readonly entityType: string }
>('search/find_documents', { params: ['index', 'query', 'most'], row: ['id', 'entityType'] });

/** Counts hits by facet key. */
export const countFacetKeys = statement<IndexQuery & { readonly only: readonly string[] | null }, FacetCount>(
  'search/count_facet_keys',
  { params: ['index', 'query', 'only'], row: ['key', 'count'] },
);

/** All documents of some kinds that are not deleted. */
type Everything = { readonly entityTypes: readonly string[] };

/** Finds a page of everything, by name, behind a name and an id. */
export const findEverything = statement<
  Everything & Pick<PageParams, 'from' | 'size'> & { readonly behind: Pick<SearchAfter, 'name' | 'id'> },
  HitRow
>('search/find_everything', {
  params: ['entityTypes', 'behind', 'from', 'size'],
  row: HIT_ROW,
});

export const countEverything = statement<Everything & { readonly most: number }, { readonly count: number }>(
  'search/count_everything',
  { params: ['entityTypes', 'most'], row: ['count'] },
);

export const countEverythingByFacetKey = statement<Everything, FacetCount>('search/count_everything_by_facet_key', {
  params: ['entityTypes'],
  row: ['key', 'count'],
});

export const countEverythingByTerm = statement<
  Everything & { readonly prefixes: readonly string[]; readonly limit: number },
  { readonly term: string; readonly count: number }
>('search/count_everything_by_term', { params: ['entityTypes', 'prefixes', 'limit'], row: ['term', 'count'] });

export const readFacetTerms = statement<
  { readonly keys: readonly string[] },
  { readonly key: string; readonly terms: string; readonly entityType: string }
>('search/read_facet_terms', { params: ['keys'], row: ['key', 'terms', 'entityType'] });

export const countTerms = statement<
  IndexQuery & {
    readonly only: readonly string[] | null;
    readonly prefixes: readonly string[];
    readonly limit: number;
  },
  { readonly term: string; readonly count: number }
>('search/count_terms', { params: ['index', 'query', 'only', 'prefixes', 'limit'], row: ['term', 'count'] });
