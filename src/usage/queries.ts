import type { WriteStatementRow } from '../graph/group-commit.ts';
import { statement } from '../graph/statement.ts';

type UsageWriteRow = { readonly at: number };

const writeColumns = { params: ['rows'], row: ['at'] } as const;

export const updateUsageDays = statement<{ rows: readonly WriteStatementRow[] }, UsageWriteRow>(
  'usage/update_days',
  writeColumns,
);
export const deleteUsageDays = statement<{ rows: readonly WriteStatementRow[] }, UsageWriteRow>(
  'usage/delete_days',
  writeColumns,
);
export const updateUsageRanks = statement<{ rows: readonly WriteStatementRow[] }, UsageWriteRow>(
  'usage/update_ranks',
  writeColumns,
);

type UsageDayPage = {
  readonly entityType: string;
  readonly date: string;
  readonly week: string;
  readonly month: string;
  readonly edge: string;
  readonly limit: number;
};

/** The usage of one record on a date, and its current ranks. */
export type RankedUsageDay = {
  readonly id: string;
  readonly key: string;
  readonly daily: number;
  readonly weekly: number;
  readonly monthly: number;
  readonly ranks: readonly (number | null)[];
};

export const listUsageDays = statement<UsageDayPage, RankedUsageDay>('usage/list_days', {
  params: ['entityType', 'date', 'week', 'month', 'edge', 'limit'],
  row: ['id', 'key', 'daily', 'weekly', 'monthly', 'ranks'],
});

export const updateQueryCosts = statement<{ rows: readonly WriteStatementRow[] }, UsageWriteRow>(
  'usage/update_costs',
  writeColumns,
);
export const deleteQueryCosts = statement<{ rows: readonly WriteStatementRow[] }, UsageWriteRow>(
  'usage/delete_costs',
  writeColumns,
);

type QueryCostPage = { readonly from: string; readonly to: string; readonly limit: number };

export type StoredQueryCost = {
  readonly id: string;
  readonly timestamp: number;
  readonly cost: number;
  readonly count: number;
  readonly totalDuration: number;
  readonly updatedAt: number;
};

export const listQueryCosts = statement<QueryCostPage, { cost: StoredQueryCost }>('usage/list_costs', {
  params: ['from', 'to', 'limit'],
  row: ['cost'],
});
