import type { LineageNetwork, NetworkAsset } from '../graph/network.ts';
import { findAssetNumber, neighboursOf } from '../graph/network.ts';

/**
 * Walks lineage around an asset that looks wrong: what lies upstream of it, and what all that feeds. Read this file first,
 * then `failures.ts` and `evidence.ts` (what is read of those assets), and `rank-suspects.ts` (what follows from it).
 */

/** An asset upstream of the subject, or the subject itself, and the next one on a shortest way down to it. */
export type UpstreamAsset = { readonly id: string; readonly depth: number; readonly next: string | undefined };

/** Assets upstream of the subject by ID, the nearest first; `cut` names the bound beyond which there are more. */
export type UpstreamWalk = { readonly assets: ReadonlyMap<string, UpstreamAsset>; readonly cut: string | undefined };

export type UpstreamBounds = { readonly depth: number; readonly assets: number };

const NONE = -1;

/** The number of an asset in a network; -1 for an asset without lineage. */
export const numberOfAsset = (network: LineageNetwork, id: string): number => findAssetNumber(network, id) ?? NONE;

const nameOf = ({ assets }: LineageNetwork, node: number): string => assets[node]?.fullyQualifiedName ?? '';

/** Puts nodes in the order of their names, which does not depend on how they are stored. */
const byName = (network: LineageNetwork, nodes: Iterable<number>): number[] =>
  [...nodes]
    .map((node) => [nameOf(network, node), node] as const)
    .sort(([one, a], [other, b]) => (one === other ? a - b : one < other ? -1 : 1))
    .map(([, node]) => node);

/** Walks upstream from an asset, level by level. Of several shortest ways the one through the first name counts. */
export const walkUpstream = (network: LineageNetwork, subjectId: string, bounds: UpstreamBounds): UpstreamWalk => {
  const assets = new Map<string, UpstreamAsset>([[subjectId, { id: subjectId, depth: 0, next: undefined }]]);
  const start = numberOfAsset(network, subjectId);
  let level = start === NONE ? [] : [start];
  for (let depth = 1; level.length > 0; depth += 1) {
    const reached = new Map<number, UpstreamAsset>();
    for (const node of level) {
      const next = (network.assets[node] as NetworkAsset).id;
      for (const source of neighboursOf(network.upstream, node)) {
        const { id } = network.assets[source] as NetworkAsset;
        if (!assets.has(id) && !reached.has(source)) reached.set(source, { id, depth, next });
      }
    }
    if (reached.size > 0 && depth > bounds.depth) return { assets, cut: 'depth' };
    level = byName(network, reached.keys()).slice(0, bounds.assets - assets.size);
    for (const node of level) {
      const asset = reached.get(node);
      if (asset) assets.set(asset.id, asset);
    }
    if (level.length < reached.size) return { assets, cut: 'upstream' };
  }
  return { assets, cut: undefined };
};

/** Everything that some assets feed, directly or far below, with these themselves; the nearest first. */
export type FedRegion = { readonly nodes: ReadonlySet<number>; readonly cut: string | undefined };

export const collectFedAssets = (network: LineageNetwork, ids: Iterable<string>, most: number): FedRegion => {
  const nodes = new Set([...ids].map((id) => numberOfAsset(network, id)).filter((node) => node !== NONE));
  let level: readonly number[] = [...nodes];
  while (level.length > 0) {
    const reached = new Set<number>();
    for (const node of level) {
      for (const target of neighboursOf(network.downstream, node)) if (!nodes.has(target)) reached.add(target);
    }
    const isCut = nodes.size + reached.size > most;
    level = isCut ? byName(network, reached).slice(0, most - nodes.size) : [...reached];
    for (const node of level) nodes.add(node);
    if (isCut) return { nodes, cut: 'downstream' };
  }
  return { nodes, cut: undefined };
};

/** Visits an asset and everything upstream of it within a region. */
export const visitSources = (
  network: LineageNetwork,
  { nodes }: FedRegion,
  id: string,
  visit: (id: string) => void,
): void => {
  visit(id);
  const start = numberOfAsset(network, id);
  const seen = new Set([start]);
  const open = start === NONE ? [] : [start];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const source of neighboursOf(network.upstream, node)) {
      if (seen.has(source) || !nodes.has(source)) continue;
      seen.add(source);
      visit((network.assets[source] as NetworkAsset).id);
      open.push(source);
    }
  }
};
