import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import type { RefNode } from '../catalog/queries.ts';
import { writeFields } from '../catalog/read/fields.ts';
import { renderRecord, renderRef } from '../catalog/read/render.ts';
import { storageView } from '../catalog/read/stored-snapshot.ts';
import { requireKind } from '../catalog/registry.ts';
import { selectInheritedParts } from '../contracts/effective-contract.ts';
import { CONTRACT } from '../contracts/hooks.ts';
import { type InheritedContractRow, listInheritedContracts } from '../contracts/queries.ts';
import { type BrokenClause, findBrokenClauses } from '../contracts/validation/broken-clauses.ts';
import type { ColumnChange } from '../contracts/validation/column-changes.ts';
import { readNodeVisibility } from '../lineage/node-visibility.ts';
import { chunk } from '../model/chunk.ts';
import type { JsonObject } from '../model/json.ts';

/** Finds the clauses that column changes break in contracts which records inherit from their data products. */

/** A data product's contract and the clauses that break at one of its records. */
export type InheritedBreaks = { readonly contract: RefNode; readonly broken: readonly BrokenClause[] };

/** Contracts are large, so records are processed in small batches. */
const RECORDS_PER_BATCH = 100;

const NONE: JsonObject = {};

/** A record and the changes of its columns. */
type RecordChanges = { readonly node: RefNode; readonly changes: readonly ColumnChange[] };

/** Returns the broken inherited clauses by record ID, as far as the caller may see the contracts. */
export const findInheritedBreaks = async (
  engine: Engine,
  principal: Principal,
  all: readonly RecordChanges[],
): Promise<ReadonlyMap<string, InheritedBreaks>> => {
  const kind = requireKind(engine.registry, CONTRACT);
  const fields = writeFields(kind);
  const view = storageView(engine, fields);
  const changesById = new Map(all.map((one) => [one.node.id, one]));
  const found = new Map<string, InheritedBreaks>();
  const findBreaks = async (rows: readonly InheritedContractRow[]): Promise<void> => {
    const ids = new Set(rows.flatMap(({ ownId, contract }) => [contract.id, ...(ownId === null ? [] : [ownId])]));
    const records = await engine.store.records(kind, [...ids], fields);
    const contracts = new Map(records.map((record) => [record.id, renderRecord(record, view)]));
    for (const { id, ownId, contract } of rows) {
      const one = changesById.get(id);
      const inherited = selectInheritedParts(contracts.get(ownId ?? '') ?? NONE, contracts.get(contract.id) ?? NONE);
      const contractJson = one ? { ...inherited, entity: renderRef(one.node, view) } : NONE;
      found.set(id, { contract, broken: findBrokenClauses(contractJson, one?.changes ?? [], []) });
    }
  };
  for (const ids of chunk([...changesById.keys()], RECORDS_PER_BATCH)) {
    const rows = await engine.graph.read(listInheritedContracts, { ids });
    const sees = await readNodeVisibility(
      engine,
      principal,
      rows.map(({ contract }) => contract),
    );
    await findBreaks(rows.filter(({ contract }) => sees(contract.id)));
  }
  return found;
};
