import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { createPerson, expectList, expectRefused, ok } from '../support/expect.ts';
import { CASES, createQualityTests, type QualityTests } from '../support/quality-tests.ts';
import { createRightsFactory } from '../support/rights.ts';
import { openSecondProcess } from '../support/second-process.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that contracts are evaluated against schema, semantics, quality and SLA. */

const test = suite('contracts: evaluations and results');

const CONTRACTS = '/v1/dataContracts';

let service: Service;
let testing: QualityTests;
test.before(async () => {
  service = await openService();
  testing = createQualityTests(service);
});

const contract = async (table: JsonObject, more: JsonObject = {}) =>
  ok(
    await service.admin.post(CONTRACTS, {
      name: uniqueName('contract'),
      entity: { id: table['id'] as string, type: 'table' },
      ...more,
    }),
    201,
  );

const results = ({ id }: JsonObject, more = '') => `${CONTRACTS}/${id}/results${more}`;

const rule = (name: string, text: string, more: JsonObject = {}) => ({
  name,
  description: `${name} must hold`,
  rule: text,
  enabled: true,
  ...more,
});

const RESULT_MEMBERS = [
  'contractExecutionStatus',
  'dataContractFQN',
  'executionTime',
  'id',
  'qualityValidation',
  'result',
  'schemaValidation',
  'semanticsValidation',
  'slaValidation',
  'timestamp',
];

test('a process that only administrators have called evaluates contracts', async () => {
  const made = await contract(await testing.table());
  const fresh = await openSecondProcess(service);
  const result = ok(await fresh.post(`${CONTRACTS}/${made.id}/validate`, {}));
  assert.is(result.contractExecutionStatus, 'Success', result.result);
});

test('an empty contract succeeds', async () => {
  const made = await contract(await testing.table());
  const result = ok(await service.admin.post(`${CONTRACTS}/${made.id}/validate`, {}));
  assert.equal(Object.keys(result).sort(), RESULT_MEMBERS);
  assert.is(result.contractExecutionStatus, 'Success');
  assert.is(result.result, 'No validation defined');
  assert.equal(result.schemaValidation, { passed: 0, failed: 0, total: 0 });
  assert.equal(result.slaValidation, {});
  assert.is(result.dataContractFQN, made.fullyQualifiedName);
  assert.ok(result.executionTime >= 1);
  assert.equal(ok(await service.admin.get(results(made, '/latest'))), result);
  assert.equal(ok(await service.admin.get(results(made, `/${result.id}`))), result);
  const after = ok(await service.admin.get(`${CONTRACTS}/${made.id}`));
  assert.equal(after.latestResult, {
    timestamp: result.timestamp,
    status: 'Success',
    message: 'No validation defined',
    resultId: result.id,
  });
  assert.is(after.version, made.version);
});

test('missing columns fail, rules see the whole asset, and different types are only reported', async () => {
  const table = await testing.table();
  const { name: owner, id } = await createPerson(service, uniqueName('owner'));
  ok(await service.admin.patch(`/v1/tables/${table.id}`, { owners: [{ id, type: 'user' }], description: 'Sales' }));
  const made = await contract(table, {
    schema: [
      { name: 'id', dataType: 'STRING' },
      { name: 'amount', dataType: 'DOUBLE' },
    ],
    semantics: [
      rule('owned', JSON.stringify({ isOwner: owner })),
      rule('described', '{"!!": {"var": "description"}}'),
      rule('impossible', '{"==": [{"var": "name"}, "x"]}'),
      rule('for topics', '{"==": [1, 2]}', { entityType: 'topic' }),
      rule('nonsense', '{"noSuchOperator": 1}'),
    ],
  });
  ok(await service.admin.patch(`/v1/tables/${table.id}`, { columns: [{ name: 'id', dataType: 'INT' }] }));
  const result = ok(await service.admin.post(`${CONTRACTS}/${made.id}/validate`, {}));
  assert.is(result.contractExecutionStatus, 'Failed');
  assert.equal(result.schemaValidation.failedFields, ['amount']);
  assert.equal(result.schemaValidation.typeMismatchFields, ['id: expected INT, got STRING']);
  assert.equal([result.semanticsValidation.passed, result.semanticsValidation.failed], [3, 2]);
  assert.equal(
    result.semanticsValidation.failedRules.map(({ ruleName }: JsonObject) => ruleName),
    ['impossible', 'nonsense'],
  );
  assert.match(result.result, /^Schema: 1 of 2 columns failed/);
});

