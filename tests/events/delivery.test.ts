import { createHmac } from 'node:crypto';
import * as assert from 'uvu/assert';
import { readDeliveries } from '../../src/events/queries.ts';
import { withPositions } from '../../src/graph/statement.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { createPerson, expectList, expectRefused, ok } from '../support/expect.ts';
import { createGate } from '../support/gate.ts';
import { waitFor, waitUntil } from '../support/patience.ts';
import { openReceiver, type Received, type Receiver } from '../support/receiver.ts';
import { createRightsFactory } from '../support/rights.ts';
import { closeServiceAt, openService, type Service, uniqueName } from '../support/service.ts';
import {
  type CreatedSubscription,
  createDomain,
  createSubscription,
  deleteSubscriptions,
  deliveredDescriptions,
  filterBelow,
  openDeliveringService,
  SUBSCRIPTIONS_PATH,
  updateDescription,
  waitForDelivery,
  webhookTo,
} from '../support/subscriptions.ts';
import { suite } from '../support/suite.ts';
import { waitForSequencing } from '../support/wait-for-events.ts';

/** Shows that webhooks receive change events once, in order and signed, also after failures (events.md 4.3). */

const test = suite('events: delivery');

let service: Service;
let shared: Service;
let receiver: Receiver;

test.before(async () => {
  shared = await openService();
  await shared.app.dispatcher.stop();
  receiver = await openReceiver();
  service = await openDeliveringService();
});

test.after(async () => {
  await closeServiceAt(service);
  await receiver.down();
  await deleteSubscriptions(shared);
  shared.app.dispatcher.start();
});

/** A place of its own at the receiver, and a subscription that is about one domain. */
const follow = async (config: JsonObject = {}, more: JsonObject = {}, destination: JsonObject = {}) => {
  const name = uniqueName('followed');
  const path = `/${name}`;
  const destinations = [webhookTo(`${receiver.address}${path}`, config, destination)];
  const subscription = await createSubscription(service, destinations, { input: filterBelow(name), ...more });
  const id = await createDomain(service, name);
  return { name, path, subscription, id, calls: () => receiver.at(path) };
};

const must = (call: Received | undefined): Received => {
  if (!call) throw new Error('nobody called');
  return call;
};

const statusOf = async (subscription: CreatedSubscription, at = 0) =>
  ok(await service.admin.get(`${SUBSCRIPTIONS_PATH}/${subscription.id}/status/${subscription.destinations[at]?.id}`));

const diagnosis = async ({ id }: { id: string }) =>
  ok(await service.admin.get(`${SUBSCRIPTIONS_PATH}/id/${id}/diagnosticInfo`));

/** Waits until the dispatcher has gone through all subscriptions as they are now. */
const waitForRound = async () => {
  // Of three readings that end from now on, the second begins after every change and the third after it is taken over.
  const readings = () => service.sent('events/list_subscription_states');
  const before = readings();
  await waitFor(readings, (count) => count >= before + 3, 'the subscriptions are read');
};

/** Waits for a round, after which nobody may hold the delivery: whoever is done with it has waited for its calls. */
const expectRelease = async ({ id }: CreatedSubscription) => {
  await waitForSequencing(service);
  await waitForRound();
  const rows = withPositions([{ subscriptionId: id }]);
  const held = (await service.graph.read(readDeliveries, { rows })).filter(({ isFree }) => !isFree);
  assert.equal(held, []);
};

