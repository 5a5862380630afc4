import type { RefNode } from '../../../catalog/queries.ts';
import type { EdgeTuple } from '../../queries.ts';
import type { LineageDepth } from '../read-subgraph.ts';
import { isEdgeVisible } from '../walk-edges.ts';
import type { GraphEdge, GraphNode } from './build-graph.ts';
import type { GraphInclude } from './graph-parameters.ts';

/** Turns edges between the records of a graph into those that it shows, and counts what they leave out. */

/** An edge as a caller may see it: without details where they tell of something hidden. */
export const toGraphEdge = (tuple: EdgeTuple, sees: (id: string) => boolean): GraphEdge => ({
  from: tuple[0],
  to: tuple[1],
  ...(isEdgeVisible(tuple, sees) ? { tuple } : {}),
});

/** Sorts edges by the position of their farther end, so that both ends of an edge precede it. */
export const sortEdges = (nodes: readonly GraphNode[], edges: readonly GraphEdge[]): readonly GraphEdge[] => {
  const places = new Map(nodes.map(({ node }, at) => [node.id, at]));
  const place = (id: string) => places.get(id) ?? 0;
  return edges
    .map((edge) => ({ edge, ends: [place(edge.from), place(edge.to)].sort((a, b) => b - a) as [number, number] }))
    .sort((a, b) => a.ends[0] - b.ends[0] || a.ends[1] - b.ends[1])
    .map(({ edge }) => edge);
};

type SideCounts = { readonly ins: ReadonlyMap<string, number>; readonly outs: ReadonlyMap<string, number> };

/** Counts the edges into and out of each record, as far as their far ends count. */
const countSides = (edges: readonly EdgeTuple[], counts: (far: string) => boolean): SideCounts => {
  const ins = new Map<string, number>();
  const outs = new Map<string, number>();
  for (const [from, to] of edges) {
    if (counts(to)) outs.set(from, (outs.get(from) ?? 0) + 1);
    if (counts(from)) ins.set(to, (ins.get(to) ?? 0) + 1);
  }
  return { ins, outs };
};

/** Counts the neighbours of each record that a filter left out. */
export const countFilteredNeighbours = (edges: readonly EdgeTuple[], leftOut: ReadonlySet<string>): SideCounts =>
  countSides(edges, (far) => leftOut.has(far));

/** How many neighbours of a record are not in a graph, and how many of those a filter left out. */
export type HiddenCounts = LineageDepth & { readonly filtered?: LineageDepth };

/** Counts the neighbours of each record that none of the edges leads to. */
export const countHiddenNeighbours = (
  rows: readonly { readonly id: string; readonly upstream: number; readonly downstream: number }[],
  direct: readonly EdgeTuple[],
  filtered?: SideCounts,
): Map<string, HiddenCounts> => {
  const { ins, outs } = countSides(direct, () => true);
  return new Map(
    rows.map((row) => {
      const upstream = Math.max(0, row.upstream - (ins.get(row.id) ?? 0));
      const downstream = Math.max(0, row.downstream - (outs.get(row.id) ?? 0));
      if (!filtered) return [row.id, { upstream, downstream }];
      const above = Math.min(upstream, filtered.ins.get(row.id) ?? 0);
      const below = Math.min(downstream, filtered.outs.get(row.id) ?? 0);
      return [row.id, { upstream, downstream, filtered: { upstream: above, downstream: below } }];
    }),
  );
};

/** Whether a record counts as a neighbour, by whether it is deleted. */
export const isCounted = ({ deleted }: Pick<RefNode, 'deleted'>, include: GraphInclude): boolean =>
  include === 'all' || (deleted === true) === (include === 'deleted');

/** Which neighbours count, by whether they are deleted. */
export const DELETED_STATES: Readonly<Record<GraphInclude, boolean | null>> = {
  'non-deleted': false,
  deleted: true,
  all: null,
};
