import * as assert from 'uvu/assert';
import { createSharedRedaction } from '../../src/catalog/read/shared-redaction.ts';
import { sharedEventVisibilityFor } from '../../src/catalog/read/visibility.ts';
import { createMailer, type Mailer } from '../../src/events/mailer.ts';
import { buildNotificationMail } from '../../src/events/notification-mail.ts';
import type { Graph } from '../../src/graph/client.ts';
import { createLease, type Lease } from '../../src/graph/lease.ts';
import { type MailRoundDeps, runMailRound } from '../../src/notifications/mail-round.ts';
import { ok } from '../support/expect.ts';
import { type MailServer, openMailServer } from '../support/mail-server.ts';
import { PATIENCE_MS, waitUntil } from '../support/patience.ts';
import { createRightsFactory, type Person, type RightsFactory } from '../support/rights.ts';
import { closeServiceAt, openServiceAt, placeOfRun, type Service } from '../support/service.ts';
import { createDomain, updateDescription } from '../support/subscriptions.ts';
import { suite } from '../support/suite.ts';
import { waitForNotifications } from '../support/wait-for-events.ts';

/** Shows that an error during a round of mails repeats few mails that were sent, and stops no mail of somebody else. */

const test = suite('notifications: a round of mails');

const PEOPLE = 25;
const PATH = '/v1/notifications/subscriptions';

let service: Service;
let server: MailServer;
let mailer: Mailer;
let lease: Lease;
let rights: RightsFactory;
let people: readonly Person[];
let id: string;

test.before(async () => {
  server = await openMailServer();
  service = await openServiceAt(
    { ...placeOfRun(), env: { SMTP_URL: server.url, SMTP_FROM: 'catalog@example.org' } },
    { events: { tail: { pollMs: 20 } }, notifications: { mail: { leaseMs: 100, beatMs: 3_600_000 } } },
  );
  // With the lease, the rounds of this test are the only ones.
  lease = createLease(service.graph, 'mail to people', 3_600_000);
  await waitUntil(() => lease.claim(), 'the service itself mails nothing');
  mailer = createMailer({ url: server.url, from: 'catalog@example.org' });
  rights = createRightsFactory(service);
  id = await createDomain(service);
  const made: Person[] = [];
  for (let at = 0; at < PEOPLE; at += 1) made.push(await rights.person());
  people = made;
  for (const person of people) {
    ok(await person.post(PATH, { name: 'mine' }), 201);
    ok(await service.admin.put(`/v1/domains/${id}/followers`, person.id));
  }
});

test.after(async () => {
  await lease.release();
  await rights.clear();
  await service.graph.query('MATCH (n:MailSubscription) DETACH DELETE n');
  mailer.close();
  await closeServiceAt(service);
  await server.close();
});

const runRound = (changed: Partial<MailRoundDeps> = {}): Promise<number> => {
  const { engine } = service.app;
  return runMailRound({
    graph: service.graph,
    log: { warn: () => undefined },
    clock: Date.now,
    principalNamed: async (name) => {
      const person = people.find((one) => one.name === name);
      return person && { id: person.id, name, email: '', isAdmin: false, isBot: false, roles: [] };
    },
    readVisibility: sharedEventVisibilityFor(engine),
    createRedaction: () => createSharedRedaction(engine),
    buildMail: (mail) => buildNotificationMail(mail, () => undefined),
    send: (mail) => mailer.send(mail, AbortSignal.timeout(PATIENCE_MS)),
    endUrlOf: () => undefined,
    mayGoOn: async () => true,
    retryMs: [60_000],
    limit: 100,
    ...changed,
  });
};

const mailsTo = ({ name }: Person): number => server.to(`${name}@example.com`).length;

/** Makes a change of which everybody is to be mailed at once. Returns how many mails each person has got since. */
const change = async (text: string): Promise<() => readonly number[]> => {
  await service.graph.query('MATCH (s:MailSubscription) SET s.notBefore = NULL, s.dueAt = NULL');
  await updateDescription(service, id, text);
  await waitForNotifications(service);
  const before = people.map(mailsTo);
  return () => people.map((person, at) => mailsTo(person) - (before[at] ?? 0));
};

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);

test('a failing renewal of the lease delays one mail and repeats none', async () => {
  const mailsSince = await change('renewal');
  let asked = 0;
  const failures: unknown[] = [];
  const mayGoOn = async (): Promise<boolean> => {
    asked += 1;
    if (asked === 12) throw new Error('no connection');
    return true;
  };
  await runRound({ mayGoOn, log: { warn: (_message, _facts, failure) => failures.push(failure) } });
  assert.is(sum(mailsSince()), PEOPLE - 1);
  assert.is(failures.length, 1, 'it is logged');
  await runRound();
  assert.ok(mailsSince().every((count) => count === 1));
});

test('a failing save repeats ten mails at most', async () => {
  const mailsSince = await change('save');
  let saves = 0;
  const write: Graph['write'] = (work) => {
    saves += 1;
    return saves === 2 ? Promise.reject(new Error('no connection')) : service.graph.write(work);
  };
  let failed = false;
  await runRound({ graph: { ...service.graph, write } }).catch(() => {
    failed = true;
  });
  assert.ok(failed, 'the round says so');
  assert.is(sum(mailsSince()), 20, 'nothing more is sent');
  await runRound();
  assert.ok(mailsSince().every((count) => count >= 1));
  assert.is(sum(mailsSince()), PEOPLE + 10);
});

test('a mail that cannot be written fails alone', async () => {
  const mailsSince = await change('written');
  const [unlucky] = people as readonly [Person];
  await runRound({
    buildMail: (mail) => {
      if (mail.to === `${unlucky.name}@example.com`) throw new Error('not writable');
      return buildNotificationMail(mail, () => undefined);
    },
  });
  assert.equal(mailsSince(), [0, ...people.slice(1).map(() => 1)]);
  const [{ statusDetails }] = ok(await unlucky.get(PATH)).data;
  assert.is(statusDetails.lastFailedReason, 'The mail could not be written');
  await service.graph.query('MATCH (s:MailSubscription {userId: $id}) SET s.dueAt = timestamp()', { id: unlucky.id });
  await runRound();
  assert.ok(mailsSince().every((count) => count === 1));
});

test.run();
