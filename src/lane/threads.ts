import type { App } from '../app.ts';
import type { Log } from '../http/log.ts';
import { type BackgroundThread, startBackgroundThread } from './background-thread.ts';
import { type HeavyLane, openHeavyLane } from './heavy-lane.ts';
import type { ChangeNotice } from './messages.ts';
import type { ThreadAppData } from './thread-app.ts';

/** The threads beside the main one; each hears what the others have changed. */
export type Threads = {
  readonly lane: HeavyLane;
  /** Tells them what the application of the main thread has changed. */
  notify(notice: ChangeNotice): void;
  /** Starts the background thread of an application that begins to serve. */
  startBackground(app: Pick<App, 'hear' | 'engine'>): void;
  stopBackground(): Promise<void>;
};

export const openThreads = (data: ThreadAppData, log: Pick<Log, 'error'>): Threads => {
  let background: BackgroundThread | undefined;
  let hear: App['hear'] = () => {};
  const lane = openHeavyLane({
    ...data,
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
