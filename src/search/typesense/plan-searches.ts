import type { Kind } from '../../model/kind/kind.ts';
import { fieldClassesOf } from '../../search-documents/fields.ts';
import { andFilter, hasLeaf, MATCH_ALL, type SearchFilter } from '../../search-documents/filter/search-filter.ts';
import { filterWords } from '../../search-documents/filter/value-test.ts';
import { facetNames } from '../../search-documents/index/facets.ts';
import { slotsOf } from '../../search-documents/index/slots.ts';
import { fieldCode, termPrefix } from '../../search-documents/index/terms.ts';
import type { TextWord } from '../../search-documents/tokens.ts';
import type { HitSort, SearchAfter } from '../request/hit-sort.ts';
import type { Capabilities } from './capabilities.ts';
import type { ServerSearch } from './client.ts';
import {
  facetFieldName,
  numberFieldName,
  PAYLOAD_FIELD,
  POPULARITY_FIELD,
  SORT_FIELDS,
  sortableNumberPathsOf,
  TIE_FIELD,
  UNCOUNTED_FIELD,
} from './collection-schema.ts';
import { formatFilter, type ServerCondition } from './condition.ts';
import { translateToCondition } from './filter-condition.ts';
import { PLAIN_WORD } from './import-line.ts';
import { MORE_CANDIDATES, typedWordParameters } from './typed-words.ts';

/** Plans the searches that answer a request, if the server can answer it. */

/** The query for an engine; sort order and page are those of the request. */
export type EngineQuery = {
  readonly q: SearchFilter;
  readonly filter: SearchFilter;
  readonly postFilter: SearchFilter;
  readonly sort: Pick<HitSort, 'by' | 'member' | 'isAscending'>;
  /** The hit after which the page begins. Servers have no parameter for it. */
  readonly behind: SearchAfter | null;
  /** A ranking from settings, which only Neo4j supports. */
  readonly customRanking?: unknown;
  readonly from: number;
  readonly size: number;
  readonly aggregates: boolean;
};

/** The order of hits: none, by relevance, by popularity, or by a value. */
export type HitOrder =
  | { readonly by: 'nothing' }
  | {
      readonly by: 'words';
      readonly words: readonly string[];
      /** Whether the words are typed text: with typing mistakes, and the last one possibly incomplete. */
      readonly isTyped: boolean;
    }
  | { readonly by: 'popularity' }
  | { readonly by: 'property'; readonly member: string; readonly isAscending: boolean }
  | { readonly by: 'number'; readonly code: string; readonly isAscending: boolean };

/** The searches for one kind, by their indexes in the plan. */
export type KindSearchPlan = {
  readonly kind: Kind;
  readonly pages: readonly number[];
  /** How many of the requested hits come before the page. */
  readonly skip: number;
  /** A search, and another that counts the same hits in another way: both must find the same number. */
  readonly check: readonly [search: number, other: number] | undefined;
  readonly facets: number | undefined;
};

export type SearchPlan = {
  readonly order: HitOrder;
  readonly kinds: readonly KindSearchPlan[];
  readonly searches: readonly ServerSearch[];
  /** How many hits of all kinds together come before the page. */
  readonly skip: number;
};

/** The known state of the server and its collections. */
export type ServerKnowledge = {
  readonly now: number;
  readonly can: Capabilities;
  readonly aliasFor: (kind: Kind) => string;
};

const MAX_PAGE_SIZE = 250;
const MAX_SEARCHES = 200;
/**
 * The most pages of one kind. A server reads the whole document of each hit, so that many full pages take it longer than
 * Neo4j, and soon longer than anybody waits.
 */
const MAX_PAGES = 5;
/** Facets with more values are counted in Neo4j. */
export const MAX_FACET_VALUES = 10_000;

const hasUnfielded = (filter: SearchFilter): boolean =>
  hasLeaf(filter, (leaf) => leaf.is === 'simple' || ('field' in leaf && leaf.field === undefined));

const isBoosted = (filter: SearchFilter): boolean => {
  if (filter.is === 'boosted') return true;
  if (filter.is === 'not') return isBoosted(filter.of);
  return (filter.is === 'every' || filter.is === 'some') && filter.of.some(isBoosted);
};

