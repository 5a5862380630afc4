import { gzipSync } from 'node:zlib';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { type CreatedRecord, createSamples, type Samples } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows ingestion pipelines below services and suites, and what their runs report: status, progress and logs. */

const test = suite('pipelines: ingestion runs');

const PATH = '/v1/services/ingestionPipelines';

let service: Service;
let samples: Samples;
test.before(async () => {
  service = await openService();
  samples = createSamples(service);
});

const body = (type: string, { id }: CreatedRecord, more: JsonObject = {}): JsonObject => ({
  name: uniqueName('ingest'),
  service: { id, type },
  pipelineType: 'metadata',
  sourceConfig: { config: { type: 'DatabaseMetadata' } },
  airflowConfig: {},
  ...more,
});

const at = ({ fullyQualifiedName }: { fullyQualifiedName: string }): string => encodeURIComponent(fullyQualifiedName);

const newPipeline = async (more: JsonObject = {}): Promise<CreatedRecord> => {
  const home = await samples.create('databaseService');
  return ok(await service.admin.post(PATH, body('databaseService', home, more)), 201);
};

const run = (runId: string, more: JsonObject = {}): JsonObject => ({ runId, timestamp: 1000, ...more });
const report = (pipeline: CreatedRecord, status: JsonObject) =>
  service.admin.put(`${PATH}/${at(pipeline)}/pipelineStatus`, status);

test('a pipeline lies below a service of any kind or a test suite, which list it', async () => {
  const table = await samples.create('table');
  const suites = '/v1/dataQuality/testSuites/executable';
  const suiteOf = ok(
    await service.admin.post(suites, { name: 'suite', basicEntityReference: table.fullyQualifiedName }),
    201,
  );
  const homes = [
    ['databaseService', await samples.create('databaseService'), 'services/databaseServices'],
    ['messagingService', await samples.create('messagingService'), 'services/messagingServices'],
    ['testSuite', suiteOf, 'dataQuality/testSuites'],
  ] as const;
  for (const [type, home, path] of homes) {
    const made = ok(await service.admin.post(PATH, body(type, home)), 201);
    assert.is(made.fullyQualifiedName, `${home.fullyQualifiedName}.${made.name}`);
    assert.equal([made.service.id, made.service.type], [home.id, type]);
    const { pipelines } = ok(await service.admin.get(`/v1/${path}/${home.id}?fields=pipelines`));
    assert.equal(
      pipelines.map(({ id }: { id: string }) => id),
      [made.id],
    );
    const filter = type === 'testSuite' ? 'testSuite' : 'service';
    const { data } = ok(await service.admin.get(`${PATH}?${filter}=${at(home)}&pipelineType=metadata`));
    assert.equal(
      data.map(({ id }: { id: string }) => id),
      [made.id],
    );
    const again = ok(await service.admin.put(PATH, { ...body(type, home), name: made.name }));
    assert.equal([again.id, again.version], [made.id, made.version]);
  }
});

test('the reference of the service says of which kind it is', async () => {
  const home = await samples.create('databaseService');
  const given = body('databaseService', home);
  for (const wrong of [{ id: home.id }, { id: home.id, type: 'table' }])
    expectRefused(await service.admin.post(PATH, { ...given, service: wrong }), 400);
  expectRefused(await service.admin.post(PATH, { ...given, service: { id: home.id, type: 'messagingService' } }), 404);
  expectRefused(await service.admin.post(PATH, { ...given, service: undefined }), 400);
});

test('secrets of the source are shown to nobody who may not see them', async () => {
  const config = { type: 'DBT', dbtConfigSource: { dbtConfigType: 'cloud', dbtCloudAuthToken: 'hush' } };
  const made = await newPipeline({ sourceConfig: { config } });
  const shown = ok(await service.admin.get(`${PATH}/${made.id}`));
  assert.is(shown.sourceConfig.config.type, 'DBT');
  const seen = await (await service.as((await samples.create('user')).name)).get(`${PATH}/${made.id}`);
  assert.is(
    JSON.stringify([ok(seen), ok(await service.admin.get(`${PATH}/${made.id}/versions`))]).includes('hush'),
    false,
  );
});