test('each call has one change event as listed, signed, with its headers and parameters', async () => {
  const secret = 's3cr3t';
  const config = {
    authType: { type: 'bearer', secretKey: secret },
    headers: { 'X-Team': 'data' },
    queryParams: { lang: 'en', 'a b': 'ü&' },
  };
  const { path, id, calls } = await follow(config);
  await updateDescription(service, id, 'second');
  await waitUntil(() => calls().length >= 2, 'two calls');
  const [first, second] = calls();
  assert.is(first?.method, 'POST');
  assert.is(new URL(first?.path ?? '', 'http://x').pathname, path);
  assert.equal(Object.fromEntries(new URL(first?.path ?? '', 'http://x').searchParams), { lang: 'en', 'a b': 'ü&' });
  assert.equal([first?.event.eventType, second?.event.eventType], ['entityCreated', 'entityUpdated']);
  assert.is(second?.event.entity.description, 'second');
  const { headers, body } = must(second);
  assert.is(headers['content-type'], 'application/json');
  assert.match(headers['user-agent'] ?? '', /^Tributary/);
  assert.is(headers['x-team'], 'data');
  assert.is(headers['authorization'], `Bearer ${secret}`);
  assert.is(headers['x-om-signature'], `sha256=${createHmac('sha256', secret).update(body).digest('base64')}`);
  const { data } = expectList(await service.admin.get(`/v1/events?entityId=${id}`));
  assert.equal(
    calls().map(({ event }) => event),
    data,
  );
});

test('a secret in its former place signs and is never sent, and there is no signature without one', async () => {
  const old = await follow({ secretKey: 'older' });
  const none = await follow({ httpMethod: 'PUT' });
  await waitUntil(() => old.calls().length >= 1 && none.calls().length >= 1, 'both are called');
  const { headers, body } = must(old.calls()[0]);
  assert.is(headers['x-om-signature'], `sha256=${createHmac('sha256', 'older').update(body).digest('base64')}`);
  assert.is(headers['authorization'], undefined);
  const [bare] = none.calls();
  assert.is(bare?.method, 'PUT');
  assert.is(bare?.headers['x-om-signature'], undefined);
});

test('only events after the creation of the subscription that match its filters are delivered', async () => {
  const name = uniqueName('early');
  const early = await createDomain(service, name);
  await updateDescription(service, early, 'before');
  const subscription = await createSubscription(service, [webhookTo(`${receiver.address}/${name}`)], {
    resources: ['domain'],
    input: filterBelow(name),
  });
  await updateDescription(service, early, 'after');
  await createDomain(service);
  const team = ok(await service.admin.post('/v1/teams', { name }), 201);
  await updateDescription(service, early, 'last');
  ok(await service.admin.delete(`/v1/teams/${team.id}?hardDelete=true`));
  await waitForDelivery(service, subscription.id);
  assert.equal(deliveredDescriptions(receiver.at(`/${name}`)), ['after', 'last']);
  const { startingOffset, currentOffset, successfulEventsCount } = await diagnosis(subscription);
  assert.ok(currentOffset > startingOffset);
  assert.is(successfulEventsCount, 2);
});

test('after an outage of the receiver everything arrives once and in order', async () => {
  const own = await openReceiver();
  const name = uniqueName('down');
  const id = await createDomain(service, name);
  const subscription = await createSubscription(service, [webhookTo(`${own.address}/x`)], {
    input: filterBelow(name),
    retries: 5,
  });
  await updateDescription(service, id, 'change 0');
  await waitUntil(() => own.calls.length >= 1, 'the first arrives');
  await own.down();
  const later = Array.from({ length: 20 }, (_, at) => `change ${at + 1}`);
  for (const text of later) await updateDescription(service, id, text);
  await waitUntil(async () => (await statusOf(subscription)).status === 'awaitingRetry', 'it waits for another try');
  const waiting = await statusOf(subscription);
  assert.is(waiting.lastFailedReason, 'Connection refused');
  assert.ok(waiting.nextAttempt >= waiting.lastFailedAt && waiting.lastSuccessfulAt <= waiting.lastFailedAt);
  assert.is((await diagnosis(subscription)).hasProcessedAllEvents, false);
  await own.back();
  await waitForDelivery(service, subscription.id);
  assert.equal(deliveredDescriptions(own.calls), ['change 0', ...later]);
  await waitUntil(async () => (await statusOf(subscription)).status === 'active', 'it is active again');
  assert.is((await statusOf(subscription)).nextAttempt, undefined);
  await own.down();
});

