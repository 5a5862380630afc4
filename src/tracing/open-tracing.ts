import type { TracingSettings } from './settings.ts';
import type { ThreadSpans } from './span-batcher.ts';
import type { SpanObserver } from './span-sender.ts';
import type { Tracing } from './tracing.ts';

/** Opens the tracing of a thread. The packages of OpenTelemetry are loaded only where traces are exported. */

/** The tracing of a process that exports what all of its threads record. */
export type ProcessTracing = Tracing & {
  /** Takes what another thread of the process has recorded. */
  readonly takeSpans: (spans: ThreadSpans) => void;
};

export const openTracing = async (
  settings: TracingSettings | undefined,
  observer: SpanObserver,
): Promise<ProcessTracing | undefined> => {
  if (!settings) return undefined;
  const { openProcessTracing } = await import('./exported-tracing.ts');
  return openProcessTracing(settings, observer);
};

/** Opens the tracing of a thread whose spans the main thread exports. */
export const openThreadTracing = async (
  settings: TracingSettings | undefined,
  send: (spans: ThreadSpans) => void,
): Promise<Tracing | undefined> => {
  if (!settings) return undefined;
  const { createThreadTracing } = await import('./exported-tracing.ts');
  return createThreadTracing(settings, send);
};
