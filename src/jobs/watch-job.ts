import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerEvent, ServerEventSource } from '../http/event-stream.ts';
import type { JsonObject } from '../model/json.ts';
import { isJobOver, type Job } from './job.ts';
import type { JobQueue } from './job-queue.ts';

/** Sends at most two states a second. */
const WATCH_POLL_MS = 500;

type Render = (job: Job) => Promise<JsonObject>;

const jobEvent = async (job: Job, render: Render): Promise<ServerEvent> => ({
  event: isJobOver(job) ? 'done' : 'progress',
  data: await render(job),
});

/**
 * Streams the state of a job: the current one at once, each later one, and the last as `done`. Another process may run
 * the job, so this polls the record.
 */
export const watchJob = (jobs: JobQueue, first: Job, render: Render): ServerEventSource =>
  async function* (signal) {
    let sentUpdatedAt = 0;
    for (let job: Job | undefined = first; job; job = await jobs.read(job.jobId)) {
      if (job.updatedAt !== sentUpdatedAt || isJobOver(job)) yield await jobEvent(job, render);
      sentUpdatedAt = job.updatedAt;
      if (isJobOver(job)) return;
      await sleep(WATCH_POLL_MS, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
    }
  };
