import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import type { RefNode } from '../catalog/queries.ts';
import { renderRef, type View } from '../catalog/read/render.ts';
import type { BrokenClause } from '../contracts/validation/broken-clauses.ts';
import type { ColumnChange } from '../contracts/validation/column-changes.ts';
import type { Endpoint } from '../lineage/endpoints.ts';
import { filterAffectedTests } from '../lineage/read/graph/affected-tests.ts';
import { type NodeDescription, readNodeDescriptions } from '../lineage/read/graph/node-descriptions.ts';
import { type ContractNode, readVisibleContracts } from '../lineage/read/record-contracts.ts';
import { readVisibleTests, type TestNode } from '../lineage/read/record-tests.ts';
import type { LineageBudget } from '../lineage/read/subgraph.ts';
import type { JsonObject } from '../model/json.ts';
import { fqnPrefixes } from '../model/name.ts';
import type { BrokenClauseFinder, ContractColumnChanges } from './broken-contracts.ts';
import { type DownstreamReach, type DownstreamRecord, walkDownstreamChanges } from './downstream-changes.ts';
import { findInheritedBreaks } from './inherited-breaks.ts';

/** Checks what a proposed column change would break, at the record itself and downstream. */

export type ChangeCheck = {
  readonly engine: Engine;
  readonly breaks: BrokenClauseFinder;
  readonly budget: LineageBudget;
  readonly maxDepth: number;
};

/** The principal who runs the check, and the view for rendering records. */
export type ChangeCheckCaller = { readonly principal: Principal; readonly view: View };

/** The maximum number of breaks in one answer. */
const MAX_BREAKS = 10_000;

/** A record whose columns change, at a distance from the changed record. */
type ChangedRecord = { readonly node: RefNode; readonly depth: number; readonly changes: readonly ColumnChange[] };

const listChangedRecords = (
  root: Endpoint,
  changes: readonly ColumnChange[],
  open: readonly DownstreamRecord[],
): readonly ChangedRecord[] =>
  [{ node: root.node, depth: 0, changes }, ...open].filter((one) => one.changes.length > 0);

/** Adds the origin of the change to the reason of a break downstream. */
const describeReason = ({ depth }: ChangedRecord, { fullyQualifiedName }: Endpoint, reason: string): string =>
  depth === 0 ? reason : `it is made from ${fullyQualifiedName}: ${reason}`;

/** Finds the broken clauses in the records' own contracts and in those inherited from data products. */
const findBreaks = async (
  { engine, breaks }: ChangeCheck,
  { principal, view }: ChangeCheckCaller,
  root: Endpoint,
  changed: readonly ChangedRecord[],
  contracts: ReadonlyMap<string, ContractNode>,
): Promise<readonly JsonObject[]> => {
  const contractChanges = changed.flatMap(({ node, changes }): ContractColumnChanges[] => {
    const contract = contracts.get(node.id);
    return contract ? [{ contractId: contract.id, changes }] : [];
  });
  const [broken, inherited] = await Promise.all([
    breaks(principal, contractChanges),
    findInheritedBreaks(engine, principal, changed),
  ]);
  return changed.flatMap((one) => {
    const { node, depth } = one;
    const own = contracts.get(node.id);
    const inheritedBreaks = inherited.get(node.id);
    const toBreaks = (contract: RefNode, clauses: readonly BrokenClause[]) =>
      clauses.map(({ clause, reason }) => ({
        contract: renderRef(contract, view),
        entity: renderRef(node, view),
        depth,
        clause,
        reason: describeReason(one, root, reason),
      }));
    return [
      ...(own ? toBreaks(own, broken.get(own.id) ?? []) : []),
      ...(inheritedBreaks ? toBreaks(inheritedBreaks.contract, inheritedBreaks.broken) : []),
    ];
  });
};

/** Selects the tests of the changed columns and of the columns nested in them. */
const selectOwnTests = (changes: readonly ColumnChange[], tests: readonly TestNode[]): readonly TestNode[] => {
  const columns = new Set(changes.flatMap(({ change, column }) => (change === 'added' ? [] : [column.toLowerCase()])));
  return tests.filter(({ columnName }) => {
    const path = columnName?.toLowerCase();
    return path !== undefined && [...fqnPrefixes(path), path].some((scope) => columns.has(scope));
  });
};

const uniqueOwners = (described: ReadonlyMap<string, NodeDescription>): readonly RefNode[] => {
  const owners = [...described.values()].flatMap((one) => one.owners.map(({ node }) => node));
  return [...new Map(owners.map((node) => [node.id, node])).values()];
};

const byName = (a: RefNode, b: RefNode): number => (a.fullyQualifiedName < b.fullyQualifiedName ? -1 : 1);

/** Checks what changes of a record's columns would break. */
export const checkColumnChanges = async (
  context: ChangeCheck,
  caller: ChangeCheckCaller,
  root: Endpoint,
  changes: readonly ColumnChange[],
): Promise<{ readonly json: JsonObject; readonly truncated: DownstreamReach['truncated'] }> => {
  const { engine } = context;
  const { principal, view } = caller;
  const { struck, truncated } = await walkDownstreamChanges(context, principal, root, changes);
  const open = struck.filter(({ isHidden }) => !isHidden);
  const ids = open.map(({ node }) => node.id);
  const [described, tests, contracts] = await Promise.all([
    readNodeDescriptions(engine.graph, ids),
    readVisibleTests(engine, principal, [root.id, ...ids]),
    readVisibleContracts(engine, principal, [root.id, ...ids]),
  ]);
  const broken = await findBreaks(context, caller, root, listChangedRecords(root, changes, open), contracts);
  const affectedTests = [
    ...selectOwnTests(changes, tests.get(root.id) ?? []),
    ...open.flatMap((one) => filterAffectedTests(one, tests.get(one.node.id) ?? [])),
  ];
  const refsTo = (nodes: readonly RefNode[]) => [...nodes].sort(byName).map((node) => renderRef(node, view));
  const json = {
    verdict: broken.length > 0 ? 'breaks' : 'ok',
    changes: changes as unknown as readonly JsonObject[],
    breaks: broken.slice(0, MAX_BREAKS),
    affected: { entities: struck.length, owners: refsTo(uniqueOwners(described)), tests: refsTo(affectedTests) },
  };
  return { json, truncated: broken.length > MAX_BREAKS ? 'nodes' : truncated };
};