const conjuncts = (filter: SearchFilter): readonly SearchFilter[] =>
  filter.is === 'every' ? filter.of.flatMap(conjuncts) : [filter];

/** A word that servers do not change: it has no parts that could match separately. */
const plainWordOf = ({ joined, parts }: TextWord): string | undefined =>
  parts.length === 1 && PLAIN_WORD.test(joined) ? joined : undefined;

/** The single word of a condition without a field, if servers do not change it. */
const onlyPlainWordOf = (filter: SearchFilter): string | undefined => {
  if (filter.is !== 'phrase' || filter.field !== undefined) return undefined;
  const [word, ...rest] = filterWords(filter);
  return word && rest.length === 0 ? plainWordOf(word) : undefined;
};

/** The most words in one search. */
const MAX_WORDS = 8;

const wordOrderOf = (words: readonly (string | undefined)[], isTyped: boolean): HitOrder | undefined => {
  const known = words.filter((word) => word !== undefined);
  if (known.length < words.length || known.length === 0 || known.length > MAX_WORDS) return undefined;
  return { by: 'words', words: [...new Set(known)], isTyped };
};

/** Plans typed words. A repeated word cannot be both complete and incomplete, so it is left to Neo4j. */
const typedWordOrderOf = (q: Extract<SearchFilter, { is: 'simple' }>): HitOrder | undefined => {
  const words = filterWords(q).map(plainWordOf);
  return new Set(words).size === words.length ? wordOrderOf(words, true) : undefined;
};

/** Finds the words that rank hits; undefined when the server cannot rank by the query. */
const rankingOrderOf = (q: SearchFilter): HitOrder | undefined => {
  if (q.is === 'simple') return typedWordOrderOf(q);
  if (isBoosted(q)) return undefined;
  const unfielded = conjuncts(q).filter((one) => one.is !== 'not' && hasUnfielded(one));
  return unfielded.length === 0 ? { by: 'popularity' } : wordOrderOf(unfielded.map(onlyPlainWordOf), false);
};

const canRank = ({ isTyped }: Extract<HitOrder, { by: 'words' }>, { ranking, typing }: Capabilities): boolean =>
  ranking && (typing || !isTyped);

export const resolveOrder = (
  { sort, q }: EngineQuery,
  kinds: readonly Kind[],
  can: Capabilities,
): HitOrder | undefined => {
  const { by, member, isAscending } = sort;
  if (by === 'score') {
    if (q.is === 'all') return { by: 'nothing' };
    const order = isAscending ? undefined : rankingOrderOf(q);
    return order?.by === 'words' && !canRank(order, can) ? undefined : order;
  }
  if (by === 'property') return member in SORT_FIELDS ? { by, member, isAscending } : undefined;
  return resolveNumberOrder(kinds, member, isAscending);
};

/** Sorts by a number if every kind with this field has at most one number in it. */
const resolveNumberOrder = (kinds: readonly Kind[], member: string, isAscending: boolean): HitOrder | undefined => {
  const code = member.slice(0, fieldCode([]).length);
  if (member !== termPrefix(code, 'number')) return undefined;
  const path = kinds.flatMap((kind) => sortableNumberPathsOf(kind).get(code) ?? []);
  const first = kinds.map((kind) => sortableNumberPathsOf(kind).get(code)).find((one) => one !== undefined);
  if (!first || path.length === 0) return undefined;
  const isClear = kinds.every(
    (kind) => sortableNumberPathsOf(kind).has(code) || fieldClassesOf(kind)(first) === undefined,
  );
  return isClear ? { by: 'number', code, isAscending } : undefined;
};

const sortDirection = (isAscending: boolean): string => (isAscending ? 'asc' : 'desc');

const sortClauseOf = (kind: Kind, order: HitOrder): string => {
  const tie = `${TIE_FIELD}:asc`;
  switch (order.by) {
    case 'nothing':
      return tie;
    case 'words':
      return `_text_match:desc,${POPULARITY_FIELD}:desc,${tie}`;
    case 'popularity':
      return `${POPULARITY_FIELD}:desc,${tie}`;
    case 'property':
      return `${SORT_FIELDS[order.member]}(missing_values: last):${sortDirection(order.isAscending)},${tie}`;
    case 'number': {
      const isThere = sortableNumberPathsOf(kind).has(order.code);
      if (!isThere) return tie;
      return `${numberFieldName(order.code)}(missing_values: last):${sortDirection(order.isAscending)},${tie}`;
    }
  }
};