test('a rejected event is retried as configured, stored as failed, and no longer delays later ones', async () => {
  const { calls, id, subscription } = await follow({}, { retries: 2 });
  await waitUntil(() => calls().length >= 1, 'the first arrives');
  receiver.react(({ event }) => (event.entity.description === 'bad' ? 503 : 200));
  await updateDescription(service, id, 'bad');
  await updateDescription(service, id, 'good');
  await waitUntil(() => calls().length >= 5, 'the later one arrives');
  assert.equal(deliveredDescriptions(calls()), ['Told of.', 'bad', 'bad', 'bad', 'good']);
  receiver.react(() => 200);
  const counts = async () => {
    const { successfulEventsCount, failedEventsCount } = await diagnosis(subscription);
    return [successfulEventsCount, failedEventsCount];
  };
  await waitUntil(async () => String(await counts()) === '2,1', 'two were taken and one was not');
  const failed = expectList(await service.admin.get(`${SUBSCRIPTIONS_PATH}/id/${subscription.id}/failedEvents`));
  assert.is(failed.paging.total, 1);
  const [one] = failed.data;
  assert.equal(
    [one.failingSubscriptionId, one.reason, one.retriesLeft],
    [subscription.id, 'The receiver answered 503', 0],
  );
  assert.is(one.changeEvent.entity.description, 'bad');
  const status = await statusOf(subscription);
  assert.equal([status.status, status.lastFailedStatusCode], ['active', 503]);
});

test('every failure is counted and stored', async () => {
  const { path, id, calls, subscription } = await follow({}, { retries: 0 });
  await waitUntil(() => calls().length >= 1, 'the first arrives');
  // Slower than progress is kept, so that what fails meets what is being written down.
  receiver.react((call) => (call.path === path ? { status: 500, afterMs: 15 } : 200));
  const count = 25;
  for (let at = 0; at < count; at += 1) await updateDescription(service, id, `refused ${at}`);
  await waitUntil(async () => (await diagnosis(subscription)).failedEventsCount === count, 'all have failed');
  receiver.react(() => 200);
  await updateDescription(service, id, 'taken');
  await waitUntil(async () => (await diagnosis(subscription)).successfulEventsCount === 2, 'it goes on');
  const page = expectList(await service.admin.get(`${SUBSCRIPTIONS_PATH}/id/${subscription.id}/failedEvents?limit=20`));
  assert.equal([page.data.length, page.paging.total], [20, count]);
  const rest = expectList(
    await service.admin.get(`${SUBSCRIPTIONS_PATH}/id/${subscription.id}/failedEvents?after=${page.paging.after}`),
  );
  const texts = [...page.data, ...rest.data].map(({ changeEvent }) => changeEvent.entity.description);
  assert.equal(texts.toSorted(), Array.from({ length: count }, (_, at) => `refused ${at}`).toSorted());
});

test('a change in the same millisecond as the previous one is delivered too', async () => {
  const { path, id, calls, subscription } = await follow({}, { retries: 5 });
  await waitUntil(() => calls().length >= 1, 'the first arrives');
  await service.graph.query('MATCH (n:EventSubscription {id: $id}) SET n.version = n.version + 0.1, n.retries = 0', {
    id: subscription.id,
  });
  await waitForRound();
  receiver.react((call) => (call.path === path ? 500 : 200));
  await updateDescription(service, id, 'refused');
  await waitUntil(async () => (await statusOf(subscription)).lastFailedAt !== undefined, 'it failed');
  assert.is((await statusOf(subscription)).status, 'failed');
  receiver.react(() => 200);
});

