import type { Graph } from '../graph/client.ts';
import { withPositions } from '../graph/statement.ts';
import type { Log } from '../http/log.ts';
import type { RecordedSpan } from '../tracing/tracing.ts';
import { endJob, handleJobFailure, INTERRUPTED_END, type JobEndContext } from './end-job.ts';
import type { Job } from './job.ts';
import {
  type ClaimedJob,
  createAdvanceSteps,
  type JobAdvance,
  type JobOperation,
  JobStop,
  type JobWork,
  type StopReason,
} from './job-operation.ts';
import { readJobPieces, removeJobPieces } from './job-pieces.ts';

/** Runs one claimed job to its end, as long as its lease lasts. */

/** A job that starts this often without progress probably crashes its process. */
const MAX_ATTEMPTS = 20;

export type RunningJob = ClaimedJob & {
  readonly job: Job;
  readonly isResumed: boolean;
  isCancelled: boolean;
  /** The time, by this process's steady clock, until which no other process can have claimed the job. */
  leaseSafeUntilMs: number;
};

/** What a job needs of the runner that holds it. */
export type JobRunContext = {
  readonly graph: Graph;
  readonly log: Pick<Log, 'warn'>;
  /** How often the process renews its leases. */
  readonly options: { readonly beatMs: number };
  readonly endContext: JobEndContext;
  readonly held: Map<string, RunningJob>;
  isStopping: boolean;
};

const findStopReason = (runner: JobRunContext, running: RunningJob, heedsCancel: boolean): StopReason | undefined => {
  // The job stops half a beat before its lease may end, so that no other process does the same work.
  if (performance.now() > running.leaseSafeUntilMs - runner.options.beatMs / 2) return 'lost';
  if (heedsCancel && running.isCancelled) return 'cancelled';
  return runner.isStopping ? 'handedBack' : undefined;
};

const checkRunning = (runner: JobRunContext, running: RunningJob, heedsCancel: boolean): void => {
  const reason = findStopReason(runner, running, heedsCancel);
  if (reason) throw new JobStop(reason);
};

const saveAdvance = async (runner: JobRunContext, running: RunningJob, advance: JobAdvance): Promise<void> => {
  const sentMs = performance.now();
  await runner.graph.write(async (transaction) => {
    for (const { statement, rows, missingRowError } of createAdvanceSteps(running, advance)) {
      const answered = await transaction.run(statement, { rows: withPositions(rows) });
      if (missingRowError && answered.length < rows.length) throw missingRowError();
    }
  });
  running.leaseSafeUntilMs = sentMs + running.leaseMs;
};

const createWork = (runner: JobRunContext, running: RunningJob): JobWork => ({
  job: running.job,
  isResumed: running.isResumed,
  check: () => checkRunning(runner, running, true),
  checkCommitted: () => checkRunning(runner, running, false),
  save: (advance) => saveAdvance(runner, running, advance),
  saveSteps: (advance) => createAdvanceSteps(running, advance),
  input: (from) => readJobPieces(runner.graph, running.jobId, 'input', from),
});

const noteFailure = (span: RecordedSpan | undefined, failure: unknown): void => {
  if (failure instanceof JobStop) span?.note({ 'tributary.job.stopped': failure.reason });
  else span?.fail(failure);
};

const performOperation = async (
  runner: JobRunContext,
  running: RunningJob,
  operation: JobOperation,
  span?: RecordedSpan,
): Promise<void> => {
  const { endContext } = runner;
  if (running.isResumed && operation.restart === 'fail') return endJob(endContext, running, operation, INTERRUPTED_END);
  if (running.job.attempts > MAX_ATTEMPTS) {
    return endJob(endContext, running, operation, { status: 'FAILED', error: 'interrupted too often' });
  }
  try {
    checkRunning(runner, running, !running.job.committed);
    // An earlier attempt may have stored more pieces of the result.
    if (running.isResumed && operation.restart === 'restart')
      await removeJobPieces(runner.graph, running.jobId, 'result');
    const outcome = await operation.run(createWork(runner, running));
    await endJob(endContext, running, operation, { status: 'COMPLETED', ...outcome });
  } catch (failure) {
    noteFailure(span, failure);
    await handleJobFailure(endContext, running, operation, failure);
  }
};

/** The trace of a job is its own, because the request that created it has long been answered. */
const performTraced = (runner: JobRunContext, running: RunningJob, operation: JobOperation): Promise<void> => {
  const { tracing } = runner.graph.observer;
  if (!tracing) return performOperation(runner, running, operation);
  const { jobId, job, isResumed } = running;
  const attributes = {
    'tributary.job.id': jobId,
    'tributary.job.operation': job.operation,
    'tributary.job.attempts': job.attempts,
    'tributary.job.resumed': isResumed,
  };
  const causes = job.cause ? [job.cause] : [];
  return tracing.root({ name: `job ${job.operation}`, kind: 'consumer', attributes }, causes, (span) =>
    performOperation(runner, running, operation, span),
  );
};

/** Runs one job to its end. If even the end cannot be stored, the lease expires and another process starts again. */
export const runJob = async (runner: JobRunContext, running: RunningJob, operation: JobOperation): Promise<void> => {
  runner.held.set(running.jobId, running);
  try {
    await performTraced(runner, running, operation);
  } catch (failure) {
    runner.log.warn('job left to its lease', { jobId: running.jobId, operation: running.job.operation }, failure);
  } finally {
    runner.held.delete(running.jobId);
  }
};
