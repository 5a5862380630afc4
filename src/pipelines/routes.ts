import type { Engine } from '../catalog/engine.ts';
import { buildWriteAnswer, createView, nameAddress, readRequiredJson } from '../catalog/read/answer.ts';
import { authorizeRecord } from '../catalog/read/facts.ts';
import { writeFields } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { requireKind } from '../catalog/registry.ts';
import * as schema from '../catalog/routes/schemas.ts';
import { badRequest, notFound, recordNotFound } from '../errors.ts';
import type { Answer, Call, QueryParameter, Route } from '../http/route.ts';
import type { Json } from '../model/json.ts';
import type { Kind } from '../model/kind/kind.ts';
import { operationsToReadFields } from '../model/kind/required-operations.ts';
import { PipelineStatus } from '../model/schemas/pipelines/pipeline-status.ts';
import { dropNulls, validate } from '../model/validate.ts';
import { listOf } from '../model/values.ts';
import { countPipelineRuns, deleteRun, type PipelineRun, readPipelineRuns, renderRuns, upsertRuns } from './runs.ts';

const MAX_RUNS = 5000;
const MAX_LIMIT = 1_000_000;

const findPipeline = async (
  engine: Engine,
  call: Call,
  operations: (kind: Kind) => readonly string[],
): Promise<Snapshot> => {
  const kind = requireKind(engine.registry, 'pipeline');
  const address = nameAddress(kind, call.params['fqn'] ?? '');
  const record = await engine.store.record(kind, address, writeFields(kind));
  if (!record || record.deleted) throw recordNotFound(kind.entityType, address.fqn);
  await authorizeRecord(engine, call.principal, operations(kind), record);
  return record;
};

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
    const pipeline = await findPipeline(engine, call, writeOperations);
    const isChanged = runs.length > 0 && (await upsertRuns(engine, call.principal, pipeline, runs));
    return answerPipeline(engine, call, pipeline, isChanged);
  };

const parseMoment = (text: string | undefined | null, name: string, fallback: number): number => {
  if (!text) return fallback;
  if (!/^\d{1,15}$/.test(text)) throw badRequest(`[${name} must be a time in milliseconds]`);
  return Number(text);
};

const parseLimit = (text: string | null): number => {
  const limit = parseMoment(text, 'limit', MAX_LIMIT);
  if (limit < 1 || limit > MAX_LIMIT) throw badRequest(`[limit must be between 1 and ${MAX_LIMIT}]`);
  return limit;
};

const listPipelineRuns =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const start = parseMoment(call.query.get('startTs'), 'startTs', 0);
    const end = parseMoment(call.query.get('endTs'), 'endTs', Number.MAX_SAFE_INTEGER);
    const limit = parseLimit(call.query.get('limit'));
    const pipeline = await findPipeline(engine, call, readOperations);
    const span = { id: pipeline.id, start, end };
    const view = createView(engine, call, STATUS_FIELD);
    const total = await countPipelineRuns(engine, span);
    const pieces = async function* (): AsyncGenerator<string> {
      let opening = '{"data":[';
      for await (const page of readPipelineRuns(engine, span, limit)) {
        if (page.length === 0) continue;
        const runs = await renderRuns(engine, page, view);
        yield `${opening}${runs.map((run) => JSON.stringify(run)).join(',')}`;
        opening = ',';
      }
      yield `${opening === ',' ? '' : opening}],"paging":{"total":${total}}}`;
    };
    return { status: 200, stream: pieces() };
  };

const deletePipelineRun =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const text = call.params['timestamp'] ?? '';
    if (!/^\d{1,15}$/.test(text)) throw notFound(`Failed to find a pipeline status for ${text}`);
    const pipeline = await findPipeline(engine, call, writeOperations);
    await deleteRun(engine, call.principal, pipeline, Number(text));
    return answerPipeline(engine, call, pipeline, true);
  };

const integerParameter = (name: string, description: string): QueryParameter => ({
  name,
  description,
  schema: { type: 'integer', minimum: 0 },
});

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
      query: [
        integerParameter('startTs', 'Start of the time range, in milliseconds since 1970'),
        integerParameter('endTs', 'End of the time range, in milliseconds since 1970'),
        integerParameter('limit', 'Number of statuses to return; all by default'),
      ],
      responses: { 200: listOf(PipelineStatus) },
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
