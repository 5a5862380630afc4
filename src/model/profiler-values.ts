import { Flag, FreeForm, Integer, shape } from './values.ts';

/** How a profiler samples the tables below a database or a schema. */
export const ProfilerSampling = shape('ProfilerSampling', {
  sampleDataCount: Integer,
  sampleDataStorageConfig: FreeForm,
  randomizedSample: Flag,
  profileSampleConfig: FreeForm,
});
