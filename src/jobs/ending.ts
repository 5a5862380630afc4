import { CatalogError } from '../errors.ts';
import type { Graph } from '../graph/client.ts';
import type { Log } from '../http/log.ts';
import type { End, Job } from './job.ts';
import { removePieces } from './pieces.ts';
import { updateJobs } from './queries.ts';
import { type Claimed, JobStop, logEntry, type Operation, type StopReason, updateRow } from './work.ts';

/** Everything by which a process lets go of a job it has claimed. */
export type Desk = {
  readonly graph: Graph;
  readonly log: Pick<Log, 'warn' | 'error'>;
  /** After a failure of the database the job is begun again no sooner than this. */
  readonly retryMs: number;
};

export type Held = Claimed & { readonly job: Job };

export const INTERRUPTED = { status: 'FAILED', error: 'interrupted' } as const;

const isAway = (failure: unknown): boolean => failure instanceof CatalogError && failure.code === 'unavailable';

const publicError = (failure: unknown, jobId: string): string =>
  failure instanceof CatalogError && failure.status < 500 ? failure.message : `Internal server error, job ${jobId}`;

/** Changes the record of a job that is still held; whoever took it over meanwhile has the last word. */
const update = async ({ graph }: Desk, row: ReturnType<typeof updateRow>): Promise<boolean> => {
  const rows = [{ ...row, at: 0 }];
  return (await graph.write((transaction) => transaction.run(updateJobs, { rows }))).length > 0;
};

const changesAtEnd = (operation: Operation, { status, resultType }: End) => ({
  status,
  open: null,
  exclusive: null,
  claim: null,
  shortLived: resultType !== undefined && operation.shortLivedResult ? true : null,
});

const lastWord = ({ status, error, message }: End): string =>
  error ?? message ?? (status === 'CANCELLED' ? 'Cancelled' : 'Done');

/** Ends a job for good, and removes what only a job under way needs. */
export const endJob = async (desk: Desk, held: Held, operation: Operation, end: End): Promise<void> => {
  const logs = [logEntry(end.status === 'FAILED' ? 'ERROR' : 'INFO', lastWord(end))];
  if (!(await update(desk, updateRow(held, changesAtEnd(operation, end), { end, logs })))) return;
  await removePieces(desk.graph, held.jobId, 'input');
  if (end.status !== 'COMPLETED') await removePieces(desk.graph, held.jobId, 'result');
};

/** Lets any process go on with the job after a while. */
const handBack = async (desk: Desk, held: Held, afterMs: number, reason: string): Promise<void> => {
  await update(desk, updateRow({ ...held, leaseMs: afterMs }, { claim: null }, { logs: [logEntry('WARN', reason)] }));
};

const stopJob = async (desk: Desk, held: Held, operation: Operation, reason: StopReason): Promise<void> => {
  if (reason === 'cancelled') await endJob(desk, held, operation, { status: 'CANCELLED' });
  if (reason !== 'handedBack') return;
  if (operation.restart === 'fail') await endJob(desk, held, operation, INTERRUPTED);
  else await handBack(desk, held, 0, 'Handed back by a process that stops');
};

/** What is thrown out of an operation decides what becomes of its job. */
export const settleFailure = async (desk: Desk, held: Held, operation: Operation, failure: unknown): Promise<void> => {
  if (failure instanceof JobStop) return stopJob(desk, held, operation, failure.reason);
  const { jobId } = held;
  const facts = { jobId, operation: held.job.operation };
  if (isAway(failure) && operation.restart !== 'fail') {
    desk.log.warn('job put off', facts, failure);
    return handBack(desk, held, desk.retryMs, 'Put off: the database did not answer');
  }
  if (!(failure instanceof CatalogError) || failure.status >= 500) desk.log.error('job failed', facts, failure);
  return endJob(desk, held, operation, { status: 'FAILED', error: publicError(failure, jobId) });
};
