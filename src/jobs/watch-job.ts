import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerEvent, ServerEventSource } from '../http/event-stream.ts';
import type { JsonObject } from '../model/json.ts';
import { isJobOver, type Job } from './job.ts';
import type { JobQueue } from './job-queue.ts';

/** At most two states a second. */
const WATCH_POLL_MS = 500;

type Render = (job: Job) => Promise<JsonObject>;

const jobEvent = async (job: Job, render: Render): Promise<ServerEvent> => ({
  event: isJobOver(job) ? 'done' : 'progress',
  data: await render(job),
});

/**
 * Tells how a job gets on: its present state at once, later states when there are any, and the last one as `done`. Whoever
 * does the job may be another process, so the record is what is watched.
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
