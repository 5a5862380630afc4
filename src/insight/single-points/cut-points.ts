import { degreeOf, type LineageNetwork, neighboursOf } from '../graph/network.ts';

/** An asset, or the edge between two, by numbers. Without it, `separates` assets lose the largest part that remains. */
export type CutPoint = { readonly node: number; readonly separates: number };
export type Bridge = { readonly from: number; readonly to: number; readonly separates: number };

export type Cuts = { readonly points: readonly CutPoint[]; readonly bridges: readonly Bridge[] };

/** The state of a depth-first walk over lineage without direction. All arrays are by node. */
type CutSearch = {
  readonly network: LineageNetwork;
  /** The order in which nodes are reached, from 1; 0 when a node is not reached yet. */
  readonly order: Int32Array;
  /** The earliest node that a node or something reached from it is joined to. */
  readonly lowest: Int32Array;
  readonly parent: Int32Array;
  /** The number of nodes reached from a node, itself included. */
  readonly size: Int32Array;
  /** The sizes of the parts that fall off when a node is removed: their sum, and the largest. */
  readonly lost: Int32Array;
  readonly largest: Int32Array;
  /** The position of the next neighbour to look at: those downstream come first. */
  readonly next: Int32Array;
  /** Whether the edge to the parent was passed over once. A second one leads back like any other. */
  readonly skipsParent: Uint8Array;
  reached: number;
};

const openCutSearch = (network: LineageNetwork): CutSearch => {
  const numbers = () => new Int32Array(network.assets.length);
  return {
    network,
    order: numbers(),
    lowest: numbers(),
    parent: numbers().fill(-1),
    size: numbers(),
    lost: numbers(),
    largest: numbers(),
    next: numbers(),
    skipsParent: new Uint8Array(network.assets.length),
    reached: 0,
  };
};

const enter = (search: CutSearch, node: number, parent: number): void => {
  search.reached += 1;
  search.order[node] = search.reached;
  search.lowest[node] = search.reached;
  search.size[node] = 1;
  search.parent[node] = parent;
};

/** Returns the next neighbour of a node in either direction, or -1 when all were looked at. */
const takeNeighbour = ({ network: { downstream, upstream }, next }: CutSearch, node: number): number => {
  const at = next[node] ?? 0;
  next[node] = at + 1;
  const below = degreeOf(downstream, node);
  if (at < below) return downstream.ends[(downstream.starts[node] ?? 0) + at] ?? -1;
  if (at - below >= degreeOf(upstream, node)) return -1;
  return upstream.ends[(upstream.starts[node] ?? 0) + at - below] ?? -1;
};

const lower = ({ lowest }: CutSearch, node: number, value = 0): void => {
  if (value < (lowest[node] ?? 0)) lowest[node] = value;
};

/** Hands on what is known of a node to its parent, and notices when the parent is the only way to it. */
const leave = (search: CutSearch, node: number): void => {
  const { order, lowest, parent, size, lost, largest } = search;
  const above = parent[node] ?? -1;
  if (above === -1) return;
  const part = size[node] ?? 0;
  size[above] = (size[above] ?? 0) + part;
  lower(search, above, lowest[node]);
  if ((lowest[node] ?? 0) < (order[above] ?? 0)) return;
  lost[above] = (lost[above] ?? 0) + part;
  largest[above] = Math.max(largest[above] ?? 0, part);
};

/** Looks at one neighbour of a node, and returns the node to go on with. */
const step = (search: CutSearch, node: number): number => {
  const { order, parent, skipsParent } = search;
  const to = takeNeighbour(search, node);
  if (to === -1) {
    leave(search, node);
    return parent[node] ?? -1;
  }
  if (order[to] === 0) {
    enter(search, to, node);
    return to;
  }
  if (to === parent[node] && skipsParent[node] === 0) skipsParent[node] = 1;
  else lower(search, node, order[to]);
  return node;
};

const bridgeTo = ({ network, parent, size }: CutSearch, node: number, whole: number): Bridge => {
  const above = parent[node] ?? -1;
  const part = size[node] ?? 0;
  const isDownstream = neighboursOf(network.downstream, above).includes(node);
  const [from, to] = isDownstream ? [above, node] : [node, above];
  return { from, to, separates: Math.min(part, whole - part) };
};

/** Collects what holds a connected part together; `members` are its nodes, the one that the walk began at first. */
const collectCuts = (search: CutSearch, members: readonly number[], points: CutPoint[], bridges: Bridge[]): void => {
  const { order, lowest, parent, size, lost, largest } = search;
  const whole = size[members[0] ?? 0] ?? 0;
  for (const node of members) {
    const above = parent[node] ?? -1;
    const rest = whole - 1 - (lost[node] ?? 0);
    const separates = whole - 1 - Math.max(rest, largest[node] ?? 0);
    if (separates > 0) points.push({ node, separates });
    if (above !== -1 && lowest[node] === order[node]) bridges.push(bridgeTo(search, node, whole));
  }
};

/**
 * Finds the assets and edges on which the connection of others depends, whatever the direction of lineage: articulation
 * points and bridges, by Tarjan's algorithm. Two edges in opposite directions are no bridge. It takes time in proportion to
 * the edges, and keeps its own stack because a chain may be longer than the call stack allows.
 */
export const findCuts = (network: LineageNetwork): Cuts => {
  const search = openCutSearch(network);
  const points: CutPoint[] = [];
  const bridges: Bridge[] = [];
  for (let start = 0; start < network.assets.length; start += 1) {
    if (search.order[start] !== 0) continue;
    enter(search, start, -1);
    const members = [start];
    for (let node = start; node !== -1; ) {
      const before = search.reached;
      node = step(search, node);
      if (search.reached > before) members.push(node);
    }
    if (members.length > 1) collectCuts(search, members, points, bridges);
  }
  return { points, bridges };
};
