import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import type { RefNode } from '../catalog/queries.ts';
import { writeFields } from '../catalog/read/fields.ts';
import { renderRecord } from '../catalog/read/render.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { storageView } from '../catalog/read/stored-snapshot.ts';
import { requireKind } from '../catalog/registry.ts';
import { ANNOTATIONS } from '../contracts/annotations.ts';
import { CONTRACT } from '../contracts/hooks.ts';
import { listExpectedTests } from '../contracts/queries.ts';
import { type BrokenClause, findBrokenClauses, type LinkedTest } from '../contracts/validation/broken-clauses.ts';
import type { ColumnChange } from '../contracts/validation/column-changes.ts';
import { readNodeVisibility } from '../lineage/node-visibility.ts';
import { chunk } from '../model/chunk.ts';

/** Finds the contract clauses that column changes break. */

/** A contract and the changes of its record's columns. */
export type ContractColumnChanges = { readonly contractId: string; readonly changes: readonly ColumnChange[] };

/** Returns the broken clauses by contract ID. */
export type BrokenClauseFinder = (
  principal: Principal,
  plights: readonly ContractColumnChanges[],
) => Promise<ReadonlyMap<string, readonly BrokenClause[]>>;

/** Contracts are large, so they are loaded in small batches. */
const CONTRACTS_PER_BATCH = 100;

const expectedTests = ({ related }: Snapshot): readonly RefNode[] => related['qualityExpectations'] ?? [];

/** Reads the tests that contracts require to pass, by ID, as far as the caller may see them. */
export const readLinkedTests = async (
  engine: Engine,
  principal: Principal,
  expected: readonly RefNode[],
): Promise<ReadonlyMap<string, LinkedTest>> => {
  if (expected.length === 0) return new Map();
  const sees = await readNodeVisibility(engine, principal, expected);
  const ids = [...new Set(expected.map(({ id }) => id))].filter(sees);
  const rows = await engine.graph.read(listExpectedTests, { ids });
  return new Map(
    rows.map(({ id, name, columnName }) => [id, { name, ...(columnName === null ? {} : { column: columnName }) }]),
  );
};

/** Creates the finder of broken contract clauses. */
export const createBrokenClauseFinder = (engine: Engine): BrokenClauseFinder => {
  const kind = requireKind(engine.registry, CONTRACT);
  const fields = new Set([...writeFields(kind), ANNOTATIONS]);
  const view = storageView(engine, fields);
  return async (principal, contractChanges) => {
    const broken = new Map<string, readonly BrokenClause[]>();
    for (const some of chunk(contractChanges, CONTRACTS_PER_BATCH)) {
      const changes = new Map(some.map((one) => [one.contractId, one.changes]));
      const contracts = await engine.store.records(kind, [...changes.keys()], fields);
      const tests = await readLinkedTests(engine, principal, contracts.flatMap(expectedTests));
      for (const contract of contracts) {
        const linked = expectedTests(contract).flatMap(({ id }) => tests.get(id) ?? []);
        broken.set(
          contract.id,
          findBrokenClauses(renderRecord(contract, view), changes.get(contract.id) ?? [], linked),
        );
      }
    }
    return broken;
  };
};
