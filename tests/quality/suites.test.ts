import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import {
  CHANGE_HEADER_NAME,
  countStored,
  createPerson,
  expectList,
  expectRef,
  expectRefused,
  ok,
} from '../support/expect.ts';
import { CASES, createQualityTests, type QualityTests, SUITES } from '../support/quality-tests.ts';
import type { CreatedRecord } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that basic and logical test suites follow the contract. */

const test = suite('quality: test suites');

let service: Service;
let testing: QualityTests;
test.before(async () => {
  service = await openService();
  testing = createQualityTests(service);
});

const BASIC = `${SUITES}/basic`;
const EXECUTABLE = `${SUITES}/executable`;

const basicBody = ({ fullyQualifiedName }: CreatedRecord, more: JsonObject = {}): JsonObject => ({
  name: `${fullyQualifiedName}.TestSuite`,
  basicEntityReference: fullyQualifiedName,
  ...more,
});

const logical = async (more: JsonObject = {}) =>
  ok(await service.admin.post(SUITES, { name: uniqueName('chosen'), ...more }), 201);

const add = (testSuiteId: string, ...testCaseIds: string[]) =>
  service.admin.put(`${CASES}/logicalTestCases`, { testSuiteId, testCaseIds });

const read = async (id: string, query = '') => ok(await service.admin.get(`${SUITES}/${id}${query}`));

const idsOf = (refs: readonly JsonObject[]): unknown[] => refs.map(({ id }) => id).sort();

const sortedKeys = (record: object): string[] => Object.keys(record).sort();

const ALWAYS = [
  'basic',
  'deleted',
  'executable',
  'fullyQualifiedName',
  'href',
  'id',
  'name',
  'serviceType',
  'updatedAt',
  'updatedBy',
  'version',
];
const OF_TABLE = [...ALWAYS, 'basicEntityReference', 'executableEntityReference'].sort();
const GATED = ['domains', 'owners', 'pipelines', 'reviewers', 'summary', 'tags', 'testCaseResultSummary', 'tests'];

test('a basic suite is named after its table, links to it, and is found by both its names', async () => {
  const table = await testing.table();
  const made = ok(await service.admin.put(EXECUTABLE, basicBody(table, { description: 'all of them' })), 201);
  assert.is(made.fullyQualifiedName, `${table.fullyQualifiedName}.testSuite`);
  assert.is(made.name, `${table.fullyQualifiedName}.TestSuite`);
  assert.is(made.basic, true);
  assert.is(made.executable, true);
  assert.is(made.serviceType, 'TestSuite');
  expectRef(made.basicEntityReference);
  assert.is(made.basicEntityReference.id, table.id);
  assert.is(made.basicEntityReference.type, 'table');
  assert.equal(made.executableEntityReference, made.basicEntityReference);
  const plain = await read(made.id);
  assert.equal(sortedKeys(plain), [...OF_TABLE, 'description'].sort());
  const whole = await read(made.id, '?fields=*');
  assert.equal(sortedKeys(whole), [...OF_TABLE, 'description', ...GATED].sort());
  const named = ok(await service.admin.get(`${SUITES}/name/${encodeURIComponent(made.fullyQualifiedName)}`));
  assert.is(named.id, made.id);
});

test('a logical suite has no link and its own name, with or without quotes', async () => {
  const name = `${uniqueName('nightly')}.all tests`;
  const made = await logical({ name, displayName: 'Nightly' });
  assert.is(made.fullyQualifiedName, `"${name}"`);
  assert.is(made.basic, false);
  assert.is(made.executable, false);
  assert.equal(sortedKeys(await read(made.id)), [...ALWAYS, 'displayName'].sort());
  for (const text of [name, `"${name}"`]) {
    assert.is(ok(await service.admin.get(`${SUITES}/name/${encodeURIComponent(text)}`)).id, made.id);
  }
  const whole = await read(made.id, '?fields=*');
  assert.equal(whole.tests, []);
  assert.equal(whole.pipelines, []);
  assert.equal(whole.reviewers, []);
  assert.equal(whole.testCaseResultSummary, []);
  assert.equal(whole.summary, {
    success: 0,
    failed: 0,
    aborted: 0,
    queued: 0,
    total: 0,
    columnTestSummary: [],
  });
  expectRefused(await service.admin.get(`${SUITES}/${made.id}?fields=nothing`), 400, 'Invalid field name nothing');
});

