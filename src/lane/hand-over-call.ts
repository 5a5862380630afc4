import type { Answer } from '../http/route.ts';
import type { Admission } from './fair-queue.ts';
import { finishRequest, type LaneThread, sendToLane, wakeLaneThread } from './lane-thread.ts';
import { type HandedCall, unpackFailure } from './messages.ts';
import { limitRequest, type RequestLimit } from './request-limit.ts';

/** Hands a call over to the thread of the heavy lane and receives its answer, whole or in pieces. */

/** What a call holds while the thread answers it. */
type AdmittedCall = { readonly signal: AbortSignal; readonly admission: Admission };

type Piece = IteratorResult<Uint8Array, undefined>;

/**
 * Streams the pieces of an answer and fetches each one on demand. The first is fetched at once; the others depend on
 * how fast the caller reads, so the stream holds capacity only for the first.
 */
const streamPieces = (lane: LaneThread, id: number, { signal, admission }: AdmittedCall): AsyncIterable<Uint8Array> => {
  let lostTo: Error | undefined;
  let isOver = false;
  let limit: RequestLimit | undefined;
  const end = () => {
    // A caller that leaves waits for no piece, so that none can take too long.
    limit?.clear();
    isOver = true;
    signal.removeEventListener('abort', giveUp);
    finishRequest(lane, id);
    admission.leave();
  };
  const next = (): Promise<Piece> =>
    new Promise((resolve, reject) => {
      // The thread may fail between two reads, and its successor does not know this stream.
      if (lostTo) return reject(lostTo);
      // The end comes right after the last piece, perhaps while that one is still being read.
      if (isOver) return resolve({ done: true, value: undefined });
      const own = limitRequest(lane, id);
      limit = own;
      lane.pending.set(id, {
        onMessage: (message) => {
          own.clear();
          if (message.type === 'piece') {
            admission.giveRoom();
            return resolve({ done: false, value: message.content });
          }
          end();
          if (message.type === 'failure') reject(own.failureOf(unpackFailure(message.failure)));
          else resolve({ done: true, value: undefined });
        },
        onFailure: (failure) => {
          lostTo = own.failureOf(failure);
          end();
          reject(lostTo);
        },
      });
      sendToLane(lane, { type: 'pull', id });
    });
  const giveUp = () => {
    sendToLane(lane, { type: 'cancel', id });
    end();
  };
  const cancel = (): Promise<Piece> => {
    giveUp();
    return Promise.resolve({ done: true, value: undefined });
  };
  // A caller that leaves before the first piece has nothing to cancel.
  signal.addEventListener('abort', giveUp, { once: true });
  return { [Symbol.asyncIterator]: () => ({ next, return: cancel }) };
};

export const handOverCall = (lane: LaneThread, handed: HandedCall, admitted: AdmittedCall): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { id } = handed;
    const { signal, admission } = admitted;
    wakeLaneThread(lane);
    const limit = limitRequest(lane, id);
    const abort = () => sendToLane(lane, { type: 'abort', id });
    const end = () => {
      signal.removeEventListener('abort', abort);
      finishRequest(lane, id);
      admission.leave();
    };
    lane.pending.set(id, {
      onMessage: (message) => {
        limit.clear();
        if (message.type === 'stream' && limit.isOver()) {
          sendToLane(lane, { type: 'cancel', id });
          end();
          return reject(limit.failureOf(new Error('the answer began too late')));
        }
        if (message.type === 'stream') {
          signal.removeEventListener('abort', abort);
          const { status, headers } = message;
          return resolve({ status, headers, stream: streamPieces(lane, id, admitted) });
        }
        end();
        if (message.type === 'failure') reject(limit.failureOf(unpackFailure(message.failure)));
        if (message.type !== 'answer') return;
        const { status, headers, encoded } = message;
        resolve({ status, headers, ...(encoded ? { encoded } : {}) });
      },
      onFailure: (failure) => {
        limit.clear();
        end();
        reject(limit.failureOf(failure));
      },
    });
    signal.addEventListener('abort', abort, { once: true });
    sendToLane(
      lane,
      handed,
      handed.body.map(({ buffer }) => buffer),
    );
  });
