import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import type { RefNode } from '../catalog/queries.ts';
import { renderRef, type View } from '../catalog/read/render.ts';
import type { BrokenClause } from '../contracts/validation/broken-clauses.ts';
import type { ColumnChange } from '../contracts/validation/column-changes.ts';
import type { Endpoint } from '../lineage/endpoints.ts';
import { filterAffectedTests } from '../lineage/read/graph/affected-tests.ts';
import { type NodeDescription, readNodeDescriptions } from '../lineage/read/graph/node-descriptions.ts';
import {
  type AffectedContract,
  createRefLookup,
  type ImpactRow,
  renderAffected,
  worstFirst,
} from '../lineage/read/graph/render-impact.ts';
import { type ContractNode, readVisibleContracts } from '../lineage/read/record-contracts.ts';
import { readVisibleTests, type TestNode } from '../lineage/read/record-tests.ts';
import type { LineageBudget } from '../lineage/read/walk-edges.ts';
import { groupBy } from '../model/group-by.ts';
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

/** A clause of the contract of a record that the changes break. */
type ContractBreak = BrokenClause & { readonly contract: RefNode; readonly entity: RefNode; readonly depth: number };

const renderBreak = ({ contract, entity, depth, clause, reason }: ContractBreak, view: View): JsonObject => ({
  contract: renderRef(contract, view),
  entity: renderRef(entity, view),
  depth,
  clause,
  reason,
});

/** Finds the broken clauses in the records' own contracts and in those inherited from data products. */
const findBreaks = async (
  { engine, breaks }: ChangeCheck,
  principal: Principal,
  root: Endpoint,
  changed: readonly ChangedRecord[],
  contracts: ReadonlyMap<string, ContractNode>,
): Promise<readonly ContractBreak[]> => {
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
        contract,
        entity: node,
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

type RecordFacts = {
  readonly description: NodeDescription | undefined;
  readonly tests: ReadonlyMap<string, readonly TestNode[]>;
  readonly contracts: ReadonlyMap<string, ContractNode>;
  /** The broken clauses, own and inherited, by the ID of their record. */
  readonly broken: ReadonlyMap<string, readonly ContractBreak[]>;
};

/** The own contract of a record, whether it breaks or not, and the inherited contract if it breaks. */
const describeContracts = (
  own: ContractNode | undefined,
  broken: readonly ContractBreak[],
): readonly AffectedContract[] => {
  const all: readonly AffectedContract['node'][] = [...(own ? [own] : []), ...broken.map(({ contract }) => contract)];
  const nodes = new Map(all.map((node) => [node.id, node]));
  const clausesOf = (id: string) => broken.filter(({ contract }) => contract.id === id).map(({ clause }) => clause);
  return [...nodes.values()].map((node) => ({ node, broken: [...new Set(clausesOf(node.id))] }));
};

/** The tests and the contracts of an affected record. Nothing is known of a hidden one. */
const describeRow = (affected: DownstreamRecord, { description, tests, contracts, broken }: RecordFacts): ImpactRow => {
  const { id } = affected.node;
  return {
    affected,
    description,
    contracts: describeContracts(contracts.get(id), broken.get(id) ?? []),
    tests: affected.isHidden ? [] : filterAffectedTests(affected, tests.get(id) ?? []),
  };
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
  const reach = await walkDownstreamChanges(context, principal, root, changes);
  const { struck, truncated } = reach;
  const open = struck.filter(({ isHidden }) => !isHidden);
  const ids = open.map(({ node }) => node.id);
  const [described, tests, contracts] = await Promise.all([
    readNodeDescriptions(engine.graph, ids),
    readVisibleTests(engine, principal, [root.id, ...ids]),
    readVisibleContracts(engine, principal, [root.id, ...ids]),
  ]);
  const broken = await findBreaks(context, principal, root, listChangedRecords(root, changes, open), contracts);
  const grouped = groupBy(broken, ({ entity }) => entity.id);
  const rows = struck.map((affected) =>
    describeRow(affected, { description: described.get(affected.node.id), tests, contracts, broken: grouped }),
  );
  const affectedTests = [...selectOwnTests(changes, tests.get(root.id) ?? []), ...rows.flatMap((row) => row.tests)];
  const refsTo = (nodes: readonly RefNode[]) => [...nodes].sort(byName).map((node) => renderRef(node, view));
  const refOf = createRefLookup(reach, view);
  const json = {
    verdict: broken.length > 0 ? 'breaks' : 'ok',
    changes: changes as unknown as readonly JsonObject[],
    breaks: broken.slice(0, MAX_BREAKS).map((one) => renderBreak(one, view)),
    affected: {
      entities: struck.length,
      owners: refsTo(uniqueOwners(described)),
      tests: refsTo(affectedTests),
      assets: rows.sort(worstFirst).map((row) => renderAffected(row, refOf, view)),
    },
  };
  return { json, truncated: broken.length > MAX_BREAKS ? 'nodes' : truncated };
};
