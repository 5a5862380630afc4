import { randomUUID } from 'node:crypto';
import * as assert from 'uvu/assert';
import { NOTABLE_EVENT_TYPES } from '../../src/notifications/notification-trigger.ts';
import { removeOldNotifications } from '../../src/notifications/retention.ts';
import { expectList, expectRefused, ok } from '../support/expect.ts';
import { anonymous, openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { describe, follow, inboxOf, newActor, newPerson, newShop, type Person, type Told } from './fixture.ts';

/** Shows that the inbox lists, counts, marks and deletes notifications (events.md 5). */

const test = suite('notifications: inbox');

let service: Service;
let actor: Person;
let reader: Person;
let other: Person;
let tableId: string;
let schemaId: string;

const TEXTS = ['one', 'two', 'three', 'four', 'five'];

test.before(async () => {
  service = await openService();
  [actor, reader, other] = [await newActor(service), await newPerson(service), await newPerson(service)];
  const shop = await newShop(service);
  schemaId = shop.schemaId;
  tableId = await shop.newTable('orders');
  await follow(reader, 'tables', tableId);
  await follow(reader, 'databaseSchemas', schemaId);
  for (const text of TEXTS) await describe(actor, 'tables', tableId, text);
  await describe(actor, 'databaseSchemas', schemaId, 'x');
  await inboxOf(service, reader);
});

const page = async (query = '') => expectList(await reader.get(`/v1/notifications?${query}`));
const idsOf = (list: { readonly data: readonly Told[] }): string[] => list.data.map(({ id }) => id);

test('a notification says who did what to which record', async () => {
  const { data, paging } = await page();
  assert.is(paging.total, 6);
  const [newest, second] = data;
  assert.equal(Object.keys(newest).sort(), [
    'actor',
    'changeEventId',
    'entityRef',
    'eventType',
    'id',
    'read',
    'reason',
    'summary',
    'timestamp',
    'userId',
  ]);
  assert.is(newest.entityRef.id, schemaId);
  const { entityRef, ...rest } = second;
  assert.is(entityRef.type, 'table');
  assert.is(entityRef.name, 'orders');
  assert.is(entityRef.deleted, false);
  assert.ok(entityRef.href.endsWith(`/v1/tables/${tableId}`), entityRef.href);
  assert.equal([rest.userId, rest.reason, rest.read], [reader.id, 'follower', false]);
  assert.equal([rest.actor, rest.eventType, rest.summary], [actor.name, 'entityUpdated', 'description changed']);
  const events = expectList(await service.admin.get(`/v1/events?entityId=${tableId}&eventType=entityUpdated`)).data;
  const told = events.find((event: { id: string }) => event.id === rest.changeEventId);
  assert.is(told?.timestamp, rest.timestamp);
});

test('the inbox is paged in both directions, newest first', async () => {
  const all = idsOf(await page('limit=100'));
  const first = await page('limit=4');
  assert.equal(idsOf(first), all.slice(0, 4));
  assert.is(first.paging.before, undefined);
  const second = await page(`limit=4&after=${first.paging.after}`);
  assert.equal(idsOf(second), all.slice(4));
  assert.is(second.paging.after, undefined);
  const back = await page(`limit=2&before=${second.paging.before}`);
  assert.equal(idsOf(back), all.slice(2, 4));
  assert.equal(idsOf(await page(`limit=2&after=${back.paging.after}`)), all.slice(4));
  const start = await page(`limit=10&before=${back.paging.before}`);
  assert.equal(idsOf(start), all.slice(0, 2));
  assert.is(start.paging.before, undefined);
  const none = await page('limit=0');
  assert.equal([none.data, none.paging], [[], { total: 6 }]);
});

test('filters narrow the list and its total', async () => {
  assert.is((await page('entityType=table')).paging.total, 5);
  assert.is((await page('entityType=databaseSchema,table')).paging.total, 6);
  assert.equal((await page('entityType=topic')).data, []);
  const { data } = await page('limit=100');
  const since = await page(`since=${data[1].timestamp}&limit=100`);
  assert.equal(idsOf(since), idsOf({ data: data.filter(({ timestamp }: Told) => timestamp >= data[1].timestamp) }));
  assert.is((await page(`since=${Date.now() + 60_000}`)).paging.total, 0);
});

test('invalid parameters are refused with 400', async () => {
  for (const query of [
    'limit=x',
    'limit=-1',
    'limit=1000001',
    'after=!',
    'unread=yes',
    'since=-1',
    'entityType=nothing',
  ])
    expectRefused(await reader.get(`/v1/notifications?${query}`), 400);
  const { paging } = await page('limit=1');
  expectRefused(
    await reader.get(`/v1/notifications?after=${paging.after}&before=${paging.after}`),
    400,
    'Only one of before or after query parameter allowed',
  );
});

test('marking one or all as read updates the counts and the filter', async () => {
  const { data } = await page('limit=100');
  const [newest, , third] = data;
  const path = `/v1/notifications/${third.id}`;
  assert.equal(ok(await reader.put(`${path}/read`, { read: true })), { ...third, read: true });
  assert.equal(ok(await reader.get('/v1/notifications/count')), { unread: 5, total: 6 });
  const unread = await page('unread=true&limit=2');
  assert.is(unread.paging.total, 5);
  assert.equal(idsOf(unread), [data[0].id, data[1].id]);
  const rest = await page(`unread=true&after=${unread.paging.after}`);
  assert.equal(idsOf(rest), [data[3].id, data[4].id, data[5].id]);
  assert.equal(idsOf(await page(`unread=true&limit=1&before=${rest.paging.before}`)), [data[1].id]);
  assert.is(ok(await reader.put(`${path}/read`, { read: false })).read, false);
  assert.is(ok(await reader.get(path)).read, false);
  const before = newest.timestamp;
  const older = data.filter(({ timestamp }: Told) => timestamp < before).length;
  assert.equal(ok(await reader.put('/v1/notifications/read', { before })), { updated: older });
  assert.equal(ok(await reader.put('/v1/notifications/read', { before })), { updated: 0 });
  assert.equal(ok(await reader.get('/v1/notifications/count')), { unread: 6 - older, total: 6 });
  for (const body of [{}, { read: 'x' }, { read: true, more: 1 }, []])
    expectRefused(await reader.put(`${path}/read`, body), 400);
  for (const body of [{}, { before: -1 }, { before: 'x' }, { before: 1.5 }, { after: 1 }])
    expectRefused(await reader.put('/v1/notifications/read', body), 400);
});

test('notifications of others and invalid ids are 404, and a missing token is 401', async () => {
  const [{ id }] = (await page('limit=1')).data;
  for (const wrong of [id, randomUUID(), 'x']) {
    const path = `/v1/notifications/${wrong}`;
    expectRefused(await other.get(path), 404, `notification instance for ${wrong} not found`);
    expectRefused(await other.put(`${path}/read`, { read: true }), 404);
    expectRefused(await other.delete(path), 404);
  }
  assert.equal(ok(await other.get('/v1/notifications/count')), { unread: 0, total: 0 });
  assert.is((await anonymous(service).get('/v1/notifications')).status, 401);
});

test('a removed notification is returned once more and does not come back', async () => {
  const { data } = await page('limit=100');
  const last = data.at(-1);
  assert.equal(ok(await reader.delete(`/v1/notifications/${last.id}`)), last);
  expectRefused(await reader.delete(`/v1/notifications/${last.id}`), 404);
  assert.is((await inboxOf(service, reader)).length, data.length - 1);
});

test('preferences have defaults and are stored', async () => {
  const path = '/v1/notifications/preferences';
  const unsaid = {
    enabled: true,
    reasons: ['follower', 'owner'],
    eventTypes: [...NOTABLE_EVENT_TYPES],
    includeDescendants: false,
  };
  assert.equal(ok(await other.get(path)), unsaid);
  const said = { enabled: false, reasons: ['owner'], eventTypes: ['entityDeleted'], includeDescendants: true };
  assert.equal(ok(await other.put(path, said)), said);
  assert.equal(ok(await other.get(path)), said);
  assert.equal(ok(await other.put(path, { reasons: ['owner', 'follower', 'owner'], enabled: null })), unsaid);
  const all = { reasons: ['downstream', 'owner', 'follower'] };
  assert.equal(ok(await other.put(path, all)).reasons, ['follower', 'owner', 'downstream']);
  assert.equal(ok(await other.put(path, {})), unsaid);
  assert.equal(ok(await other.put(path, { eventTypes: [] })), { ...unsaid, eventTypes: [] });
  const wrong = [
    { enabled: 'yes' },
    { reasons: ['curiosity'] },
    { reasons: 'owner' },
    { eventTypes: ['entityCreated'] },
    { eventTypes: ['x'] },
    { includeDescendants: 1 },
    { more: true },
    [],
  ];
  for (const body of wrong) expectRefused(await other.put(path, body), 400);
  expectRefused(await other.raw('PUT', path, undefined), 400);
  assert.equal(ok(await other.get(path)), { ...unsaid, eventTypes: [] });
  assert.equal(ok(await reader.get(path)), unsaid, 'everybody has their own');
});

test('notifications about hidden assets are not shown', async () => {
  const deny = { effect: 'deny', operations: ['ViewBasic'], resources: ['databaseSchema'], name: 'hidden' };
  const policy = ok(
    await service.admin.post('/v1/policies', { name: `hide_${randomUUID().slice(0, 8)}`, rules: [deny] }),
    201,
  );
  const role = { name: `blind_${randomUUID().slice(0, 8)}`, policies: [policy.name] };
  const roleId = ok(await service.admin.post('/v1/roles', role), 201).id;
  const before = await page('limit=100');
  const hidden = before.data.find(({ entityRef }: Told) => entityRef.id === schemaId);
  ok(
    await service.admin.patch(`/v1/users/${reader.id}`, [
      { op: 'add', path: '/roles/-', value: { id: roleId, type: 'role' } },
    ]),
  );
  const after = await page('limit=100');
  assert.is(after.paging.total, before.paging.total - 1);
  assert.ok(!idsOf(after).includes(hidden.id));
  assert.is(ok(await reader.get('/v1/notifications/count')).total, after.paging.total);
  expectRefused(await reader.get(`/v1/notifications/${hidden.id}`), 404);
  expectRefused(await reader.put(`/v1/notifications/${hidden.id}/read`, { read: true }), 404);
  expectRefused(await reader.delete(`/v1/notifications/${hidden.id}`), 404);
  ok(await service.admin.patch(`/v1/users/${reader.id}`, [{ op: 'replace', path: '/roles', value: [] }]));
  assert.is((await page()).paging.total, before.paging.total, 'it was only hidden');
});

test('old notifications are removed in bounded batches, and the rest stays', async () => {
  const userId = randomUUID();
  const day = 24 * 60 * 60 * 1000;
  await service.graph.query(
    `UNWIND range(1, 12) AS at
     WITH at, CASE WHEN at <= 7 THEN $old ELSE $young END AS place
     CREATE (:Notification {id: randomUUID(), userId: $userId, place: place + at})`,
    { userId, old: '0000000000000001', young: String(Date.now()).padStart(16, '0') },
  );
  const left = async () => {
    const [row] = await service.graph.query('MATCH (n:Notification {userId: $userId}) RETURN count(n) AS left', {
      userId,
    });
    return row?.['left'];
  };
  assert.is(await removeOldNotifications(service.graph, 90 * day + 10, { batch: 2, batches: 2 }), 4);
  assert.is(await left(), 8);
  assert.is(await removeOldNotifications(service.graph, 90 * day + 10, { batch: 2 }), 3);
  assert.is(await left(), 5);
  await service.graph.query('MATCH (n:Notification {userId: $userId}) DELETE n', { userId });
});

test.run();
