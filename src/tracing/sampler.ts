import { type Link, TraceFlags, trace } from '@opentelemetry/api';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import type { TracingSettings } from './settings.ts';

/** Decides which traces are recorded. */

const createRootSampler = ({ sampler, samplingRatio }: TracingSettings): Sampler => {
  if (sampler.endsWith('traceidratio')) return new TraceIdRatioBasedSampler(samplingRatio);
  return sampler.endsWith('always_off') ? new AlwaysOffSampler() : new AlwaysOnSampler();
};

const isSampled = ({ context }: Link): boolean => (context.traceFlags & TraceFlags.SAMPLED) !== 0;

/**
 * Creates the configured sampler. A trace that others have caused is recorded when one of them is, because a link to a
 * trace that does not exist helps nobody.
 */
export const createSampler = (settings: TracingSettings): Sampler => {
  const root = createRootSampler(settings);
  const chosen = settings.sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
  return {
    shouldSample: (context, traceId, name, kind, attributes, links) => {
      if (links.length === 0 || trace.getSpanContext(context) !== undefined)
        return chosen.shouldSample(context, traceId, name, kind, attributes, links);
      const decision = links.some(isSampled) ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD;
      return { decision };
    },
    toString: () => chosen.toString(),
  };
};
