import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { startEmbeddedServer } from '../../src/graph/embedded/server.ts';
import { createLease } from '../../src/graph/lease.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { waitForJobEnd } from '../support/job.ts';
import { waitUntil } from '../support/patience.ts';
import { copyPreparedHome } from '../support/prepared-home.ts';
import { openReceiver, type Receiver } from '../support/receiver.ts';
import {
  anonymous,
  type Client,
  closeServiceAt,
  openServiceAt,
  type Place,
  type Service,
  withToken,
} from '../support/service.ts';
import {
  createDomain,
  createSubscription,
  FAST_DELIVERY,
  filterBelow,
  updateDescription,
  webhookTo,
} from '../support/subscriptions.ts';
import { suite } from '../support/suite.ts';
import { waitForSequencing } from '../support/wait-for-events.ts';

/**
 * Shows that setting the clock of the service or the database an hour ahead or back breaks neither order nor expiry.
 */

const test = suite('faults: clocks that jump');

const HOUR_MS = 3_600_000;
const DAY_SECONDS = 86_400;
const LEASE_MS = 1500;
/** No two statements are as far apart. */
const LONG_LEASE_MS = 600_000;
const RETRY_MS = 1500;
const BOUNDS = {
  jobs: { leaseMs: LEASE_MS, beatMs: 200, pollMs: 50, idlePollMs: 100, sweepMs: 300 },
  events: {
    dispatcher: { ...FAST_DELIVERY, leaseMs: LEASE_MS, retryMs: [RETRY_MS, RETRY_MS] },
    tail: { pollMs: 20 },
    sequencer: { leaseMs: LEASE_MS, beatMs: 200 },
  },
} as const;

let folder: string;
let stop: () => Promise<void>;
let receiver: Receiver;
let place: Place;
/** Its clock can be set. */
let service: Service;
/** Another process on the same store, whose clock is right. */
let other: Service;
let admin: Client;
let aheadMs = 0;

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-clock-'));
  const home = join(folder, 'home');
  await copyPreparedHome(home);
  const server = await startEmbeddedServer({ home, heap: '512m', pagecache: '64m', report: () => {} });
  stop = server.stop;
  receiver = await openReceiver();
  const { uri, user, password } = server;
  place = { home, uri, user, password, env: { WEBHOOK_ALLOW_PRIVATE: 'true' } };
  service = await openServiceAt({ ...place, clock: () => Date.now() + aheadMs }, BOUNDS);
  other = await openServiceAt(place);
  // Only the service whose clock jumps delivers and does jobs.
  await other.app.dispatcher.stop();
  await other.app.runner.stop();
  admin = withToken(service, await service.token('admin', { ttlSeconds: DAY_SECONDS }));
});

test.beforeEach(() => {
  aheadMs = 0;
});

test.after(async () => {
  await closeServiceAt(service);
  await closeServiceAt(other);
  await receiver.down();
  await stop();
  await rm(folder, { recursive: true, force: true });
});

test('updatedAt never goes back, and events keep the order of their record without a gap', async () => {
  const id = await createDomain(other);
  const texts: string[] = [];
  let last = 0;
  for (const [at, ahead] of [0, HOUR_MS, -HOUR_MS, HOUR_MS, 0, -HOUR_MS].entries()) {
    aheadMs = ahead;
    texts.push(`told ${at}`);
    const operations = [{ op: 'replace', path: '/description', value: `told ${at}` }];
    const { updatedAt } = ok(await admin.patch(`/v1/domains/${id}`, operations));
    assert.ok(updatedAt >= last, `${updatedAt} after ${last}`);
    last = updatedAt;
  }
  await waitForSequencing(other);
  const events = await other.graph.query(
    'MATCH (e:ChangeEvent) WHERE e.entityId = $id RETURN e.seq AS seq, e.json AS json ORDER BY e.seq',
    { id },
  );
  const told = events.map((event) => JSON.parse(event['json'] as string).entity.description as string);
  assert.equal(told.slice(1), texts);
  const [all] = await other.graph.query(
    'MATCH (e:ChangeEvent) RETURN count(e) AS events, count(DISTINCT e.seq) AS numbers, max(e.seq) AS last',
  );
  assert.equal([all?.['events'], all?.['numbers']], [all?.['last'], all?.['last']]);
});

