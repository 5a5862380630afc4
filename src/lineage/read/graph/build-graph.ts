import type { Principal } from '../../../access/principal.ts';
import type { Engine } from '../../../catalog/engine.ts';
import type { RefNode } from '../../../catalog/queries.ts';
import type { Endpoint } from '../../endpoints.ts';
import { readNodeVisibility } from '../../node-visibility.ts';
import type { EdgeTuple } from '../../queries.ts';
import type { LineageDepth } from '../entity-lineage.ts';
import { distinctEdges, isEdgeVisible, type LineageBudget } from '../subgraph.ts';
import { bridgeNodes, measureDepths, signedDepths } from './depths-and-bridges.ts';
import { type GraphFilter, type GraphInclude, matchesGraphFilter, needsDescription } from './graph-parameters.ts';
import type { GraphReader } from './graph-reader.ts';
import { type NodeDescription, readNodeDescriptions } from './node-descriptions.ts';

export type GraphRequest = {
  readonly span: LineageDepth;
  readonly filter: GraphFilter;
  readonly include: GraphInclude;
  readonly maxNodes: number;
};

export type GraphNode = { readonly node: RefNode; readonly depth: number; readonly isHidden: boolean };

/** An edge of a drawing. Nothing is told of one that stands for several, nor of one with an end out of sight. */
export type GraphEdge = {
  readonly from: string;
  readonly to: string;
  readonly tuple?: EdgeTuple;
  readonly isBridge?: true;
};

/** The lineage around a record, as far as somebody may see it and there is room for it. */
export type LineageGraph = {
  readonly root: Endpoint;
  /** Nearest first, beginning with the root. */
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly truncated: 'nodes' | 'edges' | undefined;
  /** The records from which a walk would go on that had to stop for want of room. */
  readonly frontier: readonly string[];
  /** How many neighbours of a record are not drawn. */
  readonly hiddenCounts: ReadonlyMap<string, LineageDepth>;
  /** What was found out about records on the way. */
  readonly described: ReadonlyMap<string, NodeDescription>;
};

const byName = (a: RefNode, b: RefNode): number =>
  a.fullyQualifiedName < b.fullyQualifiedName ? -1 : a.fullyQualifiedName > b.fullyQualifiedName ? 1 : 0;

const nearestFirst = (a: GraphNode, b: GraphNode): number =>
  Math.abs(a.depth) - Math.abs(b.depth) || a.depth - b.depth || byName(a.node, b.node);

/** Looks at so many edges per edge of the budget when it joins records over others. */
const STEPS_PER_EDGE = 20;

type WalkedGraph = {
  readonly up: ReadonlyMap<string, number>;
  readonly down: ReadonlyMap<string, number>;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly EdgeTuple[];
  /** What the database left out for want of room. */
  readonly missing: LineageGraph['truncated'];
  readonly sees: (id: string) => boolean;
};

const walkGraph = async (
  { engine, moment, budget }: GraphContext,
  principal: Principal,
  root: Endpoint,
  { span, include }: GraphRequest,
): Promise<WalkedGraph> => {
  const [upward, downward] = await Promise.all([
    moment.walk('upstream', root, span.upstream),
    moment.walk('downstream', root, span.downstream),
  ]);
  const known = new Map([...upward.nodes, ...downward.nodes, root.node].map((node) => [node.id, node]));
  const seen = await readNodeVisibility(engine, principal, [...known.values()]);
  const sees = (id: string) => id === root.id || seen(id);
  const isThere = (id: string) => include !== 'non-deleted' || known.get(id)?.deleted !== true;
  const passed = [...upward.edges, ...downward.edges];
  // Of several edges that run through a record from or to the same one, one that may be told of comes first.
  const edges = distinctEdges([...passed.filter((edge) => isEdgeVisible(edge, sees)), ...passed]);
  const up = measureDepths('upstream', root.id, edges, span.upstream, { isThere, isOpen: sees });
  const down = measureDepths('downstream', root.id, edges, span.downstream, { isThere, isOpen: sees });
  const nodes = [...signedDepths(up, down)].map(
    ([id, depth]): GraphNode => ({ node: known.get(id) as RefNode, depth, isHidden: !sees(id) }),
  );
  const missing =
    Math.max(upward.edges.length, downward.edges.length) > budget.edges
      ? 'edges'
      : known.size > budget.nodes
        ? 'nodes'
        : undefined;
  return { up, down, nodes: nodes.sort(nearestFirst), edges, missing, sees };
};

/** Which of the records that were walked are kept. The root always is; of one out of sight only its kind may be asked. */
const filterNodes = async (
  { engine }: GraphContext,
  root: Endpoint,
  nodes: readonly GraphNode[],
  { filter, include }: GraphRequest,
): Promise<{ readonly kept: readonly GraphNode[]; readonly described: LineageGraph['described'] }> => {
  const { types } = filter;
  const more = needsDescription(filter);
  const fitting = nodes.filter(
    ({ node, isHidden }) =>
      node.id === root.id ||
      ((types.length === 0 || types.includes(node.entityType)) &&
        (include !== 'deleted' || node.deleted === true) &&
        !(isHidden && (more || include === 'deleted'))),
  );
  if (!more) return { kept: fitting, described: new Map() };
  const described = await readNodeDescriptions(
    engine.graph,
    fitting.map(({ node }) => node.id),
  );
  const kept = fitting.filter(({ node }) => {
    const description = described.get(node.id);
    return node.id === root.id || (description !== undefined && matchesGraphFilter(filter, description));
  });
  return { kept, described };
};

