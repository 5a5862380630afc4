import type { OpenScores } from '../../lineage/read/graph/graph-room.ts';
import { daysBefore } from '../../model/schemas/usage/usage-summary.ts';
import { type CountDistribution, createCountDistribution } from '../../usage/distribution.ts';
import { type LineageView, type LineageViews, memoisePerView } from '../graph/lineage-view.ts';
import type { NetworkAsset } from '../graph/network.ts';
import { rankByDependents } from './page-rank.ts';

/** What the score is made of: the share of lineage, and by how much use, contracts and tier raise it. */
export type ImportanceParts = {
  readonly lineage: number;
  readonly usage: number;
  readonly contracts: number;
  readonly tier: number;
};

export type RankedAsset = {
  readonly asset: NetworkAsset;
  readonly score: number;
  readonly rank: number;
  readonly parts: ImportanceParts;
};

/** The most used asset of a kind counts half as much again as one that nobody uses. */
const USAGE_BONUS = 0.5;
const CONTRACT_FACTOR = 1.25;
const TIER_FACTORS: Readonly<Record<string, number>> = { 'Tier.Tier1': 1.5, 'Tier.Tier2': 1.3, 'Tier.Tier3': 1.1 };

/** Use counts when it is as recent as this, compared with the newest use of any asset. */
const RECENT_DAYS = 30;

const DIGITS = 1e6;
const round6 = (value: number): number => Math.round(value * DIGITS) / DIGITS;

/** Rates the use of assets among those of their kind. */
const rateUsage = (assets: readonly NetworkAsset[]): ((asset: NetworkAsset) => number) => {
  const newest = assets.reduce((last, { usedOn = '' }) => (usedOn > last ? usedOn : last), '');
  const oldest = newest === '' ? '' : daysBefore(newest, RECENT_DAYS);
  const usesOf = ({ usedOn, uses }: NetworkAsset): number => (usedOn !== undefined && usedOn > oldest ? uses : 0);
  const distributions = new Map<string, CountDistribution>();
  for (const asset of assets) {
    const distribution = distributions.get(asset.entityType) ?? createCountDistribution();
    distributions.set(asset.entityType, distribution);
    distribution.add(usesOf(asset));
  }
  return (asset) => 1 + (USAGE_BONUS * (distributions.get(asset.entityType)?.percentileOf(usesOf(asset)) ?? 0)) / 100;
};

const byScore = (one: Omit<RankedAsset, 'rank'>, other: Omit<RankedAsset, 'rank'>): number => {
  if (one.score !== other.score) return other.score - one.score;
  const [name, otherName] = [one.asset.fullyQualifiedName, other.asset.fullyQualifiedName];
  if (name !== otherName) return name < otherName ? -1 : 1;
  return one.asset.id < other.asset.id ? -1 : 1;
};

/**
 * Ranks all assets of a view, the most important first. The score is the product of the parts, relative to the highest
 * one.
 */
const rankAssets = async ({ network, contracted }: LineageView): Promise<readonly RankedAsset[]> => {
  const { assets } = network;
  const ranks = await rankByDependents(network);
  const highest = ranks.reduce((most, rank) => Math.max(most, rank), 0);
  const usageOf = rateUsage(assets);
  const rated = assets.map((asset, node) => {
    const parts: ImportanceParts = {
      lineage: round6((ranks[node] ?? 0) / highest),
      usage: usageOf(asset),
      contracts: contracted.has(asset.id) ? CONTRACT_FACTOR : 1,
      tier: TIER_FACTORS[asset.tier ?? ''] ?? 1,
    };
    return { asset, parts, product: parts.lineage * parts.usage * parts.contracts * parts.tier };
  });
  const most = rated.reduce((highestSoFar, { product }) => Math.max(highestSoFar, product), 0);
  return rated
    .map(({ asset, parts, product }) => ({ asset, parts, score: round6(product / most) }))
    .sort(byScore)
    .map((one, at) => ({ ...one, rank: at + 1 }));
};

/** Ranks the assets of each view once. */
export const rankOnce = memoisePerView(rankAssets);

const scoresOf = memoisePerView(
  async (view) => new Map((await rankOnce(view)).map(({ asset, score }) => [asset.id, score])),
);

/** Tells other rooms how important the assets are that a principal may see. */
export const createScoreReader =
  (views: LineageViews): OpenScores =>
  async (principal) => {
    const scores = await scoresOf(await views.viewFor(principal));
    return (id) => scores.get(id) ?? 0;
  };
