import type { Transaction } from '../../graph/client.ts';
import type { Finish, Write, WriteRow } from '../../graph/commit.ts';
import { perKind } from '../../model/kind.ts';
import { piecesOf } from '../../model/pieces.ts';
import type { Engine } from '../engine.ts';
import { documentRowInSteps } from '../plan/document.ts';
import { createEvents, linkEdges, markChanged, markStale, mergeEdges, putDocuments, unlinkEdges } from '../queries.ts';
import { documentsOf } from '../read/documents.ts';
import { createStore } from '../read/store.ts';
import type { Registry } from '../registry.ts';

/**
 * What records are found by is written in the transaction that changes them: whoever has heard that his write is done
 * finds what he wrote. It is made from the records as the transaction has left them, so no write can forget any of it.
 */

type Keeper = Pick<Engine, 'registry' | 'secrets'>;

const WRITTEN_AT_ONCE = 500;

/** Writes the documents of records as a transaction sees them, by the types of the records. */
export type PutDocuments = (transaction: Transaction, ids: ReadonlyMap<string, readonly string[]>) => Promise<void>;

export const putterOf =
  ({ registry, secrets }: Keeper): PutDocuments =>
  async (transaction, byType) => {
    const store = createStore(transaction, registry);
    for (const [entityType, ids] of byType) {
      const kind = registry.byType.get(entityType);
      if (!kind?.search.index) continue;
      for (const some of piecesOf(ids, WRITTEN_AT_ONCE)) {
        const documents = await documentsOf({ registry, store, secrets }, kind, some);
        const rows: (WriteRow & { at: number })[] = [];
        for (const document of documents) rows.push({ ...(await documentRowInSteps(kind, document)), at: rows.length });
        if (rows.length > 0) await transaction.run(putDocuments, { rows });
      }
    }
  };

type Told = { readonly entityType?: string; readonly eventType?: string };

/** The records that change in a write, with their types; new ones bring their documents along, and none is left of those that go. */
const changedBy = (rows: readonly WriteRow[], into: Map<string, string | undefined>): void => {
  for (const row of rows) {
    const { entityType = row['entityType'], eventType } = (row.event ?? {}) as Told;
    // Lineage is no part of a document: it is read when the document is shown.
    if (!eventType?.startsWith('entityLineage')) into.set(String(row['entityId']), entityType as string | undefined);
  }
};

/** The edges by which documents of some kind tell of other records, and that may be drawn at either end. */
const toldEdges = (registry: Registry): ReadonlySet<string> =>
  new Set(['HAS_ASSET', ...registry.kinds.flatMap((kind) => relationsOf(kind))]);

const relationsOf = perKind((kind): readonly string[] =>
  Object.values(kind.attributes).flatMap((attribute) => (attribute.store === 'relation' ? [attribute.edge] : [])),
);

const DRAWN = [linkEdges, mergeEdges, unlinkEdges];

/** The names of the statements that draw or remove those edges. */
const drawing = (registry: Registry): ReadonlySet<string> =>
  new Set([...toldEdges(registry)].flatMap((edge) => DRAWN.map(({ name }) => `${name}:${edge}`)));

const endsOf = (rows: readonly WriteRow[]): readonly string[] =>
  rows.flatMap(({ from, to }) => [from, to].filter((id): id is string => typeof id === 'string'));

/** The ids of records by their types; where a write did not say it, the record does. */
const typesOf = async (
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
export const createIndexing = (keeper: Keeper): Finish => {
  const put = putterOf(keeper);
  const drawn = drawing(keeper.registry);
  return async (transaction, writes: readonly Write[]) => {
    const changed = new Map<string, string | undefined>();
    const ends = new Set<string>();
    for (const { statement, rows } of writes.flatMap(({ steps }) => steps)) {
      if (statement === createEvents || statement === markChanged) changedBy(rows, changed);
      else if (drawn.has(statement.name)) for (const id of endsOf(rows)) ends.add(id);
    }
    if (changed.size > 0) await put(transaction, await typesOf(transaction, keeper.registry, changed));
    const others = [...ends].filter((id) => !changed.has(id));
    const rows = others.sort().map((entityId, at) => ({ entityId, at }));
    if (rows.length > 0) await transaction.run(markStale, { rows });
  };
};
