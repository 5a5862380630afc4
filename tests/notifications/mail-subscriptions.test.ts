import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { ok } from '../support/expect.ts';
import { type MailServer, openMailServer, type ReceivedMail } from '../support/mail-server.ts';
import { waitUntil } from '../support/patience.ts';
import { createRightsFactory, type Person, type RightsFactory } from '../support/rights.ts';
import {
  anonymous,
  closeServiceAt,
  openService,
  openServiceAt,
  placeOfRun,
  type Service,
  uniqueName,
  withToken,
} from '../support/service.ts';
import { createDomain, updateDescription } from '../support/subscriptions.ts';
import { suite } from '../support/suite.ts';
import { waitForMails, waitForNotifications } from '../support/wait-for-events.ts';

/** Shows that everybody may be mailed about what they own or follow, and that this reveals and reaches nothing else. */

const test = suite('notifications: mail subscriptions');

const PATH = '/v1/notifications/subscriptions';
const PUBLIC_URL = 'https://catalog.example.org';

let service: Service;
let server: MailServer;
let rights: RightsFactory;

test.before(async () => {
  server = await openMailServer();
  const env = { SMTP_URL: server.url, SMTP_FROM: 'catalog@example.org', PUBLIC_URL };
  service = await openServiceAt(
    { ...placeOfRun(), env },
    { events: { tail: { pollMs: 20 } }, notifications: { mail: { beatMs: 50, retryMs: [100, 100] } } },
  );
  rights = createRightsFactory(service);
});

test.after(async () => {
  await rights.clear();
  await service.graph.query('MATCH (n:MailSubscription) DETACH DELETE n');
  await closeServiceAt(service);
  await server.close();
});

/** Subscribes somebody to what comes from now on: what has been done before is a notification already and never mailed. */
const subscribe = async (person: Person, body: JsonObject = {}): Promise<{ readonly id: string }> => {
  await waitForNotifications(service);
  return ok(await person.post(PATH, { name: 'mine', ...body }), 201);
};

const followed = async (id: string, ...people: readonly Person[]): Promise<void> => {
  for (const person of people) ok(await service.admin.put(`/v1/domains/${id}/followers`, person.id));
};

const owned = async (id: string, ...owners: readonly { readonly id: string; readonly type: string }[]) => {
  ok(await service.admin.patch(`/v1/domains/${id}`, [{ op: 'add', path: '/owners', value: owners as never }]));
};

const mailsTo = ({ name }: { readonly name: string }): readonly ReceivedMail[] => server.to(`${name}@example.com`);

const sourceOf = ({ source }: ReceivedMail): string => source.replace(/=\r\n/g, '').replaceAll('=3D', '=');

const change = async (id: string, text: string): Promise<void> => {
  await updateDescription(service, id, text);
  await waitForMails(service);
};

const statusOf = async (person: Person) => ok(await person.get(PATH)).data[0].statusDetails;

test('whoever owns or follows is mailed why, and nobody else is', async () => {
  const [ana, ben, cleo, dan] = [
    await rights.person(),
    await rights.person(),
    await rights.person(),
    await rights.person(),
  ];
  const team = await rights.team({ users: [ben.id] });
  const name = uniqueName('mailed');
  const id = await createDomain(service, name);
  await owned(id, { id: team.id, type: 'team' });
  await followed(id, ana, dan);
  for (const person of [ana, ben, cleo]) await subscribe(person);
  await change(id, 'told');
  const [[toAna], [toBen]] = [mailsTo(ana), mailsTo(ben)];
  assert.ok(toAna && toBen);
  assert.match(sourceOf(toAna), 'because you follow it and made the mail subscription mine.');
  assert.match(sourceOf(toBen), 'because you own it and made the mail subscription mine.');
  assert.match(sourceOf(toAna), `Subject: ${name}`);
  assert.match(sourceOf(toAna), `${PUBLIC_URL}/domains/${name}`);
  assert.is(mailsTo(cleo).length + mailsTo(dan).length, 0, 'neither strangers nor who did not subscribe');
  assert.is((await statusOf(ana)).mails, 1);
});

