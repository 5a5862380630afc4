import { statement } from '../../graph/statement.ts';
import type { HitRow, SearchAfter } from '../request/hit-sort.ts';

/** Which documents are sought: a query in the words of a full-text index. */
type IndexQuery = { readonly index: string; readonly query: string };

/** What documents of some types are worth in place of what they are popular, by what their terms add. */
export type RelevanceRows = Readonly<
  Record<string, { readonly base: number; readonly terms: Readonly<Record<string, number>> }>
>;

export type PageParams = IndexQuery & {
  /** The only documents that count, if not all do. */
  readonly only: readonly string[] | null;
  readonly by: 'score' | 'property' | 'term';
  /** The name of the property, or how the term begins. */
  readonly member: string;
  /** Whether terms are put in order without regard to their case. */
  readonly folds: boolean;
  /** Whether everything that is found is found equally well. */
  readonly flat: boolean;
  readonly worth: RelevanceRows | null;
  readonly behind: SearchAfter | null;
  readonly from: number;
  readonly size: number;
};

const PAGE_STATEMENT = {
  params: ['index', 'query', 'only', 'by', 'member', 'folds', 'flat', 'worth', 'behind', 'from', 'size'],
  row: ['total', 'rows'],
} as const;

/** How many hits there are, and some of them. */
export type HitPage = { readonly total: number; readonly rows: readonly HitRow[] };

export const findAscending = statement<PageParams, HitPage>('search/find_ascending', PAGE_STATEMENT);
export const findDescending = statement<PageParams, HitPage>('search/find_descending', PAGE_STATEMENT);

type RankedPageParams = Pick<PageParams, 'index' | 'only' | 'worth' | 'behind' | 'from' | 'size'> & {
  readonly queries: readonly string[];
  /** What every query counts that finds a hit, beside how well it does. */
  readonly each: number;
  /** 1 for the best first, -1 for the worst. */
  readonly sign: number;
};

/** The same for what several queries find. */
export const findRanked = statement<RankedPageParams, HitPage>('search/find_ranked', {
  params: ['index', 'queries', 'only', 'each', 'worth', 'sign', 'behind', 'from', 'size'],
  row: ['total', 'rows'],
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

/** Documents of one key are counted as the same. */
export const countFacetKeys = statement<
  IndexQuery & { readonly only: readonly string[] | null },
  { readonly key: string; readonly count: number }
>('search/count_facet_keys', { params: ['index', 'query', 'only'], row: ['key', 'count'] });

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
