import { labelKind } from '../api/kinds.ts';
import type { Schemas } from '../api/types.ts';
import { count } from './names.ts';

/** Words for the groups of what a change affects. */

export const IMPACT_GROUPINGS = ['owner', 'type', 'service', 'domain'] as const;

export type ImpactGrouping = (typeof IMPACT_GROUPINGS)[number];

type Group = Schemas['AssetGroup'];

export const nameGroup = ({ key }: Pick<Group, 'key'>, grouping: ImpactGrouping): string => {
  if (key === null) return `No ${grouping}`;
  return grouping === 'type' ? labelKind(key) : key;
};

/** How many assets are in how many groups; one with two owners is in both of their groups and counts once. */
export const summarizeGroups = (groups: readonly Group[], grouping: ImpactGrouping): string => {
  const assets = new Set(groups.flatMap(({ ids }) => ids)).size;
  return `${count(assets, 'asset')} of ${count(groups.filter(({ key }) => key !== null).length, grouping)}`;
};