test('a subscription selects by type of asset, event and reason', async () => {
  const [ana, ben, cleo, dan] = [
    await rights.person(),
    await rights.person(),
    await rights.person(),
    await rights.person(),
  ];
  const id = await createDomain(service);
  await followed(id, ana, ben, cleo, dan);
  await subscribe(ana, { resources: ['table'] });
  await subscribe(ben, { eventTypes: ['entitySoftDeleted'] });
  await subscribe(cleo, { reasons: ['owner'] });
  const { id: own } = await subscribe(dan, { resources: ['table'] });
  ok(await dan.put(`${PATH}/${own}`, { name: 'all', resources: ['domain'] }));
  await change(id, 'selected');
  assert.is(mailsTo(ana).length + mailsTo(ben).length + mailsTo(cleo).length, 0);
  assert.is(mailsTo(dan).length, 1);
});

test('an owner who also follows is mailed for either reason', async () => {
  const [ana, ben, cleo] = [await rights.person(), await rights.person(), await rights.person()];
  const id = await createDomain(service);
  await owned(id, { id: ana.id, type: 'user' }, { id: ben.id, type: 'user' }, { id: cleo.id, type: 'user' });
  await followed(id, ana, ben, cleo);
  await subscribe(ana, { reasons: ['owner'] });
  await subscribe(ben, { reasons: ['follower'] });
  await subscribe(cleo, { reasons: ['downstream'] });
  await change(id, 'both');
  assert.match(sourceOf(mailsTo(ana)[0] as ReceivedMail), 'because you own it and made');
  assert.match(sourceOf(mailsTo(ben)[0] as ReceivedMail), 'because you follow it and made');
  assert.is(mailsTo(cleo).length, 0);
  const [note] = ok(await ana.get('/v1/notifications')).data;
  assert.is(note.reason, 'follower', 'the inbox names the first reason');
  assert.not.ok('reasons' in note);
  // As an older version wrote it, with one reason.
  await service.graph.query(
    `MATCH (n:Notification {userId: $id}) REMOVE n.reasons
     WITH n MATCH (s:MailSubscription {userId: $id})
     SET s.seq = 0, s.dueAt = timestamp(), s.reasons = ['follower']`,
    { id: ana.id },
  );
  await waitForMails(service);
  assert.match(sourceOf(mailsTo(ana)[1] as ReceivedMail), 'because you follow it and made');
});

test('changes within the pause become one mail', async () => {
  const ana = await rights.person();
  const id = await createDomain(service);
  await followed(id, ana);
  await subscribe(ana, { pollInterval: 60 });
  await change(id, 'first');
  for (const text of ['second', 'third', 'fourth']) await change(id, text);
  assert.is(mailsTo(ana).length, 1, 'the pause holds them');
  await service.graph.query('MATCH (s:MailSubscription {userId: $id}) SET s.dueAt = timestamp()', { id: ana.id });
  await waitForMails(service);
  assert.is(mailsTo(ana).length, 2);
  assert.match(sourceOf(mailsTo(ana)[1] as ReceivedMail), 'Subject: 3 changes to');
});

test('what policies hide is neither mailed nor counted', async () => {
  const limits = [{ effect: 'deny' as const, operations: ['All'], resources: ['domain'], condition: '!isOwner()' }];
  const [blind, ben] = [await rights.person(limits), await rights.person()];
  const id = await createDomain(service);
  await followed(id, blind, ben);
  await subscribe(blind);
  await subscribe(ben);
  await change(id, 'hidden');
  assert.is(mailsTo(ben).length, 1);
  assert.is(mailsTo(blind).length, 0);
  assert.equal(await statusOf(blind), { mails: 0 });
  await owned(id, { id: blind.id, type: 'user' });
  await change(id, 'shown');
  assert.is(mailsTo(blind).length, 1, 'as its owner');
});

