import type { WriteRow } from '../graph/commit.ts';
import { statement } from '../graph/statement.ts';

type Written = { readonly at: number };

const written = { params: ['rows'], row: ['at'] } as const;

export const reportUsage = statement<{ rows: readonly WriteRow[] }, Written>('usage/report', written);
export const forgetUsage = statement<{ rows: readonly WriteRow[] }, Written>('usage/forget', written);
export const rankDays = statement<{ rows: readonly WriteRow[] }, Written>('usage/rank', written);

type DayPage = {
  readonly entityType: string;
  readonly date: string;
  readonly week: string;
  readonly month: string;
  readonly edge: string;
  readonly limit: number;
};

/** The use of one record on the date in question, and the ranks it had so far. */
export type RankedDay = {
  readonly id: string;
  readonly key: string;
  readonly daily: number;
  readonly weekly: number;
  readonly monthly: number;
  readonly ranks: readonly (number | null)[];
};

export const listDays = statement<DayPage, RankedDay>('usage/list_days', {
  params: ['entityType', 'date', 'week', 'month', 'edge', 'limit'],
  row: ['id', 'key', 'daily', 'weekly', 'monthly', 'ranks'],
});
