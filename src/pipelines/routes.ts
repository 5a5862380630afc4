import type { Engine } from '../catalog/engine.ts';
import { nameAddress, requiredJson, viewFor, writeAnswer } from '../catalog/read/answer.ts';
import { permit } from '../catalog/read/facts.ts';
import { writeFields } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { kindNamed } from '../catalog/registry.ts';
import * as schema from '../catalog/routes/schemas.ts';
import { badRequest, notFound, recordNotFound } from '../errors.ts';
import type { Answer, Call, QueryParameter, Route } from '../http/route.ts';
import type { Json } from '../model/json.ts';
import type { Kind } from '../model/kind.ts';
import { PipelineStatus } from '../model/pipeline-values.ts';
import { operationsOfFields } from '../model/required-operations.ts';
import { check, dropNulls } from '../model/validate.ts';
import { listOf } from '../model/values.ts';
import { keepRuns, type Run, readRuns, removeRun, showRuns, totalRuns } from './runs.ts';

const MAX_RUNS = 5000;
const MAX_LIMIT = 1_000_000;

const find = async (engine: Engine, call: Call, operations: (kind: Kind) => readonly string[]): Promise<Snapshot> => {
  const kind = kindNamed(engine.registry, 'pipeline');
  const address = nameAddress(kind, call.params['fqn'] ?? '');
  const record = await engine.store.record(kind, address, writeFields(kind));
  if (!record || record.deleted) throw recordNotFound(kind.entityType, address.fqn);
  await permit(engine, call.principal, operations(kind), record);
  return record;
};

const withStatus: ReadonlySet<string> = new Set(['pipelineStatus']);

/** Runs are read like the member that shows the newest of them, and written like the record as a whole. */
const toRead = (kind: Kind): readonly string[] => operationsOfFields(kind, withStatus);
const toWrite = (): readonly string[] => ['EditAll'];

/** Every change of runs answers the pipeline, its newest run included. */
const answerPipeline = async (
  engine: Engine,
  call: Call,
  { kind, id }: Snapshot,
  isChanged: boolean,
): Promise<Answer> => {
  const record = await engine.store.record(kind, { id }, new Set([...writeFields(kind), ...withStatus]));
  if (!record) throw recordNotFound(kind.entityType, id);
  return writeAnswer(
    engine,
    call,
    { outcome: isChanged ? 'entityFieldsChanged' : 'entityNoChange', record },
    withStatus,
  );
};

const put =
  (engine: Engine, isBulk: boolean) =>
  async (call: Call): Promise<Answer> => {
    const body = dropNulls((await requiredJson(call)) as Json);
    const runs = check(listOf(PipelineStatus, MAX_RUNS), isBulk ? body : [body]) as unknown as readonly Run[];
    const pipeline = await find(engine, call, toWrite);
    const isChanged = runs.length > 0 && (await keepRuns(engine, call.principal, pipeline, runs));
    return answerPipeline(engine, call, pipeline, isChanged);
  };

const momentOf = (text: string | undefined | null, name: string, fallback: number): number => {
  if (!text) return fallback;
  if (!/^\d{1,15}$/.test(text)) throw badRequest(`[${name} must be a time in milliseconds]`);
  return Number(text);
};

const limitOf = (text: string | null): number => {
  const limit = momentOf(text, 'limit', MAX_LIMIT);
  if (limit < 1 || limit > MAX_LIMIT) throw badRequest(`[limit must be between 1 and ${MAX_LIMIT}]`);
  return limit;
};

const list =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const start = momentOf(call.query.get('startTs'), 'startTs', 0);
    const end = momentOf(call.query.get('endTs'), 'endTs', Number.MAX_SAFE_INTEGER);
    const limit = limitOf(call.query.get('limit'));
    const pipeline = await find(engine, call, toRead);
    const span = { id: pipeline.id, start, end };
    const view = viewFor(engine, call, withStatus);
    const total = await totalRuns(engine, span);
    const pieces = async function* (): AsyncGenerator<string> {
      let opening = '{"data":[';
      for await (const page of readRuns(engine, span, limit)) {
        if (page.length === 0) continue;
        const runs = await showRuns(engine, page, view);
        yield `${opening}${runs.map((run) => JSON.stringify(run)).join(',')}`;
        opening = ',';
      }
      yield `${opening === ',' ? '' : opening}],"paging":{"total":${total}}}`;
    };
    return { status: 200, stream: pieces() };
  };

const remove =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const text = call.params['timestamp'] ?? '';
    if (!/^\d{1,15}$/.test(text)) throw notFound(`Failed to find a pipeline status for ${text}`);
    const pipeline = await find(engine, call, toWrite);
    await removeRun(engine, call.principal, pipeline, Number(text));
    return answerPipeline(engine, call, pipeline, true);
  };

const whole = (name: string, description: string): QueryParameter => ({
  name,
  description,
  schema: { type: 'integer', minimum: 0 },
});

/** How the runs of pipelines went. */
export const pipelineRoutes = (engine: Engine): Route[] => {
  const kind = kindNamed(engine.registry, 'pipeline');
  const path = '/v1/pipelines/{fqn}/status';
  const change = {
    tag: kind.title,
    access: { operation: 'EditAll', resource: kind.entityType },
    responses: { 200: schema.record(kind) },
  } as const;
  const mediaTypes = ['application/json'];
  return [
    {
      ...change,
      method: 'PUT',
      path,
      summary: 'Keep how a run went',
      body: { schema: PipelineStatus, mediaTypes },
      handle: put(engine, false),
    },
    {
      ...change,
      method: 'PUT',
      path: `${path}/bulk`,
      summary: 'Keep how many runs went',
      body: { schema: listOf(PipelineStatus, MAX_RUNS), mediaTypes },
      handle: put(engine, true),
    },
    {
      method: 'GET',
      path,
      summary: 'List how runs went, the newest first',
      tag: kind.title,
      access: { operation: 'ViewAll', resource: kind.entityType },
      query: [
        whole('startTs', 'The beginning of the time looked at'),
        whole('endTs', 'The end of the time looked at'),
        whole('limit', 'How many to answer; all when absent'),
      ],
      responses: { 200: listOf(PipelineStatus) },
      handle: list(engine),
    },
    {
      ...change,
      method: 'DELETE',
      path: `${path}/{timestamp}`,
      summary: 'Forget how a run went',
      handle: remove(engine),
    },
  ];
};