test('a table has one basic suite, so PUT returns it by any name and POST conflicts', async () => {
  const table = await testing.table();
  const first = await testing.test(table);
  const put = await service.admin.put(EXECUTABLE, basicBody(table));
  assert.is(ok(put).id, first.testSuite.id);
  assert.is(put.json.name, `${table.fullyQualifiedName}.testSuite`, 'the name given is ignored');
  assert.is(put.headers.get(CHANGE_HEADER_NAME), 'entityNoChange');
  const other = ok(await service.admin.put(BASIC, basicBody(table, { name: 'whatever', description: 'told' })));
  assert.is(other.id, first.testSuite.id);
  assert.is(other.description, 'told');
  expectRefused(
    await service.admin.post(BASIC, basicBody(table)),
    409,
    'Entity already exists',
    'ENTITY_ALREADY_EXISTS',
  );
  expectRefused(await service.admin.post(EXECUTABLE, basicBody(table)), 409);
});

test('concurrent requests, including first test cases, create one basic suite', async () => {
  const table = await testing.table();
  const replies = await Promise.all([
    ...Array.from({ length: 8 }, () => service.admin.put(EXECUTABLE, basicBody(table))),
    ...Array.from({ length: 8 }, () => testing.post(testing.body(table))),
    ...Array.from({ length: 4 }, () => service.admin.post(BASIC, basicBody(table))),
  ]);
  const [puts, tests, posts] = [replies.slice(0, 8), replies.slice(8, 16), replies.slice(16)];
  for (const { status } of puts) assert.ok(status === 200 || status === 201, String(status));
  for (const { status } of tests) assert.is(status, 201);
  for (const { status } of posts) assert.ok(status === 201 || status === 409, String(status));
  const ids = new Set([...puts.map(({ json }) => json.id), ...tests.map(({ json }) => json.testSuite.id)]);
  assert.is(ids.size, 1);
  assert.is((await read(String([...ids][0]), '?fields=tests')).tests.length, 8);
});

test('the alias of the reference works, null means absent, and a misplaced reference is refused', async () => {
  const table = await testing.table();
  const { basicEntityReference: _reference, ...body } = basicBody(table);
  const made = ok(
    await service.admin.post(EXECUTABLE, {
      ...body,
      executableEntityReference: table.fullyQualifiedName,
      basicEntityReference: null,
      owners: null,
    }),
    201,
  );
  assert.is(made.basicEntityReference.id, table.id);
  const chosen = await logical({ basicEntityReference: table.fullyQualifiedName, dataContract: null });
  assert.is(chosen.basic, false);
  assert.is('basicEntityReference' in chosen, false);
  const other = uniqueName('chosen');
  const put = ok(
    await service.admin.put(SUITES, { name: other, executableEntityReference: table.fullyQualifiedName }),
    201,
  );
  assert.is(put.basic, false);
});

test('an invalid suite is refused and leaves nothing behind', async () => {
  const table = await testing.table();
  const before = await countStored(service);
  for (const path of [BASIC, EXECUTABLE]) {
    expectRefused(await service.admin.put(path, { name: 'x' }), 400, '[basicEntityReference must not be null]');
    expectRefused(await service.admin.post(path, { name: 'x' }), 400, '[basicEntityReference must not be null]');
    expectRefused(await service.admin.put(path, { basicEntityReference: table.fullyQualifiedName }), 400, /name/);
    expectRefused(await service.admin.put(path, basicBody(table, { name: '' })), 400, /name/);
    expectRefused(await service.admin.put(path, basicBody(table, { name: 'n'.repeat(257) })), 400, /name/);
    expectRefused(await service.admin.put(path, basicBody(table, { colour: 'red' })), 400, /colour/);
    expectRefused(await service.admin.put(path, basicBody(table, { basicEntityReference: 'no.such.table.here' })), 404);
    expectRefused(await service.admin.put(path, [basicBody(table)]), 400);
  }
  expectRefused(await service.admin.post(SUITES, { name: '' }), 400);
  expectRefused(await service.admin.post(SUITES, { name: 'n'.repeat(257) }), 400);
  expectRefused(await service.admin.post(SUITES, {}), 400, '[name must not be null]');
  expectRefused(await service.admin.post(SUITES, { name: uniqueName('x'), basic: true }), 400, /basic/);
  expectRefused(await service.admin.post(SUITES, { name: uniqueName('x'), tests: [] }), 400, /tests/);
  assert.equal(await countStored(service), before);
});

