import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { readDocuments } from '../../catalog/read/documents.ts';
import { VIEW_OPERATIONS } from '../../catalog/read/facts.ts';
import { createRedactor } from '../../catalog/read/redaction.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { createPacer } from '../../model/pacer.ts';
import { andFilter, MATCH_ALL, type SearchFilter } from '../../search-documents/filter/search-filter.ts';
import { andBounds, exactBounds, type QueryBounds } from '../../search-documents/index/bounds.ts';
import { boostQuery, countQueryClauses, LUCENE_NONE, MAX_QUERY_CLAUSES } from '../../search-documents/index/lucene.ts';
import { kindsQuery, translateFilter } from '../../search-documents/index/translate-filter.ts';
import { buildHighlights } from '../answer/highlight.ts';
import { hitTotalOf } from '../answer/hit-total.ts';
import { type HitRow, sortValues } from '../request/hit-sort.ts';
import { asksForEverything, type SearchRequest } from '../request/search-request.ts';
import { isSelected, selectSource } from '../request/source-selection.ts';
import { aggregateFacetCounts, aggregateHits, type CountedHits, emptyAggregations } from './aggregate.ts';
import { askTypesense } from './ask-typesense.ts';
import { checkCandidates, type SearchRun } from './candidates.ts';
import { createExplainer } from './explain.ts';
import type { FacetCount } from './queries.ts';
import { type CountedPage, readHitRows, readPage, type SearchScope } from './read-page.ts';
import { runWithRewrites, tooManyClauses } from './rewrite-query.ts';
import { type SearchCaller, type SearchContext, type SearchPrincipal, upstreamTargetOf } from './search-context.ts';
import { groupWords } from './split-filter.ts';
import { NO_RANK_QUERIES, type RankQueries, resolveInParts, SCORE_PER_WORD } from './split-search.ts';
import { type TimeBudget, timeBudgetError, withTimeBudget } from './time-budget.ts';
import { filterVisibleAggregations } from './visible-buckets.ts';

/**
 * Searches the full-text index of Neo4j. Read this file first: it combines `ask-typesense.ts` (try the second engine),
 * `candidates.ts` (check what the index leaves open), `read-page.ts` (find the hits of a page), `rewrite-query.ts` with
 * `split-search.ts` and `split-filter.ts` (queries that are too large), and `aggregate.ts` with `visible-buckets.ts`
 * (counts). `walk-hits.ts` serves exports.
 */

/** The kinds of which the caller may see any record. Throws forbidden when there are none. */
const visibleKinds = (engine: Engine, principal: Principal, kinds: readonly Kind[]): readonly Kind[] => {
  const seen = kinds.filter(
    ({ entityType }) => engine.authorizer.filter(principal, VIEW_OPERATIONS, entityType) !== 'none',
  );
  const [first] = kinds;
  if (first && seen.length === 0) engine.authorize(principal, VIEW_OPERATIONS, { resource: first.entityType });
  return seen;
};

const withoutScore = (bounds: QueryBounds): QueryBounds => ({
  certain: boostQuery(bounds.certain, 0),
  possible: boostQuery(bounds.possible, 0),
});

/** Translates the request into index queries. Only the typed text counts for ranking. */
const requestBoundsOf = (
  kinds: readonly Kind[],
  { q, filter, postFilter, customRanking }: SearchRequest,
  now: number,
  allowsAnyWord: boolean,
): QueryBounds => {
  const rest = andBounds([
    exactBounds(kindsQuery(kinds)),
    translateFilter(andFilter([filter, postFilter]), kinds, now),
  ]);
  return andBounds([translateFilter(q, kinds, now, allowsAnyWord, customRanking?.rankedBy), withoutScore(rest)]);
};