test('a mail names whoever made a change to those only who may see that user', async () => {
  const deny = { effect: 'deny' as const, operations: ['ViewBasic'], resources: ['user'] };
  const [ana, ben, cleo] = [
    await rights.person(),
    await rights.person([deny]),
    await rights.person([{ ...deny, condition: '!isOwner()' }]),
  ];
  const actor = await rights.person([], { isAdmin: true });
  const id = await createDomain(service);
  await followed(id, ana, ben, cleo);
  for (const person of [ana, ben, cleo]) await subscribe(person);
  ok(await actor.patch(`/v1/domains/${id}`, [{ op: 'replace', path: '/description', value: 'by whom' }]));
  await waitForMails(service);
  const [toAna, toBen, toCleo] = [ana, ben, cleo].map((person) => sourceOf(mailsTo(person)[0] as ReceivedMail));
  assert.match(toAna ?? '', `by ${actor.name}`);
  for (const source of [toBen ?? '', toCleo ?? '']) {
    assert.not.match(source, actor.name);
    assert.match(source, 'by somebody');
  }
});

test('nobody subscribes for others, elsewhere or without end', async () => {
  const [ana, eve] = [await rights.person(), await rights.person()];
  const { id } = await subscribe(ana);
  const before = ok(await ana.get(`${PATH}/${id}`));
  for (const extra of [
    { owners: [{ id: ana.id, type: 'user' }] },
    { userId: ana.id },
    { destinations: [{ category: 'Users', type: 'Email', config: { receivers: [ana.name] } }] },
    { input: { filters: [] } },
    { resources: ['nothing'] },
    { reasons: ['subscription'] },
    { pollInterval: 1 },
  ]) {
    assert.is((await eve.post(PATH, { name: 'x', ...extra })).status, 400, JSON.stringify(extra));
  }
  assert.is((await eve.post(PATH, [])).status, 400);
  assert.is((await eve.get(`${PATH}/${id}`)).status, 404);
  assert.is((await eve.put(`${PATH}/${id}`, { name: 'hers', userId: eve.id })).status, 400);
  assert.is((await eve.put(`${PATH}/${id}`, { name: 'hers' })).status, 404);
  assert.is((await eve.delete(`${PATH}/${id}`)).status, 404);
  assert.equal(ok(await eve.get(`${PATH}?all=true`)), { data: [], paging: { total: 0 } });
  assert.equal(ok(await ana.get(`${PATH}/${id}`)), before);
  assert.is((await anonymous(service).get(PATH)).status, 401);

  const answers = await Promise.all(Array.from({ length: 25 }, () => eve.post(PATH, { name: 'flood' })));
  assert.is(answers.filter(({ status }) => status === 201).length, 10);
  assert.is(answers.filter(({ status }) => status === 409).length, 15);
  assert.is(ok(await eve.get(PATH)).paging.total, 10);

  const robot = await rights.person([], { isBot: true });
  assert.is((await robot.post(PATH, { name: 'x' })).status, 400);
  const refused = await eve.post('/v1/events/subscriptions', { name: 'x', alertType: 'Notification' });
  assert.is(refused.status, 403);
  assert.match(refused.headers.get('x-hint') ?? '', PATH, 'the refusal names what everybody may do');
});

test('administrators see and end the subscriptions of everybody, page by page', async () => {
  const [ana, ben] = [await rights.person(), await rights.person()];
  const ids = [(await subscribe(ana)).id, (await subscribe(ben)).id];
  const seen: string[] = [];
  let after = '';
  do {
    const { data, paging } = ok(await service.admin.get(`${PATH}?all=true&limit=3${after}`));
    seen.push(...data.map((one: { id: string }) => one.id));
    after = paging.after === undefined ? '' : `&after=${encodeURIComponent(paging.after)}`;
  } while (after !== '');
  assert.ok(ids.every((id) => seen.includes(id)));
  assert.is(new Set(seen).size, seen.length);
  const id = await createDomain(service);
  await followed(id, ana, ben);
  assert.is(ok(await service.admin.delete(`${PATH}/${ids[0]}`)).userName, ana.name);
  await change(id, 'ended');
  assert.is(mailsTo(ana).length, 0);
  assert.is(mailsTo(ben).length, 1);
});

