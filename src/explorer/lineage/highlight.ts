import type { Edge, Node } from '@xyflow/react';
import type { LineageEdge, LineageGraph, LineageNode } from '../api/types.ts';
import { edgeKeyOf } from './edge-key.ts';
import { CUT_WORDS, FATE_NAMES, furtherFrom, leastOf, type ShownGraph } from './graph-model.ts';
import { kindName, recordName } from './names.ts';
import { statesOf } from './states.ts';

/** Paths that stand out in the graph: how a change reaches a record, or from where failures come. */

export type Highlight = {
  readonly nodes: ReadonlyMap<string, LineageNode>;
  readonly edges: ReadonlyMap<string, LineageEdge>;
};

/** A path by its records, from the upstream end to the downstream end. */
export const highlightPath = (records: readonly LineageNode[]): Highlight => ({
  nodes: new Map(records.map((record) => [record.id, record])),
  edges: new Map(
    records.slice(1).map(({ id }, at) => {
      const from = records[at]?.id ?? '';
      return [edgeKeyOf(from, id), { fromEntity: from, toEntity: id }];
    }),
  ),
});

/** Adds what stands out and is not in the graph yet, so that no path has gaps. */
export const addHighlight = (graph: ShownGraph, highlight: Highlight | undefined): ShownGraph => {
  if (!highlight) return graph;
  const nodes = new Map([...highlight.nodes, ...graph.nodes]);
  const isMissing = nodes.size > graph.nodes.size || [...highlight.edges.keys()].some((key) => !graph.edges.has(key));
  if (!isMissing) return graph;
  // What was in the graph stays in front, in its order: the layout follows the order.
  return {
    ...graph,
    nodes: new Map([...graph.nodes, ...[...highlight.nodes].filter(([id]) => !graph.nodes.has(id))]),
    edges: new Map([...graph.edges, ...[...highlight.edges].filter(([key]) => !graph.edges.has(key))]),
  };
};

const withoutDepth = ({ depth: _, ...node }: LineageNode): LineageNode => node;

/** Adds what is on the trail of the lit column and not in the graph yet, with what is known of its neighbours. */
export const addTrail = (graph: ShownGraph, trail: LineageGraph | undefined): ShownGraph => {
  if (!trail) return graph;
  // Distances from another record say nothing of the one that the page is about.
  const isOfRoot = trail.root.id === graph.rootId;
  const joined = addHighlight(graph, {
    nodes: new Map(trail.nodes.map((node) => [node.id, isOfRoot ? node : withoutDepth(node)])),
    edges: new Map(trail.edges.map((edge) => [edgeKeyOf(edge.fromEntity, edge.toEntity), edge])),
  });
  if (joined === graph) return graph;
  // What the trail shows of the neighbours of a record is not hidden any more.
  const hidden = new Map(graph.hidden);
  for (const { id } of trail.nodes) hidden.set(id, leastOf(furtherFrom(trail, id), graph.hidden.get(id)));
  return { ...joined, hidden };
};

const withClass = <T extends { readonly className?: string | undefined }>(item: T, name: string): T => ({
  ...item,
  className: `${item.className ?? ''} ${name}`.trim(),
});

/** Says of each box what those hear who come to it by the keyboard. */
export const labelBoxes = <T extends Node>(boxes: T[], { nodes, rootId, fates, hidden, cutAt }: ShownGraph): T[] =>
  boxes.map((box) => {
    const record = nodes.get(box.id);
    if (!record) return box;
    const fate = fates.get(box.id);
    const { upstream = 0, downstream = 0 } = hidden.get(box.id) ?? {};
    const ariaLabel = [
      recordName(record),
      kindName(record.type),
      box.id === rootId && 'the asset of this page',
      fate && FATE_NAMES[fate].slice(2),
      ...statesOf(record).map(({ text }) => text),
      upstream > 0 && `${upstream} more upstream`,
      downstream > 0 && `${downstream} more downstream`,
      cutAt.has(box.id) && upstream + downstream > 0 && CUT_WORDS,
    ];
    return { ...box, ariaLabel: ariaLabel.filter(Boolean).join(', ') };
  });

/** Marks the boxes that stand out and those that do not. */
export const highlightBoxes = <T extends Node>(boxes: T[], highlight: Highlight | undefined): T[] =>
  highlight ? boxes.map((box) => withClass(box, highlight.nodes.has(box.id) ? 'on-path' : 'off-path')) : boxes;

/** Marks the edges that stand out and those that do not; `shown` is the key of the edge whose details are open. */
export const highlightEdges = <T extends Edge>(
  edges: T[],
  highlight: Highlight | undefined,
  shown: string | undefined,
): T[] =>
  highlight || shown !== undefined
    ? edges.map((edge) => {
        const key = edgeKeyOf(edge.source, edge.target);
        const marked = highlight ? withClass(edge, highlight.edges.has(key) ? 'on-path' : 'off-path') : edge;
        return key === shown ? withClass(marked, 'chosen') : marked;
      })
    : edges;
