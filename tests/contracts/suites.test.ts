import * as assert from 'uvu/assert';
import { deleteOrphanedResults } from '../../src/contracts/results.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { CASES, createQualityTests, type QualityTests, SUITES } from '../support/quality-tests.ts';
import type { CreatedRecord } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that the test suite of a contract is created with its first test case and removed with its last. */

const test = suite('contracts: test suites');

const CONTRACTS = '/v1/dataContracts';

let service: Service;
let testing: QualityTests;
test.before(async () => {
  service = await openService();
  testing = createQualityTests(service);
});

const expecting = (...tests: readonly Pick<CreatedRecord, 'id'>[]): JsonObject => ({
  qualityExpectations: tests.map(({ id }) => ({ id, type: 'testCase' })),
});

const contract = async (table: Pick<CreatedRecord, 'id'>, more: JsonObject = {}) =>
  ok(
    await service.admin.post(CONTRACTS, {
      name: uniqueName('contract'),
      entity: { id: table.id, type: 'table' },
      ...more,
    }),
    201,
  );

const read = async ({ id }: JsonObject) => ok(await service.admin.get(`${CONTRACTS}/${id}`));

const suiteOf = ({ testSuite }: { readonly testSuite: CreatedRecord }) =>
  service.admin.get(`${SUITES}/${testSuite.id}?include=all&fields=tests`);

test('the suite is removed with its last test case, and created with another one', async () => {
  const table = await testing.table();
  const tests = await Promise.all([1, 2, 3].map(() => testing.test(table)));
  const [one, two, three] = tests;
  const made = await contract(table, expecting(one, two));
  ok(await service.admin.delete(`${CASES}/${one.id}?hardDelete=true`));
  assert.equal((await read(made)).testSuite.id, made.testSuite.id);
  assert.is(ok(await suiteOf(made)).tests.length, 1);
  ok(await service.admin.delete(`${CASES}/${two.id}?hardDelete=true`));
  const bare = await read(made);
  assert.equal([bare.testSuite, bare.qualityExpectations?.length ?? 0], [undefined, 0]);
  expectRefused(await suiteOf(made), 404);
  const again = ok(await service.admin.patch(`${CONTRACTS}/${made.id}`, expecting(three)));
  assert.is(again.testSuite.name, made.id);
  assert.is.not(again.testSuite.id, made.testSuite.id);
});

test('a suite without visible test cases is not shown, and shown again with one', async () => {
  const table = await testing.table();
  const one = await testing.test(table);
  const made = await contract(table, expecting(one));
  ok(await service.admin.delete(`${CASES}/${one.id}`));
  assert.is((await read(made)).testSuite, undefined);
  ok(await service.admin.put(`${CASES}/restore`, { id: one.id }));
  assert.is((await read(made)).testSuite.id, made.testSuite.id);
});

test('test cases deleted with their table remove suites of contracts of other tables', async () => {
  const [table, other] = [await testing.table(), await testing.table()];
  const [mine, theirs] = [await testing.test(table), await testing.test(other)];
  const alone = await contract(table, expecting(theirs));
  const own = await contract(other, expecting(theirs, mine));
  ok(await service.admin.delete(`/v1/tables/${other.id}?hardDelete=true&recursive=true`));
  assert.is((await read(alone)).testSuite, undefined);
  expectRefused(await suiteOf(alone), 404);
  expectRefused(await suiteOf(own), 404);
  expectRefused(await service.admin.get(`${CONTRACTS}/${own.id}?include=all`), 404);
  ok(await service.admin.get(`${CASES}/${mine.id}`));
});

test('a suite with the expected name does not prevent a contract from expecting test cases', async () => {
  const table = await testing.table();
  const one = await testing.test(table);
  const made = await contract(table);
  ok(await service.admin.post(SUITES, { name: made.id }), 201);
  const changed = ok(await service.admin.patch(`${CONTRACTS}/${made.id}`, expecting(one)));
  assert.is.not(changed.testSuite.name, made.id);
  assert.ok(changed.testSuite.name.startsWith(made.id));
  const found = ok(await suiteOf(changed));
  assert.equal([found.displayName, found.tests.length], [`Data Contract - ${made.name}`, 1]);
});

const MANY = 2500;

const countResults = async ({ id }: JsonObject): Promise<number> => {
  const text = 'RETURN COUNT { (:Entity {id: $id})-[:HAS_RESULT]->() } AS count';
  return Number((await service.graph.query(text, { id }))[0]?.['count']);
};

test('results of a deleted contract are hidden at once and removed gradually', async () => {
  const made = await contract(await testing.table());
  const put = async (timestamp: number) =>
    ok(await service.admin.put(`${CONTRACTS}/${made.id}/results`, { timestamp, contractExecutionStatus: 'Failed' }));
  const first = await put(MANY + 1);
  await service.graph.query(
    `MATCH (contract:Entity {id: $id})
     UNWIND range(1, $many) AS moment
     CREATE (contract)-[:HAS_RESULT]->(:ContractResult {
       contractId: $id, key: $id + ':' + moment, ownKey: $id + ':x' + moment, timestamp: toInteger(moment), json: '{}'
     })`,
    { id: made.id, many: MANY },
  );
  ok(await service.admin.delete(`${CONTRACTS}/${made.id}`));
  ok(await service.admin.put(`${CONTRACTS}/restore`, { id: made.id }));
  const path = `${CONTRACTS}/${made.id}/results`;
  assert.equal(ok(await service.admin.get(path)), { data: [], paging: { total: 0 } });
  expectRefused(await service.admin.get(`${path}/latest`), 404);
  expectRefused(await service.admin.get(`${path}/${first.id}`), 404);
  assert.is((await read(made)).latestResult, undefined);
  const fresh = await put(MANY + 1);
  assert.is.not(fresh.id, first.id);
  assert.is(await countResults(made), MANY + 2);
  await deleteOrphanedResults(service.graph, { batch: 1000, batches: 2 });
  // Others may have left something to be cleared away, too.
  assert.ok((await countResults(made)) >= MANY + 2 - 2000, 'no round removes more than it may');
  await deleteOrphanedResults(service.graph, { batch: 1000 });
  assert.is(await countResults(made), 1);
  assert.equal(ok(await service.admin.get(`${path}/latest`)), fresh);
  await deleteOrphanedResults(service.graph);
  assert.is(await countResults(made), 1);
  ok(await service.admin.delete(`${CONTRACTS}/${made.id}?hardDelete=true`));
  const text = 'MATCH (r:ContractResult) WHERE r.json CONTAINS $id RETURN count(r) AS count';
  assert.is(Number((await service.graph.query(text, { id: fresh.id }))[0]?.['count']), 0);
});

test.run();
