import type { ClaimedJob } from '../jobs/job-operation.ts';
import type { JobQueue, JobWorker } from '../jobs/job-queue.ts';
import { JOB_LEASE_MS } from '../jobs/job-runner.ts';

/** A job on its way to the thread that runs the jobs of the process. */
export type RunJobMessage = {
  readonly type: 'carry';
  readonly id: number;
  readonly claimed: ClaimedJob;
  /** The end of the lease, by the clock that all threads of a process share. */
  readonly safeUntilMs: number;
};

/** The thread no longer holds the job, whether it is done or not. */
export type JobReleasedMessage = { readonly type: 'carried'; readonly id: number };

/** Each thread counts `performance.now()` from its own start, so threads exchange times by this clock. */
const sharedNowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

const toSharedClock = (ownMs: number): number => ownMs - performance.now() + sharedNowMs();
export const fromSharedClock = (sharedMs: number): number => sharedMs - sharedNowMs() + performance.now();

/** Hands the jobs that this thread claims to another thread. */
export type RemoteJobWorker = {
  readonly carry: JobWorker['carry'];
  /** Reports that the other thread no longer holds a job. */
  released(id: number): void;
  /** Gives up on all jobs that were handed over: callers stop waiting, and the leases expire. */
  abandon(): void;
  /** Hands over no more jobs; new ones are queued. */
  stop(): void;
};

export const registerRemoteWorker = (
  jobs: Pick<JobQueue, 'employ'>,
  send: (message: RunJobMessage) => void,
): RemoteJobWorker => {
  const waiting = new Map<number, () => void>();
  let lastId = 0;
  const carry: JobWorker['carry'] = (claimed, safeUntilMs) =>
    new Promise((resolve) => {
      lastId += 1;
      waiting.set(lastId, resolve);
      send({ type: 'carry', id: lastId, claimed, safeUntilMs: toSharedClock(safeUntilMs) });
    });
  return {
    carry,
    released: (id) => {
      waiting.get(id)?.();
      waiting.delete(id);
    },
    abandon: () => {
      for (const resolve of waiting.values()) resolve();
      waiting.clear();
    },
    stop: jobs.employ({ leaseMs: JOB_LEASE_MS, carry }),
  };
};
