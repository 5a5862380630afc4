import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { expectList, expectRefused, ok, readStored } from '../support/expect.ts';
import { CASES, createQualityTests, type QualityTests, SUITES } from '../support/quality-tests.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that contracts are created, updated, listed and deleted with their asset. */

const test = suite('contracts: create, update and delete');

const CONTRACTS = '/v1/dataContracts';

let service: Service;
let testing: QualityTests;
test.before(async () => {
  service = await openService();
  testing = createQualityTests(service);
});

const ref = ({ id }: JsonObject, type = 'table') => ({ id, type });

const body = (table: JsonObject, more: JsonObject = {}): JsonObject => ({
  name: uniqueName('contract'),
  entity: ref(table) as JsonObject,
  ...more,
});

test('a contract is named below its asset and keeps its own name', async () => {
  const table = await testing.table();
  const sent = body(table, { name: 'v1.2 of sales' });
  const reply = await service.admin.post(CONTRACTS, sent);
  const made = ok(reply, 201);
  assert.is(made.fullyQualifiedName, `${table.fullyQualifiedName}.dataContract_v1.2 of sales`);
  assert.is(reply.headers.get('location'), made.href);
  assert.is(made.version, 0.1);
  assert.is(made.entityStatus, 'Draft');
  assert.is(made.createdBy, 'admin');
  assert.is(made.createdAt, made.updatedAt);
  assert.is(made.entity.id, table.id);
  assert.is(made.entity.fullyQualifiedName, table.fullyQualifiedName);
  assert.is('status' in made, false);
  const named = ok(await service.admin.get(`${CONTRACTS}/name/${encodeURIComponent(made.fullyQualifiedName)}`));
  assert.is(named.id, made.id);
  const shown = ok(await service.admin.get(`/v1/tables/${table.id}?fields=dataContract`));
  assert.is(shown.dataContract.id, made.id);
});

test('an asset has one contract', async () => {
  const table = await testing.table();
  const sent = body(table);
  ok(await service.admin.post(CONTRACTS, sent), 201);
  expectRefused(await service.admin.post(CONTRACTS, sent), 409, undefined, 'ENTITY_ALREADY_EXISTS');
  expectRefused(await service.admin.post(CONTRACTS, { ...sent, name: uniqueName('other') }), 400);
  expectRefused(await service.admin.put(CONTRACTS, { ...sent, name: uniqueName('other') }), 400);
  const all = await Promise.all(
    [1, 2, 3, 4].map(async () => service.admin.post(CONTRACTS, body(await testing.table()))),
  );
  for (const reply of all) ok(reply, 201);
  const fresh = await testing.table();
  const race = await Promise.all([1, 2, 3, 4, 5, 6].map(() => service.admin.post(CONTRACTS, body(fresh))));
  assert.is(race.filter(({ status }) => status === 201).length, 1);
  for (const reply of race) if (reply.status !== 201) expectRefused(reply, 400);
});

test('PUT creates a contract and replaces it', async () => {
  const table = await testing.table();
  const sent = body(table, { description: 'one' });
  const made = ok(await service.admin.put(CONTRACTS, sent), 201);
  const again = ok(await service.admin.put(CONTRACTS, sent));
  assert.is(again.version, made.version);
  const other = ok(await service.admin.put(CONTRACTS, { ...sent, description: 'two', entityStatus: 'active' }));
  assert.is(other.id, made.id);
  assert.is(other.createdAt, made.createdAt);
  assert.is(other.entityStatus, 'Approved');
  assert.is(other.version, 0.2);
});

test('an unknown asset is 404, and an invalid contract is 400 with all its faults', async () => {
  const table = await testing.table();
  const stray = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
  expectRefused(await service.admin.post(CONTRACTS, body({ id: stray })), 404);
  expectRefused(await service.admin.post(CONTRACTS, { ...body(table), entity: { id: table.id, type: 'user' } }), 400);
  const absent = [
    { name: 'id', dataType: 'INT' },
    { name: 'nowhere', dataType: 'INT' },
    { name: 'nobody', dataType: 'INT' },
  ];
  const reply = await service.admin.post(CONTRACTS, body(table, { schema: absent }));
  expectRefused(reply, 400, /nowhere, nobody/);
  const double = [absent[0] as JsonObject, absent[0] as JsonObject];
  expectRefused(await service.admin.post(CONTRACTS, body(table, { schema: double })), 400, /id/);
  expectRefused(await service.admin.post(CONTRACTS, body(table, { entityStatus: 'Perhaps' })), 400);
  expectRefused(await service.admin.post(CONTRACTS, body(table, { status: 'Active', entityStatus: 'Draft' })), 400);
  expectRefused(await service.admin.post(CONTRACTS, body(table, { unknown: 1 })), 400, /unknown/);
  ok(await service.admin.post(CONTRACTS, body(table, { schema: [{ name: 'ID', dataType: 'STRING' }] })), 201);
});

