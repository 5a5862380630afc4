import type { Kind } from '../../model/kind.ts';
import { isUuid } from '../../model/uuid.ts';
import { comparing, type Row, rowOf } from './answer.ts';
import { isAskable, type Known, type Order, orderOf, type Question, type Starts, searchFor } from './ask.ts';
import type { Found, Search } from './client.ts';

/**
 * Pages behind a hit (search.md 3.4). A server cannot be told to begin behind a score, but it puts the same hits into the
 * same order whenever it is asked: where a hit stands among those of a collection is found by halving.
 */

type SearchAll = (searches: readonly Search[]) => Promise<readonly Found[]>;

/** Servers and the graph rank by measures of their own; by whatever else they sort, either goes on behind the other. */
const isOwn = (order: Order): boolean => order.by === 'words' || order.by === 'popularity';

/** What finds one record among hits. */
const onlyOne = (search: Search, id: string): Search => {
  const filter = search['filter_by'];
  const only = `id:=[${id}]`;
  return { ...search, filter_by: filter === undefined ? only : `(${filter}) && ${only}`, per_page: 1, page: 1 };
};

type List = { readonly kind: Kind; readonly search: Search };

/** What finds the hits of the kinds that may have some; undefined where that cannot be said of all. */
const listsOf = (
  question: Question,
  kinds: readonly Kind[],
  order: Order,
  known: Known,
): readonly List[] | undefined => {
  const lists: List[] = [];
  for (const kind of kinds) {
    const search = searchFor(kind, order, question, known);
    if (search === undefined) return undefined;
    if (search !== null) lists.push({ kind, search });
  }
  return lists;
};

type Range = { readonly list: List; low: number; high: number };

const middleOf = ({ low, high }: Range): number => Math.floor((low + high) / 2);

/** How many hits of each list stand before a place or at it. */
const countUpTo = async (
  lists: readonly List[],
  totals: readonly number[],
  searchAll: SearchAll,
  isUpTo: (found: Found) => boolean,
): Promise<Starts> => {
  const ranges = lists.map((list, at): Range => ({ list, low: 0, high: totals[at] ?? 0 }));
  for (;;) {
    const open = ranges.filter(({ low, high }) => low < high);
    if (open.length === 0) return new Map(ranges.map(({ list, low }) => [list.kind, low]));
    const probes = open.map((range) => ({ ...range.list.search, per_page: 1, page: middleOf(range) + 1 }));
    const found = await searchAll(probes);
    for (const [at, range] of open.entries()) {
      const one = found[at];
      if (one && isUpTo(one)) range.low = middleOf(range) + 1;
      else range.high = middleOf(range);
    }
  }
};

/**
 * Where the hits begin that come behind the one that is named, of each kind; undefined where the server has not put it
 * where it is said to stand: then that was the graph, which goes on.
 */
export const startsBehind = async (
  question: Question,
  kinds: readonly Kind[],
  known: Known,
  searchAll: SearchAll,
): Promise<Starts | undefined> => {
  const { behind } = question;
  if (!behind || !isUuid(behind.id) || !isAskable(question, known.can) || !known.can.sorting) return undefined;
  const order = orderOf(question, kinds, known.can);
  if (!order || !isOwn(order)) return undefined;
  const lists = listsOf(question, kinds, order, known);
  if (!lists || lists.length === 0) return undefined;
  const { id, key } = behind;
  const all = await searchAll([
    ...lists.map(({ search }) => onlyOne(search, id.toLowerCase())),
    ...lists.map(({ search }) => ({ ...search, per_page: 0, page: 1 })),
  ]);
  const [named, counted] = [all.slice(0, lists.length), all.slice(lists.length)];
  const [last] = named.flatMap(({ hits }) => hits.map(rowOf(order)));
  if (!last || last.key !== key) return undefined;
  const compare = comparing(order);
  const upTo = (row: Row): boolean => compare(row, last) <= 0;
  const totals = counted.map(({ found }) => found);
  return countUpTo(lists, totals, searchAll, ({ hits: [hit] }) => hit !== undefined && upTo(rowOf(order)(hit)));
};
