import type { Principal } from '../../../access/principal.ts';
import type { Engine } from '../../../catalog/engine.ts';
import type { RefNode } from '../../../catalog/queries.ts';
import { compareByFqn } from '../../../model/name.ts';
import type { Endpoint } from '../../endpoints.ts';
import type { EdgeTuple } from '../../queries.ts';
import { type LineageDepth, readSubgraph, splitAtPipelines } from '../read-subgraph.ts';
import { distinctEdges, isEdgeVisible, type LineageBudget, type LineageDirection } from '../walk-edges.ts';
import type { TrailColumn } from './column-hops.ts';
import { type ColumnTrail, walkTrail } from './column-trail.ts';
import { bridgeNodes, measureDepths, signedDepths } from './depths-and-bridges.ts';
import {
  countFilteredNeighbours,
  countHiddenNeighbours,
  DELETED_STATES,
  type HiddenCounts,
  isCounted,
  sortEdges,
  toGraphEdge,
} from './drawn-edges.ts';
import { type GraphFilter, type GraphInclude, matchesGraphFilter, needsDescription } from './graph-parameters.ts';
import type { GraphReader } from './graph-reader.ts';
import { DESCRIPTION_BATCH, type NodeDescription, readNodeDescriptions } from './node-descriptions.ts';
import type { NeighbourCount } from './queries.ts';

/**
 * Builds a lineage graph around one or several roots in these steps: walk, filter, join kept records over omitted ones, count
 * neighbours, truncate.
 */

export type GraphRequest = {
  readonly span: LineageDepth;
  readonly filter: GraphFilter;
  readonly include: GraphInclude;
  readonly maxNodes: number;
  /** The columns of the only root whose trail is the graph; without them it is everything around the roots. */
  readonly columns?: readonly TrailColumn[];
  /** Whether the nearest records are described at once, because they will be shown so. */
  readonly isDescribed?: boolean;
};

/** The depth is the distance from the nearest root; there is none in a graph without one. */
export type GraphNode = { readonly node: RefNode; readonly depth?: number; readonly isHidden: boolean };

/** An edge of a graph. It has no details when it bridges omitted records or when one of its ends is hidden. */
export type GraphEdge = {
  readonly from: string;
  readonly to: string;
  readonly tuple?: EdgeTuple;
  /** The omitted records that a bridge stands for. */
  readonly over?: readonly string[];
};

/** Lineage around some roots or among some records, as far as the caller may see it and the budget allows. */
export type LineageGraph = {
  readonly roots: readonly Endpoint[];
  /** The nearest records first, beginning with the roots. */
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly truncated: 'nodes' | 'edges' | undefined;
  /** The records whose neighbours were left out because of the budget; a client can continue from them. */
  readonly frontier: readonly string[];
  /** The number of neighbours of each record that are not in the graph. */
  readonly hiddenCounts: ReadonlyMap<string, HiddenCounts>;
  /** Descriptions that were already loaded to filter records. */
  readonly described: ReadonlyMap<string, NodeDescription>;
  /** The trail of columns that the graph is reduced to. */
  readonly trail?: ShownTrail;
  /** Everything that the walk reached, also what is filtered out; absent where nothing was walked. */
  readonly reached?: readonly string[];
  /** The number of neighbours of each record that the caller sees, in the graph or not. */
  readonly neighbours?: readonly NeighbourCount[];
};

/** The columns on a trail that are in a graph, and how many are not. */
export type ShownTrail = Pick<ColumnTrail, 'columns' | 'joins'> & {
  readonly cutColumns: number;
  readonly cutAssets: number;
};

type WalkedNode = GraphNode & { readonly depth: number };

const nearestFirst = (a: WalkedNode, b: WalkedNode): number =>
  Math.abs(a.depth) - Math.abs(b.depth) || a.depth - b.depth || compareByFqn(a.node, b.node);

/** The number of edges that bridging may examine per edge of the budget. */
const STEPS_PER_EDGE = 20;

type WalkedGraph = {
  readonly up: ReadonlyMap<string, number>;
  readonly down: ReadonlyMap<string, number>;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly EdgeTuple[];
  /** What the database left out because of the budget. */
  readonly missing: LineageGraph['truncated'];
  readonly sees: (id: string) => boolean;
  readonly trail?: ColumnTrail;
};

const toGraphNodes = (
  { up, down, sees }: Pick<WalkedGraph, 'up' | 'down' | 'sees'>,
  known: ReadonlyMap<string, RefNode>,
): readonly GraphNode[] =>
  [...signedDepths(up, down)]
    .map(([id, depth]): WalkedNode => ({ node: known.get(id) as RefNode, depth, isHidden: !sees(id) }))
    .sort(nearestFirst);

