import * as assert from 'uvu/assert';
import type { Kind } from '../../src/model/kind/kind.ts';
import { expectRefused, expectUnchanged, ok, readStored } from '../support/expect.ts';
import { createSamples, type Samples } from '../support/samples.ts';
import { openSecondProcess } from '../support/second-process.ts';
import { type Client, openService, type Reply, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that different operations on one asset or tree can run at the same time, in one process and in two. */

const test = suite('catalog: concurrent operations');

let service: Service;
let samples: Samples;
let twin: Client;
let table: Kind;
let database: Kind;

test.before(async () => {
  service = await openService();
  samples = createSamples(service);
  twin = await openSecondProcess(service);
  table = samples.kind('table');
  database = samples.kind('database');
});

const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

/** Every other call goes to the other process. */
const either = (at: number): Client => (at % 2 === 0 ? service.admin : twin);

test('concurrent patch, delete, restore, PUT, follow and vote cause no 5xx and leave the record consistent', async () => {
  const body = await samples.body(table);
  const made = ok(await service.admin.post('/v1/tables', body), 201);
  const at = `/v1/tables/${made.id}`;
  const moves: ((client: Client, index: number) => Promise<Reply>)[] = [
    (client, index) => client.patch(at, { description: `d${index}` }),
    (client) => client.delete(at),
    (client) => client.put('/v1/tables/restore', { id: made.id }),
    (client, index) => client.put('/v1/tables', { ...body, displayName: `n${index}` }),
    (client) => client.put(`${at}/vote`, 'votedUp'),
    (client) => client.put(`${at}/vote`, 'unVoted'),
  ];
  const replies = await Promise.all(
    times(60, (index) => (moves[index % moves.length] ?? moves[0])?.(either(Math.floor(index / 2)), index)),
  );
  const broken = replies.filter((reply) => reply === undefined || reply.status >= 500);
  assert.equal(
    broken.map((reply) => `${reply?.status} ${reply?.text}`),
    [],
  );
  ok(await service.admin.put('/v1/tables/restore', { id: made.id }));
  const kept = await readStored(service, made.id);
  const version = kept?.properties['version'] as number;
  assert.is(kept?.versions, Math.round(version * 10) - 1);
  assert.is(ok(await service.admin.get(`${at}/versions`)).versions.length, (kept?.versions ?? 0) + 1);
});

test('children created during the deletion of their parent are not orphaned', async () => {
  const schemaKind = samples.kind('databaseSchema');
  const parent = await samples.create(database);
  const [gone, ...posts] = await Promise.all([
    service.admin.delete(`/v1/databases/${parent.id}?hardDelete=true&recursive=true`),
    ...times(20, (at) =>
      either(at).post(`/v1/${schemaKind.path}`, { name: `s${at}`, database: parent.fullyQualifiedName }),
    ),
  ]);
  ok(gone as Reply);
  for (const reply of posts) assert.ok(reply.status === 201 || reply.status === 404, `${reply.status} ${reply.text}`);
  const [row] = await service.graph.query(
    'MATCH (n:DatabaseSchema) WHERE n.fullyQualifiedName STARTS WITH $prefix RETURN count(n) AS orphans',
    { prefix: `${parent.fullyQualifiedName}.` },
  );
  assert.is(row?.['orphans'], 0);
});

test('concurrent PUT and DELETE of one record in one process cause no 5xx', async () => {
  for (let round = 0; round < 5; round += 1) {
    const body = await samples.body(table);
    const made = ok(await service.admin.post('/v1/tables', body), 201);
    const replies = await Promise.all(
      times(10, (at) =>
        at % 2 === 0
          ? service.admin.put('/v1/tables', { ...body, description: `d${at}` })
          : service.admin.delete(`/v1/tables/${made.id}`),
      ),
    );
    const broken = replies.filter((reply) => reply.status >= 500).map((reply) => reply.text);
    assert.equal(broken, [], service.logged.filter((line) => line.includes('500')).join('\n'));
  }
});

test('concurrent PATCH by name and DELETE by id in one process cause no 5xx', async () => {
  for (let round = 0; round < 5; round += 1) {
    const made = await samples.create(table);
    const at = `/v1/tables/name/${encodeURIComponent(made.fullyQualifiedName)}`;
    const replies = await Promise.all([
      ...times(5, (index) => service.admin.patch(at, { description: `d${index}` })),
      service.admin.delete(`/v1/tables/${made.id}`),
    ]);
    const broken = replies.filter((reply) => reply.status >= 500).map((reply) => reply.text);
    assert.equal(broken, [], service.logged.filter((line) => line.includes('500')).join('\n'));
  }
});

test('children created during the soft deletion of their parent are deleted with it', async () => {
  const schemaKind = samples.kind('databaseSchema');
  const parent = await samples.create(database);
  ok(await service.admin.post(`/v1/${schemaKind.path}`, { name: 'first', database: parent.fullyQualifiedName }), 201);
  const [gone, ...posts] = await Promise.all([
    service.admin.delete(`/v1/databases/${parent.id}?recursive=true`),
    ...times(20, (at) =>
      either(at).post(`/v1/${schemaKind.path}`, { name: `s${at}`, database: parent.fullyQualifiedName }),
    ),
  ]);
  ok(gone as Reply);
  for (const reply of posts) assert.ok(reply.status === 201 || reply.status === 404, `${reply.status} ${reply.text}`);
  const [row] = await service.graph.query(
    'MATCH (:Database {id: $id, deleted: true})-[:CONTAINS]->(n:LiveDatabaseSchema) RETURN count(n) AS living',
    { id: parent.id },
  );
  assert.is(row?.['living'], 0);
});

test('a patch that names an owner under deletion answers 200, 404 or 409', async () => {
  for (let round = 0; round < 3; round += 1) {
    const user = await samples.create('user');
    const made = await samples.create(database);
    const [patched] = await Promise.all([
      service.admin.patch(`/v1/databases/${made.id}`, { owners: [{ id: user.id, type: 'user' }] }),
      twin.delete(`/v1/users/${user.id}?hardDelete=true`),
    ]);
    const said = service.logged.filter((line) => line.includes(patched.headers.get('x-request-id') ?? '')).join();
    assert.ok(patched.status === 200 || patched.status === 404 || patched.status === 409, said);
  }
});

test('the last of several bulk rows for one name below a parent wins', async () => {
  for (let round = 0; round < 10; round += 1) {
    const row = await samples.body(database);
    const rows = times(5, (at) => ({ ...row, displayName: `n${at}` }));
    const result = ok(await service.admin.put('/v1/databases/bulk', rows));
    const fqn = encodeURIComponent(result.successRequest[0].request);
    const read = ok(await service.admin.get(`/v1/databases/name/${fqn}`));
    assert.equal([read.displayName, read.version], ['n4', 0.5]);
  }
});

test('a merge patch with the singular domain replaces the domains', async () => {
  const [one, two] = [await samples.create('domain'), await samples.create('domain')];
  const made = await samples.create(database, { domains: [one.fullyQualifiedName] });
  const patched = ok(await service.admin.patch(`/v1/databases/${made.id}`, { domain: two.fullyQualifiedName }));
  assert.equal(
    patched.domains.map((ref: { id: string }) => ref.id),
    [two.id],
  );
  const cleared = ok(await service.admin.patch(`/v1/databases/${made.id}`, { domain: null }));
  assert.equal(cleared.domains, []);
});

test('PUT of a user with the e-mail of another user is refused with 400', async () => {
  const [first, second] = [await samples.create('user'), await samples.create('user')];
  const body = { name: second.name, email: first['email'] };
  expectRefused(await expectUnchanged(service, second.id, () => service.admin.put('/v1/users', body)), 400);
});

test('passwords that do not match are refused with 400', async () => {
  const body = await samples.body('user', { password: 'Correct-Horse-7', confirmPassword: 'another' });
  expectRefused(await service.admin.post('/v1/users', body), 400);
});

test('a group keeps its type, by PATCH and by PUT', async () => {
  const body = await samples.body('team', { teamType: 'Group' });
  const group = ok(await service.admin.post('/v1/teams', body), 201);
  const patch = { teamType: 'Department' };
  expectRefused(
    await expectUnchanged(service, group.id, () => service.admin.patch(`/v1/teams/${group.id}`, patch)),
    400,
  );
  expectRefused(
    await expectUnchanged(service, group.id, () => service.admin.put('/v1/teams', { ...body, ...patch })),
    400,
  );
});

test('an unknown custom property is refused with 400', async () => {
  const body = await samples.body(database, { extension: { no_such_property: 1 } });
  expectRefused(await service.admin.post('/v1/databases', body), 400, 'Unknown custom field no_such_property');
});

test.run();