type FoundHits = {
  readonly rows: readonly HitRow[];
  readonly total: number;
  /** Whether there may be more hits, because they could not be counted in time. */
  readonly isAtLeast: boolean;
  readonly facets?: readonly FacetCount[] | undefined;
  readonly scope: SearchScope;
  /** Whether any of the typed words suffices, because no record has all of them. */
  readonly allowsAnyWord?: boolean;
  /** Whether Typesense has found the hits. */
  readonly isFromTypesense?: boolean;
};

const NO_HITS: FoundHits = {
  rows: [],
  total: 0,
  isAtLeast: false,
  scope: { query: LUCENE_NONE, candidates: { only: null, timedOut: false } },
};

/** The time limit passed before anything was found. */
const UNKNOWN_HITS: FoundHits = { ...NO_HITS, isAtLeast: true };

/** When any word suffices, hits that have more of the words come first. */
const rankQueriesOf = (
  kinds: readonly Kind[],
  request: SearchRequest,
  now: number,
  allowsAnyWord: boolean,
): RankQueries => {
  if (!allowsAnyWord || request.q.is !== 'simple') return NO_RANK_QUERIES;
  const queries = groupWords(request.q).map((q) => requestBoundsOf(kinds, { ...request, q }, now, true).possible);
  return { queries, each: SCORE_PER_WORD };
};

/** Resolves a request that needs several queries. */
const resolveSplitScope = async (
  search: SearchRun,
  kinds: readonly Kind[],
  { q, filter, postFilter, customRanking }: SearchRequest,
  allowsAnyWord: boolean,
): Promise<SearchScope> => {
  const manner = { kinds, now: search.engine.clock(), isPatient: allowsAnyWord, rankedBy: customRanking?.rankedBy };
  const parted = await resolveInParts(search, manner, { q, rest: andFilter([filter, postFilter]) });
  return { query: boostQuery(kindsQuery(kinds), 0), ...parted };
};

/** Resolves a request to index queries. Throws bad_request when it is too large for one query and must not be split. */
const resolveScope = async (
  search: SearchRun,
  kinds: readonly Kind[],
  request: SearchRequest,
  allowsAnyWord: boolean,
): Promise<SearchScope> => {
  if (request.isSplit) return resolveSplitScope(search, kinds, request, allowsAnyWord);
  const now = search.engine.clock();
  const bounds = requestBoundsOf(kinds, request, now, allowsAnyWord);
  if (countQueryClauses(bounds.possible) > MAX_QUERY_CLAUSES) throw tooManyClauses();
  // The index alone decides on typed words, so the candidate check leaves them out.
  const isSure = request.q.is === 'simple';
  const all: SearchFilter = andFilter([isSure ? MATCH_ALL : request.q, request.filter, request.postFilter]);
  const candidates = await checkCandidates(search, kinds, all, bounds);
  const isEverything = asksForEverything(request) && candidates.only === null;
  return {
    query: bounds.possible,
    candidates,
    ranks: rankQueriesOf(kinds, request, now, allowsAnyWord),
    ...(isEverything ? { everythingOf: kinds.map(({ entityType }) => entityType) } : {}),
  };
};

const findHitsOnce = async (
  search: SearchRun,
  kinds: readonly Kind[],
  request: SearchRequest,
  allowsAnyWord: boolean,
): Promise<FoundHits> => {
  const scope = await resolveScope(search, kinds, request, allowsAnyWord);
  const page = await search.patience.orElse<CountedPage | undefined>(
    () => readPage(search, kinds, request, scope),
    undefined,
  );
  return { ...(page ?? { total: 0, rows: [] }), isAtLeast: page === undefined, scope, allowsAnyWord };
};