test('a subscription whose alert type never fires sends nothing, and starts when it gets one that does', async () => {
  for (const alertType of ['ActivityFeed', 'GovernanceWorkflowChangeEvent']) {
    const { id, calls, subscription } = await follow({}, { alertType });
    await updateDescription(service, id, 'unheard');
    const change = (body: object) => service.admin.patch(`${SUBSCRIPTIONS_PATH}/${subscription.id}`, body);
    ok(await change({ displayName: 'still quiet' }));
    ok(await change({ alertType: 'Notification' }));
    await updateDescription(service, id, 'heard');
    await waitForDelivery(service, subscription.id);
    assert.equal(deliveredDescriptions(calls()), ['heard'], alertType);
  }
});

test('without retries the first failure is final, and at the limit the status says so', async () => {
  const once = await follow({}, { retries: 0 });
  await waitUntil(() => once.calls().length >= 1, 'the first arrives');
  receiver.react(({ path }) => (path === once.path ? 404 : 200));
  await updateDescription(service, once.id, 'refused');
  await waitUntil(async () => (await statusOf(once.subscription)).status === 'failed', 'it failed');
  assert.is(once.calls().length, 2);
  const twice = await follow({}, { retries: 1 });
  receiver.react(({ path }) => (path === twice.path ? 404 : 200));
  await updateDescription(service, twice.id, 'refused');
  await waitUntil(
    async () => (await statusOf(twice.subscription)).status === 'retryLimitReached',
    'it was tried again',
  );
  receiver.react(() => 200);
});

/** In seconds. A call that takes longer is repeated. */
const LONGEST_READ_TIMEOUT = 120;

test('retries follow the configured schedule', async () => {
  const { calls, id, path, subscription } = await follow({}, { retries: 3 }, { readTimeout: LONGEST_READ_TIMEOUT });
  await waitUntil(() => calls().length >= 1, 'the first arrives');
  const tries: { at: number; refuse: () => void }[] = [];
  receiver.react((call) => {
    if (call.path !== path) return 200;
    const gate = createGate();
    tries.push({ at: Date.now(), refuse: gate.open });
    return { status: 500, after: gate.opened };
  });
  await updateDescription(service, id, 'refused');
  let due = 0;
  for (const [at, delayMs] of [60, 120, 200].entries()) {
    await waitUntil(() => tries.length > at, 'it is tried');
    tries[at]?.refuse();
    // The next try is held meanwhile, so that its failure does not replace what is told of this one.
    const { lastFailedAt, nextAttempt } = await waitFor(
      () => statusOf(subscription),
      (status) => status.nextAttempt > due,
      'the next is announced',
    );
    assert.is(nextAttempt - lastFailedAt, delayMs);
    await waitUntil(() => tries.length > at + 1, 'it is tried again');
    assert.ok((tries[at + 1]?.at ?? 0) >= nextAttempt, 'no earlier than announced');
    due = nextAttempt;
  }
  receiver.react(() => 200);
  tries.at(-1)?.refuse();
});

test('two destinations each get everything once, even if one is slow', async () => {
  const name = uniqueName('two');
  let refusals = 2;
  receiver.react(({ path }) => {
    if (path !== `/${name}/b`) return 200;
    refusals -= 1;
    return refusals >= 0 ? 500 : 200;
  });
  const subscription = await createSubscription(
    service,
    [
      webhookTo(`${receiver.address}/${name}/a`),
      webhookTo(`${receiver.address}/${name}/b`),
      webhookTo(`${receiver.address}/${name}/c`, {}, { enabled: false }),
    ],
    { input: filterBelow(name) },
  );
  const id = await createDomain(service, name);
  await updateDescription(service, id, 'second');
  await waitUntil(() => receiver.at(`/${name}/b`).length >= 4, 'the other one gets both');
  assert.equal(deliveredDescriptions(receiver.at(`/${name}/a`)), ['Told of.', 'second']);
  assert.equal(deliveredDescriptions(receiver.at(`/${name}/b`)), ['Told of.', 'Told of.', 'Told of.', 'second']);
  assert.equal(receiver.at(`/${name}/c`), []);
  assert.is((await statusOf(subscription, 2)).status, 'disabled');
  receiver.react(() => 200);
});

