import { randomUUID } from 'node:crypto';
import type { Graph } from '../graph/client.ts';
import { createPause } from '../graph/pause.ts';
import { encodeProperty } from '../graph/property.ts';
import type { Log } from '../http/log.ts';
import { type Desk, endJob, INTERRUPTED, settleFailure } from './ending.ts';
import { decodeJob, type Job } from './job.ts';
import type { Jobs, Worker } from './jobs.ts';
import { readPieces, removePieces } from './pieces.ts';
import { claimJob, readClaimable, renewJobs } from './queries.ts';
import { sweepJobs } from './sweep.ts';
import {
  type Advance,
  advanceSteps,
  type Claimed,
  JobStop,
  type Operation,
  type Operations,
  type StopReason,
  type Work,
} from './work.ts';

/** Does the jobs of the queue in this process. */
export type Runner = {
  /** Begins to look for jobs. */
  start(): void;
  /** Takes no more jobs, and hands back those it has as soon as they come to a place where that is possible. It may be started again. */
  stop(): Promise<void>;
  /** Does a job that was given to this process when it came to be, whoever in the process asked for it. */
  readonly carry: Worker['carry'];
};

export type RunnerOptions = {
  /** How many jobs run side by side. */
  readonly slots: number;
  /** How long a job belongs to a process that says nothing. */
  readonly leaseMs: number;
  /** How often a process says that it is still there. */
  readonly beatMs: number;
  /** How often the queue is looked at when something was found lately, and at the longest. */
  readonly pollMs: number;
  readonly idlePollMs: number;
  /** How often what has had its time is removed, by one process of all. */
  readonly sweepMs: number;
  /** How long `stop` waits for jobs to come to such a place. */
  readonly stopWithinMs: number;
  readonly retryMs: number;
};

/** How long a job belongs to a process that says nothing. */
export const LEASE_MS = 60_000;

const OPTIONS: RunnerOptions = Object.freeze({
  slots: 4,
  leaseMs: LEASE_MS,
  beatMs: 10_000,
  pollMs: 1000,
  idlePollMs: 8000,
  sweepMs: 600_000,
  stopWithinMs: 8000,
  retryMs: 5000,
});

/** A job that is begun this often without getting on brings its process down, or nearly. */
const MAX_ATTEMPTS = 20;

type Holding = Claimed & {
  readonly job: Job;
  readonly isResumed: boolean;
  isCancelled: boolean;
  /** Until when, by this process's own steady clock, nobody else can have taken the job over. */
  safeUntilMs: number;
};

export type RunnerDeps = {
  readonly graph: Graph;
  readonly jobs: Jobs;
  readonly operations: Operations;
  readonly log: Pick<Log, 'warn' | 'error'>;
  /** What one process of all does now and then beside removing old jobs. */
  readonly care?: () => Promise<void>;
  readonly options?: Partial<RunnerOptions>;
};

type House = Omit<RunnerDeps, 'options'> & {
  readonly options: RunnerOptions;
  readonly desk: Desk;
  readonly held: Map<string, Holding>;
  isStopping: boolean;
};

const reasonToStop = (house: House, mine: Holding, heedsCancel: boolean): StopReason | undefined => {
  // Half a beat before the lease may end, so that nothing is begun that another process might do as well.
  if (performance.now() > mine.safeUntilMs - house.options.beatMs / 2) return 'lost';
  if (heedsCancel && mine.isCancelled) return 'cancelled';
  return house.isStopping ? 'handedBack' : undefined;
};

const check = (house: House, mine: Holding, heedsCancel: boolean): void => {
  const reason = reasonToStop(house, mine, heedsCancel);
  if (reason) throw new JobStop(reason);
};

const save = async (house: House, mine: Holding, advance: Advance): Promise<void> => {
  const sentMs = performance.now();
  await house.graph.write(async (transaction) => {
    for (const { statement, rows, missing } of advanceSteps(mine, advance)) {
      const answered = await transaction.run(statement, { rows: rows.map((row, at) => ({ ...row, at })) });
      if (missing && answered.length < rows.length) throw missing();
    }
  });
  mine.safeUntilMs = sentMs + mine.leaseMs;
};

const workOf = (house: House, mine: Holding): Work => ({
  job: mine.job,
  isResumed: mine.isResumed,
  check: () => check(house, mine, true),
  checkCommitted: () => check(house, mine, false),
  save: (advance) => save(house, mine, advance),
  saveSteps: (advance) => advanceSteps(mine, advance),
  input: (from) => readPieces(house.graph, mine.jobId, 'input', from),
});

const perform = async (house: House, mine: Holding, operation: Operation): Promise<void> => {
  const { desk } = house;
  if (mine.isResumed && operation.restart === 'fail') return endJob(desk, mine, operation, INTERRUPTED);
  if (mine.job.attempts > MAX_ATTEMPTS) {
    return endJob(desk, mine, operation, { status: 'FAILED', error: 'interrupted too often' });
  }
  try {
    check(house, mine, !mine.job.committed);
    // Whoever began before may have had more to say.
    if (mine.isResumed && operation.restart === 'restart') await removePieces(house.graph, mine.jobId, 'result');
    const outcome = await operation.run(workOf(house, mine));
    await endJob(desk, mine, operation, { status: 'COMPLETED', ...outcome });
  } catch (failure) {
    await settleFailure(desk, mine, operation, failure);
  }
};

