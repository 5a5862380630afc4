import type { Engine } from '../../catalog/engine.ts';
import { markDocumentsStale } from '../../catalog/queries.ts';
import { createDocumentWriter, type WriteDocuments } from '../../catalog/write/document-updater.ts';
import { CatalogError } from '../../errors.ts';
import type { Graph } from '../../graph/client.ts';
import { chunk } from '../../model/chunk.ts';
import {
  type DirtyMark,
  type DocumentFailure,
  deleteMarks,
  listDependents,
  lockMarks,
  readMarks,
  updateMarkFailures,
} from './queries.ts';

/** Rewrites the documents of marked records. Every step may run again without harm. */

export type MaintenanceEngine = Pick<Engine, 'graph' | 'registry' | 'secrets'>;

/** How many records one transaction marks. */
export const MARK_BATCH = 2000;

/** Marks records; the transaction locks them in the given order. */
const markAllStale = async (graph: Graph, ids: readonly string[]): Promise<void> => {
  const rows = ids.map((entityId, at) => ({ entityId, at }));
  await graph.write((transaction) => transaction.run(markDocumentsStale, { rows }));
};

/** Reads pages of ids, in their order, and marks these records. */
export const markPages = async (
  graph: Graph,
  limit: number,
  page: (after: string) => Promise<readonly { readonly id: string }[]>,
): Promise<void> => {
  for (let after = ''; ; ) {
    const found = await page(after);
    if (found.length === 0) return;
    await markAllStale(
      graph,
      found.map(({ id }) => id),
    );
    if (found.length < limit) return;
    after = found.at(-1)?.id ?? after;
  }
};

/**
 * Whether the data that other documents contain of this record has changed. Without a document there is no digest to
 * compare, so the answer is yes.
 */
export const hasChangedFace = ({ face, toldFace }: DirtyMark): boolean => face === null || face !== toldFace;

/** Few records have dependents, so dependents are looked up for this many records at once. */
const DEPENDENTS_BATCH = 100;

/** Marks the records whose documents contain data of changed records. */
const markDependents = async (graph: Graph, marks: readonly DirtyMark[], limit: number): Promise<void> => {
  const others = marks.filter(hasChangedFace).map(({ id }) => id);
  for (const ids of chunk(others, DEPENDENTS_BATCH)) {
    await markPages(graph, limit, (after) => graph.read(listDependents, { ids, after, limit }));
  }
};

/** Rewrites the documents of marked records, as far as needed, and removes the marks. */
const rewriteMarked = async (
  { graph, registry }: MaintenanceEngine,
  put: WriteDocuments,
  marks: readonly DirtyMark[],
): Promise<void> => {
  const faces = new Map(marks.map(({ id, face }) => [id, face]));
  const ids = [...faces.keys()].sort();
  await graph.write(async (transaction) => {
    const taken = await transaction.run(lockMarks, { ids });
    const stale = new Map<string, string[]>();
    for (const { id, entityType, isStale } of taken) {
      if (!isStale || !registry.byType.has(entityType)) continue;
      const same = stale.get(entityType);
      if (same) same.push(id);
      else stale.set(entityType, [id]);
    }
    await put(transaction, stale);
    await transaction.run(deleteMarks, { rows: taken.map(({ id }) => ({ id, face: faces.get(id) ?? null })) });
  });
};

const MAX_REASON_LENGTH = 500;

const isDatabaseAway = (failure: unknown): boolean => failure instanceof CatalogError && failure.code === 'unavailable';

const reasonOf = (failure: unknown): string =>
  (failure instanceof Error ? failure.message : String(failure)).slice(0, MAX_REASON_LENGTH);

/**
 * Rewrites documents so that one record that fails does not block the others: a failing batch is halved until the
 * failing records stand alone. These keep their marks with the reason. Returns the failures.
 */
const rewriteIsolatingFailures = async (
  keeper: MaintenanceEngine,
  put: WriteDocuments,
  marks: readonly DirtyMark[],
): Promise<DocumentFailure[]> => {
  try {
    await rewriteMarked(keeper, put, marks);
    return [];
  } catch (failure) {
    if (isDatabaseAway(failure)) throw failure;
    const [first] = marks;
    if (marks.length > 1 || !first) {
      const middle = Math.ceil(marks.length / 2);
      const before = await rewriteIsolatingFailures(keeper, put, marks.slice(0, middle));
      return [...before, ...(await rewriteIsolatingFailures(keeper, put, marks.slice(middle)))];
    }
    const failed = { id: first.id, failure: reasonOf(failure) };
    await keeper.graph.write((transaction) => transaction.run(updateMarkFailures, { rows: [failed] }));
    return [failed];
  }
};

/** Processes marked records; returns those whose documents could not be built. */
export const refreshDocuments = async (
  keeper: MaintenanceEngine,
  marks: readonly DirtyMark[],
  markBatch = MARK_BATCH,
): Promise<DocumentFailure[]> => {
  if (marks.length === 0) return [];
  await markDependents(keeper.graph, marks, markBatch);
  return rewriteIsolatingFailures(keeper, createDocumentWriter(keeper), marks);
};

const REWRITE_BATCH = 500;

/** Rewrites the documents of some records, marked or not. */
export const rewriteDocuments = async (
  keeper: MaintenanceEngine,
  ids: readonly string[],
): Promise<DocumentFailure[]> => {
  const failed: DocumentFailure[] = [];
  for (const some of chunk(ids, REWRITE_BATCH)) {
    await markAllStale(keeper.graph, [...some].sort());
    failed.push(...(await refreshDocuments(keeper, await keeper.graph.read(readMarks, { ids: some }))));
  }
  return failed;
};
