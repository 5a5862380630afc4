import type { Transaction } from '../../graph/client.ts';
import type { CommitFinisher, WriteRequest, WriteStatementRow } from '../../graph/group-commit.ts';
import { chunk } from '../../model/chunk.ts';
import { memoisePerKind } from '../../model/kind/kind.ts';
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
 * What records are found by is written in the transaction that changes them: whoever has heard that his write is done
 * finds what he wrote. It is made from the records as the transaction has left them, so no write can forget any of it.
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

type EventSummary = { readonly entityType?: string; readonly eventType?: string };

/** The records that change in a write, with their types; new ones bring their documents along, and none is left of those that go. */
const collectChanged = (rows: readonly WriteStatementRow[], into: Map<string, string | undefined>): void => {
  for (const row of rows) {
    const { entityType = row['entityType'], eventType } = (row.event ?? {}) as EventSummary;
    // Lineage is no part of a document: it is read when the document is shown.
    if (!eventType?.startsWith('entityLineage')) into.set(String(row['entityId']), entityType as string | undefined);
  }
};

/** The edges by which documents of some kind tell of other records, and that may be drawn at either end. */
const documentEdges = (registry: Registry): ReadonlySet<string> =>
  new Set(['HAS_ASSET', ...registry.kinds.flatMap((kind) => relationEdges(kind))]);

const relationEdges = memoisePerKind((kind): readonly string[] =>
  Object.values(kind.attributes).flatMap((attribute) => (attribute.store === 'relation' ? [attribute.edge] : [])),
);

const EDGE_STATEMENTS = [linkEdges, upsertEdges, unlinkEdges];

/** The names of the statements that draw or remove those edges. */
const edgeStatementNames = (registry: Registry): ReadonlySet<string> =>
  new Set([...documentEdges(registry)].flatMap((edge) => EDGE_STATEMENTS.map(({ name }) => `${name}:${edge}`)));

const edgeEndIds = (rows: readonly WriteStatementRow[]): readonly string[] =>
  rows.flatMap(({ from, to }) => [from, to].filter((id): id is string => typeof id === 'string'));

/** The ids of records by their types; where a write did not say it, the record does. */
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

/** Makes sure, at the end of every transaction, that what its records are found by is what they are. */
export const createDocumentUpdater = (deps: DocumentWriterDeps): CommitFinisher => {
  const put = createDocumentWriter(deps);
  const drawn = edgeStatementNames(deps.registry);
  return async (transaction, writes: readonly WriteRequest[]) => {
    const changed = new Map<string, string | undefined>();
    const ends = new Set<string>();
    for (const { statement, rows } of writes.flatMap(({ steps }) => steps)) {
      if (statement === createEvents || statement === markRecordsChanged) collectChanged(rows, changed);
      else if (drawn.has(statement.name)) for (const id of edgeEndIds(rows)) ends.add(id);
    }
    if (changed.size > 0) await put(transaction, await groupByType(transaction, deps.registry, changed));
    const others = [...ends].filter((id) => !changed.has(id));
    const rows = others.sort().map((entityId, at) => ({ entityId, at }));
    if (rows.length > 0) await transaction.run(markDocumentsStale, { rows });
  };
};
