import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { startEmbeddedServer } from '../../src/graph/embedded/server.ts';
import { ok } from '../support/expect.ts';
import { waitFor, waitUntil } from '../support/patience.ts';
import { copyPreparedHome } from '../support/prepared-home.ts';
import { type Program, runProgram } from '../support/program.ts';
import { openReceiver, type Receiver } from '../support/receiver.ts';
import { closeServiceAt, openServiceAt, type Place, type Service } from '../support/service.ts';
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
import { countTables, createWideSchema, tableRows } from '../support/wide-schema.ts';

/** Shows that another process takes over when one stands still for longer than its leases last. */

const test = suite('faults: stalled process');

const LEASE_MS = 2000;
const STALL_MS = 4 * LEASE_MS;
const TABLES = 600;
const BOUNDS = {
  jobs: { leaseMs: LEASE_MS, beatMs: 300, pollMs: 50, idlePollMs: 200 },
  events: {
    dispatcher: { ...FAST_DELIVERY, leaseMs: LEASE_MS },
    tail: { pollMs: 20 },
    sequencer: { leaseMs: LEASE_MS, beatMs: 200 },
  },
} as const;

let folder: string;
let stop: () => Promise<void>;
let receiver: Receiver;
let service: Service;
let stalled: Program;

const holderOf = async (query: string, params: Record<string, unknown> = {}): Promise<unknown> =>
  (await service.graph.query(query, params))[0]?.['holder'];

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-stall-'));
  const home = join(folder, 'home');
  await copyPreparedHome(home);
  const server = await startEmbeddedServer({ home, heap: '512m', pagecache: '64m', report: () => {} });
  stop = server.stop;
  receiver = await openReceiver();
  const { uri, user, password } = server;
  const place: Place = { home, uri, user, password, env: { WEBHOOK_ALLOW_PRIVATE: 'true' } };
  service = await openServiceAt(place, BOUNDS);
  // Everything is the other process's at first.
  await service.app.runner.stop();
  await service.app.dispatcher.stop();
  await service.app.events.stop();
  stalled = runProgram('hold-service.ts', JSON.stringify({ place, bounds: BOUNDS }));
  await stalled.line('ready');
});

test.after(async () => {
  await stalled.kill();
  await closeServiceAt(service);
  await receiver.down();
  await stop();
  await rm(folder, { recursive: true, force: true });
});

test('the work of a stalled process is taken over and done once, in order and without loss', async () => {
  const name = 'watched';
  const id = await createDomain(service, name);
  const { id: subscriptionId } = await createSubscription(service, [webhookTo(`${receiver.address}/told`)], {
    input: filterBelow(name),
  });
  const texts = ['begun'];
  const change = async (text: string) => {
    texts.push(text);
    await updateDescription(service, id, text);
  };
  await updateDescription(service, id, 'begun');
  const told = () =>
    receiver.at('/told').map(({ event }) => String(event.changeDescription?.fieldsUpdated?.[0]?.newValue));
  await waitUntil(() => told().includes('begun'), 'the other process delivers');

  const { schema } = await createWideSchema(service.admin, 0);
  const reply = await service.admin.put('/v1/tables/bulk?async=true', tableRows(schema, TABLES));
  assert.is(reply.status, 202, reply.text);
  const jobId = reply.headers.get('x-job-id') ?? '';
  await waitUntil(async () => ok(await service.admin.get(`/v1/jobs/${jobId}`)).progress > 0, 'the job runs');

  const deliverer = 'MATCH (d:Delivery {subscriptionId: $id}) RETURN d.holder AS holder';
  const sequencer = "MATCH (l:Lease {name: 'sequence of events'}) RETURN l.holder AS holder";
  const before = [await holderOf(deliverer, { id: subscriptionId }), await holderOf(sequencer)];
  service.app.events.start();
  service.app.dispatcher.start();
  service.app.runner.start();
  stalled.process.kill('SIGSTOP');
  const isTaken = (query: string, holder: unknown) => async () =>
    ![holder, null].includes((await holderOf(query, { id: subscriptionId })) as string | null);
  // Looked for from the beginning: a process that is well again may take its share back.
  const takenOver = Promise.all([
    waitUntil(isTaken(deliverer, before[0]), 'another process delivers'),
    waitUntil(isTaken(sequencer, before[1]), 'another process gives numbers'),
  ]);
  const startedMs = performance.now();
  for (let turn = 0; performance.now() - startedMs < STALL_MS * 1.5 || turn < 60; turn += 1) {
    await change(`change ${turn}`);
  }
  // It stands still until others have its work, however slow they are.
  await takenOver;
  stalled.process.kill('SIGCONT');
  // Both are well again, and go on side by side.
  for (let turn = 0; turn < 30; turn += 1) await change(`afterwards ${turn}`);
  await waitUntil(() => told().includes('afterwards 29'), 'all is delivered');

  const calls = told().filter((text) => texts.includes(text));
  const once = calls.filter((text, at) => calls.indexOf(text) === at);
  assert.equal(once, texts, 'nothing lost, and in order');
  // At least once: what was on its way when a process lost it is sent again, and nobody goes back again and again.
  const places = calls.map((text) => texts.indexOf(text));
  const steps = places.filter((place, at) => place <= (places[at - 1] ?? -1));
  assert.ok(steps.length <= 3, `deliveries went back ${steps.length} times: two processes act at once`);
  assert.ok(calls.length - once.length < 20, `${calls.length - once.length} of ${calls.length} were sent again`);
});

test('the job of a stalled process is completed, and every row is written once', async () => {
  const [{ jobId } = { jobId: '' }] = ok(await service.admin.get('/v1/jobs?limit=1')).data;
  const read = async () => ok(await service.admin.get(`/v1/jobs/${jobId}`));
  const done = await waitFor(read, ({ status }) => !['QUEUED', 'RUNNING'].includes(status), 'the job is over');
  assert.is(done.status, 'COMPLETED');
  assert.equal([done.result.numberOfRowsPassed, done.result.numberOfRowsFailed], [TABLES, 0]);
  const [schema] = await service.graph.query('MATCH (n:DatabaseSchema) RETURN n.fullyQualifiedName AS name');
  const made = { alive: TABLES, hidden: 0, versions: [0.1], kept: [0], events: TABLES };
  assert.equal(await countTables(service, String(schema?.['name']), 'entityCreated'), made);
});

test('events are numbered in the order of each record, without gaps or duplicates', async () => {
  const last = await waitForSequencing(service);
  const [all] = await service.graph.query(
    'MATCH (e:ChangeEvent) RETURN count(e) AS events, count(DISTINCT e.seq) AS numbers, max(e.seq) AS last',
  );
  assert.equal([all?.['events'], all?.['numbers'], all?.['last']], [last, last, last]);
  const events = await service.graph.query(
    'MATCH (e:ChangeEvent) WITH e ORDER BY e.seq WITH e.entityId AS id, collect(e.revision) AS revisions RETURN revisions',
  );
  for (const { revisions } of events) {
    const given = revisions as number[];
    assert.equal(
      given,
      [...given].sort((one, two) => one - two),
    );
  }
});

test.run();
