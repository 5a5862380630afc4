import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { CatalogError } from '../errors.ts';
import type { JobWorker } from '../jobs/job-queue.ts';
import { threadFile } from '../platform/thread.ts';
import type { ProcessTracing } from '../tracing/open-tracing.ts';
import type { ChangeNotice, MessageFromLane, MessageToLane } from './messages.ts';
import { fromSharedClock } from './remote-job-worker.ts';
import type { ThreadAppData } from './thread-app.ts';

/** The thread of the heavy lane, and the requests that wait for its messages. */

export type HeavyLaneOptions = ThreadAppData & {
  /** Called when the lane has changed something. */
  readonly onNotice: (notice: ChangeNotice) => void;
  /** Runs the jobs that the lane claims. */
  readonly carry: JobWorker['carry'];
  /** Called with the cause when the thread fails. */
  readonly onThreadFailure: (cause: unknown) => void;
  /** The idle time after which the thread ends and its memory is freed. */
  readonly idleMs?: number;
  /** How long a request may take until its answer, or until the next piece of it, and how long to stop after that. */
  readonly limit?: { readonly requestMs: number; readonly graceMs: number };
  /** The tracing of the main thread, which exports the spans of the lane. */
  readonly tracing?: ProcessTracing | undefined;
};

const IDLE_THREAD_MS = 60_000;
const REQUEST_LIMIT = { requestMs: 5 * 60_000, graceMs: 5000 } as const;

/** How long the end of the lane waits for its last spans. */
const LAST_SPANS_MS = 2000;

/** The memory limit of the thread. When the thread exceeds it, its requests fail and the thread restarts. */
const MAX_HEAP_MIB = 2048;

type PendingRequest = {
  readonly onMessage: (message: MessageFromLane) => void;
  readonly onFailure: (failure: Error) => void;
};

/** The worker starts with the first request and ends after a while without any. */
export type LaneThread = Required<
  Pick<HeavyLaneOptions, 'onNotice' | 'carry' | 'onThreadFailure' | 'idleMs' | 'limit'>
> & {
  readonly takeSpans: ProcessTracing['takeSpans'] | undefined;
  /** The start data of each worker. */
  readonly data: ThreadAppData;
  readonly pending: Map<number, PendingRequest>;
  worker: Worker | undefined;
  idle: NodeJS.Timeout | undefined;
};

export const createLaneThread = (options: HeavyLaneOptions): LaneThread => {
  const {
    onNotice,
    carry,
    onThreadFailure,
    idleMs = IDLE_THREAD_MS,
    limit = REQUEST_LIMIT,
    tracing,
    ...data
  } = options;
  const parts = { onNotice, carry, onThreadFailure, idleMs, limit, takeSpans: tracing?.takeSpans };
  return { ...parts, data, pending: new Map(), worker: undefined, idle: undefined };
};

const laneLostError = (cause?: unknown) =>
  new CatalogError('unavailable', 'The request took more memory than there is, or its thread failed', { cause });

const failPendingRequests = ({ pending }: LaneThread, failure: () => Error): void => {
  for (const { onFailure } of [...pending.values()]) onFailure(failure());
};

const handleMessage = (lane: LaneThread, worker: Worker, message: MessageFromLane): void => {
  if (message.type === 'notice') lane.onNotice(message.notice);
  else if (message.type === 'spans') lane.takeSpans?.(message.spans);
  else if (message.type === 'carry') {
    const carried = () => worker.postMessage({ type: 'carried', id: message.id } satisfies MessageToLane);
    void lane.carry(message.claimed, fromSharedClock(message.safeUntilMs)).finally(carried);
  } else if (message.type !== 'ready') lane.pending.get(message.id)?.onMessage(message);
};

const handleThreadFailure = (lane: LaneThread, worker: Worker, cause: unknown): void => {
  if (lane.worker !== worker) return;
  lane.worker = undefined;
  lane.onThreadFailure(cause);
  failPendingRequests(lane, () => laneLostError(cause));
};

/** Ends the thread, with what it has not answered. The next request starts another one. */
export const abandonLaneThread = (lane: LaneThread, cause: Error): void => {
  const old = lane.worker;
  if (!old) return;
  handleThreadFailure(lane, old, cause);
  void old.terminate();
};

const startWorker = (lane: LaneThread): Worker => {
  const worker = new Worker(threadFile(import.meta.url, 'worker'), {
    workerData: lane.data,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB },
  });
  worker.on('message', (message: MessageFromLane) => handleMessage(lane, worker, message));
  worker.on('error', (cause) => handleThreadFailure(lane, worker, cause));
  worker.on('exit', (code) => handleThreadFailure(lane, worker, new Error(`the heavy lane ended with code ${code}`)));
  // A listener on a thread keeps the process alive, so `unref` must come last.
  worker.unref();
  return worker;
};

/** Starts the thread unless it runs, and keeps it from ending while it is idle. */
export const wakeLaneThread = (lane: LaneThread): void => {
  clearTimeout(lane.idle);
  lane.worker ??= startWorker(lane);
};

export const sendToLane = (lane: LaneThread, message: MessageToLane, transfer: ArrayBuffer[] = []): void =>
  lane.worker?.postMessage(message, transfer);

const releaseWorker = (lane: LaneThread): void => {
  const old = lane.worker;
  lane.worker = undefined;
  old?.postMessage({ type: 'close' } satisfies MessageToLane);
};

/** Forgets a request. The thread ends when no other follows for a while. */
export const finishRequest = (lane: LaneThread, id: number): void => {
  lane.pending.delete(id);
  clearTimeout(lane.idle);
  if (lane.pending.size === 0) lane.idle = setTimeout(() => releaseWorker(lane), lane.idleMs).unref();
};

export const closeLaneThread = async (lane: LaneThread): Promise<void> => {
  clearTimeout(lane.idle);
  const old = lane.worker;
  lane.worker = undefined;
  failPendingRequests(lane, () => laneLostError());
  clearTimeout(lane.idle);
  // A thread that records spans hands on the last ones before it ends.
  if (old && lane.takeSpans) {
    const ended = new Promise<void>((resolve) => old.once('exit', () => resolve()));
    old.postMessage({ type: 'close' } satisfies MessageToLane);
    await Promise.race([ended, sleep(LAST_SPANS_MS, undefined, { ref: false })]);
  }
  await old?.terminate();
};
