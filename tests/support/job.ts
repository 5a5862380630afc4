import { setTimeout as sleep } from 'node:timers/promises';
import { ok } from './expect.ts';
import type { Client } from './service.ts';

/** Waits for jobs and reads their state. */

const WITHIN_MS = 40_000;

// biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it, not the compiler.
type AnyJob = any;

/** Reads a job until it answers what is asked for. */
export const waitForJob = async (
  client: Client,
  jobId: string,
  is: (job: AnyJob) => boolean,
  withinMs = WITHIN_MS,
): Promise<AnyJob> => {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const job = ok(await client.get(`/v1/jobs/${jobId}`));
    if (is(job)) return job;
    if (Date.now() > deadline) throw new Error(`job ${jobId} did not get there: ${JSON.stringify(job)}`);
    await sleep(20);
  }
};

const OVER = new Set(['COMPLETED', 'FAILED', 'CANCELLED']);

/** The job when it is over. */
export const waitForJobEnd = (client: Client, jobId: string, withinMs = WITHIN_MS): Promise<AnyJob> =>
  waitForJob(client, jobId, (job) => OVER.has(job.status), withinMs);

/** Some members of a job, in order. */
export const pickMembers = (job: AnyJob, ...names: readonly string[]): unknown[] => names.map((name) => job[name]);