const walkGraph = async (
  { engine, moment, budget }: GraphContext,
  principal: Principal,
  roots: readonly Endpoint[],
  { span, include, columns }: GraphRequest,
): Promise<WalkedGraph> => {
  const [root] = roots;
  if (columns && root) {
    const isThere = (node: RefNode) => include !== 'non-deleted' || node.deleted !== true;
    const { known, ...walked } = await walkTrail({ engine, principal, moment, budget, isThere }, root, columns, span);
    return { ...walked, nodes: toGraphNodes(walked, known) };
  }
  const found = await readSubgraph({ engine, walker: moment.walker }, principal, { roots, span, budget });
  const known = new Map([...found.nodes, ...roots.map(({ id, node }) => [id, node] as const)]);
  const { sees } = found;
  const isThere = (id: string) => include !== 'non-deleted' || known.get(id)?.deleted !== true;
  const sideOf = (direction: LineageDirection) => splitAtPipelines(direction, found, span[direction]);
  const passed = [...sideOf('upstream'), ...sideOf('downstream')];
  // Several edges may run through the same pipeline from or to the same record. The first one with visible details
  // wins.
  const edges = distinctEdges([...passed.filter((edge) => isEdgeVisible(edge, sees)), ...passed]);
  const starts = roots.map(({ id }) => id);
  const depthsOf = (direction: LineageDirection) =>
    measureDepths(direction, starts, edges, span[direction], { isThere, isOpen: sees });
  const [up, down] = [depthsOf('upstream'), depthsOf('downstream')];
  return { up, down, nodes: toGraphNodes({ up, down, sees }, known), edges, missing: found.truncated, sees };
};

/**
 * Filters the walked records. The roots always stay; a hidden record stays only when the filter needs nothing but its
 * kind.
 */
const filterNodes = async (
  { engine }: GraphContext,
  roots: readonly Endpoint[],
  nodes: readonly GraphNode[],
  { filter, include }: GraphRequest,
): Promise<{ readonly kept: readonly GraphNode[]; readonly described: LineageGraph['described'] }> => {
  const { types } = filter;
  const more = needsDescription(filter);
  const rootIds = new Set(roots.map(({ id }) => id));
  const fitting = nodes.filter(
    ({ node, isHidden }) =>
      rootIds.has(node.id) ||
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
    return rootIds.has(node.id) || (description !== undefined && matchesGraphFilter(filter, description));
  });
  return { kept, described };
};

const isFiltering = ({ filter, include }: GraphRequest): boolean =>
  include === 'deleted' || filter.types.length > 0 || needsDescription(filter);

/** Returns the edges among some records: the walked ones, and those between records the walk did not expand. */
const readEdgesAmong = async (
  { moment }: GraphContext,
  walked: WalkedGraph,
  ids: readonly string[],
  { span }: GraphRequest,
) => {
  const { down, sees, missing, edges, trail } = walked;
  const isExpanded = (id: string) => sees(id) && (down.get(id) ?? span.downstream) < span.downstream;
  // A trail has all of its edges already, and no others.
  const near = trail ? [] : missing ? ids : ids.filter((id) => !isExpanded(id));
  const members = new Set(ids);
  const found = near.length > 0 && ids.length > 1 ? await moment.edgesBetween(near, ids) : [];
  return distinctEdges([...edges, ...found]).filter(
    ([from, to]) => members.has(from) && members.has(to) && (sees(from) || sees(to)),
  );
};

const findFrontier = (
  { up, down }: WalkedGraph,
  { span }: GraphRequest,
  counts: LineageGraph['hiddenCounts'],
): string[] =>
  [...counts].flatMap(([id, { upstream, downstream }]) => {
    const above = upstream > 0 && (up.get(id) ?? span.upstream) < span.upstream;
    const below = downstream > 0 && (down.get(id) ?? span.downstream) < span.downstream;
    return above || below ? [id] : [];
  });

/**
 * Returns where a client can continue when the edge was left out: at the end nearest to the root, or at the other end
 * when that one is hidden.
 */
const frontierOfEdge = ({ from, to }: GraphEdge, { up, down, sees }: WalkedGraph): readonly string[] => {
  const isAbove = up.has(from) && (up.get(to) ?? Number.POSITIVE_INFINITY) < (up.get(from) ?? 0) && !down.has(from);
  const [near, far] = isAbove ? [to, from] : [from, to];
  return [near, far].filter(sees).slice(0, 1);
};

