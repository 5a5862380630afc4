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
  assert.equal(answer['unappliedFacets'], [{ of: 'job', facet: 'sourceCode', reason: 'the code of jobs is not kept' }]);
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

const parametersIn = (run: JsonObject | undefined): JsonObject => (run?.['parameters'] ?? {}) as JsonObject;

test('a run keeps what its facets say: tests, parameters, queries, errors of extraction and its pull request', async () => {
  const table = await world.table('t');
  const job = newJob({
    sourceCodeLocation: {
      type: 'git',
      url: 'https://git.example/shop/load.py',
      version: '1f3a',
      branch: 'faster',
      pullRequestNumber: '42',
    },
  });
  const tests = [
    { name: 'orders_unique', status: 'pass', severity: 'error', type: 'unique' },
    { name: 'enough_rows', status: 'fail', severity: 'warn', expected: '1000', actual: '999' },
    { name: 'not_run', status: 'skip' },
  ];
  const errors = [{ errorMessage: 'no such statement', task: 'SELEKT 1', taskNumber: 0, stackTrace: 'at a' }];
  const { unappliedFacets } = await send(job, {
    eventType: 'COMPLETE',
    minute: 1,
    inputs: [dataset(table, { facets: { version: { datasetVersion: '7' } } })],
    runFacets: {
      test: { tests: [...tests.slice(0, 1), { ...tests[1], content: 'select count(*)' }, ...tests.slice(2)] },
      executionParameters: { parameters: [{ key: 'day', value: 3 }] },
      externalQuery: { externalQueryId: 'q-1', source: 'snowflake' },
      extractionError: { totalTasks: 2, failedTasks: 1, errors },
      environmentVariables: { environmentVariables: [{ name: 'TOKEN', value: 'hush' }] },
    },
  });
  assert.equal(unappliedFacets, [
    { of: 'run', facet: 'environmentVariables', reason: 'environment variables may hold secrets' },
  ]);
  const [run] = await runsOf(job);
  const { matched: _, ...parameters } = parametersIn(run);
  assert.equal(parameters, {
    executionParameters: [{ key: 'day', value: 3 }],
    externalQuery: { externalQueryId: 'q-1', source: 'snowflake' },
    extractionError: {
      totalTasks: 2,
      failedTasks: 1,
      errors: [{ errorMessage: 'no such statement', task: 'SELEKT 1', taskNumber: 0 }],
    },
    tests,
    sourceCode: { version: '1f3a', branch: 'faster', pullRequestNumber: '42' },
  });
  assert.equal(run?.['inputs'], [{ datasetFQN: table.fullyQualifiedName, version: '7' }]);
});

test('what a run says beyond its bounds is shortened and told', async () => {
  const job = newJob();
  const tests = Array.from({ length: 101 }, (_, index) => ({ name: `test ${index}`, status: 'pass' }));
  const { unappliedFacets } = await send(job, { eventType: 'COMPLETE', minute: 1, runFacets: { test: { tests } } });
  assert.equal(
    (unappliedFacets as unknown as readonly JsonObject[]).map(({ of, facet, reason }) => [of, facet, reason]),
    [['run', 'test', 'lists are kept up to 100 items and texts up to 1000 characters']],
  );
  const [run] = await runsOf(job);
  assert.is((parametersIn(run)['tests'] as readonly JsonObject[]).length, 100);
});

test('a pull request without a run is told', async () => {
  const name = uniqueName('job');
  const sourceCodeLocation = { type: 'git', url: 'https://git.example/shop', pullRequestNumber: '42' };
  const answer = ok(
    await world.admin.post('/v1/lineage/openlineage', {
      eventTime: at(0),
      job: { namespace: 'jobs', name, facets: { sourceCodeLocation } },
    }),
  );
  assert.equal(
    answer['unappliedFacets'].map(({ facet, reason }: JsonObject) => [facet, reason]),
    [['sourceCodeLocation', 'a pull request is kept with a run, and the event has none']],
  );
});

