import * as assert from 'uvu/assert';
import type { App } from '../../src/app.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { waitForJobEnd } from '../support/job.ts';
import { expireJobLeases, killJobAt } from '../support/job-process.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { type Client, openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { countDeletionEvents, countIntents, countTables, createWideSchema } from '../support/wide-schema.ts';

/** Shows that far-reaching changes of a killed process are completed by another one (DESIGN 5). */

const test = suite('jobs: takeover after a kill');

/** So few records that a cascade is far-reaching, and so few in a transaction that it needs several. */
const BOUNDS = { cascadeRows: 100, batchRows: 100, jobs: { pollMs: 50, idlePollMs: 200 } };
const TABLES = 250;

let service: Service;
let client: Client;
let app: App;

test.before(async () => {
  service = await openService();
  // Only the process that is to be killed, and later the twin, may take these jobs.
  await service.app.runner.stop();
  ({ client, app } = await openSecondProcessWith(service, BOUNDS));
});

test.after(async () => {
  await app.runner.stop();
  service.app.runner.start();
});

/** Lets another process do two batches of a job, kills it there, and lets this process end the job. */
const killInTheMiddle = async (jobId: string, whileHalf: () => Promise<void>) => {
  await killJobAt(BOUNDS, { jobId, step: 2 });
  await whileHalf();
  const left = ok(await client.get(`/v1/jobs/${jobId}`));
  // The schema is a batch of its own, before its tables or after them.
  assert.ok(left.status === 'RUNNING' && left.progress > 1 && left.progress < TABLES, JSON.stringify(left));
  await expireJobLeases(service);
  app.runner.start();
  const done = await waitForJobEnd(client, jobId);
  await app.runner.stop();
  return done;
};

test('recursive delete, restore and hard delete are completed, with one event per asset', async () => {
  const { service: name, schema, database } = await createWideSchema(client, TABLES);
  const at = `/v1/databases/${database.id}`;
  const newest = async (operation: string) => {
    const { data } = ok(await client.get('/v1/jobs?limit=5'));
    return data.find((job: { operation: string }) => job.operation === operation).jobId as string;
  };

  const gone = ok(await client.delete(`${at}?recursive=true`));
  assert.equal([gone.deleted, gone.version], [true, 0.2]);
  expectRefused(await client.get(at), 404);
  const hiding = await killInTheMiddle(await newest('DELETE'), async () => {
    expectRefused(await client.get(at), 404);
    assert.ok((await countTables(service, schema, 'entitySoftDeleted')).alive > 0);
  });
  assert.is(hiding.status, 'COMPLETED');
  const hidden = { alive: 0, hidden: TABLES, versions: [0.2], kept: [1], events: TABLES };
  assert.equal(await countTables(service, schema, 'entitySoftDeleted'), hidden);

  assert.equal(ok(await client.put('/v1/databases/restore', { id: database.id })).deleted, false);
  ok(await client.get(at));
  const restoring = await killInTheMiddle(await newest('RESTORE'), async () => {
    ok(await client.get(at));
  });
  assert.is(restoring.status, 'COMPLETED');
  const alive = { alive: TABLES, hidden: 0, versions: [0.3], kept: [2], events: TABLES };
  assert.equal(await countTables(service, schema, 'entityRestored'), alive);

  const started = ok(await client.delete(`/v1/databases/async/${database.id}?recursive=true&hardDelete=true`), 202);
  const removing = await killInTheMiddle(started.jobId, async () => {
    for (const query of ['', '?include=all', '?include=deleted']) expectRefused(await client.get(`${at}${query}`), 404);
    expectRefused(await client.post('/v1/databases', { name: 'db', service: name }), 409, 'Entity already exists');
    for (const include of ['all', 'deleted']) {
      const list = ok(await client.get(`/v1/databases?service=${name}&include=${include}`));
      assert.equal(list.data, []);
    }
  });
  assert.is(removing.status, 'COMPLETED');
  assert.equal(await countTables(service, schema, 'x'), { alive: 0, hidden: 0, versions: [], kept: [], events: 0 });
  assert.equal(await countDeletionEvents(service, name), { events: TABLES + 2, records: TABLES + 2 });
  assert.is(await countIntents(service), 0);
  ok(await client.post('/v1/databases', { name: 'db', service: name }), 201);
});

test.run();
