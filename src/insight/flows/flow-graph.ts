import type { RefNode } from '../../catalog/queries.ts';
import { compareByFqn } from '../../model/name.ts';
import type { TracedColumn } from '../columns/column-graph.ts';

/** A graph of where labels flow: columns, and assets of which nobody knows which columns a label has reached. */

export type FlowNode = {
  readonly key: string;
  readonly fullyQualifiedName: string;
  readonly owner: RefNode;
  /** Whether it is a column; otherwise the label is somewhere in the asset. */
  readonly isColumn: boolean;
};

/** A column that carries a label. */
export type FlowSource = FlowNode & Pick<TracedColumn, 'name' | 'labels'>;

/** A node from which labels flow to another. */
export type FlowArc = readonly [from: FlowNode, to: FlowNode];

export type FlowGraph = {
  /** The nodes that labels flow to from each node, in the order of their names. */
  readonly leaving: ReadonlyMap<string, readonly FlowNode[]>;
  readonly arcs: readonly FlowArc[];
};

/** Answers depend on names and never on the order of storage. */
export const buildFlowGraph = (arcs: readonly FlowArc[]): FlowGraph => {
  const leaving = new Map<string, Map<string, FlowNode>>();
  for (const [from, to] of arcs) {
    const known = leaving.get(from.key) ?? new Map<string, FlowNode>();
    leaving.set(from.key, known.set(to.key, to));
  }
  const ordered = [...leaving].map(([key, targets]) => [key, [...targets.values()].sort(compareByFqn)] as const);
  return { leaving: new Map(ordered), arcs };
};

/** Stands for an asset of which nobody knows the columns that a label has reached. */
export const wholeAsset = (asset: RefNode): FlowNode => ({
  key: `whole:${asset.id}`,
  fullyQualifiedName: asset.fullyQualifiedName,
  owner: asset,
  isColumn: false,
});
