import type { Kind } from '../../model/kind/kind.ts';
import { isUuid } from '../../model/uuid.ts';
import type { ServerResult, ServerSearch } from './client.ts';
import { createHitComparator, createHitReader, type RankedHit } from './engine-answer.ts';
import {
  buildHitSearch,
  canAskServer,
  type EngineQuery,
  type HitOrder,
  type KindStarts,
  resolveOrder,
  type ServerKnowledge,
} from './plan-searches.ts';

/**
 * Finds pages after a hit (search.md 3.4). A server cannot begin after a score, but it sorts the same hits in the same
 * order every time, so a binary search finds the position of a hit in its collection.
 */

type SearchAll = (searches: readonly ServerSearch[]) => Promise<readonly ServerResult[]>;

/** Both engines score in their own way. In other sort orders, either can continue a page of the other. */
const ranksByOwnScore = (order: HitOrder): boolean => order.by === 'words' || order.by === 'popularity';

/** Restricts a search to one record. */
const restrictToRecord = (search: ServerSearch, id: string): ServerSearch => {
  const filter = search['filter_by'];
  const only = `id:=[${id}]`;
  return { ...search, filter_by: filter === undefined ? only : `(${filter}) && ${only}`, per_page: 1, page: 1 };
};

type KindSearch = { readonly kind: Kind; readonly search: ServerSearch };

/** Builds the searches for the kinds that may have hits; undefined when one of them has no exact translation. */
const buildKindSearches = (
  question: EngineQuery,
  kinds: readonly Kind[],
  order: HitOrder,
  known: ServerKnowledge,
): readonly KindSearch[] | undefined => {
  const lists: KindSearch[] = [];
  for (const kind of kinds) {
    const search = buildHitSearch(kind, order, question, known);
    if (search === undefined) return undefined;
    if (search !== null) lists.push({ kind, search });
  }
  return lists;
};

type ProbeRange = { readonly list: KindSearch; low: number; high: number };

const middleOfRange = ({ low, high }: ProbeRange): number => Math.floor((low + high) / 2);

/** Counts the hits of each list up to a position, inclusive. */
const countHitsUpTo = async (
  lists: readonly KindSearch[],
  totals: readonly number[],
  searchAll: SearchAll,
  isUpTo: (found: ServerResult) => boolean,
): Promise<KindStarts> => {
  const ranges = lists.map((list, at): ProbeRange => ({ list, low: 0, high: totals[at] ?? 0 }));
  for (;;) {
    const open = ranges.filter(({ low, high }) => low < high);
    if (open.length === 0) return new Map(ranges.map(({ list, low }) => [list.kind, low]));
    const probes = open.map((range) => ({ ...range.list.search, per_page: 1, page: middleOfRange(range) + 1 }));
    const found = await searchAll(probes);
    for (const [at, range] of open.entries()) {
      const one = found[at];
      if (one && isUpTo(one)) range.low = middleOfRange(range) + 1;
      else range.high = middleOfRange(range);
    }
  }
};

/**
 * Finds for each kind where the hits after the given one begin; undefined when the server sorts that hit elsewhere:
 * then the page came from Neo4j, which continues.
 */
export const locateKindStarts = async (
  question: EngineQuery,
  kinds: readonly Kind[],
  known: ServerKnowledge,
  searchAll: SearchAll,
): Promise<KindStarts | undefined> => {
  const { behind } = question;
  if (!behind || !isUuid(behind.id) || !canAskServer(question, known.can) || !known.can.sorting) return undefined;
  const order = resolveOrder(question, kinds, known.can);
  if (!order || !ranksByOwnScore(order)) return undefined;
  const lists = buildKindSearches(question, kinds, order, known);
  if (!lists || lists.length === 0) return undefined;
  const { id, key } = behind;
  const all = await searchAll([
    ...lists.map(({ search }) => restrictToRecord(search, id.toLowerCase())),
    ...lists.map(({ search }) => ({ ...search, per_page: 0, page: 1 })),
  ]);
  const [named, counted] = [all.slice(0, lists.length), all.slice(lists.length)];
  const [last] = named.flatMap(({ hits }) => hits.map(createHitReader(order)));
  if (!last || last.key !== key) return undefined;
  const compare = createHitComparator(order);
  const upTo = (row: RankedHit): boolean => compare(row, last) <= 0;
  const totals = counted.map(({ found }) => found);
  return countHitsUpTo(
    lists,
    totals,
    searchAll,
    ({ hits: [hit] }) => hit !== undefined && upTo(createHitReader(order)(hit)),
  );
};