test('redirects are not followed, silence times out, and an unreachable receiver is reported as such', async () => {
  receiver.react(({ path }) => {
    if (path.endsWith('/redirect')) return { status: 302, headers: { location: `${receiver.address}/elsewhere` } };
    return path.endsWith('/silence') ? { status: 200, afterMs: 5000 } : 200;
  });
  const tried = async (endpoint: string) => {
    const body = { destinations: [webhookTo(endpoint, {}, { readTimeout: 1, timeout: 1 })] };
    const [{ statusDetails }] = ok(await service.admin.post(`${SUBSCRIPTIONS_PATH}/testDestination`, body));
    return [statusDetails.status, statusDetails.lastFailedStatusCode, statusDetails.lastFailedReason];
  };
  assert.equal(await tried(`${receiver.address}/redirect`), ['failed', 302, 'The receiver answered 302']);
  assert.equal(receiver.at('/elsewhere'), []);
  assert.equal(await tried(`${receiver.address}/silence`), ['failed', undefined, 'No answer within 1 s']);
  assert.equal(await tried('http://127.0.0.1:1/'), ['failed', undefined, 'Connection refused']);
  assert.equal(await tried('http://nobody.invalid/'), ['failed', undefined, 'Unknown host']);
  receiver.react(() => 200);
});

test('a slow receiver delays no other', async () => {
  const slow = await follow({}, {}, { readTimeout: LONGEST_READ_TIMEOUT });
  const quick = await follow();
  await waitUntil(() => slow.calls().length > 0, 'the first arrives');
  const release = createGate();
  receiver.react(({ path }) => (path === slow.path ? { status: 200, after: release.opened } : 200));
  const texts = Array.from({ length: 10 }, (_, at) => `change ${at}`);
  for (const text of texts) {
    await updateDescription(service, slow.id, text);
    await updateDescription(service, quick.id, text);
  }
  await waitUntil(() => quick.calls().length >= 11, 'the quick one gets all');
  await waitUntil(() => slow.calls().length > 1, 'the slow one is called');
  assert.is(slow.calls().length, 2, 'the slow one has answered the first call only');
  receiver.react(() => 200);
  release.open();
  await waitUntil(() => slow.calls().length >= 11, 'the slow one gets all');
  assert.equal(deliveredDescriptions(slow.calls()).slice(1), texts);
});

test('connections are reused', async () => {
  const { calls, id } = await follow();
  await waitUntil(() => calls().length >= 1, 'the first arrives');
  const before = receiver.connections();
  for (let at = 0; at < 20; at += 1) await updateDescription(service, id, `change ${at}`);
  await waitUntil(() => calls().length >= 21, 'all arrive');
  assert.ok(receiver.connections() - before <= 2, `${receiver.connections() - before} new connections`);
});

const patch = (id: string, body: unknown) =>
  service.admin.patch(`${SUBSCRIPTIONS_PATH}/${id}`, body, { 'content-type': 'application/merge-patch+json' });

