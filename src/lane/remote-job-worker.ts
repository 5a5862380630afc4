import type { ClaimedJob } from '../jobs/job-operation.ts';
import type { JobQueue, JobWorker } from '../jobs/job-queue.ts';
import { JOB_LEASE_MS } from '../jobs/job-runner.ts';

/** A job on its way to the thread that does the jobs of the process. */
export type RunJobMessage = {
  readonly type: 'carry';
  readonly id: number;
  readonly claimed: ClaimedJob;
  /** The end of the lease by the clock that all threads of a process share. */
  readonly safeUntilMs: number;
};

/** The job was let go of, done or not. */
export type JobReleasedMessage = { readonly type: 'carried'; readonly id: number };

/** Every thread begins to count `performance.now()` at its own start. */
const sharedNowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

const toSharedClock = (ownMs: number): number => ownMs - performance.now() + sharedNowMs();
export const fromSharedClock = (sharedMs: number): number => sharedMs - sharedNowMs() + performance.now();

/** Jobs that this thread takes are done by another one. */
export type RemoteJobWorker = {
  readonly carry: JobWorker['carry'];
  /** Hears that a job was let go of. */
  released(id: number): void;
  /** Nobody answers any more for what was handed over: whoever waits goes on, and leases run out. */
  abandon(): void;
  /** Hands over no more jobs: they are queued. */
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
