import type { App } from '../app.ts';
import type { Log } from '../http/log.ts';
import type { ProcessTracing } from '../tracing/open-tracing.ts';
import { type BackgroundThread, startBackgroundThread } from './background-thread.ts';
import { type HeavyLane, openHeavyLane } from './heavy-lane.ts';
import type { ChangeNotice } from './messages.ts';
import type { ThreadAppData } from './thread-app.ts';

/**
 * A process runs three threads: the main thread answers requests, the heavy lane answers the expensive ones, and the
 * background thread does jobs and deliveries. Read this file first, then `heavy-lane.ts` with `serve-lane.ts` and
 * `messages.ts` (requests to the lane), then `background-thread.ts` with `background-worker.ts`. `remote-job-worker.ts`
 * hands jobs to the background thread, `change-notices.ts` keeps the caches of all threads current.
 */

/** The threads besides the main one. Each learns what the others have changed. */
export type Threads = {
  readonly lane: HeavyLane;
  /** Passes on a change by the application of the main thread. */
  notify(notice: ChangeNotice): void;
  /** Starts the background thread of an application that begins to serve. */
  startBackground(app: Pick<App, 'hear' | 'engine'>): void;
  stopBackground(): Promise<void>;
};

export const openThreads = (
  data: ThreadAppData,
  log: Pick<Log, 'error'>,
  tracing?: ProcessTracing | undefined,
): Threads => {
  let background: BackgroundThread | undefined;
  let hear: App['hear'] = () => {};
  const lane = openHeavyLane({
    ...data,
    tracing,
    onNotice: (notice) => {
      hear(notice);
      background?.notify(notice);
    },
    carry: async (claimed, safeUntilMs) => background?.carry(claimed, safeUntilMs),
    onThreadFailure: (cause) => log.error('the heavy lane failed', {}, cause),
  });
  return {
    lane,
    notify: (notice) => {
      lane.notify(notice);
      background?.notify(notice);
    },
    startBackground: (app) => {
      hear = app.hear;
      background = startBackgroundThread({
        ...data,
        tracing,
        jobs: app.engine.jobs,
        onNotice: (notice) => {
          app.hear(notice);
          lane.notify(notice);
        },
        onThreadFailure: (cause) => log.error('the background thread failed', {}, cause),
      });
    },
    stopBackground: async () => background?.stop(),
  };
};
