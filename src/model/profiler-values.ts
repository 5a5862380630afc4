import {
  defaulting,
  Flag,
  FreeForm,
  Integer,
  listOf,
  Markdown,
  must,
  Ref,
  shape,
  Text,
  Timestamp,
  Uuid,
  WrittenName,
} from './values.ts';

/** How a profiler samples the tables below a database or a schema. */
export const ProfilerSampling = shape('ProfilerSampling', {
  sampleDataCount: defaulting(Integer, 50),
  sampleDataStorageConfig: FreeForm,
  randomizedSample: defaulting(Flag, true),
  profileSampleConfig: FreeForm,
});

/** A measurement that a user defines by an expression, of a table or of one of its columns. */
export const CustomMetric = shape('CustomMetric', {
  id: Uuid,
  name: must(WrittenName),
  description: Markdown,
  columnName: Text,
  expression: must(Text),
  owners: listOf(Ref),
  updatedAt: Timestamp,
  updatedBy: Text,
});