test('a table with any name has a suite, however long the name', async () => {
  const table = await testing.table(undefined, { name: `${'t'.repeat(240)}.x` });
  const made = ok(await service.admin.put(EXECUTABLE, basicBody(table)), 201);
  assert.is(made.fullyQualifiedName, `${table.fullyQualifiedName}.testSuite`);
  const first = await testing.test(table);
  assert.is(first.testSuite.id, made.id);
});

test('owners and domains are inherited from the table until the suite has its own', async () => {
  const [owner, other] = [
    await createPerson(service, uniqueName('owner')),
    await createPerson(service, uniqueName('owner')),
  ];
  const domain = await testing.samples.create('domain');
  const refTo = ({ id }: { readonly id: string }) => [{ id, type: 'user' }];
  const table = await testing.table(undefined, { owners: refTo(owner), domains: [domain.fullyQualifiedName] });
  const { testSuite } = await testing.test(table);
  const before = await read(testSuite.id, '?fields=owners,domains');
  assert.equal([before.owners[0].id, before.owners[0].inherited], [owner.id, true]);
  assert.equal([before.domains[0].id, before.domains[0].inherited], [domain.id, true]);
  ok(await service.admin.put(EXECUTABLE, basicBody(table, { owners: refTo(other) })));
  const after = await read(testSuite.id, '?fields=owners');
  assert.equal(
    after.owners.map(({ id, inherited }: JsonObject) => [id, inherited]),
    [[other.id, undefined]],
  );
});

test('a suite is patched and keeps its type', async () => {
  const table = await testing.table();
  const { testSuite } = await testing.test(table);
  const patched = ok(
    await service.admin.patch(`${SUITES}/${testSuite.id}`, [
      { op: 'add', path: '/description', value: 'told' },
      { op: 'add', path: '/tags/0', value: { tagFQN: 'Tier.Tier1', source: 'Classification' } },
      { op: 'replace', path: '/name', value: 'other' },
    ]),
  );
  assert.is(patched.description, 'told');
  assert.is(patched.name, `${table.fullyQualifiedName}.testSuite`);
  assert.equal(
    patched.tags.map(({ tagFQN }: JsonObject) => tagFQN),
    ['Tier.Tier1'],
  );
  expectRefused(
    await service.admin.patch(`${SUITES}/${testSuite.id}`, [{ op: 'replace', path: '/basic', value: false }]),
    400,
  );
  const whole = await read(testSuite.id, '?fields=*');
  const again = ok(await service.admin.patch(`${SUITES}/${testSuite.id}`, whole));
  assert.is(again.version, patched.version, 'what was read can be sent back');
});

test('lists are filtered by basic suites, logical suites, and suites with test cases', async () => {
  const [tested, bare] = [await testing.table(), await testing.table()];
  const { testSuite } = await testing.test(tested);
  const empty = ok(await service.admin.put(BASIC, basicBody(bare)), 201);
  const [full, hollow] = [await logical(), await logical()];
  const one = await testing.test(tested);
  ok(await add(full.id, one.id));
  const all = [testSuite.id, empty.id, full.id, hollow.id];
  const list = async (query: string) => {
    const { data, paging } = expectList(await service.admin.get(`${SUITES}?limit=1000000&${query}`));
    assert.is(paging.total, data.length, query);
    const ids = new Set(data.map(({ id }: JsonObject) => id));
    return all.map((id) => ids.has(id));
  };
  assert.equal(await list(''), [true, true, true, true]);
  assert.equal(await list('testSuiteType=basic'), [true, true, false, false]);
  assert.equal(await list('testSuiteType=executable'), [true, true, false, false]);
  assert.equal(await list('testSuiteType=logical'), [false, false, true, true]);
  assert.equal(await list('testSuiteType=anything'), [true, true, true, true]);
  assert.equal(await list('includeEmptyTestSuites=true'), [true, true, true, true]);
  assert.equal(await list('includeEmptyTestSuites=False'), [true, false, true, false]);
  assert.equal(await list('includeEmptyTestSuites=false&testSuiteType=basic'), [true, false, false, false]);
  assert.equal(await list('includeEmptyTestSuites=false&testSuiteType=logical'), [false, false, true, false]);
  expectRefused(await service.admin.get(`${SUITES}?includeEmptyTestSuites=perhaps`), 400);
  expectRefused(await service.admin.get(`${SUITES}?fields=nothing`), 400, 'Invalid field name nothing');
  expectRefused(await service.admin.get(`${SUITES}?limit=1000001`), 400);
  expectRefused(await service.admin.get(`${SUITES}?limit=-1`), 400);
  assert.equal(expectList(await service.admin.get(`${SUITES}?limit=0`)).data, []);
  ok(await service.admin.delete(`${CASES}/${one.id}`));
  assert.equal(await list('includeEmptyTestSuites=false&testSuiteType=logical'), [false, false, false, false]);
});

