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
export const updateLogs = statement<{ rows: readonly WriteStatementRow[] }, { at: number }>(
  'pipelines/update_logs',
  writeColumns,
);
export const deleteOldLogs = statement<{ rows: readonly WriteStatementRow[] }, { at: number }>(
  'pipelines/delete_old_logs',
  writeColumns,
);
export const deleteOldRuns = statement<{ rows: readonly WriteStatementRow[] }, { at: number }>(
  'pipelines/delete_old_runs',
  writeColumns,
);
export const updateProgress = statement<{ rows: readonly WriteStatementRow[] }, { at: number }>(
  'pipelines/update_progress',
  writeColumns,
);

/** What is known of a run of an ingestion pipeline; it may log before it reports how it goes. */
type KnownRun = {
  readonly json: string | null;
  readonly progress: string | null;
  readonly pieces: number | null;
  readonly lines: number | null;
};

export const readRun = statement<{ key: string }, KnownRun>('pipelines/read_run', {
  params: ['key'],
  row: ['json', 'progress', 'pieces', 'lines'],
});

type LogSpan = { readonly keys: readonly string[]; readonly start: number; readonly end: number };

export const listLogPieces = statement<LogSpan, { before: number; text: string }>('pipelines/list_log_pieces', {
  params: ['keys', 'start', 'end'],
  row: ['before', 'text'],
});

export const listRuns = statement<RunSpan & { limit: number }, PipelineRunRow>('pipelines/list_runs', {
  params: ['id', 'start', 'end', 'limit'],
  row: ['timestamp', 'json'],
});
export const countRuns = statement<RunSpan, { total: number }>('pipelines/count_runs', {
  params: ['id', 'start', 'end'],
  row: ['total'],
});