test('a token is valid for its own lifetime, even if issued by a clock that is ahead', async () => {
  const client = withToken(service, await service.token('admin', { ttlSeconds: 1800 }));
  aheadMs = -HOUR_MS;
  ok(await client.get('/v1/users/name/admin'));
  aheadMs = HOUR_MS;
  expectRefused(await client.get('/v1/users/name/admin'), 401, undefined, 'UNAUTHORIZED');
  aheadMs = 0;
  ok(await client.get('/v1/users/name/admin'));
});

test('a user removed in another process is not admitted while the clock is behind', async () => {
  const { id } = ok(await other.admin.post('/v1/users', { name: 'leaver', email: 'leaver@tributary.example' }), 201);
  const leaver = await service.as('leaver');
  ok(await leaver.get('/v1/domains'));
  aheadMs = -HOUR_MS;
  ok(await other.admin.delete(`/v1/users/${id}?hardDelete=true`));
  await waitUntil(async () => (await leaver.get('/v1/domains')).status === 401, 'the service has seen it');
});

test('a revoked right stays revoked while the clock is behind', async () => {
  const user = ok(await other.admin.post('/v1/users', { name: 'loser', email: 'loser@tributary.example' }), 201);
  const loser = await service.as('loser');
  const body = (name: string) => ({ name, description: 'Tried.', domainType: 'Aggregate' });
  const make = [{ op: 'add', path: '/isAdmin', value: true }];
  ok(await other.admin.patch(`/v1/users/${user.id}`, make));
  let turn = 0;
  const tried = async () => {
    turn += 1;
    return (await loser.post('/v1/domains', body(`tried_${turn}`))).status;
  };
  await waitUntil(async () => (await tried()) === 201, 'the right is seen');
  aheadMs = -HOUR_MS;
  ok(await other.admin.patch(`/v1/users/${user.id}`, [{ op: 'replace', path: '/isAdmin', value: false }]));
  await waitUntil(async () => (await tried()) === 403, 'the loss is seen');
});

test('a logged-out token stays invalid, even if old entries were removed while the clock was ahead', async () => {
  ok(await other.admin.post('/v1/users', { name: 'parting', email: 'parting@tributary.example' }), 201);
  const token = await service.token('parting', { ttlSeconds: 1800 });
  const parting = withToken(service, token);
  ok(await parting.get('/v1/domains'));
  ok(await parting.post('/v1/users/logout', { token }));
  expectRefused(await parting.get('/v1/domains'), 401, undefined, 'UNAUTHORIZED');
  aheadMs = HOUR_MS;
  // Two rounds of what is removed now and then.
  await sleep(1000);
  aheadMs = 0;
  await sleep(1500);
  expectRefused(await parting.get('/v1/domains'), 401, undefined, 'UNAUTHORIZED');
});

test('a failed webhook is retried after its delay, whatever the clock is set to meanwhile', async () => {
  const name = 'retried';
  const id = await createDomain(service, name);
  await createSubscription(service, [webhookTo(`${receiver.address}/retried`)], {
    input: filterBelow(name),
    retries: 2,
  });
  await updateDescription(service, id, 'told at once');
  await waitUntil(() => receiver.at('/retried').length > 0, 'the subscription is delivered');
  receiver.react(() => 500);
  await updateDescription(service, id, 'refused at first');
  const calls = () => receiver.at('/retried').filter(({ body }) => body.includes('refused at first')).length;
  await waitUntil(() => calls() === 1, 'it was tried once');
  aheadMs = -HOUR_MS;
  receiver.react(() => 200);
  await waitUntil(() => calls() === 2, 'it is tried again');
});

/** What the clock of the database being set does to a store: every time in it lies that much further away. */
const shift = (label: string, property: string, key: string, value: string, ms: number) =>
  other.graph.query(`MATCH (n:${label} {${key}: $value}) SET n.${property} = n.${property} + toInteger($ms)`, {
    value,
    ms,
  });

