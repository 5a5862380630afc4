import * as assert from 'uvu/assert';
import { createPerson, expectList, expectRefused, ok } from '../support/expect.ts';
import { createRoleFor } from '../support/rights.ts';
import { anonymous, openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { waitForSequencing } from '../support/wait-for-events.ts';

/** Shows that GET /v1/events lists, filters and pages change events (events.md 3). */

const test = suite('events: GET /v1/events');

type Event = {
  readonly eventType: string;
  readonly entityType: string;
  readonly entityId: string;
  readonly timestamp: number;
  readonly userName: string;
  readonly entity: { readonly name: string };
};

let service: Service;
let began: number;
let domainId: string;
let serviceId: string;
let databaseId: string;
let actor: Awaited<ReturnType<typeof createPerson>>;

const list = async (query: string) => expectList(await service.admin.get(`/v1/events?${query}`));

/** What happened to the records of this suite, in short. */
const told = ({ data }: { readonly data: readonly Event[] }): string[] => {
  const names = new Map([
    [domainId, 'domain'],
    [serviceId, 'service'],
    [databaseId, 'database'],
  ]);
  return data.filter(({ entityId }) => names.has(entityId)).map((e) => `${names.get(e.entityId)} ${e.eventType}`);
};

test.before(async () => {
  service = await openService();
  actor = await createPerson(service, uniqueName('actor'), { roles: [await createRoleFor(service, 'All')] });
  began = Date.now();
  const name = uniqueName('listed');
  domainId = ok(await actor.post('/v1/domains', { name, description: 'x', domainType: 'Aggregate' }), 201).id;
  serviceId = ok(await actor.post('/v1/services/databaseServices', { name, serviceType: 'Postgres' }), 201).id;
  databaseId = ok(await actor.post('/v1/databases', { name: 'db', service: name }), 201).id;
  ok(await actor.patch(`/v1/databases/${databaseId}`, [{ op: 'add', path: '/description', value: 'y' }]));
  ok(await actor.put(`/v1/databases/${databaseId}/followers`, actor.id));
  ok(await actor.delete(`/v1/databases/${databaseId}`));
  ok(await actor.put('/v1/databases/restore', { id: databaseId }));
  ok(await actor.delete(`/v1/databases/${databaseId}?hardDelete=true`));
  ok(await actor.delete(`/v1/domains/${domainId}`));
  await waitForSequencing(service);
});

const ALL = [
  'domain entityCreated',
  'service entityCreated',
  'database entityCreated',
  'database entityUpdated',
  'database entityUpdated',
  'database entitySoftDeleted',
  'database entityRestored',
  'database entityDeleted',
  'domain entityDeleted',
];

test('events since a timestamp are listed oldest first, with their records', async () => {
  const json = await list(`timestamp=${began}&limit=1000`);
  assert.equal(told(json), ALL);
  assert.is(json.paging.total, json.data.length);
  const times = json.data.map(({ timestamp }: Event) => timestamp);
  assert.equal([...times].sort(), times);
  const members = new Set(
    'id eventType entityType entityId entityFullyQualifiedName domains previousVersion currentVersion userName timestamp changeDescription incrementalChangeDescription recursive entity'.split(
      ' ',
    ),
  );
  for (const event of json.data) for (const name of Object.keys(event)) assert.ok(members.has(name), name);
  const [last] = json.data.slice(-1);
  assert.type(last.entity, 'object');
  assert.ok(!json.data.some((event: object) => JSON.stringify(event).includes('"href"')));
});

test('the triggers select created, changed, restored and deleted records, and combine', async () => {
  const of = async (query: string) => told(await list(`timestamp=${began}&limit=1000&${query}`));
  const only = (...types: string[]) => ALL.filter((text) => types.some((type) => text.endsWith(type)));
  assert.equal(await of('entityCreated=*'), only('entityCreated'));
  assert.equal(await of('entityCreated=domain'), ['domain entityCreated']);
  assert.equal(await of('entityCreated=domain,%20databaseService'), ALL.slice(0, 2));
  assert.equal(await of('entityUpdated=database'), only('entityUpdated'));
  assert.equal(await of('entityRestored=*'), only('entityRestored'));
  assert.equal(await of('entityDeleted=*'), only('entitySoftDeleted', 'entityDeleted'));
  assert.equal(await of('entityCreated=domain&entityDeleted=domain'), ['domain entityCreated', 'domain entityDeleted']);
  assert.equal(await of('entityCreated=&entityUpdated='), ALL);
});

test('filters by type, record, event type and user combine', async () => {
  const of = async (query: string) => {
    const json = await list(`timestamp=${began}&limit=1000&${query}`);
    assert.is(json.paging.total, json.data.length, query);
    return told(json);
  };
  const databases = ALL.filter((text) => text.startsWith('database '));
  assert.equal(await of('entityType=database'), databases);
  assert.equal(await of(`entityId=${databaseId}`), databases);
  assert.equal(
    await of(`entityId=${databaseId},${domainId.toUpperCase()}`),
    ALL.filter((t) => !t.startsWith('service')),
  );
  assert.equal(await of('eventType=entityRestored,entityDeleted'), [...ALL.slice(6, 9)]);
  assert.equal(await of(`userName=${actor.name.toUpperCase()}`), ALL);
  assert.equal(await of('userName=nobody'), []);
  assert.equal(await of(`userName=${actor.name}&entityType=domain`), [ALL[0], ALL[8]]);
  assert.equal(await of(`entityId=${databaseId}&eventType=entityRestored&userName=${actor.name}`), [ALL[6]]);
  assert.equal(await of(`entityId=${databaseId}&userName=nobody`), []);
  assert.equal(await of('entityCreated=domain&eventType=entityDeleted'), []);
  assert.equal(await of('eventType=threadCreated'), []);
  assert.equal(await of('entityType=eventSubscription'), []);
});

test('pages return each event once, with the total on every page and no cursor on the last', async () => {
  for (const filter of [
    `entityId=${databaseId}`,
    `userName=${actor.name}`,
    'entityType=database,domain,databaseService',
  ]) {
    const query = `timestamp=${began}&${filter}`;
    const whole = await list(`${query}&limit=1000`);
    const paged: Event[] = [];
    let after = '';
    for (;;) {
      const page = await list(`${query}&limit=2${after}`);
      assert.is(page.paging.total, whole.paging.total);
      paged.push(...page.data);
      if (page.paging.after === undefined) break;
      assert.match(page.paging.after, /^[\w-]+$/);
      assert.is(page.data.length, 2);
      after = `&after=${page.paging.after}`;
    }
    assert.equal(paged, whole.data, filter);
  }
  const none = await list(`timestamp=${began}&limit=0`);
  assert.equal(none.data, []);
  assert.ok(none.paging.total >= ALL.length);
  assert.is(none.paging.after, undefined);
});

test('a response of several batches is complete and in order', async () => {
  const name = uniqueName('pieces');
  const bodies = Array.from({ length: 1200 }, (_, at) => ({
    name: `${name}_${at}`,
    description: 'x',
    domainType: 'Aggregate',
  }));
  const from = Date.now();
  ok(await actor.put('/v1/domains/bulk', bodies));
  await waitForSequencing(service);
  const query = `timestamp=${from}&entityCreated=domain&userName=${actor.name}`;
  const whole = await list(`${query}&limit=10000`);
  assert.is(whole.data.length, 1200);
  assert.is(whole.paging.total, 1200);
  assert.is(new Set(whole.data.map(({ entityId }: Event) => entityId)).size, 1200);
  const part = await list(`${query}&limit=1100`);
  assert.equal(part.data, whole.data.slice(0, 1100));
  assert.ok(part.paging.after);
  const usual = await list(query);
  assert.equal(usual.data, whole.data.slice(0, 100), 'a hundred where nobody says otherwise');
  assert.ok(usual.paging.after);
});

test('an event names the domains of its record, its author and the impersonating bot', async () => {
  const domain = uniqueName('within');
  const { id } = ok(await actor.post('/v1/domains', { name: domain, description: 'x', domainType: 'Aggregate' }), 201);
  const roles = [await createRoleFor(service, 'Impersonate')];
  const robot = await createPerson(service, uniqueName('robot'), { isBot: true, roles });
  const bot = { name: uniqueName('bot'), botUser: robot.name, allowImpersonation: true };
  ok(await service.admin.post('/v1/bots', bot), 201);
  const client = await service.as(robot.name, { isBot: true });
  const acting = { 'X-Impersonate-User': actor.name };
  const body = { name: uniqueName('listed'), serviceType: 'Postgres', domains: [domain] };
  const made = ok(await client.post('/v1/services/databaseServices', body, acting), 201);
  ok(await actor.patch(`/v1/services/databaseServices/${made.id}`, [{ op: 'remove', path: '/domains/0' }]));
  await waitForSequencing(service);
  const { data } = await list(`entityId=${made.id}`);
  assert.equal(
    data.map(({ domains, userName, impersonatedBy }: Record<string, unknown>) => [domains, userName, impersonatedBy]),
    [
      [[id], actor.name, robot.name],
      [[], actor.name, undefined],
    ],
  );
});

test('the default start is one day ago', async () => {
  await service.graph.query(
    `CREATE (:ChangeEvent:Unsequenced {id: randomUUID(), entityId: $id, entityType: 'domain', eventType: 'entityUpdated',
       userName: 'x', revision: 1, timestamp: timestamp() - 25 * 60 * 60 * 1000, json: '{"entity":{"name":"old"}}', ends: []})`,
    { id: domainId },
  );
  await waitForSequencing(service);
  const filter = `entityId=${domainId}`;
  assert.is((await list(filter)).data.length, 2);
  assert.is((await list(`${filter}&timestamp=0`)).data.length, 3);
});

test('a user lists events of visible assets only, with their total', async () => {
  const reader = await createPerson(service, uniqueName('reader'));
  const query = `/v1/events?timestamp=${began}&entityId=${databaseId},${domainId}`;
  const seen = expectList(await reader.get(query));
  assert.equal(seen, expectList(await service.admin.get(query)));
});

test('invalid parameters are refused with 400', async () => {
  const refuse = async (query: string, message: string | RegExp) =>
    expectRefused(await service.admin.get(`/v1/events?${query}`), 400, message);
  await refuse('entityCreated=dragon', 'Invalid entity dragon in query param entityCreated');
  await refuse('entityDeleted=table,dragon', 'Invalid entity dragon in query param entityDeleted');
  await refuse('entityType=dragon', 'Invalid entity dragon in query param entityType');
  await refuse('entityId=x', '[entityId must be a UUID]');
  await refuse('eventType=entityEaten', /^\[eventType must be one of/);
  await refuse('timestamp=yesterday', '[timestamp must be a whole number]');
  await refuse('timestamp=-1', '[timestamp must be greater than or equal to 0]');
  await refuse('limit=10001', '[limit must be less than or equal to 10000]');
  await refuse('limit=-1', '[limit must be greater than or equal to 0]');
  await refuse('after=?', 'Invalid cursor');
  await refuse(`userName=${Array.from({ length: 101 }, (_, at) => `u${at}`).join(',')}`, /at most 100 items/);
});

test('a request without a token is refused with 401', async () => {
  expectRefused(await anonymous(service).get('/v1/events'), 401);
});

test('a partly removed event is no longer listed', async () => {
  const id = ok(
    await service.admin.post('/v1/domains', { name: uniqueName('fading'), description: 'x', domainType: 'Aggregate' }),
    201,
  ).id;
  await waitForSequencing(service);
  await service.graph.query(
    `MATCH (whole:ChangeEvent {entityId: $id})
     WHERE whole.place > ''
     CREATE (:ChangeEvent {id: randomUUID(), entityId: $id, place: whole.place + '0', entityType: whole.entityType})`,
    { id },
  );
  const { data, paging } = expectList(await service.admin.get(`/v1/events?entityId=${id}&limit=1`));
  assert.equal([data.map(({ entityId }: { entityId: string }) => entityId), paging.after], [[id], undefined]);
  await service.graph.query('MATCH (e:ChangeEvent {entityId: $id}) WHERE e.json IS NULL DELETE e', { id });
});

test.run();
