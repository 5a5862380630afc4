import { FreeForm, Integer, listOf, must, Num, oneOf, Ref, shape, Text, Timestamp, Url } from '../../values.ts';

/** The schemas of pipeline runs. */

const RUN_STATUSES = ['Successful', 'Failed', 'Pending', 'Skipped'] as const;
const TRANSFORMATIONS = ['filter', 'aggregate', 'join', 'pivot', 'custom', 'extract', 'load'] as const;
const WRITE_MODES = ['overwrite', 'append', 'merge', 'upsert'] as const;

const DatasetUsage = shape('DatasetUsage', {
  datasetFQN: must(Text),
  columns: listOf(Text),
  rowCount: Integer,
  sizeBytes: Integer,
  filter: Text,
  version: Text,
});

const DatasetGeneration = shape('DatasetGeneration', {
  datasetFQN: must(Text),
  columns: listOf(Text),
  rowCount: Integer,
  sizeBytes: Integer,
  mode: oneOf(WRITE_MODES),
  partitions: listOf(Text),
  version: Text,
});

const TaskStatus = shape('TaskStatus', {
  name: must(Text),
  executionStatus: must(oneOf(RUN_STATUSES)),
  startTime: Timestamp,
  endTime: Timestamp,
  logLink: Url,
  taskId: Text,
  transformationType: oneOf(TRANSFORMATIONS),
  transformationLogic: Text,
  inputs: listOf(DatasetUsage),
  outputs: listOf(DatasetGeneration),
  metrics: shape('TaskMetrics', {
    rowsRead: Integer,
    rowsWritten: Integer,
    rowsFiltered: Integer,
    executionTimeMs: Integer,
  }),
});

/** The result of one run of a pipeline. */
export const PipelineStatus = shape('PipelineStatus', {
  timestamp: must(Timestamp),
  executionStatus: must(oneOf(RUN_STATUSES)),
  taskStatus: listOf(TaskStatus),
  executionId: Text,
  endTime: Timestamp,
  version: Text,
  parameters: FreeForm,
  executedBy: Ref,
  inputs: listOf(DatasetUsage),
  outputs: listOf(DatasetGeneration),
  metrics: shape('ExecutionMetrics', {
    totalRowsProcessed: Integer,
    totalBytesProcessed: Integer,
    cpuTime: Num,
    memoryUsed: Integer,
    cost: Num,
  }),
  error: shape('ExecutionError', { errorType: Text, errorMessage: Text, stackTrace: Text, failedTask: Text }),
});

/** The runs of a pipeline that writes a table. */
export const PipelineObservability = shape('PipelineObservability', {
  pipeline: must(Ref),
  serviceType: Text,
  scheduleInterval: Text,
  startTime: Timestamp,
  endTime: Timestamp,
  lastRunTime: Timestamp,
  lastRunStatus: oneOf([...RUN_STATUSES, 'Running']),
  averageRunTime: Num,
});