const MAX_WEIGHT = 127;

/** Finds the exact words only. */
const EXACT_WORDS = { num_typos: 0, prefix: false, typo_tokens_threshold: 0, exhaustive_search: true } as const;

/** The parameters that find and rank hits by all words in any slot (search.md 7.4). */
const wordSearchOf = (
  kind: Kind,
  { words, isTyped }: Extract<HitOrder, { by: 'words' }>,
  can: Capabilities,
): Omit<ServerSearch, 'collection'> & { q: string } => {
  const slots = [...slotsOf(kind)].sort((a, b) => b.weight - a.weight);
  return {
    q: words.join(' '),
    query_by: slots.map(({ name }) => name).join(','),
    query_by_weights: slots.map(({ weight }) => Math.min(MAX_WEIGHT, Math.round(weight * 10))).join(','),
    ...(isTyped ? typedWordParameters(slots.map(({ typos }) => typos)) : EXACT_WORDS),
    drop_tokens_threshold: 0,
    split_join_tokens: 'off',
    prioritize_exact_match: true,
    ...(can.sumScore ? { text_match_type: 'sum_score' } : {}),
  };
};

type PageParameters = { readonly page: number; readonly per_page: number };

/** The pages that cover the hits between two positions. */
const pagesOf = (from: number, to: number): readonly PageParameters[] => {
  const size = to - from;
  if (size <= 0) return [{ page: 1, per_page: 0 }];
  if (size <= MAX_PAGE_SIZE && from % size === 0) return [{ page: from / size + 1, per_page: size }];
  const first = Math.floor(from / MAX_PAGE_SIZE);
  const count = Math.ceil(to / MAX_PAGE_SIZE) - first;
  return Array.from({ length: count }, (_, at) => ({ page: first + at + 1, per_page: MAX_PAGE_SIZE }));
};

const firstHitOf = ([first]: readonly PageParameters[]): number => (first ? (first.page - 1) * first.per_page : 0);

type FilterParts = Pick<EngineQuery, 'q' | 'filter' | 'postFilter'>;

type KindConditions = { readonly kind: Kind; readonly hits: ServerCondition; readonly counted: ServerCondition };

const buildKindConditions = (
  kind: Kind,
  { q, filter, postFilter }: FilterParts,
  now: number,
): KindConditions | undefined => {
  const hits = translateToCondition(andFilter([q, filter, postFilter]), kind, now);
  const counted = postFilter.is === 'all' ? hits : translateToCondition(andFilter([q, filter]), kind, now);
  return hits && counted && { kind, hits, counted };
};

/** The filter parameter, which may be empty; undefined when it is too long, null when nothing matches. */
const filterParameterOf = (condition: ServerCondition): FilterParameter | undefined | null => {
  if (condition.is === 'none') return null;
  const filter = formatFilter(condition);
  if (filter === undefined) return undefined;
  return filter === '' ? {} : { filter_by: filter };
};

const facetParametersOf = (kind: Kind) => ({
  facet_by: [...facetNames([kind]).map(facetFieldName), UNCOUNTED_FIELD].join(','),
  max_facet_values: MAX_FACET_VALUES,
  facet_strategy: 'exhaustive',
});

type FilterParameter = { readonly filter_by?: string };

/** Builds the search for the hits of a kind in their order. */
const hitSearchOf = (
  kind: Kind,
  order: HitOrder,
  filter: FilterParameter,
  { can, aliasFor }: ServerKnowledge,
): ServerSearch => ({
  collection: aliasFor(kind),
  ...(order.by === 'words' ? wordSearchOf(kind, order, can) : { q: '*' }),
  ...filter,
  sort_by: sortClauseOf(kind, order),
  include_fields: `id,${PAYLOAD_FIELD}`,
  highlight_fields: 'none',
});

