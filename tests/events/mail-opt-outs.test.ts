import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { ok } from '../support/expect.ts';
import { type MailServer, openMailServer, type ReceivedMail } from '../support/mail-server.ts';
import { waitUntil } from '../support/patience.ts';
import { createRightsFactory, type Person, type RightsFactory } from '../support/rights.ts';
import { anonymous, closeServiceAt, openService, openServiceAt, placeOfRun, type Service } from '../support/service.ts';
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

/** Shows that each person can end what an event subscription mails them, by one request, and can have it again. */

const test = suite('events: the end of mail to people');

const PUBLIC_URL = 'https://catalog.example.org';
const UNSUBSCRIBE = '/v1/notifications/unsubscribe';
const OPT_OUTS = '/v1/notifications/mailOptOuts';

let service: Service;
let shared: Service;
let server: MailServer;
let rights: RightsFactory;

const openMailing = (): Promise<Service> =>
  openServiceAt(
    { ...placeOfRun(), env: { SMTP_URL: server.url, SMTP_FROM: 'catalog@example.org', PUBLIC_URL } },
    { events: { dispatcher: FAST_DELIVERY, tail: { pollMs: 20 } } },
  );

test.before(async () => {
  shared = await openService();
  await shared.app.dispatcher.stop();
  server = await openMailServer();
  service = await openMailing();
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

/** Changes the domain, and waits until the subscription has told everybody. */
const change = async ({ id, subscriptionId }: MailedDomain, text: string, by = service): Promise<void> => {
  await updateDescription(by, id, text);
  await waitForDelivery(by, subscriptionId);
};

const sourceOf = ({ source }: ReceivedMail): string => source.replace(/=\r\n/g, '').replaceAll('=3D', '=');

const mailsWith = ({ name }: Person, text: string): readonly ReceivedMail[] =>
  server.to(`${name}@example.com`).filter((mail) => sourceOf(mail).includes(text));

/** The path and token of the link that ends such mails. */
const endOf = (person: Person, text: string): string => {
  const [mail] = mailsWith(person, text);
  assert.ok(mail, `${person.name} is told`);
  assert.match(mail.source, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
  const url = /^List-Unsubscribe: <(\S+)>\r$/m.exec(mail.source)?.[1] ?? '';
  assert.ok(url.startsWith(`${PUBLIC_URL}${UNSUBSCRIBE}?token=`), mail.source);
  assert.match(sourceOf(mail), `End these mails: ${url}`);
  return url.slice(PUBLIC_URL.length);
};

const endBy = async (path: string): Promise<void> => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  assert.is((await anonymous(service).raw('POST', path, 'List-Unsubscribe=One-Click', headers)).status, 200);
};

test('the link of a mail ends what one subscription mails one person, and the person can have it again', async () => {
  const [ana, ben] = [await rights.person(), await rights.person()];
  const about = await subscribe(mailTo('Users', ana.name, ben.name), mailTo('Owners'));
  const other = await subscribe(mailTo('Users', ana.name));
  const owners = [{ id: ana.id, type: 'user' }];
  ok(await service.admin.patch(`/v1/domains/${about.id}`, [{ op: 'add', path: '/owners', value: owners }]));
  const before = ok(await service.admin.get(`${SUBSCRIPTIONS_PATH}/${about.subscriptionId}`));
  await change(about, 'firstnews');
  const path = endOf(ana, 'firstnews');

  const page = await anonymous(service).get(path);
  assert.is(page.status, 200);
  assert.match(page.text, about.name);
  assert.match(page.text, '<form method="post">');
  assert.match(page.headers.get('content-security-policy') ?? '', "form-action 'self'");
  assert.equal(ok(await ana.get(OPT_OUTS)), { data: [], paging: { total: 0 } }, 'looking ends nothing');

  await endBy(path);
  await endBy(path);
  assert.match((await anonymous(service).get(path)).text, 'Mail ended');
  await change(about, 'secondnews');
  await change(other, 'othernews');
  assert.is(mailsWith(ana, 'secondnews').length, 0, 'whichever destination leads there');
  assert.is(mailsWith(ben, 'secondnews').length, 1);
  assert.is(mailsWith(ana, 'othernews').length, 1, 'another subscription goes on');

  const { data, paging } = ok(await ana.get(OPT_OUTS));
  assert.is(paging.total, 1);
  const [{ createdAt, ...optOut }] = data;
  assert.equal(optOut, { id: about.subscriptionId, name: about.name });
  assert.ok(Math.abs(createdAt - Date.now()) < 600_000);
  const { statusDetails: _, ...after } = ok(await service.admin.get(`${SUBSCRIPTIONS_PATH}/${about.subscriptionId}`));
  assert.is(after.version, before.version);
  assert.equal(Object.keys(after).sort(), Object.keys(before).sort(), 'the subscription shows nothing of it');
  assert.not.ok(JSON.stringify(after).includes(ana.id));

  assert.equal(ok(await ana.delete(`${OPT_OUTS}/${about.subscriptionId}`)), data[0]);
  assert.is((await ana.delete(`${OPT_OUTS}/${about.subscriptionId}`)).status, 404);
  await change(about, 'thirdnews');
  assert.is(mailsWith(ana, 'thirdnews').length, 1);
});

test('an ended mail stays ended for a process that begins later', async () => {
  const ana = await rights.person();
  const about = await subscribe(mailTo('Users', ana.name));
  await change(about, 'beforestop');
  await endBy(endOf(ana, 'beforestop'));
  await service.app.dispatcher.stop();
  const later = await openMailing();
  try {
    await change(about, 'afterstart', later);
    assert.is(mailsWith(ana, 'afterstart').length, 0);
    ok(await ana.delete(`${OPT_OUTS}/${about.subscriptionId}`));
    await change(about, 'wantedagain', later);
    assert.is(mailsWith(ana, 'wantedagain').length, 1);
  } finally {
    await closeServiceAt(later);
    service.app.dispatcher.start();
  }
});

test('a mail that waits for another attempt is given up when its reader ends it', async () => {
  const ana = await rights.person();
  const about = await subscribe(mailTo('Users', ana.name));
  await change(about, 'taken');
  const path = endOf(ana, 'taken');
  let refusals = 0;
  server.react(() => {
    refusals += 1;
    return 451;
  });
  await updateDescription(service, about.id, 'refused');
  await waitUntil(() => refusals > 0, 'it is tried');
  await endBy(path);
  server.react(() => undefined);
  await change(about, 'unwanted');
  assert.is(mailsWith(ana, 'refused').length + mailsWith(ana, 'unwanted').length, 0);
});

test('people end and resume their own mails only, and no forged link does anything', async () => {
  const [ana, eve] = [await rights.person(), await rights.person()];
  const about = await subscribe(mailTo('Users', ana.name));
  const { secrets } = service.app.engine;
  const sealed = (text: string) => `${UNSUBSCRIBE}?token=${encodeURIComponent(secrets.sealText(text))}`;
  const ids = `${about.subscriptionId} ${ana.id}`;
  for (const forged of [
    `${UNSUBSCRIBE}?token=${encodeURIComponent(`end of mail ${ids}`)}`,
    `${sealed(`end of mail ${ids}`)}x`,
    sealed(`end of mail ${ids} ${eve.id}`),
    sealed(`end of mail ${about.subscriptionId} everybody`),
    sealed(`end of mail ${about.subscriptionId} `),
    sealed(ids),
  ]) {
    assert.is((await anonymous(service).raw('POST', forged, '')).status, 400, forged);
    assert.is((await anonymous(service).get(forged)).status, 400, forged);
  }
  // Neither a domain nor somebody who is gone has mails to end.
  await endBy(sealed(`end of mail ${about.id} ${ana.id}`));
  await endBy(sealed(`end of mail ${about.subscriptionId} ${about.id}`));
  assert.is(ok(await ana.get(OPT_OUTS)).paging.total, 0);

  await endBy(sealed(`end of mail ${ids}`));
  assert.is(ok(await eve.get(OPT_OUTS)).paging.total, 0);
  assert.is(ok(await service.admin.get(OPT_OUTS)).paging.total, 0, 'administrators see their own as well');
  assert.is((await eve.delete(`${OPT_OUTS}/${about.subscriptionId}`)).status, 404);
  assert.is((await service.admin.delete(`${OPT_OUTS}/${about.subscriptionId}`)).status, 404);
  assert.is((await ana.delete(`${OPT_OUTS}/nothing`)).status, 404);
  assert.is((await anonymous(service).get(OPT_OUTS)).status, 401);
  assert.is(ok(await ana.get(OPT_OUTS)).paging.total, 1);
  ok(await service.admin.delete(`${SUBSCRIPTIONS_PATH}/${about.subscriptionId}`));
  assert.is(ok(await ana.get(OPT_OUTS)).paging.total, 0, 'it is gone with its subscription');
});

test('what a person has ended is listed page by page', async () => {
  const ana = await rights.person();
  const subjects: MailedDomain[] = [];
  for (let at = 0; at < 3; at += 1) subjects.push(await subscribe(mailTo('Users', ana.name)));
  for (const { subscriptionId } of subjects) {
    const token = service.app.engine.secrets.sealText(`end of mail ${subscriptionId} ${ana.id}`);
    await endBy(`${UNSUBSCRIBE}?token=${encodeURIComponent(token)}`);
  }
  const first = ok(await ana.get(`${OPT_OUTS}?limit=2`));
  assert.is(first.paging.total, 3);
  const second = ok(await ana.get(`${OPT_OUTS}?limit=2&after=${first.paging.after}`));
  assert.is(second.paging.after, undefined);
  const seen = [...first.data, ...second.data].map(({ id }: { id: string }) => id);
  assert.equal(seen, subjects.map(({ subscriptionId }) => subscriptionId).sort());
  for (const wrong of ['limit=0', 'limit=1001', 'after=x', 'all=true'])
    assert.is((await ana.get(`${OPT_OUTS}?${wrong}`)).status, 400, wrong);
});

test('mails to addresses, and tests of destinations, have no such link', async () => {
  const [ana, chief] = [await rights.person(), await rights.person([], { isAdmin: true })];
  const about = await subscribe(mailTo('External', `${ana.name}@example.com`));
  await change(about, 'byaddress');
  ok(await chief.post(`${SUBSCRIPTIONS_PATH}/testDestination`, { destinations: [mailTo('Users', ana.name)] }));
  const mails = [...mailsWith(ana, 'byaddress'), ...mailsWith(chief, '')];
  assert.is(mails.length, 2);
  for (const { source } of mails) assert.not.match(source, 'List-Unsubscribe');
});

test.run();
