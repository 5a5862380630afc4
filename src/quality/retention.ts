import type { Kept, Look, SeriesSort } from '../retention/retention.ts';
import { deleteExcessResults, deleteOldResults } from './queries.ts';

const NOTHING = { seen: 0, removed: 0, edge: null };

/** Results of tests, and what is kept of those of each test. */
export const resultSeries = (kept: Kept): SeriesSort => ({
  name: 'test results',
  kept,
  removeOld: async (graph, before: number, look: Look) =>
    (await graph.write((transaction) => transaction.run(deleteOldResults, { ...look, before })))[0] ?? NOTHING,
  removeExcess: async (graph, rows: number, look: Look) =>
    (await graph.write((transaction) => transaction.run(deleteExcessResults, { ...look, kept: rows })))[0] ?? NOTHING,
});
