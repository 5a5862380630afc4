import * as assert from 'uvu/assert';
import { ok } from '../support/expect.ts';
import { type MailServer, openMailServer } from '../support/mail-server.ts';
import { waitUntil } from '../support/patience.ts';
import { createRightsFactory, type Person, type RightsFactory } from '../support/rights.ts';
import { closeServiceAt, openServiceAt, placeOfRun, type Service } from '../support/service.ts';
import { createDomain, updateDescription } from '../support/subscriptions.ts';
import { suite } from '../support/suite.ts';
import { waitForMails } from '../support/wait-for-events.ts';

/** Shows that two processes mail each change once, and that an event costs as many statements for many people as for few. */

const test = suite('notifications: mail by two processes');

const PEOPLE = 100;
const MAIL = { beatMs: 50, leaseMs: 2000, retryMs: [100] };

let services: readonly [Service, Service];
let server: MailServer;
let rights: RightsFactory;
let people: readonly Person[];

const open = (): Promise<Service> =>
  openServiceAt(
    { ...placeOfRun(), env: { SMTP_URL: server.url, SMTP_FROM: 'catalog@example.org' } },
    { events: { tail: { pollMs: 20 } }, notifications: { mail: MAIL } },
  );

test.before(async () => {
  server = await openMailServer();
  services = [await open(), await open()];
  rights = createRightsFactory(services[0]);
  // Their rights depend on facts about each record.
  const role = await rights.role({
    effect: 'deny',
    operations: ['All'],
    resources: ['domain', 'user'],
    condition: "matchAnyTag('PII.Sensitive')",
  });
  const made: Person[] = [];
  for (let at = 0; at < PEOPLE; at += 1) made.push(await rights.person([], { roles: [role.id] }));
  people = made;
  for (const person of people) ok(await person.post('/v1/notifications/subscriptions', { name: 'mine' }), 201);
});

test.after(async () => {
  await rights.clear();
  await services[0].graph.query('MATCH (n:MailSubscription) DETACH DELETE n');
  for (const one of services) await closeServiceAt(one);
  await server.close();
});

const followedBy = async (some: readonly Person[]): Promise<string> => {
  const [{ admin }] = services;
  const id = await createDomain(services[0]);
  for (const person of some) ok(await admin.put(`/v1/domains/${id}/followers`, person.id));
  return id;
};

const countMails = (some: readonly Person[]): readonly number[] =>
  some.map(({ name }) => server.to(`${name}@example.com`).length);

const resetPauses = () =>
  services[0].graph.query('MATCH (s:MailSubscription) SET s.notBefore = NULL, s.dueAt = NULL RETURN count(s)');

test('each of a hundred people gets one mail, whichever of two processes sends it', async () => {
  const id = await followedBy(people);
  await updateDescription(services[0], id, 'first');
  await waitUntil(() => countMails(people).every((count) => count >= 1), 'all are mailed');
  await waitForMails(services[0]);
  assert.ok(
    countMails(people).every((count) => count === 1),
    'once',
  );
});

const STATEMENTS = [
  'notifications/list_addressees',
  'notifications/create_notifications',
  'notifications/update_due_mail_subscriptions',
  'notifications/list_mailable_notifications',
  'notifications/update_mailed_subscriptions',
  'catalog/record/read_own_facts',
  'catalog/record/read_facts',
  'catalog/record/read_reference',
];

const statementsSent = (): number =>
  services.reduce((sum, service) => sum + STATEMENTS.reduce((all, name) => all + service.sent(name), 0), 0);

/** The statements of one change, from the event to the mails of all these people. */
const costOf = async (some: readonly Person[]): Promise<number> => {
  await resetPauses();
  const id = await followedBy(some);
  await waitForMails(services[0]);
  const [sent, mails] = [statementsSent(), server.mails.length];
  await updateDescription(services[0], id, 'measured');
  await waitUntil(() => server.mails.length >= mails + some.length, 'all are mailed');
  await waitForMails(services[0]);
  return statementsSent() - sent;
};

test('a change costs about as many statements for a hundred people as for five', async () => {
  const few = await costOf(people.slice(0, 5));
  const many = await costOf(people);
  assert.ok(few > 0);
  // The results of ten mails are saved together.
  assert.ok(many <= few + 10 + PEOPLE / 10, `${many} statements for ${PEOPLE} people, ${few} for 5`);
});

test('when the process that mails stops, the other goes on', async () => {
  await resetPauses();
  const some = people.slice(0, 20);
  const id = await followedBy(some);
  const before = countMails(some);
  const isMailed = () => countMails(some).every((count, at) => count === (before[at] ?? 0) + 1);
  await services[0].app.notifications.stop();
  await updateDescription(services[1], id, 'without the first');
  await waitUntil(isMailed, 'the second mails');
  services[0].app.notifications.start();
  await services[1].app.notifications.stop();
  await resetPauses();
  await updateDescription(services[1], id, 'without the second');
  await waitUntil(() => countMails(some).every((count, at) => count === (before[at] ?? 0) + 2), 'the first mails');
  services[1].app.notifications.start();
});

test.run();
