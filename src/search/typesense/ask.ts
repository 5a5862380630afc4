import type { Kind } from '../../model/kind.ts';
import type { Behind, Sort } from '../asked/sort.ts';
import { classesOf } from '../fields.ts';
import { wordsIn } from '../filter/leaves.ts';
import { ALL, every, type Filter, someLeaf } from '../filter/tree.ts';
import { facetNames } from '../index/facets.ts';
import { slotsOf } from '../index/slots.ts';
import { codeOf, stem } from '../index/terms.ts';
import type { Word } from '../tokens.ts';
import type { Capabilities } from './capabilities.ts';
import type { Search } from './client.ts';
import { type Condition, filterOf } from './condition.ts';
import { PLAIN_WORD } from './row.ts';
import { facetField, numberField, numberPlaces, PAYLOAD, POPULARITY, SORTED, TIE, UNCOUNTED } from './schema.ts';
import { conditionOf } from './translate.ts';
import { asTyped } from './typing.ts';

/** Requests in the words of servers: which searches answer them, if any do. */

/** What is asked of an engine; the sort and the place of the page are those of the request. */
export type Question = {
  readonly q: Filter;
  readonly filter: Filter;
  readonly postFilter: Filter;
  readonly sort: Pick<Sort, 'by' | 'member' | 'isAscending'>;
  /** Behind which hit to begin, which servers cannot be told. */
  readonly behind: Behind | null;
  /** In which other way than usual to rank, which is the graph's to do. */
  readonly taste?: unknown;
  readonly from: number;
  readonly size: number;
  readonly aggregates: boolean;
};

/** How hits are put in order: all alike, by how well they are found, by how much is made of them, or by a value. */
export type Order =
  | { readonly by: 'nothing' }
  | {
      readonly by: 'words';
      readonly words: readonly string[];
      /** As people type them: with typing mistakes, the last one perhaps unfinished. */
      readonly isTyped: boolean;
    }
  | { readonly by: 'popularity' }
  | { readonly by: 'property'; readonly member: string; readonly isAscending: boolean }
  | { readonly by: 'number'; readonly code: string; readonly isAscending: boolean };

/** The searches for one kind, by their places among all searches of the plan. */
export type KindPlan = {
  readonly kind: Kind;
  readonly pages: readonly number[];
  /** How many of the hits that are asked for come before those that are wanted. */
  readonly before: number;
  /** The search that says how many there are by equality alone; the others must say the same. */
  readonly check: number | undefined;
  readonly facets: number | undefined;
};

export type Plan = {
  readonly order: Order;
  readonly kinds: readonly KindPlan[];
  readonly searches: readonly Search[];
  /** How many of the hits of all kinds together come before the page. */
  readonly before: number;
};

/** What is known of the server and its collections. */
export type Known = { readonly now: number; readonly can: Capabilities; readonly aliasFor: (kind: Kind) => string };

const PAGE = 250;
const MOST_IN_ALL = 200;
/** More values than this are counted in the graph. */
export const MOST_VALUES = 10_000;

const hasUnfielded = (filter: Filter): boolean =>
  someLeaf(filter, (leaf) => leaf.is === 'simple' || ('field' in leaf && leaf.field === undefined));

const isBoosted = (filter: Filter): boolean => {
  if (filter.is === 'boosted') return true;
  if (filter.is === 'not') return isBoosted(filter.of);
  return (filter.is === 'every' || filter.is === 'some') && filter.of.some(isBoosted);
};

const conjuncts = (filter: Filter): readonly Filter[] =>
  filter.is === 'every' ? filter.of.flatMap(conjuncts) : [filter];

/** A word that a server takes as it is: it has no parts, which are found together or as one. */
const plain = ({ joined, parts }: Word): string | undefined =>
  parts.length === 1 && PLAIN_WORD.test(joined) ? joined : undefined;

/** The only word of a condition without a field, if a server takes it as it is. */
const plainWord = (filter: Filter): string | undefined => {
  if (filter.is !== 'phrase' || filter.field !== undefined) return undefined;
  const [word, ...rest] = wordsIn(filter);
  return word && rest.length === 0 ? plain(word) : undefined;
};

/** So many words are looked for together. */
const MOST_WORDS = 8;

const ofPlain = (words: readonly (string | undefined)[], isTyped: boolean): Order | undefined => {
  const known = words.filter((word) => word !== undefined);
  if (known.length < words.length || known.length === 0 || known.length > MOST_WORDS) return undefined;
  return { by: 'words', words: [...new Set(known)], isTyped };
};

/** The words as people type them; of one that is there twice, the last may be unfinished and the first not. */
const typed = (q: Extract<Filter, { is: 'simple' }>): Order | undefined => {
  const words = wordsIn(q).map(plain);
  return new Set(words).size === words.length ? ofPlain(words, true) : undefined;
};