test('lists are filtered by statuses of both vocabularies and by asset', async () => {
  const made: Record<string, JsonObject> = {};
  const tables: JsonObject[] = [];
  for (const entityStatus of ['Draft', 'In Review', 'Approved', 'Archived', 'Deprecated']) {
    const table = await testing.table();
    tables.push(table);
    made[entityStatus] = ok(await service.admin.post(CONTRACTS, body(table, { entityStatus })), 201);
  }
  const idsBy = async (status: string) => {
    const { data } = expectList(
      await service.admin.get(`${CONTRACTS}?limit=1000000&status=${encodeURIComponent(status)}`),
    );
    const own = new Set(Object.values(made).map(({ id }) => id));
    return data
      .map(({ id }: JsonObject) => id)
      .filter((id: string) => own.has(id))
      .sort();
  };
  const ids = (...names: string[]) => names.map((name) => made[name]?.['id']).sort();
  assert.equal(await idsBy('draft'), ids('Draft', 'In Review'));
  assert.equal(await idsBy('ACTIVE'), ids('Approved'));
  assert.equal(await idsBy('Approved'), ids('Approved'));
  assert.equal(await idsBy('Deprecated'), ids('Archived', 'Deprecated'));
  assert.equal(await idsBy('in review'), ids('In Review'));
  assert.equal(await idsBy('Nonsense'), []);
  const of = expectList(await service.admin.get(`${CONTRACTS}?entity=${tables[0]?.['id']}&fields=status`));
  assert.equal(
    of.data.map(({ id, status }: JsonObject) => [id, status]),
    [[made['Draft']?.['id'], 'Draft']],
  );
  expectRefused(await service.admin.get(`${CONTRACTS}?entity=nonsense`), 400);
  const none = expectList(await service.admin.get(`${CONTRACTS}?entity=3f2504e0-4f89-41d3-9a0c-0305e82c3301`));
  assert.equal(none.data, []);
  const all = ok(await service.admin.get(`${CONTRACTS}/${made['Draft']?.['id']}?fields=*`));
  assert.is('status' in all, false);
});

test('expected test cases form a suite', async () => {
  const table = await testing.table();
  const [one, two] = [await testing.test(table), await testing.test(table)];
  const expect = (...tests: JsonObject[]) => tests.map((each) => ref(each, 'testCase') as JsonObject);
  const sent = body(table, { qualityExpectations: expect(one) });
  const made = ok(await service.admin.post(CONTRACTS, sent), 201);
  assert.is(made.qualityExpectations[0].id, one.id);
  assert.is(made.testSuite.name, made.id);
  const suiteOf = async () => ok(await service.admin.get(`${SUITES}/${made.testSuite.id}?fields=tests,dataContract`));
  const first = await suiteOf();
  assert.is(first.displayName, `Data Contract - ${made.name}`);
  assert.is(first.basic, false);
  assert.is(first.dataContract.id, made.id);
  assert.equal(
    first.tests.map(({ id }: JsonObject) => id),
    [one.id],
  );
  ok(await service.admin.put(CONTRACTS, { ...sent, qualityExpectations: expect(one, two) }));
  assert.is((await suiteOf()).tests.length, 2);
  const patch = [{ op: 'remove', path: '/qualityExpectations/0' }];
  ok(await service.admin.patch(`${CONTRACTS}/${made.id}`, patch));
  assert.is((await suiteOf()).tests.length, 1);
  expectRefused(await service.admin.delete(`${SUITES}/${made.testSuite.id}`), 400);
  const none = ok(await service.admin.put(CONTRACTS, body(table, { name: made.name })));
  assert.is(none.qualityExpectations?.length ?? 0, 0);
  assert.is(none.testSuite, undefined);
  expectRefused(await service.admin.get(`${SUITES}/${made.testSuite.id}?include=all`), 404);
  ok(await service.admin.get(`${CASES}/${one.id}`));
});

