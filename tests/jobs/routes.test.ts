/** Shows that jobs can be listed, read, cancelled and watched at both addresses (csv.md 8). */

import { randomUUID } from 'node:crypto';
import type { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import type { StreamListener } from '../../src/access/listener.ts';
import { SYSTEM_PRINCIPAL } from '../../src/access/service-identity.ts';
import type { Job } from '../../src/jobs/job.ts';
import type { JobWork, OperationOutcome } from '../../src/jobs/job-operation.ts';
import { watchJob } from '../../src/jobs/routes.ts';
import { createPerson, expectRefused, ok } from '../support/expect.ts';
import { createSignal } from '../support/hold-point.ts';
import { pickMembers, waitForJob, waitForJobEnd } from '../support/job.ts';
import { waitUntil } from '../support/patience.ts';
import { createRightsFactory } from '../support/rights.ts';
import { type Client, openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { openTestQueue, type TestQueue } from '../support/test-queue.ts';

const test = suite('jobs: routes');

let service: Service;
let queue: TestQueue;

test.before(async () => {
  service = await openService();
});

test.beforeEach(() => {
  queue = openTestQueue(service, service.app.engine.jobs);
});

const BASES = ['/v1/jobs', '/v1/csvAsyncJobs'];

const withRunner = async (
  run: (work: JobWork) => Promise<OperationOutcome>,
  body: () => Promise<void>,
): Promise<void> => {
  const runner = queue.runner({ restart: 'resume', run });
  runner.start();
  try {
    await body();
  } finally {
    await runner.stop();
  }
};

/** Goes on until it is told to stop. */
const endless = async (work: JobWork): Promise<OperationOutcome> => {
  for (const progress of [1, 2]) await work.save({ progress, total: 1000 });
  await waitUntil(() => {
    work.check();
    return false;
  }, 'it is told to stop');
  return {};
};

const MEMBERS = [
  'cancelRequested',
  'createdAt',
  'createdBy',
  'dryRun',
  'entityType',
  'jobId',
  'logs',
  'operation',
  'progress',
  'recursive',
  'status',
  'targetFqn',
  'updatedAt',
];

test('a queued job has exactly the members of the contract', async () => {
  const jobId = await queue.submit();
  for (const base of BASES) {
    const job = ok(await service.admin.get(`${base}/${jobId}`));
    assert.equal(Object.keys(job).sort(), MEMBERS);
    assert.equal(pickMembers(job, 'jobId', 'status', 'progress', 'cancelRequested', 'logs'), [
      jobId,
      'QUEUED',
      0,
      false,
      [],
    ]);
    assert.equal(ok(await service.admin.get(`${base}/${jobId.toUpperCase()}`)).jobId, jobId);
  }
  ok(await service.admin.put(`/v1/jobs/${jobId}/cancel`, undefined));
});

test('a user lists their own jobs, newest first, in pages or as a plain list', async () => {
  const name = uniqueName('owner');
  const owner = await createPerson(service, name);
  assert.equal(ok(await owner.get('/v1/jobs')), { data: [], paging: { total: 0 } });
  const jobIds: string[] = [];
  for (let at = 0; at < 5; at += 1) jobIds.unshift(await queue.submit({ person: name }));
  const idsOf = (jobs: readonly { jobId: string }[]) => jobs.map((job) => job.jobId);
  const all = ok(await owner.get('/v1/jobs'));
  assert.equal([idsOf(all.data), all.paging], [jobIds, { total: 5 }]);
  assert.equal(idsOf(ok(await owner.get('/v1/csvAsyncJobs'))), jobIds);
  assert.equal(idsOf(ok(await owner.get('/v1/csvAsyncJobs?limit=2'))), jobIds.slice(0, 2));
  const first = ok(await owner.get('/v1/jobs?limit=3'));
  assert.equal([idsOf(first.data), first.paging.total], [jobIds.slice(0, 3), 5]);
  const second = ok(await owner.get(`/v1/jobs?limit=3&after=${first.paging.after}`));
  assert.equal([idsOf(second.data), second.paging], [jobIds.slice(3), { total: 5 }]);
  const theirs = new Set(idsOf(ok(await service.admin.get('/v1/jobs?limit=100')).data));
  assert.ok(jobIds.every((jobId) => !theirs.has(jobId)));
  for (const base of BASES) {
    for (const limit of ['0', '101', '-1', 'x']) expectRefused(await owner.get(`${base}?limit=${limit}`), 400, /limit/);
  }
  expectRefused(await owner.get('/v1/jobs?after=nonsense'), 400, 'Invalid cursor');
  for (const jobId of jobIds) await queue.jobs.cancel(jobId);
});

test('the creator and administrators may read a job; others get 403, an unknown job is 404', async () => {
  const name = uniqueName('creator');
  const clients: [Client, number][] = [
    [await createPerson(service, name), 200],
    [service.admin, 200],
    [await createPerson(service, uniqueName('robot'), { isBot: true }), 403],
    [await createPerson(service, uniqueName('stranger')), 403],
  ];
  const jobId = await queue.submit({ person: name });
  for (const base of BASES) {
    for (const [client, status] of clients) {
      const replies = [await client.get(`${base}/${jobId}`), await client.put(`${base}/${jobId}/cancel`, undefined)];
      for (const reply of replies) status === 200 ? ok(reply) : expectRefused(reply, status);
      const result = await client.get(`${base}/${jobId}/result`);
      expectRefused(result, status === 200 ? 400 : status);
    }
    for (const missing of [randomUUID(), 'nonsense', '1']) {
      expectRefused(await service.admin.get(`${base}/${missing}`), 404);
      expectRefused(await service.admin.get(`${base}/${missing}/result`), 404);
      expectRefused(await service.admin.put(`${base}/${missing}/cancel`, undefined), 404);
    }
  }
  expectRefused(await service.admin.get(`/v1/jobs/${randomUUID()}/events`), 404);
  const [stranger] = clients[3] ?? [];
  expectRefused((await stranger?.get(`/v1/jobs/${jobId}/events`)) as never, 403);
});

test('the right to view everything does not include jobs of others, and a rule that names jobs does', async () => {
  const rights = createRightsFactory(service);
  const jobId = await queue.submit();
  const all = await rights.person([{ operations: ['ViewAll', 'EditAll'] }]);
  const named = await rights.person([{ operations: ['ViewAll'], resources: ['job'] }]);
  const denied = await rights.person([
    { operations: ['ViewAll'], resources: ['job'] },
    { effect: 'deny', operations: ['ViewAll'], resources: ['all'] },
  ]);
  for (const base of BASES) {
    for (const who of [all, denied]) {
      for (const path of [`${base}/${jobId}`, `${base}/${jobId}/result`]) expectRefused(await who.get(path), 403);
      expectRefused(await who.put(`${base}/${jobId}/cancel`, undefined), 403);
    }
    ok(await named.get(`${base}/${jobId}`));
    expectRefused(await named.get(`${base}/${jobId}/result`), 400);
    expectRefused(await named.put(`${base}/${jobId}/cancel`, undefined), 403);
  }
  expectRefused(await all.get(`/v1/jobs/${jobId}/events`), 403);
  const { permissions } = ok(await all.get('/v1/permissions/job'));
  const view = permissions.find(({ operation }: { operation: string }) => operation === 'ViewAll');
  assert.is(view.access, 'notAllow');
  await queue.jobs.cancel(jobId);
});

test('cancelling ends a queued job at once and a running one between rows, and keeps a finished one', async () => {
  const waiting = await queue.submit();
  assert.equal(
    pickMembers(ok(await service.admin.put(`/v1/jobs/${waiting}/cancel`, undefined)), 'status', 'cancelRequested'),
    ['CANCELLED', true],
  );
  await withRunner(endless, async () => {
    const jobId = await queue.submit();
    await waitForJob(service.admin, jobId, (job) => job.progress > 1);
    const asked = ok(await service.admin.put(`/v1/csvAsyncJobs/${jobId}/cancel`, undefined));
    assert.ok(['CANCELLING', 'CANCELLED'].includes(asked.status), asked.status);
    assert.is(asked.cancelRequested, true);
    const job = await waitForJobEnd(service.admin, jobId);
    assert.is(job.status, 'CANCELLED');
    assert.ok(job.progress > 1 && job.completedAt >= job.createdAt);
    const again = ok(await service.admin.put(`/v1/jobs/${jobId}/cancel`, undefined));
    assert.equal(again, job);
    expectRefused(await service.admin.get(`/v1/jobs/${jobId}/result`), 400);
  });
});

test('a job that finishes before its cancellation is COMPLETED', async () => {
  const run = async (work: JobWork) => {
    await waitForJob(service.admin, work.job.jobId, (job) => job.status === 'CANCELLING');
    return { message: 'Faster' };
  };
  await withRunner(run, async () => {
    const jobId = await queue.submit();
    await waitForJob(service.admin, jobId, (job) => job.status === 'RUNNING');
    ok(await service.admin.put(`/v1/jobs/${jobId}/cancel`, undefined));
    assert.equal(pickMembers(await waitForJobEnd(service.admin, jobId), 'status', 'message'), ['COMPLETED', 'Faster']);
  });
});

test('a long result is returned completely and in order as a value, as text and on its own route', async () => {
  const item = 'é"\\\n😀'.repeat(20_000);
  const run = async (work: JobWork) => {
    await work.save({ pieces: [{ part: 'result1', position: 0, text: '{"items":[' }] });
    for (let at = 0; at < 12; at += 1) {
      const text = `${at === 0 ? '' : ','}${JSON.stringify(`${at} ${item}`)}`;
      await work.save({ progress: at + 1, pieces: [{ part: 'result2', position: at, text }] });
    }
    await work.save({ pieces: [{ part: 'result3', position: 0, text: ']}' }] });
    return { resultType: 'application/json' };
  };
  await withRunner(run, async () => {
    const jobId = await queue.submit();
    const job = await waitForJobEnd(service.admin, jobId);
    const expected = { items: Array.from({ length: 12 }, (_, at) => `${at} ${item}`) };
    assert.equal(job.result, expected);
    assert.equal(JSON.parse(ok(await service.admin.get(`/v1/csvAsyncJobs/${jobId}`)).result), expected);
    const reply = await service.admin.get(`/v1/jobs/${jobId}/result`);
    assert.equal(reply.json, expected);
    assert.is(reply.headers.get('content-type'), 'application/json');
    expectRefused(await service.admin.get(`/v1/csvAsyncJobs/${jobId}/result`), 400, /not an export/);
    const [listed] = ok(await service.admin.get('/v1/jobs?limit=1')).data;
    assert.equal([listed.jobId, 'result' in listed], [jobId, false]);
  });
});

/** Changes a stored job as its runner does. */
const save = (jobId: string, change: string): Promise<unknown> =>
  service.graph.query(`MATCH (job:Job {jobId: $jobId}) SET job.${change}, job.updatedAt = job.updatedAt + 1`, {
    jobId,
  });

/** The events of a stream as they come, until it ends or enough were seen. */
const eventsOf = async (reply: Response, enough = Number.POSITIVE_INFINITY) => {
  const events: { event: string; data: Record<string, unknown> }[] = [];
  const decoder = new TextDecoder();
  let text = '';
  const reader = (reply.body as ReadableStream<Uint8Array>).getReader();
  while (events.length < enough) {
    const { done, value } = await reader.read();
    if (done) return events;
    text += decoder.decode(value, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const found = /^event: (\w+)\ndata: (.*)$/.exec(block);
      if (found) events.push({ event: found[1] ?? '', data: JSON.parse(found[2] ?? '') });
    }
  }
  await reader.cancel();
  return events;
};

const watch = async (jobId: string): Promise<Response> =>
  service.app.hono.request(`/v1/jobs/${jobId}/events`, {
    headers: { authorization: `Bearer ${await service.token('admin')}` },
  });

test('an event stream has progress, then the outcome, and ends', async () => {
  const enough = createSignal();
  const run = async (work: JobWork) => {
    for (const progress of [1, 2]) await work.save({ progress });
    await enough.given;
    return { message: 'Done' };
  };
  await withRunner(run, async () => {
    const jobId = await queue.submit();
    const reply = await watch(jobId);
    assert.is(reply.status, 200);
    assert.match(reply.headers.get('content-type') ?? '', /^text\/event-stream/);
    const coming = eventsOf(reply);
    await waitForJob(service.admin, jobId, ({ progress }) => progress > 1).finally(enough.give);
    const events = await coming;
    const last = events.at(-1);
    assert.equal([last?.event, last?.data['status']], ['done', 'COMPLETED']);
    const progress = events.slice(0, -1);
    assert.ok(progress.length > 0);
    assert.ok(progress.every(({ event, data }) => event === 'progress' && data['jobId'] === jobId));
    const after = await eventsOf(await watch(jobId));
    assert.equal(
      after.map(({ event }) => event),
      ['done'],
    );
  });
});

test('an event stream has each state that it meets once, at most twice a second', async () => {
  const jobId = await queue.submit();
  const first = await queue.jobs.read(jobId);
  if (!first) throw new Error('there is no such job');
  const steps: ((job: string) => Promise<unknown>)[] = [
    (job) => save(job, 'progress = 1'),
    () => Promise.resolve(),
    (job) => save(job, 'progress = 2'),
    (job) => save(job, `end = '5 {"status":"COMPLETED"}'`),
  ];
  const leaving = new AbortController();
  const waits: unknown[] = [];
  const wait = (async (ms?: number) => {
    waits.push(ms);
    const step = steps[waits.length - 1];
    if (step) await step(jobId);
    else leaving.abort();
  }) as typeof sleep;
  const render = async (_principal: unknown, { progress, status }: Job) => ({ progress, status, waits: waits.length });
  const told: unknown[] = [];
  const listener = { expiresAt: undefined, currentPrincipal: async () => SYSTEM_PRINCIPAL };
  const source = watchJob(queue.jobs, first, { listener, clock: Date.now, render }, wait);
  for await (const event of source(leaving.signal)) told.push('data' in event && event.data);
  assert.equal(told, [
    { progress: 0, status: 'QUEUED', waits: 0 },
    { progress: 1, status: 'QUEUED', waits: 1 },
    { progress: 2, status: 'QUEUED', waits: 3 },
    { progress: 2, status: 'COMPLETED', waits: 4 },
  ]);
  assert.equal(waits, [500, 500, 500, 500]);
});

test('an event stream ends with the token of whoever watches, or when it is not accepted any more', async () => {
  const jobId = await queue.submit();
  const first = await queue.jobs.read(jobId);
  if (!first) throw new Error('there is no such job');
  const render = async ({ name }: { readonly name: string }) => ({ name });
  const watchUntil = async (currentPrincipal: StreamListener['currentPrincipal'], clock: () => number) => {
    const told: unknown[] = [];
    const wait = (async () => save(jobId, 'progress = 1')) as unknown as typeof sleep;
    const source = watchJob(queue.jobs, first, { listener: { expiresAt: 3, currentPrincipal }, clock, render }, wait);
    for await (const event of source(new AbortController().signal)) told.push('data' in event && event.data);
    return told;
  };
  let now = 0;
  const [mine, expired] = [{ name: SYSTEM_PRINCIPAL.name }, { reason: 'The token has expired' }];
  const ticking = () => {
    now += 1;
    return now;
  };
  assert.equal(await watchUntil(async () => SYSTEM_PRINCIPAL, ticking), [mine, mine, expired]);
  let asked = 0;
  const once = async () => {
    asked += 1;
    return asked > 1 ? undefined : SYSTEM_PRINCIPAL;
  };
  assert.equal(await watchUntil(once, () => 0), [mine, { reason: 'The token is not accepted any more' }]);
});

test('a sixth event stream of one user is refused until another one ends', async () => {
  await withRunner(endless, async () => {
    const jobId = await queue.submit();
    const streams = await Promise.all([1, 2, 3, 4, 5].map(() => watch(jobId)));
    const sixth = await watch(jobId);
    assert.is(sixth.status, 429);
    assert.is(((await sixth.json()) as { errorType: string }).errorType, 'TOO_MANY_REQUESTS');
    await streams[0]?.body?.cancel();
    const next = await watch(jobId);
    assert.is(next.status, 200);
    for (const stream of [...streams.slice(1), next]) await stream.body?.cancel();
    ok(await service.admin.put(`/v1/jobs/${jobId}/cancel`, undefined));
  });
});

test.run();