test('an evaluation waiting for tests continues when they have run, and ends when the next one begins', async () => {
  const table = await testing.table();
  const [one, two] = [await testing.test(table), await testing.test(table)];
  const made = await contract(table, {
    qualityExpectations: [one, two].map(({ id }) => ({ id, type: 'testCase' })) as JsonObject[],
  });
  const first = ok(await service.admin.post(`${CONTRACTS}/${made.id}/validate`, {}));
  assert.is(first.contractExecutionStatus, 'Queued');
  const run = async ({ fullyQualifiedName }: JsonObject, testCaseStatus: string) =>
    ok(
      await service.admin.post(`${CASES}/testCaseResults/${encodeURIComponent(String(fullyQualifiedName))}`, {
        timestamp: Date.now(),
        testCaseStatus,
      }),
      201,
    );
  await run(one, 'Success');
  const waiting = ok(await service.admin.get(results(made, '/latest')));
  assert.equal([waiting.id, waiting.contractExecutionStatus], [first.id, 'Queued']);
  await run(two, 'Failed');
  const over = ok(await service.admin.get(results(made, '/latest')));
  assert.equal([over.id, over.contractExecutionStatus], [first.id, 'Failed']);
  assert.equal(over.qualityValidation, { passed: 1, failed: 1, total: 2, qualityScore: 50 });
  await run(two, 'Success');
  assert.is(ok(await service.admin.get(results(made, '/latest'))).contractExecutionStatus, 'Failed');
  const again = ok(await service.admin.post(`${CONTRACTS}/${made.id}/validate`, {}));
  assert.is(again.contractExecutionStatus, 'Success');
  ok(await service.admin.put(results(made), { timestamp: again.timestamp + 1, contractExecutionStatus: 'Running' }));
  ok(await service.admin.post(`${CONTRACTS}/${made.id}/validate`, {}));
  const { data } = ok(await service.admin.get(results(made)));
  const aborted = data.find(({ timestamp }: JsonObject) => timestamp === again.timestamp + 1);
  assert.is(aborted.contractExecutionStatus, 'Aborted');
});

test('freshness of a table is read from its column, its writes or its life cycle', async () => {
  const table = await testing.table();
  const made = await contract(table, {
    sla: { refreshFrequency: { interval: 1, unit: 'day' }, maxLatency: { value: 2, unit: 'hour' } },
  });
  const judge = async () => ok(await service.admin.post(`${CONTRACTS}/${made.id}/validate`, {}));
  assert.equal((await judge()).slaValidation, {});
  const old = Date.now() - 3 * 86_400_000;
  ok(await service.admin.patch(`/v1/tables/${table.id}`, { lifeCycle: { updated: { timestamp: old } } }));
  const late = await judge();
  assert.equal(late.slaValidation, { refreshFrequencyMet: false });
  assert.is(late.contractExecutionStatus, 'Failed');
  assert.is(late.result, 'SLA: refresh frequency missed');
  ok(
    await service.admin.put(`/v1/tables/${table.id}/tableProfile`, {
      tableProfile: { timestamp: Date.now() },
      systemProfile: [{ timestamp: Date.now() - 1000, operation: 'INSERT', rowsAffected: 5 }],
    }),
  );
  assert.equal((await judge()).slaValidation, { refreshFrequencyMet: true });
});

test('results are stored by timestamp, moved by id, and deleted singly or up to a timestamp', async () => {
  const made = await contract(await testing.table());
  const put = async (timestamp: number, contractExecutionStatus: string, more: JsonObject = {}) =>
    ok(await service.admin.put(results(made), { timestamp, contractExecutionStatus, ...more }));
  const one = await put(10, 'Success');
  await put(20, 'Failed', { result: 'bad' });
  await put(30, 'Success');
  const list = async (query = '') => {
    const { data, paging } = ok(await service.admin.get(results(made, query)));
    return [data.map(({ timestamp }: JsonObject) => timestamp), paging.total];
  };
  assert.equal(await list(), [[30, 20, 10], 3]);
  assert.equal(await list('?limit=1'), [[30], 3]);
  assert.equal(await list('?limit=0'), [[], 3]);
  assert.equal(await list('?startTs=10&endTs=20'), [[20, 10], 2]);
  for (const query of ['?limit=-1', '?limit=10001', '?limit=x'])
    expectRefused(await service.admin.get(results(made, query)), 400);
  const replaced = await put(10, 'Failed');
  assert.is(replaced.id, one.id);
  await put(40, 'Aborted', { id: one.id });
  assert.equal(await list(), [[40, 30, 20], 3]);
  const status = async () => ok(await service.admin.get(`${CONTRACTS}/${made.id}`)).latestResult?.status;
  assert.is(await status(), 'Aborted');
  await put(5, 'Success', { id: one.id });
  assert.is(await status(), 'Success');
  assert.equal(await list(), [[30, 20, 5], 3]);
  const gone = await service.admin.delete(results(made, '/30'));
  assert.equal([gone.status, gone.text], [200, '']);
  assert.is((await service.admin.delete(results(made, '/30'))).status, 200);
  assert.is(await status(), 'Failed');
  assert.is((await service.admin.delete(results(made, '/before/20'))).status, 200);
  assert.equal(await list(), [[20], 1]);
  assert.is((await service.admin.delete(results(made, '/before/21'))).status, 200);
  assert.is(await status(), undefined);
  expectRefused(await service.admin.get(results(made, '/latest')), 404);
  expectRefused(await service.admin.get(results(made, '/x')), 404);
  expectRefused(await service.admin.delete(results(made, '/x')), 400);
  expectRefused(await service.admin.put(results(made), { timestamp: 1 }), 400);
  expectRefused(await service.admin.put(results(made), { contractExecutionStatus: 'Success' }), 400);
  expectRefused(
    await service.admin.put(results(made), { timestamp: 1, contractExecutionStatus: 'Success', more: 1 }),
    400,
  );
  expectRefused(await service.admin.get(`${CONTRACTS}/3f2504e0-4f89-41d3-9a0c-0305e82c3301/results`), 404);
});