test('a run is reported again and again under one id, and the newest runs are shown first', async () => {
  const made = await newPipeline();
  const first = { startDate: 1000, pipelineState: 'running', config: { source: { password: 'hush' }, type: 'x' } };
  ok(await report(made, run('one', first)));
  ok(await report(made, run('two', { timestamp: 3000, pipelineState: 'queued' })));
  const failures = [{ name: 'orders', error: 'no such column', stackTrace: 'at' }];
  const status = [{ name: 'Sqlite', records: 4, errors: 1, failures }];
  const answer = ok(await report(made, run('one', { ...first, pipelineState: 'failed', endDate: 2000, status })));
  assert.equal([answer.id, answer.version], [made.id, made['version']]);
  const { data, paging } = ok(await service.admin.get(`${PATH}/${at(made)}/pipelineStatus`));
  assert.equal(
    data.map(({ runId, pipelineState }: JsonObject) => [runId, pipelineState]),
    [
      ['two', 'queued'],
      ['one', 'failed'],
    ],
  );
  assert.is(paging.total, 2);
  assert.equal(data[1].status, status);
  assert.is(JSON.stringify(data).includes('hush'), false);
  const between = ok(await service.admin.get(`${PATH}/${at(made)}/pipelineStatus?startTs=2000&endTs=4000`));
  assert.equal([between.data.length, between.data[0].runId], [1, 'two']);
  const one = ok(await service.admin.get(`${PATH}/${at(made)}/pipelineStatus/one`));
  assert.is(one.endDate, 2000);
  const { pipelineStatuses } = ok(await service.admin.get(`${PATH}/${made.id}?fields=pipelineStatuses`));
  assert.equal(
    pipelineStatuses.map(({ runId }: JsonObject) => runId),
    ['two', 'one'],
  );
});

test('a run that nobody has reported has no status and no progress', async () => {
  const made = await newPipeline();
  for (const path of [`${at(made)}/pipelineStatus/none`, `progress/${at(made)}/none`])
    assert.is((await service.admin.get(`${PATH}/${path}`)).status, 204);
  for (const path of ['no.such/pipelineStatus/x', 'progress/no.such/x', 'logs/no.such/x'])
    expectRefused(await service.admin.get(`${PATH}/${path}`), 404);
});

test('each report of progress replaces the one before', async () => {
  const made = await newPipeline();
  const place = `${PATH}/progress/${at(made)}/one`;
  const progress = { runId: 'one', timestamp: 5, updateType: 'PROCESSING', totalAssetsIngested: 3 };
  ok(await service.admin.put(place, { ...progress, totalAssetsIngested: 1 }));
  ok(await service.admin.put(place, progress));
  assert.equal(ok(await service.admin.get(place)), progress);
  expectRefused(await service.admin.put(place, { ...progress, updateType: 'LATER' }), 400);
  // Progress alone is no run yet.
  assert.is(ok(await service.admin.get(`${PATH}/${at(made)}/pipelineStatus`)).paging.total, 0);
});

const logAt = (made: CreatedRecord, runId: string, query = '') => `${PATH}/logs/${at(made)}/${runId}${query}`;
const append = (made: CreatedRecord, runId: string, batch: JsonObject) => service.admin.post(logAt(made, runId), batch);

test('a log takes pieces, compressed or not, and is read by lines', async () => {
  const made = await newPipeline();
  ok(await append(made, 'one', { logs: 'a\nb', lineCount: 2, connectorId: 'x', timestamp: 1 }));
  ok(await append(made, 'one', { logs: gzipSync('c\nd\n').toString('base64'), compressed: true }));
  ok(await append(made, 'one', { connectorId: 'x' }));
  ok(await service.admin.post(`${logAt(made, 'one')}/close`, { connectorId: 'x' }));
  assert.equal(ok(await service.admin.get(logAt(made, 'one'))), { logs: 'a\nb\nc\nd', total: 4 });
  const page = ok(await service.admin.get(logAt(made, 'one', '?offset=1&limit=2')));
  assert.equal(page, { logs: 'b\nc', total: 4, after: '3' });
  assert.equal(ok(await service.admin.get(logAt(made, 'one', '?after=3'))), { logs: 'd', total: 4 });
  assert.equal(ok(await service.admin.get(logAt(made, 'two'))), { logs: '', total: 0 });
  ok(await report(made, run('one')));
  assert.is(ok(await service.admin.get(logAt(made, 'one'))).total, 4);
});