test('the link of a mail ends its subscription by one request, and does nothing else', async () => {
  const [ana, ben] = [await rights.person(), await rights.person()];
  const id = await createDomain(service);
  await followed(id, ana, ben);
  await subscribe(ana, { name: '<b>mine</b>' });
  await subscribe(ben);
  await change(id, 'link');
  const source = (mailsTo(ana)[0] as ReceivedMail).source;
  assert.match(source, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
  const url = /^List-Unsubscribe: <(\S+)>\r$/m.exec(source)?.[1] ?? '';
  assert.ok(url.startsWith(`${PUBLIC_URL}/v1/notifications/unsubscribe?token=`), source);
  assert.match(sourceOf(mailsTo(ana)[0] as ReceivedMail), `End these mails: ${url}`);
  const path = url.slice(PUBLIC_URL.length);
  const token = new URL(url).searchParams.get('token') ?? '';
  const visitor = anonymous(service);

  const page = await visitor.get(path);
  assert.is(page.status, 200);
  assert.match(page.text, '&lt;b&gt;mine&lt;/b&gt;');
  assert.match(page.headers.get('content-security-policy') ?? '', "default-src 'none'");
  assert.is(ok(await ana.get(PATH)).paging.total, 1, 'looking ends nothing');
  assert.is((await withToken(service, token).get(PATH)).status, 401);
  for (const wrong of ['', 'x', `${token}x`, token.slice(0, -2), service.app.engine.secrets.sealText('end of all')]) {
    const answer = await visitor.raw('POST', `/v1/notifications/unsubscribe?token=${encodeURIComponent(wrong)}`, '');
    assert.is(answer.status, 400, wrong);
  }
  for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
    const headers = { 'content-type': type };
    assert.is((await visitor.raw('POST', path, 'List-Unsubscribe=One-Click', headers)).status, 200);
    assert.is(ok(await ana.get(PATH)).paging.total, 0);
  }
  assert.is(ok(await ben.get(PATH)).paging.total, 1);
  assert.match((await visitor.get(path)).text, 'Mail ended');
});

test('a mailbox that refuses mail delays nobody else and loses nothing', async () => {
  const [ana, ben, cleo] = [await rights.person(), await rights.person(), await rights.person()];
  const id = await createDomain(service);
  await followed(id, ana, ben, cleo);
  for (const person of [ana, ben, cleo]) await subscribe(person);
  let refusals = 0;
  server.react((address) => {
    if (address === `${cleo.name}@example.com`) return 550;
    if (address !== `${ana.name}@example.com` || refusals >= 2) return undefined;
    refusals += 1;
    return 451;
  });
  await change(id, 'refused');
  await waitUntil(() => mailsTo(ana).length === 1, 'it arrives in the end');
  server.react(() => undefined);
  assert.is(refusals, 2);
  assert.is(mailsTo(ben).length, 1);
  assert.is((await statusOf(cleo)).lastFailedReason, 'The mail server answered 550');
  assert.is((await statusOf(cleo)).mails, 0);
  await change(id, 'accepted');
  assert.is(mailsTo(cleo).length, 1, 'what comes later is mailed again');
  await waitForMails(service);
  assert.is(mailsTo(ana).length, 1, 'once');
});

test('the subscriptions of a deleted person end, also when the person is restored', async () => {
  const [ana, ben] = [await rights.person(), await rights.person()];
  const id = await createDomain(service);
  await followed(id, ana, ben);
  await subscribe(ana);
  await subscribe(ben);
  ok(await service.admin.delete(`/v1/users/${ana.id}`));
  ok(await service.admin.delete(`/v1/users/${ben.id}?hardDelete=true`));
  await change(id, 'gone');
  const rows = await service.graph.query('MATCH (s:MailSubscription) WHERE s.userId IN $ids RETURN s.id AS id', {
    ids: [ana.id, ben.id],
  });
  assert.equal(rows, []);
  ok(await service.admin.put('/v1/users/restore', { id: ana.id }));
  const again = await service.as(ana.name);
  assert.is(ok(await again.get(PATH)).paging.total, 0);
  assert.is(mailsTo(ana).length + mailsTo(ben).length, 0);
});

test('without a mail server, nobody can subscribe', async () => {
  const shared = await openService();
  const ana = await rights.person();
  const answer = await (await shared.as(ana.name)).post(PATH, { name: 'x' });
  assert.is(answer.status, 400);
  assert.match(answer.text, 'SMTP_URL');
});

test.run();
