import * as assert from 'uvu/assert';
import { CatalogError } from '../../src/errors.ts';
import type { JobWorker } from '../../src/jobs/job-queue.ts';
import { type PackedFailure, packFailure, unpackFailure } from '../../src/lane/messages.ts';
import { fromSharedClock, type RunJobMessage, registerRemoteWorker } from '../../src/lane/remote-job-worker.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { waitForJobEnd } from '../support/job.ts';
import { createSamples, type Samples } from '../support/samples.ts';
import { closeServiceAt, openServiceAt, placeOfRun, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { countTables, createWideSchema } from '../support/wide-schema.ts';

/** Shows that heavy requests are answered by the lane like light ones. */

const test = suite('lane: heavy lane');

let service: Service;
let samples: Samples;

test.before(async () => {
  service = await openServiceAt(placeOfRun(), {}, true);
  samples = createSamples(service);
});
test.after(() => closeServiceAt(service));

const wideColumns = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ name: `c${at}`, dataType: 'INT', description: 'One of very many.' }));

/** A text that makes a body too long for the event loop. */
const LONG = 'long '.repeat(20_000);

test('a heavy request has the status, headers and body of a light one', async () => {
  const body = await samples.body('table', { columns: wideColumns(3000) });
  const created = await service.admin.post('/v1/tables', body);
  ok(created, 201);
  assert.is(created.headers.get('location'), created.json.href);
  assert.is(created.headers.get('x-openmetadata-change'), 'entityCreated');
  assert.match(created.json.href, /^http:\/\/localhost\/v1\/tables\//);
  assert.is(created.headers.get('content-length'), String(Buffer.byteLength(created.text)));
  const path = `/v1/tables/${created.json.id}`;
  const read = ok(await service.admin.get(`${path}?fields=columns`));
  assert.is(read.columns.length, 3000);
  assert.is(created.headers.get('etag'), (await service.admin.get(path)).headers.get('etag'));
  expectRefused(await service.admin.post('/v1/tables', body), 409, 'Entity already exists');
  expectRefused(await service.admin.post('/v1/tables', { ...body, name: LONG }), 400, /name size/);
  expectRefused(await service.admin.post('/v1/tables', { ...body, databaseSchema: 'no.such.schema' }), 404);
  expectRefused(
    await service.admin.raw('POST', '/v1/tables', `${JSON.stringify(body)}x`),
    400,
    /Malformed JSON at position/,
  );
});

test('a small change of a wide record runs in the lane and is visible at once', async () => {
  const body = await samples.body('table', { columns: wideColumns(10_000) });
  const { id } = ok(await service.admin.post('/v1/tables', body), 201);
  const patched = ok(
    await service.admin.patch(`/v1/tables/${id}`, [{ op: 'add', path: '/columns/9999/description', value: 'Last.' }]),
  );
  assert.is(patched.version, 0.2);
  assert.is(ok(await service.admin.get(`/v1/tables/${id}`)).columns[9999].description, 'Last.');
  ok(await service.admin.put(`/v1/tables/${id}/vote`, { updatedVoteType: 'votedUp' }));
  const stale = { 'if-match': '"nothing"' };
  expectRefused(await service.admin.patch(`/v1/tables/${id}`, { description: 'x' }, stale), 412);
  assert.is(ok(await service.admin.get(`/v1/tables/${id}/versions`)).versions.length, 2);
});

test('the lane authorizes requests, and changes of rights there take effect here at once', async () => {
  const user = await samples.create('user');
  const plain = await service.as(user.name);
  const body = await samples.body('domain', { description: LONG });
  expectRefused(await plain.post('/v1/domains', body), 403);
  const policy = await service.admin.post('/v1/policies', {
    name: uniqueName('policy'),
    description: LONG,
    rules: [{ name: 'create', effect: 'allow', operations: ['Create'], resources: ['domain'] }],
  });
  const role = ok(
    await service.admin.post('/v1/roles', { name: uniqueName('role'), policies: [ok(policy, 201).fullyQualifiedName] }),
    201,
  );
  ok(await service.admin.patch(`/v1/users/${user.id}`, { roles: [{ id: role.id, type: 'role' }], description: LONG }));
  ok(await plain.post('/v1/domains', body), 201);
  ok(await plain.post('/v1/domains', { ...body, name: uniqueName('small'), description: 'short' }), 201);
  ok(await service.admin.patch(`/v1/users/${user.id}`, { roles: [] }));
  expectRefused(await plain.post('/v1/domains', { ...body, name: uniqueName('late') }), 403);
});

test('streams are returned completely, and a job queued in the lane runs here', async () => {
  const table = await samples.create('table', { columns: wideColumns(2000) });
  const name = encodeURIComponent(table.fullyQualifiedName);
  const file = await service.admin.get(`/v1/tables/name/${name}/export`);
  assert.is(file.status, 200);
  assert.is(file.text.trimEnd().split('\n').length, 2001);
  const started = await service.admin.put('/v1/domains/bulk?async=true', [
    await samples.body('domain', { description: LONG }),
  ]);
  assert.is(started.status, 202);
  assert.is((await waitForJobEnd(service.admin, started.headers.get('x-job-id') ?? '')).status, 'COMPLETED');
});

/** How much of a record is in the store, whether anybody may see it or not. */
const nodesOf = async (id: string): Promise<unknown> =>
  (await service.graph.query('MATCH (n:Entity {id: $id}) RETURN count(n) AS found', { id }))[0]?.['found'];

test('a cascade that the background thread completes for the lane is answered when done', async () => {
  const body = await samples.body('table', { columns: wideColumns(10_000) });
  const { id } = ok(await service.admin.post('/v1/tables', body), 201);
  assert.is(await nodesOf(id), 1);
  ok(await service.admin.delete(`/v1/tables/${id}?hardDelete=true`));
  assert.is(await nodesOf(id), 0);
});

test('a cascade that the background thread completes for the main thread is answered when done', async () => {
  const { schema } = await createWideSchema(service.admin, 1010);
  const { id } = ok(await service.admin.get(`/v1/databaseSchemas/name/${schema}`));
  ok(await service.admin.delete(`/v1/databaseSchemas/${id}?recursive=true`));
  const { alive, hidden } = await countTables(service, schema, 'entitySoftDeleted');
  assert.equal([alive, hidden], [0, 1010]);
});

test('jobs handed to a failed thread are released, and none is handed over after the end', async () => {
  let worker: JobWorker | undefined;
  const employ = (hand: JobWorker) => {
    worker = hand;
    return () => {
      worker = undefined;
    };
  };
  const sent: RunJobMessage[] = [];
  const remote = registerRemoteWorker({ employ }, (message) => sent.push(message));
  const until = performance.now() + 60_000;
  const carry = () => worker?.carry({ jobId: 'job', claim: 'claim', leaseMs: 60_000 }, until);
  const [first, second] = [carry(), carry()];
  assert.equal(
    sent.map(({ id }) => id),
    [1, 2],
  );
  assert.ok(Math.abs(fromSharedClock(sent[0]?.safeUntilMs ?? 0) - until) < 100, 'the lease ends at another time');
  remote.released(1);
  await first;
  remote.abandon();
  await second;
  remote.stop();
  assert.is(worker, undefined);
});

test('a body with too many values is refused before it is parsed', async () => {
  expectRefused(
    await service.admin.raw('POST', '/v1/tables', `[${'[],'.repeat(2_000_001)}[]]`),
    413,
    /more than 2000000 values/,
  );
});

test('an error keeps its properties between threads', () => {
  const across = (failure: unknown) => unpackFailure(structuredClone(packFailure(failure)) as PackedFailure);
  const known = across(new CatalogError('unavailable', 'later', { retryAfterSeconds: 7, result: { rows: 1 } }));
  assert.instance(known, CatalogError);
  const { code, message, retryAfterSeconds, result } = known as CatalogError;
  assert.equal([code, message, retryAfterSeconds, result], ['unavailable', 'later', 7, { rows: 1 }]);
  const defect = across(new TypeError('a defect'));
  assert.not.instance(defect, CatalogError);
  assert.match(defect.stack ?? '', /TypeError: a defect/);
});

test.run();
