import type { RetainedSeries, RetentionPolicy, RetentionScan } from '../retention/retention.ts';
import { deleteExcessTestResults, deleteOldTestResults } from './queries.ts';

const EMPTY_SCAN = { seen: 0, removed: 0, edge: null };

/** The retention of test results: how long and how many are stored per test. */
export const testResultRetention = (policy: RetentionPolicy): RetainedSeries => ({
  name: 'test results',
  policy,
  removeOld: async (graph, before: number, look: RetentionScan) =>
    (await graph.write((transaction) => transaction.run(deleteOldTestResults, { ...look, before })))[0] ?? EMPTY_SCAN,
  removeExcess: async (graph, rows: number, look: RetentionScan) =>
    (await graph.write((transaction) => transaction.run(deleteExcessTestResults, { ...look, kept: rows })))[0] ??
    EMPTY_SCAN,
});
