import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { JobQueue, JobWorker } from '../jobs/job-queue.ts';
import { threadFile } from '../platform/thread.ts';
import type { ChangeNotice } from './messages.ts';
import { type JobReleasedMessage, type RunJobMessage, registerRemoteWorker } from './remote-job-worker.ts';
import type { ThreadAppData } from './thread-app.ts';

/** What the background thread is told. */
export type MessageToBackground =
  | { readonly type: 'notice'; readonly notice: ChangeNotice }
  | { readonly type: 'stop' }
  | RunJobMessage;

type MessageFromBackground = { readonly type: 'notice'; readonly notice: ChangeNotice } | JobReleasedMessage;

export type BackgroundOptions = ThreadAppData & {
  /** The queue of this thread's application, whose jobs the background thread does. */
  readonly jobs: Pick<JobQueue, 'employ' | 'onAnnounced'>;
  /** Told of what the background thread has changed. */
  readonly onNotice: (notice: ChangeNotice) => void;
  /** Told why the thread failed. */
  readonly onThreadFailure: (cause: unknown) => void;
};

/** The thread that does what nobody waits for: jobs, deliveries, notifications, search documents. */
export type BackgroundThread = {
  /** Tells it what another thread has changed. */
  notify(notice: ChangeNotice): void;
  /** Does a job that a thread of the process has taken. */
  readonly carry: JobWorker['carry'];
  /** Lets it finish what it can, and ends it. */
  stop(): Promise<void>;
};

/** More than this the thread may not hold. It then starts anew, and the leases of its jobs run out. */
const MAX_HEAP_MIB = 2048;

const RESTART_AFTER_MS = 1000;
/** Longer than its parts wait for what they have under way. */
const STOP_TIMEOUT_MS = 12_000;

/** Starts the thread, and starts it again whenever it fails, until it is stopped. */
export const startBackgroundThread = (options: BackgroundOptions): BackgroundThread => {
  const { jobs, onNotice, onThreadFailure, ...data } = options;
  let thread: Worker | undefined;
  let restart: NodeJS.Timeout | undefined;
  let isStopping = false;

  const send = (message: MessageToBackground): void => thread?.postMessage(message);
  const remote = registerRemoteWorker(jobs, (message) => {
    if (thread) send(message);
    else remote.abandon();
  });
  const forget = jobs.onAnnounced(() => send({ type: 'notice', notice: { type: 'jobs' } }));

  const start = (): void => {
    const worker = new Worker(threadFile(import.meta.url, 'background-worker'), {
      workerData: data satisfies ThreadAppData,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB },
    });
    thread = worker;
    worker.on('message', (message: MessageFromBackground) => {
      if (message.type === 'notice') onNotice(message.notice);
      else remote.released(message.id);
    });
    const fail = (cause: unknown): void => {
      if (thread !== worker) return;
      thread = undefined;
      remote.abandon();
      if (isStopping) return;
      onThreadFailure(cause);
      restart = setTimeout(start, RESTART_AFTER_MS).unref();
    };
    worker.on('error', fail);
    worker.on('exit', (code) => fail(new Error(`the background thread ended with code ${code}`)));
    // Whoever listens to a thread keeps the process for it, so that this comes last.
    worker.unref();
  };

  start();
  return {
    notify: (notice) => send({ type: 'notice', notice }),
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
      send({ type: 'stop' });
      await Promise.race([ended, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
      await worker.terminate();
      remote.abandon();
    },
  };
};