/** Runs one job to whatever end. When even that cannot be written down, the lease runs out and somebody begins again. */
const run = async (house: House, mine: Holding, operation: Operation): Promise<void> => {
  house.held.set(mine.jobId, mine);
  try {
    await perform(house, mine, operation);
  } catch (failure) {
    house.log.warn('job left to its lease', { jobId: mine.jobId, operation: mine.job.operation }, failure);
  } finally {
    house.held.delete(mine.jobId);
  }
};

/** Takes the oldest job that nobody does; undefined when there is none. */
const claim = async ({ graph, operations, options }: House): Promise<Holding | undefined> => {
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
    safeUntilMs: sentMs + leaseMs,
  };
};

/** Says that this process is still there, and hears which of its jobs are to stop. */
const renewLeases = async ({ graph, held }: House): Promise<void> => {
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
    one.safeUntilMs = answer ? sentMs + one.leaseMs : 0;
    one.isCancelled ||= answer?.cancelRequested ?? false;
  });
};

const heedCancels = async ({ jobs, held }: House): Promise<void> => {
  const wanted = await Promise.all(
    [...held.values()].map(async (mine) => ({ mine, job: await jobs.read(mine.jobId) })),
  );
  for (const { mine, job } of wanted) mine.isCancelled ||= job?.cancelRequested ?? false;
};

/** Makes a runner of the given operations; it looks at jobs of no others. */
export const createRunner = (deps: RunnerDeps): Runner => {
  const options = { ...OPTIONS, ...deps.options };
  const desk = { graph: deps.graph, log: deps.log, retryMs: options.retryMs };
  const house: House = { ...deps, options, desk, held: new Map(), isStopping: false };
  const names = Object.keys(deps.operations);
  const running = new Set<Promise<void>>();
  const timers: NodeJS.Timeout[] = [];
  const { wake, pause } = createPause();
  let looping: Promise<void> | undefined;
  let forget: (() => void)[] = [];

  const begin = (mine: Holding): Promise<void> => {
    const operation = deps.operations[mine.job.operation];
    if (!operation) throw new Error(`claimed a job of the unknown operation ${mine.job.operation}`);
    const work = run(house, mine, operation).finally(() => {
      running.delete(work);
      wake();
    });
    running.add(work);
    return work;
  };

  const carry: Worker['carry'] = async (claimed, safeUntilMs) => {
    try {
      const job = await deps.jobs.read(claimed.jobId);
      if (job) await begin({ ...claimed, job, isResumed: false, isCancelled: job.cancelRequested, safeUntilMs });
    } catch (failure) {
      deps.log.warn('job left to its lease', { jobId: claimed.jobId }, failure);
    }
  };

  /** Takes as many jobs as there are free hands; answers whether there was anything. */
  const fill = async (): Promise<boolean> => {
    if (running.size >= options.slots || names.length === 0) return false;
    if ((await deps.graph.read(readClaimable, { operations: names })).length === 0) return false;
    let isAny = false;
    while (!house.isStopping && running.size < options.slots) {
      const mine = await claim(house);
      if (!mine) break;
      void begin(mine);
      isAny = true;
    }
    return isAny;
  };

  const loop = async (): Promise<void> => {
    let waitMs = options.pollMs;
    while (!house.isStopping) {
      try {
        const [isAny] = await Promise.all([fill(), heedCancels(house)]);
        // With work in hand it looks often: somebody may want it to stop.
        waitMs = isAny || running.size > 0 ? options.pollMs : Math.min(waitMs * 1.5, options.idlePollMs);
      } catch (failure) {
        deps.log.warn('the queue of jobs cannot be read', {}, failure);
        waitMs = options.idlePollMs;
      }
      await pause(waitMs);
    }
  };

  const every = (ms: number, what: string, work: () => Promise<void>): void => {
    const guarded = () => void work().catch((failure: unknown) => deps.log.warn(what, {}, failure));
    timers.push(setInterval(guarded, ms).unref());
  };

  return {
    carry,
    start: () => {
      if (looping) return;
      house.isStopping = false;
      forget = [deps.jobs.onAnnounced(wake), deps.jobs.employ({ leaseMs: options.leaseMs, carry })];
      every(options.beatMs, 'leases of jobs could not be renewed', () => renewLeases(house));
      const { care = () => Promise.resolve() } = deps;
      every(options.sweepMs, 'the queue could not be cared for', () => sweepJobs(deps.graph, options.sweepMs, care));
      looping = loop();
    },
    stop: async () => {
      house.isStopping = true;
      for (const end of forget.splice(0)) end();
      wake();
      const limit = new Promise<void>((resolve) => setTimeout(resolve, options.stopWithinMs).unref());
      const done = async () => {
        await looping;
        await Promise.all(running);
      };
      await Promise.race([done(), limit]);
      for (const timer of timers.splice(0)) clearInterval(timer);
      looping = undefined;
    },
  };
};
