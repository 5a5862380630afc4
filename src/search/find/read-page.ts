import type { BoundStatement } from '../../graph/statement.ts';
import type { Kind } from '../../model/kind/kind.ts';
import type { LuceneQuery } from '../../search-documents/index/lucene.ts';
import type { HitRow } from '../request/hit-sort.ts';
import type { SearchRequest } from '../request/search-request.ts';
import type { CandidateResult, SearchRun } from './candidates.ts';
import {
  countDocuments,
  countEverything,
  countFacetKeys,
  type FacetCount,
  findAscending,
  findBest,
  findDescending,
  findEverything,
  findRanked,
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

/** The number of hits, one page of them, and the counts of their facets if they were counted at once. */
export type CountedPage = {
  readonly total: number;
  readonly rows: readonly HitRow[];
  readonly facets?: readonly FacetCount[];
};

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

/** Counts all hits, by facets if the answer contains these counts. Facets of everything are kept, so they are not. */
const countPageHits = async (
  search: SearchRun,
  request: SearchRequest,
  scope: SearchScope,
): Promise<Omit<CountedPage, 'rows'>> => {
  const { aggregates, postFilter, q } = request;
  const { only } = scope.candidates;
  if (!aggregates || postFilter.is !== 'all' || q.is === 'all' || only) {
    return { total: await countHits(search, request, scope) };
  }
  const { engine, index, patience } = search;
  const facets = await engine.graph.read(
    countFacetKeys,
    { index, query: scope.query, only },
    { signal: patience.signal },
  );
  return { total: facets.reduce((sum, { count }) => sum + count, 0), facets };
};

/** The place before the first name. */
const BEGINNING = { name: '', id: '' };

/** Reads the rows of a page of hits, apart from their total: all hits together may not fit into memory. */
export const readHitRows = async (
  { engine, index, patience: { signal } }: SearchRun,
  kinds: readonly Kind[],
  request: SearchRequest,
  { query, candidates: { only }, ranks = NO_RANK_QUERIES, everythingOf }: SearchScope,
): Promise<readonly HitRow[]> => {
  const read = <P extends object>(statement: BoundStatement<P, HitRow>, params: P): Promise<readonly HitRow[]> =>
    engine.graph.read(statement, params, { signal });
  const { sort, behind, from, size } = request;
  const isByScore = sort.by === 'score';
  const hits = { index, query, only };
  const worth = await readRelevance({ graph: engine.graph, signal }, request.customRanking, kinds, hits);
  const { queries, each } = ranks;
  if (isByScore && queries.length > 0) {
    const sign = sort.isAscending ? -1 : 1;
    return read(findRanked, { index, queries, only, each, worth, sign, behind, from, size });
  }
  const flat = request.q.is === 'all' && worth === null;
  // Where all hits are alike, their names order them.
  if (everythingOf && flat && isByScore && (behind === null || behind.key === 1)) {
    return read(findEverything, { entityTypes: everythingOf, behind: behind ?? BEGINNING, from, size });
  }
  if (isByScore && !sort.isAscending && !flat && !worth && !behind && !only) {
    return read(findBest, { index, query, from, size });
  }
  const { by, member, folds = false } = sort;
  const statement = sort.isAscending ? findAscending : findDescending;
  return read(statement, { ...hits, by, member, folds, flat, worth, behind, from, size });
};

/** Reads a page of hits and their total. */
export const readPage = async (
  search: SearchRun,
  kinds: readonly Kind[],
  request: SearchRequest,
  scope: SearchScope,
): Promise<CountedPage> => {
  if (request.size === 0) return { total: await countHits(search, request, scope), rows: [] };
  const [counted, rows] = await Promise.all([
    countPageHits(search, request, scope),
    readHitRows(search, kinds, request, scope),
  ]);
  return { ...counted, rows };
};
