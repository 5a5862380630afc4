import type { WriteRow } from '../graph/commit.ts';
import { type Rows, statement } from '../graph/statement.ts';
import type { TestStatus } from '../model/test-values.ts';

const written = { params: ['rows'], row: ['at'] } as const;

export const linkTargets = statement<{ rows: readonly WriteRow[] }, { at: number }>('quality/link_target', written);
export const appendResults = statement<{ rows: readonly WriteRow[] }, { at: number }>('quality/append_result', written);
export const markSuites = statement<{ rows: readonly WriteRow[] }, { at: number }>('quality/mark_suite', written);
export const putResults = statement<{ rows: readonly WriteRow[] }, { at: number }>('quality/put_result', written);
export const deleteResults = statement<{ rows: readonly WriteRow[] }, { at: number }>('quality/delete_result', written);
export const setLatest = statement<{ rows: readonly WriteRow[] }, { at: number }>('quality/set_latest', written);

/** A test as far as its results are concerned. */
export type LatestRow = {
  readonly at: number;
  readonly id: string;
  readonly fullyQualifiedName: string;
  readonly status: TestStatus | null;
  readonly resultAt: number | null;
  readonly revision: number;
  readonly tableId: string | null;
  /** A judgement waits for its next result. */
  readonly isAwaited: boolean;
};

export const readLatest = statement<Rows<{ fqn: string }>, LatestRow>('quality/read_latest', {
  params: ['rows'],
  row: ['at', 'id', 'fullyQualifiedName', 'status', 'resultAt', 'revision', 'tableId', 'isAwaited'],
});

export type Span = { readonly id: string; readonly start: number; readonly end: number };

export const listResults = statement<Span & { limit: number }, { timestamp: number; json: string }>(
  'quality/list_results',
  { params: ['id', 'start', 'end', 'limit'], row: ['timestamp', 'json'] },
);
export const countResults = statement<Span, { total: number }>('quality/count_results_within', {
  params: ['id', 'start', 'end'],
  row: ['total'],
});
export const readResult = statement<{ key: string }, { json: string }>('quality/read_result', {
  params: ['key'],
  row: ['json'],
});
export const readNewest = statement<{ id: string; beside: number }, { json: string }>('quality/read_newest', {
  params: ['id', 'beside'],
  row: ['json'],
});

/** A test of a table as far as columns are concerned: `columnKey` is null when it tests the table, or nothing any more. */
export type TestingRow = {
  readonly id: string;
  readonly name: string;
  readonly fullyQualifiedName: string;
  readonly entityFQN: string;
  readonly deleted: boolean;
  readonly deletedWith: string | null;
  readonly columnKey: string | null;
  /** How it went last, as JSON. */
  readonly resultJson: string | null;
};

export const listTesting = statement<{ id: string }, TestingRow>('quality/list_testing', {
  params: ['id'],
  row: ['id', 'name', 'fullyQualifiedName', 'entityFQN', 'deleted', 'deletedWith', 'columnKey', 'resultJson'],
});
export const moveTests = statement<{ rows: readonly WriteRow[] }, { at: number }>('quality/move_test', written);
export const confirmUntested = statement<{ rows: readonly WriteRow[] }, { at: number }>(
  'quality/confirm_untested',
  written,
);
export const listKept = statement<{ keys: readonly string[] }, { key: string; json: string }>('quality/list_kept', {
  params: ['keys'],
  row: ['key', 'json'],
});

type LookedAt = { readonly seen: number; readonly removed: number; readonly edge: string | null };

const looked = ['seen', 'removed', 'edge'] as const;

export const deleteOldResults = statement<{ edge: string; before: number; limit: number }, LookedAt>(
  'quality/delete_old_result',
  { params: ['edge', 'before', 'limit'], row: looked },
);
export const deleteExcessResults = statement<{ edge: string; kept: number; limit: number }, LookedAt>(
  'quality/delete_excess_result',
  { params: ['edge', 'kept', 'limit'], row: looked },
);
