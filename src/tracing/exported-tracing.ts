import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { packageRoot } from '../graph/package-root.ts';
import { createTracing } from './create-tracing.ts';
import type { ProcessTracing } from './open-tracing.ts';
import { createSampler } from './sampler.ts';
import type { TracingSettings } from './settings.ts';
import { createSpanBatcher, type SpanTarget, type ThreadSpans } from './span-batcher.ts';
import { openSpanSender, type SpanObserver } from './span-sender.ts';
import type { Tracing } from './tracing.ts';

/** Joins the parts of tracing: what is recorded, its form for the collector, and the way there. */

const createSerializer = ({ protocol }: TracingSettings) =>
  protocol === 'http/json' ? JsonTraceSerializer : ProtobufTraceSerializer;

const readVersion = (): string => {
  const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string };
  return version;
};

/** Describes this process. The threads of a process are one instance. */
const describeProcess = ({ serviceName, resource }: TracingSettings): Resource =>
  resourceFromAttributes({
    'service.name': 'tributary',
    'service.version': readVersion(),
    'service.instance.id': `${hostname()}-${process.pid}`,
    ...resource,
    ...(serviceName === undefined ? {} : { 'service.name': serviceName }),
  });

const openThread = (settings: TracingSettings, target: SpanTarget, closeTarget: () => Promise<void>): Tracing => {
  const serializer = createSerializer(settings);
  const encode = (spans: Parameters<typeof serializer.serializeRequest>[0]): Uint8Array => {
    const content = serializer.serializeRequest(spans);
    if (!content) throw new Error('the serializer answers nothing');
    return content;
  };
  return createTracing({
    resource: describeProcess(settings),
    sampler: createSampler(settings),
    processor: createSpanBatcher({ encode, target }),
    closeTarget,
  });
};

export const openProcessTracing = (settings: TracingSettings, observer: SpanObserver): ProcessTracing => {
  const serializer = createSerializer(settings);
  const sender = openSpanSender({
    settings,
    observer,
    readRefused: (answer) => {
      try {
        return Number(serializer.deserializeResponse(answer).partialSuccess?.rejectedSpans ?? 0);
      } catch {
        // A collector that answers 200 with another body has taken everything.
        return 0;
      }
    },
  });
  return {
    ...openThread(settings, sender, sender.close),
    takeSpans: (spans) => ('lost' in spans ? sender.lost(spans.lost, spans.reason) : sender.send(spans)),
  };
};

export const createThreadTracing = (settings: TracingSettings, send: (spans: ThreadSpans) => void): Tracing => {
  const target: SpanTarget = {
    // The main thread counts what it cannot take.
    hasRoom: () => true,
    send,
    lost: (lost, reason) => send({ lost, reason }),
  };
  return openThread(settings, target, async () => {});
};
