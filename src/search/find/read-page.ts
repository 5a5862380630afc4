import type { Kind } from '../../model/kind/kind.ts';
import type { LuceneQuery } from '../../search-documents/index/lucene.ts';
import type { SearchRequest } from '../request/search-request.ts';
import type { CandidateResult, SearchRun } from './candidates.ts';
import {
  countDocuments,
  countEverything,
  type FacetCount,
  findAscending,
  findBest,
  findDescending,
  findEverything,
  findRanked,
  type HitPage,
} from './queries.ts';
import { readRelevance } from './relevance.ts';
import { NO_RANK_QUERIES, type RankQueries } from './split-search.ts';

/** Reads one page of the hits of a resolved search. */

/** The limit for counting hits, unless the caller asks for the exact total. */
const MAX_COUNTED = 10_000;

/** The query in the syntax of the index, and the result of the candidate check. */
export type SearchScope = {
  readonly query: LuceneQuery;
  readonly candidates: CandidateResult;
  /** The queries that rank the hits, where there is more than one. */
  readonly ranks?: RankQueries;
  /** The kinds of which everything is a hit, where that is so: other indexes answer it without reading all of it. */
  readonly everythingOf?: readonly string[] | undefined;
};

/** A page of hits, and the counts of their facets if they were counted at once. */
export type CountedPage = HitPage & { readonly facets?: readonly FacetCount[] };

export const NO_PAGE: CountedPage = { total: 0, rows: [] };

const countHits = async (
  { engine, index, patience: { signal } }: SearchRun,
  request: SearchRequest,
  { query, candidates, everythingOf }: SearchScope,
): Promise<number> => {
  const { only } = candidates;
  if (only) return only.length;
  const most = request.tracksTotal ? Number.MAX_SAFE_INTEGER : MAX_COUNTED + 1;
  if (everythingOf) {
    const [counted] = await engine.graph.read(countEverything, { entityTypes: everythingOf, most }, { signal });
    return counted?.count ?? 0;
  }
  const [row] = await engine.graph.read(countDocuments, { index, query, most }, { signal });
  return row?.count ?? 0;
};

/** Reads the page of the best hits, and counts all hits by facets if the answer contains these counts. */
const readBestPage = async (
  { engine, index, patience: { signal } }: SearchRun,
  { aggregates, postFilter, from, size }: SearchRequest,
  query: LuceneQuery,
): Promise<CountedPage> => {
  const counts = aggregates && postFilter.is === 'all';
  const [answer] = await engine.graph.read(findBest, { index, query, from, size, counts }, { signal });
  if (!answer) return NO_PAGE;
  const { total, rows, facetKeys, facetCounts } = answer;
  const page = { total, rows };
  return counts ? { ...page, facets: facetKeys.map((key, at) => ({ key, count: facetCounts[at] ?? 0 })) } : page;
};

/** The place before the first name. */
const BEGINNING = { name: '', id: '' };

/** Reads a page of everything. All hits are alike, so their names order them. */
const readPageOfEverything = async (
  search: SearchRun,
  request: SearchRequest,
  scope: SearchScope,
  entityTypes: readonly string[],
): Promise<HitPage> => {
  const { behind, from, size } = request;
  const params = { entityTypes, behind: behind ?? BEGINNING, from, size };
  const [total, rows] = await Promise.all([
    countHits(search, request, scope),
    search.engine.graph.read(findEverything, params, { signal: search.patience.signal }),
  ]);
  return { total, rows };
};

/** Reads a page of hits and their total. */
export const readPage = async (
  search: SearchRun,
  kinds: readonly Kind[],
  request: SearchRequest,
  scope: SearchScope,
): Promise<CountedPage> => {
  const { engine, index, patience: budget } = search;
  const { signal } = budget;
  const { query, candidates, ranks } = scope;
  const { only } = candidates;
  const { sort, behind, from, size } = request;
  if (size === 0) return { total: await countHits(search, request, scope), rows: [] };
  const relevance = await readRelevance({ graph: engine.graph, signal }, request.customRanking, kinds, {
    index,
    query,
    only,
  });
  const { queries, each } = ranks ?? NO_RANK_QUERIES;
  if (sort.by === 'score' && queries.length > 0) {
    const sign = sort.isAscending ? -1 : 1;
    const params = { index, queries, only, each, worth: relevance, sign, behind, from, size };
    // Each query alone may fit the index while all of them together do not; the whole request is then simplified.
    const [total, [ranked = NO_PAGE]] = await Promise.all([
      countHits(search, request, scope),
      engine.graph.read(findRanked, params, { signal }),
    ]);
    return { ...ranked, total };
  }
  const flat = request.q.is === 'all' && relevance === null;
  const isByName = flat && sort.by === 'score' && (behind === null || behind.key === 1);
  if (scope.everythingOf && isByName) return readPageOfEverything(search, request, scope, scope.everythingOf);
  const isBest = sort.by === 'score' && !sort.isAscending && !flat && !relevance && !behind && !only;
  if (isBest) return readBestPage(search, request, query);
  const statement = sort.isAscending ? findAscending : findDescending;
  const page = {
    index,
    query,
    only,
    by: sort.by,
    member: sort.member,
    folds: sort.folds ?? false,
    flat,
    worth: relevance,
    behind,
    from,
    size,
  };
  const [answer = NO_PAGE] = await engine.graph.read(statement, page, { signal });
  return answer;
};
