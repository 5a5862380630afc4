import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { JobQueue, JobWorker } from '../jobs/job-queue.ts';
import { threadFile } from '../platform/thread.ts';
import type { ProcessTracing } from '../tracing/open-tracing.ts';
import type { ChangeNotice, SpansMessage } from './messages.ts';
import { type JobReleasedMessage, type RunJobMessage, registerRemoteWorker } from './remote-job-worker.ts';
import type { ThreadAppData } from './thread-app.ts';

/** A message from another thread to the background thread. */
export type MessageToBackground =
  | { readonly type: 'notice'; readonly notice: ChangeNotice }
  | { readonly type: 'stop' }
  | RunJobMessage;

type MessageFromBackground =
  | { readonly type: 'notice'; readonly notice: ChangeNotice }
  | SpansMessage
  | JobReleasedMessage;

export type BackgroundOptions = ThreadAppData & {
  /** The job queue of this thread's application. The background thread runs its jobs. */
  readonly jobs: Pick<JobQueue, 'employ' | 'onAnnounced'>;
  /** Called when the background thread has changed something. */
  readonly onNotice: (notice: ChangeNotice) => void;
  /** Called with the cause when the thread fails. */
  readonly onThreadFailure: (cause: unknown) => void;
  /** The tracing of the main thread, which exports the spans of this one. */
  readonly tracing?: ProcessTracing | undefined;
};

/** The thread for work that no request waits for: jobs, deliveries, notifications and search documents. */
export type BackgroundThread = {
  /** Passes on a change that another thread has made. */
  notify(notice: ChangeNotice): void;
  /** Runs a job that another thread of the process has claimed. */
  readonly carry: JobWorker['carry'];
  /** Lets the thread finish what it can, then ends it. */
  stop(): Promise<void>;
};

/** The memory limit of the thread. A thread that exceeds it restarts, and the leases of its jobs expire. */
const MAX_HEAP_MIB = 2048;

const RESTART_AFTER_MS = 1000;
/** Longer than the parts of the thread wait for their work in progress. */
const STOP_TIMEOUT_MS = 12_000;

/** Starts the thread and restarts it after each failure until it is stopped. */
export const startBackgroundThread = (options: BackgroundOptions): BackgroundThread => {
  const { jobs, onNotice, onThreadFailure, tracing, ...data } = options;
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
      else if (message.type === 'spans') tracing?.takeSpans(message.spans);
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
    // A listener on a thread keeps the process alive, so `unref` must come last.
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
