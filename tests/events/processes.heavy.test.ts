import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { waitUntil } from '../support/patience.ts';
import { openReceiver, type Receiver } from '../support/receiver.ts';
import { closeServiceAt, openService, type Service, uniqueName } from '../support/service.ts';
import { type ServiceProcess, startServiceProcess, stopServiceProcess } from '../support/service-process.ts';
import {
  createDomain,
  createSubscription,
  deleteSubscriptions,
  deliveredDescriptions,
  filterBelow,
  openDeliveringService,
  SUBSCRIPTIONS_PATH,
  webhookTo,
} from '../support/subscriptions.ts';
import { suite } from '../support/suite.ts';
import { waitForSequencing } from '../support/wait-for-events.ts';

/** Shows that two processes on one store share the deliveries, and one takes over when the other is killed. */

const test = suite('events: delivery by two processes');

const SUBSCRIPTIONS = 4;
const CHANGES = 150;

let shared: Service;
let receiver: Receiver;
let folder: string;
const running: ServiceProcess[] = [];

/** The whole service on a home of its own, with the keys that the store was set up with. */
const startProcess = async (name: string): Promise<ServiceProcess> => {
  const home = join(folder, name);
  await cp(join(process.env['TEST_HOME'] ?? '', 'keys'), join(home, 'keys'), { recursive: true });
  const process_ = await startServiceProcess(home, {
    NEO4J_URI: process.env['TEST_NEO4J_URI'] ?? '',
    NEO4J_USER: process.env['TEST_NEO4J_USER'] ?? '',
    NEO4J_PASSWORD: process.env['TEST_NEO4J_PASSWORD'] ?? '',
    WEBHOOK_ALLOW_PRIVATE: 'true',
  });
  running.push(process_);
  return process_;
};

const send = async (at: ServiceProcess, method: string, path: string, body: unknown): Promise<{ id: string }> => {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const answer = await at.ask(path, { method, headers: { 'content-type': type }, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as { id: string };
};

test.before(async () => {
  shared = await openService();
  folder = await mkdtemp(join(tmpdir(), 'tributary-two-'));
  receiver = await openReceiver();
  // Only the two processes give numbers and call receivers.
  await shared.app.dispatcher.stop();
  await shared.app.events.stop();
  await deleteSubscriptions(shared);
});

test.after(async () => {
  for (const one of running) await stopServiceProcess(one, 'SIGTERM');
  await receiver.down();
  await rm(folder, { recursive: true, force: true });
  shared.app.events.start();
  shared.app.dispatcher.start();
});

const holders = async (ids: readonly string[]): Promise<Map<string, number>> => {
  const rows = await shared.graph.query(
    'MATCH (d:Delivery) WHERE d.subscriptionId IN $ids AND d.until > timestamp() RETURN d.holder AS holder, count(d) AS held',
    { ids },
  );
  return new Map(rows.map((row) => [row['holder'] as string, row['held'] as number]));
};

const inTurn = (texts: readonly string[]): string[] => [...new Set(texts)];

test('two processes send each event once, and when one is killed the other continues without loss', async () => {
  const [first, second] = [await startProcess('one'), await startProcess('two')];
  const name = uniqueName('between');
  const paths = Array.from({ length: SUBSCRIPTIONS }, (_, at) => `/${name}/${at}`);
  const ids: string[] = [];
  for (const path of paths) {
    const body = {
      name: uniqueName('hook'),
      alertType: 'Notification',
      destinations: [webhookTo(`${receiver.address}${path}`)],
      input: filterBelow(name),
    };
    ids.push((await send(first, 'POST', SUBSCRIPTIONS_PATH, body)).id);
  }
  const { id } = await send(second, 'POST', '/v1/domains', { name, description: 'begin', domainType: 'Aggregate' });
  await waitUntil(async () => (await holders(ids)).size === 2, 'both have some of the subscriptions');
  await waitUntil(() => paths.every((path) => receiver.at(path).length === 1), 'all are told of the beginning');

  const texts = Array.from({ length: CHANGES }, (_, at) => `change ${at}`);
  const change = (at: ServiceProcess, text: string) => send(at, 'PATCH', `/v1/domains/${id}`, { description: text });
  for (const [at, text] of texts.slice(0, 50).entries()) await change(at % 2 === 0 ? first : second, text);
  await waitUntil(() => paths.every((path) => receiver.at(path).length === 51), 'all are told of everything');
  for (const path of paths)
    assert.equal(deliveredDescriptions(receiver.at(path)), ['begin', ...texts.slice(0, 50)], 'once, in order');

  receiver.react(() => ({ status: 200, afterMs: 10 }));
  const rest = texts.slice(50);
  for (const [at, text] of rest.entries()) {
    if (at === 30) await stopServiceProcess(first, 'SIGKILL');
    await change(second, text);
  }
  const isTold = (path: string) => inTurn(deliveredDescriptions(receiver.at(path))).length === CHANGES + 1;
  await waitUntil(() => paths.every(isTold), 'all are told of the rest');
  for (const path of paths) {
    const calls = deliveredDescriptions(receiver.at(path));
    assert.equal(inTurn(calls), ['begin', ...texts], `nothing lost and nothing out of order at ${path}`);
    const repeated = calls.length - CHANGES - 1;
    assert.ok(repeated < 40, `${repeated} of ${calls.length} were sent again`);
  }
  await waitUntil(
    async () => [...(await holders(ids)).values()].join() === String(SUBSCRIPTIONS),
    'the other has them all',
  );
});

test('a process that stops cleanly hands over at once, and nothing is sent twice', async () => {
  for (const one of running.splice(0)) await stopServiceProcess(one, 'SIGTERM');
  shared.app.events.start();
  const [first, second] = [await openDeliveringService(), await openDeliveringService()];
  const name = uniqueName('handed');
  const subscription = await createSubscription(first, [webhookTo(`${receiver.address}/${name}`)], {
    input: filterBelow(name),
  });
  const id = await createDomain(first, name);
  const texts = Array.from({ length: 60 }, (_, at) => `change ${at}`);
  const writing = (async () => {
    for (const text of texts) {
      await shared.admin.patch(`/v1/domains/${id}`, [{ op: 'replace', path: '/description', value: text }]);
    }
  })();
  await waitUntil(() => receiver.at(`/${name}`).length > 10, 'some are told');
  const isFirst = (await holders([subscription.id])).size > 0;
  assert.ok(isFirst);
  await first.app.dispatcher.stop();
  await waitUntil(() => receiver.at(`/${name}`).length > 30, 'it goes on elsewhere or here');
  first.app.dispatcher.start();
  await second.app.dispatcher.stop();
  await writing;
  await waitForSequencing(shared);
  await waitUntil(() => receiver.at(`/${name}`).length >= 61, 'all are told');
  assert.equal(deliveredDescriptions(receiver.at(`/${name}`)), ['Told of.', ...texts]);
  await closeServiceAt(first);
  await closeServiceAt(second);
});

test.run();
