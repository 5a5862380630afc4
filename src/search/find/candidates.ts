import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { readDocuments } from '../../catalog/read/documents.ts';
import { permitted, VIEW } from '../../catalog/read/facts.ts';
import type { Kind } from '../../model/kind.ts';
import { piecesOf } from '../../model/pieces.ts';
import { judgeBy } from '../filter/match.ts';
import type { Filter } from '../filter/tree.ts';
import { type Bounds, isExact } from '../index/bounds.ts';
import { allOf, type Lucene, noneOf } from '../index/lucene.ts';
import type { Patience } from './patience.ts';
import { listFound } from './queries.ts';

/** What cannot be told from the index alone: documents that may be meant, and records that not everybody may see. */

/** More documents than this are not looked at one by one for one request. */
const MOST = 200_000;
const LOOKED_AT_ONCE = 500;

/** More records than this are not judged at once, so that it is seen in between whether time has run out. */
const JUDGED_AT_ONCE = 5000;

/** What came of looking: the documents that count, and whether not all were looked at, for lack of time or for their number. */
export type Looked = { readonly only: readonly string[] | null; readonly timedOut: boolean };

export type Search = {
  readonly engine: Engine;
  readonly index: string;
  readonly principal: Principal;
  readonly patience: Patience;
};

type Found = { readonly id: string; readonly entityType: string };

/** Documents that a query finds, and whether there are more than are looked at: then the answer is not whole and says so. */
const list = async ({ engine, index, patience: { signal } }: Search, query: Lucene) => {
  const found = await engine.graph.read(listFound, { index, query, most: MOST + 1 }, { signal });
  return { found: found.slice(0, MOST), isCut: found.length > MOST };
};

const NONE = { found: [], isCut: false } as const;

/** Those of some documents that fulfil the filter, as their records are now. */
const confirm = async (
  search: Search,
  filter: Filter,
  found: readonly Found[],
): Promise<{ readonly confirmed: readonly Found[]; readonly timedOut: boolean }> => {
  const { engine, patience } = search;
  const judge = judgeBy(filter, engine.registry.byType, engine.clock());
  const confirmed: Found[] = [];
  for (const some of piecesOf(found, LOOKED_AT_ONCE)) {
    if (patience.isOver()) return { confirmed, timedOut: true };
    const documents = await readDocuments(engine, some);
    for (const one of some) {
      const document = documents.get(one.id);
      if (document && judge(document)) confirmed.push(one);
    }
  }
  return { confirmed, timedOut: false };
};

/** Those of some documents whose records the caller may see. */
const keepSeen = async (
  { engine, principal, patience }: Search,
  found: readonly Found[],
): Promise<{ readonly ids: readonly string[]; readonly timedOut: boolean }> => {
  const ids: string[] = [];
  for (const some of piecesOf(found, JUDGED_AT_ONCE)) {
    if (patience.isOver()) return { ids, timedOut: true };
    const records = some.map(({ id, entityType }) => ({ entityId: id, entityType }));
    const seen = await permitted(engine, principal, VIEW, records);
    some.forEach(({ id }, at) => {
      if (seen[at]) ids.push(id);
    });
  }
  return { ids, timedOut: false };
};

/** Whether of some kinds the caller may see some records and others not. */
export const seesInPart = (
  { engine, principal }: Pick<Search, 'engine' | 'principal'>,
  kinds: readonly Kind[],
): boolean => kinds.some(({ entityType }) => typeof engine.judge.filter(principal, VIEW, entityType) === 'function');

/** Looks at what the index leaves open; nothing has to be looked at for most requests. */
export const lookAtCandidates = async (
  search: Search,
  kinds: readonly Kind[],
  filter: Filter,
  bounds: Bounds,
  lists = false,
): Promise<Looked> => {
  const isPartial = seesInPart(search, kinds);
  if (isExact(bounds) && !isPartial && !lists) return { only: null, timedOut: false };
  const sure = await list(search, bounds.surely);
  const open = isExact(bounds) ? NONE : await list(search, allOf([bounds.perhaps, noneOf(bounds.surely)]));
  const { confirmed, timedOut } = await confirm(search, filter, open.found);
  const found = [...sure.found, ...confirmed];
  const isCut = timedOut || sure.isCut || open.isCut;
  if (!isPartial) return { only: found.map(({ id }) => id), timedOut: isCut };
  const seen = await keepSeen(search, found);
  return { only: seen.ids, timedOut: isCut || seen.timedOut };
};
