import { randomUUID } from 'node:crypto';
import type { Principal } from '../access/principal.ts';
import { CatalogError } from '../errors.ts';
import type { Graph } from '../graph/client.ts';
import { coalesce } from '../graph/coalesce.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import type { WriteStep } from '../graph/group-commit.ts';
import { sortKeyOf } from '../model/cursor.ts';
import type { JsonObject } from '../model/json.ts';
import type { TraceHeaders } from '../tracing/tracing.ts';
import { decodeJob, isJobOver, type Job } from './job.ts';
import type { ClaimedJob } from './job-operation.ts';
import { readJobPieces, writeJobPieces } from './job-pieces.ts';
import {
  cancelJobs,
  countOpenJobs,
  countOwnJobs,
  createJobs,
  listJobsOfOperation,
  listOwnJobs,
  readJobs,
} from './queries.ts';

/** The request for a new job. */
export type NewJob = {
  readonly operation: string;
  readonly entityType: string;
  readonly targetFqn: string;
  readonly actor: Principal;
  readonly input: JsonObject;
  readonly dryRun?: boolean;
  readonly recursive?: boolean;
  readonly total?: number;
  /** Jobs with the same key never run at the same time; later ones wait. */
  readonly exclusive?: string;
  /** The job completes work that is half done, so it cannot be cancelled. */
  readonly committed?: boolean;
};

/** A job that the caller's own transaction creates. Call `start` once that transaction is committed. */
export type PreparedJob = {
  readonly jobId: string;
  readonly steps: readonly WriteStep[];
  /**
   * Lets the job run. The promise resolves at once for a queued job, and for a job claimed by this process when the
   * process releases it, done or not. Only the job's record tells the outcome.
   */
  start(): Promise<void>;
};

/** The part of this process that runs jobs, while there is one. */
export type JobWorker = {
  readonly leaseMs: number;
  /** Runs a job that was claimed on creation; `safeUntilMs` is a time of this process's own clock. */
  carry(claimed: ClaimedJob, safeUntilMs: number): Promise<void>;
};

/** The job queue that all processes on one database share. */
export type JobQueue = {
  /**
   * Queues a job and stores the longer part of its input in pieces. Throws too_many_requests when too many jobs wait.
   */
  submit(job: NewJob, input?: Iterable<string>): Promise<{ readonly jobId: string }>;
  /** Prepares a job that a transaction of the caller queues. It is accepted however many jobs wait. */
  prepare(job: NewJob): PreparedJob;
  /** Prepares a job that this process runs at once, ahead of the queue. It is queued if this process runs no jobs. */
  prepareImmediate(job: NewJob): PreparedJob;
  /** Registers the worker that runs claimed jobs. Returns the function that unregisters it. */
  employ(worker: JobWorker): () => void;
  /** Signals that there may be a new job. */
  announce(): void;
  /** Adds a listener for `announce`. Returns the function that removes it. */
  onAnnounced(listener: () => void): () => void;
  read(jobId: string): Promise<Job | undefined>;
  /** Lists the jobs of one person, newest first, after a position in that order. */
  list(createdBy: string, after: string | undefined, limit: number): Promise<Job[]>;
  count(createdBy: string): Promise<number>;
  /** Lists the jobs of one operation by all creators, newest first. */
  listOf(operation: string, limit: number): Promise<Job[]>;
  /** Requests cancellation; a job that is over stays as it is. */
  cancel(jobId: string): Promise<void>;
  /** Reads the text of a result, piece by piece. */
  result(job: Job): AsyncGenerator<string, void, undefined>;
};

export type JobLimits = { readonly open: number; readonly openPerPerson: number };

const DEFAULT_JOB_LIMITS: JobLimits = { open: 1000, openPerPerson: 50 };

const CREATE_STEP_ORDER = 89;

/** Sorts after every position, because positions begin with a digit. */
const NEWEST_PLACE = ':';

const newJobProperties = (jobId: string, job: NewJob, cause: TraceHeaders | undefined): Record<string, unknown> => ({
  jobId,
  operation: job.operation,
  entityType: job.entityType,
  targetFqn: job.targetFqn,
  createdBy: job.actor.name,
  actorJson: JSON.stringify(job.actor),
  inputJson: JSON.stringify(job.input),
  status: 'QUEUED',
  open: true,
  dryRun: job.dryRun ?? false,
  recursive: job.recursive ?? false,
  committed: job.committed ?? false,
  exclusive: job.exclusive ?? null,
  progress: 0,
  total: job.total ?? null,
  logs: [],
  traceparent: cause?.traceparent ?? null,
  tracestate: cause?.tracestate ?? null,
});

const newJobRow = ({ graph }: QueueContext, jobId: string, job: NewJob, claimed?: ClaimedJob) => ({
  properties: {
    ...newJobProperties(jobId, job, graph.observer.tracing?.headers()),
    ...(claimed ? { status: 'RUNNING', claim: claimed.claim, attempts: encodeProperty(1) } : {}),
  },
  suffix: sortKeyOf('', jobId),
  leaseMs: encodeProperty(claimed?.leaseMs),
});

