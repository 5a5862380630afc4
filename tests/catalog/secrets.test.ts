import * as assert from 'uvu/assert';
import type { Json } from '../../src/model/json.ts';
import { ok, person, stored, unchanged } from '../support/expect.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

const test = suite('catalog: secrets');

const MASK = '*********';
const PATH = '/v1/services/databaseServices';
const SECRET = 'hunter2-Zq81';

let service: Service;
type Person = Awaited<ReturnType<typeof person>>;
let onlooker: Person;
let bot: Person;
test.before(async () => {
  service = await openService();
  onlooker = await person(service, uniqueName('sec'));
  bot = await person(service, uniqueName('secbot'), { isBot: true });
});

const config = (password: string = SECRET): { [member: string]: Json } => ({
  type: 'Mysql',
  username: 'reader',
  password,
  hostPort: `mysql://reader:${SECRET}@db:3306`,
  nested: { 'Api-Key': SECRET, list: [{ accessToken: SECRET }], plain: 'shown' },
});

const make = async () => {
  const body = { name: uniqueName('sec'), serviceType: 'Mysql', connection: { config: config() } };
  return { body, made: ok(await service.admin.post(PATH, body), 201) };
};

test('administrators and bots read secrets, others the mask', async () => {
  const { made } = await make();
  for (const client of [service.admin, bot]) {
    assert.equal(ok(await client.get(`${PATH}/${made.id}`)).connection.config, config());
  }
  for (const at of [
    `${PATH}/${made.id}`,
    `${PATH}/${made.id}?fields=*`,
    `${PATH}/name/${made.name}`,
    `${PATH}?limit=1000`,
  ]) {
    const reply = await onlooker.get(at);
    ok(reply);
    assert.is(reply.text.includes(SECRET), false, at);
  }
  const shown = ok(await onlooker.get(`${PATH}/${made.id}`)).connection.config;
  assert.equal([shown.password, shown.username, shown.nested.plain], [MASK, 'reader', 'shown']);
  assert.equal([shown.nested['Api-Key'], shown.nested.list[0].accessToken], [MASK, MASK]);
  assert.match(shown.hostPort, /^mysql:\/\/.*\*{9}@db:3306$/);
});

test('the graph keeps them sealed, and nothing else shows them', async () => {
  const { made } = await make();
  ok(await service.admin.patch(`${PATH}/${made.id}`, { description: 'x' }));
  ok(await service.admin.patch(`${PATH}/${made.id}`, { connection: { config: config('hunter2-Zq81-new') } }));
  const kept = await stored(service, made.id);
  assert.match(String(kept?.properties['connectionJson']), /tributary-sealed/);
  const rows = await service.graph.query(
    `MATCH (n:Entity {id: $id}) OPTIONAL MATCH (n)-[:HAS_VERSION]->(v) OPTIONAL MATCH (e:ChangeEvent)-[:ABOUT]->(n)
     RETURN properties(n) AS n, collect(DISTINCT v.json) AS versions, collect(DISTINCT e.json) AS events`,
    { id: made.id },
  );
  const text = JSON.stringify(rows);
  assert.is(text.includes('hunter2'), false);
  assert.is(((rows[0]?.['events'] ?? []) as unknown[]).length, 3);
  const history = await service.admin.get(`${PATH}/${made.id}/versions`);
  assert.is(ok(history).versions.length, 3);
  for (const at of ['/versions', '/versions/0.1', '/versions/0.3']) {
    const reply = await service.admin.get(`${PATH}/${made.id}${at}`);
    ok(reply);
    assert.is(reply.text.includes('hunter2'), false, at);
    assert.is(reply.text.includes(MASK), true, at);
  }
  assert.is(service.logged.join('').includes('hunter2'), false);
});

test('the mask written back keeps the secret, by PUT and by both forms of PATCH', async () => {
  const { body, made } = await make();
  const masked = ok(await onlooker.get(`${PATH}/${made.id}`)).connection;
  const put = await unchanged(service, made.id, () => service.admin.put(PATH, { ...body, connection: masked }));
  assert.is(ok(put).version, 0.1);
  const merge = await unchanged(service, made.id, () =>
    service.admin.patch(`${PATH}/${made.id}`, { connection: masked }),
  );
  assert.is(ok(merge).version, 0.1);
  const patch = [{ op: 'replace', path: '/connection', value: masked }];
  ok(await unchanged(service, made.id, () => service.admin.patch(`${PATH}/${made.id}`, patch)));
  assert.equal(ok(await service.admin.get(`${PATH}/${made.id}`)).connection.config, config());
  const changed = { config: { ...masked.config, username: 'writer' } };
  const partly = ok(await service.admin.patch(`${PATH}/${made.id}`, { connection: changed }));
  assert.equal(
    [partly.version, partly.connection.config.username, partly.connection.config.password],
    [0.2, 'writer', SECRET],
  );
});

test('a new secret is a change that is told without telling it', async () => {
  const { made } = await make();
  const patch = [{ op: 'replace', path: '/connection/config/password', value: 'another-Zq82' }];
  const reply = await service.admin.patch(`${PATH}/${made.id}`, patch);
  assert.is(ok(reply).version, 0.2);
  const change = JSON.stringify(reply.json.changeDescription);
  assert.match(change, /connection/);
  assert.is(change.includes('another-Zq82') || change.includes(SECRET), false);
  assert.is(ok(await service.admin.get(`${PATH}/${made.id}`)).connection.config.password, 'another-Zq82');
});

test('the same connection again is no change, although sealing never makes the same text twice', async () => {
  const { body, made } = await make();
  ok(await unchanged(service, made.id, () => service.admin.put(PATH, body)));
  assert.is((await service.admin.put(PATH, body)).headers.get('x-openmetadata-change'), 'entityNoChange');
});

test('connections are checked for their type and otherwise kept', async () => {
  const wrong = { name: uniqueName('sec'), serviceType: 'Mysql', connection: { config: { type: 'Oracle' } } };
  assert.is((await service.admin.post(PATH, wrong)).status, 400);
  const free = {
    name: uniqueName('sec'),
    serviceType: 'Mysql',
    connection: { config: { any: [null, 1, { a: null }] } },
  };
  assert.equal(ok(await service.admin.post(PATH, free), 201).connection, free.connection);
});

test.run();
