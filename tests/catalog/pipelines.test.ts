import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { createPerson, expectList, expectRefused, expectUnchanged, ok } from '../support/expect.ts';
import { createSamples, type Samples } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that pipelines have tasks and run statuses. */

const test = suite('catalog: pipelines');

const PATH = '/v1/pipelines';

let service: Service;
let samples: Samples;
test.before(async () => {
  service = await openService();
  samples = createSamples(service);
});

const newPipeline = async (tasks: readonly JsonObject[], more: JsonObject = {}) => {
  const body = await samples.body('pipeline', { tasks: [...tasks], ...more });
  return { body, made: ok(await service.admin.post(PATH, body), 201) };
};

test('tasks are nodes with full names, tags and owners, returned on request', async () => {
  const { name } = await samples.create('classification');
  const tag = await samples.create('tag', { classification: name });
  const user = await samples.create('user', { displayName: 'Somebody' });
  const { made } = await newPipeline([
    { name: 'a.b', tags: [{ tagFQN: tag.fullyQualifiedName }], owners: [{ id: user.id, type: 'user' }] },
    { name: 'A' },
    { name: 'a', downstreamTasks: ['A', 'a.b'] },
  ]);
  const read = async (fields: string) => ok(await service.admin.get(`${PATH}/${made.id}?fields=${fields}`)).tasks;
  assert.is(await read('owners'), undefined);
  const tasks = await read('tasks,tags');
  assert.equal(
    tasks.map((task: JsonObject) => task['fullyQualifiedName']),
    [`${made.fullyQualifiedName}."a.b"`, `${made.fullyQualifiedName}.A`, `${made.fullyQualifiedName}.a`],
  );
  assert.equal(
    tasks.map((task: { tags: readonly { tagFQN: string }[] }) => task.tags.map((label) => label.tagFQN)),
    [[tag.fullyQualifiedName], [], []],
  );
  assert.equal([tasks[0].owners[0].id, tasks[0].owners[0].displayName], [user.id, 'Somebody']);
  assert.equal(tasks[2].downstreamTasks, ['A', 'a.b']);
  assert.is(JSON.stringify(await read('tasks')).includes('tagFQN'), false);
  assert.equal(
    made.tasks.map((task: JsonObject) => 'tags' in task),
    [true, true, true],
  );
  const [row] = await service.graph.query(
    'MATCH (c:Column) WHERE c.fullyQualifiedName STARTS WITH $prefix RETURN count(c) AS nodes',
    { prefix: `${made.fullyQualifiedName}.` },
  );
  assert.is(row?.['nodes'], 3);
  const at = `${PATH}/${made.id}`;
  for (const value of [{ name: 'A' }, {}, { name: 'x', colour: 1 }, { name: 'x', sourceUrl: 'not a url' }]) {
    const patch = [{ op: 'add', path: '/tasks/-', value }];
    expectRefused(await expectUnchanged(service, made.id, () => service.admin.patch(at, patch)), 400);
  }
  const lost = [{ op: 'add', path: '/tasks/-', value: { name: 'x', owners: [{ id: made.id, type: 'user' }] } }];
  expectRefused(await expectUnchanged(service, made.id, () => service.admin.patch(at, lost)), 404);
  const fewer = ok(await service.admin.patch(at, [{ op: 'remove', path: '/tasks/1' }]));
  assert.equal([fewer.version, fewer.tasks.length], [0.2, 2]);
});

test('PUT replaces tasks and carries over the texts and labels of people', async () => {
  const { body, made } = await newPipeline([{ name: 'a', description: 'said' }, { name: 'b' }]);
  const put = ok(await service.admin.put(PATH, { ...body, tasks: [{ name: 'c' }, { name: 'a', taskType: 'SQL' }] }));
  assert.equal(
    put.tasks.map((task: JsonObject) => [task['name'], task['description'], task['taskType']]),
    [
      ['c', undefined, undefined],
      ['a', 'said', 'SQL'],
    ],
  );
  assert.equal([put.id, put.version], [made.id, 0.2]);
});

const run = (timestamp: number, more: JsonObject = {}): JsonObject => ({
  timestamp,
  executionStatus: 'Successful',
  ...more,
});

const FULL = {
  timestamp: 3000,
  executionStatus: 'Failed',
  taskStatus: [
    {
      name: 'load',
      executionStatus: 'Failed',
      startTime: 1,
      endTime: 2,
      logLink: 'https://example.com/log',
      taskId: 't-1',
      transformationType: 'join',
      transformationLogic: 'a = b',
      inputs: [{ datasetFQN: 'a.b.c', columns: ['x'], rowCount: 1, sizeBytes: 2, filter: 'f', version: 'v' }],
      outputs: [{ datasetFQN: 'a.b.d', mode: 'append', partitions: ['p'] }],
      metrics: { rowsRead: 1, rowsWritten: 2, rowsFiltered: 3, executionTimeMs: 4 },
    },
  ],
  executionId: 'e-1',
  endTime: 4000,
  version: 'v1',
  parameters: { day: '2024-01-01' },
  inputs: [{ datasetFQN: 'a.b.c' }],
  outputs: [{ datasetFQN: 'a.b.d' }],
  metrics: { totalRowsProcessed: 1, totalBytesProcessed: 2, cpuTime: 3.5, memoryUsed: 4, cost: 0.5 },
  error: { errorType: 'E', errorMessage: 'm', stackTrace: 's', failedTask: 'load' },
};

