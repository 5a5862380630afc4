import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { readDocuments } from '../../catalog/read/documents.ts';
import { VIEW } from '../../catalog/read/facts.ts';
import { redactorFor } from '../../catalog/read/visibility.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import { createPacer } from '../../model/pacer.ts';
import { highlightsOf } from '../answer/highlight.ts';
import { isWanted, selectFrom } from '../answer/source.ts';
import { totalOf } from '../answer/total.ts';
import type { Asked } from '../asked/parameters.ts';
import { type PageRow, sortValues } from '../asked/sort.ts';
import { ALL, every, type Filter } from '../filter/tree.ts';
import { type Bounds, everyBounds, exactly } from '../index/bounds.ts';
import { clausesIn, counting, type Lucene, MOST_CLAUSES, NOTHING } from '../index/lucene.ts';
import { ofKinds, translate } from '../index/translate.ts';
import { aggregate, type Counting, uncounted } from './aggregate.ts';
import { askBeside } from './beside.ts';
import { type Looked, lookAtCandidates, type Search } from './candidates.ts';
import { explainer } from './explain.ts';
import { FOR_EACH_WORD, lookInParts, NO_RANKS, type Ranks } from './in-parts.ts';
import { wordGroups } from './parts.ts';
import { type Patience, tookTooLong, withPatience } from './patience.ts';
import { askLessWhenTooMuch, tooMuch } from './plainer.ts';
import { countFound, findAscending, findDescending, findRanked, type Page } from './queries.ts';
import { type Caller, type SearchRoom, type Sight, targetOf } from './room.ts';
import { visibleCounts } from './visible-buckets.ts';
import { readWorth } from './worth.ts';

/** Searching the full-text index of the database. */

/** As far as hits are counted for those who do not ask for more. */
const COUNTED = 10_000;

/** The kinds of which the caller may see anything. Throws forbidden when there are none. */
const visibleKinds = (engine: Engine, principal: Principal, kinds: readonly Kind[]): readonly Kind[] => {
  const seen = kinds.filter(({ entityType }) => engine.judge.filter(principal, VIEW, entityType) !== 'none');
  const [first] = kinds;
  if (first && seen.length === 0) engine.authorize(principal, VIEW, { resource: first.entityType });
  return seen;
};

const quietly = (bounds: Bounds): Bounds => ({
  surely: counting(bounds.surely, 0),
  perhaps: counting(bounds.perhaps, 0),
});

/** What is to be found, in the words of the index; only what was typed counts when hits are put in order. */
const boundsOf = (
  kinds: readonly Kind[],
  { q, filter, postFilter, taste }: Asked,
  now: number,
  isPatient: boolean,
): Bounds => {
  const rest = everyBounds([exactly(ofKinds(kinds)), translate(every([filter, postFilter]), kinds, now)]);
  return everyBounds([translate(q, kinds, now, isPatient, taste?.rankedBy), quietly(rest)]);
};

/** What is found, in the words of the index, and what came of looking at what it leaves open. */
type Scope = {
  readonly query: Lucene;
  readonly looked: Looked;
  /** The queries that tell how well something is found, where it is more than one. */
  readonly ranks?: Ranks;
};

type Hits = {
  readonly rows: readonly PageRow[];
  readonly total: number;
  /** Whether there may be more, because they could not be counted in time. */
  readonly isAtLeast: boolean;
  readonly scope: Scope;
  /** Whether any of the words that somebody typed would do, because no record has all of them. */
  readonly isPatient?: boolean;
  /** Whether the engine beside the graph has found them. */
  readonly isBeside?: boolean;
};

const NO_HITS: Hits = {
  rows: [],
  total: 0,
  isAtLeast: false,
  scope: { query: NOTHING, looked: { only: null, timedOut: false } },
};

/** Time was over before anything was found. */
const UNKNOWN: Hits = { ...NO_HITS, isAtLeast: true };