test('a changed status is published once, on the contract', async () => {
  const made = await contract(await testing.table());
  const put = async (timestamp: number, contractExecutionStatus: string) =>
    ok(await service.admin.put(results(made), { timestamp, contractExecutionStatus }));
  await put(1, 'Success');
  await put(2, 'Success');
  await put(3, 'Failed');
  const rows = await service.graph.query(
    'MATCH (e:ChangeEvent {entityId: $id, eventType: "entityUpdated"}) RETURN e.json AS json',
    { id: made.id },
  );
  const told = rows.map((row) => JSON.parse(row['json'] as string).changeDescription.fieldsUpdated[0]);
  assert.equal(
    told.map(({ name, oldValue }: JsonObject) => [name, oldValue]).sort(([, one]) => (one === null ? -1 : 1)),
    [
      ['latestResult', null],
      ['latestResult', 'Success'],
    ],
  );
});

test('an asset inherits the contract of its only data product', async () => {
  const table = await testing.table();
  const samples = testing.samples;
  const domain = await samples.create('domain');
  const product = await samples.create('dataProduct', { domains: [domain.fullyQualifiedName] });
  ok(
    await service.admin.patch(`/v1/tables/${table.id}`, {
      domains: [{ id: domain.id, type: 'domain' }],
      dataProducts: [{ id: product.id, type: 'dataProduct' }],
    }),
  );
  const about = `?entityId=${table.id}&entityType=table`;
  const theirs = ok(
    await service.admin.post(CONTRACTS, {
      name: 'product rules',
      entity: { id: product.id, type: 'dataProduct' },
      entityStatus: 'Approved',
      termsOfUse: 'Be kind.',
      sla: { refreshFrequency: { interval: 1, unit: 'day' } },
      semantics: [rule('described', '{"!!": {"var": "description"}}'), rule('named', '{"!!": {"var": "name"}}')],
    }),
    201,
  );
  const effective = ok(await service.admin.get(`${CONTRACTS}/entity${about}`));
  assert.equal(
    [effective.id, effective.inherited, effective.entityStatus, effective.entity.id],
    [theirs.id, true, 'Draft', table.id],
  );
  assert.equal(effective.termsOfUse, { content: 'Be kind.', inherited: true });
  assert.equal(
    effective.semantics.map(({ inherited }: JsonObject) => inherited),
    [true, true],
  );
  const result = ok(await service.admin.post(`${CONTRACTS}/entity/validate${about}`, {}));
  assert.is(result.semanticsValidation.failed, 1);
  const local = ok(await service.admin.get(`${CONTRACTS}?entity=${table.id}`)).data[0];
  assert.is(local.name, `product rules - ${table.name}`);
  assert.is(result.dataContractFQN, local.fullyQualifiedName);
  ok(await service.admin.post(`${CONTRACTS}/entity/validate${about}`, {}));
  assert.is(expectList(await service.admin.get(`${CONTRACTS}?entity=${table.id}`)).data.length, 1);
  ok(
    await service.admin.patch(`${CONTRACTS}/${local.id}`, {
      termsOfUse: { content: 'Mine.' },
      semantics: [rule('described', '{"==": [1, 1]}')],
    }),
  );
  const joined = ok(await service.admin.get(`${CONTRACTS}/entity${about}`));
  assert.equal(joined.termsOfUse, { content: 'Mine.' });
  assert.is(joined.sla.inherited, true);
  assert.equal(
    joined.semantics.map(({ name, inherited }: JsonObject) => [name, inherited ?? false]),
    [
      ['named', true],
      ['described', false],
    ],
  );
  assert.is(ok(await service.admin.post(`${CONTRACTS}/${local.id}/validate`, {})).semanticsValidation.failed, 0);
  ok(await service.admin.patch(`${CONTRACTS}/${theirs.id}`, { entityStatus: 'Draft' }));
  assert.is(ok(await service.admin.get(`${CONTRACTS}/entity${about}`)).sla, undefined);
  for (const query of [
    '',
    '?entityId=x&entityType=table',
    `?entityId=${table.id}`,
    `?entityId=${table.id}&entityType=user`,
  ]) {
    expectRefused(await service.admin.get(`${CONTRACTS}/entity${query}`), 400);
  }
  const bare = await testing.table();
  expectRefused(await service.admin.get(`${CONTRACTS}/entity?entityId=${bare.id}&entityType=table`), 404);
  expectRefused(await service.admin.post(`${CONTRACTS}/entity/validate?entityId=${bare.id}&entityType=table`, {}), 404);
});

