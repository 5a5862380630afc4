import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { expectList, expectRefused, ok } from '../support/expect.ts';
import { CASES, createQualityTests, DEFINITIONS, type QualityTests, SUITES } from '../support/quality-tests.ts';
import { createRightsFactory, type Person, type RightsFactory, type RuleOptions } from '../support/rights.ts';
import type { CreatedRecord } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that test cases and results can be read and written with the rights on their table (identity.md 5). */

const test = suite('quality: rights');

let service: Service;
let testing: QualityTests;
let rights: RightsFactory;
test.before(async () => {
  service = await openService();
  testing = createQualityTests(service);
  rights = createRightsFactory(service);
  test.after(() => rights.clear());
});

const allow = (resource: string, ...operations: string[]): RuleOptions => ({ operations, resources: [resource] });
const deny = (resource: string, ...operations: string[]): RuleOptions => ({
  effect: 'deny',
  operations,
  resources: [resource],
});

const ownedBy = (...people: readonly Person[]): JsonObject => ({
  owners: people.map(({ id }) => ({ id, type: 'user' })),
});

const RESULT = { timestamp: 1_763_700_000_000, testCaseStatus: 'Failed' };

const resultsOf = ({ fullyQualifiedName }: { readonly fullyQualifiedName: string }): string =>
  `${CASES}/testCaseResults/${encodeURIComponent(fullyQualifiedName)}`;

const noSuite = async ({ fullyQualifiedName }: CreatedRecord) =>
  expectRefused(
    await service.admin.get(`${SUITES}/name/${encodeURIComponent(`${fullyQualifiedName}.testSuite`)}`),
    404,
  );

test('a test case is created with any one of three rights, and not without', async () => {
  for (const rule of [allow('testCase', 'Create'), allow('table', 'EditTests'), allow('table', 'CreateTests')]) {
    const caller = await rights.person([rule]);
    const [one, other] = [await testing.table(), await testing.table()];
    const made = ok(await caller.post(CASES, testing.body(one)), 201);
    assert.is(made.createdBy, caller.name);
    assert.ok(made.testSuite.id, 'its suite comes with it, whoever may make suites');
    ok(await caller.put(CASES, testing.body(other, 'id')), 201);
  }
  for (const rules of [
    [],
    [allow('testCase', 'EditAll', 'EditTests')],
    [allow('testSuite', 'All')],
    [allow('table', 'EditDescription', 'ViewAll')],
  ]) {
    const caller = await rights.person(rules);
    const table = await testing.table();
    expectRefused(await caller.post(CASES, testing.body(table)), 403);
    expectRefused(await caller.put(CASES, testing.body(table)), 403);
    await noSuite(table);
  }
});

test('the owner of a table creates its test cases, and those of no other table', async () => {
  const owner = await rights.person();
  const [mine, others] = [await testing.table(undefined, ownedBy(owner)), await testing.table()];
  const made = ok(await owner.post(CASES, testing.body(mine, 'id')), 201);
  ok(await owner.post(resultsOf(made), RESULT), 201);
  ok(await owner.patch(`${CASES}/${made.id}`, { description: 'mine' }));
  expectRefused(await owner.post(CASES, testing.body(others)), 403);
  expectRefused(await owner.post(CASES, testing.body(others, undefined, ownedBy(owner))), 403, undefined);
  await noSuite(others);
});

test('the right to test a table does not reach the results of a test that is hidden', async () => {
  const [tester, blind] = [
    await rights.person([allow('table', 'EditTests')]),
    await rights.person([allow('table', 'EditTests'), deny('testCase', 'ViewBasic')]),
  ];
  const made = ok(await service.admin.post(CASES, testing.body(await testing.table())), 201);
  ok(await tester.post(resultsOf(made), RESULT), 201);
  const at = `${resultsOf(made)}/${RESULT.timestamp}`;
  expectRefused(await blind.post(resultsOf(made), { ...RESULT, timestamp: RESULT.timestamp + 1 }), 403);
  expectRefused(await blind.patch(at, [{ op: 'add', path: '/result', value: 'mine' }]), 403);
  expectRefused(await blind.delete(at), 403);
  const { data } = expectList(await service.admin.get(`${resultsOf(made)}?startTs=0&endTs=${RESULT.timestamp + 1}`));
  assert.equal(
    data.map(({ timestamp, result }: JsonObject) => [timestamp, result]),
    [[RESULT.timestamp, undefined]],
  );
});

test('conditions and denials are evaluated against the table', async () => {
  const conditional = await rights.person([{ ...allow('table', 'EditTests'), condition: "matchAnyTag('Tier.Tier1')" }]);
  const [important, other] = [
    await testing.table(undefined, { tags: [{ tagFQN: 'Tier.Tier1' }] }),
    await testing.table(),
  ];
  ok(await conditional.post(CASES, testing.body(important)), 201);
  expectRefused(await conditional.post(CASES, testing.body(other)), 403);
  const denied = await rights.person([allow('table', 'EditTests'), deny('table', 'EditTests', 'CreateTests')]);
  expectRefused(await denied.post(CASES, testing.body(important)), 403);
  const barred = await rights.person([allow('table', 'CreateTests'), deny('testCase', 'Create')]);
  ok(await barred.post(CASES, testing.body(important)), 201);
});