const newJobStep = (queue: QueueContext, jobId: string, job: NewJob, claimed?: ClaimedJob): WriteStep => ({
  statement: createJobs,
  order: CREATE_STEP_ORDER,
  rows: [newJobRow(queue, jobId, job, claimed)],
});

/** Long enough for a worker to finish some of the waiting jobs. */
const RETRY_AFTER_SECONDS = 5;

const tooManyJobsError = () =>
  new CatalogError('too_many_requests', 'Too many jobs are waiting; try again when some are done', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });

/** What the queue keeps in memory: its listeners and its worker. The jobs are in the database. */
type QueueContext = {
  readonly graph: Graph;
  readonly limits: JobLimits;
  readonly listeners: Set<() => void>;
  worker: JobWorker | undefined;
};

const announceJobs = ({ listeners }: QueueContext): void => {
  for (const listener of listeners) listener();
};

const prepareQueued = (queue: QueueContext, job: NewJob): PreparedJob => {
  const jobId = randomUUID();
  const start = () => Promise.resolve(announceJobs(queue));
  return { jobId, steps: [newJobStep(queue, jobId, job)], start };
};

const prepareClaimed = (queue: QueueContext, { leaseMs, carry }: JobWorker, job: NewJob): PreparedJob => {
  const claimed = { jobId: randomUUID(), claim: randomUUID(), leaseMs };
  // The database writes the lease later than now, so the lease ends later than this time.
  const safeUntilMs = performance.now() + leaseMs;
  const start = () => carry(claimed, safeUntilMs);
  return { jobId: claimed.jobId, steps: [newJobStep(queue, claimed.jobId, job, claimed)], start };
};

/** Limits the length of the queue. Concurrent requests may exceed the limit by their own number. */
const checkOpenJobs = async ({ graph, limits }: QueueContext, createdBy: string): Promise<void> => {
  const [load] = await graph.read(countOpenJobs, { createdBy });
  if ((load?.total ?? 0) >= limits.open || (load?.own ?? 0) >= limits.openPerPerson) throw tooManyJobsError();
};

const submitJob = async (
  queue: QueueContext,
  job: NewJob,
  input: Iterable<string>,
): Promise<{ readonly jobId: string }> => {
  await checkOpenJobs(queue, job.actor.name);
  const jobId = randomUUID();
  // The input must be stored first, because a job may start as soon as it exists.
  await writeJobPieces(queue.graph, jobId, 'input', input);
  const rows = [{ ...newJobRow(queue, jobId, job), at: 0 }];
  await queue.graph.write((transaction) => transaction.run(createJobs, { rows }));
  announceJobs(queue);
  return { jobId };
};

const cancelJob = async (queue: QueueContext, jobId: string): Promise<void> => {
  await queue.graph.write((transaction) => transaction.run(cancelJobs, { rows: [{ jobId, at: 0 }] }));
  announceJobs(queue);
};

const createJobReader = (graph: Graph): JobQueue['read'] =>
  coalesce({
    name: readJobs.name,
    observer: graph.observer,
    identity: (jobId) => jobId,
    load: async (jobIds: readonly string[]) => {
      const found = await graph.read(readJobs, { rows: jobIds.map((jobId, at) => ({ jobId, at })) });
      const jobs: (Job | undefined)[] = jobIds.map(() => undefined);
      for (const { at, node } of found) jobs[at] = decodeJob(node);
      return jobs;
    },
  });

/** The answers about stored jobs. */
const createJobLookups = (graph: Graph): Pick<JobQueue, 'read' | 'list' | 'count' | 'listOf' | 'result'> => ({
  read: createJobReader(graph),
  list: async (createdBy, after, limit) => {
    const rows = await graph.read(listOwnJobs, { createdBy, edge: after ?? NEWEST_PLACE, limit });
    return rows.map((row) => decodeJob(row.node));
  },
  count: async (createdBy) => (await graph.read(countOwnJobs, { createdBy }))[0]?.total ?? 0,
  listOf: async (operation, limit) =>
    (await graph.read(listJobsOfOperation, { operation, limit })).map(({ node }) => decodeJob(node)),
  result: (job) => readJobPieces(graph, job.jobId, 'result'),
});

export const openJobQueue = (graph: Graph, limits: Partial<JobLimits> = {}): JobQueue => {
  const queue: QueueContext = {
    graph,
    limits: { ...DEFAULT_JOB_LIMITS, ...limits },
    listeners: new Set(),
    worker: undefined,
  };
  return {
    ...createJobLookups(graph),
    submit: (job, input = []) => submitJob(queue, job, input),
    prepare: (job) => prepareQueued(queue, job),
    prepareImmediate: (job) => (queue.worker ? prepareClaimed(queue, queue.worker, job) : prepareQueued(queue, job)),
    employ: (worker) => {
      queue.worker = worker;
      return () => {
        if (queue.worker === worker) queue.worker = undefined;
      };
    },
    announce: () => announceJobs(queue),
    onAnnounced: (listener) => {
      queue.listeners.add(listener);
      return () => queue.listeners.delete(listener);
    },
    cancel: (jobId) => cancelJob(queue, jobId),
  };
};

/** Whether the job has a result that can still be read. */
export const hasResult = (job: Job): boolean =>
  isJobOver(job) && job.status === 'COMPLETED' && job.resultType !== undefined && !job.resultExpired;
