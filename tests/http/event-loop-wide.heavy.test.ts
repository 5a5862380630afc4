import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { type Attack, type HeldService, openHeldService } from '../support/loop-attacks.ts';
import { openReceiver, type Receiver } from '../support/receiver.ts';
import { createRightsFactory } from '../support/rights.ts';
import { type CreatedRecord, createSamples, type Samples } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { deleteSubscriptions, SUBSCRIPTIONS_PATH, webhookTo } from '../support/subscriptions.ts';
import { suite } from '../support/suite.ts';

/**
 * Shows that work on tables with very many columns does not block the main thread: jobs, deletions, callers with
 * conditional rights, listeners, deliveries and search maintenance.
 */
const test = suite('http: wide records and the event loop');

let service: Service;
let samples: Samples;
let held: HeldService;
let receiver: Receiver;
let restricted: string;
let schema: CreatedRecord;
/** A table of 20,000 columns, and one of half as many that jobs work on. */
let wide: CreatedRecord;
let half: CreatedRecord;
const hangingUp = new AbortController();

const json = (value: unknown): string => JSON.stringify(value);
const columns = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    name: `c${at}`,
    dataType: 'INT',
    description: 'One of very many.',
    tags: at % 100 === 0 ? [{ tagFQN: 'PII.None' }] : [],
  }));

const bodyOf = (name: string, count: number) => ({
  name,
  databaseSchema: schema.fullyQualifiedName,
  columns: columns(count),
});

const make = async (name: string, count: number): Promise<CreatedRecord> => {
  const { status, text } = await held.send({ method: 'PUT', path: '/v1/tables', body: json(bodyOf(name, count)) });
  assert.is(status, 201, text.slice(0, 200));
  return JSON.parse(text) as CreatedRecord;
};

/** What a listener has been told of so far, by the end of the text. */
let told = '';

/** Reads a stream of events until the test is over, as listeners do. */
const listen = async (token: string): Promise<void> => {
  const headers = { authorization: `Bearer ${token}` };
  const { signal } = hangingUp;
  const response = await fetch(`${held.address}/v1/events/stream?scope=events`, { headers, signal });
  assert.is(response.status, 200);
  const hear = async () => {
    const decoder = new TextDecoder();
    for await (const piece of response.body ?? []) told += decoder.decode(piece as Uint8Array, { stream: true });
  };
  hear().catch(() => {});
};

/** Waits until something is the case that happens after an answer. */
const until = async (what: string, is: () => boolean): Promise<void> => {
  const deadline = performance.now() + 60_000;
  while (!is()) {
    if (performance.now() > deadline) throw new Error(`${what} did not happen`);
    await pause(20);
  }
};

test.before(async () => {
  service = await openService();
  samples = createSamples(service);
  await deleteSubscriptions(service);
  // Whatever goes on by itself is left to the service that is measured.
  await Promise.all([service.app.runner.stop(), service.app.dispatcher.stop(), service.app.notifications.stop()]);
  const { name } = await samples.create('user', { isAdmin: true });
  held = await openHeldService(await service.token(name));
  const rights = createRightsFactory(service);
  const operations = ['ViewAll', 'ViewBasic'];
  const hidden = { effect: 'deny', operations, condition: "matchAnyTag('PII.Sensitive')" } as const;
  const person = await rights.person([hidden, { operations: ['EditAll', 'Delete'] }]);
  restricted = await service.token(person.name);
  receiver = await openReceiver();
  const destinations = [webhookTo(`${receiver.address}/heard`)];
  const subscription = { alertType: 'Notification', resources: ['table'], destinations };
  for (const more of [{}, { owners: [{ id: person.id, type: 'user' }] }]) {
    const body = json({ name: uniqueName('hook'), ...subscription, ...more });
    const { status, text } = await held.send({ method: 'POST', path: SUBSCRIPTIONS_PATH, body });
    assert.is(status, 201, text);
  }
  schema = await samples.create('databaseSchema');
  wide = await make('wide', 20_000);
  half = await make('half', 10_000);
  await listen(restricted);
});

test.after(async () => {
  hangingUp.abort();
  await held.close();
  await deleteSubscriptions(service);
  await receiver.down();
  service.app.runner.start();
  service.app.dispatcher.start();
  service.app.notifications.start();
});

const patch = (body: unknown, own: Partial<Attack> = {}) => ({
  method: 'PATCH',
  path: `/v1/tables/${wide.id}`,
  body: json(body),
  ...own,
});

/** A change that is over when it was delivered to a receiver and told to a listener. */
const described = (): Attack => {
  const description = uniqueName('text');
  const isDelivered = () => receiver.calls.some(({ body }) => body.includes(description));
  return patch(
    { description },
    {
      settled: async () => {
        await until('a delivery', isDelivered);
        await until('the end of an event for a listener', () => told.includes(description) && told.endsWith('\n\n'));
        told = '';
      },
    },
  );
};

