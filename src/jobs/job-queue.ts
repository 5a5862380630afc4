import { randomUUID } from 'node:crypto';
import type { Principal } from '../access/principal.ts';
import { CatalogError } from '../errors.ts';
import type { Graph } from '../graph/client.ts';
import { coalesce } from '../graph/coalesce.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import type { WriteStep } from '../graph/group-commit.ts';
import { sortKeyOf } from '../model/cursor.ts';
import type { JsonObject } from '../model/json.ts';
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

/** A job as it is asked for. */
export type NewJob = {
  readonly operation: string;
  readonly entityType: string;
  readonly targetFqn: string;
  readonly actor: Principal;
  readonly input: JsonObject;
  readonly dryRun?: boolean;
  readonly recursive?: boolean;
  readonly total?: number;
  /** Jobs with the same key never run side by side; the later ones wait. */
  readonly exclusive?: string;
  /** Carries on what is half done already, so that it can no longer be cancelled. */
  readonly committed?: boolean;
};

/** A job that comes to be with the transaction its step is part of; `begin` it when that is committed. */
export type PreparedJob = {
  readonly jobId: string;
  readonly steps: readonly WriteStep[];
  /**
   * Lets the job be done. Whoever waits is answered at once when it is queued, and when this process has let go of it,
   * done or not, when it was taken. What becomes of the job is told by its record alone.
   */
  start(): Promise<void>;
};

/** Who does jobs in this process, while there is somebody. */
export type JobWorker = {
  readonly leaseMs: number;
  /** Does a job that was given to this process when it came to be; `safeUntilMs` is a time of this process's own clock. */
  carry(claimed: ClaimedJob, safeUntilMs: number): Promise<void>;
};

/** The queue that all processes on one store share. */
export type JobQueue = {
  /** Queues a job, with the longer part of its input in pieces. Throws too_many_requests when too many are waiting. */
  submit(job: NewJob, input?: Iterable<string>): Promise<{ readonly jobId: string }>;
  /** A job that is queued by a transaction of the caller's own. It is not refused, however many are waiting. */
  prepare(job: NewJob): PreparedJob;
  /** The same for a job that this process does at once, whatever is in the queue; it is queued if nobody does jobs here. */
  prepareImmediate(job: NewJob): PreparedJob;
  /** Names who does the jobs that are taken; answers how to end that. */
  employ(worker: JobWorker): () => void;
  /** Tells this process that there may be something to do. */
  announce(): void;
  /** Who wants to be told; answers how to be told no more. */
  onAnnounced(listener: () => void): () => void;
  read(jobId: string): Promise<Job | undefined>;
  /** The jobs of one person, newest first, after a place in that order. */
  list(createdBy: string, after: string | undefined, limit: number): Promise<Job[]>;
  count(createdBy: string): Promise<number>;
  /** The jobs of one operation, whoever asked for them, newest first. */
  listOf(operation: string, limit: number): Promise<Job[]>;
  /** Asks a job to stop; a job that is over stays as it is. */
  cancel(jobId: string): Promise<void>;
  /** The text of a result, piece by piece. */
  result(job: Job): AsyncGenerator<string, void, undefined>;
};

export type JobLimits = { readonly open: number; readonly openPerPerson: number };

const DEFAULT_JOB_LIMITS: JobLimits = { open: 1000, openPerPerson: 50 };

const CREATE_STEP_ORDER = 89;

/** Beyond every place there is: places begin with a digit. */
const NEWEST_PLACE = ':';

const newJobProperties = (jobId: string, job: NewJob): Record<string, unknown> => ({
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
});

const newJobRow = (jobId: string, job: NewJob, claimed?: ClaimedJob) => ({
  properties: {
    ...newJobProperties(jobId, job),
    ...(claimed ? { status: 'RUNNING', claim: claimed.claim, attempts: encodeProperty(1) } : {}),
  },
  suffix: sortKeyOf('', jobId),
  leaseMs: encodeProperty(claimed?.leaseMs),
});

const newJobStep = (jobId: string, job: NewJob, claimed?: ClaimedJob): WriteStep => ({
  statement: createJobs,
  order: CREATE_STEP_ORDER,
  rows: [newJobRow(jobId, job, claimed)],
});

/** Long enough for a worker to finish some of what waits. */
const RETRY_AFTER_SECONDS = 5;

const tooManyJobsError = () =>
  new CatalogError('too_many_requests', 'Too many jobs are waiting; try again when some are done', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });

/** Opens the queue. It holds no state of its own but who wants to be told. */
export const openJobQueue = (graph: Graph, limits: Partial<JobLimits> = {}): JobQueue => {
  const { open, openPerPerson } = { ...DEFAULT_JOB_LIMITS, ...limits };
  const listeners = new Set<() => void>();
  let worker: JobWorker | undefined;

  const announce = () => {
    for (const listener of listeners) listener();
  };

  const prepare = (job: NewJob): PreparedJob => {
    const jobId = randomUUID();
    const start = () => Promise.resolve(announce());
    return { jobId, steps: [newJobStep(jobId, job)], start };
  };

  const prepareImmediate = (job: NewJob): PreparedJob => {
    if (!worker) return prepare(job);
    const { leaseMs, carry } = worker;
    const claimed = { jobId: randomUUID(), claim: randomUUID(), leaseMs };
    // The lease is written later than now, so it ends later than this.
    const safeUntilMs = performance.now() + leaseMs;
    const start = () => carry(claimed, safeUntilMs);
    return { jobId: claimed.jobId, steps: [newJobStep(claimed.jobId, job, claimed)], start };
  };

  const read = coalesce({
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

  /** The bound keeps the queue from growing without end; requests that meet may pass it by their own number. */
  const checkOpenJobs = async (createdBy: string) => {
    const [load] = await graph.read(countOpenJobs, { createdBy });
    if ((load?.total ?? 0) >= open || (load?.own ?? 0) >= openPerPerson) throw tooManyJobsError();
  };

  return {
    submit: async (job, input = []) => {
      await checkOpenJobs(job.actor.name);
      const jobId = randomUUID();
      // The input comes first: a job is there only when everything it needs is.
      await writeJobPieces(graph, jobId, 'input', input);
      const rows = [{ ...newJobRow(jobId, job), at: 0 }];
      await graph.write((transaction) => transaction.run(createJobs, { rows }));
      announce();
      return { jobId };
    },
    prepare,
    prepareImmediate,
    employ: (hand) => {
      worker = hand;
      return () => {
        if (worker === hand) worker = undefined;
      };
    },
    announce,
    onAnnounced: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    read,
    list: async (createdBy, after, limit) => {
      const rows = await graph.read(listOwnJobs, { createdBy, edge: after ?? NEWEST_PLACE, limit });
      return rows.map((row) => decodeJob(row.node));
    },
    count: async (createdBy) => (await graph.read(countOwnJobs, { createdBy }))[0]?.total ?? 0,
    listOf: async (operation, limit) =>
      (await graph.read(listJobsOfOperation, { operation, limit })).map(({ node }) => decodeJob(node)),
    cancel: async (jobId) => {
      await graph.write((transaction) => transaction.run(cancelJobs, { rows: [{ jobId, at: 0 }] }));
      announce();
    },
    result: (job) => readJobPieces(graph, job.jobId, 'result'),
  };
};

/** Whether a job has a result that can still be read. */
export const hasResult = (job: Job): boolean =>
  isJobOver(job) && job.status === 'COMPLETED' && job.resultType !== undefined && !job.resultExpired;
