import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { ok, refused } from '../support/expect.ts';
import { openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { CASES, createTesting, SUITES, type Testing } from '../support/testing.ts';

const test = suite('quality: results of tests');

let service: Service;
let testing: Testing;
test.before(async () => {
  service = await openService();
  testing = createTesting(service);
});

const DAY = 86_400_000;
const START = 1_763_700_000_000;

const at = (fqn: string): string => `${CASES}/testCaseResults/${encodeURIComponent(fqn)}`;

const send = async (fqn: string, day: number, testCaseStatus: string, more: JsonObject = {}) =>
  ok(await service.admin.post(at(fqn), { timestamp: START + day * DAY, testCaseStatus, ...more }), 201);

const read = async (id: string) => ok(await service.admin.get(`${CASES}/${id}`));

const list = async (fqn: string, query = '') => ok(await service.admin.get(`${at(fqn)}${query}`));

test('the newest result is what a test says of itself, however late older ones come', async () => {
  const made = await testing.test(await testing.table());
  assert.is(made.testCaseStatus, undefined);
  const failed = await send(made.fullyQualifiedName, 2, 'Failed', { result: 'two rows are wrong', failedRows: 2 });
  assert.is(failed.testCaseFQN, made.fullyQualifiedName);
  await send(made.fullyQualifiedName, 1, 'Success');
  const after = await read(made.id);
  assert.is(after.testCaseStatus, 'Failed');
  assert.equal(after.testCaseResult, failed);
  assert.is(after.version, made.version);
  await send(made.fullyQualifiedName, 3, 'Success');
  assert.is((await read(made.id)).testCaseStatus, 'Success');
  const { data, paging } = await list(made.fullyQualifiedName);
  assert.equal(
    data.map((result: JsonObject) => result['timestamp']),
    [3, 2, 1].map((day) => START + day * DAY),
  );
  assert.equal(paging, { total: 3 });
  const part = await list(made.fullyQualifiedName, `?startTs=${START + DAY}&endTs=${START + 2 * DAY}`);
  assert.is(part.data.length, 2, 'both ends count');
  assert.is(part.paging.total, 2);
});

test('a result of the same moment replaces the one before, also when it is the latest', async () => {
  const made = await testing.test(await testing.table());
  const one = await send(made.fullyQualifiedName, 1, 'Success');
  const other = await send(made.fullyQualifiedName, 1, 'Failed');
  assert.is(other.id, one.id);
  assert.is((await list(made.fullyQualifiedName)).data.length, 1);
  assert.is((await read(made.id)).testCaseStatus, 'Failed');
});

test('without its latest result a test says what it said before', async () => {
  const made = await testing.test(await testing.table());
  for (const [day, status] of [
    [1, 'Success'],
    [2, 'Failed'],
  ] as const) {
    await send(made.fullyQualifiedName, day, status);
  }
  const gone = ok(await service.admin.delete(`${at(made.fullyQualifiedName)}/${START + 2 * DAY}`));
  assert.is(gone.testCaseStatus, 'Failed');
  assert.is((await read(made.id)).testCaseStatus, 'Success');
  refused(await service.admin.delete(`${at(made.fullyQualifiedName)}/${START + 2 * DAY}`), 404);
  ok(await service.admin.delete(`${at(made.fullyQualifiedName)}/${START + DAY}`));
  const after = await read(made.id);
  assert.is(after.testCaseStatus, undefined);
  assert.is(after.testCaseResult, undefined);
});

test('suites count how their tests went last', async () => {
  const table = await testing.table();
  const tests = [];
  for (const column of [undefined, 'id', 'id', 'amount']) tests.push(await testing.test(table, column));
  await send(tests[0].fullyQualifiedName, 1, 'Success');
  await send(tests[1].fullyQualifiedName, 1, 'Failed');
  await send(tests[2].fullyQualifiedName, 1, 'Queued');
  const { summary, testCaseResultSummary } = ok(
    await service.admin.get(`${SUITES}/${tests[0].testSuite.id}?fields=summary,testCaseResultSummary`),
  );
  const counts = { success: 0, failed: 0, aborted: 0, queued: 0 };
  assert.equal(
    { ...summary, columnTestSummary: undefined },
    {
      ...counts,
      success: 1,
      failed: 1,
      queued: 1,
      total: 4,
      columnTestSummary: undefined,
    },
  );
  assert.equal(summary.columnTestSummary, [
    { ...counts, total: 1, entityLink: tests[3].entityLink },
    { ...counts, failed: 1, queued: 1, total: 2, entityLink: tests[1].entityLink },
  ]);
  assert.is(testCaseResultSummary.length, 3);
});

test('many results at once: each row stands by itself', async () => {
  const table = await testing.table();
  const [one, other] = [await testing.test(table), await testing.test(table, 'id')];
  const row = (testCaseFQN: string, day: number, testCaseStatus = 'Success') => ({
    testCaseFQN,
    timestamp: START + day * DAY,
    testCaseStatus,
  });
  const reply = ok(
    await service.admin.put(`${CASES}/testCaseResults/bulk`, [
      row(one.fullyQualifiedName, 1),
      row(one.fullyQualifiedName, 3, 'Failed'),
      row(one.fullyQualifiedName, 2),
      row(other.fullyQualifiedName, 1, 'Aborted'),
      row(`${other.fullyQualifiedName}_none`, 1),
      row(one.fullyQualifiedName, 4, 'Great'),
    ]),
  );
  assert.is(reply.numberOfRowsPassed, 4);
  assert.is(reply.numberOfRowsFailed, 2);
  assert.is((await read(one.id)).testCaseStatus, 'Failed');
  assert.is((await read(other.id)).testCaseStatus, 'Aborted');
  assert.is((await list(one.fullyQualifiedName)).paging.total, 3);
});

test('a search finds tests by how they went last, as soon as that is said', async () => {
  const made = await testing.test(await testing.table());
  const finds = async (status: string): Promise<number> => {
    const filter = { query: { bool: { filter: [{ term: { id: made.id } }, { term: { testCaseStatus: status } }] } } };
    const query = new URLSearchParams({ index: 'testCase', query_filter: JSON.stringify(filter) });
    return ok(await service.admin.get(`/v1/search/query?${query}`)).hits.hits.length;
  };
  assert.is(await finds('Success'), 0);
  await send(made.fullyQualifiedName, 1, 'Success');
  assert.is(await finds('Success'), 1);
  await send(made.fullyQualifiedName, 2, 'Failed');
  assert.equal([await finds('Success'), await finds('Failed')], [0, 1]);
});

test('bad results are refused and change nothing', async () => {
  const made = await testing.test(await testing.table());
  for (const body of [
    { testCaseStatus: 'Success' },
    { timestamp: START, testCaseStatus: 'Great' },
    { timestamp: START },
    { timestamp: 'now', testCaseStatus: 'Success' },
    { timestamp: START, testCaseStatus: 'Success', colour: 'red' },
  ]) {
    refused(await service.admin.post(at(made.fullyQualifiedName), body), 400);
  }
  refused(
    await service.admin.post(at(`${made.fullyQualifiedName}x`), { timestamp: START, testCaseStatus: 'Success' }),
    404,
  );
  assert.is((await list(made.fullyQualifiedName)).paging.total, 0);
});

test('results race and none is lost, and the newest is what the test says', async () => {
  const made = await testing.test(await testing.table());
  const days = Array.from({ length: 40 }, (_, day) => day);
  await Promise.all(days.map((day) => send(made.fullyQualifiedName, day, day % 2 === 0 ? 'Success' : 'Failed')));
  assert.is((await list(made.fullyQualifiedName)).paging.total, 40);
  assert.is((await read(made.id)).testCaseResult.timestamp, START + 39 * DAY);
  assert.is((await read(made.id)).testCaseStatus, 'Failed');
});

test.run();
