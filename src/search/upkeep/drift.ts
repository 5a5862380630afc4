import type { Kind } from '../../model/kind.ts';
import { piecesOf } from '../../model/pieces.ts';
import { FORM } from '../index/stored.ts';
import { type Compared, compareRecords, type Drifted, deleteOrphans, listOrphans, readDrift } from './queries.ts';
import type { Keeper } from './refresh.ts';

/** Comparing records with the documents by which they are found. */

const COMPARED_AT_ONCE = 5000;
const REMOVED_AT_ONCE = 1000;

export type KindDrift = {
  readonly entityType: string;
  readonly index: string;
  readonly records: number;
  readonly documents: number;
  /** Marked records: what is new of them is on its way. */
  readonly pending: number;
  readonly missing: number;
  readonly behind: number;
};

/** One page of comparing: what was looked at, and what differs although nobody is going to change that. */
export type ComparedPage = {
  readonly last: string;
  readonly types: readonly Compared[];
  readonly drifted: readonly Drifted[];
};

/** Kinds whose records are found by documents. */
export const searchable = ({ registry }: Pick<Keeper, 'registry'>): readonly Kind[] =>
  registry.kinds.filter(({ search }) => search.index !== undefined);

export const typesOf = (kinds: readonly Kind[]): readonly string[] => kinds.map(({ entityType }) => entityType);

/** Compares all records of some types with their documents, page by page, in the order of their ids, after one of them. */
export async function* compareAll(
  { graph }: Pick<Keeper, 'graph'>,
  types: readonly string[],
  from = '',
): AsyncGenerator<ComparedPage> {
  for (let after = from; ; ) {
    const page = await graph.read(compareRecords, { after, limit: COMPARED_AT_ONCE, types, form: FORM });
    const ids = page.flatMap(({ drifted }) => drifted);
    for (const { last } of page) if (last > after) after = last;
    if (page.length > 0) {
      // A commit becomes visible bit by bit, so what seems to differ is looked at twice.
      const drifted = ids.length === 0 ? [] : await graph.read(readDrift, { ids, form: FORM });
      yield { last: after, types: page, drifted };
    }
    if (page.reduce((sum, { records }) => sum + records, 0) < COMPARED_AT_ONCE) return;
  }
}

/** The documents whose records are gone, page by page. */
async function* orphanPages({ graph }: Pick<Keeper, 'graph'>): AsyncGenerator<readonly string[]> {
  for (let after = ''; ; ) {
    const [page] = await graph.read(listOrphans, { after, limit: COMPARED_AT_ONCE });
    if (!page || page.last === null) return;
    if (page.orphans.length > 0) yield page.orphans;
    if (page.documents < COMPARED_AT_ONCE) return;
    after = page.last;
  }
}

/** Removes the documents whose records are gone; answers how many. */
export const removeOrphans = async (keeper: Pick<Keeper, 'graph'>): Promise<number> => {
  let removed = 0;
  for await (const orphans of orphanPages(keeper)) {
    for (const ids of piecesOf(orphans, REMOVED_AT_ONCE)) {
      removed += (await keeper.graph.write((transaction) => transaction.run(deleteOrphans, { ids }))).length;
    }
  }
  return removed;
};

/** Something that differs, and how. */
type Found = {
  readonly id: string;
  readonly reason: 'missing' | 'behind' | 'orphaned';
  readonly entityType?: string;
  readonly fullyQualifiedName?: string;
  readonly revision?: number;
  readonly documentRevision?: number;
};

export type DriftReport = {
  readonly kinds: readonly KindDrift[];
  readonly orphaned: number;
  /** Some of what differs. */
  readonly found: readonly Found[];
};

const foundOf = ({ documentRevision, ...record }: Drifted): Found =>
  documentRevision === null ? { ...record, reason: 'missing' } : { ...record, reason: 'behind', documentRevision };

const NOTHING = { records: 0, documents: 0, pending: 0, missing: 0, behind: 0 };

/** Compares the records of some kinds with their documents. Changes nothing. */
export const reportDrift = async (keeper: Keeper, kinds: readonly Kind[], most: number): Promise<DriftReport> => {
  const sums = new Map(kinds.map(({ entityType }) => [entityType, { ...NOTHING }]));
  const found: Found[] = [];
  for await (const { types, drifted } of compareAll(keeper, typesOf(kinds))) {
    for (const { entityType, records, documents, pending } of types) {
      const sum = sums.get(entityType) ?? { ...NOTHING };
      sum.records += records;
      sum.documents += documents;
      sum.pending += pending;
    }
    for (const { entityType, documentRevision } of drifted) {
      const sum = sums.get(entityType) ?? { ...NOTHING };
      sum[documentRevision === null ? 'missing' : 'behind'] += 1;
    }
    found.push(...drifted.slice(0, most - found.length).map(foundOf));
  }
  let orphaned = 0;
  for await (const orphans of orphanPages(keeper)) {
    orphaned += orphans.length;
    found.push(...orphans.slice(0, most - found.length).map((id): Found => ({ id, reason: 'orphaned' })));
  }
  const reports = kinds.map(({ entityType, search }) => ({
    entityType,
    index: search.index ?? '',
    ...(sums.get(entityType) ?? NOTHING),
  }));
  return { kinds: reports, orphaned, found };
};