test('results are written by callers who may edit the test case or run tests, on it or its table', async () => {
  const made = await testing.test(await testing.table());
  for (const rule of [allow('testCase', 'EditTests'), allow('testCase', 'EditAll'), allow('table', 'EditTests')]) {
    const caller = await rights.person([rule]);
    const path = `${resultsOf(made)}/${RESULT.timestamp}`;
    ok(await caller.post(resultsOf(made), RESULT), 201);
    ok(await caller.put(`${CASES}/${encodeURIComponent(made.fullyQualifiedName)}/testCaseResult`, RESULT));
    ok(await caller.patch(path, { result: caller.name }));
    const rows = [{ ...RESULT, testCaseFQN: made.fullyQualifiedName }];
    assert.is(ok(await caller.put(`${CASES}/testCaseResults/bulk`, rows)).numberOfRowsPassed, 1);
    ok(await caller.delete(path));
  }
  ok(await service.admin.post(resultsOf(made), RESULT), 201);
  for (const rules of [[], [allow('testCase', 'Create', 'EditDescription')], [allow('table', 'CreateTests')]]) {
    const caller = await rights.person(rules);
    expectRefused(await caller.post(resultsOf(made), { ...RESULT, testCaseStatus: 'Success' }), 403);
    expectRefused(await caller.delete(`${resultsOf(made)}/${RESULT.timestamp}`), 403);
    expectRefused(await caller.patch(`${resultsOf(made)}/${RESULT.timestamp}`, { testCaseStatus: 'Success' }), 403);
    expectRefused(
      await caller.put(`${CASES}/${encodeURIComponent(made.fullyQualifiedName)}/testCaseResult`, RESULT),
      403,
    );
    const rows = [{ ...RESULT, testCaseFQN: made.fullyQualifiedName, testCaseStatus: 'Success' }];
    const bulk = ok(await caller.put(`${CASES}/testCaseResults/bulk`, rows));
    assert.equal(
      bulk.failedRequest.map(({ status }: JsonObject) => status),
      [403],
    );
    expectRefused(await caller.post(resultsOf({ fullyQualifiedName: `${made.fullyQualifiedName}x` }), RESULT), 404);
  }
  assert.is(ok(await service.admin.get(`${CASES}/${made.id}`)).testCaseStatus, 'Failed');
});

test('results are read by callers who may view the test case', async () => {
  const made = await testing.test(await testing.table());
  ok(await service.admin.post(resultsOf(made), RESULT), 201);
  const [plain, blind] = [await rights.person(), await rights.person([deny('testCase', 'ViewBasic')])];
  assert.is(expectList(await plain.get(resultsOf(made))).data.length, 1);
  expectRefused(await blind.get(resultsOf(made)), 403);
  expectRefused(await blind.get(`${CASES}/${made.id}`), 403);
  expectRefused(await blind.get(`${CASES}/name/${encodeURIComponent(made.fullyQualifiedName)}`), 403);
  expectRefused(await blind.get(CASES), 403);
});

test('fields require their own rights', async () => {
  const table = await testing.table();
  const made = await testing.test(table);
  const caller = await rights.person([deny('all', 'ViewTests')]);
  ok(await caller.get(`/v1/tables/${table.id}?fields=owners`));
  expectRefused(await caller.get(`/v1/tables/${table.id}?fields=testSuite`), 403);
  ok(await caller.get(`${SUITES}/${made.testSuite.id}?fields=owners`));
  expectRefused(await caller.get(`${SUITES}/${made.testSuite.id}?fields=tests`), 403);
  expectRefused(await caller.get(`${SUITES}?fields=tests`), 403);
  const sampled = await rights.person([deny('testCase', 'ViewTestCaseFailedRowsSample')]);
  const path = `${CASES}/${made.id}/failedRowsSample`;
  ok(await service.admin.put(path, { columns: ['id'], rows: [[1]] }));
  expectRefused(await sampled.get(path), 403);
  ok(await (await rights.person()).get(path));
  expectRefused(await sampled.put(path, { columns: [], rows: [] }), 403);
  expectRefused(await sampled.raw('PUT', `${CASES}/${made.id}/inspectionQuery`, 'SELECT 1'), 403);
  const runner = await rights.person([allow('testCase', 'EditTests')]);
  ok(await runner.raw('PUT', `${CASES}/${made.id}/inspectionQuery`, 'SELECT 1'));
});

