import type { Span } from '@opentelemetry/api';

/**
 * Traces of requests, statements, jobs and deliveries, for a collector of OpenTelemetry. This file says what the other
 * rooms see, and loads nothing; without a collector they get no `Tracing` at all. Read on with `open-tracing.ts` (who
 * exports), `spans.ts` (what becomes a span), `shared-work.ts` (what several requests share), then `span-batcher.ts` and
 * `span-sender.ts` (the way to the collector).
 *
 * No span holds anything that callers have written: no path, parameter, body, name, address of a caller or message of an
 * error, because policies may hide all of that from those who read traces. Only `tracestate` is passed on as it came, as
 * W3C Trace Context demands.
 */

/** The ids by which log lines are found from a span, as OpenTelemetry names them in logs. */
export type TraceIds = { readonly trace_id: string; readonly span_id: string };

/** What continues a trace in another thread, process or service, in the headers of W3C Trace Context. */
export type TraceHeaders = { readonly traceparent: string; readonly tracestate?: string };

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export type SpanDescription = {
  /** Names of statements, operations and the like, never text from callers. */
  readonly name: string;
  readonly kind: 'internal' | 'client' | 'consumer';
  readonly attributes?: SpanAttributes;
};

/** The span that work runs in, where one is recorded. It may be given further attributes. */
export type RecordedSpan = {
  note(attributes: SpanAttributes): void;
  /** Marks the span as failed, for failures that do not leave the work. A number is the status of an answer. */
  fail(failure: unknown): void;
};

/** How many more spans a trace may get in this process, and how many it did not get. */
export type SpanBudget = { left: number; omitted: number };

/** Where a piece of work stands in its trace. */
export type TraceScope = {
  readonly span: Span;
  readonly budget: SpanBudget;
  /** What the work has left behind, such as a timer, adds nothing to its trace once it is over. */
  isOver: boolean;
};

/** Somebody whose work is done together with that of others, since when it waits. */
export type TraceCaller = { readonly scope: TraceScope; readonly sinceMs: number };

/** A part of a trace that does not end with one function call. */
export type TraceSegment = {
  /** Runs work in the segment. */
  run<T>(work: () => T): T;
  end(): void;
};

export type RequestStart = {
  readonly method: string;
  readonly header: (name: string) => string | undefined;
};

export type RequestEnd = {
  /** The path as declared; undefined when no route has the path. */
  readonly route: string | undefined;
  readonly status: number;
  readonly failure: unknown;
};

/** The span of one request. */
export type RequestSpan = {
  readonly ids: TraceIds;
  run<T>(work: () => T): T;
  end(end: RequestEnd): void;
};

export type Tracing = {
  /** Starts the span of a request, which continues the trace of its caller. */
  startRequest(request: RequestStart): RequestSpan;
  /** Runs work in a span below the current one, or just runs it when nothing is recorded. */
  child<T>(description: SpanDescription, work: (span?: RecordedSpan) => Promise<T>): Promise<T>;
  /** Runs work in a trace of its own that is linked to others, which may have begun in other processes. */
  root<T>(
    description: SpanDescription,
    causes: readonly TraceHeaders[],
    work: (span?: RecordedSpan) => Promise<T>,
  ): Promise<T>;
  /** The current place, for work that is done later together with that of others. */
  caller(): TraceCaller | undefined;
  /**
   * Runs work for some callers. What only one of them needs is part of its trace. What several need has a trace of its
   * own, which is linked to theirs in both directions.
   */
  shared<T>(name: string, callers: readonly (TraceCaller | undefined)[], work: () => Promise<T>): Promise<T>;
  /** What lets another thread, process or service continue the current trace. */
  headers(): TraceHeaders | undefined;
  /** Continues the trace of another thread. */
  resume(headers: TraceHeaders): TraceSegment;
  /** The ids of the current span. */
  ids(): TraceIds | undefined;
  /** Hands on all spans that have ended, and waits for the collector within a limit. */
  close(): Promise<void>;
};
