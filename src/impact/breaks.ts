import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import type { RefNode } from '../catalog/queries.ts';
import { writeFields } from '../catalog/read/fields.ts';
import { plainView } from '../catalog/read/kept.ts';
import { render } from '../catalog/read/render.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { kindNamed } from '../catalog/registry.ts';
import { listTests } from '../contracts/queries.ts';
import { CONTRACT } from '../contracts/steward.ts';
import type { ColumnChange } from '../contracts/validation/changes.ts';
import { type BrokenClause, brokenClauses, type LinkedTest } from '../contracts/validation/clauses.ts';
import { sightOf } from '../lineage/sight.ts';
import { piecesOf } from '../model/pieces.ts';

/** What changes of columns break in contracts. */

/** A contract, and what happens to the columns of its record. */
export type Plight = { readonly contractId: string; readonly changes: readonly ColumnChange[] };

/** Asks which clauses of contracts are broken, by the ids of these. */
export type Breaks = (
  principal: Principal,
  plights: readonly Plight[],
) => Promise<ReadonlyMap<string, readonly BrokenClause[]>>;

/** Contracts are large, so that few of them are held at once. */
const AT_ONCE = 100;

const expectedBy = ({ related }: Snapshot): readonly RefNode[] => related['qualityExpectations'] ?? [];

/** The tests that contracts expect to pass, by their ids, as far as the caller may see them. */
const readTests = async (
  engine: Engine,
  principal: Principal,
  contracts: readonly Snapshot[],
): Promise<ReadonlyMap<string, LinkedTest>> => {
  const expected = contracts.flatMap(expectedBy);
  if (expected.length === 0) return new Map();
  const sees = await sightOf(engine, principal, expected);
  const ids = [...new Set(expected.map(({ id }) => id))].filter(sees);
  const rows = await engine.graph.read(listTests, { ids });
  return new Map(
    rows.map(({ id, name, columnName }) => [id, { name, ...(columnName === null ? {} : { column: columnName }) }]),
  );
};

/** Opens the knowledge of what contracts say of columns. */
export const createBreaks = (engine: Engine): Breaks => {
  const kind = kindNamed(engine.registry, CONTRACT);
  const fields = writeFields(kind);
  const view = plainView(engine, fields);
  return async (principal, plights) => {
    const broken = new Map<string, readonly BrokenClause[]>();
    for (const some of piecesOf(plights, AT_ONCE)) {
      const changes = new Map(some.map((plight) => [plight.contractId, plight.changes]));
      const contracts = await engine.store.records(kind, [...changes.keys()], fields);
      const tests = await readTests(engine, principal, contracts);
      for (const contract of contracts) {
        const linked = expectedBy(contract).flatMap(({ id }) => tests.get(id) ?? []);
        broken.set(contract.id, brokenClauses(render(contract, view), changes.get(contract.id) ?? [], linked));
      }
    }
    return broken;
  };
};
