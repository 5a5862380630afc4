import type { Engine } from '../catalog/engine.ts';
import { createStep, notFoundFactory, STEP_ORDER } from '../catalog/plan/step.ts';
import { buildWriteAnswer, readRequiredJson } from '../catalog/read/answer.ts';
import { writeFields } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { requireKind } from '../catalog/registry.ts';
import * as schema from '../catalog/routes/schemas.ts';
import { badRequest, CatalogError, recordNotFound } from '../errors.ts';
import { integerParameter, limitParameter, textParameter } from '../http/query-parameters.ts';
import type { Answer, Call, HttpMethod, Route } from '../http/route.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { Kind } from '../model/kind/kind.ts';
import { operationsToReadFields } from '../model/kind/required-operations.ts';
import {
  IngestionRun,
  IngestionRunList,
  RunLog,
  RunLogBatch,
  RunProgress,
} from '../model/schemas/pipelines/ingestion-run.ts';
import { SECRET_MASK } from '../model/secret-mask.ts';
import { mapTexts, maskSecretsInText } from '../model/secret-masking.ts';
import { dropNulls, validate } from '../model/validate.ts';
import { readRun, updateProgress } from './queries.ts';
import { findRequestedPipeline, RUN_RANGE_PARAMETERS, readRunRange, streamRunList } from './requested-pipeline.ts';
import { appendLog, deleteOldRunsStep, type LogBatch, readLog } from './run-logs.ts';
import { countPipelineRuns, readPipelineRuns, runKeyOf, storeRuns } from './runs.ts';

/** Routes for the runs of ingestion pipelines: how they went, how far they have come, and what they log. */

const INGESTION = 'ingestionPipeline';
const RUNS_FIELD: ReadonlySet<string> = new Set(['pipelineStatuses']);
const MAX_LINES = 10_000;
const MAX_RUN_ID_LENGTH = 256;
const MAX_RUN_BYTES = 1024 * 1024;
const MAX_PROGRESS_BYTES = 64 * 1024;

/** Reporting a run needs an operation of its own, which also those have who may edit everything. */
const REPORT = 'EditIngestionPipelineStatus';
const reportOperations = (): readonly string[] => [REPORT];
const readOperations = (kind: Kind): readonly string[] => operationsToReadFields(kind, RUNS_FIELD);

const findReported = (engine: Engine, call: Call) => findRequestedPipeline(engine, call, INGESTION, reportOperations);
const findRead = (engine: Engine, call: Call) => findRequestedPipeline(engine, call, INGESTION, readOperations);

const checkRunId = (text: string): string => {
  if (text.length > MAX_RUN_ID_LENGTH) throw badRequest(`[runId must be at most ${MAX_RUN_ID_LENGTH} characters long]`);
  return text;
};

const runIdOf = ({ params }: Call): string => checkRunId(params['runId'] ?? '');

const readBody = async (call: Call): Promise<Json> => dropNulls((await readRequiredJson(call)) as Json);

/** Refuses a report that is too large to be kept. */
const checkSize = <T extends Json>(report: T, maxBytes: number): T => {
  if (Buffer.byteLength(JSON.stringify(report)) <= maxBytes) return report;
  throw new CatalogError('payload_too_large', `[the report must have at most ${maxBytes} bytes]`);
};

/** Masks what a report says in secret, in its own members and in the messages of failures. It is of no use afterwards. */
const maskReport = <T extends JsonObject>(report: T): T =>
  mapTexts(report, (text, isSecret) => (isSecret ? SECRET_MASK : maskSecretsInText(text)));

const readReportedRun = async (engine: Engine, call: Call) => {
  const run = validate(IngestionRun, await readBody(call)) as unknown as JsonObject & { readonly runId: string };
  const { startDate, timestamp = startDate ?? engine.clock() } = run;
  const runId = checkRunId(run.runId);
  return { ...maskReport(checkSize(run, MAX_RUN_BYTES)), runId, timestamp: Number(timestamp) };
};

const putRun =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const pipeline = await findReported(engine, call);
    const run = await readReportedRun(engine, call);
    const isChanged = await storeRuns(engine, call.principal, pipeline, {
      member: 'pipelineStatuses',
      runs: [{ key: runKeyOf(pipeline, run.runId), run }],
      render: () => run,
      further: [deleteOldRunsStep(pipeline)],
    });
    const fields = new Set([...writeFields(pipeline.kind), ...RUNS_FIELD]);
    const record = await engine.store.record(pipeline.kind, { id: pipeline.id }, fields);
    if (!record) throw recordNotFound(INGESTION, pipeline.id);
    const outcome = isChanged ? 'entityFieldsChanged' : 'entityNoChange';
    return buildWriteAnswer(engine, call, { outcome, record }, RUNS_FIELD);
  };

const listRunsOf =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const { limit, ...range } = readRunRange(call);
    const { id } = await findRead(engine, call);
    const span = { id, ...range };
    const total = await countPipelineRuns(engine, span);
    return { status: 200, stream: streamRunList(readPipelineRuns(engine, span, limit), total, (runs) => runs) };
  };