test('disabling stops at once, enabling resumes at the position, and deletion ends delivery', async () => {
  const { calls, id, subscription } = await follow();
  await updateDescription(service, id, 'before');
  await waitUntil(() => calls().length >= 2, 'two arrive');
  ok(await patch(subscription.id, { enabled: false }));
  await updateDescription(service, id, 'meanwhile 1');
  await updateDescription(service, id, 'meanwhile 2');
  await expectRelease(subscription);
  assert.is(calls().length, 2);
  assert.is((await statusOf(subscription)).status, 'disabled');
  ok(await patch(subscription.id, { enabled: true }));
  await waitUntil(() => calls().length >= 4, 'what happened meanwhile arrives');
  await updateDescription(service, id, 'after');
  await waitUntil(() => calls().length >= 5, 'what happens now arrives');
  assert.equal(deliveredDescriptions(calls()), ['Told of.', 'before', 'meanwhile 1', 'meanwhile 2', 'after']);
  ok(await service.admin.delete(`${SUBSCRIPTIONS_PATH}/${subscription.id}`));
  await updateDescription(service, id, 'too late');
  await expectRelease(subscription);
  assert.is(calls().length, 5);
  const [row] = await service.graph.query('MATCH (d:Delivery {subscriptionId: $id}) RETURN count(d) AS left', {
    id: subscription.id,
  });
  assert.is(row?.['left'], 0);
});

test('a subscription that nobody delivers yet has handled nothing, and one that is disabled has nothing to handle', async () => {
  await service.app.dispatcher.stop();
  try {
    const { id, subscription } = await follow();
    await updateDescription(service, id, 'waiting');
    await waitForSequencing(service);
    const told = await diagnosis(subscription);
    assert.is(told.hasProcessedAllEvents, false);
    assert.ok(told.currentOffset < told.latestOffset);
    const disabled = await follow({}, { enabled: false });
    await waitForSequencing(service);
    assert.ok((await diagnosis(disabled.subscription)).hasProcessedAllEvents);
  } finally {
    service.app.dispatcher.start();
  }
});

test('a subscription that was created disabled starts when it is enabled', async () => {
  const { calls, id, subscription } = await follow({}, { enabled: false });
  await updateDescription(service, id, 'before');
  await waitForSequencing(service);
  ok(await patch(subscription.id, { enabled: true }));
  await updateDescription(service, id, 'after');
  await waitForDelivery(service, subscription.id);
  assert.equal(deliveredDescriptions(calls()), ['after']);
});

test('a new endpoint is called at once, not at the next retry', async () => {
  const slow = await openDeliveringService({ retryMs: [600_000] });
  await service.app.dispatcher.stop();
  const { calls, id, subscription, path } = await follow();
  await waitUntil(() => calls().length >= 1, 'the first arrives');
  receiver.react((call) => (call.path === path ? 500 : 200));
  await updateDescription(service, id, 'second');
  await waitUntil(async () => (await statusOf(subscription)).status === 'awaitingRetry', 'it waits for long');
  const [destination] = ok(await service.admin.get(`${SUBSCRIPTIONS_PATH}/${subscription.id}`)).destinations;
  const config = { ...destination.config, endpoint: `${receiver.address}${path}/new` };
  ok(await patch(subscription.id, { destinations: [{ ...destination, config }] }));
  await waitUntil(() => receiver.at(`${path}/new`).length >= 1, 'the new address is called');
  assert.equal(deliveredDescriptions(receiver.at(`${path}/new`)), ['second']);
  receiver.react(() => 200);
  await closeServiceAt(slow);
  service.app.dispatcher.start();
});

test('syncOffset skips missed events, even during a retry delay', async () => {
  const { calls, id, subscription, path } = await follow({}, { retries: 5 });
  await waitUntil(() => calls().length >= 1, 'the first arrives');
  receiver.react((call) => (call.path === path ? 500 : 200));
  for (const text of ['a', 'b', 'c']) await updateDescription(service, id, text);
  await waitUntil(() => calls().length >= 5, 'it was tried four times and is put off');
  await waitForSequencing(service);
  const synced = ok(await service.admin.put(`${SUBSCRIPTIONS_PATH}/name/${subscription.name}/syncOffset`, undefined));
  assert.is(synced.currentOffset, synced.startingOffset);
  await waitUntil(async () => (await diagnosis(subscription)).hasProcessedAllEvents, 'it has caught up');
  receiver.react(() => 200);
  await updateDescription(service, id, 'd');
  await waitUntil(() => deliveredDescriptions(calls()).includes('d'), 'the next one arrives');
  assert.equal(
    deliveredDescriptions(calls()).filter((text) => text === 'b' || text === 'c'),
    [],
  );
  assert.is((await diagnosis(subscription)).startingOffset, synced.startingOffset);
});

