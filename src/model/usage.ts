import type { JsonObject } from './json.ts';
import { DAY_MS } from './time.ts';

/** How often a record was used on one day, and where that put it among its kind when that was last worked out. */
export type UsageDay = {
  readonly date: string;
  readonly count: number;
  readonly dailyRank: number | null;
  readonly weeklyRank: number | null;
  readonly monthlyRank: number | null;
};

/** The days a sum covers, the day it is told for included. */
const WEEK = 7;
const MONTH = 30;

/** The date so many days before another. */
export const daysBefore = (date: string, days: number): string =>
  new Date(Date.parse(date) - days * DAY_MS).toISOString().slice(0, 10);

/** The first day that the sums told for a date look at. */
export const firstDayOfSums = (date: string): string => daysBefore(date, MONTH - 1);

/** The first days of the week and of the month that end with a date. */
export const firstDaysOf = (date: string) => ({ week: daysBefore(date, WEEK - 1), month: firstDayOfSums(date) });

const stats = (count: number, percentileRank: number | null | undefined): JsonObject => ({
  count,
  percentileRank: percentileRank ?? 0,
});

/** The use of a record on one date, with the sums of the week and the month that end there (conventions 8). */
export const usageOn = (date: string, days: readonly UsageDay[]): JsonObject => {
  const first = firstDaysOf(date);
  const sumFrom = (start: string): number =>
    days.reduce((sum, day) => (day.date >= start && day.date <= date ? sum + day.count : sum), 0);
  const told = days.find((day) => day.date === date);
  return {
    dailyStats: stats(told?.count ?? 0, told?.dailyRank),
    weeklyStats: stats(sumFrom(first.week), told?.weeklyRank),
    monthlyStats: stats(sumFrom(first.month), told?.monthlyRank),
    date,
  };
};
