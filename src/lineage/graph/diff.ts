import type { JsonObject } from '../../model/json.ts';
import type { DrawnEdge, DrawnNode } from './draw.ts';
import { type ColumnEdge, columnEdgesOf, edgeJson, plainNode, type Showing } from './show.ts';

type Part = {
  readonly nodes: readonly JsonObject[];
  readonly edges: readonly JsonObject[];
  readonly columnEdges: readonly ColumnEdge[];
};

/** What there is in one graph and not in another of the same root. */
export type Difference = {
  readonly added: Part;
  readonly removed: Part;
  readonly changed: readonly { readonly edge: JsonObject; readonly before: unknown; readonly after: unknown }[];
};

const nodeKey = ({ node }: DrawnNode): string => node.id;
const edgeKey = ({ from, to }: DrawnEdge): string => `${from} ${to}`;
const columnKey = ({ fromEntity, fromColumn, toEntity, toColumn, function: made = '' }: ColumnEdge): string =>
  [fromEntity, fromColumn, toEntity, toColumn, made].join('\u0001');

const missingIn = <T>(all: readonly T[], other: readonly T[], keyOf: (item: T) => string): readonly T[] => {
  const keys = new Set(other.map(keyOf));
  return all.filter((item) => !keys.has(keyOf(item)));
};

const columnEdges = (showing: Showing): readonly ColumnEdge[] =>
  showing.drawing.edges.flatMap((edge) => columnEdgesOf(showing, edge));

const onlyIn = (one: Showing, other: Showing, pairs: readonly ColumnEdge[], others: readonly ColumnEdge[]): Part => ({
  nodes: missingIn(one.drawing.nodes, other.drawing.nodes, nodeKey).map((node) => plainNode(one.view, node)),
  edges: missingIn(one.drawing.edges, other.drawing.edges, edgeKey).map((edge) => edgeJson(one, edge)),
  columnEdges: missingIn(pairs, others, columnKey),
});

const detailsOf = (edge: JsonObject): JsonObject => {
  const { fromEntity: _from, toEntity: _to, ...details } = edge;
  return details;
};

/** What became of one graph on the way to another. */
export const compare = (before: Showing, after: Showing): Difference => {
  const [old, fresh] = [columnEdges(before), columnEdges(after)];
  const known = new Map(before.drawing.edges.map((edge) => [edgeKey(edge), edge]));
  const changed = after.drawing.edges.flatMap((edge) => {
    const former = known.get(edgeKey(edge));
    if (!former?.tuple || !edge.tuple) return [];
    if (former.tuple[2] === edge.tuple[2] && former.tuple[3] === edge.tuple[3]) return [];
    return [
      {
        edge: { fromEntity: edge.from, toEntity: edge.to },
        before: detailsOf(edgeJson(before, former)),
        after: detailsOf(edgeJson(after, edge)),
      },
    ];
  });
  return { added: onlyIn(after, before, fresh, old), removed: onlyIn(before, after, old, fresh), changed };
};
