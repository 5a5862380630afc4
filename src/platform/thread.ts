import { parentPort, Worker } from 'node:worker_threads';

/** Runs tasks in a separate thread, with limits on time and memory. */

/** Why a task was not done: it took too long, it needed too much memory, the queue was full, or the thread failed. */
export type TaskRefusal = 'too slow' | 'too large' | 'too many' | 'failed';

export type TaskOutcome<Answer> = { readonly answer: Answer } | { readonly refusal: TaskRefusal };

/** A worker thread. It starts with its first task, does one task at a time and never keeps the process alive. */
export type TaskThread<Task, Answer> = {
  /** Never rejects: the outcome says when a task was not done. */
  run(task: Task): Promise<TaskOutcome<Answer>>;
  close(): Promise<void>;
};

export type ThreadOptions<Task, Answer> = {
  readonly file: URL;
  /** A task that takes longer is abandoned, and the thread is stopped. */
  readonly timeoutMs: number;
  /** After this time without work, the thread is stopped to free its memory. */
  readonly idleMs: number;
  readonly heapMiB: number;
  /** The weight of a task. The lightest waiting task runs first; equal ones keep their order. */
  readonly weightOf?: (task: Task) => number;
  /** The maximum total weight of the waiting tasks. */
  readonly mostWaiting?: number;
  /** Whether the thread must be replaced after this answer. */
  readonly isLast?: (answer: Answer) => boolean;
  /** Receives the reason when the thread fails. */
  readonly report?: (cause: unknown) => void;
};

const READY = 'ready';

/** How long the first task waits at least for the thread to load before its own time limit begins. */
const LOADING_MS = 30_000;

/** Answers the file of a thread beside the file that starts it: source in tests, compiled in the service. */
export const threadFile = (url: string, name: string): URL =>
  new URL(`./${name}${url.endsWith('.ts') ? '.ts' : '.js'}`, url);

/** Runs inside the thread and answers its tasks. */
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

type ThreadState<Task, Answer> = {
  readonly options: ThreadOptions<Task, Answer>;
  readonly waiting: QueuedTask<Task, Answer>[];
  worker: Worker | undefined;
  running: QueuedTask<Task, Answer> | undefined;
  /** Ends the running task when it takes too long. */
  deadline: NodeJS.Timeout | undefined;
  /** Stops the worker when there has been no work for long. */
  idle: NodeJS.Timeout | undefined;
};

const stopWorker = <Task, Answer>(thread: ThreadState<Task, Answer>): Promise<unknown> => {
  const old = thread.worker;
  thread.worker = undefined;
  old?.removeAllListeners();
  // A stopped thread may still fail, and nobody waits for it any more.
  old?.on('error', () => undefined);
  return old?.terminate() ?? Promise.resolve();
};

const finish = <Task, Answer>(thread: ThreadState<Task, Answer>, outcome: TaskOutcome<Answer>): void => {
  const job = thread.running;
  clearTimeout(thread.deadline);
  thread.running = undefined;
  job?.done(outcome);
  startNext(thread);
};

const giveUp = <Task, Answer>(thread: ThreadState<Task, Answer>, refusal: TaskRefusal): void => {
  void stopWorker(thread);
  finish(thread, { refusal });
};

const giveUpAfter = <Task, Answer>(thread: ThreadState<Task, Answer>, ms: number): void => {
  clearTimeout(thread.deadline);
  thread.deadline = setTimeout(() => giveUp(thread, 'too slow'), ms);
};

const handleMessage = <Task, Answer>(thread: ThreadState<Task, Answer>, message: Answer | typeof READY): void => {
  if (message === READY) {
    giveUpAfter(thread, thread.options.timeoutMs);
    return;
  }
  const answer = message as Answer;
  if (thread.options.isLast?.(answer)) void stopWorker(thread);
  finish(thread, { answer });
};

const startWorker = <Task, Answer>(thread: ThreadState<Task, Answer>): Worker => {
  const { file, heapMiB, report } = thread.options;
  const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: heapMiB } });
  worker.on('message', (message: Answer | typeof READY) => handleMessage(thread, message));
  worker.on('error', (cause) => {
    const refusal = refusalOf(cause);
    if (refusal === 'failed') report?.(cause);
    giveUp(thread, refusal);
  });
  // Adding a listener keeps the process alive for the thread, so `unref` comes last.
  worker.unref();
  return worker;
};

const startNext = <Task, Answer>(thread: ThreadState<Task, Answer>): void => {
  if (thread.running) return;
  clearTimeout(thread.idle);
  const job = takeLightest(thread.waiting);
  if (job === undefined) {
    thread.idle = setTimeout(() => void stopWorker(thread), thread.options.idleMs).unref();
    return;
  }
  thread.running = job;
  const { timeoutMs } = thread.options;
  giveUpAfter(thread, thread.worker ? timeoutMs : Math.max(LOADING_MS, timeoutMs));
  thread.worker ??= startWorker(thread);
  thread.worker.postMessage(job.task);
};

const enqueue = <Task, Answer>(thread: ThreadState<Task, Answer>, task: Task): Promise<TaskOutcome<Answer>> => {
  const { weightOf = () => 0, mostWaiting = Number.POSITIVE_INFINITY } = thread.options;
  return new Promise((done) => {
    const weight = weightOf(task);
    const already = thread.waiting.reduce((sum, job) => sum + job.weight, 0);
    if (already > 0 && already + weight > mostWaiting) return done({ refusal: 'too many' });
    thread.waiting.push({ task, weight, done });
    startNext(thread);
  });
};

export const openThread = <Task, Answer>(options: ThreadOptions<Task, Answer>): TaskThread<Task, Answer> => {
  const thread: ThreadState<Task, Answer> = {
    options,
    waiting: [],
    worker: undefined,
    running: undefined,
    deadline: undefined,
    idle: undefined,
  };
  return {
    run: (task) => enqueue(thread, task),
    close: async () => {
      for (const job of thread.waiting.splice(0)) job.done({ refusal: 'failed' });
      if (thread.running) giveUp(thread, 'failed');
      clearTimeout(thread.idle);
      await stopWorker(thread);
    },
  };
};