const NO_PAGE: Page = { total: 0, rows: [] };

const countHits = async (
  { engine, index, patience: { signal } }: Search,
  asked: Asked,
  { query, looked }: Scope,
): Promise<number> => {
  const { only } = looked;
  if (only) return only.length;
  const most = asked.tracksTotal ? Number.MAX_SAFE_INTEGER : COUNTED + 1;
  const [row] = await engine.graph.read(countFound, { index, query, most }, { signal });
  return row?.count ?? 0;
};

/** A page of what is found, and how much is found. */
const readPage = async (search: Search, kinds: readonly Kind[], asked: Asked, scope: Scope): Promise<Page> => {
  const { engine, index, patience } = search;
  const { signal } = patience;
  const { query, looked, ranks } = scope;
  const { only } = looked;
  const { sort, behind, from, size } = asked;
  if (size === 0) return { total: await countHits(search, asked, scope), rows: [] };
  const worth = await readWorth({ graph: engine.graph, signal }, asked.taste, kinds, { index, query, only });
  const { queries, each } = ranks ?? NO_RANKS;
  if (sort.by === 'score' && queries.length > 0) {
    const sign = sort.isAscending ? -1 : 1;
    const wish = { index, queries, only, each, worth, sign, behind, from, size };
    // Each query by itself may be answered where all of them together are too much, and then less is asked for as a whole.
    const [total, [ranked = NO_PAGE]] = await Promise.all([
      countHits(search, asked, scope),
      engine.graph.read(findRanked, wish, { signal }),
    ]);
    return { ...ranked, total };
  }
  const statement = sort.isAscending ? findAscending : findDescending;
  const flat = asked.q.is === 'all' && worth === null;
  const page = {
    index,
    query,
    only,
    by: sort.by,
    member: sort.member,
    folds: sort.folds ?? false,
    flat,
    worth,
    behind,
    from,
    size,
  };
  const [answer = NO_PAGE] = await engine.graph.read(statement, page, { signal });
  return answer;
};

/** Of hits that have any of the words, those come first that have more of them. */
const ranksOf = (kinds: readonly Kind[], asked: Asked, now: number, isPatient: boolean): Ranks => {
  if (!isPatient || asked.q.is !== 'simple') return NO_RANKS;
  const queries = wordGroups(asked.q).map((q) => boundsOf(kinds, { ...asked, q }, now, true).perhaps);
  return { queries, each: FOR_EACH_WORD };
};

/** What one query cannot ask for is asked for in several. */
const lookAtParts = async (
  search: Search,
  kinds: readonly Kind[],
  { q, filter, postFilter, taste }: Asked,
  isPatient: boolean,
): Promise<Scope> => {
  const manner = { kinds, now: search.engine.clock(), isPatient, rankedBy: taste?.rankedBy };
  const parted = await lookInParts(search, manner, { q, rest: every([filter, postFilter]) });
  return { query: counting(ofKinds(kinds), 0), ...parted };
};

/** Finds out what is asked for. Throws bad_request when it is too much for one query and is not to be asked in parts. */
const lookAt = async (search: Search, kinds: readonly Kind[], asked: Asked, isPatient: boolean): Promise<Scope> => {
  if (asked.inParts) return lookAtParts(search, kinds, asked, isPatient);
  const now = search.engine.clock();
  const bounds = boundsOf(kinds, asked, now, isPatient);
  if (clausesIn(bounds.perhaps) > MOST_CLAUSES) throw tooMuch();
  // Of words as people type them the index knows everything, and they may be ranked in another way than usual.
  const isSure = asked.q.is === 'simple';
  const all: Filter = every([isSure ? ALL : asked.q, asked.filter, asked.postFilter]);
  const looked = await lookAtCandidates(search, kinds, all, bounds);
  return { query: bounds.perhaps, looked, ranks: ranksOf(kinds, asked, now, isPatient) };
};

