import { ok } from './expect.ts';
import { waitFor } from './patience.ts';
import type { Client } from './service.ts';

/** Waits for jobs and reads their state. */

// biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it, not the compiler.
type AnyJob = any;

/** Reads a job until it answers what is asked for. */
export const waitForJob = (client: Client, jobId: string, is: (job: AnyJob) => boolean): Promise<AnyJob> =>
  waitFor(async () => ok(await client.get(`/v1/jobs/${jobId}`)), is, `job ${jobId} is that far`);

const OVER = new Set(['COMPLETED', 'FAILED', 'CANCELLED']);

/** The job when it is over. */
export const waitForJobEnd = (client: Client, jobId: string): Promise<AnyJob> =>
  waitForJob(client, jobId, (job) => OVER.has(job.status));

/** Some members of a job, in order. */
export const pickMembers = (job: AnyJob, ...names: readonly string[]): unknown[] => names.map((name) => job[name]);
