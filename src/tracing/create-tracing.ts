import type { Resource } from '@opentelemetry/resources';
import { type Sampler, type SpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { startRequestSpan, traceIdsOf } from './request-span.ts';
import {
  closeScope,
  contextBelow,
  createSpanSource,
  noteOmitted,
  openRemoteScope,
  openScope,
  runInScope,
  type SpanSource,
  startChild,
  startSpan,
} from './scopes.ts';
import { MAX_LINKS, traceSharedWork } from './shared-work.ts';
import { parseTraceHeaders, toTraceHeaders } from './trace-headers.ts';
import type { TraceHeaders, TraceSegment, Tracing } from './tracing.ts';

/** A remote place in a trace, with the limits of this process. */
const resumeTrace = (source: SpanSource, headers: TraceHeaders): TraceSegment => {
  const parent = parseTraceHeaders(headers.traceparent, headers.tracestate);
  const scope = parent && openRemoteScope(parent);
  return {
    run: (work) => source.scopes.run(scope, work),
    end: () => {
      if (scope) closeScope(scope);
    },
  };
};

const traceChild =
  (source: SpanSource): Tracing['child'] =>
  async (description, work) => {
    const parent = source.scopes.getStore();
    const span = startChild(source, parent, description);
    return span ? runInScope(source, openScope(span, parent?.budget), work) : work();
  };

const traceRoot =
  (source: SpanSource): Tracing['root'] =>
  (description, causes, work) => {
    const links = causes.slice(0, MAX_LINKS).flatMap(({ traceparent, tracestate }) => {
      const context = parseTraceHeaders(traceparent, tracestate);
      return context ? [{ context }] : [];
    });
    const span = startSpan(source, description, contextBelow(undefined), { links });
    return runInScope(source, openScope(span), work, noteOmitted);
  };

export type TracingParts = {
  readonly resource: Resource;
  readonly sampler: Sampler;
  readonly processor: SpanProcessor;
  /** What takes the spans of the processor. */
  readonly closeTarget: () => Promise<void>;
};

/** Creates the tracing of one thread. It registers nothing globally, so that two applications share nothing. */
export const createTracing = ({ resource, sampler, processor, closeTarget }: TracingParts): Tracing => {
  const provider = new TracerProvider({ resource, sampler, spanProcessors: [processor] });
  const source = createSpanSource(provider.getTracer('tributary'));
  const { scopes } = source;
  return {
    startRequest: (request) => startRequestSpan(source, request),
    child: traceChild(source),
    root: traceRoot(source),
    caller: () => {
      const scope = scopes.getStore();
      return scope && { scope, sinceMs: performance.now() };
    },
    shared: (name, callers, work) => traceSharedWork(source, name, callers, work),
    headers: () => {
      const scope = scopes.getStore();
      return scope && !scope.isOver ? toTraceHeaders(scope.span.spanContext()) : undefined;
    },
    resume: (headers) => resumeTrace(source, headers),
    ids: () => {
      const scope = scopes.getStore();
      return scope && !scope.isOver ? traceIdsOf(scope) : undefined;
    },
    close: async () => {
      await provider.shutdown();
      await closeTarget();
    },
  };
};
