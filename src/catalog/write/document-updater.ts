import type { Transaction } from '../../graph/client.ts';
import type { CommitFinisher, WriteRequest, WriteStatementRow, WriteStep } from '../../graph/group-commit.ts';
import { chunk } from '../../model/chunk.ts';
import { memoisePerKind } from '../../model/kind/derived-values.ts';
import type { Engine } from '../engine.ts';
import { documentRowAsync } from '../plan/document.ts';
import {
  createEvents,
  linkEdges,
  markDocumentsStale,
  markRecordsChanged,
  unlinkEdges,
  upsertDocuments,
  upsertEdges,
} from '../queries.ts';
import { buildRecordDocuments } from '../read/documents.ts';
import { createStore } from '../read/store.ts';
import type { Registry } from '../registry.ts';

/**
 * Writes the search documents in the transaction that changes the records, so that a client whose write is done finds
 * what it wrote. Documents are built from the records as the transaction leaves them, so no write can miss one.
 */

type DocumentWriterDeps = Pick<Engine, 'registry' | 'secrets'>;

const WRITE_BATCH = 500;

/** Writes the documents of records as a transaction sees them, by the types of the records. */
export type WriteDocuments = (transaction: Transaction, ids: ReadonlyMap<string, readonly string[]>) => Promise<void>;

export const createDocumentWriter =
  ({ registry, secrets }: DocumentWriterDeps): WriteDocuments =>
  async (transaction, byType) => {
    const store = createStore(transaction, registry);
    for (const [entityType, ids] of byType) {
      const kind = registry.byType.get(entityType);
      if (!kind?.search.index) continue;
      for (const some of chunk(ids, WRITE_BATCH)) {
        const documents = await buildRecordDocuments({ registry, store, secrets }, kind, some);
        const rows: (WriteStatementRow & { at: number })[] = [];
        for (const document of documents) rows.push({ ...(await documentRowAsync(kind, document)), at: rows.length });
        if (rows.length > 0) await transaction.run(upsertDocuments, { rows });
      }
    }
  };

/**
 * Collects the records that a write changes, with their types; new records bring their documents along, and
 * hard-deleted ones keep none.
 */
const collectChanged = (rows: readonly WriteStatementRow[], into: Map<string, string | undefined>): void => {
  for (const row of rows) {
    const { entityType = row['entityType'] } = (row.event ?? {}) as { readonly entityType?: string };
    into.set(String(row['entityId']), entityType as string | undefined);
  }
};

/** The edges that documents contain and that a write at either end may create. */
const documentEdges = (registry: Registry): ReadonlySet<string> =>
  new Set(['HAS_ASSET', ...registry.kinds.flatMap((kind) => relationEdges(kind))]);

const relationEdges = memoisePerKind((kind): readonly string[] =>
  Object.values(kind.attributes).flatMap((attribute) => (attribute.store === 'relation' ? [attribute.edge] : [])),
);

/** Creates a function that returns the rows of a step that create or remove those edges. */
const edgeRowFilter = (registry: Registry): ((step: WriteStep) => readonly WriteStatementRow[]) => {
  const edges = documentEdges(registry);
  const names = new Set([...edges].flatMap((edge) => [upsertEdges, unlinkEdges].map(({ name }) => `${name}:${edge}`)));
  return ({ statement, rows }) => {
    if (statement === linkEdges) return rows.filter(({ type }) => edges.has(String(type)));
    return names.has(statement.name) ? rows : [];
  };
};

const edgeEndIds = (rows: readonly WriteStatementRow[]): readonly string[] =>
  rows.flatMap(({ from, to }) => [from, to].filter((id): id is string => typeof id === 'string'));

/** Groups ids of records by type; it reads the types that the write did not contain. */
const groupByType = async (
  transaction: Transaction,
  registry: Registry,
  changed: ReadonlyMap<string, string | undefined>,
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const store = createStore(transaction, registry);
  const byType = new Map<string, string[]>();
  await Promise.all(
    [...changed].map(async ([id, known]) => {
      const entityType = known ?? (await store.referenceById(id))?.entityType;
      if (entityType === undefined) return;
      const same = byType.get(entityType);
      if (same) same.push(id);
      else byType.set(entityType, [id]);
    }),
  );
  return byType;
};

/** Creates the commit step that brings the search documents of all changed records up to date. */
export const createDocumentUpdater = (deps: DocumentWriterDeps): CommitFinisher => {
  const put = createDocumentWriter(deps);
  const edgeRows = edgeRowFilter(deps.registry);
  return async (transaction, writes: readonly WriteRequest[]) => {
    const changed = new Map<string, string | undefined>();
    const ends = new Set<string>();
    for (const step of writes.flatMap(({ steps }) => steps)) {
      const { statement, rows } = step;
      if (statement === createEvents || statement === markRecordsChanged) collectChanged(rows, changed);
      else for (const id of edgeEndIds(edgeRows(step))) ends.add(id);
    }
    if (changed.size > 0) await put(transaction, await groupByType(transaction, deps.registry, changed));
    const others = [...ends].filter((id) => !changed.has(id));
    const rows = others.sort().map((entityId, at) => ({ entityId, at }));
    if (rows.length > 0) await transaction.run(markDocumentsStale, { rows });
  };
};
