import type { Engine } from '../catalog/engine.ts';
import { buildWriteAnswer, createView, readRequiredJson } from '../catalog/read/answer.ts';
import { writeFields } from '../catalog/read/fields.ts';
import { redactValues } from '../catalog/read/redaction.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { requireKind } from '../catalog/registry.ts';
import * as schema from '../catalog/routes/schemas.ts';
import { notFound, recordNotFound } from '../errors.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { Kind } from '../model/kind/kind.ts';
import { operationsToReadFields } from '../model/kind/required-operations.ts';
import { PipelineStatus } from '../model/schemas/pipelines/pipeline-status.ts';
import { dropNulls, validate } from '../model/validate.ts';
import { listOf } from '../model/values.ts';
import { findRequestedPipeline, RUN_RANGE_PARAMETERS, readRunRange, streamRunList } from './requested-pipeline.ts';
import { countPipelineRuns, deleteRun, type PipelineRun, readPipelineRuns, renderRuns, upsertRuns } from './runs.ts';

const MAX_RUNS = 5000;

const STATUS_FIELD: ReadonlySet<string> = new Set(['pipelineStatus']);

/**
 * Reading runs needs the operations of the field that shows the newest run; writing them needs those of the whole
 * record.
 */
const readOperations = (kind: Kind): readonly string[] => operationsToReadFields(kind, STATUS_FIELD);
const writeOperations = (): readonly string[] => ['EditAll'];

/** Every change of runs returns the pipeline with its newest run. */
const answerPipeline = async (
  engine: Engine,
  call: Call,
  { kind, id }: Snapshot,
  isChanged: boolean,
): Promise<Answer> => {
  const record = await engine.store.record(kind, { id }, new Set([...writeFields(kind), ...STATUS_FIELD]));
  if (!record) throw recordNotFound(kind.entityType, id);
  return buildWriteAnswer(
    engine,
    call,
    { outcome: isChanged ? 'entityFieldsChanged' : 'entityNoChange', record },
    STATUS_FIELD,
  );
};

const putRuns =
  (engine: Engine, isBulk: boolean) =>
  async (call: Call): Promise<Answer> => {
    const body = dropNulls((await readRequiredJson(call)) as Json);
    const runs = validate(
      listOf(PipelineStatus, MAX_RUNS),
      isBulk ? body : [body],
    ) as unknown as readonly PipelineRun[];
    const pipeline = await findRequestedPipeline(engine, call, 'pipeline', writeOperations);
    const isChanged = runs.length > 0 && (await upsertRuns(engine, call.principal, pipeline, runs));
    return answerPipeline(engine, call, pipeline, isChanged);
  };

const listPipelineRuns =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const { limit, ...range } = readRunRange(call);
    const pipeline = await findRequestedPipeline(engine, call, 'pipeline', readOperations);
    const span = { id: pipeline.id, ...range };
    const view = createView(engine, call, STATUS_FIELD);
    const total = await countPipelineRuns(engine, span);
    // Runs name the datasets that they read and wrote. Streams are redacted here, page by page.
    const render = async (page: readonly JsonObject[]) =>
      (await redactValues(engine, call.principal, await renderRuns(engine, page, view))) as JsonObject[];
    return { status: 200, stream: streamRunList(readPipelineRuns(engine, span, limit), total, render) };
  };

const deletePipelineRun =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const text = call.params['timestamp'] ?? '';
    if (!/^\d{1,15}$/.test(text)) throw notFound(`Failed to find a pipeline status for ${text}`);
    const pipeline = await findRequestedPipeline(engine, call, 'pipeline', writeOperations);
    await deleteRun(engine, call.principal, pipeline, Number(text));
    return answerPipeline(engine, call, pipeline, true);
  };

/** Routes for the runs of pipelines. */
export const pipelineRoutes = (engine: Engine): Route[] => {
  const kind = requireKind(engine.registry, 'pipeline');
  const path = '/v1/pipelines/{fqn}/status';
  const change = {
    tag: kind.title,
    access: { operation: 'EditAll', resource: kind.entityType },
    responses: { 200: schema.recordSchema(kind) },
  } as const;
  const mediaTypes = ['application/json'];
  return [
    {
      ...change,
      method: 'PUT',
      path,
      summary: 'Add the status of a pipeline run',
      body: { schema: PipelineStatus, mediaTypes },
      handle: putRuns(engine, false),
    },
    {
      ...change,
      method: 'PUT',
      path: `${path}/bulk`,
      summary: 'Add the statuses of pipeline runs in bulk',
      body: { schema: listOf(PipelineStatus, MAX_RUNS), mediaTypes },
      handle: putRuns(engine, true),
    },
    {
      method: 'GET',
      path,
      summary: 'List statuses of pipeline runs, newest first',
      tag: kind.title,
      access: { operation: 'ViewAll', resource: kind.entityType },
      query: RUN_RANGE_PARAMETERS,
      responses: { 200: schema.valueListSchema('PipelineStatusList', PipelineStatus) },
      handle: listPipelineRuns(engine),
    },
    {
      ...change,
      method: 'DELETE',
      path: `${path}/{timestamp}`,
      summary: 'Delete the status of a pipeline run',
      handle: deletePipelineRun(engine),
    },
  ];
};
