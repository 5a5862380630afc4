import { type AddressInfo, createServer, type Socket } from 'node:net';
import * as assert from 'uvu/assert';
import { createMailer } from '../../src/events/mailer.ts';
import { renderEmail } from '../../src/messages/email-message.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { createPerson, expectRefused, ok } from '../support/expect.ts';
import { type MailServer, openMailServer } from '../support/mail-server.ts';
import { waitUntil } from '../support/patience.ts';
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
} from '../support/subscriptions.ts';
import { suite } from '../support/suite.ts';

/** Shows that changes are mailed through a real SMTP server, and what its refusals lead to. */

const test = suite('events: e-mail destinations');

let service: Service;
let shared: Service;
let server: MailServer;

test.before(async () => {
  shared = await openService();
  await shared.app.dispatcher.stop();
  server = await openMailServer();
  const env = {
    SMTP_URL: server.url,
    SMTP_FROM: 'Catalog <catalog@example.org>',
    PUBLIC_URL: 'https://catalog.example',
  };
  service = await openServiceAt(
    { ...placeOfRun(), env },
    { events: { dispatcher: FAST_DELIVERY, tail: { pollMs: 20 } } },
  );
});

test.after(async () => {
  await closeServiceAt(service);
  await server.close();
  await deleteSubscriptions(shared);
  shared.app.dispatcher.start();
});

const mailTo = (...receivers: string[]): JsonObject => ({ category: 'External', type: 'Email', config: { receivers } });

const newAddress = (): string => `${uniqueName('reader')}@example.org`;

/** A subscription that is about one domain and sends mail at most once a second. */
const follow = async (...receivers: string[]) => {
  const name = uniqueName('mailed');
  const filters = { input: filterBelow(name), pollInterval: 1 };
  const subscription = await createSubscription(service, [mailTo(...receivers)], filters);
  const id = await createDomain(service, name);
  const statusPath = `${SUBSCRIPTIONS_PATH}/${subscription.id}/status/${subscription.destinations[0]?.id}`;
  return {
    name,
    id,
    subscription,
    status: async () => ok(await service.admin.get(statusPath)),
    diagnosis: async () => ok(await service.admin.get(`${SUBSCRIPTIONS_PATH}/id/${subscription.id}/diagnosticInfo`)),
  };
};

const headerOf = (source: string, name: string): string | undefined =>
  new RegExp(`^${name}: (.*(?:\\r\\n[ \\t].*)*)`, 'im').exec(source)?.[1]?.replace(/\r\n\s+/g, ' ');

test('each receiver gets a mail of their own, and mails about one asset are a thread', async () => {
  const [first, second] = [newAddress(), newAddress()];
  const { name, id } = await follow(first, second);
  await waitUntil(() => server.to(first).length === 1 && server.to(second).length === 1, 'both are told');
  await updateDescription(service, id, 'Described.');
  await waitUntil(() => server.to(first).length === 2, 'it is told of the change');
  const [created, changed] = server.to(first).map(({ source }) => source);
  assert.equal(server.to(first)[0]?.to, [first]);
  assert.is(headerOf(created ?? '', 'From'), 'Catalog <catalog@example.org>');
  assert.is(headerOf(created ?? '', 'To'), first);
  assert.is(headerOf(created ?? '', 'Subject'), `${name} (domain): created`);
  assert.is(headerOf(created ?? '', 'Auto-Submitted'), 'auto-generated');
  assert.match(headerOf(created ?? '', 'Content-Type') ?? '', 'multipart/alternative');
  assert.match(created?.replace(/=\r\n/g, '') ?? '', `https://catalog.example/domains/${name}`);
  const thread = headerOf(created ?? '', 'References');
  assert.match(thread ?? '', /^<[0-9a-f]{32}@example\.org>$/);
  assert.is(headerOf(changed ?? '', 'References'), thread);
  assert.is.not(headerOf(changed ?? '', 'Message-ID'), headerOf(created ?? '', 'Message-ID'));
});

test('a burst of changes becomes a few mails', async () => {
  const address = newAddress();
  const begun = Date.now();
  const { id, diagnosis } = await follow(address);
  for (let at = 0; at < 20; at += 1) await updateDescription(service, id, `change ${at}`);
  await waitUntil(async () => (await diagnosis()).successfulEventsCount === 21, 'all are delivered');
  const [mails, seconds] = [server.to(address).length, (Date.now() - begun) / 1000];
  assert.ok(mails >= 1 && mails <= seconds + 1, `${mails} mails in ${seconds} s`);
});

