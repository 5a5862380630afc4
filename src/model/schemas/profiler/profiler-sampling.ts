import * as v from 'valibot';
import type { JsonObject } from '../../json.ts';
import { dropNulls } from '../../validate.ts';
import {
  defaulting,
  Flag,
  FreeForm,
  Integer,
  listOf,
  Markdown,
  must,
  NameInput,
  Num,
  oneOf,
  Ref,
  shape,
  Text,
  Timestamp,
  Uuid,
} from '../../values.ts';

/** The schemas of sampling settings and custom metrics. */

export const SAMPLE_TYPES = ['PERCENTAGE', 'ROWS'] as const;
export const SAMPLING_METHODS = ['BERNOULLI', 'SYSTEM'] as const;

const SAMPLING_MEMBERS = { profileSampleType: oneOf(SAMPLE_TYPES), samplingMethodType: oneOf(SAMPLING_METHODS) };

const StaticSampling = shape('StaticSamplingConfig', { profileSample: Num, ...SAMPLING_MEMBERS });

const Threshold = shape('SamplingThreshold', {
  rowCountThreshold: must(v.pipe(Integer, v.minValue(1, 'must be greater than or equal to 1'))),
  profileSample: must(Num),
  ...SAMPLING_MEMBERS,
});

const DynamicSampling = shape('DynamicSamplingConfig', { smartSampling: Flag, thresholds: listOf(Threshold) });

/** Clients send null for members that they leave unset, here as well. */
const withoutNulls = v.pipe(
  FreeForm,
  v.transform((config): Record<string, unknown> => ({ ...(dropNulls(config) as JsonObject) })),
);

export const ProfileSampleConfig = shape('ProfileSampleConfig', {
  sampleConfigType: oneOf(['STATIC', 'DYNAMIC']),
  config: v.pipe(
    withoutNulls,
    v.union([StaticSampling, DynamicSampling], 'must be a sample, or thresholds with the sample from each of them on'),
  ),
});

/** How a profiler samples the tables of a database or schema. */
export const ProfilerSampling = shape('ProfilerSampling', {
  sampleDataCount: defaulting(Integer, 50),
  sampleDataStorageConfig: shape('SampleDataStorageConfig', { config: FreeForm }),
  randomizedSample: defaulting(Flag, true),
  profileSampleConfig: ProfileSampleConfig,
});

/** A user-defined metric: an expression over a table or one of its columns. */
export const CustomMetric = shape('CustomMetric', {
  id: Uuid,
  name: must(NameInput),
  description: Markdown,
  columnName: Text,
  expression: must(Text),
  owners: listOf(Ref),
  updatedAt: Timestamp,
  updatedBy: Text,
});
