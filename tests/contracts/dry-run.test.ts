import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { expectList, expectRefused, ok } from '../support/expect.ts';
import { CONTRACTS } from '../support/odcs-exchange.ts';
import { createQualityTests, type QualityTests } from '../support/quality-tests.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import { type CreatedRecord, strayId } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that a contract can be validated without being stored, and every fault is reported (data-contracts.md 8.6). */

const test = suite('contracts: dry runs');

let service: Service;
let testing: QualityTests;
let rights: RightsFactory;
test.before(async () => {
  service = await openService();
  testing = createQualityTests(service);
  rights = createRightsFactory(service);
});

test.after(() => rights.clear());

const body = ({ id }: Pick<CreatedRecord, 'id'>, more: JsonObject = {}, type = 'table'): JsonObject => ({
  name: uniqueName('contract'),
  entity: { id, type },
  ...more,
});

const tryOut = async (sent: JsonObject, client: Pick<Service['admin'], 'post'> = service.admin) => {
  const found = ok(await client.post(`${CONTRACTS}/validate`, sent));
  const known = ['valid', 'schemaValidation', 'entityErrors', 'constraintErrors'];
  for (const member of Object.keys(found)) assert.ok(known.includes(member), member);
  assert.is(found.valid, (found.entityErrors ?? []).length + (found.constraintErrors ?? []).length === 0);
  return found;
};

const COLUMN = { name: 'id', dataType: 'INT' };

test('every fault of a body is reported with its path', async () => {
  const table = await testing.table();
  const found = await tryOut({
    entity: { id: table.id, type: 'table' },
    description: 5,
    more: true,
    entityStatus: 'Perhaps',
    semantics: [{ name: 'r', rule: 'x' }],
    sla: { timezone: 'Nowhere', refreshFrequency: { interval: -1, unit: 'eon' } },
    schema: [COLUMN, { name: 'absent', dataType: 'INT' }],
  });
  const told = found.entityErrors.join('\n');
  for (const path of [
    'name',
    'description',
    'more',
    'entityStatus',
    'semantics.0.description',
    'semantics.0.enabled',
    'sla.timezone',
    'sla.refreshFrequency.interval',
    'sla.refreshFrequency.unit',
  ]) {
    assert.ok(told.includes(path), `${path} is not told of in ${told}`);
  }
  assert.equal(found.constraintErrors, ['schema names the unknown column absent']);
  assert.equal(found.schemaValidation.failedFields, ['absent']);
  assert.equal((await tryOut(body(table, { status: 'Active', entityStatus: 'Draft' }))).entityErrors, [
    'status must mean the same as entityStatus',
  ]);
  assert.is((await tryOut(body(table, { name: 'a::b' }))).entityErrors.length, 1);
  assert.equal((await tryOut({ name: 'x', more: 1 })).constraintErrors, undefined);
});

test('missing references are reported with all other faults', async () => {
  const table = await testing.table();
  const unit = await rights.team({ teamType: 'Department' });
  const [user, reviewer, check] = [strayId(), strayId(), strayId()];
  const found = await tryOut(
    body(table, {
      owners: [{ id: user, type: 'user' }],
      reviewers: [{ id: reviewer, type: 'user' }],
      qualityExpectations: [{ id: check, type: 'testCase' }],
      schema: [COLUMN, COLUMN, { name: 'x', dataType: 'INT' }],
    }),
  );
  assert.is(found.entityErrors, undefined);
  const wanted = [
    'schema has the column id more than once',
    'schema names the unknown column x',
    `testCase instance for ${check} not found`,
    `user instance for ${reviewer} not found`,
    `user instance for ${user} not found`,
  ];
  assert.equal([...found.constraintErrors].sort(), wanted.sort());
  assert.is((await tryOut(body(table, { owners: [{ id: unit.id, type: 'team' }] }))).constraintErrors.length, 1);
  const topic = await testing.samples.create('topic');
  const wrong = await tryOut(
    body(topic, { qualityExpectations: [{ id: (await testing.test(table)).id, type: 'testCase' }] }, 'topic'),
  );
  assert.equal(wrong.constraintErrors, ['qualityExpectations are not possible for a topic']);
  const database = await testing.samples.create('database');
  assert.equal((await tryOut(body(database, { schema: [COLUMN] }, 'database'))).constraintErrors, [
    'schema is not possible for a database',
  ]);
  assert.is((await tryOut({ name: 'x', entity: { id: table.id, type: 'user' } })).constraintErrors.length, 1);
});

test('a second contract of one asset is reported', async () => {
  const table = await testing.table();
  const sent = body(table);
  ok(await service.admin.post(CONTRACTS, sent), 201);
  assert.is((await tryOut(sent)).valid, true, 'it may be what PUT makes of it');
  assert.equal((await tryOut({ ...sent, name: uniqueName('other') })).constraintErrors, [
    'There is another dataContract already',
  ]);
});

test('missing nested columns are refused by writes and reported by dry runs', async () => {
  const table = await testing.table();
  const inner = (...names: readonly string[]) => [
    { name: 'address', dataType: 'STRUCT', children: names.map((name) => ({ name, dataType: 'STRING' })) },
  ];
  const absent = body(table, { schema: inner('city', 'street') });
  const found = await tryOut(absent);
  assert.equal(found.constraintErrors, ['schema names the unknown column address.street']);
  assert.equal(found.schemaValidation.failedFields, ['address.street']);
  expectRefused(await service.admin.post(CONTRACTS, absent), 400, /address\.street/);
  const document = `apiVersion: v3.1.0
kind: DataContract
id: ${strayId()}
version: 1.0.0
status: active
schema:
  - name: ${table.name}
    properties:
      - { name: address, logicalType: object, properties: [{ name: city, logicalType: string }, { name: street, logicalType: string }] }
`;
  const about = `?entityId=${table.id}&entityType=table`;
  const send = (path: string) =>
    service.admin.raw('POST', `${CONTRACTS}/odcs/${path}${about}`, document, { 'content-type': 'application/yaml' });
  const trial = ok(await send('validate/yaml'));
  assert.equal([trial.valid, trial.odcsImportReport.canImport], [false, false]);
  expectRefused(await send('yaml'), 400);
  const twice = body(table, { schema: inner('city', 'city') });
  assert.is((await tryOut(twice)).valid, true, 'only outermost columns may not be repeated');
  assert.equal((await tryOut(twice)).schemaValidation.duplicateFields, ['address.city']);
  ok(await service.admin.post(CONTRACTS, twice), 201);
});

test('a dry run stores nothing and reveals nothing hidden', async () => {
  const table = await testing.table();
  const check = await testing.test(table);
  const blind = await rights.person([
    { operations: ['ViewAll'], resources: ['table'] },
    { effect: 'deny', operations: ['ViewBasic'], resources: ['testCase'] },
  ]);
  const sent = body(table, { qualityExpectations: [{ id: check.id, type: 'testCase' }] });
  assert.is((await tryOut(sent)).valid, true);
  assert.equal((await tryOut(sent, blind)).constraintErrors, [`testCase instance for ${check.id} not found`]);
  assert.is(expectList(await service.admin.get(`${CONTRACTS}?entity=${table.id}`)).data.length, 0);
  expectRefused(await service.admin.post(`${CONTRACTS}/validate`, body({ id: strayId() })), 404);
  for (const text of ['[]', '"x"', '1', 'null', '{']) {
    expectRefused(await service.admin.raw('POST', `${CONTRACTS}/validate`, text), 400);
  }
});

test.run();
