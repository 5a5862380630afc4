import { Worker } from 'node:worker_threads';
import { CatalogError } from '../errors.ts';
import { holderOf } from '../http/holder.ts';
import type { ReceivedBody } from '../http/request-body.ts';
import type { RequestLane } from '../http/request-lane.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import type { JobWorker } from '../jobs/job-queue.ts';
import { threadFile } from '../platform/thread.ts';
import { type Admission, callerGone, createFairQueue } from './fair-queue.ts';
import {
  type ChangeNotice,
  type HandedCall,
  type MessageFromLane,
  type MessageToLane,
  unpackFailure,
} from './messages.ts';
import { fromSharedClock } from './remote-job-worker.ts';
import type { ThreadAppData } from './thread-app.ts';

export type HeavyLaneOptions = ThreadAppData & {
  /** Told of what the lane has changed. */
  readonly onNotice: (notice: ChangeNotice) => void;
  /** Does the jobs that the lane takes. */
  readonly carry: JobWorker['carry'];
  /** Told why the thread failed. */
  readonly onThreadFailure: (cause: unknown) => void;
  /** After so long without work the thread and its memory are given back. */
  readonly idleMs?: number;
};

/** The lane of a process. The thread starts with its first request and never keeps the process alive. */
export type HeavyLane = RequestLane & {
  /** Tells the lane what this application has changed. */
  notify(notice: ChangeNotice): void;
  close(): Promise<void>;
};

const IDLE_THREAD_MS = 60_000;

/** More than this the thread may not hold; what it was doing then fails, and it starts anew. */
const MAX_HEAP_MIB = 2048;

/** The bytes of bodies that are worked on at the same time: each may take ten times as much while it is parsed. */
const MAX_BODY_BYTES_RUNNING = 48 * 1024 * 1024;

/** What a request weighs whose body is small and which stands for something large. */
const MIN_REQUEST_WEIGHT = 4 * 1024 * 1024;

/** The requests of one caller that are inside, with the streamed answers that it has not read to the end. */
const MOST_PER_HOLDER = 12;

type PendingRequest = {
  readonly onMessage: (message: MessageFromLane) => void;
  readonly onFailure: (failure: Error) => void;
};

const laneLostError = (cause?: unknown) =>
  new CatalogError('unavailable', 'The request took more memory than there is, or its thread failed', { cause });

/** The bytes of the body of a request that has been let in. Whoever still waits has them in memory only once. */
const copyBody = async (
  { body }: Route,
  call: Pick<Call, 'signal'> & { readonly body: ReceivedBody },
): Promise<Uint8Array<ArrayBuffer>[]> => {
  const copies = body ? await call.body.take() : [];
  if (call.signal.aborted) throw callerGone();
  return copies;
};

