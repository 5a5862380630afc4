import { queryFlag } from '../../catalog/read/answer.ts';
import { badRequest } from '../../errors.ts';
import { textParameter, wholeNumber } from '../../http/query.ts';
import type { Call, QueryParameter } from '../../http/route.ts';
import type { Kind } from '../../model/kind.ts';
import { indexesNamed, type Searched } from '../answer/aliases.ts';
import { readSelection, type Selection } from '../answer/source.ts';
import { namesField } from '../fields.ts';
import { readFilter } from '../filter/read.ts';
import { every, type Filter, not, someLeaf } from '../filter/tree.ts';
import { readQuery } from '../query-string/read.ts';
import type { Taste } from './settings.ts';
import type { Behind } from './sort.ts';
import { readBehind, readSort, type Sort } from './sort.ts';

/** What a search is asked for (search.md 1), read from the parameters of a request. */
export type Asked = {
  readonly searched: Searched;
  /** What people typed. */
  readonly q: Filter;
  /** What else must hold of everything that is found or counted. */
  readonly filter: Filter;
  /** What must hold of hits alone. */
  readonly postFilter: Filter;
  readonly from: number;
  readonly size: number;
  readonly sort: Sort;
  readonly behind: Behind | null;
  readonly tracksTotal: boolean;
  readonly selection: Selection;
  readonly explains: boolean;
  /** How hits are put in order, if not as usual. */
  readonly taste?: Taste;
  /** Whether nothing is asked for but everything there is. */
  readonly meansAll: boolean;
  readonly aggregates: boolean;
  /** It is more than one query can ask for. */
  readonly inParts?: boolean;
};

/** As far as pages can be numbered. */
const MOST = 10_000;

const DELETED = 'deleted';

/** Whether a filter itself says something of deletion, or asks for records by their ids. */
const speaksOfDeletion = (filter: Filter): boolean =>
  someLeaf(filter, (leaf) => leaf.is === 'ids' || ('field' in leaf && leaf.field === DELETED));

const LIVING: Filter = not({ is: 'term', field: DELETED, values: [true], anyCase: false });

/** Whoever says nothing of deletion means what lives. */
const livingOr = (call: Pick<Call, 'query'>, filters: readonly Filter[]): Filter => {
  const isSaid = call.query.get(DELETED);
  const wantsAll = isSaid ? queryFlag(call, DELETED) : filters.some(speaksOfDeletion);
  return wantsAll ? { is: 'all' } : LIVING;
};

/** A row may be asked for by its number, or by what it comes behind, but not by both. */
const readPlace = (
  { query }: Pick<Call, 'query'>,
  sort: Sort,
  fallback: number,
): Pick<Asked, 'from' | 'size' | 'behind'> => {
  const from = wholeNumber(query, 'from', 0, 0, MOST);
  const size = wholeNumber(query, 'size', fallback, 0, MOST);
  const behind = readBehind(sort, query.getAll('search_after'));
  if (behind && from > 0) throw badRequest('[from must be 0 where search_after says where to begin]');
  if (from + size > MOST) throw badRequest(`[from and size must be at most ${MOST} together]`);
  return { from, size, behind };
};

/** What operations have in place of what a plain search does. */
export type Instead = {
  /** What is searched when the request names nothing. */
  readonly index?: string;
  readonly size?: number;
  /** What is sought. */
  readonly seek?: (query: URLSearchParams, isField: (name: string) => boolean) => Filter;
};

const seekQuery: NonNullable<Instead['seek']> = (query, isField) =>
  readQuery(query.get('q') ?? '', { name: 'q', isField });

/** What of documents is to be answered. */
export const selectionAsked = (call: Pick<Call, 'query'>): Selection =>
  readSelection({
    includes: call.query.getAll('include_source_fields'),
    excludes: call.query.getAll('exclude_source_fields'),
    fetchSource: queryFlag(call, 'fetch_source', true),
  });

export const readAsked = (
  kinds: readonly Kind[],
  call: Pick<Call, 'query'>,
  { index = 'table_search_index', size = 10, seek = seekQuery }: Instead = {},
): Asked => {
  const { query } = call;
  const searched = indexesNamed(kinds)(query.get('index') || index);
  const isField = namesField(searched.kinds);
  const q = seek(query, isField);
  const filter = readFilter(query.get('query_filter') ?? '', { name: 'query_filter', isField });
  const postFilter = readFilter(query.get('post_filter') ?? '', { name: 'post_filter', isField });
  const known = searched.kinds.length > 0 ? searched.kinds : kinds;
  const sort = readSort(known, query.get('sort_field') || '_score', query.get('sort_order') || 'desc');
  return {
    searched,
    q,
    filter: every([filter, livingOr(call, [q, filter, postFilter])]),
    postFilter,
    sort,
    ...readPlace(call, sort, size),
    tracksTotal: queryFlag(call, 'track_total_hits'),
    selection: selectionAsked(call),
    meansAll: q.is === 'all' && filter.is === 'all',
    explains: queryFlag(call, 'explain'),
    aggregates: queryFlag(call, 'include_aggregations', true),
  };
};

const flag = (name: string, description: string, fallback?: boolean): QueryParameter => ({
  name,
  description,
  schema: { type: 'boolean', ...(fallback === undefined ? {} : { default: fallback }) },
});

const whole = (name: string, description: string, fallback: number): QueryParameter => ({
  name,
  description,
  schema: { type: 'integer', minimum: 0, maximum: MOST, default: fallback },
});

export const QUERY: readonly QueryParameter[] = [
  textParameter('q', 'What is sought, as people write queries; `*` is everything'),
  textParameter('index', 'The index or indexes to search, by name or alias, with commas between them'),
  whole('from', 'How many hits to leave out', 0),
  whole('size', 'How many hits to answer', 10),
  flag('deleted', 'Whether also what is deleted is found; without it, only if the request speaks of deletion itself'),
  textParameter('sort_field', 'What to sort by instead of how well a hit is found'),
  { name: 'sort_order', description: 'asc or desc', schema: { type: 'string', default: 'desc' } },
  flag('track_total_hits', 'Count all hits, and not just up to 10,000', false),
  textParameter('include_source_fields', 'The members of documents to answer, with commas between them'),
  textParameter('exclude_source_fields', 'The members of documents to leave out'),
  flag('fetch_source', 'Whether to answer documents at all', true),
  textParameter('query_filter', 'What must hold of what is found, as a filter in JSON'),
  textParameter('post_filter', 'What must hold of hits and need not hold of what is counted in aggregations'),
  textParameter('search_after', 'What the last hit of the page before was sorted by, once per value'),
  flag('getHierarchy', 'Show glossary terms or domains as a tree', false),
  flag('include_aggregations', 'Whether to count what is found by what it has in common', true),
  flag('explain', 'Say of every hit how it was found', false),
];
