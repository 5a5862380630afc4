import type { Hit } from '../api/hit.ts';

/** What a tier counts for beside use, where the most used asset counts 100. */
const TIER_POINTS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    'Tier.Tier1': 60,
    'Tier.Tier2': 40,
    'Tier.Tier3': 20,
    'Tier.Tier4': 10,
    'Tier.Tier5': 0,
  }),
);

/** Use grows by orders of magnitude, so that it counts by its logarithm. */
const scoreOf = ({ tier, usesOfWeek }: Hit, mostUses: number): number => {
  const use = mostUses === 0 ? 0 : (100 * Math.log1p(usesOfWeek)) / Math.log1p(mostUses);
  return use + (TIER_POINTS.get(tier) ?? 0);
};

/** The assets that matter most: by how much they are used and which tier they have. Each is there once. */
export const rankEntryPoints = (lists: readonly (readonly Hit[])[], most: number): readonly Hit[] => {
  const hits = [...new Map(lists.flat().map((hit) => [hit.id, hit])).values()];
  const mostUses = Math.max(0, ...hits.map(({ usesOfWeek }) => usesOfWeek));
  return hits
    .map((hit) => ({ hit, score: scoreOf(hit, mostUses) }))
    .sort((one, other) => other.score - one.score || one.hit.fqn.localeCompare(other.hit.fqn))
    .slice(0, most)
    .map(({ hit }) => hit);
};
