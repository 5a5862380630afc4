import { parseQueryFlag } from '../../catalog/read/answer.ts';
import { badRequest } from '../../errors.ts';
import { flagParameter, integerParameter, textParameter } from '../../http/query-parameters.ts';
import type { Call, QueryParameter } from '../../http/route.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { createFieldNameTest } from '../../search-documents/fields.ts';
import { readFilter } from '../../search-documents/filter/read-filter.ts';
import { andFilter, hasLeaf, notFilter, type SearchFilter } from '../../search-documents/filter/search-filter.ts';
import { parseSearchQuery } from '../../search-documents/query-string/parse-query.ts';
import type { CustomRanking } from './custom-ranking.ts';
import type { SearchAfter } from './hit-sort.ts';
import { type HitSort, readHitSort, readSearchAfter } from './hit-sort.ts';
import { indexResolverOf, type SearchedIndexes } from './index-names.ts';
import { readSelection, type SourceSelection } from './source-selection.ts';
import { watchFields } from './unknown-fields.ts';

/** A search request (search.md 1), read from the query parameters. */
export type SearchRequest = {
  readonly searched: SearchedIndexes;
  /** The text that the user typed. */
  readonly q: SearchFilter;
  /** The filter on everything that is found or counted. */
  readonly filter: SearchFilter;
  /** The filter on hits alone; counts ignore it. */
  readonly postFilter: SearchFilter;
  readonly from: number;
  readonly size: number;
  readonly sort: HitSort;
  readonly behind: SearchAfter | null;
  readonly tracksTotal: boolean;
  readonly selection: SourceSelection;
  readonly explains: boolean;
  /** The ranking from settings, if not the default. */
  readonly customRanking?: CustomRanking;
  /** Whether the request asks for all documents without a query or filter. */
  readonly isMatchAll: boolean;
  readonly aggregates: boolean;
  /** The request exceeds one query and runs as several. */
  readonly isSplit?: boolean;
};

/** The last position that page numbers can reach. */
const MAX_WINDOW = 10_000;

const DELETED_FIELD = 'deleted';

/** Whether a filter mentions deletion, or selects records by ids. */
const mentionsDeletion = (filter: SearchFilter): boolean =>
  hasLeaf(filter, (leaf) => leaf.is === 'ids' || ('field' in leaf && leaf.field === DELETED_FIELD));

const NOT_DELETED: SearchFilter = notFilter({ is: 'term', field: DELETED_FIELD, values: [true], anyCase: false });

/** A request that does not mention deletion excludes deleted records. */
const deletionFilter = (call: Pick<Call, 'query'>, filters: readonly SearchFilter[]): SearchFilter => {
  const isGiven = call.query.get(DELETED_FIELD);
  const includesDeleted = isGiven ? parseQueryFlag(call, DELETED_FIELD) : filters.some(mentionsDeletion);
  return includesDeleted ? { is: 'all' } : NOT_DELETED;
};

/** Whether all documents that are not deleted are hits of a request, whatever was added to it since it was read. */
export const asksForEverything = ({ q, filter, postFilter }: SearchRequest): boolean =>
  q.is === 'all' && filter === NOT_DELETED && postFilter.is === 'all';

/** A page begins at an offset or after a hit, but not both. */
const readPage = (
  { query }: Pick<Call, 'query'>,
  sort: HitSort,
  fallback: number,
): Pick<SearchRequest, 'from' | 'size' | 'behind'> => {
  const from = integerParameter(query, 'from', 0, 0, MAX_WINDOW);
  const size = integerParameter(query, 'size', fallback, 0, MAX_WINDOW);
  const behind = readSearchAfter(sort, query.getAll('search_after'));
  if (behind && from > 0) throw badRequest('[from must be 0 when search_after is given]');
  if (from + size > MAX_WINDOW) throw badRequest(`[from and size must be at most ${MAX_WINDOW} together]`);
  return { from, size, behind };
};