const isFiltering = ({ filter, include }: GraphRequest): boolean =>
  include === 'deleted' || filter.types.length > 0 || needsDescription(filter);

/** The edges among records: those that were walked, and those between records that were not both walked from. */
const readEdgesAmong = async (
  { moment }: GraphContext,
  walked: WalkedGraph,
  ids: readonly string[],
  { span }: GraphRequest,
) => {
  const { down, sees, missing, edges } = walked;
  const isExpanded = (id: string) => sees(id) && (down.get(id) ?? span.downstream) < span.downstream;
  const near = missing ? ids : ids.filter((id) => !isExpanded(id));
  const members = new Set(ids);
  const found = near.length > 0 && ids.length > 1 ? await moment.edgesBetween(near, ids) : [];
  return distinctEdges([...edges, ...found]).filter(
    ([from, to]) => members.has(from) && members.has(to) && (sees(from) || sees(to)),
  );
};

/** Edges in the order in which both of their ends are there. */
const sortEdges = (nodes: readonly GraphNode[], edges: readonly GraphEdge[]): readonly GraphEdge[] => {
  const places = new Map(nodes.map(({ node }, at) => [node.id, at]));
  const place = (id: string) => places.get(id) ?? 0;
  return edges
    .map((edge) => ({ edge, ends: [place(edge.from), place(edge.to)].sort((a, b) => b - a) as [number, number] }))
    .sort((a, b) => a.ends[0] - b.ends[0] || a.ends[1] - b.ends[1])
    .map(({ edge }) => edge);
};

const countHiddenNeighbours = (
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

const DELETED: Readonly<Record<GraphInclude, boolean | null>> = { 'non-deleted': false, deleted: true, all: null };

const findFrontier = (
  { up, down }: WalkedGraph,
  { span }: GraphRequest,
  counts: ReadonlyMap<string, LineageDepth>,
): string[] =>
  [...counts].flatMap(([id, { upstream, downstream }]) => {
    const above = upstream > 0 && (up.get(id) ?? span.upstream) < span.upstream;
    const below = downstream > 0 && (down.get(id) ?? span.downstream) < span.downstream;
    return above || below ? [id] : [];
  });

/** The end of an edge from which it is found: the nearer one, which upstream is where it leads to. */
const frontierOfEdge = ({ from, to }: GraphEdge, { up, down, sees }: WalkedGraph): readonly string[] => {
  const isAbove = up.has(from) && (up.get(to) ?? Number.POSITIVE_INFINITY) < (up.get(from) ?? 0) && !down.has(from);
  const [near, far] = isAbove ? [to, from] : [from, to];
  return [near, far].filter(sees).slice(0, 1);
};

/** What lineage is drawn with. */
export type GraphContext = {
  readonly engine: Engine;
  readonly moment: GraphReader;
  readonly budget: LineageBudget;
};

/** Draws the lineage around a record. */
export const buildGraph = async (
  context: GraphContext,
  principal: Principal,
  root: Endpoint,
  request: GraphRequest,
): Promise<LineageGraph> => {
  const { budget, moment } = context;
  const walked = await walkGraph(context, principal, root, request);
  const { sees } = walked;
  const { kept, described } = await filterNodes(context, root, walked.nodes, request);
  const most = Math.min(request.maxNodes, budget.nodes);
  const nodes = kept.slice(0, most);
  const shown = new Set(nodes.map(({ node }) => node.id));
  const isBridging = isFiltering(request);
  const lookedUpIds = isBridging ? walked.nodes.slice(0, budget.nodes).map(({ node }) => node.id) : [...shown];
  const among = await readEdgesAmong(context, walked, lookedUpIds, request);
  const direct = isBridging ? among.filter(([from, to]) => shown.has(from) && shown.has(to)) : among;
  const all = new Set(kept.map(({ node }) => node.id));
  const bridges = isBridging
    ? bridgeNodes(among, { keeps: (id) => all.has(id), isOpen: sees }, budget.edges, budget.edges * STEPS_PER_EDGE)
    : { pairs: [], isCut: false };
  const edges = sortEdges(nodes, [
    ...direct.map((tuple) => ({ from: tuple[0], to: tuple[1], ...(isEdgeVisible(tuple, sees) ? { tuple } : {}) })),
    ...bridges.pairs
      .filter(([from, to]) => shown.has(from) && shown.has(to))
      .map(([from, to]) => ({ from, to, isBridge: true as const })),
  ]);
  const open = nodes.filter(({ isHidden }) => !isHidden).map(({ node }) => node.id);
  const hiddenCounts = countHiddenNeighbours(await moment.countNeighbours(open, DELETED[request.include]), direct);
  const cut = kept.length > nodes.length ? 'nodes' : undefined;
  const truncated = cut ?? walked.missing ?? (edges.length > budget.edges || bridges.isCut ? 'edges' : undefined);
  const dropped = edges.slice(budget.edges).flatMap((edge) => frontierOfEdge(edge, walked));
  const frontier = truncated ? [...new Set([...findFrontier(walked, request, hiddenCounts), ...dropped])] : [];
  return { root, nodes, edges: edges.slice(0, budget.edges), truncated, frontier, hiddenCounts, described };
};
