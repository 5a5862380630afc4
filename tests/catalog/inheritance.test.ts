import * as assert from 'uvu/assert';
import { expectRecord, expectRefused, expectUnchanged, ok } from '../support/expect.ts';
import type { CreatedRecord } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that owners and domains are inherited from the nearest ancestor that has some. */

const test = suite('catalog: inheritance');

let service: Service;
test.before(async () => {
  service = await openService();
});

const make = async (path: string, body: object): Promise<CreatedRecord> =>
  ok(await service.admin.post(`/v1/${path}`, { name: uniqueName('inh'), ...body }), 201);
const newUser = () => make('users', { email: `${uniqueName('inh')}@example.com` });
const newDomain = () => make('domains', { description: 'd', domainType: 'Aggregate' });

type Chain = {
  root: CreatedRecord;
  database: CreatedRecord;
  schema: CreatedRecord;
  table: CreatedRecord;
  owner: CreatedRecord;
  domain: CreatedRecord;
};

const buildChain = async (): Promise<Chain> => {
  const [owner, domain] = [await newUser(), await newDomain()];
  const root = await make('services/databaseServices', {
    serviceType: 'Mysql',
    owners: [{ id: owner.id, type: 'user' }],
    domains: [domain.fullyQualifiedName],
  });
  const database = await make('databases', { service: root.fullyQualifiedName });
  const schema = await make('databaseSchemas', { database: database.fullyQualifiedName });
  const table = await make('tables', {
    databaseSchema: schema.fullyQualifiedName,
    columns: [{ name: 'id', dataType: 'INT' }],
  });
  return { root, database, schema, table, owner, domain };
};

const FIELDS = '?fields=owners,domains';

const holders = (record: { owners: { id: string; inherited?: boolean }[]; domains: typeof record.owners }) => ({
  owners: record.owners.map((ref) => [ref.id, ref.inherited === true]),
  domains: record.domains.map((ref) => [ref.id, ref.inherited === true]),
});

test('owners and domains are inherited from the nearest ancestor with some, and marked as inherited', async () => {
  const { root, database, schema, table, owner, domain } = await buildChain();
  const own = { owners: [[owner.id, false]], domains: [[domain.id, false]] };
  const inherited = { owners: [[owner.id, true]], domains: [[domain.id, true]] };
  assert.equal(holders(ok(await service.admin.get(`/v1/services/databaseServices/${root.id}${FIELDS}`))), own);
  for (const [path, { id }] of [
    ['databases', database],
    ['databaseSchemas', schema],
    ['tables', table],
  ] as const) {
    const read = ok(await service.admin.get(`/v1/${path}/${id}${FIELDS}`));
    assert.equal(holders(read), inherited, path);
    assert.is('inherited' in read.owners[0], true);
    const kind = [...service.registry.kinds].find((candidate) => candidate.path === path);
    assert.ok(kind);
    expectRecord(kind, read);
  }
  const nearer = await newUser();
  ok(await service.admin.patch(`/v1/databases/${database.id}`, { owners: [{ id: nearer.id, type: 'user' }] }));
  const read = ok(await service.admin.get(`/v1/tables/${table.id}${FIELDS}`));
  assert.equal(holders(read), { owners: [[nearer.id, true]], domains: [[domain.id, true]] });
});

test('the response to a create contains inherited references', async () => {
  const { schema, owner, domain } = await buildChain();
  const made = ok(
    await service.admin.post('/v1/tables', { name: 't2', databaseSchema: schema.fullyQualifiedName, columns: [] }),
    201,
  );
  assert.equal(holders(made), { owners: [[owner.id, true]], domains: [[domain.id, true]] });
});

test('inherited references that are sent back change nothing and stay inherited', async () => {
  const { table, owner } = await buildChain();
  const at = `/v1/tables/${table.id}`;
  const read = ok(await service.admin.get(`${at}?fields=*`));
  const patches = [
    [{ op: 'replace', path: '/owners', value: read.owners }],
    { owners: read.owners, domains: read.domains },
    [
      { op: 'test', path: '/owners/0/inherited', value: true },
      { op: 'replace', path: '/domains', value: read.domains },
    ],
  ];
  for (const patch of patches) {
    const reply = await expectUnchanged(service, table.id, () => service.admin.patch(at, patch));
    assert.equal([ok(reply).version, reply.json.owners[0].inherited], [0.1, true]);
  }
  const changed = ok(await service.admin.patch(at, { description: 'x', owners: read.owners }));
  assert.equal([changed.version, changed.owners[0].inherited], [0.2, true]);
  assert.equal(
    changed.changeDescription.fieldsAdded.map((field: { name: string }) => field.name),
    ['description'],
  );
  const [row] = await service.graph.query(
    'RETURN COUNT { (:User {id: $owner})-[:OWNS]->(:Table {id: $id}) } AS edges',
    {
      owner: owner.id,
      id: table.id,
    },
  );
  assert.is(row?.['edges'], 0);
});