test('lists are paged in both directions, with the requested fields', async () => {
  const table = await testing.table();
  const { testSuite } = await testing.test(table);
  const first = expectList(await service.admin.get(`${SUITES}?limit=1&includeEmptyTestSuites=false`));
  const second = expectList(
    await service.admin.get(`${SUITES}?limit=1&includeEmptyTestSuites=false&after=${first.paging.after ?? ''}`),
  );
  if (first.paging.after) {
    const back = expectList(
      await service.admin.get(`${SUITES}?limit=1&includeEmptyTestSuites=false&before=${second.paging.before}`),
    );
    assert.equal(idsOf(back.data), idsOf(first.data));
  }
  const { data } = expectList(await service.admin.get(`${SUITES}?limit=1000000&fields=tests,summary,owners`));
  const mine = data.find(({ id }: JsonObject) => id === testSuite.id);
  assert.is(mine.tests.length, 1);
  expectRef(mine.tests[0]);
  assert.is(mine.summary.total, 1);
  assert.equal(sortedKeys(mine), [...OF_TABLE, 'owners', 'summary', 'tests'].sort());
});

test('test cases are added to and removed from a logical suite', async () => {
  const [table, other] = [await testing.table(), await testing.table()];
  const [one, two] = [await testing.test(table, 'id'), await testing.test(other)];
  const chosen = await logical();
  const reply = await add(chosen.id, one.id, two.id, one.id);
  assert.equal(idsOf(ok(reply).tests), [one.id, two.id].sort());
  assert.is(reply.json.id, chosen.id);
  assert.is(reply.json.version, chosen.version);
  ok(await add(chosen.id, one.id));
  ok(await add(chosen.id));
  const suites = ok(await service.admin.get(`${CASES}/${one.id}?fields=testSuites`)).testSuites;
  assert.equal(idsOf(suites), [chosen.id, one.testSuite.id].sort());
  for (const told of suites) assert.is('type' in told, false);
  const path = `${CASES}/logicalTestCases/${chosen.id}`;
  assert.equal(idsOf(ok(await service.admin.delete(`${path}/${one.id}`)).tests), [two.id]);
  expectRefused(await service.admin.delete(`${path}/${one.id}`), 404);
  assert.is(ok(await service.admin.get(`${CASES}/${one.id}`)).deleted, false);
  assert.equal(idsOf((await read(one.testSuite.id, '?fields=tests')).tests), [one.id]);
});

test('unknown test cases, basic suites and invalid bodies are refused, and additions are atomic', async () => {
  const table = await testing.table();
  const [one, gone] = [await testing.test(table), await testing.test(table)];
  ok(await service.admin.delete(`${CASES}/${gone.id}`));
  const chosen = await logical();
  const stray = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
  expectRefused(await add(chosen.id, one.id, stray), 404, `testCase instance for ${stray} not found`);
  expectRefused(await add(chosen.id, one.id, gone.id), 404);
  expectRefused(await add(chosen.id, table.id), 404);
  expectRefused(await add(stray, one.id), 404);
  expectRefused(await add(one.testSuite.id, one.id), 400);
  expectRefused(await service.admin.put(`${CASES}/logicalTestCases`, { testSuiteId: chosen.id }), 400);
  expectRefused(await service.admin.put(`${CASES}/logicalTestCases`, { testCaseIds: [one.id] }), 400);
  expectRefused(await add('chosen', one.id), 400);
  expectRefused(
    await service.admin.put(`${CASES}/logicalTestCases`, { testSuiteId: chosen.id, testCaseIds: [], more: 1 }),
    400,
  );
  expectRefused(await service.admin.delete(`${CASES}/logicalTestCases/${one.testSuite.id}/${one.id}`), 400);
  expectRefused(await service.admin.delete(`${CASES}/logicalTestCases/${chosen.id}/${one.id}`), 404);
  expectRefused(await service.admin.delete(`${CASES}/logicalTestCases/${stray}/${one.id}`), 404);
  assert.equal((await read(chosen.id, '?fields=tests')).tests, []);
});