test('a log that is broken or too large is refused', async () => {
  const made = await newPipeline();
  expectRefused(await append(made, 'one', { logs: 'not gzip', compressed: true }), 400);
  expectRefused(await append(made, 'one', { logs: 'x'.repeat(1024 * 1024 + 1) }), 413);
  const bomb = gzipSync('x'.repeat(64 * 1024 * 1024)).toString('base64');
  expectRefused(await append(made, 'one', { logs: bomb, compressed: true }), 413);
  expectRefused(await append(made, 'r'.repeat(257), { logs: 'x' }), 400);
  assert.is(ok(await service.admin.get(logAt(made, 'one'))).total, 0);
});

test('a long log keeps its newest pieces, and its lines keep their numbers', async () => {
  const made = await newPipeline();
  const line = `${'x'.repeat(1023)}\n`;
  const pieces = 70;
  for (let piece = 0; piece < pieces; piece += 1)
    ok(await append(made, 'one', { logs: `piece ${piece}\n${line.repeat(256)}` }));
  const { logs, total, after } = ok(await service.admin.get(logAt(made, 'one', '?limit=1')));
  assert.equal([logs, total, after], ['piece 6', pieces * 257, String(6 * 257 + 1)]);
  const last = ok(await service.admin.get(logAt(made, 'one', `?offset=${69 * 257}&limit=1`)));
  assert.is(last.logs, 'piece 69');
});

test('the logs of the newest ten runs are kept', async () => {
  const made = await newPipeline();
  for (let at = 0; at < 12; at += 1) ok(await append(made, `run${at}`, { logs: `log of ${at}` }));
  const totals: number[] = [];
  for (let at = 0; at < 12; at += 1) totals.push(ok(await service.admin.get(logAt(made, `run${at}`))).total);
  assert.equal(totals, [0, 0, ...Array(10).fill(1)]);
});

/** Lets a log or a run seem larger than it is, because large ones take long to send. */
const grow = (key: string, member: 'logBytes' | 'bytes', bytes: number) =>
  service.graph.query(`MATCH (run:PipelineRun {key: $key}) SET run.${member} = $bytes`, { key, bytes });

test('the logs of a pipeline are bounded in bytes: the oldest go', async () => {
  const made = await newPipeline();
  for (const id of ['a', 'b', 'c']) ok(await append(made, id, { logs: `log of ${id}` }));
  await grow(`${made.id}:b`, 'logBytes', 40 * 1024 * 1024);
  await grow(`${made.id}:c`, 'logBytes', 23 * 1024 * 1024);
  ok(await append(made, 'c', { logs: 'more' }));
  const totals = async () =>
    Promise.all(['a', 'b', 'c'].map(async (id) => ok(await service.admin.get(logAt(made, id))).total));
  assert.equal(await totals(), [1, 1, 2]);
  await grow(`${made.id}:c`, 'logBytes', 25 * 1024 * 1024);
  ok(await append(made, 'c', { logs: 'more' }));
  assert.equal(await totals(), [0, 0, 3]);
  await grow(`${made.id}:c`, 'logBytes', 65 * 1024 * 1024);
  ok(await append(made, 'c', { logs: 'more' }));
  assert.equal(await totals(), [0, 0, 4], 'the newest log stays');
});

test('the bytes of a log are counted as its pieces come and go', async () => {
  const made = await newPipeline();
  const text = `${'ä'.repeat(100)}\n`;
  ok(await append(made, 'one', { logs: text }));
  ok(await append(made, 'one', { logs: text }));
  const [row] = await service.graph.query('MATCH (run:PipelineRun {key: $key}) RETURN run.logBytes AS bytes', {
    key: `${made.id}:one`,
  });
  assert.is(Number(row?.['bytes']), 2 * Buffer.byteLength(text));
});

