import { Worker } from 'node:worker_threads';
import { CatalogError } from '../errors.ts';
import type { ReceivedBody } from '../http/body.ts';
import { holderOf } from '../http/holder.ts';
import type { Lane } from '../http/lane.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import type { Worker as JobWorker } from '../jobs/jobs.ts';
import { threadBeside } from '../thread.ts';
import { type FromLane, type HandedCall, type Notice, type ToLane, unpackFailure } from './messages.ts';
import { type Admission, callerGone, createFairQueue } from './queue.ts';
import { fromSharedClock } from './remote-worker.ts';
import type { ThreadData } from './thread-app.ts';

export type LaneOptions = ThreadData & {
  /** Told of what the lane has changed. */
  readonly hear: (notice: Notice) => void;
  /** Does the jobs that the lane takes. */
  readonly carry: JobWorker['carry'];
  /** Told why the thread failed. */
  readonly report: (cause: unknown) => void;
  /** After so long without work the thread and its memory are given back. */
  readonly idleMs?: number;
};

/** The lane of a process. The thread starts with its first request and never keeps the process alive. */
export type HeavyLane = Lane & {
  /** Tells the lane what this application has changed. */
  tell(notice: Notice): void;
  close(): Promise<void>;
};

const IDLE_MS = 60_000;

/** More than this the thread may not hold; what it was doing then fails, and it starts anew. */
const HEAP_MIB = 2048;

/** The bytes of bodies that are worked on at the same time: each may take ten times as much while it is parsed. */
const ROOM = 48 * 1024 * 1024;

/** What a request weighs whose body is small and which stands for something large. */
const LEAST_WEIGHT = 4 * 1024 * 1024;

/** The requests of one caller that are inside, with the streamed answers that it has not read to the end. */
const MOST_PER_HOLDER = 12;

type Pending = {
  readonly onMessage: (message: FromLane) => void;
  readonly onFailure: (failure: Error) => void;
};

const lost = (cause?: unknown) =>
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

export const openLane = (options: LaneOptions): HeavyLane => {
  const { hear, carry, report, idleMs = IDLE_MS, ...data } = options;
  const pending = new Map<number, Pending>();
  const queue = createFairQueue(ROOM, MOST_PER_HOLDER);
  let thread: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let lastId = 0;

  const say = (message: ToLane, transfer: ArrayBuffer[] = []): void => thread?.postMessage(message, transfer);

  const give = (): void => {
    const old = thread;
    thread = undefined;
    old?.postMessage({ type: 'close' } satisfies ToLane);
  };

  const settle = (id: number): void => {
    pending.delete(id);
    clearTimeout(idle);
    if (pending.size === 0) idle = setTimeout(give, idleMs).unref();
  };

  const start = (): Worker => {
    const worker = new Worker(threadBeside(import.meta.url, 'worker'), {
      workerData: data satisfies ThreadData,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    });
    worker.on('message', (message: FromLane) => {
      if (message.type === 'notice') hear(message.notice);
      else if (message.type === 'carry') {
        const carried = () => worker.postMessage({ type: 'carried', id: message.id } satisfies ToLane);
        void carry(message.claimed, fromSharedClock(message.safeUntilMs)).finally(carried);
      } else if (message.type !== 'ready') pending.get(message.id)?.onMessage(message);
    });
    const fail = (cause: unknown) => {
      if (thread !== worker) return;
      thread = undefined;
      report(cause);
      for (const { onFailure } of [...pending.values()]) onFailure(lost(cause));
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
  const piecesOf = (id: number, signal: AbortSignal, admission: Admission): AsyncIterable<Uint8Array> => {
    let lostTo: Error | undefined;
    const end = () => {
      signal.removeEventListener('abort', giveUp);
      settle(id);
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
        say({ type: 'pull', id });
      });
    const giveUp = () => {
      say({ type: 'cancel', id });
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

  const exchange = (handed: HandedCall, signal: AbortSignal, admission: Admission): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { id } = handed;
      const abort = () => say({ type: 'abort', id });
      const end = () => {
        signal.removeEventListener('abort', abort);
        settle(id);
        admission.leave();
      };
      pending.set(id, {
        onMessage: (message) => {
          if (message.type === 'stream') {
            signal.removeEventListener('abort', abort);
            const { status, headers } = message;
            return resolve({ status, headers, stream: piecesOf(id, signal, admission) });
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
      say(
        handed,
        handed.body.map(({ buffer }) => buffer),
      );
    });

  return {
    answer: async (route, call, headers) => {
      const { principal, address, requestId, params, query, hrefBase, signal } = call;
      const weight = Math.max(LEAST_WEIGHT, await call.body.receive());
      const admission = await queue.enter(holderOf(principal, address), weight, signal);
      const body = await copyBody(route, call).catch((failure: unknown) => {
        admission.leave();
        throw failure;
      });
      lastId += 1;
      const { method, path } = route;
      const own = { requestId, params, query: query.toString(), headers, principal, address, hrefBase };
      return exchange({ type: 'call', id: lastId, method, path, ...own, body }, signal, admission);
    },
    // Whoever asks there has been let in here, so that of all notices only this one matters.
    tell: (notice) => {
      if (notice.type === 'rights') say({ type: 'notice', notice });
    },
    close: async () => {
      clearTimeout(idle);
      const old = thread;
      thread = undefined;
      for (const { onFailure } of [...pending.values()]) onFailure(lost());
      clearTimeout(idle);
      await old?.terminate();
    },
  };
};
