import * as assert from 'uvu/assert';
import type { App } from '../../src/app.ts';
import { deleteOrphanedProfiles } from '../../src/profiler/orphaned-profiles.ts';
import { expectList, expectRefused, ok } from '../support/expect.ts';
import { waitForJobEnd } from '../support/job.ts';
import { createSamples, type Samples } from '../support/samples.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { type Client, openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that an asset with too many parts for one transaction is removed in several (DESIGN 5). */

const test = suite('jobs: removal of many parts');

const BATCH = 10;

let service: Service;
let samples: Samples;
let client: Client;
let app: App;
test.before(async () => {
  service = await openService();
  samples = createSamples(service);
  // Nothing is carried on before a case says so.
  await service.app.runner.stop();
  ({ client, app } = await openSecondProcessWith(service, {
    batchSeriesRows: BATCH,
    cascadeSeriesRows: 40,
    jobs: { pollMs: 20, idlePollMs: 50 },
  }));
});

test.after(() => service.app.runner.start());

const day = (count: number): number => Date.UTC(2024, 0, 1) + count * 86_400_000;

const range = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

const newPipeline = async (runs: number) => {
  const made = await samples.create('pipeline');
  const body = range(runs).map((at) => ({ timestamp: day(at), executionStatus: 'Successful' }));
  ok(await client.put(`/v1/pipelines/${encodeURIComponent(made.fullyQualifiedName)}/status/bulk`, body));
  return made;
};

const newTable = async (moments: number, more: Record<string, string> = {}) => {
  const made = await samples.create('table', {
    columns: ['a', 'b'].map((name) => ({ name, dataType: 'INT' })),
    ...more,
  });
  for (const at of range(moments)) {
    const timestamp = day(at);
    const columnProfile = ['a', 'b'].map((name) => ({ name, timestamp }));
    ok(await client.put(`/v1/tables/${made.id}/tableProfile`, { tableProfile: { timestamp }, columnProfile }));
  }
  return made;
};

const left = async (id: string) => {
  const [row] = await service.graph.query(
    `RETURN COUNT { (n:Entity {id: $id}) } AS records, COUNT { (p:Profile {tableId: $id}) } AS profiles,
       COUNT { (run:PipelineRun {pipelineId: $id}) } AS runs, COUNT { (intent:Intent) } AS intents`,
    { id },
  );
  return row;
};

const GONE = { records: 0, profiles: 0, runs: 0, intents: 0 };

/** Lets everything that was begun be carried to its end. */
const carryOn = async (): Promise<void> => {
  const { data } = ok(await client.get('/v1/jobs?limit=1'));
  assert.equal([data[0].operation, data[0].status], ['DELETE', 'QUEUED']);
  app.runner.start();
  try {
    assert.is((await waitForJobEnd(client, data[0].jobId)).status, 'COMPLETED');
  } finally {
    await app.runner.stop();
  }
};

test('a record with few parts is removed at once, one with many in batches before the response', async () => {
  const few = await newPipeline(BATCH);
  const jobs = async () => expectList(await client.get('/v1/jobs?limit=1')).paging.total;
  const before = await jobs();
  ok(await client.delete(`/v1/pipelines/${few.id}?hardDelete=true`));
  assert.equal([await left(few.id), await jobs()], [GONE, before]);
  const more = await newPipeline(4 * BATCH);
  app.runner.start();
  try {
    const gone = ok(await client.delete(`/v1/pipelines/${more.id}?hardDelete=true`));
    assert.equal([gone.id, await jobs()], [more.id, before + 1]);
    const [job] = expectList(await client.get('/v1/jobs?limit=1')).data;
    assert.is((await waitForJobEnd(client, job.jobId)).status, 'COMPLETED');
  } finally {
    await app.runner.stop();
  }
  assert.equal(await left(more.id), GONE);
});

test('an asset with very many parts is gone at once, and a job deletes the parts', async () => {
  const table = await newTable(15);
  const at = `/v1/tables/${table.id}`;
  ok(await client.delete(`${at}?hardDelete=true`));
  expectRefused(await client.get(at), 404);
  expectRefused(await client.get(`${at}/columnProfile`), 404);
  expectRefused(await client.put(`${at}/tableProfile`, { tableProfile: { timestamp: day(1) } }), 404);
  assert.is((await left(table.id))?.['profiles'], 45);
  const everywhere = ok(await client.get(`/v1/entity/profiles/table?startTs=${day(0)}&endTs=${day(15)}&limit=100000`));
  const ids = everywhere.data.map((row: { entityReference: { id: string } }) => row.entityReference.id);
  assert.is(ids.includes(table.id), false);
  await carryOn();
  assert.equal(await left(table.id), GONE);
});

test('descendants are removed with their parts, few or many', async () => {
  const place = await samples.create('databaseSchema');
  const databaseSchema = place.fullyQualifiedName;
  const tables = [
    await newTable(1, { databaseSchema }),
    await newTable(8, { databaseSchema }),
    await newTable(3, { databaseSchema }),
    await newTable(3, { databaseSchema }),
  ];
  ok(await client.delete(`/v1/databaseSchemas/${place.id}?hardDelete=true&recursive=true`));
  await carryOn();
  for (const { id } of [...tables, place]) assert.equal(await left(id), GONE);
});

test('soft deletion keeps all parts, however many', async () => {
  const table = await newTable(15);
  ok(await client.delete(`/v1/tables/${table.id}`));
  ok(await client.put('/v1/tables/restore', { id: table.id }));
  assert.is(expectList(await client.get(`/v1/tables/${table.id}/columnProfile`)).paging.total, 30);
});

test('a column with very many profiles is removed at once, and its profiles later', async () => {
  const { id } = await newTable(2);
  const [row] = await service.graph.query(
    `MATCH (:Entity {id: $id})-[:HAS_COLUMN]->(c:Column {name: 'a'})
     UNWIND range(1, 150) AS at
     CREATE (c)-[:HAS_PROFILE]->(:Profile:ColumnProfile {series: c.profileSeries, tableId: $id, json: '{"timestamp":1}', timestamp: at,
       place: 'c ' + toString(9007199254740991 - toInteger($first) - at * 1000) + ' ' + c.profileSeries})
     RETURN count(at) AS made`,
    { id, first: day(2) },
  );
  assert.is(row?.['made'], 150);
  const at = `/v1/tables/${id}`;
  assert.is(expectList(await client.get(`${at}/columnProfile`)).paging.total, 154);
  ok(await client.patch(at, [{ op: 'remove', path: '/columns/0' }]));
  const rows = async () => expectList(await client.get(`${at}/columnProfile?limit=2`));
  const shown = await rows();
  assert.equal([shown.data.map((one: { name: string }) => one.name), shown.paging], [['b', 'b'], { total: 2 }]);
  assert.is(expectList(await client.get(`${at}/columnProfile?startTs=1`)).paging.total, 2);
  const everywhere = async () =>
    ok(
      await client.get(
        `/v1/entity/profiles/table?profileType=column&startTs=${day(2) + 1}&endTs=${day(2) + 200_000}&limit=0`,
      ),
    );
  assert.is((await everywhere()).paging.total, 0);
  await deleteOrphanedProfiles(service.graph, { batch: 40 });
  assert.is((await left(id))?.['profiles'], 4);
  const [spent] = await service.graph.query('RETURN COUNT { (c:Spent) } AS left');
  assert.is(spent?.['left'], 0);
  ok(await client.patch(at, [{ op: 'add', path: '/columns/-', value: { name: 'a', dataType: 'INT' } }]));
  assert.is((await rows()).paging.total, 2);
});

test.run();
