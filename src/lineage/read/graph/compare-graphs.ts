import type { JsonObject } from '../../../model/json.ts';
import type { GraphEdge, GraphNode } from './build-graph.ts';
import {
  type ColumnEdge,
  type GraphRendering,
  renderColumnEdges,
  renderGraphEdge,
  renderPlainNode,
} from './render-graph.ts';

export type GraphPart = {
  readonly nodes: readonly JsonObject[];
  readonly edges: readonly JsonObject[];
  readonly columnEdges: readonly ColumnEdge[];
};

/** What one graph contains that another graph of the same root does not. */
export type GraphDifference = {
  readonly added: GraphPart;
  readonly removed: GraphPart;
  readonly changed: readonly { readonly edge: JsonObject; readonly before: JsonObject; readonly after: JsonObject }[];
};

const nodeKey = ({ node }: GraphNode): string => node.id;
const edgeKey = ({ from, to }: GraphEdge): string => `${from} ${to}`;
const columnKey = ({ fromEntity, fromColumn, toEntity, toColumn, function: made = '' }: ColumnEdge): string =>
  [fromEntity, fromColumn, toEntity, toColumn, made].join('\u0001');

const missingIn = <T>(all: readonly T[], other: readonly T[], keyOf: (item: T) => string): readonly T[] => {
  const keys = new Set(other.map(keyOf));
  return all.filter((item) => !keys.has(keyOf(item)));
};

const columnEdges = (showing: GraphRendering): readonly ColumnEdge[] =>
  showing.drawing.edges.flatMap((edge) => renderColumnEdges(showing, edge));

const graphPartOnlyIn = (
  one: GraphRendering,
  other: GraphRendering,
  pairs: readonly ColumnEdge[],
  others: readonly ColumnEdge[],
): GraphPart => ({
  nodes: missingIn(one.drawing.nodes, other.drawing.nodes, nodeKey).map((node) => renderPlainNode(one.view, node)),
  edges: missingIn(one.drawing.edges, other.drawing.edges, edgeKey).map((edge) => renderGraphEdge(one, edge)),
  columnEdges: missingIn(pairs, others, columnKey),
});

const detailsOf = (edge: JsonObject): JsonObject => {
  const { fromEntity: _from, toEntity: _to, ...details } = edge;
  return details;
};

/** Whether something else is said of an edge, or whether it bridges omitted records at one of the times only. */
const isDifferentEdge = (before: GraphEdge, after: GraphEdge): boolean => {
  if ((before.over === undefined) !== (after.over === undefined)) return true;
  if (!before.tuple || !after.tuple) return false;
  return before.tuple[2] !== after.tuple[2] || before.tuple[3] !== after.tuple[3];
};

/** Compares two graphs of the same root. */
export const compareGraphs = (before: GraphRendering, after: GraphRendering): GraphDifference => {
  const [old, fresh] = [columnEdges(before), columnEdges(after)];
  const known = new Map(before.drawing.edges.map((edge) => [edgeKey(edge), edge]));
  const changed = after.drawing.edges.flatMap((edge) => {
    const former = known.get(edgeKey(edge));
    if (!former || !isDifferentEdge(former, edge)) return [];
    return [
      {
        edge: { fromEntity: edge.from, toEntity: edge.to },
        before: detailsOf(renderGraphEdge(before, former)),
        after: detailsOf(renderGraphEdge(after, edge)),
      },
    ];
  });
  return {
    added: graphPartOnlyIn(after, before, fresh, old),
    removed: graphPartOnlyIn(before, after, old, fresh),
    changed,
  };
};