test('the jobs before and after one are the order of the tasks of its parent', async () => {
  const parent = newJob();
  const jobNamed = (task: string) => ({ namespace: 'jobs', name: `${parent.name}.${task}` });
  const childOf = (task: string): Job => ({
    name: `${parent.name}.${task}`,
    runId: randomUUID(),
    facets: { sql: { query: `select '${task}'` } },
  });
  const above = { parent: { job: { namespace: 'jobs', name: parent.name }, run: { runId: parent.runId } } };
  const elsewhere = { namespace: 'jobs', name: 'another.task' };
  const dependencies = (upstream: readonly JsonObject[], downstream: readonly JsonObject[]): JsonObject => ({
    ...above,
    jobDependencies: { upstream: upstream.map((job) => ({ job })), downstream: downstream.map((job) => ({ job })) },
  });
  const clean = { eventType: 'COMPLETE', minute: 1, runFacets: dependencies([jobNamed('load')], [jobNamed('mail')]) };
  assert.is((await send(childOf('clean'), clean))['unappliedFacets'], undefined);
  const load = { eventType: 'COMPLETE', minute: 2, runFacets: dependencies([elsewhere], [jobNamed('clean')]) };
  const { unappliedFacets } = await send(childOf('load'), load);
  assert.equal(
    (unappliedFacets as unknown as readonly JsonObject[]).map(({ of, facet, reason }) => [of, facet, reason]),
    [['run', 'jobDependencies', 'not a task of the same parent: jobs another.task']],
  );
  const tasks = async () =>
    ((await pipelineOf(parent))['tasks'] as unknown as readonly JsonObject[]).map((task) => [
      task['name'],
      task['taskSQL'],
      task['downstreamTasks'],
    ]);
  const expected = [
    ['clean', "select 'clean'", ['mail']],
    ['load', "select 'load'", ['clean']],
    ['mail', undefined, undefined],
  ];
  assert.equal(await tasks(), expected);
  const { version } = await pipelineOf(parent);
  await send(childOf('clean'), clean);
  assert.equal([await tasks(), (await pipelineOf(parent))['version']], [expected, version], 'a replay changes nothing');
});

test('dependencies of a job without a parent are told', async () => {
  const runFacets = { jobDependencies: { upstream: [{ job: { namespace: 'jobs', name: 'first' } }] } };
  const { unappliedFacets } = await send(newJob(), { eventType: 'START', minute: 0, runFacets });
  assert.equal(
    (unappliedFacets as unknown as readonly JsonObject[]).map(({ of, facet, reason }) => [of, facet, reason]),
    [['run', 'jobDependencies', 'not a task of the same parent: jobs first']],
  );
});

test('a run refers to the runs above it, as far as the reader may see their pipelines', async () => {
  const [top, parent, job] = [newJob(), newJob(), newJob()];
  const runAbove = ({ name, runId }: Job) => ({ job: { namespace: 'jobs', name }, run: { runId } });
  const runFacets = { parentRun: { ...runAbove(parent), root: runAbove(top) } };
  for (const one of [top, parent]) await send(one, { eventType: 'START', minute: 0 });
  await send(job, { eventType: 'COMPLETE', minute: 1, runFacets });
  const root = await pipelineOf(top);
  const reference = async ({ name, runId }: Job) => {
    const { id } = await pipelineOf({ name, runId });
    return { pipeline: { id, type: 'pipeline', fullyQualifiedName: `openlineage.jobs/${name}` }, runId };
  };
  const parametersSeenBy = async (client: Client) => parametersIn((await runsOf(job, client))[0]);
  const seen = await parametersSeenBy(world.admin);
  assert.equal([seen['parent'], seen['root']], [await reference(parent), await reference(top)]);
  assert.equal(
    ((await pipelineOf(parent))['tasks'] as unknown as readonly JsonObject[]).map(({ name }) => name),
    [job.name],
  );
  const reader = await rights.person([
    {
      effect: 'deny',
      operations: ['ViewBasic', 'ViewAll'],
      resources: ['pipeline'],
      condition: `matchAnyTag('Tier.Tier1')`,
    },
  ]);
  const label = { op: 'add', path: '/tags/-', value: { tagFQN: 'Tier.Tier1' } };
  ok(await world.admin.patch(`/v1/pipelines/${String(root['id'])}`, [label]));
  const hidden = await parametersSeenBy(reader);
  assert.not(JSON.stringify(hidden).includes(top.name), JSON.stringify(hidden));
  assert.equal(hidden['parent'], seen['parent']);
});

test('parents without a name, and those that the caller may not create, are told', async () => {
  const job = newJob();
  const nameless = await send(job, { eventType: 'START', minute: 0, runFacets: { parentRun: { run: {} } } });
  const reasonsOf = ({ unappliedFacets }: JsonObject) =>
    (unappliedFacets as unknown as readonly JsonObject[]).map(({ of, facet, reason }) => [of, facet, reason]);
  assert.equal(reasonsOf(nameless), [['run', 'parent', 'no job with a name']]);
  const caller = await rights.person([
    { operations: ['EditLineage', 'EditAll', 'ViewAll'] },
    { effect: 'deny', operations: ['Create'], resources: ['pipeline'] },
  ]);
  const above = { job: { namespace: 'jobs', name: uniqueName('parent') } };
  const parent = { ...above, root: { job: { namespace: 'jobs', name: uniqueName('root') } } };
  assert.equal(reasonsOf(await send(job, { eventType: 'COMPLETE', minute: 1, runFacets: { parent } }, caller)), [
    ['run', 'parent', 'not allowed to refer to the root'],
    ['run', 'parent', 'not allowed'],
  ]);
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
