import type { RefNode } from '../../catalog/queries.ts';
import { findCycles } from '../../lineage/read/graph/cycles.ts';
import type { FlowGraph, FlowNode, FlowSource } from './flow-graph.ts';

/** Finds all assets of some kinds that labels flow to, with the shortest way and the number of ways to each. */

export type Flow = {
  readonly source: FlowSource;
  readonly target: RefNode;
  /** The shortest way from the source; one along columns only, where there is one. */
  readonly path: readonly FlowNode[];
  /** The number of ways that differ; a loop on the way counts once. */
  readonly ways: number;
  /** Whether a chain of column mappings leads to the target. */
  readonly isCertain: boolean;
};

export type FoundFlows = { readonly flows: readonly Flow[]; readonly isCut: boolean };

/** Everything that a source reaches, in the order of distance, each with the node before it. */
type Reach = { readonly nodes: readonly FlowNode[]; readonly before: ReadonlyMap<string, FlowNode> };

const reachFrom = ({ leaving }: FlowGraph, source: FlowNode): Reach => {
  const nodes = [source];
  const before = new Map<string, FlowNode>();
  const seen = new Set([source.key]);
  // The list grows while it is read.
  for (const node of nodes) {
    for (const next of leaving.get(node.key) ?? []) {
      if (seen.has(next.key)) continue;
      seen.add(next.key);
      before.set(next.key, node);
      nodes.push(next);
    }
  }
  return { nodes, before };
};

const pathTo = ({ before }: Reach, end: FlowNode): readonly FlowNode[] => {
  const path: FlowNode[] = [];
  for (let at: FlowNode | undefined = end; at; at = before.get(at.key)) path.push(at);
  return path.reverse();
};

/** Names the loop that a node is part of, or the node itself. */
type LoopOf = (node: FlowNode) => string;

const createLoopLookup = ({ arcs }: FlowGraph): LoopOf => {
  const loops = findCycles(arcs.map(([from, to]) => [from.key, to.key]));
  const loopOf = new Map(loops.flatMap((members) => members.map((key) => [key, members[0] ?? key] as const)));
  return ({ key }) => loopOf.get(key) ?? key;
};

type Step = readonly [from: string, to: string];

/** The steps between what a source reaches, where each loop is one place. */
const listSteps = ({ leaving }: FlowGraph, nodes: readonly FlowNode[], loopOf: LoopOf): readonly Step[] =>
  nodes.flatMap((node) =>
    (leaving.get(node.key) ?? []).flatMap((next): Step[] => {
      const [from, to] = [loopOf(node), loopOf(next)];
      return from === to ? [] : [[from, to]];
    }),
  );

/** Counts the ways from a source to each place: a place is looked at when all that lead to it have been. */
const countWays = (start: string, steps: readonly Step[]): ReadonlyMap<string, number> => {
  const entering = new Map<string, number>();
  const leaving = new Map<string, string[]>();
  for (const [from, to] of steps) {
    entering.set(to, (entering.get(to) ?? 0) + 1);
    const ends = leaving.get(from);
    if (ends) ends.push(to);
    else leaving.set(from, [to]);
  }
  const ways = new Map([[start, 1]]);
  const ready = [start];
  for (const place of ready) {
    for (const to of leaving.get(place) ?? []) {
      // Ways multiply: behind many parallel ways their number would be too large for a number.
      ways.set(to, Math.min(Number.MAX_SAFE_INTEGER, (ways.get(to) ?? 0) + (ways.get(place) ?? 0)));
      const left = (entering.get(to) ?? 0) - 1;
      entering.set(to, left);
      if (left === 0) ready.push(to);
    }
  }
  return ways;
};

type Arrival = { readonly target: RefNode; readonly ends: FlowNode[] };

/** The targets that are reached, each with all nodes by which it is. They keep the order of distance. */
const findArrivals = (
  { nodes }: Reach,
  source: FlowNode,
  isTarget: (asset: RefNode) => boolean,
): ReadonlyMap<string, Arrival> => {
  const arrivals = new Map<string, Arrival>();
  for (const node of nodes) {
    const { owner } = node;
    if (owner.id === source.owner.id || !isTarget(owner)) continue;
    const known = arrivals.get(owner.id);
    if (known) known.ends.push(node);
    else arrivals.set(owner.id, { target: owner, ends: [node] });
  }
  return arrivals;
};

const findFlowsFrom = (
  graph: FlowGraph,
  reach: Reach,
  source: FlowSource,
  loopOf: LoopOf,
  isTarget: (asset: RefNode) => boolean,
): readonly Flow[] => {
  const arrivals = findArrivals(reach, source, isTarget);
  if (arrivals.size === 0) return [];
  const ways = countWays(loopOf(source), listSteps(graph, reach.nodes, loopOf));
  return [...arrivals.values()].map(({ target, ends }): Flow => {
    const column = ends.find(({ isColumn }) => isColumn);
    const total = ends.reduce((sum, end) => sum + (ways.get(loopOf(end)) ?? 0), 0);
    return {
      source,
      target,
      path: pathTo(reach, column ?? (ends[0] as FlowNode)),
      ways: Math.min(Number.MAX_SAFE_INTEGER, total),
      isCertain: column !== undefined,
    };
  });
};

/** Finds the flows from each source. It ends when more than `most` nodes were looked at. */
export const findFlows = (
  graph: FlowGraph,
  sources: readonly FlowSource[],
  isTarget: (asset: RefNode) => boolean,
  most: number,
): FoundFlows => {
  const loopOf = createLoopLookup(graph);
  const flows: Flow[] = [];
  let looked = 0;
  for (const source of sources) {
    const reach = reachFrom(graph, source);
    looked += reach.nodes.length;
    if (looked > most) return { flows, isCut: true };
    flows.push(...findFlowsFrom(graph, reach, source, loopOf, isTarget));
  }
  return { flows, isCut: false };
};