/** Searches again with any of the typed words when no hit has all of them. */
const findHits = async (search: SearchRun, kinds: readonly Kind[], request: SearchRequest): Promise<FoundHits> => {
  if (kinds.length === 0) return NO_HITS;
  const once = (attempted: SearchRequest, allowsAnyWord: boolean) =>
    runWithRewrites(attempted, (some) => findHitsOnce(search, kinds, some, allowsAnyWord));
  return search.patience.orElse(async () => {
    const hits = await once(request, false);
    if (hits.total > 0 || request.q.is !== 'simple' || search.patience.isOver()) return hits;
    // Hits that only the post filter removed count as found.
    const isFiltered = request.postFilter.is !== 'all';
    if (isFiltered && (await once({ ...request, postFilter: MATCH_ALL, size: 0 }, false)).total > 0) return hits;
    return once(request, true);
  }, UNKNOWN_HITS);
};

/** Counts facets without the post filter. */
const aggregateScope = async (
  { engine, facetValues, facetCache }: SearchContext,
  search: SearchRun,
  kinds: readonly Kind[],
  request: SearchRequest,
  { scope, allowsAnyWord = false, facets }: FoundHits,
): Promise<JsonObject> => {
  if (facets) return aggregateFacetCounts(facetValues, kinds, facets);
  const countIn = ({ query, candidates: { only }, everythingOf }: SearchScope): Promise<JsonObject> => {
    const counting = { index: search.index, query, only, everythingOf };
    const count = () => aggregateHits(engine, facetValues, kinds, counting, search.patience.signal);
    // The query names all kinds of which the caller sees every record, so the same query has the same counts for every
    // caller.
    return request.isMatchAll && only === null ? facetCache(query, count) : count();
  };
  if (request.postFilter.is === 'all') return countIn(scope);
  return runWithRewrites({ ...request, postFilter: MATCH_ALL }, async (some) =>
    countIn(await resolveScope(search, kinds, some, allowsAnyWord)),
  );
};

const UPSTREAM_MEMBER = 'upstreamLineage';

const formatHits = async (
  context: SearchContext,
  request: SearchRequest,
  found: FoundHits,
  caller: SearchCaller,
): Promise<readonly JsonObject[]> => {
  const { engine } = context;
  const { principal, hrefBase, countWork } = caller;
  const { rows } = found;
  const ids = rows.map(({ id }) => id);
  const [documents, upstreamReader] = await Promise.all([
    readDocuments(engine, rows, { hrefBase, countWork, redact: createRedactor(engine, principal) }),
    isSelected(request.selection, UPSTREAM_MEMBER) ? context.upstreamOf(caller, ids) : undefined,
  ]);
  const explain = request.explains
    ? createExplainer(request.q, found.isFromTypesense ? 'typesense' : 'neo4j', request.customRanking?.rankedBy)
    : undefined;
  const upstream = upstreamReader?.([...documents.values()].map(upstreamTargetOf));
  const show = (row: HitRow): JsonObject | undefined => {
    const document = documents.get(row.id);
    const kind = engine.registry.byType.get(row.entityType);
    if (!document || !kind) return undefined;
    const whole = upstream ? { ...document, [UPSTREAM_MEMBER]: upstream.get(row.id) ?? [] } : document;
    const source = selectSource(request.selection, whole);
    const highlight = buildHighlights(kind, request.q, document);
    return {
      _index: kind.search.index ?? '',
      _id: row.id,
      _score: request.sort.by === 'score' ? row.key : null,
      ...(source ? { _source: source } : {}),
      sort: sortValues(request.sort, row),
      ...(highlight ? { highlight } : {}),
      ...(explain ? { _explanation: explain(kind, document, typeof row.key === 'number' ? row.key : 0) } : {}),
    };
  };
  // Highlighting a page of long documents takes longer than one turn of the event loop should.
  const pacer = createPacer();
  const hits: JsonObject[] = [];
  for (const row of rows) {
    if (pacer.isSliceUsedUp()) await pacer.yieldToEventLoop();
    const hit = show(row);
    if (hit) hits.push(hit);
  }
  return hits;
};

const prepareSearch = (
  { engine, index }: SearchContext,
  { principal }: SearchPrincipal,
  { searched }: SearchRequest,
  budget: TimeBudget,
) => ({
  kinds: visibleKinds(engine, principal, searched.kinds),
  search: { engine, index, principal, patience: budget },
});

