import { randomUUID } from 'node:crypto';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../src/model/json.ts';
import { ok } from '../../support/expect.ts';
import { createRightsFactory, type RightsFactory } from '../../support/rights.ts';
import { type Client, uniqueName } from '../../support/service.ts';
import { suite } from '../../support/suite.ts';
import { type Made, openWorld, type World } from '../fixture.ts';

/** Shows what becomes of the facets of jobs and runs in OpenLineage events. */

const test = suite('lineage: OpenLineage facets of jobs and runs');

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

const at = (minute: number): string => new Date(Date.UTC(2025, 2, 1, 10, minute)).toISOString();
const ms = (minute: number): number => Date.parse(at(minute));

type Job = { readonly name: string; readonly runId: string; readonly facets?: JsonObject };

const newJob = (facets: JsonObject = {}): Job => ({ name: uniqueName('job'), runId: randomUUID(), facets });

type Message = {
  readonly eventType: string;
  readonly minute: number;
  readonly inputs?: readonly JsonObject[];
  readonly outputs?: readonly JsonObject[];
  readonly runFacets?: JsonObject;
};

const send = async (
  { name, runId, facets = {} }: Job,
  { eventType, minute, inputs = [], outputs = [], runFacets = {} }: Message,
  client: Client = world.admin,
): Promise<JsonObject> =>
  ok(
    await client.post('/v1/lineage/openlineage', {
      eventType,
      eventTime: at(minute),
      run: { runId, facets: runFacets },
      job: { namespace: 'jobs', name, facets },
      inputs,
      outputs,
    }),
  );

const dataset = ({ fullyQualifiedName }: Made, more: JsonObject = {}): JsonObject => ({
  namespace: 'anywhere',
  name: fullyQualifiedName,
  ...more,
});

const pipelineOf = async ({ name }: Job, client: Client = world.admin): Promise<JsonObject> =>
  ok(
    await client.get(
      `/v1/pipelines/name/${encodeURIComponent(`openlineage.jobs/${name}`)}?fields=owners,tags,tasks,pipelineStatus`,
    ),
  );

const runsOf = async ({ name }: Job, client: Client = world.admin): Promise<readonly JsonObject[]> =>
  ok(await client.get(`/v1/pipelines/${encodeURIComponent(`openlineage.jobs/${name}`)}/status`))['data'];

test('a pipeline is described, owned and placed by the facets of its job', async () => {
  const ada = await rights.person();
  const job = newJob({
    documentation: { description: 'Loads the orders.' },
    ownership: { owners: [{ name: ada.name }] },
    sourceCodeLocation: { type: 'git', url: 'https://git.example/shop/load.py' },
    sourceCode: { language: 'python', sourceCode: 'pass' },
  });
  const answer = await send(job, { eventType: 'START', minute: 0 });
  assert.equal(answer['unappliedFacets'], [{ of: 'job', facet: 'sourceCode', reason: 'not known' }]);
  const pipeline = await pipelineOf(job);
  assert.equal(
    [
      pipeline['description'],
      pipeline['pipelineLocation'],
      (pipeline['owners'] as unknown as readonly JsonObject[]).map(({ id }) => id),
    ],
    ['Loads the orders.', 'https://git.example/shop/load.py', [ada.id]],
  );
});

test('the events of a run are one run, in whatever order they come, and it says what was matched and created', async () => {
  const table = await world.table('t');
  const fresh = uniqueName('fresh');
  const job = newJob({ jobType: { processingType: 'BATCH', integration: 'SPARK', jobType: 'SQL_JOB' } });
  const complete = {
    eventType: 'COMPLETE',
    minute: 5,
    inputs: [dataset(table, { inputFacets: { inputStatistics: { rowCount: 4 } } })],
    outputs: [{ namespace: 'nowhere', name: fresh, outputFacets: { outputStatistics: { rowCount: 3, size: 9 } } }],
    runFacets: {
      nominalTime: { nominalStartTime: '2025-03-01T00:00:00Z' },
      processing_engine: { name: 'Spark', version: '3.5.9' },
    },
  };
  await send(job, complete);
  await send(job, { eventType: 'START', minute: 1 });
  await send(job, complete);
  const created = ok(
    await world.admin.get(`/v1/tables/name/${encodeURIComponent(`openlineage.nowhere.default.${fresh}`)}`),
  );
  const expected = {
    timestamp: ms(1),
    endTime: ms(5),
    executionStatus: 'Successful',
    executionId: job.runId,
    inputs: [{ datasetFQN: table.fullyQualifiedName, rowCount: 4 }],
    outputs: [{ datasetFQN: created['fullyQualifiedName'], rowCount: 3, sizeBytes: 9 }],
    parameters: {
      nominalStartTime: '2025-03-01T00:00:00Z',
      engine: 'Spark 3.5.9',
      processingType: 'BATCH',
      integration: 'SPARK',
      jobType: 'SQL_JOB',
      matched: [
        {
          namespace: 'anywhere',
          name: table.fullyQualifiedName,
          by: 'fullName',
          dataset: { id: table.id, type: 'table', fullyQualifiedName: table.fullyQualifiedName },
        },
      ],
      created: [
        {
          namespace: 'nowhere',
          name: fresh,
          dataset: { id: created['id'], type: 'table', fullyQualifiedName: created['fullyQualifiedName'] },
        },
      ],
    },
  };
  assert.equal(await runsOf(job), [expected]);
  assert.equal((await pipelineOf(job))['pipelineStatus'], expected);
});

