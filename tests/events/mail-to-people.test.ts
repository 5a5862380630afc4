import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { ok } from '../support/expect.ts';
import { type MailServer, openMailServer } from '../support/mail-server.ts';
import { waitUntil } from '../support/patience.ts';
import { createRightsFactory, type Person, type RightsFactory } from '../support/rights.ts';
import { closeServiceAt, openService, openServiceAt, placeOfRun, type Service } from '../support/service.ts';
import {
  deleteSubscriptions,
  FAST_DELIVERY,
  type MailedDomain,
  mailChanges,
  mailTo,
  SUBSCRIPTIONS_PATH,
  updateDescription,
  waitForDelivery,
} from '../support/subscriptions.ts';
import { suite } from '../support/suite.ts';

/** Shows that mail reaches the owners, followers and named people of an asset, each with what they may see. */

const test = suite('events: mail to people');

let service: Service;
let shared: Service;
let server: MailServer;
let rights: RightsFactory;

test.before(async () => {
  shared = await openService();
  await shared.app.dispatcher.stop();
  server = await openMailServer();
  const env = { SMTP_URL: server.url, SMTP_FROM: 'catalog@example.org' };
  service = await openServiceAt(
    { ...placeOfRun(), env },
    { events: { dispatcher: FAST_DELIVERY, tail: { pollMs: 20 } } },
  );
  rights = createRightsFactory(service);
});

test.after(async () => {
  await rights.clear();
  await closeServiceAt(service);
  await server.close();
  await deleteSubscriptions(shared);
  shared.app.dispatcher.start();
});

const subscribe = (...destinations: readonly JsonObject[]) => mailChanges(service, ...destinations);

const owned = async (id: string, ...owners: readonly Person[]): Promise<void> => {
  const value = owners.map((owner) => ({ id: owner.id, type: 'user' }));
  ok(await service.admin.patch(`/v1/domains/${id}`, [{ op: 'add', path: '/owners', value }]));
};

const followed = async (id: string, ...people: readonly Person[]): Promise<void> => {
  for (const person of people) ok(await service.admin.put(`/v1/domains/${id}/followers`, person.id));
};

const mailsTo = ({ name }: { readonly name: string }) => server.to(`${name}@example.com`);

const passed = ({ subscriptionId }: MailedDomain): Promise<void> => waitForDelivery(service, subscriptionId);

const change = async (about: MailedDomain, text: string): Promise<void> => {
  await updateDescription(service, about.id, text);
  await passed(about);
};

type Mails = readonly { readonly source: string }[];

const mailsWith = (mails: Mails, text: string): Mails =>
  mails.filter(({ source }) => source.replace(/=\r\n/g, '').includes(text));

const tellsOf = (mails: Mails, text: string): number => mailsWith(mails, text).length;

test('owners and followers get one mail each, and nobody else gets any', async () => {
  const [ana, ben, cleo] = [await rights.person(), await rights.person(), await rights.person()];
  const robot = await rights.person([], { isBot: true });
  const about = await subscribe(mailTo('Owners'), mailTo('Followers'), mailTo('External', `${ana.name}@example.com`));
  await owned(about.id, ana);
  await followed(about.id, ana, ben, robot);
  await change(about, 'onlyonce');
  assert.is(tellsOf(mailsTo(ana), 'onlyonce'), 1, 'an owner who follows and is a receiver gets one mail');
  assert.is(tellsOf(mailsTo(ben), 'onlyonce'), 1);
  assert.is(mailsTo(cleo).length + mailsTo(robot).length, 0);
});

test('people without sight of an asset, and people who stopped following it, get nothing', async () => {
  const limits = [{ effect: 'deny' as const, operations: ['All'], resources: ['domain'], condition: '!isOwner()' }];
  const [blind, ben] = [await rights.person(limits), await rights.person()];
  const about = await subscribe(mailTo('Followers'), mailTo('Users', blind.name));
  await followed(about.id, blind, ben);
  await change(about, 'firsttold');
  assert.is(tellsOf(mailsTo(ben), 'firsttold'), 1);
  assert.is(mailsTo(blind).length, 0);
  ok(await service.admin.delete(`/v1/domains/${about.id}/followers/${ben.id}`));
  await owned(about.id, blind);
  await change(about, 'secondtold');
  assert.is(tellsOf(mailsTo(ben), 'secondtold'), 0);
  assert.is(tellsOf(mailsTo(blind), 'secondtold'), 1, 'an owner sees it');
});

test('a mail names whoever made a change to those only who may see that user', async () => {
  const [ana, ben] = [
    await rights.person(),
    await rights.person([{ effect: 'deny', operations: ['ViewBasic'], resources: ['user'] }]),
  ];
  const actor = await rights.person([], { isAdmin: true });
  const about = await subscribe(mailTo('Followers'));
  await followed(about.id, ana, ben);
  ok(await actor.patch(`/v1/domains/${about.id}`, [{ op: 'replace', path: '/description', value: 'bywhom' }]));
  await passed(about);
  assert.is(tellsOf(mailsTo(ana), `by ${actor.name}`), 1);
  assert.is(tellsOf(mailsTo(ben), actor.name), 0);
  // That somebody follows is told too, at times in a mail before.
  assert.is(tellsOf(mailsWith(mailsTo(ben), 'bywhom'), 'by somebody'), 1);
});

test('named people, members of teams and administrators get mail, without who is deleted or made the change', async () => {
  const [ana, ben, gone] = [await rights.person(), await rights.person(), await rights.person()];
  const team = await rights.team({ users: [ben.id, gone.id] });
  const chief = await rights.person([], { isAdmin: true });
  const about = await subscribe(mailTo('Users', ana.name), mailTo('Teams', team.name), mailTo('Admins'));
  ok(await service.admin.delete(`/v1/users/${gone.id}`));
  await change(about, 'toldmany');
  for (const person of [ana, ben, chief]) assert.is(tellsOf(mailsTo(person), 'toldmany'), 1);
  assert.is(mailsTo(gone).length, 0);
  ok(await chief.patch(`/v1/domains/${about.id}`, [{ op: 'replace', path: '/description', value: 'ownchange' }]));
  await passed(about);
  assert.is(tellsOf(mailsTo(ana), 'ownchange'), 1);
  assert.is(tellsOf(mailsTo(chief), 'ownchange'), 0);
});

test('a mail server that is away for a while loses no mail and repeats none', async () => {
  const [ana, ben] = [await rights.person(), await rights.person()];
  const about = await subscribe(mailTo('Followers'));
  await followed(about.id, ana, ben);
  let refusals = 0;
  server.react((address) => {
    if (address !== `${ana.name}@example.com` || refusals >= 2) return undefined;
    refusals += 1;
    return 451;
  });
  await change(about, 'keptfor');
  await waitUntil(() => tellsOf(mailsTo(ana), 'keptfor') === 1, 'it arrives in the end');
  server.react(() => undefined);
  assert.is(tellsOf(mailsTo(ben), 'keptfor'), 1);
  assert.is(refusals, 2);
});

test('the test of mail to people goes to the caller alone', async () => {
  const [ana, chief] = [await rights.person(), await rights.person([], { isAdmin: true })];
  const destinations = [mailTo('Users', ana.name)];
  const [shown] = ok(await chief.post(`${SUBSCRIPTIONS_PATH}/testDestination`, { destinations }));
  assert.is(shown.statusDetails.status, 'active');
  assert.is(mailsTo(chief).length, 1);
  assert.is(mailsTo(ana).length, 0);
});

test.run();
