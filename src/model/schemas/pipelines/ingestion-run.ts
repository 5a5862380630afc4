import { defaulting, Flag, FreeForm, Integer, listOf, must, Num, oneOf, shape, Text, Timestamp } from '../../values.ts';

/** The schemas of runs of ingestion pipelines, as the ingestion framework reports them. */

const RUN_STATES = ['queued', 'success', 'failed', 'running', 'partialSuccess', 'stopped'] as const;
const UPDATE_TYPES = ['DISCOVERY', 'PROCESSING', 'STEP_COMPLETE', 'PIPELINE_COMPLETE', 'ERROR'] as const;

const StepSummary = shape('StepSummary', {
  name: must(Text),
  records: Integer,
  updated_records: Integer,
  warnings: Integer,
  errors: Integer,
  filtered: Integer,
  failures: listOf(shape('StackTraceError', { name: must(Text), error: must(Text), stackTrace: Text })),
  progress: FreeForm,
  operationMetrics: FreeForm,
  sourceTimeMs: Num,
  sinkTimeMs: Num,
});

/** How one run of an ingestion pipeline goes. */
export const IngestionRun = shape('IngestionRun', {
  runId: must(Text),
  pipelineState: oneOf(RUN_STATES),
  startDate: Timestamp,
  timestamp: Timestamp,
  endDate: Timestamp,
  status: listOf(StepSummary),
  config: FreeForm,
  metadata: FreeForm,
});

export const IngestionRunList = shape('IngestionRunList', {
  data: must(listOf(IngestionRun)),
  paging: must(shape('RunPaging', { total: must(Integer) })),
});

/** How far a run has come; each report replaces the one before. */
export const RunProgress = shape('RunProgress', {
  runId: must(Text),
  timestamp: must(Timestamp),
  updateType: must(oneOf(UPDATE_TYPES)),
  stepName: Text,
  progress: FreeForm,
  globalCounters: listOf(shape('RunCounter', { entityType: Text, done: Integer, total: Integer })),
  estimatedSecondsRemaining: Integer,
  totalAssetsIngested: Integer,
  currentEntity: Text,
  message: Text,
});

/** A piece of the log of a run. A compressed text is gzip in base64. */
export const RunLogBatch = shape('RunLogBatch', {
  logs: Text,
  timestamp: Timestamp,
  connectorId: Text,
  compressed: defaulting(Flag, false),
  lineCount: Integer,
});

/** Lines of the log of a run; `after` is the number of lines before the next page. */
export const RunLog = shape('RunLog', { logs: must(Text), total: must(Integer), after: Text });