/** Reduces a trail to the records shown, and counts what is cut from it: what lies beyond the depth or the budget. */
const showTrail = (
  { columns, joins, beyond, beyondIds }: ColumnTrail,
  shown: ReadonlySet<string>,
  dropped: readonly GraphNode[],
): ShownTrail => {
  const cut = dropped.map(({ node }) => node.id);
  const namesOf = (id: string): readonly string[] => [...(columns.get(id) ?? [])];
  return {
    joins,
    columns: new Map([...columns].filter(([id]) => shown.has(id))),
    cutColumns: cut.flatMap(namesOf).length + beyond.length,
    cutAssets: new Set([...cut, ...[...beyondIds].filter((id) => !shown.has(id))]).size,
  };
};

/** Returns the records from which a trail goes on: beyond the depth, or to records that were dropped. */
const findTrailFrontier = (
  { edges, trail }: WalkedGraph,
  nodes: readonly GraphNode[],
  dropped: ReadonlySet<string>,
): string[] => {
  const ends = edges.flatMap(([from, to]) => [...(dropped.has(to) ? [from] : []), ...(dropped.has(from) ? [to] : [])]);
  const open = new Set([...ends, ...(trail?.frontier ?? [])]);
  return nodes.flatMap(({ node: { id }, isHidden }) => (open.has(id) && !isHidden ? [id] : []));
};

/** The dependencies for building a graph. */
export type GraphContext = {
  readonly engine: Engine;
  readonly moment: GraphReader;
  readonly budget: LineageBudget;
};

/** Builds the lineage graph around one or several roots. */
export const buildGraph = async (
  context: GraphContext,
  principal: Principal,
  roots: readonly Endpoint[],
  request: GraphRequest,
): Promise<LineageGraph> => {
  const { budget, moment } = context;
  const walked = await walkGraph(context, principal, roots, request);
  const { sees, trail } = walked;
  const { kept, described } = await filterNodes(context, roots, walked.nodes, request);
  const most = Math.min(request.maxNodes, budget.nodes);
  const nodes = kept.slice(0, most);
  const shown = new Set(nodes.map(({ node }) => node.id));
  const isBridging = isFiltering(request);
  const lookedUpIds = isBridging ? walked.nodes.slice(0, budget.nodes).map(({ node }) => node.id) : [...shown];
  const open = nodes.filter(({ isHidden }) => !isHidden).map(({ node }) => node.id);
  const unknown = request.isDescribed && described.size === 0 ? open.slice(0, DESCRIPTION_BATCH) : [];
  const [among, neighbours, nearest] = await Promise.all([
    readEdgesAmong(context, walked, lookedUpIds, request),
    moment.countNeighbours(open, DELETED_STATES[request.include]),
    readNodeDescriptions(context.engine.graph, unknown),
  ]);
  const direct = isBridging ? among.filter(([from, to]) => shown.has(from) && shown.has(to)) : among;
  const all = new Set(kept.map(({ node }) => node.id));
  const bridges = isBridging
    ? bridgeNodes(among, { keeps: (id) => all.has(id), isOpen: sees }, budget.edges, budget.edges * STEPS_PER_EDGE)
    : { bridges: [], isCut: false };
  const edges = sortEdges(nodes, [
    ...direct.map((tuple) => toGraphEdge(tuple, sees)),
    ...bridges.bridges.filter(({ from, to }) => shown.has(from) && shown.has(to)),
  ]);
  const joined = trail ? trail.among.filter(([from, to]) => shown.has(from) && shown.has(to)) : direct;
  const countable = walked.nodes.filter(({ node }) => isCounted(node, request.include)).map(({ node }) => node.id);
  const hiddenCounts = countHiddenNeighbours(
    neighbours,
    joined,
    isBridging ? countFilteredNeighbours(among, new Set(countable.filter((id) => !all.has(id)))) : undefined,
  );
  const cut = kept.length > nodes.length ? 'nodes' : undefined;
  const truncated = cut ?? walked.missing ?? (edges.length > budget.edges || bridges.isCut ? 'edges' : undefined);
  const dropped = edges.slice(budget.edges).flatMap((edge) => frontierOfEdge(edge, walked));
  const beyond = trail
    ? findTrailFrontier(walked, nodes, new Set(kept.slice(most).map(({ node }) => node.id)))
    : truncated
      ? findFrontier(walked, request, hiddenCounts)
      : [];
  const frontier = [...new Set([...beyond, ...dropped])];
  const graph = {
    roots,
    nodes,
    edges: edges.slice(0, budget.edges),
    truncated,
    frontier,
    hiddenCounts,
    described: new Map([...described, ...nearest]),
    reached: walked.nodes.map(({ node }) => node.id),
    neighbours,
  };
  return trail ? { ...graph, trail: showTrail(trail, shown, kept.slice(most)) } : graph;
};