const findRun = async (engine: Engine, pipeline: Snapshot, runId: string) =>
  (await engine.graph.read(readRun, { key: runKeyOf(pipeline, runId) }))[0];

/** Answers a part of a run. A run that nobody has reported yet has none, which is no failure. */
const readRunPart =
  (engine: Engine, part: 'json' | 'progress') =>
  async (call: Call): Promise<Answer> => {
    const run = await findRun(engine, await findRead(engine, call), runIdOf(call));
    const text = run?.[part];
    return text ? { status: 200, json: JSON.parse(text) } : { status: 204 };
  };

const putProgress =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const pipeline = await findReported(engine, call);
    const progress = validate(RunProgress, await readBody(call)) as unknown as JsonObject;
    const json = maskReport(checkSize(progress, MAX_PROGRESS_BYTES));
    const row = { id: pipeline.id, key: runKeyOf(pipeline, runIdOf(call)), json: JSON.stringify(json) };
    const missing = notFoundFactory(INGESTION, pipeline.id);
    await engine.commit({ keys: [row.key], steps: [createStep(updateProgress, STEP_ORDER.link, [row], missing)] });
    return { status: 200, json };
  };

const postLog =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const pipeline = await findReported(engine, call);
    const batch = validate(RunLogBatch, await readBody(call)) as LogBatch;
    await appendLog(engine, pipeline, runKeyOf(pipeline, runIdOf(call)), batch);
    return { status: 200 };
  };

/** Reports are stored as they come, so nothing remains to be done when a log ends. */
const closeLog =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    await findReported(engine, call);
    return { status: 200 };
  };

const getLog =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const { query } = call;
    const start = query.get('after') ? 'after' : 'offset';
    const offset = integerParameter(query, start, 0, 0, Number.MAX_SAFE_INTEGER - MAX_LINES);
    const limit = integerParameter(query, 'limit', 1000, 1, MAX_LINES);
    return { status: 200, json: await readLog(engine, await findRead(engine, call), runIdOf(call), { offset, limit }) };
  };

type RunRoute = Pick<Route, 'summary' | 'handle' | 'responses'> & Pick<Partial<Route>, 'query' | 'body'>;

const JSON_TYPES = ['application/json'];

/** Routes for the runs of ingestion pipelines. */
export const ingestionRoutes = (engine: Engine): Route[] => {
  const kind = requireKind(engine.registry, INGESTION);
  const viewing = operationsToReadFields(kind, RUNS_FIELD).at(-1) ?? '';
  const declare = (method: HttpMethod, path: string, route: RunRoute): Route => ({
    method,
    path: `/v1/${kind.path}/${path}`,
    tag: kind.title,
    access: { operation: method === 'GET' ? viewing : REPORT, resource: INGESTION },
    ...route,
  });
  const lines = { name: 'offset', description: 'Number of lines to skip', schema: { type: 'integer' } } as const;
  return [
    declare('PUT', '{fqn}/pipelineStatus', {
      summary: 'Add or update the status of a run of an ingestion pipeline',
      body: { schema: IngestionRun, mediaTypes: JSON_TYPES },
      responses: { 200: schema.recordSchema(kind) },
      handle: putRun(engine),
    }),
    declare('GET', '{fqn}/pipelineStatus', {
      summary: 'List statuses of runs of an ingestion pipeline, newest first',
      query: RUN_RANGE_PARAMETERS,
      responses: { 200: IngestionRunList },
      handle: listRunsOf(engine),
    }),
    declare('GET', '{fqn}/pipelineStatus/{runId}', {
      summary: 'Get the status of a run of an ingestion pipeline',
      responses: { 200: IngestionRun, 204: undefined },
      handle: readRunPart(engine, 'json'),
    }),
    declare('PUT', 'progress/{fqn}/{runId}', {
      summary: 'Report how far a run of an ingestion pipeline has come',
      body: { schema: RunProgress, mediaTypes: JSON_TYPES },
      responses: { 200: RunProgress },
      handle: putProgress(engine),
    }),
    declare('GET', 'progress/{fqn}/{runId}', {
      summary: 'Get how far a run of an ingestion pipeline has come',
      responses: { 200: RunProgress, 204: undefined },
      handle: readRunPart(engine, 'progress'),
    }),
    declare('POST', 'logs/{fqn}/{runId}', {
      summary: 'Append to the log of a run of an ingestion pipeline',
      body: { schema: RunLogBatch, mediaTypes: JSON_TYPES },
      responses: { 200: undefined },
      handle: postLog(engine),
    }),
    declare('POST', 'logs/{fqn}/{runId}/close', {
      summary: 'End the log of a run of an ingestion pipeline',
      responses: { 200: undefined },
      handle: closeLog(engine),
    }),
    declare('GET', 'logs/{fqn}/{runId}', {
      summary: 'Get lines of the log of a run of an ingestion pipeline',
      query: [lines, textParameter('after', 'Where the page starts'), limitParameter('lines', 1, MAX_LINES, 1000)],
      responses: { 200: RunLog },
      handle: getLog(engine),
    }),
  ];
};
