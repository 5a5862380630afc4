import { PIPELINE_KINDS } from '../../model/schemas/lineage/lineage.ts';
import type { LineageView } from '../graph/lineage-view.ts';
import type { NetworkAsset } from '../graph/network.ts';
import { findChains } from './chains.ts';

/** An asset that nothing reads, and the assets that feed nothing else, by name. */
export type DeadEnd = { readonly asset: NetworkAsset; readonly upstream: readonly NetworkAsset[] };

const byName = (one: NetworkAsset, other: NetworkAsset): number => {
  if (one.fullyQualifiedName !== other.fullyQualifiedName) {
    return one.fullyQualifiedName < other.fullyQualifiedName ? -1 : 1;
  }
  return one.id < other.id ? -1 : 1;
};

/** What moves data is not data, so that nothing downstream of it says little. */
const movesData = ({ entityType }: NetworkAsset): boolean => PIPELINE_KINDS.some((kind) => kind === entityType);

/** Finds the assets that feed nothing and were not used since a day, those with the longest chains first. */
export const findDeadEnds = ({ network }: LineageView, usedSince: string): readonly DeadEnd[] => {
  const { assets } = network;
  const assetAt = (node: number): NetworkAsset | undefined => assets[node];
  const chains = findChains(network, {
    isUsed: (node) => (assetAt(node)?.usedOn ?? '') >= usedSince,
    canEnd: (node) => {
      const asset = assetAt(node);
      return asset !== undefined && !movesData(asset);
    },
  });
  return [...chains]
    .flatMap(([end, members]): DeadEnd[] => {
      const asset = assetAt(end);
      if (!asset) return [];
      return [{ asset, upstream: members.flatMap((node) => assetAt(node) ?? []).sort(byName) }];
    })
    .sort((one, other) => other.upstream.length - one.upstream.length || byName(one.asset, other.asset));
};
