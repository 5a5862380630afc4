import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { anonymous, openService, type Reply, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that a conditional request changes nothing unless the expected version is current. */

const test = suite('catalog: preconditions');

let service: Service;
let schemaFqn: string;

const make = async (path: string, body: JsonObject): Promise<JsonObject> =>
  ok(await service.admin.post(`/v1/${path}`, body), 201);

test.before(async () => {
  service = await openService();
  const root = await make('services/databaseServices', { name: uniqueName('pre'), serviceType: 'Mysql' });
  const database = await make('databases', { name: 'db', service: root['fullyQualifiedName'] as string });
  const schema = await make('databaseSchemas', { name: 'public', database: database['fullyQualifiedName'] as string });
  schemaFqn = schema['fullyQualifiedName'] as string;
});

const bodyOf = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  databaseSchema: schemaFqn,
  columns: [{ name: 'a', dataType: 'INT' }],
  ...more,
});

type Table = { readonly name: string; readonly id: string; readonly tag: string; readonly at: string };

const tagOf = (reply: Reply): string => reply.headers.get('etag') ?? '';

const tableNow = async (): Promise<Table> => {
  const name = uniqueName('t');
  const reply = await service.admin.post('/v1/tables', bodyOf(name));
  const { id } = ok(reply, 201);
  return { name, id, tag: tagOf(reply), at: `/v1/tables/${id}` };
};

const only = (tag: string) => ({ 'if-match': tag });

const read = async ({ at }: Table): Promise<JsonObject> => ok(await service.admin.get(`${at}?include=all`));

test('PUT with If-Match changes only the expected version', async () => {
  const table = await tableNow();
  const { name, tag } = table;
  const changed = await service.admin.put('/v1/tables', bodyOf(name, { description: 'one' }), only(tag));
  assert.is(ok(changed).description, 'one');
  expectRefused(await service.admin.put('/v1/tables', bodyOf(name, { description: 'two' }), only(tag)), 412);
  assert.is((await read(table))['description'], 'one');
  ok(await service.admin.put('/v1/tables', bodyOf(name, { displayName: 'x' }), only(tagOf(changed))));
  ok(await service.admin.put('/v1/tables', bodyOf(name, { displayName: 'y' }), only('*')));
});

test('PUT with If-Match creates nothing', async () => {
  const name = uniqueName('none');
  expectRefused(await service.admin.put('/v1/tables', bodyOf(name), only('*')), 412);
  expectRefused(await service.admin.get(`/v1/tables/name/${schemaFqn}.${name}?include=all`), 404);
});

test('PUT restores a deleted record only in the expected version', async () => {
  const table = await tableNow();
  const gone = tagOf(await service.admin.delete(table.at));
  expectRefused(await service.admin.put('/v1/tables', bodyOf(table.name), only(table.tag)), 412);
  assert.is((await read(table))['deleted'], true);
  const back = ok(await service.admin.put('/v1/tables', bodyOf(table.name, { description: 'back' }), only(gone)));
  assert.equal([back.deleted, back.description], [false, 'back']);
});

test('DELETE and restore change only the expected version', async () => {
  const table = await tableNow();
  ok(await service.admin.put('/v1/tables', bodyOf(table.name, { description: 'newer' })));
  for (const query of ['', '?hardDelete=true']) {
    expectRefused(await service.admin.delete(`${table.at}${query}`, only(table.tag)), 412);
    expectRefused(
      await service.admin.delete(`/v1/tables/name/${schemaFqn}.${table.name}${query}`, only(table.tag)),
      412,
    );
  }
  expectRefused(await service.admin.delete(`/v1/tables/async/${table.id}`, only(table.tag)), 412);
  assert.is((await read(table))['deleted'], false);
  const now = tagOf(await service.admin.get(table.at));
  const gone = await service.admin.delete(table.at, only(now));
  ok(gone);
  const restore = { id: table.id };
  expectRefused(await service.admin.put('/v1/tables/restore', restore, only(now)), 412);
  expectRefused(await service.admin.put('/v1/tables/restore?async=true', restore, only(now)), 412);
  assert.is((await read(table))['deleted'], true);
  ok(await service.admin.put('/v1/tables/restore', restore, only(tagOf(gone))));
  assert.is((await read(table))['deleted'], false);
});

test('a member with its own route is set only in the expected version', async () => {
  const table = await tableNow();
  const sample = { columns: ['a'], rows: [['1']] };
  expectRefused(await service.admin.put(`${table.at}/sampleData`, sample, only('W/"9.9"')), 412);
  ok(await service.admin.put(`${table.at}/sampleData`, sample, only(table.tag)));
});

