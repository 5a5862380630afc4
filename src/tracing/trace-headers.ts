import { createTraceState, isSpanContextValid, type SpanContext, TraceFlags } from '@opentelemetry/api';
import type { TraceHeaders } from './tracing.ts';

/** Reads and writes the headers of W3C Trace Context. */

const TRACE_PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Longer ones are dropped, as the standard allows. */
const MAX_TRACE_STATE_LENGTH = 512;
/** Room for what a later version of the standard may add. */
const MAX_TRACE_PARENT_LENGTH = 256;

const parseTraceState = (text: string | undefined): Pick<SpanContext, 'traceState'> =>
  text === undefined || text === '' || text.length > MAX_TRACE_STATE_LENGTH
    ? {}
    : { traceState: createTraceState(text) };

/** Answers the span that the headers name; undefined when they are absent or malformed. */
export const parseTraceHeaders = (parent: string | undefined, state: string | undefined): SpanContext | undefined => {
  if (parent === undefined || parent.length > MAX_TRACE_PARENT_LENGTH) return undefined;
  const [matched, version = '', traceId = '', spanId = '', flags = '', more] = TRACE_PARENT.exec(parent) ?? [];
  // Later versions may add fields, the first one may not; ff is no version.
  if (matched === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  const context = { traceId, spanId, traceFlags, isRemote: true, ...parseTraceState(state) };
  return isSpanContextValid(context) ? context : undefined;
};

export const toTraceHeaders = ({ traceId, spanId, traceFlags, traceState }: SpanContext): TraceHeaders => {
  const traceparent = `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, '0')}`;
  const tracestate = traceState?.serialize();
  return tracestate ? { traceparent, tracestate } : { traceparent };
};
