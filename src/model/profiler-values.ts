import { Flag, FreeForm, Integer, listOf, Markdown, must, Name, Ref, shape, Text, Timestamp, Uuid } from './values.ts';

/** How a profiler samples the tables below a database or a schema. */
export const ProfilerSampling = shape('ProfilerSampling', {
  sampleDataCount: Integer,
  sampleDataStorageConfig: FreeForm,
  randomizedSample: Flag,
  profileSampleConfig: FreeForm,
});

/** A measurement that a user defines by an expression, of a table or of one of its columns. */
export const CustomMetric = shape('CustomMetric', {
  id: Uuid,
  name: must(Name),
  description: Markdown,
  columnName: Text,
  expression: must(Text),
  owners: listOf(Ref),
  updatedAt: Timestamp,
  updatedBy: Text,
});