test('inherited owners in a POST or PUT body do not become own owners', async () => {
  const { schema, owner } = await buildChain();
  const body = {
    name: 't3',
    databaseSchema: schema.fullyQualifiedName,
    columns: [{ name: 'id', dataType: 'INT' }],
    owners: [{ id: owner.id, type: 'user', inherited: true }],
  };
  const made = ok(await service.admin.post('/v1/tables', body), 201);
  assert.is(made.owners[0].inherited, true);
  const put = await expectUnchanged(service, made.id, () => service.admin.put('/v1/tables', body));
  assert.is(ok(put).version, 0.1);
});

test('an own reference replaces the inherited one, which returns when the own one is removed', async () => {
  const { table, owner } = await buildChain();
  const at = `/v1/tables/${table.id}`;
  const mine = await newUser();
  const value = { id: mine.id, type: 'user' };
  const own = ok(await service.admin.patch(at, [{ op: 'replace', path: '/owners/0', value }]));
  assert.equal(
    [own.version, own.owners.length, own.owners[0].id, 'inherited' in own.owners[0]],
    [0.2, 1, mine.id, false],
  );
  const removed = ok(await service.admin.patch(at, [{ op: 'remove', path: '/owners/0' }]));
  assert.is(removed.version, 0.3);
  const read = ok(await service.admin.get(`${at}?fields=owners`));
  assert.equal([read.owners[0].id, read.owners[0].inherited], [owner.id, true]);
});

test('adding to inherited owners stores only the new owner', async () => {
  const { table } = await buildChain();
  const mine = await newUser();
  const value = { id: mine.id, type: 'user' };
  const own = ok(await service.admin.patch(`/v1/tables/${table.id}`, [{ op: 'add', path: '/owners/-', value }]));
  assert.equal(
    own.owners.map((ref: CreatedRecord) => ref.id),
    [mine.id],
  );
});

test('a domain lists its own and inherited members and nothing else', async () => {
  const { root, table, domain } = await buildChain();
  const list = ok(await service.admin.get(`/v1/tables?domain=${domain.fullyQualifiedName}`));
  assert.equal([list.paging.total, list.data[0].id], [1, table.id]);
  ok(await service.admin.patch(`/v1/services/databaseServices/${root.id}`, { domains: null }));
  assert.is(ok(await service.admin.get(`/v1/tables?domain=${domain.fullyQualifiedName}`)).paging.total, 0);
  assert.equal(ok(await service.admin.get(`/v1/tables/${table.id}${FIELDS}`)).domains, []);
});

test('domains are given by FQN, singular member or reference, an unknown one is 404, and data products need a domain', async () => {
  const [one, two] = [await newDomain(), await newDomain()];
  const root = await make('services/databaseServices', { serviceType: 'Mysql', domain: one.fullyQualifiedName });
  const at = `/v1/services/databaseServices/${root.id}`;
  const ids = async () =>
    ok(await service.admin.get(`${at}?fields=domains`)).domains.map((ref: CreatedRecord) => ref.id);
  assert.equal(await ids(), [one.id]);
  ok(await service.admin.patch(at, { domains: [two.fullyQualifiedName] }));
  assert.equal(await ids(), [two.id]);
  ok(await service.admin.patch(at, { domains: [{ id: two.id, type: 'domain' }] }));
  assert.equal(await ids(), [two.id]);
  ok(await service.admin.patch(at, [{ op: 'add', path: '/domains/-', value: { id: one.id, type: 'domain' } }]));
  assert.equal((await ids()).sort(), [one.id, two.id].sort());
  const missing = 'domain instance for nowhere not found';
  expectRefused(
    await expectUnchanged(service, root.id, () => service.admin.patch(at, { domains: ['nowhere'] })),
    404,
    missing,
  );
  const body = { name: uniqueName('inh'), serviceType: 'Mysql', domains: ['nowhere'] };
  expectRefused(await service.admin.post('/v1/services/databaseServices', body), 404, missing);
});

test.run();
