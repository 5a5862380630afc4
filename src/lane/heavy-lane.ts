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
  /** Called when the lane has changed something. */
  readonly onNotice: (notice: ChangeNotice) => void;
  /** Runs the jobs that the lane claims. */
  readonly carry: JobWorker['carry'];
  /** Called with the cause when the thread fails. */
  readonly onThreadFailure: (cause: unknown) => void;
  /** The idle time after which the thread ends and its memory is freed. */
  readonly idleMs?: number;
};

/** The heavy lane of a process. Its thread starts with the first request and never keeps the process alive. */
export type HeavyLane = RequestLane & {
  /** Passes on a change that this application has made. */
  notify(notice: ChangeNotice): void;
  close(): Promise<void>;
};

const IDLE_THREAD_MS = 60_000;

/** The memory limit of the thread. When the thread exceeds it, its requests fail and the thread restarts. */
const MAX_HEAP_MIB = 2048;

/** The limit for the request bodies in progress, in bytes: parsing may take ten times the size of a body. */
const MAX_BODY_BYTES_RUNNING = 48 * 1024 * 1024;

/** The least weight of a request, because a small body may stand for a large piece of work. */
const MIN_REQUEST_WEIGHT = 4 * 1024 * 1024;

/** The most requests of one caller in the lane, including streamed answers that the caller has not read to the end. */
const MOST_PER_HOLDER = 12;

type PendingRequest = {
  readonly onMessage: (message: MessageFromLane) => void;
  readonly onFailure: (failure: Error) => void;
};

const laneLostError = (cause?: unknown) =>
  new CatalogError('unavailable', 'The request took more memory than there is, or its thread failed', { cause });

/** Copies the body of an admitted request. A request that still waits holds its body in memory only once. */
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
    // A listener on a thread keeps the process alive, so `unref` must come last.
    worker.unref();
    return worker;
  };

  /**
   * Streams the pieces of an answer and fetches each one on demand. The first is fetched at once; the others depend on
   * how fast the caller reads, so the stream holds capacity only for the first.
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
        // The thread may fail between two reads, and its successor does not know this stream.
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
    // A caller that leaves before the first piece has nothing to cancel.
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
    // The main thread has already admitted the callers of the lane, so only notices about rights matter to the lane.
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
