import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LineageNetwork } from '../graph/network.ts';
import { listByGroup, mergeGroups, renumber, undirectedGraph, type WeightedGraph } from './weighted-graph.ts';

/**
 * Groups assets that lineage joins closely, whatever its direction, by the method of Louvain: each node moves to the group
 * of a neighbour as long as that raises modularity, then groups become the nodes of a smaller graph and so on. Nodes are
 * visited by number and gains are whole numbers, so the same graph always has the same groups.
 */

/** Bounds the time that one level takes; ordinary lineage needs far fewer passes. */
const MAX_PASSES = 100;

/** What moving needs besides the graph; `weightTo` and `near` are empty between visits. */
type Moving = {
  readonly graph: WeightedGraph;
  /** The sum of all degrees. */
  readonly total: number;
  readonly groups: Int32Array;
  readonly groupDegrees: Float64Array;
  readonly weightTo: Float64Array;
  readonly near: number[];
  /** Whether a node is to be visited: at first, and again when a neighbour has moved to another group than its own. */
  readonly isDue: Uint8Array;
};

/** Adds up the weights between a node and each of the groups around it. */
const lookAround = ({ graph, groups, weightTo, near }: Moving, node: number): void => {
  const { starts, ends, weights } = graph;
  for (let at = starts[node] ?? 0; at < (starts[node + 1] ?? 0); at += 1) {
    const group = groups[ends[at] ?? 0] ?? 0;
    if (weightTo[group] === 0) near.push(group);
    weightTo[group] = (weightTo[group] ?? 0) + (weights[at] ?? 0);
  }
};

/**
 * Moves a node to the group where modularity is highest: among equals to its own, then to that with the lowest number.
 * Returns whether it moved.
 */
const moveNode = (moving: Moving, node: number): boolean => {
  const { graph, total, groups, groupDegrees, weightTo, near, isDue } = moving;
  isDue[node] = 0;
  lookAround(moving, node);
  const degree = graph.degrees[node] ?? 0;
  const own = groups[node] ?? 0;
  groupDegrees[own] = (groupDegrees[own] ?? 0) - degree;
  const gainOf = (group: number): number => total * (weightTo[group] ?? 0) - degree * (groupDegrees[group] ?? 0);
  let best = own;
  let most = gainOf(own);
  for (const group of near) {
    const gain = gainOf(group);
    if (gain > most || (gain === most && best !== own && group < best)) {
      best = group;
      most = gain;
    }
  }
  for (const group of near) weightTo[group] = 0;
  near.length = 0;
  groupDegrees[best] = (groupDegrees[best] ?? 0) + degree;
  if (best === own) return false;
  groups[node] = best;
  for (let at = graph.starts[node] ?? 0; at < (graph.starts[node + 1] ?? 0); at += 1) {
    const other = graph.ends[at] ?? 0;
    if (groups[other] !== best) isDue[other] = 1;
  }
  return true;
};

const moveNodes = async (graph: WeightedGraph, total: number): Promise<Int32Array> => {
  const size = graph.degrees.length;
  const moving: Moving = {
    graph,
    total,
    groups: Int32Array.from({ length: size }, (_, node) => node),
    groupDegrees: graph.degrees.slice(),
    weightTo: new Float64Array(size),
    near: [],
    isDue: new Uint8Array(size).fill(1),
  };
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    let hasMoved = false;
    for (let node = 0; node < size; node += 1) {
      if (moving.isDue[node] === 1) hasMoved = moveNode(moving, node) || hasMoved;
    }
    if (!hasMoved) break;
    await nextTurn();
  }
  return moving.groups;
};

/** Separates what no edge inside a group connects; the method may leave such parts together. */
const splitParts = ({ starts, ends }: WeightedGraph, groups: Int32Array): void => {
  const parts = new Int32Array(groups.length).fill(-1);
  for (const [first, group] of groups.entries()) {
    if (parts[first] !== -1) continue;
    parts[first] = first;
    const open = [first];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      for (const other of ends.subarray(starts[node], starts[node + 1])) {
        if (parts[other] !== -1 || groups[other] !== group) continue;
        parts[other] = first;
        open.push(other);
      }
    }
  }
  groups.set(parts);
};

/** Returns the members of each community, by their numbers; assets without lineage are alone. */
export const findCommunities = async (network: LineageNetwork): Promise<readonly Int32Array[]> => {
  const whole = undirectedGraph(network);
  const total = whole.ends.length;
  const communities = Int32Array.from({ length: network.assets.length }, (_, node) => node);
  for (let graph = whole; ; ) {
    const groups = await moveNodes(graph, total);
    const count = renumber(groups);
    if (count === groups.length) break;
    for (const [node, group] of communities.entries()) communities[node] = groups[group] ?? 0;
    graph = mergeGroups(graph, groups, count);
  }
  splitParts(whole, communities);
  const { starts, nodes } = listByGroup(communities, renumber(communities));
  return Array.from({ length: starts.length - 1 }, (_, group) => nodes.subarray(starts[group], starts[group + 1]));
};
