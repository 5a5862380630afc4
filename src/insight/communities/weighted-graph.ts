import { type LineageNetwork, neighboursOf } from '../graph/network.ts';

/**
 * A graph without direction whose nodes stand for groups of assets. The neighbours of node `n` are `ends[starts[n]]` up to,
 * but not including, `ends[starts[n + 1]]`; one may occur several times. All weights are whole numbers, so that sums do not
 * depend on the order of additions.
 */
export type WeightedGraph = {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly weights: Float64Array;
  /** The sum of the weights around a node; edges inside of it count twice. */
  readonly degrees: Float64Array;
};

/** Forgets the direction of lineage: each edge is one in both directions. */
export const undirectedGraph = (network: LineageNetwork): WeightedGraph => {
  const size = network.assets.length;
  const starts = new Int32Array(size + 1);
  const ends = new Int32Array(2 * network.downstream.ends.length);
  const degrees = new Float64Array(size);
  let at = 0;
  for (let node = 0; node < size; node += 1) {
    for (const neighbours of [neighboursOf(network.upstream, node), neighboursOf(network.downstream, node)]) {
      ends.set(neighbours, at);
      at += neighbours.length;
    }
    starts[node + 1] = at;
    degrees[node] = at - (starts[node] ?? 0);
  }
  return { starts, ends, weights: new Float64Array(ends.length).fill(1), degrees };
};

/** Gives groups the numbers from 0 in the order of their first nodes, in place, and returns how many there are. */
export const renumber = (groups: Int32Array): number => {
  const numbers = new Int32Array(groups.length).fill(-1);
  let count = 0;
  for (const [node, group] of groups.entries()) {
    if (numbers[group] === -1) numbers[group] = count++;
    groups[node] = numbers[group] ?? 0;
  }
  return count;
};

/** Lists the nodes of each group: those of group `g` are `nodes[starts[g]]` up to `nodes[starts[g + 1]]`. */
export const listByGroup = (
  groups: Int32Array,
  count: number,
): Pick<WeightedGraph, 'starts'> & { nodes: Int32Array } => {
  const starts = new Int32Array(count + 1);
  for (const group of groups) starts[group + 1] = (starts[group + 1] ?? 0) + 1;
  for (let group = 0; group < count; group += 1) starts[group + 1] = (starts[group + 1] ?? 0) + (starts[group] ?? 0);
  const next = starts.slice();
  const nodes = new Int32Array(groups.length);
  for (const [node, group] of groups.entries()) {
    nodes[next[group] ?? 0] = node;
    next[group] = (next[group] ?? 0) + 1;
  }
  return { starts, nodes };
};

/** Makes one node of each group. Edges between two groups become one. */
export const mergeGroups = (graph: WeightedGraph, groups: Int32Array, count: number): WeightedGraph => {
  const members = listByGroup(groups, count);
  const starts = new Int32Array(count + 1);
  const degrees = new Float64Array(count);
  const ends: number[] = [];
  const weights: number[] = [];
  const weightTo = new Float64Array(count);
  for (let group = 0; group < count; group += 1) {
    const first = ends.length;
    for (const node of members.nodes.subarray(members.starts[group], members.starts[group + 1])) {
      degrees[group] = (degrees[group] ?? 0) + (graph.degrees[node] ?? 0);
      for (let at = graph.starts[node] ?? 0; at < (graph.starts[node + 1] ?? 0); at += 1) {
        const other = groups[graph.ends[at] ?? 0] ?? 0;
        if (other === group) continue;
        if (weightTo[other] === 0) ends.push(other);
        weightTo[other] = (weightTo[other] ?? 0) + (graph.weights[at] ?? 0);
      }
    }
    for (const other of ends.slice(first)) {
      weights.push(weightTo[other] ?? 0);
      weightTo[other] = 0;
    }
    starts[group + 1] = ends.length;
  }
  return { starts, ends: Int32Array.from(ends), weights: Float64Array.from(weights), degrees };
};
