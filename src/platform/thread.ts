import { parentPort, Worker } from 'node:worker_threads';

/** Why a task was not done: by its time, by its memory, by what waits already, or because the thread itself failed. */
export type TaskRefusal = 'too slow' | 'too large' | 'too many' | 'failed';

export type TaskOutcome<Answer> = { readonly answer: Answer } | { readonly refusal: TaskRefusal };

/** A thread beside the event loop. It starts with its first task, does one at a time and never keeps a process alive. */
export type TaskThread<Task, Answer> = {
  /** Never rejects: what is not done is told in the outcome. */
  run(task: Task): Promise<TaskOutcome<Answer>>;
  close(): Promise<void>;
};

export type ThreadOptions<Task, Answer> = {
  readonly file: URL;
  /** A task that takes longer is given up, and the thread with it. */
  readonly timeoutMs: number;
  /** After so long without work the thread and its memory are given back. */
  readonly idleMs: number;
  readonly heapMiB: number;
  /** Of what waits, the lightest is done first. Tasks that weigh the same keep their order. */
  readonly weightOf?: (task: Task) => number;
  /** What may wait, by its weight. */
  readonly mostWaiting?: number;
  /** Whether a thread that answered this must not be asked again. */
  readonly isLast?: (answer: Answer) => boolean;
  /** Told why the thread failed. */
  readonly report?: (cause: unknown) => void;
};

const READY = 'ready';

/** So long the first task waits for the thread to be loaded, before its own time begins. */
const LOADING_MS = 30_000;

/** The file of a thread beside the file that starts it: a source in tests, compiled in the service. */
export const threadFile = (url: string, name: string): URL =>
  new URL(`./${name}${url.endsWith('.ts') ? '.ts' : '.js'}`, url);

/** The thread's own side: does the tasks it is asked to do. */
export const serveTasks = <Task, Answer>(work: (task: Task) => Answer): void => {
  const port = parentPort;
  port?.on('message', (task: Task) => port.postMessage(work(task)));
  port?.postMessage(READY);
};

type QueuedTask<Task, Answer> = {
  readonly task: Task;
  readonly weight: number;
  readonly done: (outcome: TaskOutcome<Answer>) => void;
};

const takeLightest = <Task, Answer>(jobs: QueuedTask<Task, Answer>[]): QueuedTask<Task, Answer> | undefined => {
  const least = Math.min(...jobs.map(({ weight }) => weight));
  const [job] = jobs.splice(
    Math.max(
      0,
      jobs.findIndex(({ weight }) => weight === least),
    ),
    1,
  );
  return job;
};

const refusalOf = (cause: unknown): TaskRefusal =>
  (cause as { readonly code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'too large' : 'failed';

export const openThread = <Task, Answer>(options: ThreadOptions<Task, Answer>): TaskThread<Task, Answer> => {
  const { file, timeoutMs, idleMs, heapMiB, weightOf = () => 0, mostWaiting = Number.POSITIVE_INFINITY } = options;
  const waiting: QueuedTask<Task, Answer>[] = [];
  let thread: Worker | undefined;
  let running: QueuedTask<Task, Answer> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let idle: NodeJS.Timeout | undefined;

  const stopWorker = (): Promise<unknown> => {
    const old = thread;
    thread = undefined;
    old?.removeAllListeners();
    // A thread that is stopped in the middle of its work may still fail, and nobody waits for it any more.
    old?.on('error', () => undefined);
    return old?.terminate() ?? Promise.resolve();
  };

  const finish = (outcome: TaskOutcome<Answer>): void => {
    const job = running;
    clearTimeout(timer);
    running = undefined;
    job?.done(outcome);
    next();
  };

  const giveUp = (refusal: TaskRefusal): void => {
    void stopWorker();
    finish({ refusal });
  };

  const giveUpAfter = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => giveUp('too slow'), ms);
  };

  const onMessage = (message: Answer | typeof READY): void => {
    if (message === READY) {
      giveUpAfter(timeoutMs);
      return;
    }
    const answer = message as Answer;
    if (options.isLast?.(answer)) void stopWorker();
    finish({ answer });
  };

  const startWorker = (): Worker => {
    const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: heapMiB } });
    worker.on('message', onMessage);
    worker.on('error', (cause) => {
      const refusal = refusalOf(cause);
      if (refusal === 'failed') options.report?.(cause);
      giveUp(refusal);
    });
    // Whoever listens to a thread keeps the process for it, so that this comes last.
    worker.unref();
    return worker;
  };

  const next = (): void => {
    if (running) return;
    clearTimeout(idle);
    const job = takeLightest(waiting);
    if (job === undefined) {
      idle = setTimeout(() => void stopWorker(), idleMs).unref();
      return;
    }
    running = job;
    giveUpAfter(thread ? timeoutMs : LOADING_MS);
    thread ??= startWorker();
    thread.postMessage(job.task);
  };

  return {
    run: (task) =>
      new Promise((done) => {
        const weight = weightOf(task);
        const already = waiting.reduce((sum, job) => sum + job.weight, 0);
        if (already > 0 && already + weight > mostWaiting) return done({ refusal: 'too many' });
        waiting.push({ task, weight, done });
        next();
      }),
    close: async () => {
      for (const job of waiting.splice(0)) job.done({ refusal: 'failed' });
      if (running) giveUp('failed');
      clearTimeout(idle);
      await stopWorker();
    },
  };
};
