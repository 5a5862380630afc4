import * as assert from 'uvu/assert';
import { SYSTEM_PRINCIPAL } from '../../src/access/service-identity.ts';
import { readConfig } from '../../src/config.ts';
import type { Json } from '../../src/model/json.ts';
import { ensureBuiltIns } from '../../src/system/built-ins.ts';
import { createPerson, expectRefused, expectUnchanged, ok, readStored } from '../support/expect.ts';
import { createRightsFactory } from '../support/rights.ts';
import { openService, placeOfRun, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { waitForSequencing } from '../support/wait-for-events.ts';

/** Shows that secrets are sealed in the graph and masked in every answer. */

const test = suite('catalog: secrets');

const MASK = '*********';
const PATH = '/v1/services/databaseServices';
const SECRET = 'hunter2-Zq81';

let service: Service;
type Person = Awaited<ReturnType<typeof createPerson>>;
let onlooker: Person;
let bot: Person;
test.before(async () => {
  service = await openService();
  onlooker = await createPerson(service, uniqueName('sec'));
  bot = await createPerson(service, uniqueName('secbot'), { isBot: true });
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

test('administrators and callers with the right read secrets, and others see the mask', async () => {
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

const BY_SCHEMA = {
  type: 'Db2',
  username: 'reader',
  license: SECRET,
  authType: { jwt: SECRET },
  sslConfig: { caCertificate: SECRET, sslCertificate: SECRET, sslKey: SECRET },
  basicAuthUserInfo: SECRET,
  consumerConfig: { 'sasl.jaas.config': SECRET, 'group.id': 'shown' },
  connectionArguments: { pwd: SECRET, http_path: 'shown' },
  list: [{ proxyAuthentication: SECRET }],
};

test('secrets known only from the connection schema are sealed, masked and restored', async () => {
  const body = { name: uniqueName('sec'), serviceType: 'Db2', connection: { config: BY_SCHEMA } };
  const made = ok(await service.admin.post(PATH, body), 201);
  assert.equal(made.connection.config, BY_SCHEMA);
  ok(await service.admin.patch(`${PATH}/${made.id}`, { description: 'x' }));
  const kept = await service.graph.query(
    `MATCH (n:Entity {id: $id}) OPTIONAL MATCH (n)-[:HAS_VERSION]->(v) OPTIONAL MATCH (e:ChangeEvent)-[:ABOUT]->(n)
     RETURN properties(n) AS n, collect(DISTINCT v.json) AS versions, collect(DISTINCT e.json) AS events`,
    { id: made.id },
  );
  assert.not.match(JSON.stringify(kept), /hunter2/);
  const at = [`${PATH}/${made.id}`, `${PATH}/${made.id}/versions`, `${PATH}/${made.id}/versions/0.1`];
  for (const path of [...at, `/v1/events?entityId=${made.id}`, `/v1/search/query?q=${made.name}&index=all`]) {
    assert.not.match((await onlooker.get(path)).text, /hunter2/, path);
  }
  const { config: masked } = ok(await onlooker.get(`${PATH}/${made.id}`)).connection;
  assert.equal(
    [masked.username, masked.consumerConfig['group.id'], masked.connectionArguments.http_path],
    ['reader', 'shown', 'shown'],
  );
  assert.is((await service.admin.put(PATH, { ...body, connection: { config: masked } })).status, 200);
  assert.equal(ok(await service.admin.get(`${PATH}/${made.id}`)).connection.config, BY_SCHEMA);
  const harmless = { type: 'Mysql', license: 'MIT', key: 'shown' };
  const other = { name: uniqueName('sec'), serviceType: 'Mysql', connection: { config: harmless } };
  const { id } = ok(await service.admin.post(PATH, other), 201);
  assert.equal(ok(await onlooker.get(`${PATH}/${id}`)).connection.config, harmless);
});

/** Somebody who may change connections and not see their secrets. */
const makeEditor = () =>
  createRightsFactory(service).person([
    { operations: ['ViewBasic', 'EditAll', 'Create'], resources: ['databaseService'] },
  ]);

/** Every way to have a kept secret sent elsewhere, as a change of the connection that is shown. */
const REDIRECTIONS: readonly { readonly [member: string]: Json }[] = [
  { hostPort: `mysql://reader:${MASK}@evil:3306` },
  { hostPort: 'evil:3306' },
  { hostPort: null },
  { account: 'evil' },
  { nested: { 'Api-Key': MASK, url: 'https://evil.example' } },
  { connectionArguments: { host: 'evil' } },
  { connectionOptions: { 'proxy.host': 'evil' } },
  { bootstrapServers: ['evil:9092'] },
  { credentials: { gcpConfig: { projectId: 'evil' } } },
  { tokenUri: 'https://evil.example/token' },
];

test('a masked secret does not follow a changed address', async () => {
  const editor = await makeEditor();
  const { body, made } = await make();
  const shown = ok(await editor.get(`${PATH}/${made.id}`)).connection.config;
  assert.is(shown.password, MASK);
  for (const moved of REDIRECTIONS) {
    const changed = { ...shown, ...moved };
    const refusal = /^\[connection\.config\.\S+ must be given again, because connection\.config\.\S+ has changed\]$/;
    const what = JSON.stringify(moved);
    await expectUnchanged(service, made.id, async () => {
      const whole = { ...body, connection: { config: changed } };
      expectRefused(await editor.put(PATH, whole), 400, refusal);
      expectRefused(await editor.patch(`${PATH}/${made.id}`, { connection: { config: changed } }), 400, refusal);
      const bulk = ok(await editor.put(`${PATH}/bulk`, [whole]));
      assert.is(bulk.failedRequest[0].status, 400, what);
    });
  }
  const steps = [{ op: 'replace', path: '/connection/config/hostPort', value: 'evil:3306' }];
  expectRefused(await editor.patch(`${PATH}/${made.id}`, steps), 400, /password must be given again/);
});

test('secrets stay when nothing moves, and go along when they are given again or may be seen', async () => {
  const editor = await makeEditor();
  const { body, made } = await make();
  const shown = ok(await editor.get(`${PATH}/${made.id}`)).connection.config;
  ok(await editor.put(PATH, { ...body, connection: { config: { ...shown, username: 'writer' } } }));
  assert.equal(ok(await bot.get(`${PATH}/${made.id}`)).connection.config, { ...config(), username: 'writer' });
  const given = { ...config('another'), hostPort: `mysql://reader:${SECRET}@new:3306` };
  const again = { ...body, connection: { config: given } };
  ok(await editor.put(PATH, again));
  assert.equal(ok(await bot.get(`${PATH}/${made.id}`)).connection.config, given);
  const masked = ok(await editor.get(`${PATH}/${made.id}`)).connection.config;
  const moved = { ...masked, hostPort: 'third:3306' };
  ok(await service.admin.put(PATH, { ...body, connection: { config: moved } }));
  assert.equal(ok(await bot.get(`${PATH}/${made.id}`)).connection.config, { ...given, hostPort: 'third:3306' });
});

test('plain secrets left in history and events by an older release are masked', async () => {
  const { made } = await make();
  ok(await service.admin.patch(`${PATH}/${made.id}`, { description: 'x' }));
  const connection = { config: { type: 'Mysql', sslConfig: { sslKey: SECRET } } };
  const change = { previousVersion: 0.1, fieldsAdded: [{ name: 'connection', newValue: JSON.stringify(connection) }] };
  const full = { id: made.id, name: made.name, version: 0.1, connection, changeDescription: change };
  const event = { id: 'e', eventType: 'entityUpdated', entityType: 'databaseService', entityId: made.id, entity: full };
  await service.graph.query(
    `MATCH (n:Entity {id: $id})-[:HAS_VERSION]->(v) SET v.json = $full, n.changeDescription = $change
     WITH n MATCH (e:ChangeEvent {entityId: $id}) SET e.json = $event`,
    {
      id: made.id,
      full: JSON.stringify(full),
      change: JSON.stringify(change),
      event: JSON.stringify({ ...event, changeDescription: change }),
    },
  );
  for (const path of ['', '/versions', '/versions/0.1']) {
    const reply = await onlooker.get(`${PATH}/${made.id}${path}`);
    ok(reply);
    assert.not.match(reply.text, /hunter2/, path);
  }
  // Events are numbered a moment after their commit.
  await waitForSequencing(service);
  const events = await onlooker.get(`/v1/events?entityId=${made.id}`);
  assert.is(ok(events).data.length, 2);
  assert.not.match(events.text, /hunter2/);
});

test('a failed bulk row is returned with its secrets masked', async () => {
  const row = {
    name: uniqueName('sec'),
    serviceType: 'Mysql',
    connection: { config: { ...config(), type: 'Oracle' } },
  };
  const answer = ok(
    await service.admin.put(`${PATH}/bulk`, [
      row,
      { ...row, connection: { config: { ...BY_SCHEMA, license: null, type: 'Oracle' } } },
    ]),
  );
  assert.is(answer.numberOfRowsFailed, 2);
  assert.not.match(JSON.stringify(answer), /hunter2/);
  assert.is(answer.failedRequest[0].request.connection.config.password, MASK);
});

test('neither bots nor owners nor callers with ViewAll see secrets', async () => {
  const rights = createRightsFactory(service);
  const { made } = await make();
  const owner = await rights.person();
  ok(await service.admin.patch(`${PATH}/${made.id}`, { owners: [{ id: owner.id, type: 'user' }] }));
  const everything = await rights.person([{ operations: ['ViewAll', 'EditAll'] }]);
  const bare = await rights.person([], { isBot: true });
  const reads = await rights.person([{ operations: ['ViewSecrets'], resources: ['databaseService'] }]);
  const own = await rights.person([{ operations: ['ViewSecrets'], condition: 'isOwner()' }]);
  const denied = await rights.person([
    { operations: ['ViewSecrets'] },
    { effect: 'deny', operations: ['ViewSecrets'], resources: ['databaseService'] },
  ]);
  for (const at of [`${PATH}/${made.id}`, `${PATH}/name/${made.name}?fields=*`, `${PATH}?limit=1000`]) {
    for (const who of [owner, everything, bare, own, denied]) assert.not.match((await who.get(at)).text, /hunter2/, at);
    assert.match((await reads.get(at)).text, /hunter2/, at);
  }
  const note = [{ op: 'add', path: '/displayName', value: 'x' }];
  assert.not.match((await everything.patch(`${PATH}/${made.id}`, note)).text, /hunter2/);
  ok(await service.admin.patch(`${PATH}/${made.id}`, { owners: [{ id: own.id, type: 'user' }] }));
  assert.match((await own.get(`${PATH}/${made.id}`)).text, /hunter2/);
  assert.equal(ok(await service.admin.get(`${PATH}/${made.id}`)).connection.config, config());
});

test('an upgraded store grants the new operation to the ingestion bot once', async () => {
  const policy = '/v1/policies/name/IngestionBotPolicy';
  const allows = async () =>
    ok(await service.admin.get(policy)).rules.some(({ name }: { name: string }) => name === 'ReadConnections');
  const { id, rules } = ok(await service.admin.get(policy));
  const former = rules.filter(({ name }: { name: string }) => name !== 'ReadConnections');
  const start = () =>
    ensureBuiltIns(service.app.engine, SYSTEM_PRINCIPAL, readConfig({ TRIBUTARY_HOME: placeOfRun().home }));
  assert.is(await allows(), true);
  ok(await service.admin.patch(`/v1/policies/${id}`, { rules: former }));
  await start();
  assert.is(await allows(), false, 'what an administrator takes away stays away');
  await service.graph.query("MATCH (n:Rights) WHERE n.name ENDS WITH 'ViewSecrets' DELETE n");
  await start();
  assert.is(await allows(), true);
  // Other tests read the rules in the order of the contract.
  ok(await service.admin.patch(`/v1/policies/${id}`, { rules }));
});

test('secrets are sealed in the graph and appear nowhere else', async () => {
  const { made } = await make();
  ok(await service.admin.patch(`${PATH}/${made.id}`, { description: 'x' }));
  ok(await service.admin.patch(`${PATH}/${made.id}`, { connection: { config: config('hunter2-Zq81-new') } }));
  const kept = await readStored(service, made.id);
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

test('PUT and both patch formats keep a secret when the mask is sent back', async () => {
  const { body, made } = await make();
  const masked = ok(await onlooker.get(`${PATH}/${made.id}`)).connection;
  const put = await expectUnchanged(service, made.id, () => service.admin.put(PATH, { ...body, connection: masked }));
  assert.is(ok(put).version, 0.1);
  const merge = await expectUnchanged(service, made.id, () =>
    service.admin.patch(`${PATH}/${made.id}`, { connection: masked }),
  );
  assert.is(ok(merge).version, 0.1);
  const patch = [{ op: 'replace', path: '/connection', value: masked }];
  ok(await expectUnchanged(service, made.id, () => service.admin.patch(`${PATH}/${made.id}`, patch)));
  assert.equal(ok(await service.admin.get(`${PATH}/${made.id}`)).connection.config, config());
  const changed = { config: { ...masked.config, username: 'writer' } };
  const partly = ok(await service.admin.patch(`${PATH}/${made.id}`, { connection: changed }));
  assert.equal(
    [partly.version, partly.connection.config.username, partly.connection.config.password],
    [0.2, 'writer', SECRET],
  );
});

test('a changed secret is recorded as a change without its value', async () => {
  const { made } = await make();
  const patch = [{ op: 'replace', path: '/connection/config/password', value: 'another-Zq82' }];
  const reply = await service.admin.patch(`${PATH}/${made.id}`, patch);
  assert.is(ok(reply).version, 0.2);
  const change = JSON.stringify(reply.json.changeDescription);
  assert.match(change, /connection/);
  assert.is(change.includes('another-Zq82') || change.includes(SECRET), false);
  assert.is(ok(await service.admin.get(`${PATH}/${made.id}`)).connection.config.password, 'another-Zq82');
});

test('an unchanged connection is no change although its sealed text differs', async () => {
  const { body, made } = await make();
  ok(await expectUnchanged(service, made.id, () => service.admin.put(PATH, body)));
  assert.is((await service.admin.put(PATH, body)).headers.get('x-openmetadata-change'), 'entityNoChange');
});

test('connections are validated by their type and otherwise stored as sent', async () => {
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
