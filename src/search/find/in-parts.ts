import type { Kind } from '../../model/kind.ts';
import { ALL, every, type Filter, some } from '../filter/tree.ts';
import { type Bounds, everyBounds, exactly } from '../index/bounds.ts';
import { costIn, counting, type Lucene, MOST_CLAUSES } from '../index/lucene.ts';
import type { RankedBy } from '../index/ranking.ts';
import { ofKinds, translate } from '../index/translate.ts';
import { type Looked, lookAtCandidates, type Search } from './candidates.ts';
import { packed, partsOf, wordGroups } from './parts.ts';
import { tooMuch } from './plainer.ts';

/** What one query cannot ask for is asked for in several, and put together here. */

export type Manner = {
  readonly kinds: readonly Kind[];
  readonly now: number;
  /** Whether any of the words that somebody typed will do. */
  readonly isPatient: boolean;
  readonly rankedBy: RankedBy | undefined;
};

type Found = { readonly ids: ReadonlySet<string>; readonly timedOut: boolean };

const NOTHING_IN_TIME: Found = { ids: new Set(), timedOut: true };

const boundsOf = ({ kinds, now, isPatient, rankedBy }: Manner, filter: Filter): Bounds =>
  translate(filter, kinds, now, isPatient, rankedBy);

const within = ({ kinds }: Manner, bounds: Bounds): Bounds =>
  everyBounds([exactly(counting(ofKinds(kinds), 0)), bounds]);

/** Whether a condition can be one query, whatever words the index knows that are spelled alike. */
const fitsIn =
  (manner: Manner) =>
  (filter: Filter): boolean => {
    const { surely, perhaps } = within(manner, boundsOf(manner, filter));
    // What may be and need not is asked for as that which may be without that which surely is.
    return costIn(perhaps) + (surely === perhaps ? 0 : costIn(surely)) <= MOST_CLAUSES;
  };

const joinedAs =
  (is: 'every' | 'some') =>
  (of: readonly Filter[]): Filter =>
    is === 'every' ? every(of) : some(of);

/** Of words as people type them the index knows everything: documents are not judged by them. */
const isTyped = ({ is }: Filter): boolean => is === 'simple';

const untyped = (filter: Filter): Filter => {
  if (filter.is === 'every') return every(filter.of.filter((one) => !isTyped(one)));
  return isTyped(filter) ? ALL : filter;
};

const listWhole = async (search: Search, manner: Manner, filter: Filter): Promise<Found> => {
  const bounds = within(manner, boundsOf(manner, filter));
  const { only, timedOut } = await lookAtCandidates(search, manner.kinds, untyped(filter), bounds, true);
  return { ids: new Set(only), timedOut };
};

const listAny = async (search: Search, manner: Manner, of: readonly Filter[]): Promise<Found> => {
  const ids = new Set<string>();
  let timedOut = false;
  for (const one of packed(of, joinedAs('some'), fitsIn(manner))) {
    const found = await list(search, manner, one);
    for (const id of found.ids) ids.add(id);
    timedOut ||= found.timedOut;
  }
  return { ids, timedOut };
};

const listEvery = async (
  search: Search,
  manner: Manner,
  of: readonly Filter[],
  without: readonly Filter[],
): Promise<Found> => {
  const fits = fitsIn(manner);
  const typed = packed(of.filter(isTyped), joinedAs('every'), fits);
  const others = packed(
    of.filter((one) => !isTyped(one)),
    joinedAs('every'),
    fits,
  );
  const [first = ALL, ...rest] = [...typed, ...others];
  let { ids, timedOut } = await list(search, manner, first);
  for (const one of rest) {
    if (ids.size === 0) break;
    const found = await list(search, manner, one);
    ids = new Set([...ids].filter((id) => found.ids.has(id)));
    timedOut ||= found.timedOut;
  }
  if (without.length === 0 || ids.size === 0) return { ids, timedOut };
  const gone = await listAny(search, manner, without);
  // Of what is not known to be wanted nothing is shown.
  if (gone.timedOut) return NOTHING_IN_TIME;
  return { ids: new Set([...ids].filter((id) => !gone.ids.has(id))), timedOut: timedOut || gone.timedOut };
};

/** The documents that fulfil a condition, in as many queries as it takes. Throws bad_request where it cannot be taken apart. */
const list = async (search: Search, manner: Manner, filter: Filter): Promise<Found> => {
  if (search.patience.isOver()) return NOTHING_IN_TIME;
  if (fitsIn(manner)(filter)) return listWhole(search, manner, filter);
  const parts = partsOf(filter, manner.isPatient);
  if (!parts) throw tooMuch();
  return parts.is === 'some' ? listAny(search, manner, parts.of) : listEvery(search, manner, parts.of, parts.without);
};

/** What of a condition hits are ranked by, as conditions that are queries: how well each of them is found adds up. */
const rankingParts = (manner: Manner, filter: Filter): readonly Filter[] => {
  const fits = fitsIn(manner);
  if (filter.is === 'all' || filter.is === 'not') return [];
  if (fits(filter)) return [filter];
  const parts = partsOf(filter, manner.isPatient);
  if (!parts) return [];
  return packed(parts.of, joinedAs('some'), fits).flatMap((one) => rankingParts(manner, one));
};

/** The queries that tell how well something is found, and what each of them counts that finds it at all. */
export type Ranks = { readonly queries: readonly Lucene[]; readonly each: number };

export const NO_RANKS: Ranks = { queries: [], each: 0 };

/** What every word counts where any will do; how well it is found counts less in any case. */
export const FOR_EACH_WORD = 10_000;

const ranksOf = (manner: Manner, q: Filter): Ranks => {
  const isCounted = manner.isPatient && q.is === 'simple';
  const parts = (isCounted ? wordGroups(q) : [q]).flatMap((one) => rankingParts(manner, one));
  return {
    queries: parts.map((one) => within(manner, boundsOf(manner, one)).perhaps),
    each: isCounted ? FOR_EACH_WORD : 0,
  };
};

type Parted = { readonly looked: Looked; readonly ranks: Ranks };

/** Finds all that fulfils what was typed and the rest, and the queries that tell how well. */
export const lookInParts = async (
  search: Search,
  manner: Manner,
  { q, rest }: { readonly q: Filter; readonly rest: Filter },
): Promise<Parted> => {
  const { ids, timedOut } = await list(search, manner, every([q, rest]));
  return { looked: { only: [...ids], timedOut }, ranks: ranksOf(manner, q) };
};
