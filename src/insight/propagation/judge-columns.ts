import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import type { LabelNode, RefNode } from '../../catalog/queries.ts';
import { authorizeRecord, VIEW_OPERATIONS } from '../../catalog/read/facts.ts';
import { requireKind } from '../../catalog/registry.ts';
import { labelBranches } from '../../catalog/resolve/references.ts';
import { entityRefByName, findEndpoint } from '../../lineage/endpoints.ts';
import { readNodeVisibility } from '../../lineage/node-visibility.ts';
import type { LineageBudget } from '../../lineage/read/walk-edges.ts';
import { fqnPrefixes } from '../../model/name.ts';
import { readColumnGraph, recordIdOf, type TracedColumn } from '../columns/column-graph.ts';
import type { TrustRules } from '../columns/mapping-trust.ts';
import { isInScope, type Scope } from '../scope.ts';
import { listLabelSources } from './queries.ts';
import { followLabel, type Inherited, isStopped, PROPAGATION_STOP } from './ways.ts';

/** Judges which columns inherit a tag by lineage, and whether they have it. */

export const PROPAGATION_STATES = ['missing', 'agrees', 'conflicts', 'blocked'] as const;
export type PropagationState = (typeof PROPAGATION_STATES)[number];

export type JudgedColumn = Inherited & {
  readonly state: PropagationState;
  /** The label that the column carries. */
  readonly carried: LabelNode | undefined;
  /** Its labels that exclude the tag. */
  readonly rivals: readonly LabelNode[];
};

export type Propagation = {
  readonly tag: RefNode;
  readonly rows: readonly JudgedColumn[];
  /** The number of columns that carry the tag and that others are made from. */
  readonly sources: number;
  /** The IDs of the records whose columns were looked at, and of the records that represent columns. */
  readonly reached: ReadonlySet<string>;
  readonly cut: 'edges' | undefined;
};

export type PropagationRequest = {
  readonly tag: string;
  readonly scope: Scope;
  readonly maxDepth: number;
  readonly budget: LineageBudget;
  readonly trust: TrustRules;
};

const findTag = async (engine: Engine, principal: Principal, fqn: string): Promise<RefNode> => {
  const tag = await findEndpoint(engine, entityRefByName(engine, 'tag', fqn));
  await authorizeRecord(engine, principal, VIEW_OPERATIONS, tag);
  return tag.node;
};

/** The classification and parent tags of which a column can carry only one child. */
const findExclusiveHolders = async (engine: Engine, tagFqn: string): Promise<ReadonlySet<string>> => {
  const holders = await Promise.all(
    fqnPrefixes(tagFqn).map((fqn, at) =>
      engine.store.reference(requireKind(engine.registry, at === 0 ? 'classification' : 'tag'), fqn),
    ),
  );
  return new Set(holders.flatMap((node) => (node?.mutuallyExclusive ? [node.fullyQualifiedName] : [])));
};

/** Returns the labels that cannot stand beside a tag, because both are below different children of an exclusive parent. */
const listRivals = (
  labels: readonly LabelNode[],
  tagFqn: string,
  holders: ReadonlySet<string>,
): readonly LabelNode[] => {
  const childOf = new Map(labelBranches(tagFqn).map(({ holder, child }) => [holder, child]));
  return labels.filter(({ tagFQN }) =>
    labelBranches(tagFQN).some(
      ({ holder, child }) => holders.has(holder) && childOf.has(holder) && childOf.get(holder) !== child,
    ),
  );
};

const carriedLabel = ({ labels }: TracedColumn, tagFqn: string): LabelNode | undefined =>
  labels.find(({ tagFQN }) => tagFQN === tagFqn);

const judge = (inherited: Inherited, tagFqn: string, holders: ReadonlySet<string>): JudgedColumn => {
  const { column, blockedBy } = inherited;
  const carried = carriedLabel(column, tagFqn);
  const rivals = listRivals(column.labels, tagFqn, holders);
  const given = carried ? 'agrees' : rivals.length > 0 ? 'conflicts' : 'missing';
  return { ...inherited, carried, rivals, state: blockedBy === undefined ? given : 'blocked' };
};

/** Leaves out the rivals that the caller may not see; that there is one stays. */
const withVisibleRivals = async (
  engine: Engine,
  principal: Principal,
  rows: readonly JudgedColumn[],
): Promise<readonly JudgedColumn[]> => {
  const tags = new Map(
    rows.flatMap(({ rivals }) => rivals.map(({ tagId: id, entityType }) => [id, { id, entityType }] as const)),
  );
  if (tags.size === 0) return rows;
  const sees = await readNodeVisibility(engine, principal, [...tags.values()]);
  return rows.map((row) => ({ ...row, rivals: row.rivals.filter(({ tagId }) => sees(tagId)) }));
};

/** Finds the columns in a scope that inherit a tag, wherever its sources are. */
export const findPropagation = async (
  engine: Engine,
  principal: Principal,
  { tag: tagFqn, scope, maxDepth, budget, trust }: PropagationRequest,
): Promise<Propagation> => {
  const tag = await findTag(engine, principal, tagFqn);
  const name = tag.fullyQualifiedName;
  const [found, holders] = await Promise.all([
    engine.graph.read(listLabelSources, { tagId: tag.id, limit: budget.edges + 1 }),
    findExclusiveHolders(engine, name),
  ]);
  const starts = found.slice(0, budget.edges).map(({ key }) => key);
  const [classification = name] = fqnPrefixes(name);
  const graph = await readColumnGraph(engine, principal, trust, {
    starts,
    direction: 'downstream',
    tagNames: [classification, PROPAGATION_STOP],
    withTerms: false,
    maxDepth,
    maxSteps: budget.edges,
  });
  const leaving = new Set(graph.steps.map(({ from }) => from.key));
  const sources = starts.flatMap((key) => {
    const column = graph.columns.get(key);
    return column && leaving.has(key) ? [column] : [];
  });
  const flows = followLabel({
    steps: graph.steps,
    sources,
    isStop: isStopped,
    maxDepth,
  });
  const judged = flows
    .filter(({ column }) => isInScope(scope, column.fullyQualifiedName))
    .map((flow) => judge(flow, name, holders));
  return {
    tag,
    rows: await withVisibleRivals(engine, principal, judged),
    sources: sources.length,
    reached: new Set([...graph.columns.values()].flatMap(({ key, owner }) => [recordIdOf(key), owner.id])),
    cut: found.length > starts.length ? 'edges' : graph.cut,
  };
};
