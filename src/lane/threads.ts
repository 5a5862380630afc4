import type { App } from '../app.ts';
import type { Log } from '../http/log.ts';
import { type Background, startBackground } from './background.ts';
import { type HeavyLane, openLane } from './lane.ts';
import type { Notice } from './messages.ts';
import type { ThreadData } from './thread-app.ts';

/** The threads beside the main one; each hears what the others have changed. */
export type Threads = {
  readonly lane: HeavyLane;
  /** Tells them what the application of the main thread has changed. */
  tell(notice: Notice): void;
  /** Starts the background thread of an application that begins to serve. */
  startBackground(app: Pick<App, 'hear' | 'engine'>): void;
  stopBackground(): Promise<void>;
};

export const openThreads = (data: ThreadData, log: Pick<Log, 'error'>): Threads => {
  let background: Background | undefined;
  let hear: App['hear'] = () => {};
  const lane = openLane({
    ...data,
    hear: (notice) => {
      hear(notice);
      background?.tell(notice);
    },
    carry: async (claimed, safeUntilMs) => background?.carry(claimed, safeUntilMs),
    report: (cause) => log.error('the heavy lane failed', {}, cause),
  });
  return {
    lane,
    tell: (notice) => {
      lane.tell(notice);
      background?.tell(notice);
    },
    startBackground: (app) => {
      hear = app.hear;
      background = startBackground({
        ...data,
        jobs: app.engine.jobs,
        hear: (notice) => {
          app.hear(notice);
          lane.tell(notice);
        },
        report: (cause) => log.error('the background thread failed', {}, cause),
      });
    },
    stopBackground: async () => background?.stop(),
  };
};
