import { NO_SOURCES, type SourceSet } from './source-set.ts';

/** Lineage of many assets in a form that whole-graph computations can walk quickly: numbers in typed arrays. */

export type NetworkAsset = {
  readonly id: string;
  readonly entityType: string;
  readonly fullyQualifiedName: string;
  /** The ID of what contains it. */
  readonly parentId: string | undefined;
  readonly tier: string | undefined;
  /** The day of the last use, and the number of uses in the month that ends with it. */
  readonly usedOn: string | undefined;
  readonly uses: number;
  /** The IDs of the assets that this one feeds. */
  readonly feeds: readonly string[];
  /** For each of them, the sources that say so. */
  readonly feedSources: readonly SourceSet[];
};

/** The neighbours of node `n` are `ends[starts[n]]` up to, but not including, `ends[starts[n + 1]]`. */
export type Adjacency = { readonly starts: Int32Array; readonly ends: Int32Array };

/** Assets are numbered in the order of their IDs, so that no computation depends on the order of storage. */
export type LineageNetwork = {
  readonly assets: readonly NetworkAsset[];
  readonly downstream: Adjacency;
  /** The sources of each edge, in the order of `downstream.ends`. */
  readonly sources: Uint16Array;
  readonly upstream: Adjacency;
};

/** The numbers of the neighbours of a node. */
export const neighboursOf = ({ starts, ends }: Adjacency, node: number): Int32Array =>
  ends.subarray(starts[node], starts[node + 1]);

export const degreeOf = ({ starts }: Adjacency, node: number): number => (starts[node + 1] ?? 0) - (starts[node] ?? 0);

/** Finds the number of an asset by its ID; undefined when it is not in the network. */
export const findAssetNumber = ({ assets }: LineageNetwork, id: string): number | undefined => {
  let [low, high] = [0, assets.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((assets[middle]?.id ?? '') < id) low = middle + 1;
    else high = middle;
  }
  return assets[low]?.id === id ? low : undefined;
};

/** Turns the edges around: each node gets the nodes that it is a neighbour of, in ascending order. */
const reverse = ({ starts, ends }: Adjacency): Adjacency => {
  const size = starts.length - 1;
  const reversed = new Int32Array(size + 1);
  for (const end of ends) reversed[end + 1] = (reversed[end + 1] ?? 0) + 1;
  for (let node = 0; node < size; node += 1) reversed[node + 1] = (reversed[node + 1] ?? 0) + (reversed[node] ?? 0);
  const next = reversed.slice();
  const sources = new Int32Array(ends.length);
  for (let node = 0; node < size; node += 1) {
    for (let at = starts[node] ?? 0; at < (starts[node + 1] ?? 0); at += 1) {
      const end = ends[at] ?? 0;
      sources[next[end] ?? 0] = node;
      next[end] = (next[end] ?? 0) + 1;
    }
  }
  return { starts: reversed, ends: sources };
};

const byId = (one: NetworkAsset, other: NetworkAsset): number => (one.id < other.id ? -1 : 1);

/** Builds the network of some assets. Edges to assets that are not among them are left out. */
export const buildNetwork = (unordered: readonly NetworkAsset[]): LineageNetwork => {
  const assets = [...unordered].sort(byId);
  const numberOf = new Map(assets.map(({ id }, at) => [id, at]));
  const starts = new Int32Array(assets.length + 1);
  const ends: number[] = [];
  const sources: number[] = [];
  for (const [at, { feeds, feedSources }] of assets.entries()) {
    const targets = new Map(feeds.map((id, place) => [numberOf.get(id) ?? at, feedSources[place] ?? NO_SOURCES]));
    targets.delete(at);
    for (const target of [...targets.keys()].sort((one, other) => one - other)) {
      ends.push(target);
      sources.push(targets.get(target) ?? NO_SOURCES);
    }
    starts[at + 1] = ends.length;
  }
  const downstream = { starts, ends: Int32Array.from(ends) };
  return { assets, downstream, sources: Uint16Array.from(sources), upstream: reverse(downstream) };
};
