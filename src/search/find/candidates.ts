import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { readDocuments } from '../../catalog/read/documents.ts';
import { checkPermissions, VIEW_OPERATIONS } from '../../catalog/read/facts.ts';
import { chunk } from '../../model/chunk.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { createMatchBudget, unlessTooExpensive } from '../../model/language/match-budget.ts';
import { createPacer } from '../../model/pacer.ts';
import { createDocumentMatcher } from '../../search-documents/filter/match-document.ts';
import type { SearchFilter } from '../../search-documents/filter/search-filter.ts';
import { isExactBounds, type QueryBounds } from '../../search-documents/index/bounds.ts';
import { andQuery, type LuceneQuery, notQuery } from '../../search-documents/index/lucene.ts';
import { findDocuments } from './queries.ts';
import type { TimeBudget } from './time-budget.ts';

/** Checks what the index cannot decide: documents that only may match, and records that not every caller may see. */

/** The most documents that one request checks one by one. */
const MAX_CANDIDATES = 200_000;
const DOCUMENTS_PER_CHECK = 500;

/** The most records that are checked at once, so that the time limit is checked in between. */
const RECORDS_PER_CHECK = 5000;

/**
 * The ids of the documents that count, and whether some were not checked for lack of time or because there were too
 * many.
 */
export type CandidateResult = { readonly only: readonly string[] | null; readonly timedOut: boolean };

export type SearchRun = {
  readonly engine: Engine;
  readonly index: string;
  readonly principal: Principal;
  readonly patience: TimeBudget;
};

type FoundDocument = { readonly id: string; readonly entityType: string };

/**
 * Lists the documents of a query, and whether there are more than can be checked; the answer then says that it is
 * incomplete.
 */
const listDocuments = async ({ engine, index, patience: { signal } }: SearchRun, query: LuceneQuery) => {
  const found = await engine.graph.read(findDocuments, { index, query, most: MAX_CANDIDATES + 1 }, { signal });
  return { found: found.slice(0, MAX_CANDIDATES), isCut: found.length > MAX_CANDIDATES };
};

const NO_CANDIDATES = { found: [], isCut: false } as const;

/**
 * Keeps the documents whose current records match the filter. The time limit is the price of a search, so it is checked
 * between documents, after pauses that let it pass; a single document that costs too much is left out as if for lack of
 * time.
 */
const confirmMatches = async (
  search: SearchRun,
  filter: SearchFilter,
  found: readonly FoundDocument[],
): Promise<{ readonly confirmed: readonly FoundDocument[]; readonly timedOut: boolean }> => {
  const { engine, patience: budget } = search;
  const steps = createMatchBudget(Number.POSITIVE_INFINITY);
  const pacer = createPacer();
  const matchesFilter = createDocumentMatcher(filter, engine.registry.byType, engine.clock(), steps);
  const confirmed: FoundDocument[] = [];
  let isCut = false;
  for (const some of chunk(found, DOCUMENTS_PER_CHECK)) {
    if (budget.isOver()) return { confirmed, timedOut: true };
    const documents = await readDocuments(engine, some);
    for (const one of some) {
      const document = documents.get(one.id);
      const verdict = document ? unlessTooExpensive(() => matchesFilter(document)) : false;
      if (verdict === undefined) isCut = true;
      if (verdict) confirmed.push(one);
      if (pacer.isSliceUsedUp()) await pacer.yieldToEventLoop();
      if (budget.isOver()) return { confirmed, timedOut: true };
    }
  }
  return { confirmed, timedOut: isCut };
};

/** Keeps the documents whose records the caller may see. */
const filterVisible = async (
  { engine, principal, patience: budget }: SearchRun,
  found: readonly FoundDocument[],
): Promise<{ readonly ids: readonly string[]; readonly timedOut: boolean }> => {
  const ids: string[] = [];
  for (const some of chunk(found, RECORDS_PER_CHECK)) {
    if (budget.isOver()) return { ids, timedOut: true };
    const records = some.map(({ id, entityType }) => ({ entityId: id, entityType }));
    const isVisible = await checkPermissions(engine, principal, VIEW_OPERATIONS, records);
    some.forEach(({ id }, at) => {
      if (isVisible[at]) ids.push(id);
    });
  }
  return { ids, timedOut: false };
};

/** Whether the caller may see some but not all records of one of these kinds. */
export const hasPartialVisibility = (
  { engine, principal }: Pick<SearchRun, 'engine' | 'principal'>,
  kinds: readonly Kind[],
): boolean =>
  kinds.some(
    ({ entityType }) => typeof engine.authorizer.filter(principal, VIEW_OPERATIONS, entityType) === 'function',
  );

/** Checks what the index leaves open; most requests need no check. */
export const checkCandidates = async (
  search: SearchRun,
  kinds: readonly Kind[],
  filter: SearchFilter,
  bounds: QueryBounds,
  alwaysList = false,
): Promise<CandidateResult> => {
  const isPartial = hasPartialVisibility(search, kinds);
  if (isExactBounds(bounds) && !isPartial && !alwaysList) return { only: null, timedOut: false };
  const sure = await listDocuments(search, bounds.certain);
  const open = isExactBounds(bounds)
    ? NO_CANDIDATES
    : await listDocuments(search, andQuery([bounds.possible, notQuery(bounds.certain)]));
  const { confirmed, timedOut } = await confirmMatches(search, filter, open.found);
  const found = [...sure.found, ...confirmed];
  const isCut = timedOut || sure.isCut || open.isCut;
  if (!isPartial) return { only: found.map(({ id }) => id), timedOut: isCut };
  const visible = await filterVisible(search, found);
  return { only: visible.ids, timedOut: isCut || visible.timedOut };
};
