import type { JsonObject } from '../../json.ts';
import { DAY_MS } from '../../time.ts';

/** The usage of a record on one day, and its rank within its kind when ranks were last computed. */
export type DailyUsage = {
  readonly date: string;
  readonly count: number;
  readonly dailyRank: number | null;
  readonly weeklyRank: number | null;
  readonly monthlyRank: number | null;
};

/** The number of days in a sum, including the day itself. */
const WEEK_DAYS = 7;
const MONTH_DAYS = 30;

/** Answers the date a number of days before another. */
export const daysBefore = (date: string, days: number): string =>
  new Date(Date.parse(date) - days * DAY_MS).toISOString().slice(0, 10);

/** Answers the first day that the sums for a date include. */
export const firstUsageDay = (date: string): string => daysBefore(date, MONTH_DAYS - 1);

/** Answers the first days of the week and of the month that end on a date. */
export const firstUsageDays = (date: string) => ({ week: daysBefore(date, WEEK_DAYS - 1), month: firstUsageDay(date) });

const usageStats = (count: number, percentileRank: number | null | undefined): JsonObject => ({
  count,
  percentileRank: percentileRank ?? 0,
});

/**
 * Summarises the usage of a record on one date, with the sums of the week and the month that end there (conventions 8).
 */
export const summariseUsage = (date: string, days: readonly DailyUsage[]): JsonObject => {
  const first = firstUsageDays(date);
  const sumFrom = (start: string): number =>
    days.reduce((sum, day) => (day.date >= start && day.date <= date ? sum + day.count : sum), 0);
  const today = days.find((day) => day.date === date);
  return {
    dailyStats: usageStats(today?.count ?? 0, today?.dailyRank),
    weeklyStats: usageStats(sumFrom(first.week), today?.weeklyRank),
    monthlyStats: usageStats(sumFrom(first.month), today?.monthlyRank),
    date,
  };
};
