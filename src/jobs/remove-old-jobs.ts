import type { Graph } from '../graph/client.ts';
import { DAY_MS } from '../model/time.ts';
import { removeJobPieces } from './job-pieces.ts';
import { deleteJob, deleteOrphanedPieces, expireJobResult, listExpiredJobs, listStaleJobResults } from './queries.ts';

export type JobRetention = {
  /** How long a job is kept after its end. */
  readonly jobMs: number;
  /** How long a short-lived result is kept, and how many of them each person keeps. */
  readonly resultMs: number;
  readonly resultsPerPerson: number;
  /** How many jobs one sweep removes; the rest waits for the next. */
  readonly batch: number;
};

const DEFAULT_JOB_RETENTION: JobRetention = Object.freeze({
  jobMs: 7 * DAY_MS,
  resultMs: DAY_MS,
  resultsPerPerson: 5,
  batch: 500,
});

/** Removes expired jobs and results, a bounded number of them, in small transactions. */
export const removeOldJobs = async (graph: Graph, retention: Partial<JobRetention> = {}): Promise<void> => {
  const { jobMs, resultMs, resultsPerPerson, batch } = { ...DEFAULT_JOB_RETENTION, ...retention };
  const stale = await graph.read(listStaleJobResults, { kept: resultsPerPerson, ageMs: resultMs, limit: batch });
  for (const { jobId } of stale) {
    await graph.write((transaction) => transaction.run(expireJobResult, { jobId }));
    await removeJobPieces(graph, jobId, 'result');
  }
  for (const { jobId } of await graph.read(listExpiredJobs, { ageMs: jobMs, limit: batch })) {
    // The pieces must go first: they are found by their job.
    await removeJobPieces(graph, jobId);
    await graph.write((transaction) => transaction.run(deleteJob, { jobId }));
  }
  await graph.write((transaction) => transaction.run(deleteOrphanedPieces, { ageMs: jobMs, limit: batch }));
};
