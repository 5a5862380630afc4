import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import type { RefNode } from '../catalog/queries.ts';
import { renderRef, type View } from '../catalog/read/render.ts';
import type { ColumnChange } from '../contracts/validation/changes.ts';
import type { BrokenClause } from '../contracts/validation/clauses.ts';
import { type ContractNode, contractsOf } from '../lineage/contracts.ts';
import type { Site } from '../lineage/ends.ts';
import { testsAmong } from '../lineage/graph/affected.ts';
import { type Description, describe } from '../lineage/graph/describe.ts';
import type { Budget } from '../lineage/subgraph.ts';
import { type TestNode, testsOf } from '../lineage/tests.ts';
import type { JsonObject } from '../model/json.ts';
import { scopesOf } from '../model/name.ts';
import type { Breaks, Plight } from './breaks.ts';
import { brokenHanded } from './handed.ts';
import { type Reach, reachOf, type Struck } from './reach.ts';

/** What a proposed change of the columns of a record would break, there and downstream. */

export type Checking = {
  readonly engine: Engine;
  readonly breaks: Breaks;
  readonly budget: Budget;
  readonly maxDepth: number;
};

/** Who asks, and how they see records. */
export type Asker = { readonly principal: Principal; readonly view: View };

/** More than anybody reads, and so many that an answer stays one. */
const MOST_BREAKS = 10_000;

/** A record whose columns change. */
type Changed = { readonly node: RefNode; readonly depth: number; readonly changes: readonly ColumnChange[] };

const changedBy = (root: Site, changes: readonly ColumnChange[], open: readonly Struck[]): readonly Changed[] =>
  [{ node: root.node, depth: 0, changes }, ...open].filter((one) => one.changes.length > 0);

/** Why something far away breaks is said by where it comes from. */
const reasonAt = ({ depth }: Changed, { fullyQualifiedName }: Site, reason: string): string =>
  depth === 0 ? reason : `it is made from ${fullyQualifiedName}: ${reason}`;

/** The clauses that break, of the contracts of the records and of those that they take over from their products. */
const brokenBy = async (
  { engine, breaks }: Checking,
  { principal, view }: Asker,
  root: Site,
  changed: readonly Changed[],
  contracts: ReadonlyMap<string, ContractNode>,
): Promise<readonly JsonObject[]> => {
  const plights = changed.flatMap(({ node, changes }): Plight[] => {
    const contract = contracts.get(node.id);
    return contract ? [{ contractId: contract.id, changes }] : [];
  });
  const [broken, handed] = await Promise.all([breaks(principal, plights), brokenHanded(engine, principal, changed)]);
  return changed.flatMap((one) => {
    const { node, depth } = one;
    const own = contracts.get(node.id);
    const taken = handed.get(node.id);
    const told = (contract: RefNode, clauses: readonly BrokenClause[]) =>
      clauses.map(({ clause, reason }) => ({
        contract: renderRef(contract, view),
        entity: renderRef(node, view),
        depth,
        clause,
        reason: reasonAt(one, root, reason),
      }));
    return [...(own ? told(own, broken.get(own.id) ?? []) : []), ...(taken ? told(taken.contract, taken.broken) : [])];
  });
};

/** The tests of the columns that change, and of those that lie in them. */
const ownTests = (changes: readonly ColumnChange[], tests: readonly TestNode[]): readonly TestNode[] => {
  const columns = new Set(changes.flatMap(({ change, column }) => (change === 'added' ? [] : [column.toLowerCase()])));
  return tests.filter(({ columnName }) => {
    const path = columnName?.toLowerCase();
    return path !== undefined && [...scopesOf(path), path].some((scope) => columns.has(scope));
  });
};

const ownersIn = (described: ReadonlyMap<string, Description>): readonly RefNode[] => {
  const owners = [...described.values()].flatMap((one) => one.owners.map(({ node }) => node));
  return [...new Map(owners.map((node) => [node.id, node])).values()];
};

const byName = (a: RefNode, b: RefNode): number => (a.fullyQualifiedName < b.fullyQualifiedName ? -1 : 1);

/** What changes of the columns of a record would break. */
export const checkChanges = async (
  checking: Checking,
  asker: Asker,
  root: Site,
  changes: readonly ColumnChange[],
): Promise<{ readonly json: JsonObject; readonly truncated: Reach['truncated'] }> => {
  const { engine } = checking;
  const { principal, view } = asker;
  const { struck, truncated } = await reachOf(checking, principal, root, changes);
  const open = struck.filter(({ isHidden }) => !isHidden);
  const ids = open.map(({ node }) => node.id);
  const [described, tests, contracts] = await Promise.all([
    describe(engine.graph, ids),
    testsOf(engine, principal, [root.id, ...ids]),
    contractsOf(engine, principal, [root.id, ...ids]),
  ]);
  const broken = await brokenBy(checking, asker, root, changedBy(root, changes, open), contracts);
  const affectedTests = [
    ...ownTests(changes, tests.get(root.id) ?? []),
    ...open.flatMap((one) => testsAmong(one, tests.get(one.node.id) ?? [])),
  ];
  const refsTo = (nodes: readonly RefNode[]) => [...nodes].sort(byName).map((node) => renderRef(node, view));
  const json = {
    verdict: broken.length > 0 ? 'breaks' : 'ok',
    changes: changes as unknown as readonly JsonObject[],
    breaks: broken.slice(0, MOST_BREAKS),
    affected: { entities: struck.length, owners: refsTo(ownersIn(described)), tests: refsTo(affectedTests) },
  };
  return { json, truncated: broken.length > MOST_BREAKS ? 'nodes' : truncated };
};