const leasesOf = (name: string, leaseMs: number) => {
  const [holder, rival] = [service, other].map(({ graph }) => createLease(graph, name, leaseMs));
  if (!holder || !rival) throw new Error('there are two processes');
  return { holder, rival };
};

test('a lease is not stolen when the database clock is set back', async () => {
  const name = 'set back';
  const { holder, rival } = leasesOf(name, LONG_LEASE_MS);
  assert.ok(await holder.claim());
  await shift('Lease', 'until', 'name', name, HOUR_MS);
  assert.not.ok(await rival.claim(), 'it was stolen');
  assert.ok(await holder.claim(), 'its holder lost it');
});

test('a lease is not stuck when the database clock is set back', async () => {
  const name = 'set back and left';
  const { holder, rival } = leasesOf(name, LEASE_MS);
  assert.ok(await holder.claim());
  await shift('Lease', 'until', 'name', name, HOUR_MS);
  await waitUntil(() => rival.claim(), 'it is free when its holder says nothing');
});

test('when the database clock is set ahead, the former holder of a lease notices with its next renewal', async () => {
  const name = 'set ahead';
  const { holder, rival } = leasesOf(name, LONG_LEASE_MS);
  assert.ok(await holder.claim());
  await shift('Lease', 'until', 'name', name, -HOUR_MS);
  assert.ok(await rival.claim());
  assert.not.ok(await holder.claim());
  assert.not.ok(holder.isHeld());
});

test('a job whose process died before the database clock was set back is taken over', async () => {
  await service.app.runner.stop();
  const rows = [{ name: 'left behind', description: 'Left.', domainType: 'Aggregate' }];
  const reply = await service.admin.put('/v1/domains/bulk?async=true', rows);
  assert.is(reply.status, 202, reply.text);
  const jobId = reply.headers.get('x-job-id') ?? '';
  await other.graph.query(
    `MATCH (job:Job {jobId: $jobId}) SET job.status = 'RUNNING', job.claim = 'gone', job.attempts = 1,
     job.leaseMs = $leaseMs, job.leaseUntil = timestamp() + $leaseMs`,
    { jobId, leaseMs: LEASE_MS },
  );
  await shift('Job', 'leaseUntil', 'jobId', jobId, HOUR_MS);
  service.app.runner.start();
  assert.is((await waitForJobEnd(service.admin, jobId)).status, 'COMPLETED');
});

test('deliveries continue though their process died before the database clock was set back', async () => {
  const name = 'delivered';
  const id = await createDomain(service, name);
  const { id: subscriptionId } = await createSubscription(service, [webhookTo(`${receiver.address}/later`)], {
    input: filterBelow(name),
  });
  await updateDescription(service, id, 'told at once');
  await waitUntil(() => receiver.at('/later').length > 0, 'the subscription is delivered');
  await service.app.dispatcher.stop();
  const gone = 'MATCH (d:Delivery {subscriptionId: $id}) SET d.holder = "gone", d.until = timestamp() + $leaseMs';
  await other.graph.query(gone, { id: subscriptionId, leaseMs: LEASE_MS });
  await shift('Delivery', 'until', 'subscriptionId', subscriptionId, HOUR_MS);
  // Another process that was there, and is counted among those that share the work.
  await other.graph.query(
    `MERGE (l:Lease {name: 'deliverer gone'}) SET l.holder = 'gone', l.forMs = $leaseMs, l.until = timestamp() + $ms`,
    { leaseMs: LEASE_MS, ms: HOUR_MS },
  );
  service.app.dispatcher.start();
  await updateDescription(service, id, 'told later');
  const isTold = () => receiver.at('/later').some(({ body }) => body.includes('told later'));
  await waitUntil(isTold, 'it is delivered');
});

test('the health probes need no token, whatever the clock says', async () => {
  for (aheadMs of [HOUR_MS, -HOUR_MS]) ok(await anonymous(service).get('/v1/system/health'));
});

test.run();
