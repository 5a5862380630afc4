import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { errorTypeOf } from './error-type.ts';
import { readLimited } from './read-limited.ts';
import type { TracingSettings } from './settings.ts';
import type { EncodedSpans, SpanTarget } from './span-batcher.ts';

/** Sends encoded spans to the collector, one batch after another. Nobody waits for it, except the end of the service. */

/** Who is told what becomes of the spans. */
export type SpanObserver = {
  readonly count: (outcome: 'exported' | 'lost', spans: number) => void;
  /** Called at the first loss, and not again before the collector has taken spans. */
  readonly onLoss: (reason: string) => void;
  /** Called when the collector takes spans again. */
  readonly onRecovery: () => void;
};

export type SpanSenderOptions = {
  readonly settings: Pick<TracingSettings, 'url' | 'protocol' | 'headers' | 'compression' | 'timeoutMs'>;
  readonly observer: SpanObserver;
  /** Reads from the collector's answer how many spans it has refused. */
  readonly readRefused: (answer: Uint8Array) => number;
  /** The pauses before a batch is sent again. */
  readonly retryMs?: readonly number[];
  /** How long the end of the service waits for the collector. */
  readonly closeWithinMs?: number;
};

export type SpanSender = SpanTarget & { close(): Promise<void> };

/** Some 8,000 spans. */
const MAX_QUEUED_BATCHES = 32;
const RETRY_MS = [1000, 4000];
const CLOSE_WITHIN_MS = 5000;
const MAX_ANSWER_BYTES = 64 * 1024;

/** The statuses after which the protocol allows a client to send the same again. */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);

const MEDIA_TYPES = { 'http/protobuf': 'application/x-protobuf', 'http/json': 'application/json' } as const;

const compress = promisify(gzip);

/** The result of one attempt: how many spans were refused, or why none was taken. */
type Attempt = { readonly refused: number } | { readonly reason: string; readonly isRetryable: boolean };

type SenderState = Required<SpanSenderOptions> & {
  readonly queue: EncodedSpans[];
  /** Ends the present attempt. */
  current: AbortController | undefined;
  /** Aborted when the service ends, so that pauses end. */
  readonly closing: AbortController;
  sending: Promise<void> | undefined;
  isLosing: boolean;
};

const reportLoss = (state: SenderState, spans: number, reason: string): void => {
  state.observer.count('lost', spans);
  if (state.isLosing) return;
  state.isLosing = true;
  state.observer.onLoss(reason);
};

const reportExport = (state: SenderState, spans: number): void => {
  state.observer.count('exported', spans);
  if (!state.isLosing) return;
  state.isLosing = false;
  state.observer.onRecovery();
};

/** Limits an attempt by time, and lets the end of the service cut it off. */
const withTimeLimit = async <T>(state: SenderState, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const controller = new AbortController();
  const expire = () => controller.abort(new DOMException('no answer in time', 'TimeoutError'));
  const timer = setTimeout(expire, state.settings.timeoutMs);
  state.current = controller;
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    state.current = undefined;
  }
};

const post = async (
  { settings, readRefused }: SenderState,
  content: Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
): Promise<Attempt> => {
  const isPacked = settings.compression === 'gzip';
  const answer = await fetch(settings.url, {
    method: 'POST',
    headers: {
      ...settings.headers,
      'content-type': MEDIA_TYPES[settings.protocol],
      'user-agent': 'Tributary',
      ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
    },
    body: isPacked ? new Uint8Array(await compress(content)) : content,
    // A redirect could take the headers, which hold tokens, to another host.
    redirect: 'error',
    signal,
  });
  const body = await readLimited(answer.body, MAX_ANSWER_BYTES);
  if (!answer.ok) {
    const isRetryable = RETRYABLE_STATUSES.has(answer.status);
    return { reason: `the collector answers ${answer.status}`, isRetryable };
  }
  return { refused: body.length === 0 ? 0 : readRefused(body) };
};

/** A time limit or an abort says nothing about whether the spans have arrived, so such a batch is not sent again. */
const failedAttempt = (failure: unknown): Attempt => {
  const name = failure instanceof Error ? failure.name : '';
  if (name === 'TimeoutError') return { reason: 'the collector did not answer in time', isRetryable: false };
  if (name === 'AbortError') return { reason: 'the service ended before the collector answered', isRetryable: false };
  return { reason: `the collector cannot be reached: ${errorTypeOf(failure)}`, isRetryable: true };
};

/** Waits before the next attempt; a service that ends does not wait. */
const pause = (state: SenderState, ms: number): Promise<void> =>
  sleep(ms, undefined, { ref: false, signal: state.closing.signal }).catch(() => {});

const sendOne = async (state: SenderState, { content, spans }: EncodedSpans): Promise<void> => {
  for (let attempts = 0; ; attempts += 1) {
    const attempt = await withTimeLimit(state, (signal) => post(state, content, signal)).catch(failedAttempt);
    if ('refused' in attempt) {
      const refused = Math.min(attempt.refused, spans);
      if (refused < spans) reportExport(state, spans - refused);
      if (refused > 0) reportLoss(state, refused, 'the collector refuses some of them');
      return;
    }
    const retryMs = state.retryMs[attempts];
    if (!attempt.isRetryable || retryMs === undefined || state.closing.signal.aborted)
      return reportLoss(state, spans, attempt.reason);
    await pause(state, retryMs);
  }
};

const sendQueued = async (state: SenderState): Promise<void> => {
  for (let next = state.queue.shift(); next; next = state.queue.shift()) await sendOne(state, next);
  state.sending = undefined;
};

const hasRoom = ({ queue }: SenderState): boolean => queue.length < MAX_QUEUED_BATCHES;

const enqueue = (state: SenderState, batch: EncodedSpans): void => {
  // Batches of other threads arrive without a question.
  if (hasRoom(state)) {
    state.queue.push(batch);
    state.sending ??= sendQueued(state);
  } else reportLoss(state, batch.spans, 'the queue is full');
};

const closeSender = async (state: SenderState): Promise<void> => {
  state.closing.abort();
  const limit = sleep(state.closeWithinMs, undefined, { ref: false });
  await Promise.race([state.sending, limit]);
  state.current?.abort();
  const left = state.queue.splice(0).reduce((sum, { spans }) => sum + spans, 0);
  if (left > 0) reportLoss(state, left, 'the service ended before the collector answered');
  await state.sending;
};

export const openSpanSender = (options: SpanSenderOptions): SpanSender => {
  const state: SenderState = {
    retryMs: RETRY_MS,
    closeWithinMs: CLOSE_WITHIN_MS,
    ...options,
    queue: [],
    current: undefined,
    closing: new AbortController(),
    sending: undefined,
    isLosing: false,
  };
  return {
    hasRoom: () => hasRoom(state),
    send: (batch) => enqueue(state, batch),
    lost: (spans, reason) => reportLoss(state, spans, reason),
    close: () => closeSender(state),
  };
};
