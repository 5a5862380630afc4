import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import type { RefNode } from '../catalog/queries.ts';
import { writeFields } from '../catalog/read/fields.ts';
import { plainView } from '../catalog/read/kept.ts';
import { render, renderRef } from '../catalog/read/render.ts';
import { kindNamed } from '../catalog/registry.ts';
import { handedDown } from '../contracts/effective.ts';
import { type HandedRow, listHanded } from '../contracts/queries.ts';
import { CONTRACT } from '../contracts/steward.ts';
import type { ColumnChange } from '../contracts/validation/changes.ts';
import { type BrokenClause, brokenClauses } from '../contracts/validation/clauses.ts';
import { sightOf } from '../lineage/sight.ts';
import type { JsonObject } from '../model/json.ts';
import { piecesOf } from '../model/pieces.ts';

/** What changes of columns break in the contracts that records take over from their data products. */

/** The contract of a product, and what of it a change breaks at one of its records. */
export type Handed = { readonly contract: RefNode; readonly broken: readonly BrokenClause[] };

/** Contracts are large, so that few of them are held at once. */
const AT_ONCE = 100;

const NONE: JsonObject = {};

/** A record, and what happens to its columns. */
type Struck = { readonly node: RefNode; readonly changes: readonly ColumnChange[] };

/** What is broken at records, by the ids of those that take over something, as far as the caller may see that. */
export const brokenHanded = async (
  engine: Engine,
  principal: Principal,
  all: readonly Struck[],
): Promise<ReadonlyMap<string, Handed>> => {
  const kind = kindNamed(engine.registry, CONTRACT);
  const fields = writeFields(kind);
  const view = plainView(engine, fields);
  const struck = new Map(all.map((one) => [one.node.id, one]));
  const found = new Map<string, Handed>();
  const judge = async (rows: readonly HandedRow[]): Promise<void> => {
    const ids = new Set(rows.flatMap(({ ownId, contract }) => [contract.id, ...(ownId === null ? [] : [ownId])]));
    const records = await engine.store.records(kind, [...ids], fields);
    const contracts = new Map(records.map((record) => [record.id, render(record, view)]));
    for (const { id, ownId, contract } of rows) {
      const one = struck.get(id);
      const taken = handedDown(contracts.get(ownId ?? '') ?? NONE, contracts.get(contract.id) ?? NONE);
      const held = one ? { ...taken, entity: renderRef(one.node, view) } : NONE;
      found.set(id, { contract, broken: brokenClauses(held, one?.changes ?? [], []) });
    }
  };
  for (const ids of piecesOf([...struck.keys()], AT_ONCE)) {
    const rows = await engine.graph.read(listHanded, { ids });
    const sees = await sightOf(
      engine,
      principal,
      rows.map(({ contract }) => contract),
    );
    await judge(rows.filter(({ contract }) => sees(contract.id)));
  }
  return found;
};