test('a refusal for now is repeated for that receiver only', async () => {
  const [busy, other] = [newAddress(), newAddress()];
  let refusals = 0;
  server.react((address) => {
    if (address !== busy || refusals >= 2) return undefined;
    refusals += 1;
    return 451;
  });
  const { status } = await follow(busy, other);
  await waitUntil(() => server.to(busy).length === 1, 'it arrives in the end');
  await waitUntil(async () => (await status()).status === 'active', 'it is active');
  assert.is(refusals, 2);
  assert.is((await status()).lastFailedStatusCode, 451);
  assert.is(server.to(other).length, 1);
  server.react(() => undefined);
});

test('a refusal for good is not repeated, and is kept', async () => {
  const [unknown, other] = [newAddress(), newAddress()];
  let refusals = 0;
  server.react((address) => {
    if (address !== unknown) return undefined;
    refusals += 1;
    return 550;
  });
  const { status, subscription } = await follow(unknown, other);
  await waitUntil(async () => (await status()).status === 'failed', 'it fails');
  assert.is((await status()).lastFailedStatusCode, 550);
  assert.is(refusals, 1);
  assert.is(server.to(other).length, 1);
  const failedPath = `${SUBSCRIPTIONS_PATH}/id/${subscription.id}/failedEvents`;
  await waitUntil(async () => ok(await service.admin.get(failedPath)).data.length === 1, 'it is kept');
  server.react(() => undefined);
});

test('a test message is mailed', async () => {
  const address = newAddress();
  const [shown] = ok(
    await service.admin.post(`${SUBSCRIPTIONS_PATH}/testDestination`, { destinations: [mailTo(address)] }),
  );
  assert.is(shown.statusDetails.status, 'active');
  assert.is(server.to(address).length, 1);
});

test('receivers are shown to those only who may edit the subscription', async () => {
  const address = newAddress();
  const { subscription } = await follow(address);
  const person = await createPerson(service, uniqueName('plain'));
  const path = `${SUBSCRIPTIONS_PATH}/${subscription.id}`;
  assert.equal(ok(await service.admin.get(path)).destinations[0].config.receivers, [address]);
  for (const shown of [path, `${path}/versions`, `/v1/events?entityId=${subscription.id}`])
    assert.not.match(JSON.stringify(ok(await person.get(shown))), address);
});

const refusals: readonly [string, JsonObject][] = [
  ['without receivers', mailTo()],
  ['with a list in one address', mailTo('a@example.org,b@example.org')],
  ['with a line break in an address', mailTo('a@example.org\r\nBcc: b@example.org')],
  ['for too many', mailTo(...Array.from({ length: 101 }, (_, at) => `r${at}@example.org`))],
  ['for those mentioned', { category: 'Mentions', type: 'Email', config: {} }],
  ['for users without names', { category: 'Users', type: 'Email', config: {} }],
];
for (const [what, destination] of refusals) {
  test(`a mail destination ${what} is refused with 400`, async () => {
    const body = { name: uniqueName('refused'), alertType: 'Notification', destinations: [destination] };
    expectRefused(await service.admin.post(SUBSCRIPTIONS_PATH, body), 400);
  });
}

test('without a mail server, mail destinations are refused and told why', async () => {
  const body = { name: uniqueName('refused'), alertType: 'Notification', destinations: [mailTo(newAddress())] };
  const refused = await shared.admin.post(SUBSCRIPTIONS_PATH, body);
  expectRefused(refused, 400);
  assert.match(JSON.stringify(refused), 'SMTP_URL');
});

test('a server that says nothing, or nothing that mail servers say, is given up in time', async () => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => sockets.add(socket));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const mailer = createMailer({ url: `smtp://127.0.0.1:${port}`, from: 'catalog@example.org', timeoutMs: 300 });
  const content = renderEmail({ title: 'x', entries: [], omitted: 0, footer: 'y' });
  const mail = { to: newAddress(), content, key: 'k', threadKey: 't', listId: 'l' };
  assert.equal(await mailer.send(mail, new AbortController().signal), {
    isOk: false,
    reason: 'The mail server does not answer in time',
  });
  const ending = new AbortController();
  const given = mailer.send(mail, ending.signal);
  ending.abort();
  assert.equal(await given, { isOk: false, reason: 'The call was given up' });
  mailer.close();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => silent.close(resolve));
});

test('hostile texts break neither the subject nor the page', () => {
  const hostile = '<script>alert(1)</script>"&';
  const { subject, html } = renderEmail({
    title: `a\r\nBcc: x@example.org ${'long '.repeat(100)}`,
    entries: [
      {
        assetType: 'table',
        assetName: hostile,
        actor: hostile,
        summary: hostile,
        fields: [{ name: hostile, before: hostile }],
        timestamp: 0,
      },
    ],
    omitted: 0,
    footer: hostile,
  });
  assert.ok(subject.length <= 200);
  assert.not.match(subject, /[\r\n]/);
  assert.not.match(html, '<script');
});

test.run();