test('the runs of a pipeline are bounded in bytes: the oldest go with their logs', async () => {
  const made = await newPipeline();
  for (const [at, id] of ['a', 'b', 'c'].entries()) {
    ok(await report(made, run(id, { timestamp: 1000 + at })));
    ok(await append(made, id, { logs: `log of ${id}` }));
  }
  await grow(`${made.id}:b`, 'bytes', 16 * 1024 * 1024);
  ok(await report(made, run('d', { timestamp: 2000 })));
  const { data } = ok(await service.admin.get(`${PATH}/${at(made)}/pipelineStatus`));
  assert.equal(
    data.map(({ runId }: JsonObject) => runId),
    ['d', 'c'],
  );
  assert.is(ok(await service.admin.get(logAt(made, 'b'))).total, 0);
  assert.is(ok(await service.admin.get(logAt(made, 'c'))).total, 1);
});

test('a report that is too large is refused', async () => {
  const made = await newPipeline();
  const long = 'x'.repeat(1024 * 1024);
  const failures = [{ name: 'orders', error: long }];
  expectRefused(await report(made, run('one', { status: [{ name: 'Postgres', failures }] })), 413);
  const progress = { runId: 'one', timestamp: 1, updateType: 'PROCESSING', message: long };
  expectRefused(await service.admin.put(`${PATH}/progress/${at(made)}/one`, progress), 413);
  assert.equal(ok(await service.admin.get(`${PATH}/${at(made)}/pipelineStatus`)).data, []);
});

test('runs, progress and logs tell no secrets', async () => {
  const made = await newPipeline();
  const error = 'cannot connect to postgres://reader:hush@db/orders with password="hush hush"';
  const failures = [{ name: 'orders', error, stackTrace: `api_key: hush\n${error}` }];
  const told = {
    config: { source: { password: 'hush', sslConfig: { sslKey: 'hush' } } },
    metadata: { url: 'https://a:hush@host', apiKey: 'hush' },
    status: [{ name: 'Postgres', failures }],
  };
  ok(await report(made, run('one', told)));
  const message = 'token=hush';
  const progress = { runId: 'one', timestamp: 1, updateType: 'ERROR', message, progress: { secret: 'hush' } };
  ok(await service.admin.put(`${PATH}/progress/${at(made)}/one`, progress));
  const key = '-----BEGIN PRIVATE KEY-----\nhush\nhush\n-----END PRIVATE KEY-----';
  const filler = `${'x'.repeat(80)}\n`.repeat(420);
  ok(await append(made, 'one', { logs: `${error}\n${filler}${key}\n${filler}Authorization: Bearer hushhushhush\n` }));
  for (const path of [
    `${at(made)}/pipelineStatus`,
    `${at(made)}/pipelineStatus/one`,
    `progress/${at(made)}/one`,
    `logs/${at(made)}/one`,
    `${made.id}?fields=pipelineStatuses`,
  ]) {
    const reply = await service.admin.get(`${PATH}/${path}`);
    ok(reply);
    assert.not.match(reply.text, /hush/, path);
  }
  assert.match(ok(await service.admin.get(logAt(made, 'one'))).logs, /cannot connect to postgres:\/\/\*{9}@db\/orders/);
  const kept = await service.graph.query(
    'MATCH (:Entity {id: $id})-[:HAS_RESULT]->(r) RETURN collect(properties(r)) AS all',
    { id: made.id },
  );
  assert.not.match(JSON.stringify(kept), /hush/);
});

test('reports sent at once are all kept', async () => {
  const made = await newPipeline();
  await Promise.all(Array.from({ length: 40 }, async (_, at) => ok(await append(made, 'one', { logs: `line ${at}` }))));
  const { logs, total } = ok(await service.admin.get(logAt(made, 'one')));
  assert.is(total, 40);
  assert.is(new Set((logs as string).split('\n')).size, 40);
});

test('who may not report runs is refused, and a deleted pipeline takes its runs and logs along', async () => {
  const made = await newPipeline();
  const plain = await service.as((await samples.create('user')).name);
  expectRefused(await plain.put(`${PATH}/${at(made)}/pipelineStatus`, run('one')), 403);
  expectRefused(await plain.post(logAt(made, 'one'), { logs: 'x' }), 403);
  ok(await report(made, run('one')));
  ok(await append(made, 'one', { logs: 'x' }));
  ok(await service.admin.delete(`${PATH}/${made.id}?hardDelete=true`));
  const left = await service.graph.query('MATCH (n) WHERE n.key STARTS WITH $id RETURN count(n) AS left', {
    id: made.id,
  });
  assert.equal(left, [{ left: 0 }]);
});

test.run();