/** The words by which hits are ranked; undefined where a server cannot rank by what was typed. */
const rankedBy = (q: Filter): Order | undefined => {
  if (q.is === 'simple') return typed(q);
  if (isBoosted(q)) return undefined;
  const unfielded = conjuncts(q).filter((one) => one.is !== 'not' && hasUnfielded(one));
  return unfielded.length === 0 ? { by: 'popularity' } : ofPlain(unfielded.map(plainWord), false);
};

const canRank = ({ isTyped }: Extract<Order, { by: 'words' }>, { ranking, typing }: Capabilities): boolean =>
  ranking && (typing || !isTyped);

export const orderOf = ({ sort, q }: Question, kinds: readonly Kind[], can: Capabilities): Order | undefined => {
  const { by, member, isAscending } = sort;
  if (by === 'score') {
    if (q.is === 'all') return { by: 'nothing' };
    const order = isAscending ? undefined : rankedBy(q);
    return order?.by === 'words' && !canRank(order, can) ? undefined : order;
  }
  if (by === 'property') return member in SORTED ? { by, member, isAscending } : undefined;
  return numberOrder(kinds, member, isAscending);
};

/** A number is sorted by where every kind that has the place has one number there at most. */
const numberOrder = (kinds: readonly Kind[], member: string, isAscending: boolean): Order | undefined => {
  const code = member.slice(0, codeOf([]).length);
  if (member !== stem(code, 'number')) return undefined;
  const path = kinds.flatMap((kind) => numberPlaces(kind).get(code) ?? []);
  const first = kinds.map((kind) => numberPlaces(kind).get(code)).find((one) => one !== undefined);
  if (!first || path.length === 0) return undefined;
  const isClear = kinds.every((kind) => numberPlaces(kind).has(code) || classesOf(kind)(first) === undefined);
  return isClear ? { by: 'number', code, isAscending } : undefined;
};

const direction = (isAscending: boolean): string => (isAscending ? 'asc' : 'desc');

const sortedBy = (kind: Kind, order: Order): string => {
  const tie = `${TIE}:asc`;
  switch (order.by) {
    case 'nothing':
      return tie;
    case 'words':
      return `_text_match:desc,${POPULARITY}:desc,${tie}`;
    case 'popularity':
      return `${POPULARITY}:desc,${tie}`;
    case 'property':
      return `${SORTED[order.member]}(missing_values: last):${direction(order.isAscending)},${tie}`;
    case 'number': {
      const isThere = numberPlaces(kind).has(order.code);
      if (!isThere) return tie;
      return `${numberField(order.code)}(missing_values: last):${direction(order.isAscending)},${tie}`;
    }
  }
};

const MOST_WEIGHT = 127;

/** Nothing but the words themselves. */
const AS_WRITTEN = { num_typos: 0, prefix: false, typo_tokens_threshold: 0, exhaustive_search: true } as const;

/** How servers find words and rank what has them (search.md 7.4): all of them, in any slot. */
const wordSearch = (
  kind: Kind,
  { words, isTyped }: Extract<Order, { by: 'words' }>,
  can: Capabilities,
): Omit<Search, 'collection'> & { q: string } => {
  const slots = [...slotsOf(kind)].sort((a, b) => b.weight - a.weight);
  return {
    q: words.join(' '),
    query_by: slots.map(({ name }) => name).join(','),
    query_by_weights: slots.map(({ weight }) => Math.min(MOST_WEIGHT, Math.round(weight * 10))).join(','),
    ...(isTyped ? asTyped(slots.map(({ typos }) => typos)) : AS_WRITTEN),
    drop_tokens_threshold: 0,
    split_join_tokens: 'off',
    prioritize_exact_match: true,
    ...(can.sumScore ? { text_match_type: 'sum_score' } : {}),
  };
};

type Page = { readonly page: number; readonly per_page: number };

/** The pages that hold the hits from one place to another. */
const pagesOf = (from: number, to: number): readonly Page[] => {
  const size = to - from;
  if (size <= 0) return [{ page: 1, per_page: 0 }];
  if (size <= PAGE && from % size === 0) return [{ page: from / size + 1, per_page: size }];
  const first = Math.floor(from / PAGE);
  const count = Math.ceil(to / PAGE) - first;
  return Array.from({ length: count }, (_, at) => ({ page: first + at + 1, per_page: PAGE }));
};

const startOf = ([first]: readonly Page[]): number => (first ? (first.page - 1) * first.per_page : 0);

type Asked = Pick<Question, 'q' | 'filter' | 'postFilter'>;

type Said = { readonly kind: Kind; readonly hits: Condition; readonly counted: Condition };