test('personal data in failed rows is masked except for owners and administrators', async () => {
  const owner = await rights.person();
  const { id } = ok(await owner.get('/v1/users/loggedInUser'));
  const table = await testing.table(
    [
      { name: 'id', dataType: 'INT' },
      { name: 'mail', dataType: 'STRING', tags: [{ tagFQN: 'PII.Sensitive' }] },
    ],
    { owners: [{ id, type: 'user' }] },
  );
  const made = await testing.test(table);
  const path = `${CASES}/${made.id}/failedRowsSample`;
  const sample = { columns: ['id', 'mail'], rows: [[1, 'ann@example.com']] };
  ok(await service.admin.put(path, sample));
  const masked = { ...sample, rows: [[1, '********']] };
  assert.equal(ok(await (await rights.person()).get(path)), masked);
  assert.equal(ok(await owner.get(path)), sample);
  assert.equal(ok(await service.admin.get(path)), sample);
  // The rows were stored under the label, so they stay masked without it, until there are others.
  ok(await service.admin.patch(`/v1/tables/${table.id}`, [{ op: 'remove', path: '/columns/1/tags/0' }]));
  assert.equal(ok(await (await rights.person()).get(path)), masked);
  ok(await service.admin.put(path, sample));
  assert.equal(ok(await (await rights.person()).get(path)), sample);
});

test('lists and totals contain visible test cases only', async () => {
  const caller = await rights.person([
    { ...deny('testCase', 'ViewBasic'), condition: "matchAnyTag('Tier.Tier5')" },
    { ...deny('testSuite', 'ViewBasic'), condition: '!isOwner()' },
  ]);
  const table = await testing.table([
    { name: 'id', dataType: 'INT' },
    { name: 'secret', dataType: 'INT', tags: [{ tagFQN: 'Tier.Tier5' }] },
  ]);
  const [seen, own, inherited] = [
    await testing.test(table, 'id'),
    await testing.test(table, 'id', { tags: [{ tagFQN: 'Tier.Tier5' }] }),
    await testing.test(table, 'secret'),
  ];
  const query = `entityFQN=${encodeURIComponent(table.fullyQualifiedName)}&includeAllTests=true`;
  const { data, paging } = expectList(await caller.get(`${CASES}?${query}`));
  assert.equal(
    data.map(({ id }: JsonObject) => id),
    [seen.id],
  );
  assert.is(paging.total, 1);
  for (const hidden of [own, inherited]) {
    expectRefused(await caller.get(`${CASES}/${hidden.id}`), 403);
    expectRefused(await caller.get(resultsOf(hidden)), 403);
  }
  ok(await caller.get(`${CASES}/${seen.id}`));
  expectRefused(await caller.get(`${SUITES}/${seen.testSuite.id}`), 403);
  const mine = ok(await service.admin.post(SUITES, { name: uniqueName('mine'), ...ownedBy(caller) }), 201);
  const suites = expectList(await caller.get(`${SUITES}?limit=1000000`));
  assert.equal(
    suites.data.map(({ id }: JsonObject) => id),
    [mine.id],
  );
  assert.is(suites.paging.total, 1);
});

test('suites are created, changed and deleted with their rights', async () => {
  const table = await testing.table();
  const made = await testing.test(table);
  const basic = { name: 'x', basicEntityReference: table.fullyQualifiedName };
  const plain = await rights.person();
  const logical = ok(await service.admin.post(SUITES, { name: uniqueName('chosen') }), 201);
  const members = { testSuiteId: logical.id, testCaseIds: [made.id] };
  for (const reply of [
    await plain.post(SUITES, { name: uniqueName('x') }),
    await plain.put(SUITES, { name: uniqueName('x') }),
    await plain.put(`${SUITES}/basic`, basic),
    await plain.post(`${SUITES}/basic`, { ...basic, basicEntityReference: (await testing.table()).fullyQualifiedName }),
    await plain.delete(`${SUITES}/${logical.id}`),
    await plain.delete(`${SUITES}/basic/${made.testSuite.id}?recursive=true`),
    await plain.put(`${CASES}/logicalTestCases`, members),
    await plain.delete(`${CASES}/logicalTestCases/${logical.id}/${made.id}`),
    await plain.delete(`${CASES}/${made.id}`),
  ]) {
    expectRefused(reply, 403);
  }
  const maker = await rights.person([allow('testSuite', 'Create', 'EditAll', 'Delete')]);
  const own = ok(await maker.post(SUITES, { name: uniqueName('chosen') }), 201);
  ok(await maker.put(`${CASES}/logicalTestCases`, { testSuiteId: own.id, testCaseIds: [made.id] }));
  ok(await maker.put(`${SUITES}/basic`, basic));
  ok(await maker.delete(`${CASES}/logicalTestCases/${own.id}/${made.id}`));
  ok(await maker.delete(`${SUITES}/${own.id}`));
});

test('definitions are created with their rights, and data stewards may create test cases', async () => {
  const body = () => ({ name: uniqueName('rule'), entityType: 'TABLE', testPlatforms: ['Other'] });
  const plain = await rights.person();
  expectRefused(await plain.post(DEFINITIONS, body()), 403);
  ok(await (await rights.person([allow('testDefinition', 'Create')])).post(DEFINITIONS, body()), 201);
  const { id } = ok(await service.admin.get('/v1/roles/name/DataSteward'));
  const steward = await rights.person([], { roles: [id] });
  const made = ok(await steward.post(CASES, testing.body(await testing.table())), 201);
  ok(await steward.post(resultsOf(made), RESULT), 201);
  ok(await steward.put(`${CASES}/${made.id}/failedRowsSample`, { columns: [], rows: [] }));
});

test.run();