test('filters by owners through teams, by bots and by inherited domains match', async () => {
  const name = uniqueName('around');
  const ana = await createPerson(service, uniqueName('ana'));
  const bot = await createPerson(service, uniqueName('robot'), { isBot: true });
  const team = ok(await service.admin.post('/v1/teams', { name: `${name}-team`, teamType: 'Group' }), 201);
  ok(
    await service.admin.patch(`/v1/teams/${team.id}`, [
      { op: 'add', path: '/users/0', value: { id: ana.id, type: 'user' } },
    ]),
  );
  const domain = await createDomain(service, `${name}-domain`);
  const filter = (filterName: string, argument?: string, input = ''): JsonObject => ({
    name: filterName,
    ...(argument === undefined ? {} : { arguments: [{ name: argument, input: [input] }] }),
  });
  const subscribeTo = (path: string, ...filters: JsonObject[]) =>
    createSubscription(service, [webhookTo(`${receiver.address}/${name}/${path}`)], {
      resources: ['databaseService', 'database'],
      input: { filters: [filter('filterByFqn', 'fqnList', name), ...filters] },
    });
  const subscriptions = [
    await subscribeTo('all'),
    await subscribeTo('person', filter('filterByOwnerName', 'ownerNameList', ana.name)),
    await subscribeTo('team', filter('filterByOwnerName', 'ownerNameList', `${name}-team`)),
    await subscribeTo('bot', filter('filterByUpdaterIsBot')),
    await subscribeTo('human', { ...filter('filterByUpdaterIsBot'), effect: 'exclude' }),
    await subscribeTo('domain', filter('filterByDomain', 'domainList', `${name}-domain`)),
  ];
  const put = async (client: typeof service.admin, path: string, body: JsonObject) =>
    ok(await client.post(path, body), 201);
  const robot = await service.as(bot.name, { isBot: true });
  const database = (client: typeof service.admin, database: string, owners: JsonObject[]) =>
    put(client, '/v1/databases', { name: database, service: name, owners });
  await put(service.admin, '/v1/services/databaseServices', {
    name,
    serviceType: 'Postgres',
    domains: [`${name}-domain`],
  });
  await database(service.admin, 'of_team', [{ id: team.id, type: 'team' }]);
  await database(service.admin, 'of_person', [{ id: ana.id, type: 'user' }]);
  await database(robot, 'of_nobody', []);
  const told = {
    all: [name, 'of_team', 'of_person', 'of_nobody'],
    person: ['of_team', 'of_person'],
    team: ['of_team', 'of_person'],
    bot: ['of_nobody'],
    human: [name, 'of_team', 'of_person'],
    domain: [name, 'of_team', 'of_person', 'of_nobody'],
  };
  const names = (path: string) => receiver.at(`/${name}/${path}`).map(({ event }) => event.entity.name);
  for (const { id } of subscriptions) await waitForDelivery(service, id);
  for (const [path, expected] of Object.entries(told)) assert.equal(names(path), expected, path);
  assert.type(domain, 'string');
});

test('one person has so many destinations called for a test within a minute', async () => {
  const tester = await createRightsFactory(service).person([
    { operations: ['EditAll'], resources: ['eventsubscription'] },
  ]);
  const path = `/${uniqueName('often')}`;
  const destinations = Array.from({ length: 10 }, (_, at) => webhookTo(`${receiver.address}${path}?at=${at}`));
  const send = () => tester.post(`${SUBSCRIPTIONS_PATH}/testDestination`, { destinations });
  for (let at = 0; at < 6; at += 1) ok(await send());
  const refused = await send();
  expectRefused(refused, 429, 'Only 60 tests of destinations may be made in 60 s');
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  assert.is(receiver.at(path).length, 60);
  ok(await service.admin.post(`${SUBSCRIPTIONS_PATH}/testDestination`, { destinations }));
});

