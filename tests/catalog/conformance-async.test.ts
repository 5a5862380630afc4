import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { everyKind, hasChildren } from '../support/every-kind.ts';
import { countStored, expectRefused, expectUnchanged, ok, pathByName, readStored } from '../support/expect.ts';
import { pickMembers, waitForJobEnd } from '../support/job.ts';
import { strayId } from '../support/samples.ts';
import { uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that the asynchronous operations of every kind follow the contract (conventions 3 and 13, client-compat). */

const test = suite('catalog: asynchronous operations of every kind');
const each = everyKind(test);

each('bulk answers 202 with a result envelope, and the result follows when the job ends', async (bench) => {
  const { service, samples, kind, path } = bench;
  const prefix = uniqueName('later');
  const good = [await samples.body(kind, { name: `${prefix}_0` }), await samples.body(kind, { name: `${prefix}_1` })];
  const bad = { ...good[0], nonsense: 1 };
  const reply = await service.admin.put(`${path}/bulk?async=True`, [...good, bad]);
  assert.equal(ok(reply, 202), {
    dryRun: false,
    numberOfRowsProcessed: 0,
    numberOfRowsPassed: 0,
    numberOfRowsFailed: 0,
    status: 'running',
    successRequest: [],
    failedRequest: [],
  });
  const jobId = reply.headers.get('x-job-id') ?? '';
  const job = await waitForJobEnd(service.admin, jobId);
  assert.equal(
    pickMembers(job, 'status', 'operation', 'entityType', 'createdBy', 'progress', 'total', 'cancelRequested'),
    ['COMPLETED', 'BULK', kind.entityType, 'admin', 3, 3, false],
  );
  const { result } = job;
  assert.equal(
    pickMembers(result, 'dryRun', 'status', 'numberOfRowsProcessed', 'numberOfRowsPassed', 'numberOfRowsFailed'),
    [false, 'partialSuccess', 3, 2, 1],
  );
  assert.equal(result.failedRequest[0].request, bad);
  assert.is(result.failedRequest[0].status, 400);
  for (const { request, status } of result.successRequest) {
    assert.is(status, 200);
    assert.is(ok(await service.admin.get(pathByName(kind, request))).version, 0.1);
  }
  assert.equal(ok(await service.admin.get(`/v1/jobs/${jobId}/result`)), result);
  assert.is(typeof ok(await service.admin.get(`/v1/csvAsyncJobs/${jobId}`)).result, 'string');
  assert.equal(JSON.parse(ok(await service.admin.get(`/v1/csvAsyncJobs/${jobId}`)).result), result);
});

each('an invalid bulk request is refused before it is queued', async ({ service, path, samples, kind }) => {
  const many = new Array(5001).fill(await samples.body(kind));
  const before = ok(await service.admin.get('/v1/jobs')).paging.total;
  const counted = await countStored(service);
  for (const body of [{}, 'text', 1, null]) {
    expectRefused(await service.admin.put(`${path}/bulk?async=true`, body), 400);
  }
  expectRefused(await service.admin.put(`${path}/bulk?async=perhaps`, []), 400);
  expectRefused(await service.admin.put(`${path}/bulk?async=true`, many), 413);
  assert.equal(await countStored(service), counted);
  assert.is(ok(await service.admin.get('/v1/jobs')).paging.total, before);
});

const MEMBERS = ['entityName', 'hardDelete', 'jobId', 'message', 'recursive'];

each('an asynchronous delete answers 202 and does what DELETE does', async ({ service, samples, kind, path }) => {
  for (const hardDelete of [false, true]) {
    const made = await samples.create(kind);
    const started = ok(await service.admin.delete(`${path}/async/${made.id}?hardDelete=${hardDelete}`), 202);
    assert.equal(Object.keys(started).sort(), MEMBERS);
    assert.equal(pickMembers(started, 'entityName', 'hardDelete', 'recursive'), [made.name, hardDelete, false]);
    const job = await waitForJobEnd(service.admin, started.jobId);
    assert.equal(pickMembers(job, 'status', 'operation', 'entityType', 'targetFqn'), [
      'COMPLETED',
      'DELETE',
      kind.entityType,
      made.fullyQualifiedName,
    ]);
    expectRefused(await service.admin.get(`${path}/${made.id}`), 404);
    const isGone = hardDelete || !kind.softDeletable;
    if (isGone) assert.is(await readStored(service, made.id), undefined);
    else assert.is(ok(await service.admin.get(`${path}/${made.id}?include=deleted`)).version, 0.2);
  }
});

each('an invalid asynchronous delete is refused before it begins', async ({ service, path, kind }) => {
  const id = strayId();
  expectRefused(
    await service.admin.delete(`${path}/async/${id}`),
    404,
    `${kind.entityType} instance for ${id} not found`,
  );
  expectRefused(await service.admin.delete(`${path}/async/nonsense`), 404);
  expectRefused(await service.admin.delete(`${path}/async/${id}?hardDelete=perhaps`), 400);
});

each(
  'a parent is deleted asynchronously only with recursive, together with its children',
  async ({ service, samples, kind, path }) => {
    const child = samples.childOf(kind);
    assert.ok(child);
    const parent = await samples.create(kind);
    const below = await samples.create(child.kind, child.place(parent));
    const sentence = `${kind.entityType} is not empty`;
    const refusal = await expectUnchanged(service, parent.id, () => service.admin.delete(`${path}/async/${parent.id}`));
    expectRefused(refusal, 400, sentence);
    const started = ok(await service.admin.delete(`${path}/async/${parent.id}?recursive=true&hardDelete=true`), 202);
    assert.is((await waitForJobEnd(service.admin, started.jobId)).status, 'COMPLETED');
    assert.is(await readStored(service, parent.id), undefined);
    assert.is(await readStored(service, below.id), undefined);
  },
  hasChildren,
);

each(
  'an asynchronous restore answers 202 and does what restore does',
  async ({ service, samples, kind, path }) => {
    const made = await samples.create(kind);
    ok(await service.admin.delete(`${path}/${made.id}`));
    for (const _again of [1, 2]) {
      const started = ok(await service.admin.put(`${path}/restore?async=true`, { id: made.id }), 202);
      assert.equal(Object.keys(started).sort(), ['jobId', 'message']);
      assert.is((await waitForJobEnd(service.admin, started.jobId)).status, 'COMPLETED');
      assert.is(ok(await service.admin.get(`${path}/${made.id}`)).version, 0.3);
    }
    const id = strayId();
    const missing = `${kind.entityType} instance for ${id} not found`;
    expectRefused(await service.admin.put(`${path}/restore?async=true`, { id }), 404, missing);
    expectRefused(await service.admin.put(`${path}/restore?async=true`, {}), 400, '[id must not be null]');
  },
  (kind) => kind.softDeletable,
);

each('a caller without rights is refused by the request', async ({ service, samples, kind, path }) => {
  const made = await samples.create(kind);
  const reply = await service.admin.put('/v1/users', { name: 'asynclooker', email: 'asynclooker@example.com' });
  assert.ok(reply.status < 300, reply.text);
  const looker = await service.as('asynclooker');
  expectRefused(await expectUnchanged(service, made.id, () => looker.delete(`${path}/async/${made.id}`)), 403);
  if (kind.softDeletable) expectRefused(await looker.put(`${path}/restore?async=true`, { id: made.id }), 403);
  const rows = [await samples.body(kind)];
  const before = await countStored(service);
  const queued = await looker.put(`${path}/bulk?async=true`, rows);
  const job = await waitForJobEnd(looker, queued.headers.get('x-job-id') ?? '');
  assert.is(job.status, 'COMPLETED', JSON.stringify(job));
  assert.equal(
    job.result.failedRequest.map((row: JsonObject) => row['status']),
    [403],
  );
  assert.equal(await countStored(service), before);
});

test.run();
