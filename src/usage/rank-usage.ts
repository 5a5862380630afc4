import type { Engine } from '../catalog/engine.ts';
import { createStep, STEP_ORDER } from '../catalog/plan/step.ts';
import type { Kind } from '../model/kind/kind.ts';
import { firstUsageDays } from '../model/schemas/usage/usage-summary.ts';
import { type CountDistribution, createCountDistribution } from './distribution.ts';
import { listUsageDays, type RankedUsageDay, updateUsageRanks } from './queries.ts';

/** The number of rows read, and written, in one transaction. */
const PAGE = 1000;

/** Reads all records of a kind that were used on a date, page by page, so that memory stays bounded. */
async function* readUsedDays(engine: Engine, kind: Kind, date: string): AsyncGenerator<readonly RankedUsageDay[]> {
  for (let edge = ''; ; ) {
    const common = { entityType: kind.entityType, date, ...firstUsageDays(date) };
    const page = await engine.graph.read(listUsageDays, { ...common, edge, limit: PAGE });
    if (page.length > 0) yield page;
    if (page.length < PAGE) return;
    edge = page.at(-1)?.key ?? '';
  }
}

type UsageDistributions = Readonly<Record<'daily' | 'weekly' | 'monthly', CountDistribution>>;

const readDistributions = async (engine: Engine, kind: Kind, date: string): Promise<UsageDistributions> => {
  const all = {
    daily: createCountDistribution(),
    weekly: createCountDistribution(),
    monthly: createCountDistribution(),
  };
  for await (const page of readUsedDays(engine, kind, date)) {
    for (const day of page) {
      all.daily.add(day.daily);
      all.weekly.add(day.weekly);
      all.monthly.add(day.monthly);
    }
  }
  return all;
};

/**
 * Computes the percentile ranks of all records of a kind, by usage on a date and in the week and month that end there.
 * Unchanged ranks are not written.
 */
export const rankUsage = async (engine: Engine, kind: Kind, date: string): Promise<void> => {
  const { daily, weekly, monthly } = await readDistributions(engine, kind, date);
  for await (const page of readUsedDays(engine, kind, date)) {
    const rows = page.flatMap((day) => {
      const ranks = [
        daily.percentileOf(day.daily),
        weekly.percentileOf(day.weekly),
        monthly.percentileOf(day.monthly),
      ] as const;
      const stays = ranks.every((rank, index) => rank === day.ranks[index]);
      return stays ? [] : [{ id: day.id, key: day.key, daily: ranks[0], weekly: ranks[1], monthly: ranks[2] }];
    });
    if (rows.length > 0)
      await engine.commit({ keys: [], steps: [createStep(updateUsageRanks, STEP_ORDER.lock, rows)] });
  }
};
