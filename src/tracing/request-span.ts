import { type Context, type Span, SpanKind } from '@opentelemetry/api';
import { errorTypeOf } from './error-type.ts';
import { closeScope, contextBelow, isTraced, markFailed, noteOmitted, openScope, type SpanSource } from './scopes.ts';
import { parseTraceHeaders } from './trace-headers.ts';
import type { RequestEnd, RequestSpan, RequestStart, TraceIds, TraceScope } from './tracing.ts';

/** The span of a request, by the conventions of OpenTelemetry for HTTP servers. */

/** The conventions name the other methods alike, so that callers cannot invent values. */
const KNOWN_METHODS: ReadonlySet<string> = new Set([
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'QUERY',
  'TRACE',
]);

/**
 * The context of the caller: another service, or, where there are no headers, a request in which this service asks
 * itself.
 */
const parentContext = ({ scopes }: SpanSource, { header }: RequestStart): Context => {
  const parent = parseTraceHeaders(header('traceparent'), header('tracestate'));
  if (parent) return contextBelow(parent);
  const current = scopes.getStore();
  return contextBelow(isTraced(current) ? current.span.spanContext() : undefined);
};

const noteEnd = (span: Span, method: string, { route, status, failure }: RequestEnd): void => {
  if (route !== undefined) {
    span.updateName(`${method} ${route}`);
    span.setAttribute('http.route', route);
  }
  span.setAttribute('http.response.status_code', status);
  // A failure after a status below 400 is a broken stream: the caller saw the connection end.
  if (status >= 500) markFailed(span, String(status));
  else if (failure !== undefined && status < 400) markFailed(span, errorTypeOf(failure));
};

export const traceIdsOf = ({ span }: TraceScope): TraceIds => {
  const { traceId, spanId } = span.spanContext();
  return { trace_id: traceId, span_id: spanId };
};

export const startRequestSpan = (source: SpanSource, request: RequestStart): RequestSpan => {
  const isKnown = KNOWN_METHODS.has(request.method);
  const attributes = { 'http.request.method': isKnown ? request.method : '_OTHER', 'url.scheme': 'http' };
  const name = isKnown ? request.method : 'HTTP';
  const span = source.tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parentContext(source, request));
  const scope = openScope(span);
  return {
    ids: traceIdsOf(scope),
    run: (work) => source.scopes.run(scope, work),
    end: (end) => {
      noteEnd(span, name, end);
      noteOmitted(scope);
      closeScope(scope);
    },
  };
};