/** Whether the words are typed text, whose matches cannot be counted by equality. */
export const isTypedOrder = (order: HitOrder): boolean => order.by === 'words' && order.isTyped;

/** The parts of a request that become conditions; typed text is searched as words only. */
const filterPartsFor = (request: FilterParts, order: HitOrder): FilterParts =>
  isTypedOrder(order) ? { ...request, q: MATCH_ALL } : request;

/**
 * Builds the search for the hits of a kind; undefined when the server cannot answer it, null when there are no hits.
 */
export const buildHitSearch = (
  kind: Kind,
  order: HitOrder,
  request: FilterParts,
  known: ServerKnowledge,
): ServerSearch | undefined | null => {
  const conditions = buildKindConditions(kind, filterPartsFor(request, order), known.now);
  const filter = conditions && filterParameterOf(conditions.hits);
  return filter && hitSearchOf(kind, order, filter, known);
};

/** Whether the server supports this type of request, before the request is translated. */
export const canAskServer = ({ customRanking, aggregates }: EngineQuery, can: Capabilities): boolean =>
  !customRanking && can.filters && (can.facets || !aggregates);

/** By kind, the offset of the first hit after a position in the merged order. */
export type KindStarts = ReadonlyMap<Kind, number>;

/**
 * Plans the searches that give exactly the answer of Neo4j; undefined when there are none. A page after a hit needs the
 * offsets of that hit first.
 */
export const planSearches = (
  question: EngineQuery,
  kinds: readonly Kind[],
  known: ServerKnowledge,
  starts?: KindStarts,
): SearchPlan | undefined => {
  const { from, size, behind, aggregates } = question;
  const { now, can, aliasFor } = known;
  if ((behind && !starts) || !canAskServer(question, can)) return undefined;
  const order = resolveOrder(question, kinds, can);
  if (!order || (order.by !== 'nothing' && !can.sorting)) return undefined;
  const isMerged = kinds.length > 1 && !starts;
  const searches: ServerSearch[] = [];
  const addSearch = (search: ServerSearch): number => searches.push(search) - 1;
  const plans: KindSearchPlan[] = [];
  for (const kind of kinds) {
    const conditions = buildKindConditions(kind, filterPartsFor(question, order), now);
    if (!conditions) return undefined;
    const [hits, counted] = [filterParameterOf(conditions.hits), filterParameterOf(conditions.counted)];
    if (hits === undefined || counted === undefined) return undefined;
    const start = starts?.get(kind) ?? (isMerged ? 0 : from);
    const pages = pagesOf(start, size === 0 ? 0 : (isMerged ? from : start) + size);
    if (pages.length > MAX_PAGES) return undefined;
    const bare = {
      collection: aliasFor(kind),
      ...(order.by === 'words' && order.isTyped ? wordSearchOf(kind, order, can) : { q: '*' }),
      per_page: 0,
      page: 1,
    };
    const countsApart = order.by === 'words' || question.postFilter.is !== 'all';
    const withFacets = aggregates && counted !== null ? { ...counted, ...facetParametersOf(kind) } : undefined;
    const found =
      hits === null
        ? []
        : pages.map((page, at) =>
            addSearch({
              ...hitSearchOf(kind, order, hits, known),
              ...page,
              ...(at === 0 && withFacets && !countsApart ? withFacets : {}),
            }),
          );
    const facets =
      withFacets && (countsApart || hits === null) ? addSearch({ ...bare, ...withFacets }) : withFacets && found[0];
    const isTyped = isTypedOrder(order);
    const [checked, filter] = isTyped && facets !== undefined ? [facets, counted] : [found[0], hits];
    // Exact words are counted by equality, typed ones with more candidates.
    const recount = { ...bare, ...filter, ...(isTyped ? MORE_CANDIDATES : {}) };
    const check = order.by === 'words' && checked !== undefined ? ([checked, addSearch(recount)] as const) : undefined;
    plans.push({ kind, pages: found, skip: start - firstHitOf(pages), check, facets });
  }
  if (searches.length > MAX_SEARCHES) return undefined;
  return { order, kinds: plans, searches, skip: isMerged ? from : 0 };
};
