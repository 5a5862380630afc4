import { chunk } from '../../model/chunk.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { DOCUMENT_FORMAT } from '../../search-documents/index/stored-document.ts';
import {
  type ComparisonRow,
  compareRecords,
  type DriftedRecord,
  deleteDocuments,
  listOrphanedDocuments,
  readDrift,
} from './queries.ts';
import type { MaintenanceEngine } from './refresh-documents.ts';

/** Compares records with their search documents. */

const COMPARE_PAGE = 5000;
const DELETE_BATCH = 1000;

export type KindDrift = {
  readonly entityType: string;
  readonly index: string;
  readonly records: number;
  readonly documents: number;
  /** The number of marked records, whose documents are about to be rewritten. */
  readonly pending: number;
  readonly missing: number;
  readonly behind: number;
};

/** One page of a comparison: its counts, and the records whose documents differ although no mark will correct that. */
export type ComparedPage = {
  readonly last: string;
  readonly types: readonly ComparisonRow[];
  readonly drifted: readonly DriftedRecord[];
};

/** The kinds whose records have search documents. */
export const searchableKinds = ({ registry }: Pick<MaintenanceEngine, 'registry'>): readonly Kind[] =>
  registry.kinds.filter(({ search }) => search.index !== undefined);

export const entityTypesOf = (kinds: readonly Kind[]): readonly string[] => kinds.map(({ entityType }) => entityType);

/** Compares all records of some types with their documents, page by page in the order of ids, after one id. */
export async function* compareDocuments(
  { graph }: Pick<MaintenanceEngine, 'graph'>,
  types: readonly string[],
  from = '',
): AsyncGenerator<ComparedPage> {
  for (let after = from; ; ) {
    const page = await graph.read(compareRecords, { after, limit: COMPARE_PAGE, types, form: DOCUMENT_FORMAT });
    const ids = page.flatMap(({ drifted }) => drifted);
    for (const { last } of page) if (last > after) after = last;
    if (page.length > 0) {
      // A commit becomes visible gradually, so each difference is checked a second time.
      const drifted = ids.length === 0 ? [] : await graph.read(readDrift, { ids, form: DOCUMENT_FORMAT });
      yield { last: after, types: page, drifted };
    }
    if (page.reduce((sum, { records }) => sum + records, 0) < COMPARE_PAGE) return;
  }
}

/** Reads the ids of documents whose records are gone, page by page. */
async function* orphanPages({ graph }: Pick<MaintenanceEngine, 'graph'>): AsyncGenerator<readonly string[]> {
  for (let after = ''; ; ) {
    const [page] = await graph.read(listOrphanedDocuments, { after, limit: COMPARE_PAGE });
    if (!page || page.last === null) return;
    if (page.orphans.length > 0) yield page.orphans;
    if (page.documents < COMPARE_PAGE) return;
    after = page.last;
  }
}

/** Removes the documents whose records are gone; returns how many. */
export const deleteOrphanedDocuments = async (keeper: Pick<MaintenanceEngine, 'graph'>): Promise<number> => {
  let removed = 0;
  for await (const orphans of orphanPages(keeper)) {
    for (const ids of chunk(orphans, DELETE_BATCH)) {
      removed += (await keeper.graph.write((transaction) => transaction.run(deleteDocuments, { ids }))).length;
    }
  }
  return removed;
};

/** A record whose document differs, and the reason. */
type DriftFinding = {
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
  /** Some of the differences. */
  readonly found: readonly DriftFinding[];
};

const driftFindingOf = ({ documentRevision, ...record }: DriftedRecord): DriftFinding =>
  documentRevision === null ? { ...record, reason: 'missing' } : { ...record, reason: 'behind', documentRevision };

const NO_DRIFT = { records: 0, documents: 0, pending: 0, missing: 0, behind: 0 };

/** Compares the records of some kinds with their documents. Changes nothing. */
export const reportDrift = async (
  keeper: MaintenanceEngine,
  kinds: readonly Kind[],
  most: number,
): Promise<DriftReport> => {
  const sums = new Map(kinds.map(({ entityType }) => [entityType, { ...NO_DRIFT }]));
  const found: DriftFinding[] = [];
  for await (const { types, drifted } of compareDocuments(keeper, entityTypesOf(kinds))) {
    for (const { entityType, records, documents, pending } of types) {
      const sum = sums.get(entityType) ?? { ...NO_DRIFT };
      sum.records += records;
      sum.documents += documents;
      sum.pending += pending;
    }
    for (const { entityType, documentRevision } of drifted) {
      const sum = sums.get(entityType) ?? { ...NO_DRIFT };
      sum[documentRevision === null ? 'missing' : 'behind'] += 1;
    }
    found.push(...drifted.slice(0, most - found.length).map(driftFindingOf));
  }
  let orphaned = 0;
  for await (const orphans of orphanPages(keeper)) {
    orphaned += orphans.length;
    found.push(...orphans.slice(0, most - found.length).map((id): DriftFinding => ({ id, reason: 'orphaned' })));
  }
  const reports = kinds.map(({ entityType, search }) => ({
    entityType,
    index: search.index ?? '',
    ...(sums.get(entityType) ?? NO_DRIFT),
  }));
  return { kinds: reports, orphaned, found };
};
