import type { Link, Span } from '@opentelemetry/api';
import { errorTypeOf } from './error-type.ts';
import {
  contextBelow,
  isTraced,
  markFailed,
  noteOmitted,
  openScope,
  runInScope,
  type SpanSource,
  startChild,
  startSpan,
} from './scopes.ts';
import type { TraceCaller, TraceScope } from './tracing.ts';

/** Traces work that several requests share: look-ups of one query, and writes of one transaction. */

type Callers = readonly (TraceCaller | undefined)[];

/** More links would be dropped when the span is exported. */
export const MAX_LINKS = 128;

/** The callers whose traces are recorded: of each place the one that has waited longest. */
const tracedCallers = (callers: Callers): readonly TraceCaller[] => {
  const byScope = new Map<TraceScope, TraceCaller>();
  for (const caller of callers) {
    if (caller && isTraced(caller.scope) && !byScope.has(caller.scope)) byScope.set(caller.scope, caller);
    if (byScope.size === MAX_LINKS) break;
  }
  return [...byScope.values()];
};

/** The only scope that the work is for; undefined when it is for several. */
const onlyScope = (callers: Callers): TraceScope | undefined => {
  const scope = callers[0]?.scope;
  return callers.every((caller) => caller?.scope === scope) ? scope : undefined;
};

const linkTo = (span: Span): Link => ({ context: span.spanContext() });

/** Starts a span in the trace of each caller, for the time in which the shared work kept it waiting. */
const startWaits = (source: SpanSource, name: string, callers: readonly TraceCaller[]): readonly Span[] =>
  callers.flatMap(({ scope, sinceMs }) => {
    const wait = startChild(source, scope, { name: `wait for ${name}`, kind: 'internal' }, sinceMs);
    return wait ? [wait] : [];
  });

export const traceSharedWork = async <T>(
  source: SpanSource,
  name: string,
  callers: Callers,
  work: () => Promise<T>,
): Promise<T> => {
  const scope = onlyScope(callers);
  const traced = scope ? [] : tracedCallers(callers);
  const waits = startWaits(source, name, traced);
  if (waits.length === 0) return source.scopes.run(scope, work);
  const attributes = { 'tributary.batch.size': callers.length };
  const batch = startSpan(source, { name: `batch ${name}`, kind: 'internal', attributes }, contextBelow(undefined), {
    links: waits.map(linkTo),
  });
  for (const wait of waits) wait.addLink(linkTo(batch));
  try {
    return await runInScope(source, openScope(batch), work, noteOmitted);
  } catch (failure) {
    for (const wait of waits) markFailed(wait, errorTypeOf(failure));
    throw failure;
  } finally {
    for (const wait of waits) wait.end();
  }
};