test('a rule reveals nothing hidden from the caller', async () => {
  const table = await testing.table([
    { name: 'id', dataType: 'INT' },
    { name: 'mail', dataType: 'STRING', tags: [{ tagFQN: 'PII.Sensitive' }] },
  ]);
  const sample = { columns: ['id', 'mail'], rows: [[1, 'ann@example.com']] };
  ok(await service.admin.put(`/v1/tables/${table.id}/sampleData`, sample));
  const made = await contract(table, {
    semantics: [
      rule('open', '{"==": [{"var": "sampleData.rows.0.0"}, 1]}'),
      rule('sensitive', '{"==": [{"var": "sampleData.rows.0.1"}, "ann@example.com"]}'),
    ],
  });
  const { semanticsValidation } = ok(await service.admin.post(`${CONTRACTS}/${made.id}/validate`, {}));
  assert.equal(
    semanticsValidation.failedRules.map(({ ruleName }: JsonObject) => ruleName),
    ['sensitive'],
  );
  const rights = createRightsFactory(service);
  test.after(() => rights.clear());
  const blind = await rights.person([
    { effect: 'deny', operations: ['ViewBasic'], resources: ['table'] },
    { operations: ['EditAll'], resources: ['dataContract'] },
  ]);
  expectRefused(await blind.post(`${CONTRACTS}/${made.id}/validate`, {}), 403);
  const trial = { name: 'x', entity: { id: table.id, type: 'table' }, schema: [{ name: 'mail', dataType: 'INT' }] };
  expectRefused(await blind.post(`${CONTRACTS}/validate`, trial), 403);
});

test('aliases of members work in patches too', async () => {
  const made = await contract(await testing.table());
  const patched = ok(await service.admin.patch(`${CONTRACTS}/${made.id}`, { status: 'Active' }));
  assert.is(patched.entityStatus, 'Approved');
  expectRefused(await service.admin.patch(`${CONTRACTS}/${made.id}`, { status: 'Nope' }), 400);
  expectRefused(await service.admin.patch(`${CONTRACTS}/${made.id}`, { entityStatus: 'Nope' }), 400);
});

test('a contract is validated before it is stored', async () => {
  const table = await testing.table();
  const body = { name: 'draft', entity: { id: table.id, type: 'table' } };
  const good = ok(
    await service.admin.post(`${CONTRACTS}/validate`, { ...body, schema: [{ name: 'id', dataType: 'STRING' }] }),
  );
  assert.is(good.valid, true);
  assert.equal(good.schemaValidation.typeMismatchFields, ['id: expected INT, got STRING']);
  const bad = ok(
    await service.admin.post(`${CONTRACTS}/validate`, { ...body, schema: [{ name: 'x', dataType: 'INT' }] }),
  );
  assert.is(bad.valid, false);
  assert.is(bad.constraintErrors.length, 1);
  const worse = ok(await service.admin.post(`${CONTRACTS}/validate`, { entity: body.entity }));
  assert.equal([worse.valid, worse.entityErrors], [false, ['name must not be null']]);
  expectRefused(
    await service.admin.post(`${CONTRACTS}/validate`, {
      ...body,
      entity: { id: '3f2504e0-4f89-41d3-9a0c-0305e82c3301', type: 'table' },
    }),
    404,
  );
  expectRefused(await service.admin.raw('POST', `${CONTRACTS}/validate`, '{'), 400);
  assert.is(expectList(await service.admin.get(`${CONTRACTS}?entity=${table.id}`)).data.length, 0);
});

test.run();