test('run statuses are added singly and in bulk and listed newest first, and the latest is shown without a new version', async () => {
  const { made } = await newPipeline([{ name: 'load' }, { name: 'Load' }]);
  const at = `${PATH}/${encodeURIComponent(made.fullyQualifiedName)}/status`;
  const read = async () => ok(await service.admin.get(`${PATH}/${made.id}?fields=pipelineStatus`));
  assert.is((await read()).pipelineStatus, undefined);
  assert.equal(expectList(await service.admin.get(at)), { data: [], paging: { total: 0 } });
  const first = ok(await service.admin.put(at, FULL));
  assert.equal([first.id, first.version, first.pipelineStatus], [made.id, 0.1, FULL]);
  const bulk = ok(
    await service.admin.put(`${at}/bulk`, [run(1000), run(2000, { executionStatus: 'Pending' }), run(2500)]),
  );
  assert.equal([bulk.id, bulk.version, bulk.pipelineStatus.timestamp], [made.id, 0.1, 3000]);
  const times = async (query = ''): Promise<number[]> =>
    expectList(await service.admin.get(`${at}${query}`)).data.map(({ timestamp }: { timestamp: number }) => timestamp);
  assert.equal(await times(), [3000, 2500, 2000, 1000]);
  assert.equal(await times('?startTs=2000&endTs=2500'), [2500, 2000]);
  assert.equal(await times('?startTs=2001'), [3000, 2500]);
  assert.equal(await times('?endTs=999'), []);
  assert.equal(await times('?limit=2'), [3000, 2500]);
  assert.equal(expectList(await service.admin.get(`${at}?limit=2`)).paging.total, 4);
  assert.equal(expectList(await service.admin.get(at)).data[0], FULL);
  for (const bad of ['startTs=x', 'endTs=-1', 'limit=0', 'limit=x'])
    expectRefused(await service.admin.get(`${at}?${bad}`), 400);
  // The same moment again is the same run.
  ok(await service.admin.put(at, run(3000)));
  assert.equal([(await times()).length, (await read()).pipelineStatus], [4, run(3000)]);
  const removed = ok(await service.admin.delete(`${at}/3000`));
  assert.equal([removed.id, removed.version, removed.pipelineStatus], [made.id, 0.1, run(2500)]);
  expectRefused(await service.admin.delete(`${at}/3000`), 404);
  const now = await read();
  assert.equal([now.version, now.updatedAt, now.pipelineStatus.timestamp], [0.1, made.updatedAt, 2500]);
  const listed = expectList(
    await service.admin.get(`${PATH}?fields=pipelineStatus&service=${made.service.fullyQualifiedName}&limit=1000`),
  );
  assert.is(listed.data.find(({ id }: { id: string }) => id === made.id).pipelineStatus.timestamp, 2500);
});

test('an invalid run status refuses the whole bulk request', async () => {
  const { made } = await newPipeline([{ name: 'load' }]);
  const at = `${PATH}/${encodeURIComponent(made.fullyQualifiedName)}/status`;
  const ofTask = (name: string) => run(1, { taskStatus: [{ name, executionStatus: 'Skipped' }] });
  ok(await service.admin.put(at, ofTask('load')));
  expectRefused(await service.admin.put(at, { ...ofTask('X'), timestamp: 2 }), 400, 'Invalid task name X');
  expectRefused(await service.admin.put(at, ofTask('LOAD')), 400, 'Invalid task name LOAD');
  expectRefused(
    await service.admin.put(`${at}/bulk`, [run(5), { ...ofTask('X'), timestamp: 6 }]),
    400,
    'Invalid task name X',
  );
  const bad: readonly JsonObject[] = [
    {},
    { timestamp: 2 },
    { executionStatus: 'Failed' },
    run(2, { executionStatus: 'Running' }),
    run(2, { taskStatus: [{ name: 'load', executionStatus: 'Done' }] }),
    run(2, { colour: 'red' }),
    run(2.5),
  ];
  for (const body of bad) expectRefused(await service.admin.put(at, body), 400);
  expectRefused(await service.admin.put(`${at}/bulk`, run(2)), 400);
  expectRefused(await service.admin.put(`${PATH}/${made.service.name}.nowhere/status`, run(1)), 404);
  expectRefused(await service.admin.get(`${PATH}/${made.service.name}.nowhere/status`), 404);
  expectRefused(await (await createPerson(service, uniqueName('run'))).put(at, run(9)), 403);
  assert.equal(expectList(await service.admin.get(at)).paging.total, 1);
  for (const executionStatus of ['Successful', 'Failed', 'Pending', 'Skipped']) {
    assert.is(
      ok(await service.admin.put(at, run(9, { executionStatus }))).pipelineStatus.executionStatus,
      executionStatus,
    );
  }
});

test.run();
