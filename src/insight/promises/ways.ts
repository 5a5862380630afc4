import { findAssetNumber, type LineageNetwork, neighboursOf } from '../graph/network.ts';

/** All ways that lineage takes to some assets. */

/** A way: the IDs of the assets from the first to the target. */
export type Way = readonly string[];

/** The ways, and what there were too many of to list all. */
export type Ways = { readonly ways: readonly Way[]; readonly cut: 'paths' | 'depth' | undefined };

export type WayLimits = { readonly ways: number; readonly length: number };

type WaySearch = {
  readonly network: LineageNetwork;
  readonly maxLength: number;
  readonly found: Way[];
  /** The assets from the target back to the present one. */
  readonly trail: number[];
  cut: Ways['cut'];
};

const wayOf = ({ network, trail }: WaySearch): Way => trail.map((node) => network.assets[node]?.id ?? '').reverse();

/** Follows lineage upstream until nothing new lies there. Ends when there are as many ways as allowed. */
const follow = (search: WaySearch, node: number, most: number): void => {
  const { network, found, trail, maxLength } = search;
  if (found.length >= most) {
    search.cut = 'paths';
    return;
  }
  trail.push(node);
  const open = neighboursOf(network.upstream, node).filter((above) => !trail.includes(above));
  if (open.length > 0 && trail.length < maxLength) for (const above of open) follow(search, above, most);
  else {
    if (open.length > 0) search.cut ??= 'depth';
    found.push(wayOf(search));
  }
  trail.pop();
};

/**
 * Lists the ways to some assets that cannot be made longer upstream; no asset occurs twice on a way. There is at least one
 * to each asset, so an asset without anything upstream is a way of its own.
 */
export const listWays = (network: LineageNetwork, targets: readonly string[], limits: WayLimits): Ways => {
  const search: WaySearch = { network, maxLength: limits.length, found: [], trail: [], cut: undefined };
  for (const [at, target] of targets.entries()) {
    const node = findAssetNumber(network, target);
    // Each of the targets that follow keeps room for one way.
    const most = Math.max(limits.ways - (targets.length - 1 - at), search.found.length + 1);
    if (node === undefined) search.found.push([target]);
    else follow(search, node, most);
  }
  return { ways: search.found, cut: search.cut };
};