test('concurrent additions and removals lose nothing', async () => {
  const table = await testing.table();
  const cases = await Promise.all(Array.from({ length: 12 }, () => testing.test(table)));
  const chosen = await logical();
  const ids = cases.map(({ id }) => id as string);
  for (const { status } of await Promise.all(ids.map((id) => add(chosen.id, id)))) assert.is(status, 200);
  assert.equal(idsOf((await read(chosen.id, '?fields=tests')).tests), [...ids].sort());
  const [kept, out] = [ids.slice(0, 6), ids.slice(6)];
  const replies = await Promise.all([
    ...out.map((id) => service.admin.delete(`${CASES}/logicalTestCases/${chosen.id}/${id}`)),
    ...kept.map((id) => add(chosen.id, id)),
  ]);
  for (const { status } of replies) assert.is(status, 200);
  assert.equal(idsOf((await read(chosen.id, '?fields=tests')).tests), kept.sort());
});

test('each type of suite is deleted by its own operation only', async () => {
  const table = await testing.table();
  const one = await testing.test(table);
  const chosen = await logical();
  ok(await add(chosen.id, one.id));
  for (const tail of ['', '?hardDelete=true', '?recursive=true&hardDelete=true']) {
    expectRefused(await service.admin.delete(`${SUITES}/${one.testSuite.id}${tail}`), 400);
    expectRefused(await service.admin.delete(`${BASIC}/${chosen.id}${tail}`), 400);
    expectRefused(await service.admin.delete(`${EXECUTABLE}/${chosen.id}${tail}`), 400);
  }
  expectRefused(
    await service.admin.delete(`${SUITES}/name/${encodeURIComponent(`${table.fullyQualifiedName}.testSuite`)}`),
    400,
  );
  expectRefused(await service.admin.delete(`${BASIC}/3f2504e0-4f89-41d3-9a0c-0305e82c3301`), 404);
  ok(await service.admin.delete(`${SUITES}/${chosen.id}?hardDelete=true`));
  expectRefused(await service.admin.get(`${SUITES}/${chosen.id}?include=all`), 404);
  assert.is(ok(await service.admin.get(`${CASES}/${one.id}`)).id, one.id, 'its tests stay');
});

test('a basic suite is deleted and restored with its test cases', async () => {
  const table = await testing.table();
  const [one, two] = [await testing.test(table), await testing.test(table, 'id')];
  const { id } = one.testSuite;
  expectRefused(await service.admin.delete(`${BASIC}/${id}`), 400, 'testSuite is not empty');
  assert.is(ok(await service.admin.delete(`${BASIC}/${id}?recursive=true`)).deleted, true);
  for (const gone of [one, two]) expectRefused(await service.admin.get(`${CASES}/${gone.id}`), 404);
  expectRefused(await service.admin.get(`${SUITES}/${id}`), 404);
  const shown = ok(await service.admin.get(`${CASES}/${one.id}?include=deleted`));
  assert.is(shown.testSuite.id, id);
  ok(await service.admin.put(`${SUITES}/restore`, { id }));
  assert.equal(idsOf((await read(id, '?fields=tests')).tests), [one.id, two.id].sort());
  assert.is(ok(await service.admin.get(`${CASES}/${two.id}`)).deleted, false);
});

test('a new test case restores the suite of its table, and not the deleted test cases', async () => {
  const table = await testing.table();
  const old = await testing.test(table);
  ok(await service.admin.delete(`${EXECUTABLE}/${old.testSuite.id}?recursive=true`));
  const fresh = await testing.test(table);
  assert.is(fresh.testSuite.id, old.testSuite.id);
  assert.equal(idsOf((await read(old.testSuite.id, '?fields=tests')).tests), [fresh.id]);
  expectRefused(await service.admin.get(`${CASES}/${old.id}`), 404);
});