/** Defaults with which other operations replace those of a plain search. */
export type RequestDefaults = {
  /** The index to search when the request names none. */
  readonly index?: string;
  readonly size?: number;
  /** Parses the query. */
  readonly parseQuery?: (query: URLSearchParams, isField: (name: string) => boolean) => SearchFilter;
  /** Called with what may help the caller with the query. */
  readonly onHint?: ((hint: string) => void) | undefined;
};

const parseQueryParameter: NonNullable<RequestDefaults['parseQuery']> = (query, isField) =>
  parseSearchQuery(query.get('q') ?? '', { name: 'q', isField });

/** Reads which members of documents the answer includes. */
export const readSourceSelection = (call: Pick<Call, 'query'>): SourceSelection =>
  readSelection({
    includes: call.query.getAll('include_source_fields'),
    excludes: call.query.getAll('exclude_source_fields'),
    fetchSource: parseQueryFlag(call, 'fetch_source', true),
  });

export const readSearchRequest = (
  kinds: readonly Kind[],
  call: Pick<Call, 'query'>,
  { index = 'table_search_index', size = 10, parseQuery = parseQueryParameter, onHint }: RequestDefaults = {},
): SearchRequest => {
  const { query } = call;
  const searched = indexResolverOf(kinds)(query.get('index') || index);
  const isField = createFieldNameTest(searched.kinds);
  const watch = watchFields(searched.kinds, isField, query.get('q') ?? '');
  const q = parseQuery(query, watch.isField);
  const hint = onHint && watch.describeUnknown();
  if (hint !== undefined) onHint?.(hint);
  const filter = readFilter(query.get('query_filter') ?? '', { name: 'query_filter', isField });
  const postFilter = readFilter(query.get('post_filter') ?? '', { name: 'post_filter', isField });
  const sortKinds = searched.kinds.length > 0 ? searched.kinds : kinds;
  const sort = readHitSort(sortKinds, query.get('sort_field') || '_score', query.get('sort_order') || 'desc');
  return {
    searched,
    q,
    filter: andFilter([filter, deletionFilter(call, [q, filter, postFilter])]),
    postFilter,
    sort,
    ...readPage(call, sort, size),
    tracksTotal: parseQueryFlag(call, 'track_total_hits'),
    selection: readSourceSelection(call),
    isMatchAll: q.is === 'all' && filter.is === 'all',
    explains: parseQueryFlag(call, 'explain'),
    aggregates: parseQueryFlag(call, 'include_aggregations', true),
  };
};

const numberParameter = (name: string, description: string, fallback: number): QueryParameter => ({
  name,
  description,
  schema: { type: 'integer', minimum: 0, maximum: MAX_WINDOW, default: fallback },
});

export const SEARCH_PARAMETERS: readonly QueryParameter[] = [
  textParameter('q', 'Search query in query string syntax; `*` matches everything'),
  textParameter('index', 'Comma-separated names or aliases of the indexes to search'),
  numberParameter('from', 'Number of hits to skip', 0),
  numberParameter('size', 'Number of hits to return', 10),
  flagParameter('deleted', 'Whether to search deleted assets too; by default, only when a filter names `deleted`'),
  textParameter('sort_field', 'Field to sort by instead of relevance'),
  { name: 'sort_order', description: 'Sort order: asc or desc', schema: { type: 'string', default: 'desc' } },
  flagParameter('track_total_hits', 'Whether to count all hits instead of stopping at 10,000', false),
  textParameter('include_source_fields', 'Comma-separated names of the document fields to return'),
  textParameter('exclude_source_fields', 'Comma-separated names of the document fields to leave out'),
  flagParameter('fetch_source', 'Whether to return the documents of the hits', true),
  textParameter('query_filter', 'Filter for hits and aggregations, as a JSON query'),
  textParameter('post_filter', 'Filter for hits but not for aggregations, as a JSON query'),
  textParameter('search_after', 'Sort values of the last hit of the previous page, repeated per value'),
  flagParameter('getHierarchy', 'Whether to return glossary terms or domains as a tree', false),
  flagParameter('include_aggregations', 'Whether to return aggregations', true),
  flagParameter('explain', 'Whether to explain the score of each hit', false),
];
