import type { EdgeTuple } from '../../queries.ts';
import type { LineageDepth } from '../root-walk.ts';
import { isEdgeVisible } from '../subgraph.ts';
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

/** Counts the neighbours of each record that none of the edges leads to. */
export const countHiddenNeighbours = (
  rows: readonly { readonly id: string; readonly upstream: number; readonly downstream: number }[],
  direct: readonly EdgeTuple[],
): Map<string, LineageDepth> => {
  const ins = new Map<string, number>();
  const outs = new Map<string, number>();
  for (const [from, to] of direct) {
    outs.set(from, (outs.get(from) ?? 0) + 1);
    ins.set(to, (ins.get(to) ?? 0) + 1);
  }
  return new Map(
    rows.map(({ id, upstream, downstream }) => [
      id,
      {
        upstream: Math.max(0, upstream - (ins.get(id) ?? 0)),
        downstream: Math.max(0, downstream - (outs.get(id) ?? 0)),
      },
    ]),
  );
};

/** Which neighbours count, by whether they are deleted. */
export const DELETED_STATES: Readonly<Record<GraphInclude, boolean | null>> = {
  'non-deleted': false,
  deleted: true,
  all: null,
};
