import type { LineageView } from '../graph/lineage-view.ts';
import type { NetworkAsset } from '../graph/network.ts';
import { findCuts } from './cut-points.ts';

/** An asset on which the connection of others depends, or the edge from it to another. */
export type WeakSpot = { readonly asset: NetworkAsset; readonly to?: NetworkAsset; readonly separates: number };

export const weakSpotKey = ({ asset, to }: WeakSpot): string => `${asset.id} ${to?.id ?? ''}`;

const nameOf = ({ asset, to }: WeakSpot): string => `${asset.fullyQualifiedName} ${to?.fullyQualifiedName ?? ''}`;

const worstFirst = (one: WeakSpot, other: WeakSpot): number => {
  if (one.separates !== other.separates) return other.separates - one.separates;
  const [name, otherName] = [nameOf(one), nameOf(other)];
  if (name !== otherName) return name < otherName ? -1 : 1;
  return weakSpotKey(one) < weakSpotKey(other) ? -1 : 1;
};

/** Finds the single points of failure of lineage and its bridges in one list, those that separate most first. */
export const findWeakSpots = ({ network }: LineageView): readonly WeakSpot[] => {
  const { assets } = network;
  const { points, bridges } = findCuts(network);
  const spots: WeakSpot[] = [];
  for (const { node, separates } of points) {
    const asset = assets[node];
    if (asset) spots.push({ asset, separates });
  }
  for (const { from, to, separates } of bridges) {
    const [asset, other] = [assets[from], assets[to]];
    if (asset && other) spots.push({ asset, to: other, separates });
  }
  return spots.sort(worstFirst);
};
