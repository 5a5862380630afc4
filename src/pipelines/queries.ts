import type { WriteStatementRow } from '../graph/group-commit.ts';
import { statement } from '../graph/statement.ts';

export type RunSpan = { readonly id: string; readonly start: number; readonly end: number };
export type PipelineRunRow = { readonly timestamp: number; readonly json: string };

const writeColumns = { params: ['rows'], row: ['at'] } as const;

export const updateRuns = statement<{ rows: readonly WriteStatementRow[] }, { at: number }>(
  'pipelines/update_runs',
  writeColumns,
);
export const deleteRuns = statement<{ rows: readonly WriteStatementRow[] }, { at: number }>(
  'pipelines/delete_runs',
  writeColumns,
);
export const listRunsByKey = statement<{ keys: readonly string[] }, { key: string; json: string }>(
  'pipelines/list_runs_by_key',
  {
    params: ['keys'],
    row: ['key', 'json'],
  },
);
export const listRuns = statement<RunSpan & { limit: number }, PipelineRunRow>('pipelines/list_runs', {
  params: ['id', 'start', 'end', 'limit'],
  row: ['timestamp', 'json'],
});
export const countRuns = statement<RunSpan, { total: number }>('pipelines/count_runs', {
  params: ['id', 'start', 'end'],
  row: ['total'],
});
