import type { WriteRow } from '../graph/commit.ts';
import { statement } from '../graph/statement.ts';

export type Span = { readonly id: string; readonly start: number; readonly end: number };
export type RunRow = { readonly timestamp: number; readonly json: string };

const written = { params: ['rows'], row: ['at'] } as const;

export const putRuns = statement<{ rows: readonly WriteRow[] }, { at: number }>('pipeline/put_run', written);
export const deleteRuns = statement<{ rows: readonly WriteRow[] }, { at: number }>('pipeline/delete_run', written);
export const listKept = statement<{ keys: readonly string[] }, { key: string; json: string }>('pipeline/list_kept', {
  params: ['keys'],
  row: ['key', 'json'],
});
export const listRuns = statement<Span & { limit: number }, RunRow>('pipeline/list_runs', {
  params: ['id', 'start', 'end', 'limit'],
  row: ['timestamp', 'json'],
});
export const countRuns = statement<Span, { total: number }>('pipeline/count_runs', {
  params: ['id', 'start', 'end'],
  row: ['total'],
});