/**
 * Resolves the hits of a search, with all or any of its words, for other evaluations. It is never cut: the search fails
 * when it takes too long.
 */
export const resolveCountedHits = async (
  context: SearchContext,
  request: SearchRequest,
  caller: SearchPrincipal,
  allowsAnyWord: boolean,
): Promise<CountedHits & { readonly kinds: readonly Kind[] }> =>
  withTimeBudget(context.patienceMs, async (budget) => {
    const { search, kinds } = prepareSearch(context, caller, request, budget);
    if (kinds.length === 0) return { kinds, index: search.index, query: NO_HITS.scope.query, only: null };
    const scope = await budget.orElse<SearchScope | undefined>(
      () => resolveScope(search, kinds, request, allowsAnyWord),
      undefined,
    );
    if (!scope || scope.candidates.timedOut) throw timeBudgetError();
    const { query, candidates, everythingOf } = scope;
    return { kinds, index: search.index, query, only: candidates.only, everythingOf };
  });

const answerWithinBudget = async (
  context: SearchContext,
  request: SearchRequest,
  caller: SearchCaller,
  budget: TimeBudget,
): Promise<JsonObject> => {
  const began = performance.now();
  const { searched } = request;
  const { search, kinds } = prepareSearch(context, caller, request, budget);
  const typesense = await askTypesense(context, search, kinds, request);
  const found = typesense ? { ...NO_HITS, ...typesense } : await findHits(search, kinds, request);
  const { rows, total, isAtLeast, scope } = found;
  const count = () => typesense?.aggregations ?? aggregateScope(context, search, kinds, request, found);
  const [hits, counted] = await Promise.all([
    formatHits(context, request, found, caller),
    request.aggregates ? budget.orElse(async () => count(), emptyAggregations(kinds)) : undefined,
  ]);
  const aggregations = await filterVisibleAggregations(context.engine, caller.principal, counted);
  const isRanked = request.sort.by === 'score' && hits.length > 0;
  return {
    took: Math.round(performance.now() - began),
    timed_out: scope.candidates.timedOut || budget.hasCut(),
    _shards: { total: searched.indexes, successful: searched.indexes, skipped: 0, failed: 0 },
    hits: {
      total: isAtLeast ? { value: total, relation: 'gte' } : hitTotalOf(total, request.tracksTotal),
      max_score: isRanked ? Math.max(...rows.map(({ key }) => Number(key))) : null,
      hits,
    },
    ...(aggregations ? { aggregations } : {}),
  };
};

/** Runs a search and returns its answer. */
export const runSearch = (context: SearchContext, request: SearchRequest, caller: SearchCaller): Promise<JsonObject> =>
  withTimeBudget(context.patienceMs, (budget) => answerWithinBudget(context, request, caller, budget));

/** The resolved hits of a search, for reading all of them. */
export type OpenHits = {
  readonly total: number;
  /** Reads a page; undefined when that takes too long. */
  readonly page: (part: Pick<SearchRequest, 'from' | 'size' | 'behind'>) => Promise<readonly HitRow[] | undefined>;
};

/** Resolves a search once; undefined when that takes too long. */
export const openHits = (
  context: SearchContext,
  request: SearchRequest,
  caller: SearchCaller,
): Promise<OpenHits | undefined> =>
  withTimeBudget(context.patienceMs, async (budget) => {
    const { search, kinds } = prepareSearch(context, caller, request, budget);
    const { total, scope } = await findHits(search, kinds, request);
    if (budget.hasCut() || scope.candidates.timedOut) return undefined;
    return {
      total,
      page: (part) =>
        withTimeBudget(context.patienceMs, (more) =>
          more.orElse<readonly HitRow[] | undefined>(
            () => readHitRows({ ...search, patience: more }, kinds, { ...request, ...part }, scope),
            undefined,
          ),
        ),
    };
  });
