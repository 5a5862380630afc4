import type { Kind } from '../../model/kind/kind.ts';
import { andFilter, MATCH_ALL, orFilter, type SearchFilter } from '../../search-documents/filter/search-filter.ts';
import { andBounds, exactBounds, type QueryBounds } from '../../search-documents/index/bounds.ts';
import {
  boostQuery,
  countExpandedClauses,
  type LuceneQuery,
  MAX_QUERY_CLAUSES,
} from '../../search-documents/index/lucene.ts';
import type { RankKinds } from '../../search-documents/index/ranking.ts';
import { kindsQuery, translateFilter } from '../../search-documents/index/translate-filter.ts';
import { type CandidateResult, checkCandidates, type SearchRun } from './candidates.ts';
import { tooManyClauses } from './rewrite-query.ts';
import { groupWords, packFilters, splitFilter } from './split-filter.ts';

/** Runs a search that needs several queries and combines their results. */

export type SplitOptions = {
  readonly kinds: readonly Kind[];
  readonly now: number;
  /** Whether any of the typed words suffices. */
  readonly isPatient: boolean;
  readonly rankedBy: RankKinds | undefined;
};

type FoundIds = { readonly ids: ReadonlySet<string>; readonly timedOut: boolean };

const TIMED_OUT: FoundIds = { ids: new Set(), timedOut: true };

const filterBoundsOf = (
  { kinds, now, isPatient: allowsAnyWord, rankedBy }: SplitOptions,
  filter: SearchFilter,
): QueryBounds => translateFilter(filter, kinds, now, allowsAnyWord, rankedBy);

const boundsWithinKinds = ({ kinds }: SplitOptions, bounds: QueryBounds): QueryBounds =>
  andBounds([exactBounds(boostQuery(kindsQuery(kinds), 0)), bounds]);

/** Whether a condition fits into one query, whatever similar words the index knows. */
const createQueryFit =
  (manner: SplitOptions) =>
  (filter: SearchFilter): boolean => {
    const { certain, possible } = boundsWithinKinds(manner, filterBoundsOf(manner, filter));
    // Documents that may match but need not are queried as the possible ones minus the certain ones.
    return (
      countExpandedClauses(possible) + (certain === possible ? 0 : countExpandedClauses(certain)) <= MAX_QUERY_CLAUSES
    );
  };

const joinFilters =
  (is: 'every' | 'some') =>
  (of: readonly SearchFilter[]): SearchFilter =>
    is === 'every' ? andFilter(of) : orFilter(of);

/** The index decides on typed words completely, so documents are not checked against them. */
const isSimpleFilter = ({ is }: SearchFilter): boolean => is === 'simple';

const withoutSimpleFilters = (filter: SearchFilter): SearchFilter => {
  if (filter.is === 'every') return andFilter(filter.of.filter((one) => !isSimpleFilter(one)));
  return isSimpleFilter(filter) ? MATCH_ALL : filter;
};

const listIdsInOneQuery = async (search: SearchRun, manner: SplitOptions, filter: SearchFilter): Promise<FoundIds> => {
  const bounds = boundsWithinKinds(manner, filterBoundsOf(manner, filter));
  const { only, timedOut } = await checkCandidates(search, manner.kinds, withoutSimpleFilters(filter), bounds, true);
  return { ids: new Set(only), timedOut };
};

const listIdsOfAny = async (
  search: SearchRun,
  manner: SplitOptions,
  of: readonly SearchFilter[],
): Promise<FoundIds> => {
  const ids = new Set<string>();
  let timedOut = false;
  for (const one of packFilters(of, joinFilters('some'), createQueryFit(manner))) {
    const found = await listIds(search, manner, one);
    for (const id of found.ids) ids.add(id);
    timedOut ||= found.timedOut;
  }
  return { ids, timedOut };
};

const listIdsOfAll = async (
  search: SearchRun,
  manner: SplitOptions,
  of: readonly SearchFilter[],
  without: readonly SearchFilter[],
): Promise<FoundIds> => {
  const fits = createQueryFit(manner);
  const typed = packFilters(of.filter(isSimpleFilter), joinFilters('every'), fits);
  const others = packFilters(
    of.filter((one) => !isSimpleFilter(one)),
    joinFilters('every'),
    fits,
  );
  const [first = MATCH_ALL, ...rest] = [...typed, ...others];
  let { ids, timedOut } = await listIds(search, manner, first);
  for (const one of rest) {
    if (ids.size === 0) break;
    const found = await listIds(search, manner, one);
    ids = new Set([...ids].filter((id) => found.ids.has(id)));
    timedOut ||= found.timedOut;
  }
  if (without.length === 0 || ids.size === 0) return { ids, timedOut };
  const excluded = await listIdsOfAny(search, manner, without);
  // Without the full list of exclusions, no result is safe to show.
  if (excluded.timedOut) return TIMED_OUT;
  return { ids: new Set([...ids].filter((id) => !excluded.ids.has(id))), timedOut: timedOut || excluded.timedOut };
};

/**
 * Lists the ids of the documents that match a condition, in as many queries as it takes. Throws bad_request when it
 * cannot be split.
 */
const listIds = async (search: SearchRun, manner: SplitOptions, filter: SearchFilter): Promise<FoundIds> => {
  if (search.patience.isOver()) return TIMED_OUT;
  if (createQueryFit(manner)(filter)) return listIdsInOneQuery(search, manner, filter);
  const parts = splitFilter(filter, manner.isPatient);
  if (!parts) throw tooManyClauses();
  return parts.is === 'some'
    ? listIdsOfAny(search, manner, parts.of)
    : listIdsOfAll(search, manner, parts.of, parts.without);
};

/** Splits the ranking part of a condition into queries; the score of a hit is the sum over all of them. */
const splitRankingFilter = (manner: SplitOptions, filter: SearchFilter): readonly SearchFilter[] => {
  const fits = createQueryFit(manner);
  if (filter.is === 'all' || filter.is === 'not') return [];
  if (fits(filter)) return [filter];
  const parts = splitFilter(filter, manner.isPatient);
  if (!parts) return [];
  return packFilters(parts.of, joinFilters('some'), fits).flatMap((one) => splitRankingFilter(manner, one));
};

/** The queries that rank hits, and the score that each adds for any match. */
export type RankQueries = { readonly queries: readonly LuceneQuery[]; readonly each: number };

export const NO_RANK_QUERIES: RankQueries = { queries: [], each: 0 };

/** The score of each word when any word suffices. It outweighs how well the word matches. */
export const SCORE_PER_WORD = 10_000;

const splitRankQueriesOf = (manner: SplitOptions, q: SearchFilter): RankQueries => {
  const isCounted = manner.isPatient && q.is === 'simple';
  const parts = (isCounted ? groupWords(q) : [q]).flatMap((one) => splitRankingFilter(manner, one));
  return {
    queries: parts.map((one) => boundsWithinKinds(manner, filterBoundsOf(manner, one)).possible),
    each: isCounted ? SCORE_PER_WORD : 0,
  };
};

type SplitScope = { readonly candidates: CandidateResult; readonly ranks: RankQueries };

/** Finds all documents that match both conditions, and the queries that rank them. */
export const resolveInParts = async (
  search: SearchRun,
  manner: SplitOptions,
  { q, rest }: { readonly q: SearchFilter; readonly rest: SearchFilter },
): Promise<SplitScope> => {
  const { ids, timedOut } = await listIds(search, manner, andFilter([q, rest]));
  return { candidates: { only: [...ids], timedOut }, ranks: splitRankQueriesOf(manner, q) };
};
