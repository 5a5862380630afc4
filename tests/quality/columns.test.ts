import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { expectList, expectRefused, ok } from '../support/expect.ts';
import { CASES, createQualityTests, entityLinkOf, type QualityTests, SUITES } from '../support/quality-tests.ts';
import type { CreatedRecord } from '../support/samples.ts';
import { openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that test cases follow the renaming, moving, removal and return of their columns. */

const test = suite('quality: column changes');

let service: Service;
let testing: QualityTests;
test.before(async () => {
  service = await openService();
  testing = createQualityTests(service);
});

const START = 1_763_700_000_000;

const read = async (id: string, query = '') => ok(await service.admin.get(`${CASES}/${id}${query}`));

const hidden = async (id: string) => {
  expectRefused(await service.admin.get(`${CASES}/${id}`), 404);
  return read(id, '?include=deleted');
};

const resultsOf = (fqn: string): string => `${CASES}/testCaseResults/${encodeURIComponent(fqn)}`;

const fail = async (fqn: string, timestamp = START) =>
  ok(await service.admin.post(resultsOf(fqn), { timestamp, testCaseStatus: 'Failed' }), 201);

const put = (table: CreatedRecord, columns: readonly JsonObject[]) => {
  const { fullyQualifiedName } = table['databaseSchema'] as unknown as { readonly fullyQualifiedName: string };
  return service.admin.put('/v1/tables', { name: table.name, databaseSchema: fullyQualifiedName, columns });
};

const rename = (table: CreatedRecord, path: string, value: string) =>
  service.admin.patch(`/v1/tables/${table.id}`, [{ op: 'replace', path, value }]);

/** The names of the columns that a test reaches in the graph. */
const reached = async (id: string): Promise<unknown[]> => {
  const rows = await service.graph.query(
    'MATCH (:TestCase {id: $id})-[:TESTS]->(c:Column) RETURN c.fullyQualifiedName AS fqn',
    {
      id,
    },
  );
  return rows.map(({ fqn }) => fqn);
};

const ID: JsonObject = { name: 'id', dataType: 'INT' };
const AMOUNT: JsonObject = { name: 'amount', dataType: 'DOUBLE' };
const address = (...children: string[]): JsonObject => ({
  name: 'address',
  dataType: 'STRUCT',
  children: children.map((name) => ({ name, dataType: 'STRING' })),
});

test('test cases of a renamed column get its name, keep their results, and are found by it', async () => {
  const table = await testing.table();
  const [one, other] = [await testing.test(table, 'amount'), await testing.test(table, 'id')];
  await fail(one.fullyQualifiedName);
  ok(await rename(table, '/columns/1/name', 'total'));
  const after = await read(one.id);
  const fqn = `${table.fullyQualifiedName}.total.${one.name}`;
  assert.is(after.fullyQualifiedName, fqn);
  assert.is(after.entityFQN, `${table.fullyQualifiedName}.total`);
  assert.is(after.entityLink, entityLinkOf(table, 'total'));
  assert.is(after.testCaseResult.testCaseFQN, fqn);
  assert.is(after.testCaseStatus, 'Failed');
  assert.equal(await reached(one.id), [after.entityFQN]);
  assert.is(ok(await service.admin.get(`${CASES}/name/${encodeURIComponent(fqn)}`)).id, one.id);
  expectRefused(await service.admin.get(`${CASES}/name/${encodeURIComponent(one.fullyQualifiedName)}`), 404);
  const { data } = ok(await service.admin.get(resultsOf(fqn)));
  assert.equal(
    data.map(({ testCaseFQN }: JsonObject) => testCaseFQN),
    [fqn],
  );
  assert.is((await fail(fqn, START + 1)).testCaseFQN, fqn);
  const list = async (column: string) =>
    expectList(
      await service.admin.get(`${CASES}?entityFQN=${encodeURIComponent(`${table.fullyQualifiedName}.${column}`)}`),
    ).data;
  assert.equal(
    (await list('total')).map(({ id }: JsonObject) => id),
    [one.id],
  );
  assert.equal(await list('amount'), []);
  const named = expectList(await service.admin.get(`${CASES}?testSuiteId=${one.testSuite.id}&columnName=total`)).data;
  assert.equal(
    named.map(({ id }: JsonObject) => id),
    [one.id],
  );
  assert.is((await read(other.id)).fullyQualifiedName, other.fullyQualifiedName);
  const found = ok(
    await service.admin.get(`/v1/search/query?index=test_case_search_index&q=${encodeURIComponent(one.name)}`),
  ).hits.hits;
  assert.is(found[0]['_source'].fullyQualifiedName, fqn);
});

test('after a rename a test case is patched and put by its new name, and created again at the old one', async () => {
  const table = await testing.table();
  const made = await testing.test(table, 'amount', { name: 'present' });
  ok(await rename(table, '/columns/1/name', 'total'));
  assert.is(ok(await service.admin.patch(`${CASES}/${made.id}`, { description: 'told' })).version, 0.2);
  const again = ok(
    await service.admin.put(CASES, testing.body(table, 'total', { name: 'present', description: 'anew' })),
  );
  assert.is(again.id, made.id);
  expectRefused(await testing.post(testing.body(table, 'amount', { name: 'present' })), 404);
  ok(await rename(table, '/columns/1/name', 'amount'));
  assert.is((await read(made.id)).fullyQualifiedName, made.fullyQualifiedName);
});

test('test cases of nested columns follow a renamed parent', async () => {
  const table = await testing.table();
  const made = await testing.test(table, 'address.city');
  ok(await rename(table, '/columns/2/name', 'place'));
  const after = await read(made.id);
  assert.is(after.entityFQN, `${table.fullyQualifiedName}.place.city`);
  assert.is(after.entityLink, entityLinkOf(table, 'place.city'));
  ok(await rename(table, '/columns/2/children/0/name', 'town.name'));
  const further = await read(made.id);
  assert.is(further.entityFQN, `${table.fullyQualifiedName}.place."town.name"`);
  assert.is(further.fullyQualifiedName, `${table.fullyQualifiedName}.place."town.name".${made.name}`);
  assert.equal(await reached(made.id), [further.entityFQN]);
});

test('two columns that swap names are removed and added, since no rename is stated', async () => {
  const table = await testing.table([ID, AMOUNT]);
  const one = await testing.test(table, 'id', { name: 'present' });
  ok(await put(table, [AMOUNT, ID]));
  const after = await read(one.id);
  assert.is(after.entityFQN, `${table.fullyQualifiedName}.id`);
  assert.equal(await reached(one.id), [after.entityFQN]);
});

test('test cases of a removed column are soft-deleted with their results, and restored with it', async () => {
  const table = await testing.table();
  const [gone, kept, onTable] = [
    await testing.test(table, 'amount'),
    await testing.test(table, 'id'),
    await testing.test(table),
  ];
  await fail(gone.fullyQualifiedName);
  ok(await put(table, [ID]));
  const there = await hidden(gone.id);
  assert.is(there.deleted, true);
  assert.is(there.testSuite.id, gone.testSuite.id);
  assert.is((await read(kept.id)).version, 0.1);
  assert.is((await read(onTable.id)).version, 0.1);
  const suiteOf = async () => ok(await service.admin.get(`${SUITES}/${gone.testSuite.id}?fields=tests,summary`));
  assert.is((await suiteOf()).tests.length, 2);
  assert.is((await suiteOf()).summary.failed, 0);
  expectRefused(
    await service.admin.post(resultsOf(gone.fullyQualifiedName), { timestamp: START, testCaseStatus: 'Success' }),
    404,
  );
  ok(await put(table, [ID, AMOUNT]));
  const back = await read(gone.id);
  assert.is(back.deleted, false);
  assert.is(back.testCaseStatus, 'Failed');
  assert.equal(await reached(gone.id), [gone.entityFQN]);
  assert.is(ok(await service.admin.get(resultsOf(gone.fullyQualifiedName))).paging.total, 1);
  assert.is((await suiteOf()).tests.length, 3);
});

test('a column restored in another letter case restores its test cases with its own spelling', async () => {
  const table = await testing.table([ID, AMOUNT]);
  const made = await testing.test(table, 'amount', { name: 'present' });
  await fail(made.fullyQualifiedName);
  ok(await put(table, [ID]));
  await hidden(made.id);
  ok(await put(table, [ID, { ...AMOUNT, name: 'AMOUNT' }]));
  const back = await read(made.id);
  assert.is(back.entityFQN, `${table.fullyQualifiedName}.AMOUNT`);
  assert.is(back.entityLink, entityLinkOf(table, 'AMOUNT'));
  assert.is(back.fullyQualifiedName, `${table.fullyQualifiedName}.AMOUNT.present`);
  assert.is(back.testCaseResult.testCaseFQN, back.fullyQualifiedName);
  assert.equal(await reached(made.id), [back.entityFQN]);
});

test('a column that changes only in letter case keeps its test cases', async () => {
  const table = await testing.table([ID, AMOUNT]);
  const made = await testing.test(table, 'amount');
  ok(await put(table, [ID, { ...AMOUNT, name: 'Amount' }]));
  const after = await read(made.id);
  assert.is(after.deleted, false);
  assert.equal(await reached(made.id), [after.entityFQN]);
  assert.is(after.fullyQualifiedName, `${after.entityFQN}.${made.name}`);
});

test('nested columns and their test cases are removed and restored with their parent', async () => {
  const table = await testing.table([ID, address('city', 'street')]);
  const [city, street, whole] = [
    await testing.test(table, 'address.city'),
    await testing.test(table, 'address.street'),
    await testing.test(table, 'address'),
  ];
  ok(await put(table, [ID, address('street')]));
  await hidden(city.id);
  assert.is((await read(street.id)).deleted, false);
  ok(await put(table, [ID]));
  await hidden(street.id);
  await hidden(whole.id);
  ok(await put(table, [ID, address('street')]));
  assert.equal(await reached(street.id), [street.entityFQN]);
  assert.equal(await reached(whole.id), [whole.entityFQN]);
  await hidden(city.id);
  ok(await put(table, [ID, address('street', 'CITY')]));
  assert.is((await read(city.id)).entityFQN, `${table.fullyQualifiedName}.address.CITY`);
});

test('a deleted test case is not restored with its column', async () => {
  const table = await testing.table([ID, AMOUNT]);
  const made = await testing.test(table, 'amount');
  ok(await service.admin.delete(`${CASES}/${made.id}`));
  ok(await put(table, [ID]));
  ok(await put(table, [ID, AMOUNT]));
  await hidden(made.id);
});

test('a soft-deleted test case is restored only if its column exists', async () => {
  const table = await testing.table([ID, AMOUNT]);
  const made = await testing.test(table, 'amount');
  ok(await put(table, [ID]));
  expectRefused(await service.admin.put(`${CASES}/restore`, { id: made.id }), 404);
  await hidden(made.id);
  ok(await service.admin.delete(`${CASES}/${made.id}?hardDelete=true`));
  ok(await put(table, [ID, AMOUNT]));
  expectRefused(await service.admin.get(`${CASES}/${made.id}?include=all`), 404);
});

test('the name of a soft-deleted test case is free for a new one', async () => {
  const table = await testing.table([ID, AMOUNT]);
  const old = await testing.test(table, 'amount', { name: 'present' });
  ok(await put(table, [ID]));
  const moving = await testing.test(table, 'id', { name: 'present' });
  ok(await rename(table, '/columns/0/name', 'amount'));
  const moved = await read(moving.id);
  assert.is(moved.fullyQualifiedName, old.fullyQualifiedName);
  const aside = await hidden(old.id);
  assert.is.not(aside.fullyQualifiedName, old.fullyQualifiedName);
  assert.ok(aside.name.startsWith('present'));
  assert.equal(await reached(moving.id), [moved.entityFQN]);
  assert.is(ok(await service.admin.get(`${CASES}/name/${encodeURIComponent(old.fullyQualifiedName)}`)).id, moving.id);
});

test('the suite and test cases of a table are deleted and restored with it', async () => {
  const table = await testing.table();
  const [one, two] = [await testing.test(table), await testing.test(table, 'id')];
  await fail(one.fullyQualifiedName);
  expectRefused(await service.admin.delete(`/v1/tables/${table.id}`), 400, 'table is not empty');
  ok(await service.admin.delete(`/v1/tables/${table.id}?recursive=true`));
  await hidden(one.id);
  await hidden(two.id);
  expectRefused(await service.admin.get(`${SUITES}/${one.testSuite.id}`), 404);
  ok(await service.admin.put('/v1/tables/restore', { id: table.id }));
  assert.is((await read(one.id)).testCaseStatus, 'Failed');
  assert.equal(await reached(two.id), [two.entityFQN]);
  assert.is(ok(await service.admin.get(`${SUITES}/${one.testSuite.id}?fields=tests`)).tests.length, 2);
});

test('hard deletion of a table removes its test cases, also from logical suites', async () => {
  const [table, other] = [await testing.table(), await testing.table()];
  const [one, two, stays] = [await testing.test(table), await testing.test(table, 'id'), await testing.test(other)];
  await fail(one.fullyQualifiedName);
  const chosen = ok(await service.admin.post(SUITES, { name: `chosen_${table.name}` }), 201);
  const members = { testSuiteId: chosen.id, testCaseIds: [one.id, stays.id] };
  ok(await service.admin.put(`${CASES}/logicalTestCases`, members));
  ok(await service.admin.delete(`/v1/tables/${table.id}?recursive=true&hardDelete=true`));
  for (const gone of [one, two]) expectRefused(await service.admin.get(`${CASES}/${gone.id}?include=all`), 404);
  expectRefused(await service.admin.get(`${SUITES}/${one.testSuite.id}?include=all`), 404);
  const after = ok(await service.admin.get(`${SUITES}/${chosen.id}?fields=tests`));
  assert.equal(
    after.tests.map(({ id }: JsonObject) => id),
    [stays.id],
  );
  const [left] = await service.graph.query(
    'MATCH (n) WHERE n.caseId IN $ids OR n.id IN $ids RETURN count(n) AS nodes',
    { ids: [one.id, two.id] },
  );
  assert.is(left?.['nodes'], 0);
});

test('test cases created during the removal of their column are refused or removed with it', async () => {
  const table = await testing.table([ID, AMOUNT]);
  await testing.test(table, 'id');
  const [dropped, ...posted] = await Promise.all([
    put(table, [ID]),
    ...Array.from({ length: 12 }, () => testing.post(testing.body(table, 'amount'))),
  ]);
  assert.is(dropped?.status, 200);
  for (const { status, json } of posted) {
    assert.ok(status === 201 || status === 404, String(status));
    if (status === 201) await hidden(json.id);
  }
  const living = expectList(
    await service.admin.get(`${CASES}?entityFQN=${encodeURIComponent(`${table.fullyQualifiedName}.amount`)}`),
  );
  assert.is(living.paging.total, 0);
});

test.run();
