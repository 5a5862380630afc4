import { setTimeout as sleep } from 'node:timers/promises';
import type { EventSource, ServerEvent } from '../http/event-stream.ts';
import type { JsonObject } from '../model/json.ts';
import { isOver, type Job } from './job.ts';
import type { Jobs } from './jobs.ts';

/** At most two states a second. */
const LOOK_EVERY_MS = 500;

type Render = (job: Job) => Promise<JsonObject>;

const eventOf = async (job: Job, render: Render): Promise<ServerEvent> => ({
  event: isOver(job) ? 'done' : 'progress',
  data: await render(job),
});

/**
 * Tells how a job gets on: its present state at once, later states when there are any, and the last one as `done`. Whoever
 * does the job may be another process, so the record is what is watched.
 */
export const watchJob = (jobs: Jobs, first: Job, render: Render): EventSource =>
  async function* (signal) {
    let told = 0;
    for (let job: Job | undefined = first; job; job = await jobs.read(job.jobId)) {
      if (job.updatedAt !== told || isOver(job)) yield await eventOf(job, render);
      told = job.updatedAt;
      if (isOver(job)) return;
      await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
    }
  };
