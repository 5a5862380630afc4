import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { countStored, expectRefused, ok } from '../support/expect.ts';
import {
  CASES,
  createQualityTests,
  DEFINITIONS,
  entityLinkOf,
  type QualityTests,
  SUITES,
} from '../support/quality-tests.ts';
import type { CreatedRecord } from '../support/samples.ts';
import { anonymous, openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/**
 * Shows that invalid test cases are refused in the order of the contract and leave nothing behind (data-quality.md 4).
 */

const test = suite('quality: invalid test cases');

let service: Service;
let testing: QualityTests;
/** A table that nobody ever tests. */
let bare: CreatedRecord;
test.before(async () => {
  service = await openService();
  testing = createQualityTests(service);
  bare = await testing.table();
  await testing.test(await testing.table());
});

const bad = async (more: JsonObject, status: number, message?: string | RegExp, column?: string) => {
  const body = testing.body(bare, column, more);
  const before = await countStored(service);
  expectRefused(await testing.post(body), status, message);
  expectRefused(await service.admin.put(CASES, body), status, message);
  assert.equal(await countStored(service), before, `something is left of ${JSON.stringify(more)}`);
  expectRefused(
    await service.admin.get(`${SUITES}/name/${encodeURIComponent(`${bare.fullyQualifiedName}.testSuite`)}`),
    404,
    undefined,
  );
};

const values = (pairs: Readonly<Record<string, string>>): JsonObject[] =>
  Object.entries(pairs).map(([name, value]) => ({ name, value }));

test('a body with missing, unknown or wrong members is refused', async () => {
  const body = testing.body(bare);
  for (const name of ['name', 'testDefinition', 'entityLink']) {
    const { [name]: _left, ...rest } = body;
    expectRefused(await testing.post(rest), 400, `[${name} must not be null]`);
    expectRefused(await testing.post({ ...rest, [name]: null }), 400, `[${name} must not be null]`);
  }
  await bad({ colour: 'red' }, 400, /colour/);
  await bad({ entityFQN: bare.fullyQualifiedName }, 400, /entityFQN/);
  await bad({ testCaseStatus: 'Success' }, 400, /testCaseStatus/);
  await bad({ incidentId: 'x' }, 400, /incidentId/);
  await bad({ createdBy: 'somebody' }, 400, /createdBy/);
  await bad({ topDimensions: 0 }, 400, /topDimensions/);
  await bad({ topDimensions: 51 }, 400, /topDimensions/);
  await bad({ topDimensions: 1.5 }, 400, /topDimensions/);
  await bad({ computePassedFailedRowCount: 'yes' }, 400, /computePassedFailedRowCount/);
  await bad({ parameterValues: [{ value: '1' }] }, 400, /name/);
  await bad({ parameterValues: [{ name: 'value', value: 1 }] }, 400, /value/);
  await bad({ parameterValues: [{ name: 'value', value: '1', more: 1 }] }, 400, /more/);
  await bad({ parameterValues: values({ value: '1' })[0] ?? {} }, 400, /parameterValues/);
  expectRefused(await service.admin.post(CASES, [body]), 400);
});

test('an invalid name is refused', async () => {
  for (const name of ['', 'a::b', 'a>b', 'a"b', 'a\nb', 'a\u0007b', 'n'.repeat(257)]) await bad({ name }, 400);
  const table = await testing.table();
  for (const name of ['a b', 'a.b', "a'b", 'a<b', 'größer/kleiner', 'n'.repeat(256)]) {
    const made = await testing.test(table, undefined, { name });
    assert.is(made.name, name);
    assert.is(ok(await service.admin.get(`${CASES}/name/${encodeURIComponent(made.fullyQualifiedName)}`)).id, made.id);
  }
});

test('the target of a test case must exist and match its definition', async () => {
  const name = bare.fullyQualifiedName;
  const topic = await testing.samples.create('topic');
  await bad({ entityLink: `<#E::topic::${topic.fullyQualifiedName}>` }, 400, /must point at a table/);
  await bad({ entityLink: `<#E::nothing::${name}>` }, 400, /must point at a table/);
  await bad({ entityLink: `<#E::table::${name}_none>` }, 404, `table instance for ${name}_none not found`);
  await bad({ entityLink: entityLinkOf(bare, 'nowhere') }, 404, `column instance for ${name}.nowhere not found`, 'id');
  await bad({ entityLink: entityLinkOf(bare, 'address.nowhere') }, 404, undefined, 'id');
  await bad({ testDefinition: 'noSuchTest' }, 404, 'testDefinition instance for noSuchTest not found');
  await bad({ entityLink: entityLinkOf(bare, 'id') }, 400);
  await bad({ entityLink: entityLinkOf(bare) }, 400, undefined, 'id');
  await bad({ dimensionColumns: ['id', 'nowhere'] }, 400, /nowhere/);
  await bad({ owners: [{ id: '3f2504e0-4f89-41d3-9a0c-0305e82c3301', type: 'user' }] }, 404);
  await bad({ reviewers: [{ id: '3f2504e0-4f89-41d3-9a0c-0305e82c3301', type: 'user' }] }, 404);
  await bad({ tags: [{ tagFQN: 'No.Such' }] }, 404);
  const deleted = await testing.table();
  ok(await service.admin.delete(`/v1/tables/${deleted.id}`));
  await bad({ entityLink: entityLinkOf(deleted) }, 404);
});

test('the type of the column is not checked', async () => {
  const table = await testing.table();
  const made = await testing.test(table, 'address', {
    testDefinition: 'columnValuesToMatchRegex',
    parameterValues: values({ regex: '.*' }),
  });
  assert.is(made.testDefinition.name, 'columnValuesToMatchRegex');
});

test('parameters must be those of the definition', async () => {
  await bad({ parameterValues: values({ value: '1', depth: '2' }) }, 400, /depth.+defines value/);
  await bad({ parameterValues: [] }, 400, /value.+is missing/);
  await bad({ parameterValues: [{ name: 'value' }] }, 400, /value.+is missing/);
  await bad({ parameterValues: [{ name: 'value', value: null }] }, 400, /value.+is missing/);
  await bad({ parameterValues: null }, 400, /value.+is missing/);
  await bad({ parameterValues: values({ value: 'many' }) }, 400, /value must be a number, not many/);
  const between = { testDefinition: 'tableRowCountToBeBetween' };
  await bad({ ...between, parameterValues: values({ minValue: '5', maxValue: '4' }) }, 400, /minValue \(5\)/);
  const own = ok(
    await service.admin.post(DEFINITIONS, {
      name: uniqueName('rule'),
      entityType: 'TABLE',
      testPlatforms: ['Other'],
    }),
    201,
  );
  await bad({ testDefinition: own.name, parameterValues: values({ any: '1' }) }, 400, /has no parameters/);
  const table = await testing.table();
  const good: readonly JsonObject[] = [
    { ...between, parameterValues: values({ minValue: '4', maxValue: '4' }) },
    { ...between, parameterValues: values({ minValue: '4.00005', maxValue: '4' }) },
    { ...between, parameterValues: values({ maxValue: '4', threshold: '10', thresholdUnit: 'PERCENTAGE' }) },
    { testDefinition: 'tableDiff', parameterValues: values({ table2: 'a.b.c.d', 'other.where': 'x > 1' }) },
    { testDefinition: own.name, parameterValues: values({ threshold: '1' }) },
    {
      testDefinition: 'tableCustomSQLQuery',
      parameterValues: values({ sqlExpression: 'SELECT 1', strategy: 'SOMETHING', operator: '~' }),
    },
  ];
  for (const more of good) ok(await testing.post(testing.body(table, undefined, more)), 201);
});

test('a disabled definition allows no new test cases and keeps existing ones', async () => {
  const definition = ok(
    await service.admin.post(DEFINITIONS, { name: uniqueName('rule'), entityType: 'TABLE', testPlatforms: ['Other'] }),
    201,
  );
  const table = await testing.table();
  const body = testing.body(table, undefined, { testDefinition: definition.name, parameterValues: [] });
  const made = ok(await testing.post(body), 201);
  ok(await service.admin.patch(`${DEFINITIONS}/${definition.id}`, { enabled: false }));
  await bad({ testDefinition: definition.name, parameterValues: [] }, 400, /disabled/);
  assert.is(ok(await service.admin.put(CASES, { ...body, description: 'still' })).description, 'still');
  assert.is(ok(await service.admin.patch(`${CASES}/${made.id}`, { description: 'too' })).description, 'too');
});

test('of several faults the first in the order of the contract is reported', async () => {
  const table = await testing.table();
  const taken = await testing.test(table);
  const nonsense = { parameterValues: values({ depth: '1' }) };
  const plain = ok(
    await service.admin.post('/v1/users', { name: uniqueName('usr'), email: `${uniqueName('m')}@example.com` }),
    201,
  );
  const nobody = anonymous(service);
  const stranger = await service.as(plain.name);
  const missing = { entityLink: entityLinkOf({ fullyQualifiedName: 'no.such.table.here' }) };
  const body = (more: JsonObject = {}) => testing.body(table, undefined, { name: taken.name, ...more });
  expectRefused(await nobody.post(CASES, { nonsense: true }), 401);
  expectRefused(await stranger.post(CASES, { ...body(), colour: 'red' }), 400, /colour/);
  expectRefused(await stranger.post(CASES, body(missing)), 404);
  expectRefused(await stranger.post(CASES, body({ ...nonsense, testDefinition: 'noSuchTest' })), 404);
  expectRefused(await stranger.post(CASES, body({ ...nonsense, testSuite: 'noSuchSuite' })), 404);
  expectRefused(await stranger.post(CASES, body(nonsense)), 403);
  expectRefused(await stranger.put(CASES, body(nonsense)), 403);
  expectRefused(await service.admin.post(CASES, body(nonsense)), 409);
  expectRefused(await service.admin.put(CASES, body(nonsense)), 400);
  expectRefused(await service.admin.post(CASES, body({ ...nonsense, name: uniqueName('free') })), 400);
});

test.run();
