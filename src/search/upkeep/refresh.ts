import type { Engine } from '../../catalog/engine.ts';
import { markStale } from '../../catalog/queries.ts';
import { type PutDocuments, putterOf } from '../../catalog/write/indexing.ts';
import { CatalogError } from '../../errors.ts';
import type { Graph } from '../../graph/client.ts';
import { piecesOf } from '../../model/pieces.ts';
import { deleteMarks, type Failed, keepFailures, listTellers, type Mark, readMarks, takeMarks } from './queries.ts';

/** Writing documents anew whose records are marked. Whatever was done may be done again. */

export type Keeper = Pick<Engine, 'graph' | 'registry' | 'secrets'>;

/** How many records are marked at once. */
export const MARKED_AT_ONCE = 2000;

/** Marks records, which are locked in the order in which they come. */
const markStaleAll = async (graph: Graph, ids: readonly string[]): Promise<void> => {
  const rows = ids.map((entityId, at) => ({ entityId, at }));
  await graph.write((transaction) => transaction.run(markStale, { rows }));
};

/** Reads pages of ids, in their order, and marks the records they belong to. */
export const markPages = async (
  graph: Graph,
  limit: number,
  page: (after: string) => Promise<readonly { readonly id: string }[]>,
): Promise<void> => {
  for (let after = ''; ; ) {
    const found = await page(after);
    if (found.length === 0) return;
    await markStaleAll(
      graph,
      found.map(({ id }) => id),
    );
    if (found.length < limit) return;
    after = found.at(-1)?.id ?? after;
  }
};

/** What no document is of cannot be compared, so whoever tells of it is looked at each time. */
export const isAnother = ({ face, toldFace }: Mark): boolean => face === null || face !== toldFace;

/** Hardly anybody tells of most records, so those who do are looked for of so many records at once. */
const SPREAD_TOGETHER = 100;

/** Marks the records whose documents tell of those that have become others. */
const spread = async (graph: Graph, marks: readonly Mark[], limit: number): Promise<void> => {
  const others = marks.filter(isAnother).map(({ id }) => id);
  for (const ids of piecesOf(others, SPREAD_TOGETHER)) {
    await markPages(graph, limit, (after) => graph.read(listTellers, { ids, after, limit }));
  }
};

/** Writes the documents of marked records anew, as far as they need it, and takes the marks away. */
const settle = async ({ graph, registry }: Keeper, put: PutDocuments, marks: readonly Mark[]): Promise<void> => {
  const faces = new Map(marks.map(({ id, face }) => [id, face]));
  const ids = [...faces.keys()].sort();
  await graph.write(async (transaction) => {
    const taken = await transaction.run(takeMarks, { ids });
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

const MOST_TOLD = 500;

const isAway = (failure: unknown): boolean => failure instanceof CatalogError && failure.code === 'unavailable';

const reasonOf = (failure: unknown): string =>
  (failure instanceof Error ? failure.message : String(failure)).slice(0, MOST_TOLD);

/**
 * One record of which no document can be made must not keep the others from theirs: a batch that fails is halved until
 * the guilty ones stand alone. They keep their marks, with the reason. Answers which those are.
 */
const settleApart = async (keeper: Keeper, put: PutDocuments, marks: readonly Mark[]): Promise<Failed[]> => {
  try {
    await settle(keeper, put, marks);
    return [];
  } catch (failure) {
    if (isAway(failure)) throw failure;
    const [first] = marks;
    if (marks.length > 1 || !first) {
      const middle = Math.ceil(marks.length / 2);
      const before = await settleApart(keeper, put, marks.slice(0, middle));
      return [...before, ...(await settleApart(keeper, put, marks.slice(middle)))];
    }
    const failed = { id: first.id, failure: reasonOf(failure) };
    await keeper.graph.write((transaction) => transaction.run(keepFailures, { rows: [failed] }));
    return [failed];
  }
};

/** Does for marked records what their marks ask for; answers of which no document could be made. */
export const refresh = async (
  keeper: Keeper,
  marks: readonly Mark[],
  spreadAtOnce = MARKED_AT_ONCE,
): Promise<Failed[]> => {
  if (marks.length === 0) return [];
  await spread(keeper.graph, marks, spreadAtOnce);
  return settleApart(keeper, putterOf(keeper), marks);
};

const WRITTEN_AT_ONCE = 500;

/** Writes the documents of some records anew, whether they are marked or not. */
export const rewrite = async (keeper: Keeper, ids: readonly string[]): Promise<Failed[]> => {
  const failed: Failed[] = [];
  for (const some of piecesOf(ids, WRITTEN_AT_ONCE)) {
    await markStaleAll(keeper.graph, [...some].sort());
    failed.push(...(await refresh(keeper, await keeper.graph.read(readMarks, { ids: some }))));
  }
  return failed;
};
