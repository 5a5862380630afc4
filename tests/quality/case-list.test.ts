import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { createPerson, expectList, expectRefused, ok } from '../support/expect.ts';
import { CASES, createQualityTests, entityLinkOf, type QualityTests, SUITES } from '../support/quality-tests.ts';
import type { CreatedRecord } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that lists of test cases can be filtered by target, status, suite and creator (data-quality.md 4). */

const test = suite('quality: lists of test cases');

let service: Service;
let testing: QualityTests;
let table: CreatedRecord;
let neighbour: CreatedRecord;
/** Tests by what they are called here. */
// biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it.
const made: Record<string, any> = {};
let maker: string;

const START = 1_763_700_000_000;

const send = async (name: string, testCaseStatus: string, timestamp = START) =>
  ok(
    await service.admin.post(
      `${CASES}/testCaseResults/${encodeURIComponent(String(made[name]?.['fullyQualifiedName']))}`,
      { timestamp, testCaseStatus },
    ),
    201,
  );

test.before(async () => {
  service = await openService();
  testing = createQualityTests(service);
  const name = uniqueName('orders');
  table = await testing.table(undefined, { name });
  // Its name begins with that of the other, and its tests are those of nobody else.
  neighbour = await testing.table(undefined, { name: `${name}_more` });
  made['rows'] = await testing.test(table);
  made['id'] = await testing.test(table, 'id');
  made['amount'] = await testing.test(table, 'amount');
  made['address'] = await testing.test(table, 'address');
  made['city'] = await testing.test(table, 'address.city');
  made['other'] = await testing.test(neighbour);
  made['otherId'] = await testing.test(neighbour, 'id');
  const caller = await createPerson(service, uniqueName('maker'), { isAdmin: true });
  maker = caller.name;
  made['gone'] = ok(await caller.post(CASES, testing.body(table, 'id')), 201);
  made['made'] = ok(await caller.post(CASES, testing.body(table, 'id')), 201);
  ok(await service.admin.delete(`${CASES}/${made['gone']?.['id']}`));
  await send('rows', 'Success');
  await send('rows', 'Failed', START + 1);
  await send('id', 'Failed');
  await send('amount', 'Aborted');
  await send('city', 'Queued');
});

const list = async (query: string): Promise<string[]> => {
  const { data, paging } = expectList(await service.admin.get(`${CASES}?limit=1000000&${query}`));
  assert.is(paging.total, data.length, `the total with ${query}`);
  const ids = new Set(data.map(({ id }: JsonObject) => id));
  return Object.keys(made)
    .filter((name) => ids.has(made[name]?.['id']))
    .sort();
};

const link = (column?: string) => `entityLink=${encodeURIComponent(entityLinkOf(table, column))}`;
const fqn = (text: string) => `entityFQN=${encodeURIComponent(text)}`;

test('a list by link or name contains the tests of that asset, or of all below it', async () => {
  const name = table.fullyQualifiedName;
  assert.equal(await list(link()), ['rows']);
  assert.equal(await list(fqn(name)), ['rows']);
  assert.equal(await list(link('id')), ['id', 'made']);
  assert.equal(await list(fqn(`${name}.id`)), ['id', 'made']);
  assert.equal(await list(`${link()}&includeAllTests=false`), ['rows']);
  const all = ['address', 'amount', 'city', 'id', 'made', 'rows'];
  assert.equal(await list(`${link()}&includeAllTests=true`), all);
  assert.equal(await list(`${fqn(name)}&includeAllTests=True`), all);
  assert.equal(await list(`${link('address')}&includeAllTests=true`), ['address', 'city']);
  assert.equal(await list(link('address')), ['address']);
  assert.equal(await list(fqn(`${name}.address.city`)), ['city']);
  assert.equal(await list(`${link('address.city')}&includeAllTests=true`), ['city']);
  assert.equal(await list(`${link('id')}&${fqn(`${name}.amount`)}`), ['id', 'made'], 'the link wins');
  assert.equal(await list(fqn('nothing.of.this.name')), []);
  assert.equal(await list('includeAllTests=true&createdBy=nobody'), [], 'without a target it says nothing');
  expectRefused(await service.admin.get(`${CASES}?entityLink=nothing`), 400, 'Invalid entity link: nothing');
  expectRefused(await service.admin.get(`${CASES}?includeAllTests=perhaps&${fqn(name)}`), 400);
});

test('include selects deleted test cases', async () => {
  assert.equal(await list(`${link('id')}&include=all`), ['gone', 'id', 'made']);
  assert.equal(await list(`${link('id')}&include=deleted`), ['gone']);
  expectRefused(await service.admin.get(`${CASES}?include=some`), 400);
});

