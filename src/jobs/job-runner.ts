import { randomUUID } from 'node:crypto';
import type { Graph } from '../graph/client.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import { createSweep, type Sweep, type SweepStep } from '../graph/sweep.ts';
import { createWakeablePause } from '../graph/wakeable-pause.ts';
import type { Log } from '../http/log.ts';
import { decodeJob } from './job.ts';
import type { ClaimedJob, JobOperations } from './job-operation.ts';
import type { JobQueue, JobWorker } from './job-queue.ts';
import { claimJob, readClaimableJob, renewJobs } from './queries.ts';
import { removeOldJobs } from './remove-old-jobs.ts';
import { type JobRunContext, type RunningJob, runJob } from './run-job.ts';

/** Runs the jobs of the queue in this process. */
export type JobRunner = {
  /** Starts to look for jobs. */
  start(): void;
  /** Claims no more jobs and hands back the running ones at their next check. The runner can start again afterwards. */
  stop(): Promise<void>;
  /** Runs a job that was claimed on creation, from any thread of the process. */
  readonly carry: JobWorker['carry'];
};

export type JobRunnerOptions = {
  /** How many jobs run at the same time. */
  readonly slots: number;
  /** How long a job stays with a process that does not renew its lease. */
  readonly leaseMs: number;
  /** How often the process renews its leases. */
  readonly beatMs: number;
  /**
   * The shortest and the longest interval between two looks at the queue. The short one applies after a job was found.
   */
  readonly pollMs: number;
  readonly idlePollMs: number;
  /** How often one of all processes removes expired jobs and results. */
  readonly sweepMs: number;
  /** How long `stop` waits for jobs to reach their next check. */
  readonly stopWithinMs: number;
  readonly retryMs: number;
};

/** How long a job stays with a process that does not renew its lease. */
export const JOB_LEASE_MS = 60_000;

const DEFAULT_RUNNER_OPTIONS: JobRunnerOptions = Object.freeze({
  slots: 4,
  leaseMs: JOB_LEASE_MS,
  beatMs: 10_000,
  pollMs: 1000,
  idlePollMs: 8000,
  sweepMs: 600_000,
  stopWithinMs: 8000,
  retryMs: 5000,
});

export type JobRunnerDeps = {
  readonly graph: Graph;
  readonly jobs: JobQueue;
  readonly operations: JobOperations;
  readonly log: Pick<Log, 'warn' | 'error'>;
  /** Other data that the same sweep removes. */
  readonly sweepMore?: Readonly<Record<string, SweepStep>>;
  readonly options?: Partial<JobRunnerOptions>;
};

type RunnerContext = Omit<JobRunnerDeps, 'options'> &
  JobRunContext & {
    readonly options: JobRunnerOptions;
    /** Every job that this process has started, until its end. */
    readonly running: Set<Promise<void>>;
    /** Lets the loop wait for its next look at the queue, and ends the wait early. */
    readonly nextLook: ReturnType<typeof createWakeablePause>;
  };

/** Claims the oldest free job; returns undefined when there is none. */
const claimNextJob = async ({ graph, operations, options }: RunnerContext): Promise<RunningJob | undefined> => {
  const sentMs = performance.now();
  const { leaseMs } = options;
  const row = { operations: Object.keys(operations), claim: randomUUID(), leaseMs: encodeProperty(leaseMs), at: 0 };
  const [found] = await graph.write((transaction) => transaction.run(claimJob, { rows: [row] }));
  if (!found) return undefined;
  const job = decodeJob(found.node);
  return {
    jobId: job.jobId,
    claim: row.claim,
    leaseMs,
    job,
    isResumed: found.found !== 'QUEUED',
    isCancelled: job.cancelRequested,
    leaseSafeUntilMs: sentMs + leaseMs,
  };
};

/** Renews the leases of this process and learns which of its jobs are to be cancelled. */
const renewLeases = async ({ graph, held }: RunnerContext): Promise<void> => {
  if (held.size === 0) return;
  const mine = [...held.values()];
  const sentMs = performance.now();
  const rows = mine.map(({ jobId, claim: mark, leaseMs }, at) => ({
    jobId,
    claim: mark,
    leaseMs: encodeProperty(leaseMs),
    at,
  }));
  const kept = await graph.write((transaction) => transaction.run(renewJobs, { rows }));
  const answers = new Map(kept.map((row) => [row.at, row]));
  mine.forEach((one, at) => {
    const answer = answers.get(at);
    one.leaseSafeUntilMs = answer ? sentMs + one.leaseMs : 0;
    one.isCancelled ||= answer?.cancelRequested ?? false;
  });
};