test('testDestination sends one event and stores nothing', async () => {
  const path = `/${uniqueName('tested')}`;
  const destinations = [
    webhookTo(`${receiver.address}${path}`, { authType: { type: 'bearer', secretKey: 'tried' } }),
    { category: 'Followers', type: 'ActivityFeed' },
  ];
  const reply = await service.admin.post(`${SUBSCRIPTIONS_PATH}/testDestination`, { destinations });
  const [webhook, inbox] = ok(reply);
  assert.equal([webhook.statusDetails.status, inbox.statusDetails.status], ['active', 'active']);
  assert.not.match(reply.text, /tried/);
  const [call] = receiver.at(path);
  assert.is(call?.event.eventType, 'entityUpdated');
  assert.is(call?.headers['authorization'], 'Bearer tried');
  const refuse = async (body: unknown, message: RegExp) =>
    expectRefused(await service.admin.post(`${SUBSCRIPTIONS_PATH}/testDestination`, body), 400, message);
  await refuse({}, /destinations must not be null/);
  expectRefused(
    await (await createPerson(service, uniqueName('early'))).post(`${SUBSCRIPTIONS_PATH}/testDestination`, {}),
    400,
  );
  await refuse({ destinations: [{ category: 'Mentions', type: 'Email' }] }, /category must be one of .* for Email/);
  const reader = await createPerson(service, uniqueName('reader'));
  expectRefused(await reader.post(`${SUBSCRIPTIONS_PATH}/testDestination`, { destinations }), 403);
  expectRefused(await reader.put(`${SUBSCRIPTIONS_PATH}/name/x/syncOffset`, undefined), 404);
  const strict = await shared.admin.post(`${SUBSCRIPTIONS_PATH}/testDestination`, { destinations });
  expectRefused(strict, 400, /private address/);
});

test('the resources of each alert type are listed', async () => {
  const { data, paging } = expectList(await service.admin.get(`${SUBSCRIPTIONS_PATH}/Notification/resources`));
  assert.is(paging.total, data.length);
  const table = data.find(({ name }: { name: string }) => name === 'table');
  assert.ok(table.supportedFilters.includes('filterByFqn'));
  assert.is(table.supportedFilters.length, 12);
  assert.equal(expectList(await service.admin.get(`${SUBSCRIPTIONS_PATH}/ActivityFeed/resources`)).data, []);
  expectRefused(await service.admin.get(`${SUBSCRIPTIONS_PATH}/Rumour/resources`), 404);
});

test('an unknown subscription or destination is 404', async () => {
  const { subscription } = await follow();
  const id = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
  expectRefused(
    await service.admin.get(`${SUBSCRIPTIONS_PATH}/${id}/status/${id}`),
    404,
    `eventsubscription instance for ${id} not found`,
  );
  expectRefused(
    await service.admin.get(`${SUBSCRIPTIONS_PATH}/${subscription.id}/status/${id}`),
    404,
    `destination instance for ${id} not found`,
  );
  expectRefused(await service.admin.get(`${SUBSCRIPTIONS_PATH}/id/${id}/diagnosticInfo`), 404);
  expectRefused(await service.admin.get(`${SUBSCRIPTIONS_PATH}/id/x/diagnosticInfo`), 404);
  expectRefused(await service.admin.get(`${SUBSCRIPTIONS_PATH}/id/${id}/failedEvents`), 404);
  expectRefused(await service.admin.get(`${SUBSCRIPTIONS_PATH}/id/${subscription.id}/failedEvents?limit=0`), 400);
  expectRefused(await service.admin.put(`${SUBSCRIPTIONS_PATH}/name/nobody/syncOffset`, undefined), 404);
});

test.run();