const findOnce = async (search: Search, kinds: readonly Kind[], asked: Asked, isPatient: boolean): Promise<Hits> => {
  const scope = await lookAt(search, kinds, asked, isPatient);
  const page = await search.patience.orElse<Page | undefined>(() => readPage(search, kinds, asked, scope), undefined);
  return { ...(page ?? NO_PAGE), isAtLeast: page === undefined, scope, isPatient };
};

/** Where no hit has all of the words that somebody typed, any of them will do. */
const findHits = async (search: Search, kinds: readonly Kind[], asked: Asked): Promise<Hits> => {
  if (kinds.length === 0) return NO_HITS;
  const once = (wish: Asked, isPatient: boolean) =>
    askLessWhenTooMuch(wish, (some) => findOnce(search, kinds, some, isPatient));
  return search.patience.orElse(async () => {
    const hits = await once(asked, false);
    if (hits.total > 0 || asked.q.is !== 'simple' || search.patience.isOver()) return hits;
    // What was found and filtered out afterwards was found.
    const isFiltered = asked.postFilter.is !== 'all';
    if (isFiltered && (await once({ ...asked, postFilter: ALL, size: 0 }, false)).total > 0) return hits;
    return once(asked, true);
  }, UNKNOWN);
};

/** Filters on hits alone do not change what is counted. */
const countAll = async (
  { engine, meanings, facets }: SearchRoom,
  search: Search,
  kinds: readonly Kind[],
  asked: Asked,
  { scope, isPatient = false }: Hits,
): Promise<JsonObject> => {
  const countIn = ({ query, looked: { only } }: Scope): Promise<JsonObject> => {
    const count = () =>
      aggregate(engine, meanings, kinds, { index: search.index, query, only }, search.patience.signal);
    // The query names all kinds of which the caller sees every record, so whoever asks the same sees the same.
    return asked.meansAll && only === null ? facets(query, count) : count();
  };
  if (asked.postFilter.is === 'all') return countIn(scope);
  return askLessWhenTooMuch({ ...asked, postFilter: ALL }, async (some) =>
    countIn(await lookAt(search, kinds, some, isPatient)),
  );
};

const UPSTREAM = 'upstreamLineage';

const showHits = async (
  room: SearchRoom,
  asked: Asked,
  found: Hits,
  caller: Caller,
): Promise<readonly JsonObject[]> => {
  const { engine } = room;
  const { rows } = found;
  const ids = rows.map(({ id }) => id);
  const [documents, tell] = await Promise.all([
    readDocuments(engine, rows, caller.hrefBase, caller.spend, redactorFor(engine, caller.principal)),
    isWanted(asked.selection, UPSTREAM) ? room.upstreamOf(caller, ids) : undefined,
  ]);
  const explain = asked.explains
    ? explainer(asked.q, found.isBeside ? 'typesense' : 'neo4j', asked.taste?.rankedBy)
    : undefined;
  const upstream = tell?.([...documents.values()].map(targetOf));
  const show = (row: PageRow): JsonObject | undefined => {
    const document = documents.get(row.id);
    const kind = engine.registry.byType.get(row.entityType);
    if (!document || !kind) return undefined;
    const whole = upstream ? { ...document, [UPSTREAM]: upstream.get(row.id) ?? [] } : document;
    const source = selectFrom(asked.selection, whole);
    const highlight = highlightsOf(kind, asked.q, document);
    return {
      _index: kind.search.index ?? '',
      _id: row.id,
      _score: asked.sort.by === 'score' ? row.key : null,
      ...(source ? { _source: source } : {}),
      sort: sortValues(asked.sort, row),
      ...(highlight ? { highlight } : {}),
      ...(explain ? { _explanation: explain(kind, document, typeof row.key === 'number' ? row.key : 0) } : {}),
    };
  };
  // Highlighting a page of long documents takes longer than one turn of the event loop should.
  const pacer = createPacer();
  const hits: JsonObject[] = [];
  for (const row of rows) {
    if (pacer.isDue()) await pacer.rest();
    const hit = show(row);
    if (hit) hits.push(hit);
  }
  return hits;
};

