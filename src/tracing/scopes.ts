import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { errorTypeOf } from './error-type.ts';
import type { RecordedSpan, SpanBudget, SpanDescription, TraceScope } from './tracing.ts';

/** Starts and ends spans, and knows in which one the present work runs. */

/** What all spans of a thread share. */
export type SpanSource = {
  readonly tracer: Tracer;
  readonly scopes: AsyncLocalStorage<TraceScope | undefined>;
};

/** A job may run a million statements, and no viewer shows so many. */
const MAX_SPANS_PER_TRACE = 1000;

const KINDS = {
  internal: SpanKind.INTERNAL,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
} as const satisfies Record<SpanDescription['kind'], SpanKind>;

export const createSpanSource = (tracer: Tracer): SpanSource => ({ tracer, scopes: new AsyncLocalStorage() });

const createBudget = (): SpanBudget => ({ left: MAX_SPANS_PER_TRACE, omitted: 0 });

export const openScope = (span: Span, budget: SpanBudget = createBudget()): TraceScope => ({
  span,
  budget,
  isOver: false,
});

/** Opens a scope in a trace that began elsewhere. */
export const openRemoteScope = (parent: SpanContext): TraceScope => openScope(trace.wrapSpanContext(parent));

export const contextBelow = (parent: SpanContext | undefined): Context =>
  parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);

/** Whether spans below the scope are recorded. */
export const isTraced = (scope: TraceScope | undefined): scope is TraceScope =>
  scope !== undefined && !scope.isOver && (scope.span.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0;

/** Takes one span out of the budget of a trace. */
const takeSpan = ({ budget }: TraceScope): boolean => {
  if (budget.left > 0) {
    budget.left -= 1;
    return true;
  }
  budget.omitted += 1;
  return false;
};

export const startSpan = (
  { tracer }: SpanSource,
  { name, kind, attributes }: SpanDescription,
  context: Context,
  options: { readonly links?: Link[]; readonly startTime?: number } = {},
): Span => tracer.startSpan(name, { kind: KINDS[kind], ...(attributes ? { attributes } : {}), ...options }, context);

/** Starts a span below a scope; undefined when nothing is recorded there, or too much already. */
export const startChild = (
  source: SpanSource,
  parent: TraceScope | undefined,
  description: SpanDescription,
  startTime?: number,
): Span | undefined => {
  if (!isTraced(parent) || !takeSpan(parent)) return undefined;
  const context = contextBelow(parent.span.spanContext());
  return startSpan(source, description, context, startTime === undefined ? {} : { startTime });
};

export const markFailed = (span: Span, errorType: string): void => {
  span.setAttribute('error.type', errorType);
  span.setStatus({ code: SpanStatusCode.ERROR });
};

/** Ends the span of a scope, and the scope. */
export const closeScope = (scope: TraceScope): void => {
  scope.isOver = true;
  scope.span.end();
};

/** Says on the first span of a trace in this process how many of its spans were not recorded. */
export const noteOmitted = ({ span, budget }: TraceScope): void => {
  if (budget.omitted > 0) span.setAttribute('tributary.spans.omitted', budget.omitted);
};

const recordedSpanOf = (span: Span): RecordedSpan | undefined =>
  span.isRecording()
    ? {
        note: (attributes) => span.setAttributes(attributes),
        fail: (failure) => markFailed(span, errorTypeOf(failure)),
      }
    : undefined;

/** Runs work in a scope and closes it when the work is done. */
export const runInScope = async <T>(
  { scopes }: SpanSource,
  scope: TraceScope,
  work: (span?: RecordedSpan) => Promise<T>,
  beforeEnd: (scope: TraceScope) => void = () => {},
): Promise<T> => {
  try {
    return await scopes.run(scope, () => work(recordedSpanOf(scope.span)));
  } catch (failure) {
    markFailed(scope.span, errorTypeOf(failure));
    throw failure;
  } finally {
    beforeEnd(scope);
    closeScope(scope);
  }
};
