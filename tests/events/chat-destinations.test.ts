import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { waitUntil } from '../support/patience.ts';
import { openReceiver, type Receiver } from '../support/receiver.ts';
import {
  closeServiceAt,
  openService,
  openServiceAt,
  placeOfRun,
  type Service,
  uniqueName,
} from '../support/service.ts';
import {
  createDomain,
  createSubscription,
  deleteSubscriptions,
  FAST_DELIVERY,
  filterBelow,
  SUBSCRIPTIONS_PATH,
  updateDescription,
  webhookTo,
} from '../support/subscriptions.ts';
import { suite } from '../support/suite.ts';

/** Shows that Slack, Teams and Google Chat get messages, one for many changes, and that their answers are understood. */

const test = suite('events: chat destinations');

let service: Service;
let shared: Service;
let receiver: Receiver;

test.before(async () => {
  shared = await openService();
  await shared.app.dispatcher.stop();
  receiver = await openReceiver();
  service = await openServiceAt(
    { ...placeOfRun(), env: { WEBHOOK_ALLOW_PRIVATE: 'true', PUBLIC_URL: 'https://catalog.example' } },
    { events: { dispatcher: FAST_DELIVERY, tail: { pollMs: 20 } } },
  );
});

test.after(async () => {
  await closeServiceAt(service);
  await receiver.down();
  await deleteSubscriptions(shared);
  shared.app.dispatcher.start();
});

type ChatType = 'Slack' | 'MsTeams' | 'GChat';

const chatTo = (type: ChatType, path: string): JsonObject => webhookTo(`${receiver.address}${path}`, {}, { type });

/** A subscription that is about one domain and sends messages at most once a second. */
const follow = async (type: ChatType, more: JsonObject = {}) => {
  const name = uniqueName('chat');
  const path = `/${name}`;
  const filters = { input: filterBelow(name), pollInterval: 1 };
  const subscription = await createSubscription(service, [chatTo(type, path)], { ...filters, ...more });
  const id = await createDomain(service, name);
  const statusPath = `${SUBSCRIPTIONS_PATH}/${subscription.id}/status/${subscription.destinations[0]?.id}`;
  return {
    name,
    id,
    subscription,
    calls: () => receiver.at(path),
    status: async () => ok(await service.admin.get(statusPath)),
    diagnosis: async () => ok(await service.admin.get(`${SUBSCRIPTIONS_PATH}/id/${subscription.id}/diagnosticInfo`)),
  };
};

test('each service gets its own format, with a link to the page of the asset', async () => {
  const [slack, teams, google] = [await follow('Slack'), await follow('MsTeams'), await follow('GChat')];
  const all = [slack, teams, google];
  await waitUntil(() => all.every(({ calls }) => calls().length === 1), 'all are told');
  const section = slack.calls()[0]?.event.blocks[1];
  assert.match(section.text.text, `<https://catalog.example/domains/${slack.name}|${slack.name}>`);
  assert.match(section.text.text, '`created` by `admin`');
  assert.is(teams.calls()[0]?.event.attachments[0].content.type, 'AdaptiveCard');
  assert.match(teams.calls()[0]?.body ?? '', `https://catalog.example/domains/${teams.name}`);
  assert.match(google.calls()[0]?.body ?? '', `https://catalog.example/domains/${google.name}`);
  assert.is(slack.calls()[0]?.headers['content-type'], 'application/json');
});

test('a burst of changes becomes a few messages, which tell of all of them', async () => {
  const begun = Date.now();
  const { id, calls, diagnosis } = await follow('Slack');
  const changes = 60;
  for (let at = 0; at < changes; at += 1) await updateDescription(service, id, `change ${at}`);
  await waitUntil(async () => (await diagnosis()).successfulEventsCount === changes + 1, 'all are delivered');
  const [messages, seconds] = [calls().length, (Date.now() - begun) / 1000];
  assert.ok(messages >= 1 && messages <= seconds + 1, `${messages} messages in ${seconds} s`);
  const told = calls().map(({ event }) => Number(/^(\d+) changes/.exec(event.text)?.[1] ?? 1));
  assert.is(
    told.reduce((sum, one) => sum + one, 0),
    changes + 1,
  );
});

test('a receiver that asks for time gets it, and then the message once', async () => {
  const { calls, status } = await follow('Slack');
  receiver.react(() => (calls().length === 1 ? { status: 429, headers: { 'retry-after': '2' } } : 200));
  const begun = Date.now();
  await waitUntil(() => calls().length === 1, 'the first attempt');
  await waitUntil(async () => (await status()).status === 'awaitingRetry', 'it waits');
  const { lastFailedStatusCode, nextAttempt, lastFailedAt } = await status();
  assert.is(lastFailedStatusCode, 429);
  assert.is(nextAttempt - lastFailedAt, 2000);
  await waitUntil(() => calls().length === 2, 'the second attempt');
  assert.ok(Date.now() - begun >= 1900);
  await waitUntil(async () => (await status()).status === 'active', 'it is active');
  receiver.react(() => 200);
});

test('a refusal of Teams in the text of an answer of 200 counts as a failure, and is kept', async () => {
  const body = 'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429';
  receiver.react(() => ({ status: 200, body }));
  const { status, diagnosis, subscription } = await follow('MsTeams', { retries: 1 });
  await waitUntil(async () => (await status()).status === 'retryLimitReached', 'it is given up');
  assert.is((await status()).lastFailedStatusCode, 429);
  await waitUntil(async () => (await diagnosis()).failedEventsCount === 1, 'it is counted');
  const failed = ok(await service.admin.get(`${SUBSCRIPTIONS_PATH}/id/${subscription.id}/failedEvents`));
  assert.is(failed.data[0].changeEvent.eventType, 'entityCreated');
  assert.is(failed.data[0].reason, 'Teams did not post the message (429)');
  receiver.react(() => ({ status: 200, body: '1' }));
  const healthy = await follow('MsTeams');
  await waitUntil(async () => (await healthy.status()).lastSuccessfulAt !== undefined, 'it is delivered');
  receiver.react(() => 200);
});

test('a test message takes the same way', async () => {
  const path = `/${uniqueName('tried')}`;
  const [shown] = ok(
    await service.admin.post(`${SUBSCRIPTIONS_PATH}/testDestination`, { destinations: [chatTo('Slack', path)] }),
  );
  assert.is(shown.statusDetails.status, 'active');
  assert.is(receiver.at(path)[0]?.event.blocks[0].type, 'header');
});

const refusals: readonly [string, readonly JsonObject[]][] = [
  ['without an address', [{ category: 'External', type: 'Slack', config: {} }]],
  ['for owners', [{ category: 'Owners', type: 'Slack', config: { endpoint: 'https://hooks.example.org/x' } }]],
  [
    'beside a webhook',
    [webhookTo('https://hooks.example.org/a'), webhookTo('https://hooks.example.org/b', {}, { type: 'MsTeams' })],
  ],
];
for (const [what, destinations] of refusals) {
  test(`a chat destination ${what} is refused with 400`, async () => {
    const body = { name: uniqueName('refused'), alertType: 'Notification', destinations };
    expectRefused(await service.admin.post(SUBSCRIPTIONS_PATH, body), 400);
  });
}

test('a private address is refused for chat services as for webhooks', async () => {
  const body = {
    name: uniqueName('refused'),
    alertType: 'Notification',
    destinations: [webhookTo('http://127.0.0.1:9/x', {}, { type: 'Slack' })],
  };
  expectRefused(await shared.admin.post(SUBSCRIPTIONS_PATH, body), 400);
});

test.run();