export const openHeavyLane = (options: HeavyLaneOptions): HeavyLane => {
  const { onNotice, carry, onThreadFailure, idleMs = IDLE_THREAD_MS, ...data } = options;
  const pending = new Map<number, PendingRequest>();
  const queue = createFairQueue(MAX_BODY_BYTES_RUNNING, MOST_PER_HOLDER);
  let thread: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let lastId = 0;

  const send = (message: MessageToLane, transfer: ArrayBuffer[] = []): void => thread?.postMessage(message, transfer);

  const releaseThread = (): void => {
    const old = thread;
    thread = undefined;
    old?.postMessage({ type: 'close' } satisfies MessageToLane);
  };

  const finishRequest = (id: number): void => {
    pending.delete(id);
    clearTimeout(idle);
    if (pending.size === 0) idle = setTimeout(releaseThread, idleMs).unref();
  };

  const start = (): Worker => {
    const worker = new Worker(threadFile(import.meta.url, 'worker'), {
      workerData: data satisfies ThreadAppData,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB },
    });
    worker.on('message', (message: MessageFromLane) => {
      if (message.type === 'notice') onNotice(message.notice);
      else if (message.type === 'carry') {
        const carried = () => worker.postMessage({ type: 'carried', id: message.id } satisfies MessageToLane);
        void carry(message.claimed, fromSharedClock(message.safeUntilMs)).finally(carried);
      } else if (message.type !== 'ready') pending.get(message.id)?.onMessage(message);
    });
    const fail = (cause: unknown) => {
      if (thread !== worker) return;
      thread = undefined;
      onThreadFailure(cause);
      for (const { onFailure } of [...pending.values()]) onFailure(laneLostError(cause));
    };
    worker.on('error', fail);
    worker.on('exit', (code) => fail(new Error(`the heavy lane ended with code ${code}`)));
    // Whoever listens to a thread keeps the process for it, so that this comes last.
    worker.unref();
    return worker;
  };

  /**
   * The pieces of a stream, each fetched when it is wanted. The first is wanted at once; how fast the others are is up to
   * whoever reads them, so that the room is only held for the first.
   */
  const streamPieces = (id: number, signal: AbortSignal, admission: Admission): AsyncIterable<Uint8Array> => {
    let lostTo: Error | undefined;
    const end = () => {
      signal.removeEventListener('abort', giveUp);
      finishRequest(id);
      admission.leave();
    };
    const next = (): Promise<IteratorResult<Uint8Array, undefined>> =>
      new Promise((resolve, reject) => {
        // The thread may fail while nobody reads; the next one would know nothing of this stream.
        if (lostTo) return reject(lostTo);
        pending.set(id, {
          onMessage: (message) => {
            if (message.type === 'piece') {
              admission.giveRoom();
              return resolve({ done: false, value: message.content });
            }
            end();
            if (message.type === 'failure') reject(unpackFailure(message.failure));
            else resolve({ done: true, value: undefined });
          },
          onFailure: (failure) => {
            lostTo = failure;
            end();
            reject(failure);
          },
        });
        send({ type: 'pull', id });
      });
    const giveUp = () => {
      send({ type: 'cancel', id });
      end();
    };
    const cancel = (): Promise<IteratorResult<Uint8Array, undefined>> => {
      giveUp();
      return Promise.resolve({ done: true, value: undefined });
    };
    // Whoever goes away before the first piece cancels nothing.
    signal.addEventListener('abort', giveUp, { once: true });
    return { [Symbol.asyncIterator]: () => ({ next, return: cancel }) };
  };

  const handOverCall = (handed: HandedCall, signal: AbortSignal, admission: Admission): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { id } = handed;
      const abort = () => send({ type: 'abort', id });
      const end = () => {
        signal.removeEventListener('abort', abort);
        finishRequest(id);
        admission.leave();
      };
      pending.set(id, {
        onMessage: (message) => {
          if (message.type === 'stream') {
            signal.removeEventListener('abort', abort);
            const { status, headers } = message;
            return resolve({ status, headers, stream: streamPieces(id, signal, admission) });
          }
          end();
          if (message.type === 'failure') reject(unpackFailure(message.failure));
          if (message.type !== 'answer') return;
          const { status, headers, encoded } = message;
          resolve({ status, headers, ...(encoded ? { encoded } : {}) });
        },
        onFailure: (failure) => {
          end();
          reject(failure);
        },
      });
      signal.addEventListener('abort', abort, { once: true });
      clearTimeout(idle);
      thread ??= start();
      send(
        handed,
        handed.body.map(({ buffer }) => buffer),
      );
    });

  return {
    answer: async (route, call, headers) => {
      const { principal, address, requestId, params, query, hrefBase, signal } = call;
      const weight = Math.max(MIN_REQUEST_WEIGHT, await call.body.receive());
      const admission = await queue.enter(holderOf(principal, address), weight, signal);
      const body = await copyBody(route, call).catch((failure: unknown) => {
        admission.leave();
        throw failure;
      });
      lastId += 1;
      const { method, path } = route;
      const own = { requestId, params, query: query.toString(), headers, principal, address, hrefBase };
      return handOverCall({ type: 'call', id: lastId, method, path, ...own, body }, signal, admission);
    },
    // Whoever asks there has been let in here, so that of all notices only this one matters.
    notify: (notice) => {
      if (notice.type === 'rights') send({ type: 'notice', notice });
    },
    close: async () => {
      clearTimeout(idle);
      const old = thread;
      thread = undefined;
      for (const { onFailure } of [...pending.values()]) onFailure(laneLostError());
      clearTimeout(idle);
      await old?.terminate();
    },
  };
};
