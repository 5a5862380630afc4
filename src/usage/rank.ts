import type { Engine } from '../catalog/engine.ts';
import { ORDER, step } from '../catalog/plan/step.ts';
import type { Kind } from '../model/kind.ts';
import { firstDaysOf } from '../model/usage.ts';
import { createDistribution, type Distribution } from './percentile.ts';
import { listDays, type RankedDay, rankDays } from './queries.ts';

/** What is read, and what is written, in one transaction. */
const PAGE = 1000;

/** All records of a kind that were used on a date, in short reads: however many they are, few are held at once. */
async function* pagesOf(engine: Engine, kind: Kind, date: string): AsyncGenerator<readonly RankedDay[]> {
  for (let edge = ''; ; ) {
    const common = { entityType: kind.entityType, date, ...firstDaysOf(date) };
    const page = await engine.graph.read(listDays, { ...common, edge, limit: PAGE });
    if (page.length > 0) yield page;
    if (page.length < PAGE) return;
    edge = page.at(-1)?.key ?? '';
  }
}

type Distributions = Readonly<Record<'daily' | 'weekly' | 'monthly', Distribution>>;

const distributionsOf = async (engine: Engine, kind: Kind, date: string): Promise<Distributions> => {
  const all = { daily: createDistribution(), weekly: createDistribution(), monthly: createDistribution() };
  for await (const page of pagesOf(engine, kind, date)) {
    for (const day of page) {
      all.daily.add(day.daily);
      all.weekly.add(day.weekly);
      all.monthly.add(day.monthly);
    }
  }
  return all;
};

/**
 * Works out where every record of a kind stands among the others by its use on a date and in the week and the month that
 * end there. What stands where it stood is not written again.
 */
export const rankUsage = async (engine: Engine, kind: Kind, date: string): Promise<void> => {
  const { daily, weekly, monthly } = await distributionsOf(engine, kind, date);
  for await (const page of pagesOf(engine, kind, date)) {
    const rows = page.flatMap((day) => {
      const ranks = [daily.rankOf(day.daily), weekly.rankOf(day.weekly), monthly.rankOf(day.monthly)] as const;
      const stays = ranks.every((rank, index) => rank === day.ranks[index]);
      return stays ? [] : [{ id: day.id, key: day.key, daily: ranks[0], weekly: ranks[1], monthly: ranks[2] }];
    });
    if (rows.length > 0) await engine.commit({ keys: [], steps: [step(rankDays, ORDER.lock, rows)] });
  }
};