const conditionsFor = (kind: Kind, { q, filter, postFilter }: Asked, now: number): Said | undefined => {
  const hits = conditionOf(every([q, filter, postFilter]), kind, now);
  const counted = postFilter.is === 'all' ? hits : conditionOf(every([q, filter]), kind, now);
  return hits && counted && { kind, hits, counted };
};

/** The filter, said or not needed; undefined where it is too long, null where nothing fulfils it. */
const filtering = (condition: Condition): Filtering | undefined | null => {
  if (condition.is === 'none') return null;
  const filter = filterOf(condition);
  if (filter === undefined) return undefined;
  return filter === '' ? {} : { filter_by: filter };
};

const facetsOf = (kind: Kind) => ({
  facet_by: [...facetNames([kind]).map(facetField), UNCOUNTED].join(','),
  max_facet_values: MOST_VALUES,
  facet_strategy: 'exhaustive',
});

type Filtering = { readonly filter_by?: string };

/** What finds hits of a kind in their order. */
const hitSearch = (kind: Kind, order: Order, filter: Filtering, { can, aliasFor }: Known): Search => ({
  collection: aliasFor(kind),
  ...(order.by === 'words' ? wordSearch(kind, order, can) : { q: '*' }),
  ...filter,
  sort_by: sortedBy(kind, order),
  include_fields: `id,${PAYLOAD}`,
  highlight_fields: 'none',
});

/** Whether hits are what people may have meant; how many these are nobody knows by equality. */
export const isTyped = (order: Order): boolean => order.by === 'words' && order.isTyped;

/** What must be said of a question in conditions: what people type is said in words alone. */
const inConditions = (asked: Asked, order: Order): Asked => (isTyped(order) ? { ...asked, q: ALL } : asked);

/** What finds the hits of a kind; undefined where a server cannot be asked for them, null where there are none. */
export const searchFor = (kind: Kind, order: Order, asked: Asked, known: Known): Search | undefined | null => {
  const said = conditionsFor(kind, inConditions(asked, order), known.now);
  const filter = said && filtering(said.hits);
  return filter && hitSearch(kind, order, filter, known);
};

/** Whether a server may be asked at all, before it is looked at what for. */
export const isAskable = ({ taste, aggregates }: Question, can: Capabilities): boolean =>
  !taste && can.filters && (can.facets || !aggregates);

/** Where the hits of each kind begin that come behind a place in the order of all of them. */
export type Starts = ReadonlyMap<Kind, number>;

/**
 * What must be asked, so that the answer is exactly what the graph would answer; undefined where it cannot be. What is
 * asked for behind a hit is only answered once it is known where that is.
 */
export const planFor = (
  question: Question,
  kinds: readonly Kind[],
  known: Known,
  starts?: Starts,
): Plan | undefined => {
  const { from, size, behind, aggregates } = question;
  const { now, can, aliasFor } = known;
  if ((behind && !starts) || !isAskable(question, can)) return undefined;
  const order = orderOf(question, kinds, can);
  if (!order || (order.by !== 'nothing' && !can.sorting)) return undefined;
  const isTogether = kinds.length > 1 && !starts;
  const searches: Search[] = [];
  const add = (search: Search): number => searches.push(search) - 1;
  const plans: KindPlan[] = [];
  for (const kind of kinds) {
    const said = conditionsFor(kind, inConditions(question, order), now);
    if (!said) return undefined;
    const [hits, counted] = [filtering(said.hits), filtering(said.counted)];
    if (hits === undefined || counted === undefined) return undefined;
    const start = starts?.get(kind) ?? (isTogether ? 0 : from);
    const pages = pagesOf(start, size === 0 ? 0 : (isTogether ? from : start) + size);
    const bare = {
      collection: aliasFor(kind),
      ...(order.by === 'words' && order.isTyped ? wordSearch(kind, order, can) : { q: '*' }),
      per_page: 0,
      page: 1,
    };
    const isApart = order.by === 'words' || question.postFilter.is !== 'all';
    const withFacets = aggregates && counted !== null ? { ...counted, ...facetsOf(kind) } : undefined;
    const found =
      hits === null
        ? []
        : pages.map((page, at) =>
            add({
              ...hitSearch(kind, order, hits, known),
              ...page,
              ...(at === 0 && withFacets && !isApart ? withFacets : {}),
            }),
          );
    const facets = withFacets && (isApart || hits === null) ? add({ ...bare, ...withFacets }) : withFacets && found[0];
    const check = order.by === 'words' && !isTyped(order) && hits ? add({ ...bare, ...hits }) : undefined;
    plans.push({ kind, pages: found, before: start - startOf(pages), check, facets });
  }
  if (searches.length > MOST_IN_ALL) return undefined;
  return { order, kinds: plans, searches, before: isTogether ? from : 0 };
};
