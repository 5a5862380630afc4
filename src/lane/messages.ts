import type { Principal } from '../access/principal.ts';
import { CatalogError, type ErrorCode, type MissingRecord } from '../errors.ts';
import type { ThreadSpans } from '../tracing/span-batcher.ts';
import type { TraceHeaders } from '../tracing/tracing.ts';
import type { JobReleasedMessage, RunJobMessage } from './remote-job-worker.ts';

/** The messages between the main thread and the heavy lane. */

/** A change by one application of this process that another application may hold in a cache. */
export type ChangeNotice =
  /** The permissions of callers changed. */
  | { readonly type: 'rights' }
  /** Records with these names changed; `calls` is set when one of them is a subscription. */
  | { readonly type: 'written'; readonly names: readonly string[]; readonly calls: boolean }
  /** Some transaction was committed. */
  | { readonly type: 'committed' }
  /** The job queue changed. */
  | { readonly type: 'jobs' };

/** Spans that a thread has recorded, on their way to the main thread, which exports them. */
export type SpansMessage = { readonly type: 'spans'; readonly spans: ThreadSpans };

/** A request as the main thread hands it over: the caller is authenticated and the body is complete. */
export type HandedCall = {
  readonly type: 'call';
  readonly id: number;
  readonly method: string;
  /** The path template of the route. */
  readonly path: string;
  readonly requestId: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly principal: Principal;
  readonly address: string;
  readonly hrefBase: string;
  /** The trace that the thread continues. */
  readonly trace: TraceHeaders | undefined;
  /** The bytes of the body, in order. */
  readonly body: readonly Uint8Array<ArrayBuffer>[];
};

export type MessageToLane =
  | HandedCall
  /** The caller has disconnected. */
  | { readonly type: 'abort'; readonly id: number }
  /** The lane should send the next piece of a stream, or stop sending. */
  | { readonly type: 'pull' | 'cancel'; readonly id: number }
  | { readonly type: 'notice'; readonly notice: ChangeNotice }
  | JobReleasedMessage
  | { readonly type: 'close' };

export type LaneAnswerHead = { readonly status: number; readonly headers: Readonly<Record<string, string>> };

/** A failure in a form that survives the way between threads; an error would lose its class there. */
export type PackedFailure =
  | {
      readonly code: ErrorCode;
      readonly message: string;
      readonly result?: unknown;
      readonly retryAfterSeconds?: number | undefined;
      readonly etag?: string | undefined;
      readonly hint?: string | undefined;
      readonly missing?: MissingRecord | undefined;
    }
  | { readonly stack: string };

export type MessageFromLane =
  | { readonly type: 'ready' }
  | ({
      readonly type: 'answer';
      readonly id: number;
      readonly encoded?: { readonly mediaType: string; readonly content: Uint8Array } | undefined;
    } & LaneAnswerHead)
  | ({ readonly type: 'stream'; readonly id: number } & LaneAnswerHead)
  | { readonly type: 'piece'; readonly id: number; readonly content: Uint8Array }
  | { readonly type: 'end'; readonly id: number }
  | { readonly type: 'failure'; readonly id: number; readonly failure: PackedFailure }
  | { readonly type: 'notice'; readonly notice: ChangeNotice }
  | SpansMessage
  | RunJobMessage;

export const packFailure = (failure: unknown): PackedFailure => {
  if (failure instanceof CatalogError) {
    const { code, message, result, retryAfterSeconds, etag, hint, missing } = failure;
    return { code, message, result, retryAfterSeconds, etag, hint, missing };
  }
  return { stack: failure instanceof Error ? (failure.stack ?? failure.message) : String(failure) };
};

export const unpackFailure = (failure: PackedFailure): Error => {
  if ('code' in failure) {
    const { code, message, result, retryAfterSeconds, etag, hint, missing } = failure;
    return new CatalogError(code, message, {
      ...(result === undefined ? {} : { result }),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      ...(etag === undefined ? {} : { etag }),
      hint,
      missing,
    });
  }
  const defect = new Error('a request failed in the heavy lane');
  defect.stack = failure.stack;
  return defect;
};
