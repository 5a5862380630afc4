import * as assert from 'uvu/assert';
import { type EventStreamReader, openEventStream } from '../support/event-stream.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { waitFor, waitUntil } from '../support/patience.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { anonymous, openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { waitForNotifications, waitForSequencing } from '../support/wait-for-events.ts';
import { describe, follow, inboxOf, newActor, newPerson, newShop, type Person } from './fixture.ts';

/** Shows that the event stream delivers notifications and events once and in order (events.md 6). */

const test = suite('notifications: GET /v1/events/stream');

let service: Service;
let actor: Person;
let shop: Awaited<ReturnType<typeof newShop>>;

test.before(async () => {
  service = await openService();
  actor = await newActor(service);
  shop = await newShop(service);
});

const PATH = '/v1/events/stream';

const listenAs = async (
  { name }: Person,
  query = '',
  headers: Record<string, string> = {},
): Promise<EventStreamReader> => openEventStream(service.app, await service.token(name), query, headers);

/** A table that somebody new follows. */
const newFollowed = async (name: string) => {
  const id = await shop.newTable(name);
  const reader = await newPerson(service);
  await follow(reader, 'tables', id);
  await waitForNotifications(service);
  return { id, reader };
};

const change = async (id: string, texts: readonly string[]) => {
  for (const text of texts) await describe(actor, 'tables', id, text);
};

const kinds = ({ heard }: EventStreamReader) => heard.map(({ event }) => event);

const summaries = ({ heard }: Pick<EventStreamReader, 'heard'>) => heard.map(({ data }) => data.summary);

test('a follower receives a change once, as in the inbox, and its author does not', async () => {
  const { id, reader } = await newFollowed('heard');
  await follow(actor, 'tables', id);
  const [mine, theirs] = [await listenAs(reader), await listenAs(actor)];
  assert.is(mine.response.status, 200);
  assert.match(mine.response.headers.get('content-type') ?? '', /^text\/event-stream/);
  await change(id, ['one']);
  const [told] = await inboxOf(service, reader);
  const [heard] = await mine.count(1);
  assert.is(heard?.event, 'entityUpdated');
  assert.equal({ ...heard?.data, entityRef: { ...heard?.data.entityRef, href: '' } }, {
    ...told,
    entityRef: { ...told?.entityRef, href: '' },
  } as never);
  assert.equal(mine.comments[0], ': ping');
  ok(await reader.delete(`/v1/tables/${id}/followers/${reader.id}`));
  await change(id, ['two']);
  await waitForNotifications(service);
  await follow(reader, 'tables', id);
  // Whatever either should not hear would come before this.
  ok(await service.admin.delete(`/v1/tables/${id}`));
  const gone = 'entitySoftDeleted';
  for (const hearing of [mine, theirs]) await waitUntil(() => kinds(hearing).includes(gone), 'the end is heard of');
  assert.equal(kinds(mine), ['entityUpdated', gone], 'unfollowing ends it');
  assert.equal(kinds(theirs), [gone]);
  for (const hearing of [mine, theirs]) await hearing.leave();
});

test('resuming neither misses nor repeats an event', async () => {
  const { id, reader } = await newFollowed('resumed');
  const first = await listenAs(reader);
  await change(id, ['1', '2']);
  await first.count(2);
  const last = first.heard[0]?.id ?? '';
  await first.leave();
  await change(id, ['3', '4', '5']);
  await waitForNotifications(service);
  const second = await listenAs(reader, '', { 'Last-Event-ID': last });
  await second.count(4);
  await change(id, ['6']);
  await second.count(5);
  const third = await listenAs(reader, `lastEventId=${first.heard[1]?.id}`);
  const fresh = await listenAs(reader, 'lastEventId=');
  await change(id, ['7']);
  const told = (await inboxOf(service, reader)).map((one) => one.id).reverse();
  const ids = ({ heard }: EventStreamReader) => heard.map(({ data }) => data.id);
  for (const hearing of [second, third, fresh]) {
    await waitUntil(
      () => ids(hearing).includes(told.at(-1)),
      'the last is heard',
      () => ids(hearing),
    );
  }
  assert.equal(ids(first), told.slice(0, 2));
  assert.equal(ids(second), told.slice(1));
  assert.equal(ids(third), told.slice(2));
  assert.equal(ids(fresh), told.slice(6), 'whoever begins anew hears of what is new');
  for (const hearing of [second, third, fresh]) await hearing.leave();
});

test('scope=events streams all visible events in order, with the filters of the list', async () => {
  const reader = await newPerson(service);
  const id = await shop.newTable('public');
  await waitForSequencing(service);
  const query = `scope=events&entityId=${id}`;
  const [all, updates, gone] = [
    await listenAs(reader, query),
    await listenAs(reader, `${query}&entityUpdated=table`),
    await listenAs(reader, `${query}&entityDeleted=*`),
  ];
  await change(id, ['one', 'two']);
  ok(await actor.delete(`/v1/tables/${id}`));
  const events = await all.count(3);
  assert.equal(
    events.map(({ event }) => event),
    ['entityUpdated', 'entityUpdated', 'entitySoftDeleted'],
  );
  const listed = ok(await service.admin.get(`/v1/events?entityId=${id}&timestamp=0`)).data;
  assert.equal(
    events.map(({ data }) => data),
    listed.slice(1),
    'they are the events of the list',
  );
  assert.equal((await updates.count(2)).length, 2);
  assert.equal((await gone.count(1)).length, 1);
  const again = await listenAs(reader, query, { 'last-event-id': events[0]?.id ?? '' });
  assert.equal(
    (await again.count(2)).map(({ id: seq }) => seq),
    events.slice(1).map(({ id: seq }) => seq),
  );
  for (const hearing of [all, updates, gone, again]) await hearing.leave();
});

test('hidden events are not streamed', async () => {
  const { id, reader } = await newFollowed('secret');
  await follow(reader, 'databaseSchemas', shop.schemaId);
  const deny = { effect: 'deny', operations: ['ViewBasic'], resources: ['table'], name: 'hidden' };
  const policy = ok(await service.admin.post('/v1/policies', { name: uniqueName('hide'), rules: [deny] }), 201);
  const role = ok(await service.admin.post('/v1/roles', { name: uniqueName('blind'), policies: [policy.name] }), 201);
  await waitForSequencing(service);
  const [events, told] = [await listenAs(reader, 'scope=events'), await listenAs(reader)];
  await change(id, ['one']);
  await told.count(1);
  await events.count(1);
  const path = `/v1/users/${reader.id}`;
  ok(await service.admin.patch(path, [{ op: 'add', path: '/roles/-', value: { id: role.id, type: 'role' } }]));
  await waitFor(
    () => reader.get(`/v1/tables/${id}`),
    ({ status }) => status === 403,
    'the role counts',
  );
  await change(id, ['two']);
  await describe(actor, 'databaseSchemas', shop.schemaId, uniqueName('text'));
  const types = () => events.heard.map(({ data }) => data.entityType);
  await waitUntil(() => types().includes('databaseSchema'), 'what may be seen is heard of', types);
  assert.not.ok(types().slice(1).includes('table'));
  const about = (await told.count(2)).map(({ data }) => data.entityRef?.type);
  assert.equal(about, ['table', 'databaseSchema']);
  for (const hearing of [events, told]) await hearing.leave();
});

test('resuming from an expired position sends a reset and then new events', async () => {
  const { id, reader } = await newFollowed('reset');
  const last = await waitForNotifications(service);
  const retire = (first: number) =>
    service.graph.query("MATCH (c:Sequence {name: 'events'}) SET c.first = toInteger($first) RETURN c.first", {
      first,
    });
  const { first } = await service.app.events.tail.head();
  await retire(last);
  const [old, future] = [
    await listenAs(reader, 'lastEventId=0'),
    await listenAs(reader, `lastEventId=${last + 10_000}`),
  ];
  const kept = await listenAs(reader, `lastEventId=${last - 1}`);
  await retire(first);
  await change(id, ['one']);
  for (const hearing of [old, future]) {
    const heard = await hearing.count(2);
    assert.equal(
      heard.map(({ event }) => event),
      ['reset', 'entityUpdated'],
    );
    assert.ok(Number(heard[0]?.id) >= last);
  }
  assert.equal((await kept.count(1))[0]?.event, 'entityUpdated');
  for (const hearing of [old, future, kept]) await hearing.leave();
});

test('invalid parameters are refused with 400, and a token in the URL is ignored', async () => {
  const reader = await newPerson(service);
  for (const query of ['scope=x', 'lastEventId=x', 'lastEventId=-1', 'lastEventId=1.5', 'scope=events&entityUpdated=x'])
    expectRefused(await reader.get(`${PATH}?${query}`), 400);
  expectRefused(await reader.get(PATH, { 'Last-Event-ID': 'abc' }), 400);
  for (const accept of ['application/json', 'text/html, application/json', 'text/event-stream;q=0'])
    expectRefused(await reader.get(PATH, { accept }), 400);
  for (const accept of ['text/event-stream', '*/*', 'text/html, text/event-stream;q=0.5']) {
    const hearing = await listenAs(reader, '', { accept });
    assert.is(hearing.response.status, 200, accept);
    await hearing.leave();
  }
  const token = await service.token(reader.name);
  for (const name of ['token', 'access_token', 'authorization'])
    assert.is((await anonymous(service).get(`${PATH}?${name}=${token}`)).status, 401);
});

test('a sixth stream of one user is refused until another one ends', async () => {
  const reader = await newPerson(service);
  const open = await Promise.all([1, 2, 3, 4, 5].map(() => listenAs(reader)));
  const sixth = await reader.get(PATH);
  assert.equal([sixth.status, sixth.json.errorType], [429, 'TOO_MANY_REQUESTS']);
  await open[0]?.leave();
  const next = await listenAs(reader);
  assert.is(next.response.status, 200);
  for (const hearing of [...open.slice(1), next]) await hearing.leave();
});

test('the stream ends with its token and its connection', async () => {
  const [brief, leaver] = [await newPerson(service), await newPerson(service)];
  const short = await openEventStream(service.app, await service.token(brief.name, { ttlSeconds: 2 }));
  const long = await listenAs(leaver, 'scope=events&entityType=topic');
  assert.equal(
    (await short.end()).map(({ event }) => event),
    ['close'],
  );
  assert.is(short.heard[0]?.id, undefined);
  ok(await service.admin.delete(`/v1/users/${leaver.id}`));
  assert.is((await long.end()).at(-1)?.event, 'close');
  expectRefused(await leaver.get(PATH), 401);
});

test('a process streams the notifications that another one writes', async () => {
  const { id, reader } = await newFollowed('elsewhere');
  const twin = await openSecondProcessWith(service, {});
  const token = await service.token(reader.name);
  const [told, events] = [
    await openEventStream(twin.app, token),
    await openEventStream(twin.app, token, `scope=events&entityId=${id}`),
  ];
  await change(id, ['one', 'two']);
  assert.equal(summaries({ heard: await told.count(2) }), ['description added', 'description changed']);
  assert.is((await events.count(2)).length, 2);
  for (const hearing of [told, events]) await hearing.leave();
});

test('many listeners each receive their own notifications without a query per listener', async () => {
  const table = await shop.newTable('popular');
  const readers = await Promise.all(Array.from({ length: 12 }, () => newPerson(service)));
  const last = await shop.newTable('last');
  for (const reader of readers.slice(0, 6)) await follow(reader, 'tables', table);
  for (const reader of readers) await follow(reader, 'tables', last);
  await waitForNotifications(service);
  const hearings = await Promise.all(readers.map((reader) => listenAs(reader)));
  await change(table, ['one', 'two', 'three']);
  await change(last, ['four']);
  const names = ({ heard }: EventStreamReader) => heard.map(({ data }) => data.entityRef.name);
  for (const hearing of hearings) await waitUntil(() => names(hearing).includes('last'), 'all hear of the last');
  const all = ['popular', 'popular', 'popular', 'last'];
  assert.equal(hearings.map(names), [...Array(6).fill(all), ...Array(6).fill(['last'])]);
  for (const hearing of hearings) await hearing.leave();
});

test.run();