test('a test case restored alone still names its suite', async () => {
  const table = await testing.table();
  const [one, two] = [await testing.test(table), await testing.test(table)];
  const { id } = one.testSuite;
  ok(await service.admin.delete(`${BASIC}/${id}?recursive=true`));
  const back = ok(await service.admin.put(`${CASES}/restore`, { id: one.id }));
  assert.is(back.testSuite.id, id);
  assert.is(ok(await service.admin.get(`${CASES}/${one.id}`)).testSuite.id, id);
  expectRefused(await service.admin.get(`${CASES}/${two.id}`), 404);
});

test('PUT restores a soft-deleted suite with its test cases', async () => {
  const table = await testing.table();
  const one = await testing.test(table);
  ok(await service.admin.delete(`${BASIC}/${one.testSuite.id}?recursive=true`));
  const put = ok(await service.admin.put(EXECUTABLE, basicBody(table)));
  assert.is(put.id, one.testSuite.id);
  assert.is(put.deleted, false);
  assert.is(ok(await service.admin.get(`${CASES}/${one.id}`)).deleted, false);
});

test('hard deletion of a suite removes test cases and results, and a new suite can be created', async () => {
  const table = await testing.table();
  const one = await testing.test(table);
  const results = `${CASES}/testCaseResults/${encodeURIComponent(one.fullyQualifiedName)}`;
  ok(await service.admin.post(results, { timestamp: 1_763_700_000_000, testCaseStatus: 'Success' }), 201);
  ok(await service.admin.delete(`${BASIC}/${one.testSuite.id}?recursive=true&hardDelete=true`));
  expectRefused(await service.admin.get(`${CASES}/${one.id}?include=all`), 404);
  const [left] = await service.graph.query('MATCH (r:TestResult {caseId: $id}) RETURN count(r) AS count', {
    id: one.id,
  });
  assert.is(left?.['count'], 0);
  const again = await testing.test(table, undefined, { name: one.name });
  assert.is.not(again.testSuite.id, one.testSuite.id);
  assert.equal(ok(await service.admin.get(results)).data, []);
});

test('a table references its suite, and tables are filtered by whether they have one', async () => {
  const [tested, bare, hollow] = [await testing.table(), await testing.table(), await testing.table()];
  const { testSuite } = await testing.test(tested);
  ok(await service.admin.put(BASIC, basicBody(hollow)), 201);
  const withSuite = ok(await service.admin.get(`/v1/tables/${tested.id}?fields=testSuite`));
  expectRef(withSuite.testSuite);
  assert.is(withSuite.testSuite.id, testSuite.id);
  assert.is(withSuite.testSuite.type, 'testSuite');
  assert.is(withSuite.testSuite.fullyQualifiedName, `${tested.fullyQualifiedName}.testSuite`);
  assert.is('testSuite' in ok(await service.admin.get(`/v1/tables/${tested.id}`)), false);
  assert.is('testSuite' in ok(await service.admin.get(`/v1/tables/${bare.id}?fields=testSuite`)), false);
  const schema = (tested['databaseSchema'] as JsonObject)['fullyQualifiedName'];
  const list = async (query: string) => {
    const { data, paging } = expectList(
      await service.admin.get(`/v1/tables?limit=1000000&databaseSchema=${schema}&fields=testSuite&${query}`),
    );
    assert.is(paging.total, data.length);
    const found = new Map(data.map(({ id, testSuite: told }: JsonObject) => [id, told]));
    return [tested, bare, hollow].map(({ id }) => found.has(id));
  };
  assert.equal(await list(''), [true, true, true]);
  assert.equal(await list('includeEmptyTestSuite=true'), [true, true, true]);
  assert.equal(await list('includeEmptyTestSuite=false'), [true, false, false]);
  expectRefused(await service.admin.get('/v1/tables?includeEmptyTestSuite=perhaps'), 400);
  ok(await service.admin.delete(`${BASIC}/${testSuite.id}?recursive=true`));
  assert.is('testSuite' in ok(await service.admin.get(`/v1/tables/${tested.id}?fields=testSuite`)), false);
});

test.run();