test('jobs on wide records do not block', async () => {
  const name = encodeURIComponent(half.fullyQualifiedName);
  const file = await held.send({ path: `/v1/tables/name/${name}/export` });
  assert.is(file.text.trimEnd().split('\n').length, 10_001);
  const rows = (): Attack => ({
    method: 'PUT',
    path: '/v1/tables/bulk?async=true',
    body: json([{ ...bodyOf('half', 10_000), description: uniqueName('text') }]),
  });
  const again = () => file.text.replace(/One of very many\./, uniqueName('One'));
  await held.none([
    ['a bulk request as a job', rows],
    ['an export as a job', () => ({ path: `/v1/tables/name/${name}/exportAsync` })],
    [
      'an import as a job',
      () => ({
        method: 'PUT',
        path: `/v1/tables/name/${name}/importAsync?dryRun=false`,
        body: again(),
        type: 'text/csv',
      }),
    ],
  ]);
});

test('responses to callers with conditional rights do not block', async () => {
  const token = restricted;
  const name = encodeURIComponent(wide.fullyQualifiedName);
  const get = (path: string) => (): Attack => ({ path, token });
  const since = `startTs=0&endTs=${Date.now()}&limit=10`;
  await held.none([
    ['a read', get(`/v1/tables/${wide.id}?fields=columns,tags,owners`)],
    ['a read by name', get(`/v1/tables/name/${name}`)],
    ['a page of Markdown', get(`/v1/tables/name/${name}/context`)],
    ['a patch', () => patch([{ op: 'add', path: '/description', value: uniqueName('text') }], { token })],
    ['versions', get(`/v1/tables/${wide.id}/versions`)],
    ['one version', get(`/v1/tables/${wide.id}/versions/0.1`)],
    ['history', get(`/v1/tables/history?${since}`)],
    ['columns', get(`/v1/tables/${wide.id}/columns?limit=1000`)],
    ['a search document', get(`/v1/search/get/table/doc/${wide.id}`)],
    ['a search', get('/v1/search/query?q=wide&index=table')],
    ['a file', get(`/v1/tables/name/${name}/export`)],
    ['a list', get('/v1/tables?limit=100&fields=columns,tags')],
    ['events', get('/v1/events?timestamp=0&entityUpdated=table&entityCreated=table')],
    ['lineage', get(`/v1/lineage/table/${wide.id}`)],
  ]);
});

test('versions of a table that was wide do not block', async () => {
  const narrow = json(bodyOf('half', 1));
  assert.is((await held.send({ method: 'PUT', path: '/v1/tables', body: narrow })).status, 200);
  const get = (path: string) => (): Attack => ({ path, token: restricted });
  await held.none([
    ['its versions', get(`/v1/tables/${half.id}/versions`)],
    ['its widest version', get(`/v1/tables/${half.id}/versions/0.1`)],
  ]);
});

test('deliveries, listeners and search maintenance do not block', async () => {
  await held.none([
    ['an event', described],
    [
      'documents that tell of another record',
      () => ({
        method: 'PATCH',
        path: `/v1/databaseSchemas/${schema.id}`,
        body: json({ displayName: uniqueName('shown') }),
      }),
    ],
  ]);
});

test('deletion and restore do not block', async () => {
  const remove = (path: string) => (): Attack => ({ method: 'DELETE', path });
  const restore = (path: string, id: string) => (): Attack => ({
    method: 'PUT',
    path: `${path}/restore`,
    body: json({ id }),
  });
  const name = encodeURIComponent(wide.fullyQualifiedName);
  const schemaName = encodeURIComponent(schema.fullyQualifiedName);
  const database = schema.fullyQualifiedName.split('.').slice(0, -1).join('.');
  let isGone = false;
  const removeForGood = (): Attack => {
    isGone = true;
    return { method: 'DELETE', path: `/v1/tables/name/${name}?hardDelete=true` };
  };
  const makeAgain = (): Attack => ({ method: 'PUT', path: '/v1/tables', body: json(bodyOf('wide', 20_000)) });
  /** The table is made again only for a second try. */
  const there = (): Attack => (isGone ? makeAgain() : { path: `/v1/tables/name/${name}` });
  await held.none([
    ['deletion and restoring', remove(`/v1/tables/${wide.id}`), restore('/v1/tables', wide.id)],
    [
      'deletion of what holds it',
      remove(`/v1/databaseSchemas/${schema.id}?recursive=true`),
      restore('/v1/databaseSchemas', schema.id),
    ],
    ['deletion for good', there, removeForGood],
    [
      'deletion for good of what holds it',
      () => ({ method: 'PUT', path: '/v1/databaseSchemas', body: json({ name: schema.name, database }) }),
      makeAgain,
      remove(`/v1/databaseSchemas/name/${schemaName}?recursive=true&hardDelete=true`),
    ],
  ]);
  assert.is((await held.send({ path: `/v1/tables/name/${name}?include=all` })).status, 404);
});

test.run();