test('a failed run keeps its error, and nothing that comes later ends it well', async () => {
  const job = newJob();
  await send(job, { eventType: 'START', minute: 0 });
  await send(job, {
    eventType: 'FAIL',
    minute: 2,
    runFacets: { errorMessage: { message: 'No space left.', programmingLanguage: 'JAVA', stackTrace: 'at a' } },
  });
  await send(job, { eventType: 'RUNNING', minute: 1 });
  const [run] = await runsOf(job);
  assert.equal(
    [run?.['executionStatus'], run?.['timestamp'], run?.['endTime'], run?.['error']],
    ['Failed', ms(0), ms(2), { errorMessage: 'No space left.', stackTrace: 'at a' }],
  );
});

test('a job is a task of its parent, whose run tells how the task goes', async () => {
  const parent = newJob();
  const child: Job = {
    name: `${parent.name}.load`,
    runId: randomUUID(),
    facets: {
      jobType: { processingType: 'BATCH', integration: 'AIRFLOW', jobType: 'TASK' },
      sql: { query: 'select 1' },
    },
  };
  const runFacets = { parent: { job: { namespace: 'jobs', name: parent.name }, run: { runId: parent.runId } } };
  await send(parent, { eventType: 'START', minute: 0 });
  await send(child, { eventType: 'START', minute: 1, runFacets });
  await send(child, { eventType: 'COMPLETE', minute: 3, runFacets });
  await send(child, { eventType: 'COMPLETE', minute: 3, runFacets });
  await send(parent, { eventType: 'COMPLETE', minute: 4 });
  const { tasks } = await pipelineOf(parent);
  assert.equal(
    (tasks as unknown as readonly JsonObject[]).map(({ name, taskType, taskSQL }) => [name, taskType, taskSQL]),
    [['load', 'TASK', 'select 1']],
  );
  const [run] = await runsOf(parent);
  assert.equal(
    [run?.['executionStatus'], run?.['timestamp'], run?.['endTime'], run?.['taskStatus']],
    ['Successful', ms(0), ms(4), [{ name: 'load', executionStatus: 'Successful', startTime: ms(1), endTime: ms(3) }]],
  );
});

test('who may not edit a pipeline neither describes it nor adds runs', async () => {
  const job = newJob({ documentation: { description: 'Mine now.' } });
  await send({ ...job, facets: {} }, { eventType: 'START', minute: 0 });
  const before = await pipelineOf(job);
  const caller = await rights.person([
    { operations: ['EditLineage'], resources: ['lineage', 'table'] },
    { effect: 'deny', operations: ['EditAll', 'EditDescription'], resources: ['pipeline'] },
  ]);
  const { unappliedFacets } = await send(job, { eventType: 'COMPLETE', minute: 1 }, caller);
  assert.equal(
    (unappliedFacets as unknown as readonly JsonObject[]).map(({ of, facet, reason }) => [of, facet, reason]),
    [
      ['job', 'documentation', 'not allowed'],
      ['run', 'run', 'not allowed'],
    ],
  );
  assert.equal(await pipelineOf(job), before);
});

test('runs do not name the datasets that policy hides', async () => {
  const [shown, hidden] = await Promise.all([world.table('shown'), world.table('hidden')]);
  const job = newJob();
  await send(job, { eventType: 'COMPLETE', minute: 1, inputs: [dataset(shown), dataset(hidden)] });
  const caller = await rights.person([
    {
      effect: 'deny',
      operations: ['ViewBasic', 'ViewAll'],
      resources: ['table'],
      condition: `matchAnyTag('Tier.Tier1')`,
    },
  ]);
  ok(
    await world.admin.patch(`/v1/tables/${hidden.id}`, [
      { op: 'add', path: '/tags/-', value: { tagFQN: 'Tier.Tier1' } },
    ]),
  );
  const listed = JSON.stringify(await runsOf(job, caller));
  const latest = JSON.stringify(await pipelineOf(job, caller));
  for (const text of [listed, latest]) {
    assert.ok(text.includes(shown.fullyQualifiedName), text);
    assert.not(text.includes(hidden.name), text);
    assert.not(text.includes(hidden.id), text);
  }
});

test.run();
