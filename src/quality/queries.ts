import type { WriteStatementRow } from '../graph/group-commit.ts';
import { type IndexedRows, statement } from '../graph/statement.ts';
import type { TestStatus } from '../model/schemas/quality/test-case.ts';

/** Cypher statements for test cases, their results and their suites. */

const writeShape = { params: ['rows'], row: ['at'] } as const;

export const linkTargets = statement<{ rows: readonly WriteStatementRow[] }, { at: number }>(
  'quality/create_target_edge',
  writeShape,
);
export const appendTestResults = statement<{ rows: readonly WriteStatementRow[] }, { at: number }>(
  'quality/create_results',
  writeShape,
);
export const markSuitesStale = statement<{ rows: readonly WriteStatementRow[] }, { at: number }>(
  'quality/update_suite_marks',
  writeShape,
);
export const upsertTestResults = statement<{ rows: readonly WriteStatementRow[] }, { at: number }>(
  'quality/update_results',
  writeShape,
);
export const deleteTestResults = statement<{ rows: readonly WriteStatementRow[] }, { at: number }>(
  'quality/delete_result',
  writeShape,
);
export const updateLatestTestResults = statement<{ rows: readonly WriteStatementRow[] }, { at: number }>(
  'quality/update_latest',
  writeShape,
);

/** The state of a test that its results depend on. */
export type TestStateRow = {
  readonly at: number;
  readonly id: string;
  readonly fullyQualifiedName: string;
  readonly status: TestStatus | null;
  readonly resultAt: number | null;
  readonly revision: number;
  readonly tableId: string | null;
  /** Whether a contract result waits for the next result of this test. */
  readonly isAwaited: boolean;
};

export const readTestStates = statement<IndexedRows<{ fqn: string }>, TestStateRow>('quality/read_test_states', {
  params: ['rows'],
  row: ['at', 'id', 'fullyQualifiedName', 'status', 'resultAt', 'revision', 'tableId', 'isAwaited'],
});

export type TestResultSpan = { readonly id: string; readonly start: number; readonly end: number };

export const listTestResults = statement<TestResultSpan & { limit: number }, { timestamp: number; json: string }>(
  'quality/list_results',
  { params: ['id', 'start', 'end', 'limit'], row: ['timestamp', 'json'] },
);
export const countTestResults = statement<TestResultSpan, { total: number }>('quality/count_results_within', {
  params: ['id', 'start', 'end'],
  row: ['total'],
});
export const readTestResult = statement<{ key: string }, { json: string }>('quality/read_result', {
  params: ['key'],
  row: ['json'],
});
export const readNewestTestResult = statement<{ id: string; beside: number }, { json: string }>(
  'quality/read_newest_other_result',
  {
    params: ['id', 'beside'],
    row: ['json'],
  },
);

/** A test of a table or of its columns. `columnKey` is null when it tests the table or no longer has a target. */
export type TableTestRow = {
  readonly id: string;
  readonly name: string;
  readonly fullyQualifiedName: string;
  readonly entityFQN: string;
  readonly deleted: boolean;
  readonly deletedWith: string | null;
  readonly columnKey: string | null;
  /** Its latest result, as JSON. */
  readonly resultJson: string | null;
};

export const listTableTests = statement<{ id: string }, TableTestRow>('quality/list_table_tests', {
  params: ['id'],
  row: ['id', 'name', 'fullyQualifiedName', 'entityFQN', 'deleted', 'deletedWith', 'columnKey', 'resultJson'],
});
export const updateMovedTests = statement<{ rows: readonly WriteStatementRow[] }, { at: number }>(
  'quality/update_moved_tests',
  writeShape,
);
export const confirmColumnsUntested = statement<{ rows: readonly WriteStatementRow[] }, { at: number }>(
  'quality/find_untested',
  writeShape,
);
export const listStoredTestResults = statement<{ keys: readonly string[] }, { key: string; json: string }>(
  'quality/list_stored_results',
  {
    params: ['keys'],
    row: ['key', 'json'],
  },
);

type TestResultScan = { readonly seen: number; readonly removed: number; readonly edge: string | null };

const scanColumns = ['seen', 'removed', 'edge'] as const;

export const deleteOldTestResults = statement<{ edge: string; before: number; limit: number }, TestResultScan>(
  'quality/delete_old_result',
  { params: ['edge', 'before', 'limit'], row: scanColumns },
);
export const deleteExcessTestResults = statement<{ edge: string; kept: number; limit: number }, TestResultScan>(
  'quality/delete_excess_result',
  { params: ['edge', 'kept', 'limit'], row: scanColumns },
);
