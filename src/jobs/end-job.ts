import { CatalogError } from '../errors.ts';
import type { Graph } from '../graph/client.ts';
import type { Log } from '../http/log.ts';
import type { Job, JobEnd } from './job.ts';
import {
  type ClaimedJob,
  createUpdateRow,
  formatLogEntry,
  type JobOperation,
  JobStop,
  type StopReason,
} from './job-operation.ts';
import { removeJobPieces } from './job-pieces.ts';
import { updateJobs } from './queries.ts';

/** What a process needs to release a job that it has claimed. */
export type JobEndContext = {
  readonly graph: Graph;
  readonly log: Pick<Log, 'warn' | 'error'>;
  /** The least delay before a job restarts after a database failure. */
  readonly retryMs: number;
};

export type HeldJob = ClaimedJob & { readonly job: Job };

export const INTERRUPTED_END = { status: 'FAILED', error: 'interrupted' } as const;

const isDatabaseUnavailable = (failure: unknown): boolean =>
  failure instanceof CatalogError && failure.code === 'unavailable';

const jobErrorText = (failure: unknown, jobId: string): string =>
  failure instanceof CatalogError && failure.status < 500 ? failure.message : `Internal server error, job ${jobId}`;

/** Changes a job that this process still holds. If another process has taken the job over, the change is dropped. */
const updateHeldJob = async ({ graph }: JobEndContext, row: ReturnType<typeof createUpdateRow>): Promise<boolean> => {
  const rows = [{ ...row, at: 0 }];
  return (await graph.write((transaction) => transaction.run(updateJobs, { rows }))).length > 0;
};

const endChanges = (operation: JobOperation, { status, resultType }: JobEnd) => ({
  status,
  open: null,
  exclusive: null,
  claim: null,
  shortLived: resultType !== undefined && operation.shortLivedResult ? true : null,
});

const endLogText = ({ status, error, message }: JobEnd): string =>
  error ?? message ?? (status === 'CANCELLED' ? 'Cancelled' : 'Done');

/** Ends a job for good and removes what only a running job needs. */
export const endJob = async (
  context: JobEndContext,
  held: HeldJob,
  operation: JobOperation,
  end: JobEnd,
): Promise<void> => {
  const logs = [formatLogEntry(end.status === 'FAILED' ? 'ERROR' : 'INFO', endLogText(end))];
  if (!(await updateHeldJob(context, createUpdateRow(held, endChanges(operation, end), { end, logs })))) return;
  await removeJobPieces(context.graph, held.jobId, 'input');
  if (end.status !== 'COMPLETED') await removeJobPieces(context.graph, held.jobId, 'result');
};

/** Releases the job, so that any process may continue it after a delay. */
const returnJob = async (context: JobEndContext, held: HeldJob, afterMs: number, reason: string): Promise<void> => {
  await updateHeldJob(
    context,
    createUpdateRow({ ...held, leaseMs: afterMs }, { claim: null }, { logs: [formatLogEntry('WARN', reason)] }),
  );
};

const endStoppedJob = async (
  context: JobEndContext,
  held: HeldJob,
  operation: JobOperation,
  reason: StopReason,
): Promise<void> => {
  if (reason === 'cancelled') await endJob(context, held, operation, { status: 'CANCELLED' });
  if (reason !== 'handedBack') return;
  if (operation.restart === 'fail') await endJob(context, held, operation, INTERRUPTED_END);
  else await returnJob(context, held, 0, 'Handed back by a process that stops');
};

/** Decides from the error of an operation whether its job ends, restarts or is handed back. */
export const handleJobFailure = async (
  context: JobEndContext,
  held: HeldJob,
  operation: JobOperation,
  failure: unknown,
): Promise<void> => {
  if (failure instanceof JobStop) return endStoppedJob(context, held, operation, failure.reason);
  const { jobId } = held;
  const facts = { jobId, operation: held.job.operation };
  if (isDatabaseUnavailable(failure) && operation.restart !== 'fail') {
    context.log.warn('job postponed', facts, failure);
    return returnJob(context, held, context.retryMs, 'Put off: the database did not answer');
  }
  if (!(failure instanceof CatalogError) || failure.status >= 500) context.log.error('job failed', facts, failure);
  return endJob(context, held, operation, { status: 'FAILED', error: jobErrorText(failure, jobId) });
};
