import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Jobs, Worker as JobWorker } from '../jobs/jobs.ts';
import { threadBeside } from '../thread.ts';
import type { Notice } from './messages.ts';
import { type CarriedMessage, type CarryMessage, employRemoteWorker } from './remote-worker.ts';
import type { ThreadData } from './thread-app.ts';

/** What the background thread is told. */
export type BackgroundMessage =
  | { readonly type: 'notice'; readonly notice: Notice }
  | { readonly type: 'stop' }
  | CarryMessage;

type FromBackground = { readonly type: 'notice'; readonly notice: Notice } | CarriedMessage;

export type BackgroundOptions = ThreadData & {
  /** The queue of this thread's application, whose jobs the background thread does. */
  readonly jobs: Pick<Jobs, 'employ' | 'onAnnounced'>;
  /** Told of what the background thread has changed. */
  readonly hear: (notice: Notice) => void;
  /** Told why the thread failed. */
  readonly report: (cause: unknown) => void;
};

/** The thread that does what nobody waits for: jobs, deliveries, notifications, search documents. */
export type Background = {
  /** Tells it what another thread has changed. */
  tell(notice: Notice): void;
  /** Does a job that a thread of the process has taken. */
  readonly carry: JobWorker['carry'];
  /** Lets it finish what it can, and ends it. */
  stop(): Promise<void>;
};

/** More than this the thread may not hold. It then starts anew, and the leases of its jobs run out. */
const HEAP_MIB = 2048;

const RESTART_AFTER_MS = 1000;
/** Longer than its parts wait for what they have under way. */
const STOP_WITHIN_MS = 12_000;

/** Starts the thread, and starts it again whenever it fails, until it is stopped. */
export const startBackground = (options: BackgroundOptions): Background => {
  const { jobs, hear, report, ...data } = options;
  let thread: Worker | undefined;
  let restart: NodeJS.Timeout | undefined;
  let isStopping = false;

  const say = (message: BackgroundMessage): void => thread?.postMessage(message);
  const remote = employRemoteWorker(jobs, (message) => {
    if (thread) say(message);
    else remote.abandon();
  });
  const forget = jobs.onAnnounced(() => say({ type: 'notice', notice: { type: 'jobs' } }));

  const start = (): void => {
    const worker = new Worker(threadBeside(import.meta.url, 'background-worker'), {
      workerData: data satisfies ThreadData,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    });
    thread = worker;
    worker.on('message', (message: FromBackground) => {
      if (message.type === 'notice') hear(message.notice);
      else remote.carried(message.id);
    });
    const fail = (cause: unknown): void => {
      if (thread !== worker) return;
      thread = undefined;
      remote.abandon();
      if (isStopping) return;
      report(cause);
      restart = setTimeout(start, RESTART_AFTER_MS).unref();
    };
    worker.on('error', fail);
    worker.on('exit', (code) => fail(new Error(`the background thread ended with code ${code}`)));
    // Whoever listens to a thread keeps the process for it, so that this comes last.
    worker.unref();
  };

  start();
  return {
    tell: (notice) => say({ type: 'notice', notice }),
    carry: remote.carry,
    stop: async () => {
      isStopping = true;
      clearTimeout(restart);
      forget();
      remote.stop();
      const worker = thread;
      if (!worker) return;
      const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
      worker.ref();
      say({ type: 'stop' });
      await Promise.race([ended, sleep(STOP_WITHIN_MS, undefined, { ref: false })]);
      await worker.terminate();
      remote.abandon();
    },
  };
};