const openSearch = ({ engine, index }: SearchRoom, { principal }: Sight, { searched }: Asked, patience: Patience) => ({
  kinds: visibleKinds(engine, principal, searched.kinds),
  search: { engine, index, principal, patience },
});

/**
 * What a search would find, with all or any of its words, for those who want to know something else of it, and nothing of
 * a part of it.
 */
export const scopeOf = async (
  room: SearchRoom,
  asked: Asked,
  caller: Sight,
  isPatient: boolean,
): Promise<Counting & { readonly kinds: readonly Kind[] }> =>
  withPatience(room.patienceMs, async (patience) => {
    const { search, kinds } = openSearch(room, caller, asked, patience);
    if (kinds.length === 0) return { kinds, index: search.index, query: NO_HITS.scope.query, only: null };
    const scope = await patience.orElse<Scope | undefined>(() => lookAt(search, kinds, asked, isPatient), undefined);
    if (!scope || scope.looked.timedOut) throw tookTooLong();
    return { kinds, index: search.index, query: scope.query, only: scope.looked.only };
  });

const answer = async (room: SearchRoom, asked: Asked, caller: Caller, patience: Patience): Promise<JsonObject> => {
  const began = performance.now();
  const { searched } = asked;
  const { search, kinds } = openSearch(room, caller, asked, patience);
  const beside = await askBeside(room, search, kinds, asked);
  const found = beside ? { ...NO_HITS, ...beside } : await findHits(search, kinds, asked);
  const { rows, total, isAtLeast, scope } = found;
  const count = () => beside?.aggregations ?? countAll(room, search, kinds, asked, found);
  const [hits, counted] = await Promise.all([
    showHits(room, asked, found, caller),
    asked.aggregates ? patience.orElse(async () => count(), uncounted(kinds)) : undefined,
  ]);
  const aggregations = await visibleCounts(room.engine, caller.principal, counted);
  const isRanked = asked.sort.by === 'score' && hits.length > 0;
  return {
    took: Math.round(performance.now() - began),
    timed_out: scope.looked.timedOut || patience.hasCut(),
    _shards: { total: searched.indexes, successful: searched.indexes, skipped: 0, failed: 0 },
    hits: {
      total: isAtLeast ? { value: total, relation: 'gte' } : totalOf(total, asked.tracksTotal),
      max_score: isRanked ? Math.max(...rows.map(({ key }) => Number(key))) : null,
      hits,
    },
    ...(aggregations ? { aggregations } : {}),
  };
};

/** The answer of a search. */
export const find = (room: SearchRoom, asked: Asked, caller: Caller): Promise<JsonObject> =>
  withPatience(room.patienceMs, (patience) => answer(room, asked, caller, patience));

/** What a search finds, for those who go through all of it. */
export type Opened = {
  readonly total: number;
  /** A page of it; undefined when finding it takes too long. */
  readonly page: (part: Pick<Asked, 'from' | 'size' | 'behind'>) => Promise<readonly PageRow[] | undefined>;
};

/** Finds out once what is found; undefined when that takes too long. */
export const openHits = (room: SearchRoom, asked: Asked, caller: Caller): Promise<Opened | undefined> =>
  withPatience(room.patienceMs, async (patience) => {
    const { search, kinds } = openSearch(room, caller, asked, patience);
    const { total, scope } = await findHits(search, kinds, asked);
    if (patience.hasCut() || scope.looked.timedOut) return undefined;
    return {
      total,
      page: (part) =>
        withPatience(room.patienceMs, (more) =>
          more.orElse<readonly PageRow[] | undefined>(
            async () => (await readPage({ ...search, patience: more }, kinds, { ...asked, ...part }, scope)).rows,
            undefined,
          ),
        ),
    };
  });