const readCancellations = async ({ jobs, held }: RunnerContext): Promise<void> => {
  const wanted = await Promise.all(
    [...held.values()].map(async (mine) => ({ mine, job: await jobs.read(mine.jobId) })),
  );
  for (const { mine, job } of wanted) mine.isCancelled ||= job?.cancelRequested ?? false;
};

const startJob = (runner: RunnerContext, mine: RunningJob): Promise<void> => {
  const operation = runner.operations[mine.job.operation];
  if (!operation) throw new Error(`claimed a job of the unknown operation ${mine.job.operation}`);
  const work = runJob(runner, mine, operation).finally(() => {
    runner.running.delete(work);
    runner.nextLook.wake();
  });
  runner.running.add(work);
  return work;
};

const runClaimedJob = async (runner: RunnerContext, claimed: ClaimedJob, leaseSafeUntilMs: number): Promise<void> => {
  try {
    const job = await runner.jobs.read(claimed.jobId);
    if (!job) return;
    const isCancelled = job.cancelRequested;
    await startJob(runner, { ...claimed, job, isResumed: false, isCancelled, leaseSafeUntilMs });
  } catch (failure) {
    runner.log.warn('job left to its lease', { jobId: claimed.jobId }, failure);
  }
};

/** Claims jobs for all free slots; returns whether there were any. */
const fillSlots = async (runner: RunnerContext): Promise<boolean> => {
  const { running, options } = runner;
  const names = Object.keys(runner.operations);
  if (running.size >= options.slots || names.length === 0) return false;
  if ((await runner.graph.read(readClaimableJob, { operations: names })).length === 0) return false;
  let isAny = false;
  while (!runner.isStopping && running.size < options.slots) {
    const mine = await claimNextJob(runner);
    if (!mine) break;
    void startJob(runner, mine);
    isAny = true;
  }
  return isAny;
};

const pollQueue = async (runner: RunnerContext): Promise<void> => {
  const { running, options } = runner;
  let waitMs = options.pollMs;
  while (!runner.isStopping) {
    try {
      const [isAny] = await Promise.all([fillSlots(runner), readCancellations(runner)]);
      // While jobs run, the runner looks often, because one of them may be cancelled.
      waitMs = isAny || running.size > 0 ? options.pollMs : Math.min(waitMs * 1.5, options.idlePollMs);
    } catch (failure) {
      runner.log.warn('the queue of jobs cannot be read', {}, failure);
      waitMs = options.idlePollMs;
    }
    await runner.nextLook.pause(waitMs);
  }
};

const renewLeasesOrWarn = (runner: RunnerContext): Promise<void> =>
  renewLeases(runner).catch((failure) => runner.log.warn('leases of jobs could not be renewed', {}, failure));

const createJobSweep = ({ graph, log, options, sweepMore }: RunnerContext): Sweep =>
  createSweep({
    graph,
    log,
    turn: 'care of the queue of jobs',
    everyMs: options.sweepMs,
    steps: { 'old jobs': () => removeOldJobs(graph), ...sweepMore },
  });

const createRunnerContext = (deps: JobRunnerDeps): RunnerContext => {
  const options = { ...DEFAULT_RUNNER_OPTIONS, ...deps.options };
  return {
    ...deps,
    options,
    endContext: { graph: deps.graph, log: deps.log, retryMs: options.retryMs },
    held: new Map(),
    running: new Set(),
    nextLook: createWakeablePause(),
    isStopping: false,
  };
};

/** Creates a runner for the given operations; it ignores jobs of all others. */
export const createJobRunner = (deps: JobRunnerDeps): JobRunner => {
  const runner = createRunnerContext(deps);
  const { jobs, options, running, nextLook } = runner;
  const carry: JobWorker['carry'] = (claimed, leaseSafeUntilMs) => runClaimedJob(runner, claimed, leaseSafeUntilMs);
  const sweep = createJobSweep(runner);
  let beating: NodeJS.Timeout | undefined;
  let polling: Promise<void> | undefined;
  let forget: (() => void)[] = [];

  return {
    carry,
    start: () => {
      if (polling) return;
      runner.isStopping = false;
      forget = [jobs.onAnnounced(nextLook.wake), jobs.employ({ leaseMs: options.leaseMs, carry })];
      beating = setInterval(() => void renewLeasesOrWarn(runner), options.beatMs).unref();
      sweep.start();
      polling = pollQueue(runner);
    },
    stop: async () => {
      runner.isStopping = true;
      for (const end of forget.splice(0)) end();
      nextLook.wake();
      const limit = new Promise<void>((resolve) => setTimeout(resolve, options.stopWithinMs).unref());
      const done = async () => {
        await polling;
        await Promise.all(running);
      };
      await Promise.race([Promise.all([sweep.stop(), done()]), limit]);
      clearInterval(beating);
      polling = undefined;
    },
  };
};