test('deleting a contract deletes its suite and results', async () => {
  const table = await testing.table();
  const one = await testing.test(table);
  const made = ok(
    await service.admin.post(CONTRACTS, body(table, { qualityExpectations: [ref(one, 'testCase')] as JsonObject[] })),
    201,
  );
  ok(await service.admin.put(`${CONTRACTS}/${made.id}/results`, { timestamp: 5, contractExecutionStatus: 'Success' }));
  const gone = ok(await service.admin.delete(`${CONTRACTS}/${made.id}`));
  assert.is(gone.deleted, true);
  expectRefused(await service.admin.get(`${SUITES}/${made.testSuite.id}`), 404);
  const back = ok(await service.admin.put(`${CONTRACTS}/restore`, { id: made.id }));
  assert.is(back.latestResult, undefined);
  expectRefused(await service.admin.get(`${CONTRACTS}/${made.id}/results/latest`), 404);
  assert.is(ok(await service.admin.get(`${CONTRACTS}/${made.id}`)).testSuite.id, made.testSuite.id);
  ok(await service.admin.delete(`${CONTRACTS}/${made.id}?hardDelete=true`));
  expectRefused(await service.admin.get(`${SUITES}/${made.testSuite.id}?include=all`), 404);
  assert.is(await readStored(service, made.id), undefined);
  expectRefused(await service.admin.delete(`/v1/tables/${table.id}`), 400);
});

test('create bodies may be YAML', async () => {
  const table = await testing.table();
  const send = (path: string, text: string) =>
    service.admin.raw('POST', path, text, { 'content-type': 'application/yaml' });
  const text = `name: yes please\nentity: {id: ${table.id}, type: table}\nstatus: active\n`;
  assert.is(ok(await send(`${CONTRACTS}/validate/yaml`, text)).valid, true);
  const made = ok(await send(CONTRACTS, text), 201);
  assert.equal([made.name, made.entityStatus, made.entity.id], ['yes please', 'Approved', table.id]);
  expectRefused(await send(CONTRACTS, 'name: [1'), 400, /^Invalid YAML content: line 1, column \d+: /);
  expectRefused(await send(CONTRACTS, 'a: &a [*a]'), 400);
  expectRefused(await service.admin.raw('POST', '/v1/tables', 'name: x', { 'content-type': 'application/yaml' }), 415);
});

test('contracts of assets of different kinds may have one name', async () => {
  const name = uniqueName('twins');
  ok(await service.admin.post('/v1/services/databaseServices', { name, serviceType: 'Postgres' }), 201);
  ok(await service.admin.post('/v1/services/pipelineServices', { name, serviceType: 'Airflow' }), 201);
  const database = ok(await service.admin.post('/v1/databases', { name: 'same', service: name }), 201);
  const pipeline = ok(await service.admin.post('/v1/pipelines', { name: 'same', service: name }), 201);
  assert.is(database.fullyQualifiedName, pipeline.fullyQualifiedName);
  const about = (record: JsonObject, type: string) => ({ name: 'alike', entity: ref(record, type) as JsonObject });
  const one = ok(await service.admin.post(CONTRACTS, about(database, 'database')), 201);
  const other = ok(await service.admin.post(CONTRACTS, about(pipeline, 'pipeline')), 201);
  assert.is(one.fullyQualifiedName, other.fullyQualifiedName);
  assert.is.not(one.id, other.id);
  const put = ok(await service.admin.put(CONTRACTS, { ...about(pipeline, 'pipeline'), description: 'x' }));
  assert.is(put.id, other.id);
  assert.is(ok(await service.admin.get(`${CONTRACTS}/${one.id}`)).description, undefined);
});

test('the contract of a renamed data product follows it', async () => {
  const { samples } = testing;
  const product = await samples.create('dataProduct');
  const made = ok(
    await service.admin.post(CONTRACTS, { name: 'a.b..c', entity: ref(product, 'dataProduct') as JsonObject }),
    201,
  );
  const name = uniqueName('renamed');
  ok(await service.admin.patch(`/v1/dataProducts/${product.id}`, [{ op: 'replace', path: '/name', value: name }]));
  const fqn = `${name}.dataContract_a.b..c`;
  assert.is(ok(await service.admin.get(`${CONTRACTS}/${made.id}`)).fullyQualifiedName, fqn);
  assert.is(ok(await service.admin.get(`${CONTRACTS}/name/${encodeURIComponent(fqn)}`)).id, made.id);
});

test.run();
