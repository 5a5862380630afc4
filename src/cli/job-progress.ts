import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError } from '../errors.ts';
import type { JsonRequest } from './service-client.ts';

/** Waits for jobs of a running service. */

type ServiceJob = {
  readonly status: string;
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
  readonly error?: string;
};

const FIRST_POLL_MS = 50;
const POLL_MS = 1000;

const ENDED_STATUSES: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'CANCELLED']);

export const describeProgress = ({ progress, total }: ServiceJob, what: string): string =>
  total === undefined ? `${progress} ${what}` : `${progress} of ${total} ${what}`;

type JobWait = { readonly pollMs?: number | undefined; readonly onProgress: (job: ServiceJob) => void };

/** Waits until a job is complete. Throws a StartupError when it failed or was cancelled. */
export const waitForJob = async (
  request: JsonRequest,
  command: string,
  jobId: string,
  { pollMs = POLL_MS, onProgress }: JobWait,
): Promise<ServiceJob> => {
  // Short jobs are over soon, so the first questions follow each other quickly.
  for (let wait = Math.min(FIRST_POLL_MS, pollMs); ; wait = Math.min(wait * 2, pollMs)) {
    const job = (await request(command, 'GET', `jobs/${jobId}`)) as ServiceJob;
    if (job.status === 'COMPLETED') return job;
    if (ENDED_STATUSES.has(job.status)) throw new StartupError(`${job.status}: ${job.error ?? job.message ?? jobId}`);
    if (job.status === 'RUNNING') onProgress(job);
    await sleep(wait);
  }
};
