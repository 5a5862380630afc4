import { callerGone } from '../errors.ts';
import { holderOf } from '../http/holder.ts';
import type { ReceivedBody } from '../http/request-body.ts';
import type { RequestLane } from '../http/request-lane.ts';
import type { Call, Route } from '../http/route.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { createFairQueue } from './fair-queue.ts';
import { handOverCall } from './hand-over-call.ts';
import {
  closeLaneThread,
  createLaneThread,
  type HeavyLaneOptions,
  type LaneThread,
  sendToLane,
} from './lane-thread.ts';
import type { ChangeNotice } from './messages.ts';

/**
 * The main thread's side of the heavy lane. A request waits in `fair-queue.ts` until it is admitted;
 * `hand-over-call.ts` then hands it to the thread of `lane-thread.ts`.
 */

/** The heavy lane of a process. Its thread starts with the first request and never keeps the process alive. */
export type HeavyLane = RequestLane & {
  /** Passes on a change that this application has made. */
  notify(notice: ChangeNotice): void;
  close(): Promise<void>;
};

/** The limit for the request bodies in progress, in bytes: parsing may take ten times the size of a body. */
const MAX_BODY_BYTES_RUNNING = 48 * 1024 * 1024;

/** The least weight of a request, because a small body may stand for a large piece of work. */
const MIN_REQUEST_WEIGHT = 4 * 1024 * 1024;

/** The most requests of one caller in the lane, including streamed answers that the caller has not read to the end. */
const MOST_PER_HOLDER = 12;

/** Copies the body of an admitted request. A request that still waits holds its body in memory only once. */
const copyBody = async (
  { body }: Route,
  call: Pick<Call, 'signal'> & { readonly body: ReceivedBody },
): Promise<Uint8Array<ArrayBuffer>[]> => {
  const copies = body ? await call.body.take() : [];
  if (call.signal.aborted) throw callerGone();
  return copies;
};

const createLaneAnswerer = (lane: LaneThread, tracing: Tracing | undefined): RequestLane['answer'] => {
  const queue = createFairQueue(MAX_BODY_BYTES_RUNNING, MOST_PER_HOLDER);
  let lastId = 0;
  return async (route, call, headers) => {
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
    const trace = tracing?.headers();
    return handOverCall(lane, { type: 'call', id: lastId, method, path, ...own, trace, body }, { signal, admission });
  };
};

export const openHeavyLane = (options: HeavyLaneOptions): HeavyLane => {
  const lane = createLaneThread(options);
  return {
    answer: createLaneAnswerer(lane, options.tracing),
    // The main thread has already admitted the callers of the lane, so only notices about rights matter to the lane.
    notify: (notice) => {
      if (notice.type === 'rights') sendToLane(lane, { type: 'notice', notice });
    },
    close: () => closeLaneThread(lane),
  };
};
