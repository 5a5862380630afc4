import * as assert from 'uvu/assert';
import type { App } from '../../src/app.ts';
import { adoptOrphanedIntents } from '../../src/catalog/cascade/cascade.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { pickMembers, waitForJobEnd } from '../support/job.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { type Client, openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that concurrent changes of a whole tree end in the state of the last one (DESIGN 5). */

const test = suite('jobs: cascades');

const BELOW = 8;

let service: Service;
let client: Client;
let app: App;

test.before(async () => {
  service = await openService();
  // Nothing is carried on before a case says so.
  await service.app.runner.stop();
  ({ client, app } = await openSecondProcessWith(service, { cascadeRows: 5, jobs: { pollMs: 20, idlePollMs: 50 } }));
});

test.after(() => service.app.runner.start());

/** A service with databases below it, more than are changed within a request. */
const plant = async () => {
  const name = uniqueName('far');
  const { id } = ok(await client.post('/v1/services/databaseServices', { name, serviceType: 'Postgres' }), 201);
  for (let at = 0; at < BELOW; at += 1) ok(await client.post('/v1/databases', { name: `d${at}`, service: name }), 201);
  return { name, id, at: `/v1/services/databaseServices/${id}` };
};

type Listed = { readonly jobId: string; readonly operation: string; readonly status: string };

const waiting = async (): Promise<string[]> => {
  const { data } = ok(await client.get('/v1/jobs?limit=100'));
  const isMine = ({ operation, status }: Listed) =>
    ['DELETE', 'RESTORE'].includes(operation) && ['QUEUED', 'CANCELLING'].includes(status);
  return (data as Listed[]).filter(isMine).map(({ jobId }) => jobId);
};

/** Lets everything that was begun be carried to its end. */
const carryOn = async (): Promise<void> => {
  const jobIds = await waiting();
  assert.ok(jobIds.length > 0);
  app.runner.start();
  try {
    for (const jobId of jobIds) {
      assert.equal(pickMembers(await waitForJobEnd(client, jobId), 'status', 'error'), ['COMPLETED', undefined]);
    }
  } finally {
    await app.runner.stop();
  }
  const [row] = await service.graph.query('MATCH (n:Intent)-->() RETURN count(n) AS left');
  assert.is(row?.['left'], 0);
};

const databases = async (name: string, include = 'all') =>
  ok(await client.get(`/v1/databases?service=${name}&include=${include}&limit=100`)).data;

const states = async (name: string) => {
  const found: { deleted: boolean; version: number }[] = await databases(name);
  return [...new Set(found.map(({ deleted, version }) => `${deleted} ${version}`))].sort();
};

test('the response follows the root, and descendants follow, including late ones', async () => {
  const { name, at } = await plant();
  const reply = ok(await client.delete(`${at}?recursive=true`));
  assert.equal([reply.deleted, reply.version], [true, 0.2]);
  expectRefused(await client.get(at), 404);
  assert.equal(await states(name), ['false 0.1']);
  expectRefused(await client.post('/v1/databases', { name: 'late', service: name }), 404);
  ok(await client.post('/v1/databaseSchemas', { name: 'late', database: `${name}.d0` }), 201);
  const [job] = ok(await client.get('/v1/jobs?limit=1')).data;
  assert.equal(pickMembers(job, 'operation', 'entityType', 'targetFqn', 'status', 'createdBy', 'recursive'), [
    'DELETE',
    'databaseService',
    name,
    'QUEUED',
    'admin',
    true,
  ]);
  await carryOn();
  assert.equal(await states(name), ['true 0.2']);
  expectRefused(await client.get(`/v1/databaseSchemas/name/${name}.d0.late`), 404);
});

test('a root restored before its descendants were deleted leaves them unchanged', async () => {
  const { name, at, id } = await plant();
  ok(await client.delete(`${at}?recursive=true`));
  assert.is(ok(await client.put('/v1/services/databaseServices/restore', { id })).version, 0.3);
  await carryOn();
  ok(await client.get(at));
  assert.equal(await states(name), ['false 0.1']);
});

test('after repeated deletion and restore the last state applies', async () => {
  const { name, at, id } = await plant();
  ok(await client.delete(`${at}?recursive=true`));
  await carryOn();
  ok(await client.put('/v1/services/databaseServices', { name, serviceType: 'Postgres' }));
  ok(await client.get(at));
  ok(await client.delete(`${at}?recursive=true`));
  ok(await client.put('/v1/services/databaseServices/restore', { id }));
  await carryOn();
  assert.equal(await states(name), ['false 0.3']);
  ok(await client.delete(`${at}?recursive=true`));
  ok(await client.delete(`${at}?recursive=true&hardDelete=true`));
  await carryOn();
  const [row] = await service.graph.query(
    'MATCH (n:Entity) WHERE n.fullyQualifiedName STARTS WITH $name RETURN count(n) AS left',
    { name },
  );
  assert.is(row?.['left'], 0);
});

test('hard deletion removes the root at once, and its name is free when everything is deleted', async () => {
  const { name, at } = await plant();
  const gone = ok(await client.delete(`${at}?recursive=true&hardDelete=true`));
  assert.equal([gone.deleted, gone.version], [false, 0.1]);
  for (const include of ['non-deleted', 'deleted', 'all']) {
    expectRefused(await client.get(`${at}?include=${include}`), 404);
    const found = await client.get(`/v1/services/databaseServices/name/${name}?include=${include}`);
    expectRefused(found, 404);
  }
  expectRefused(await client.get(`${at}/versions`), 404);
  expectRefused(await client.patch(at, { description: 'x' }), 404);
  expectRefused(await client.delete(`${at}?hardDelete=true&recursive=true`), 404);
  expectRefused(await client.put('/v1/services/databaseServices/restore', { id: at.split('/').at(-1) }), 404);
  const body = { name, serviceType: 'Postgres' };
  expectRefused(await client.post('/v1/services/databaseServices', body), 409, 'Entity already exists');
  assert.is((await client.put('/v1/services/databaseServices', body)).status, 503);
  expectRefused(await client.post('/v1/databases', { name: 'late', service: name }), 404);
  await carryOn();
  ok(await client.post('/v1/services/databaseServices', body), 201);
  assert.equal(await databases(name), []);
});

test('a kind without soft deletion is hard-deleted in a cascade', async () => {
  const name = uniqueName('wide');
  const create = (body: object) => client.post('/v1/domains', { description: 'x', domainType: 'Aggregate', ...body });
  const { id } = ok(await create({ name }), 201);
  for (let at = 0; at < BELOW; at += 1) ok(await create({ name: `d${at}`, parent: name }), 201);
  ok(await client.delete(`/v1/domains/${id}?recursive=true`));
  expectRefused(await client.get(`/v1/domains/${id}`), 404);
  ok(await client.get(`/v1/domains/name/${name}.d1`));
  await carryOn();
  expectRefused(await client.get(`/v1/domains/name/${name}.d1`), 404);
  ok(await create({ name }), 201);
});

test('a cascade that has begun is completed although its job is cancelled', async () => {
  const { name, at } = await plant();
  ok(await client.delete(`${at}?recursive=true`));
  const [jobId = ''] = await waiting();
  assert.is(ok(await client.put(`/v1/jobs/${jobId}/cancel`, undefined)).status, 'CANCELLING');
  await carryOn();
  assert.equal(await states(name), ['true 0.2']);
});

test('a cascade that has not begun is not run after its cancellation', async () => {
  const { name, id, at } = await plant();
  const { jobId } = ok(await client.delete(`/v1/services/databaseServices/async/${id}?recursive=true`), 202);
  assert.is(ok(await client.put(`/v1/jobs/${jobId}/cancel`, undefined)).status, 'CANCELLED');
  app.runner.start();
  const other = ok(
    await client.delete(`/v1/services/databaseServices/async/${(await plant()).id}?recursive=true`),
    202,
  );
  await waitForJobEnd(client, other.jobId);
  await app.runner.stop();
  ok(await client.get(at));
  assert.equal(await states(name), ['false 0.1']);
});

test('a cascade within a job is run by that job', async () => {
  const { name, id } = await plant();
  const { jobId } = ok(await client.delete(`/v1/services/databaseServices/async/${id}?recursive=true`), 202);
  await carryOn();
  assert.equal(pickMembers(ok(await client.get(`/v1/jobs/${jobId}`)), 'status', 'progress', 'total'), [
    'COMPLETED',
    BELOW,
    BELOW,
  ]);
  const restored = ok(await client.put('/v1/services/databaseServices/restore?async=true', { id }), 202);
  await carryOn();
  assert.is(ok(await client.get(`/v1/jobs/${restored.jobId}`)).progress, BELOW);
  assert.equal(await states(name), ['false 0.3']);
});

test('a job killed after its work was done does not repeat it', async () => {
  const name = uniqueName('once');
  const { id } = ok(await client.post('/v1/services/databaseServices', { name, serviceType: 'Postgres' }), 201);
  ok(await client.post('/v1/databases', { name: 'd0', service: name }), 201);
  const { jobId } = ok(await client.delete(`/v1/services/databaseServices/async/${id}?recursive=true`), 202);
  await carryOn();
  assert.equal(await states(name), ['true 0.2']);
  ok(await client.put('/v1/services/databaseServices/restore', { id }));
  // As if its process had died before the end was written down.
  await service.graph.query(
    "MATCH (n:Job {jobId: $jobId}) SET n.status = 'RUNNING', n.open = true, n.end = null, n.leaseUntil = 0",
    { jobId },
  );
  app.runner.start();
  assert.is((await waitForJobEnd(client, jobId)).status, 'COMPLETED');
  await app.runner.stop();
  assert.equal(await states(name), ['false 0.3']);
});

test('concurrent writers do not prevent a cascade from ending', async () => {
  const { name, at } = await plant();
  ok(await client.delete(`${at}?recursive=true`));
  let isOver = false;
  const writers = Array.from({ length: BELOW }, async (_, index) => {
    for (let turn = 0; !isOver; turn += 1) {
      const reply = await client.patch(`/v1/databases/name/${name}.d${index}`, { description: `t${turn}` });
      assert.ok([200, 404, 409].includes(reply.status), reply.text);
      if (reply.status === 404) return;
    }
  });
  await carryOn();
  isOver = true;
  await Promise.all(writers);
  assert.equal(
    (await databases(name)).map((database: { deleted: boolean }) => database.deleted),
    new Array(BELOW).fill(true),
  );
});

test('the rest of a failed job is done by another job', async () => {
  const { name, at } = await plant();
  ok(await client.delete(`${at}?recursive=true`));
  const [jobId = ''] = await waiting();
  await service.graph.query(
    `MATCH (n:Job {jobId: $jobId}) SET n.status = 'FAILED', n.open = null, n.end = '1 {"status":"FAILED"}'`,
    { jobId },
  );
  assert.equal(await waiting(), []);
  await Promise.allSettled([adoptOrphanedIntents(app.engine), adoptOrphanedIntents(service.app.engine)]);
  assert.is((await waiting()).length, 1, 'one job for one intent');
  await carryOn();
  assert.equal(await states(name), ['true 0.2']);
});

test('deleting a record ends pending cascades below it', async () => {
  const { id, at } = await plant();
  ok(await client.delete(`${at}?recursive=true`));
  const [intent] = await service.graph.query('MATCH (n:Intent)-[:CONCERNS]->({id: $id}) RETURN n.id AS id', { id });
  ok(await client.delete(`${at}?recursive=true&hardDelete=true`));
  await carryOn();
  const left = await service.graph.query('MATCH (n:Intent {id: $id}) RETURN n', { id: intent?.['id'] });
  assert.equal([typeof intent?.['id'], left.length], ['string', 0]);
});

test.run();
