import { CatalogError } from '../errors.ts';
import { abandonLaneThread, type LaneThread, sendToLane } from './lane-thread.ts';

/**
 * Limits how long a request may keep the thread. It is asked to stop first. A thread that does not come to read that is
 * busy with the request, and ends, because all other requests of the lane wait for it.
 */
export type RequestLimit = {
  /** Whether the request was stopped. */
  isOver(): boolean;
  /** The failure to answer: that the request took too long, if it was stopped for that. */
  failureOf(failure: Error): Error;
  /** Ends the limit, because the answer or its next piece is there. */
  clear(): void;
};

const tooLongError = (limitMs: number, cause: Error) =>
  new CatalogError('unavailable', `The request took longer than ${Math.round(limitMs / 1000)} s and was stopped`, {
    cause,
  });

export const limitRequest = (lane: LaneThread, id: number): RequestLimit => {
  const { requestMs, graceMs } = lane.limit;
  let isOver = false;
  let timer = setTimeout(() => {
    isOver = true;
    sendToLane(lane, { type: 'abort', id });
    timer = setTimeout(() => {
      abandonLaneThread(lane, new Error(`a request kept the heavy lane for ${requestMs + graceMs} ms`));
    }, graceMs).unref();
  }, requestMs).unref();
  return {
    isOver: () => isOver,
    failureOf: (failure) => (isOver ? tooLongError(requestMs, failure) : failure),
    clear: () => clearTimeout(timer),
  };
};