test('lists are filtered by column name, latest status, target type and creator', async () => {
  const all = `${link()}&includeAllTests=true`;
  assert.equal(await list(`${all}&columnName=id`), ['id', 'made']);
  assert.equal(await list(`${all}&columnName=amount`), ['amount']);
  assert.ok((await list('columnName=id')).includes('otherId'));
  assert.equal(await list(`${all}&testCaseStatus=Failed`), ['id', 'rows']);
  assert.equal(await list(`${all}&testCaseStatus=Success`), []);
  assert.equal(await list(`${all}&testCaseStatus=Aborted`), ['amount']);
  assert.equal(await list(`${all}&testCaseStatus=Queued`), ['city']);
  assert.equal(await list(`${all}&testCaseType=column`), ['address', 'amount', 'city', 'id', 'made']);
  assert.equal(await list(`${all}&testCaseType=table`), ['rows']);
  assert.is((await list(`${all}&testCaseType=all`)).length, 6);
  assert.equal(await list(`createdBy=${maker}`), ['made']);
  assert.equal(await list(`createdBy=${maker}&testCaseType=table`), []);
  assert.equal(await list(`${all}&testCaseStatus=Failed&testCaseType=column&columnName=id`), ['id']);
  expectRefused(await service.admin.get(`${CASES}?testCaseStatus=Great`), 400);
  expectRefused(await service.admin.get(`${CASES}?testCaseType=schema`), 400);
});

test('lists are filtered by basic or logical suite', async () => {
  const chosen = ok(await service.admin.post(SUITES, { name: uniqueName('chosen') }), 201);
  ok(
    await service.admin.put(`${CASES}/logicalTestCases`, {
      testSuiteId: chosen.id,
      testCaseIds: [made['rows']?.['id'], made['other']?.['id']],
    }),
  );
  assert.equal(await list(`testSuiteId=${chosen.id}`), ['other', 'rows']);
  assert.equal(await list(`testSuiteId=${chosen.id}&testCaseStatus=Failed`), ['rows']);
  assert.equal(await list(`testSuiteId=${chosen.id}&${link()}`), ['rows']);
  const basic = made['other']?.['testSuite']?.['id'];
  assert.equal(await list(`testSuiteId=${basic}`), ['other', 'otherId']);
  expectRefused(await service.admin.get(`${CASES}?testSuiteId=3f2504e0-4f89-41d3-9a0c-0305e82c3301`), 404);
});

test('pages, limits and fields work as in every list', async () => {
  const all = `${link()}&includeAllTests=true`;
  const seen: unknown[] = [];
  for (let after = ''; ; ) {
    const { data, paging } = expectList(await service.admin.get(`${CASES}?limit=4&${all}&after=${after}`));
    seen.push(...data.map(({ id }: JsonObject) => id));
    assert.is(paging.total, 6);
    if (!paging.after) break;
    after = paging.after;
  }
  assert.is(new Set(seen).size, 6);
  assert.equal(expectList(await service.admin.get(`${CASES}?limit=0&${all}`)).paging, { total: 6 });
  expectRefused(await service.admin.get(`${CASES}?limit=1000001`), 400);
  expectRefused(await service.admin.get(`${CASES}?fields=nothing`), 400, 'Invalid field name nothing');
  const { data } = expectList(await service.admin.get(`${CASES}?${link()}&fields=owners,testSuites`));
  assert.equal(data[0].owners, []);
  assert.is(data[0].testSuites.length, 2);
  assert.is(data[0].testSuite.type, 'testSuite');
  assert.is(data[0].testDefinition.name, 'tableRowCountToEqual');
  assert.is(data[0].testCaseResult.testCaseStatus, 'Failed');
});

test('the OpenAPI document lists the parameters', async () => {
  const { paths, components } = ok(await service.admin.get('/openapi.json'));
  const whole = (one: JsonObject): JsonObject =>
    typeof one['$ref'] === 'string' ? components.parameters[one['$ref'].split('/').at(-1) ?? ''] : one;
  const told = new Map<string, JsonObject>(
    paths['/v1/dataQuality/testCases'].get.parameters.map(whole).map((one: JsonObject) => [String(one['name']), one]),
  );
  const schemaOf = (name: string) => told.get(name)?.['schema'] as JsonObject;
  assert.is(schemaOf('includeAllTests')['type'], 'boolean');
  assert.equal(schemaOf('testCaseStatus')['enum'], ['Success', 'Failed', 'Aborted', 'Queued']);
  assert.equal([...(schemaOf('testCaseType')['enum'] as string[])].sort(), ['all', 'column', 'table']);
  for (const name of ['entityLink', 'entityFQN', 'columnName', 'testSuiteId', 'createdBy']) {
    assert.is(schemaOf(name)['type'], 'string', name);
    assert.ok(String(told.get(name)?.['description']).length > 10, name);
  }
});

test.run();