test('an entity tag covers only fields that step the version', async () => {
  const { id, at, tag } = await tableNow();
  const asked = async (path: string, known: string): Promise<number> =>
    (await service.admin.get(path, { 'if-none-match': known })).status;
  assert.is(await asked(at, tag), 304);
  for (const fields of ['columns,tags', 'tableConstraints,extension'])
    assert.is(await asked(`${at}?fields=${fields}`, tag), 304);
  const aside = [
    'owners',
    'domains',
    'followers',
    'votes',
    'usageSummary',
    'profile',
    'dataContract',
    'sampleData',
    'joins',
    'sourceHash',
  ];
  for (const fields of aside) assert.is(await asked(`${at}?fields=columns,${fields}`, tag), 200, fields);
  // Whoever owns the schema owns the table, which is another one for nobody but the schema.
  const owner = ok(await service.admin.get('/v1/users/name/admin'));
  const schemaAt = `/v1/databaseSchemas/name/${schemaFqn}`;
  ok(await service.admin.patch(schemaAt, [{ op: 'add', path: '/owners', value: [{ id: owner.id, type: 'user' }] }]));
  const reply = await service.admin.get(`${at}?fields=owners`, { 'if-none-match': tag });
  assert.equal([tagOf(reply), ok(reply).owners[0].id], [tag, owner.id]);
  ok(await service.admin.patch(schemaAt, [{ op: 'remove', path: '/owners' }]));
  const contract = await service.admin.post('/v1/dataContracts', {
    name: uniqueName('c'),
    entity: { id, type: 'table' },
  });
  const contractAt = `/v1/dataContracts/${ok(contract, 201).id}`;
  assert.is(await asked(contractAt, tagOf(await service.admin.get(contractAt))), 304);
  const result = { timestamp: Date.now(), contractExecutionStatus: 'Success' };
  ok(await service.admin.put(`${contractAt}/results`, result));
  const judged = await service.admin.get(contractAt);
  assert.is(await asked(contractAt, tagOf(judged)), 200);
});

test('a patch restores derived members without an error', async () => {
  const { at } = await tableNow();
  const before = ok(await service.admin.get(at));
  const other = { id: before.id, type: 'database', name: 'other', fullyQualifiedName: 'other' };
  for (const member of ['service', 'database', 'databaseSchema', 'serviceType', 'changeDescription']) {
    const value = member === 'serviceType' ? 'Oracle' : member === 'changeDescription' ? { previousVersion: 9 } : other;
    const after = ok(await service.admin.patch(at, [{ op: 'add', path: `/${member}`, value }]));
    assert.equal(after[member], before[member], member);
    assert.is(after.version, before.version, member);
  }
});

test('a version is read by any spelling of its number', async () => {
  const { name, at } = await tableNow();
  const renamed = bodyOf(name, { columns: [{ name: 'b', dataType: 'INT' }] });
  const whole = ok(await service.admin.put('/v1/tables', renamed));
  assert.is(whole.version, 1.1);
  for (const spelling of ['1.1', '1.10', '0.1', '0.10']) {
    const one = ok(await service.admin.get(`${at}/versions/${spelling}`));
    assert.is(one.version, Number(spelling), spelling);
  }
  expectRefused(await service.admin.get(`${at}/versions/7`), 404);
  ok(await service.admin.patch(at, [{ op: 'add', path: '/description', value: 'x' }], only('W/"1.10"')));
});

test('bodies of votes and restores accept no other members', async () => {
  const { id, at } = await tableNow();
  expectRefused(await service.admin.put(`${at}/vote`, { updatedVoteType: 'votedUp', x: 1 }), 400, /x/);
  expectRefused(await service.admin.put('/v1/tables/restore', { id, recursive: true }), 400, /recursive/);
  ok(await service.admin.put(`${at}/vote`, { updatedVoteType: 'votedUp' }));
  ok(await service.admin.put(`${at}/vote`, 'unVoted'));
  ok(await service.admin.put('/v1/tables/restore', { id }));
});

test('the length of a full name is counted in code points', async () => {
  const name = '🦊'.repeat(256);
  const long = (): string => uniqueName('n') + '🦊'.repeat(256 - uniqueName('n').length);
  const root = await make('services/databaseServices', { name: long(), serviceType: 'Mysql' });
  const database = await make('databases', { name, service: root['fullyQualifiedName'] as string });
  const schema = await make('databaseSchemas', { name, database: database['fullyQualifiedName'] as string });
  const inner = { name, dataType: 'STRING' };
  const table = await make('tables', {
    name,
    databaseSchema: schema['fullyQualifiedName'] as string,
    columns: [{ name, dataType: 'STRUCT', children: [{ name, dataType: 'STRUCT', children: [inner] }] }],
  });
  const at = `/v1/tables/${table['id']}`;
  const patched = await service.admin.patch(at, [
    { op: 'add', path: '/columns/0/children/0/children/0/description', value: 'x' },
  ]);
  const [column] = ok(patched).columns;
  const [deepest] = column.children[0].children;
  assert.is(deepest.description, 'x');
  assert.is(deepest.fullyQualifiedName.length > 3072, true);
});

test('the system routes return all their members', async () => {
  const version = ok(await anonymous(service).get('/v1/system/version'));
  assert.equal(Object.keys(version), ['version', 'revision', 'timestamp']);
  assert.match(version.version, /^\d+\.\d+\.\d+$/);
  assert.match(version.revision, /^tributary-/);
  assert.type(version.timestamp, 'number');
  const { waiting, ...search } = ok(await anonymous(service).get('/v1/system/health')).search;
  assert.equal(search, { backend: 'neo4j' });
  await service.graph.query(
    "CREATE (:Unsent {entityId: 'counted', retryAt: 9e15}), (:Dirty {entityId: 'counted', retryAt: 9e15})",
  );
  try {
    assert.ok(ok(await anonymous(service).get('/v1/system/health')).search.waiting >= 2, `${waiting} before`);
  } finally {
    await service.graph.query("MATCH (n:Unsent|Dirty {entityId: 'counted'}) DELETE n");
  }
});

test.run();
