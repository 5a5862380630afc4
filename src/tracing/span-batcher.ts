import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace';
import { errorTypeOf } from './error-type.ts';

/** Gathers the spans that have ended and encodes them, some hundred at a time. */

/** Encoded spans, as the collector reads them. */
export type EncodedSpans = { readonly content: Uint8Array<ArrayBuffer>; readonly spans: number };

/** What a thread hands on: encoded spans, or how many it has lost and why. */
export type ThreadSpans = EncodedSpans | { readonly lost: number; readonly reason: string };

export type SpanTarget = {
  /** Whether more spans would be taken. Where they are not, they need not be encoded. */
  readonly hasRoom: () => boolean;
  readonly send: (encoded: EncodedSpans) => void;
  readonly lost: (spans: number, reason: string) => void;
};

type SpanBatcherOptions = {
  readonly encode: (spans: ReadableSpan[]) => Uint8Array;
  readonly target: SpanTarget;
  /** How long a span waits for others at most. */
  readonly waitMs?: number;
};

/** Encoding so many spans holds the event loop for a few milliseconds. */
const MAX_BATCH = 256;
const MAX_WAITING = 4096;
const WAIT_MS = 1000;

/** Texts of another buffer are copied, because a part of one cannot be handed to another thread. */
const ownBytes = (content: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(content);

export const createSpanBatcher = ({ encode, target, waitMs = WAIT_MS }: SpanBatcherOptions): SpanProcessor => {
  let waiting: ReadableSpan[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isScheduled = false;

  const sendBatch = (): void => {
    const batch = waiting.splice(0, MAX_BATCH);
    if (batch.length === 0) return;
    if (!target.hasRoom()) {
      target.lost(batch.length, 'the queue is full');
      return;
    }
    try {
      target.send({ content: ownBytes(encode(batch)), spans: batch.length });
    } catch (failure) {
      target.lost(batch.length, `they could not be encoded: ${errorTypeOf(failure)}`);
    }
  };

  const sendFullBatches = (): void => {
    isScheduled = false;
    sendBatch();
    if (waiting.length >= MAX_BATCH) schedule();
  };

  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(sendFullBatches);
  };

  const sendAll = (): void => {
    clearTimeout(timer);
    timer = undefined;
    while (waiting.length > 0) sendBatch();
  };

  return {
    onStart: () => {},
    onEnd: (span) => {
      if (waiting.length >= MAX_WAITING) return target.lost(1, 'the queue is full');
      waiting.push(span);
      if (waiting.length >= MAX_BATCH) schedule();
      timer ??= setTimeout(sendAll, waitMs).unref();
    },
    forceFlush: async () => sendAll(),
    shutdown: async () => {
      sendAll();
      waiting = [];
    },
  };
};
