import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { expectList, expectRefused, ok } from '../support/expect.ts';
import { CASES, createQualityTests, type QualityTests, SUITES } from '../support/quality-tests.ts';
import { openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that test results are stored, and the newest one determines the status. */

const test = suite('quality: results');

let service: Service;
let testing: QualityTests;
test.before(async () => {
  service = await openService();
  testing = createQualityTests(service);
});

const DAY = 86_400_000;
const START = 1_763_700_000_000;

const at = (fqn: string): string => `${CASES}/testCaseResults/${encodeURIComponent(fqn)}`;

const send = async (fqn: string, day: number, testCaseStatus: string, more: JsonObject = {}) =>
  ok(await service.admin.post(at(fqn), { timestamp: START + day * DAY, testCaseStatus, ...more }), 201);

const read = async (id: string) => ok(await service.admin.get(`${CASES}/${id}`));

const list = async (fqn: string, query = '') => ok(await service.admin.get(`${at(fqn)}${query}`));

test('the newest result determines the status, even if older ones arrive later', async () => {
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

test('a result with an existing timestamp replaces it, also when it is the latest', async () => {
  const made = await testing.test(await testing.table());
  const one = await send(made.fullyQualifiedName, 1, 'Success');
  const other = await send(made.fullyQualifiedName, 1, 'Failed');
  assert.is(other.id, one.id);
  assert.is((await list(made.fullyQualifiedName)).data.length, 1);
  assert.is((await read(made.id)).testCaseStatus, 'Failed');
});

test('deleting the latest result restores the status of the previous one', async () => {
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
  expectRefused(await service.admin.delete(`${at(made.fullyQualifiedName)}/${START + 2 * DAY}`), 404);
  ok(await service.admin.delete(`${at(made.fullyQualifiedName)}/${START + DAY}`));
  const after = await read(made.id);
  assert.is(after.testCaseStatus, undefined);
  assert.is(after.testCaseResult, undefined);
});

test('suites count the latest statuses of their test cases', async () => {
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

test('rows of a bulk request succeed and fail separately', async () => {
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

test('a search finds test cases by their new status at once', async () => {
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

test('an invalid result is refused and changes nothing', async () => {
  const made = await testing.test(await testing.table());
  for (const body of [
    { testCaseStatus: 'Success' },
    { timestamp: START, testCaseStatus: 'Great' },
    { timestamp: START },
    { timestamp: 'now', testCaseStatus: 'Success' },
    { timestamp: START, testCaseStatus: 'Success', colour: 'red' },
  ]) {
    expectRefused(await service.admin.post(at(made.fullyQualifiedName), body), 400);
  }
  expectRefused(
    await service.admin.post(at(`${made.fullyQualifiedName}x`), { timestamp: START, testCaseStatus: 'Success' }),
    404,
  );
  assert.is((await list(made.fullyQualifiedName)).paging.total, 0);
});

test('concurrent results are all stored, and the newest determines the status', async () => {
  const made = await testing.test(await testing.table());
  const days = Array.from({ length: 40 }, (_, day) => day);
  await Promise.all(days.map((day) => send(made.fullyQualifiedName, day, day % 2 === 0 ? 'Success' : 'Failed')));
  assert.is((await list(made.fullyQualifiedName)).paging.total, 40);
  assert.is((await read(made.id)).testCaseResult.timestamp, START + 39 * DAY);
  assert.is((await read(made.id)).testCaseStatus, 'Failed');
});

/** A result with everything that one can say. */
const WHOLE = {
  timestamp: START,
  testCaseStatus: 'Failed',
  result: 'two of five are wrong',
  sampleData: 'x',
  testResultValue: [{ name: 'wrong', value: '2', predictedValue: '1' }],
  passedRows: 3,
  failedRows: 2,
  passedRowsPercentage: 60.5,
  failedRowsPercentage: 39.5,
  minBound: 0.5,
  maxBound: 1,
  incidentId: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
};
const DIMENSIONS = [{ dimensionKey: 'country=de', testCaseStatus: 'Failed' }];

test('a result is stored in full, and derived members are ignored', async () => {
  const made = await testing.test(await testing.table());
  const ignored = { id: 'x', testCaseFQN: 'x', fqn: 'x', testCase: { id: 'x' }, testDefinition: ['x'] };
  const body = { ...WHOLE, ...ignored, dimensionResults: DIMENSIONS };
  const kept = ok(await service.admin.post(at(made.fullyQualifiedName), body), 201);
  const { id, ...rest } = kept;
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-/);
  assert.equal(rest, { ...WHOLE, testCaseFQN: made.fullyQualifiedName });
  const { data } = await list(made.fullyQualifiedName);
  assert.equal(data, [{ ...kept, dimensionResults: DIMENSIONS }], 'dimensions are told on reading only');
  const { testCaseResult, testCaseStatus } = await read(made.id);
  assert.is(testCaseStatus, 'Failed');
  assert.is(testCaseResult.result, WHOLE.result);
  const whole = ok(await service.admin.get(`${CASES}/${made.id}?fields=testCaseResult,incidentId`));
  assert.is(whole.incidentId, WHOLE.incidentId);
  assert.is('incidentId' in (await read(made.id)), false);
});

test('null members of a result are ignored', async () => {
  const made = await testing.test(await testing.table());
  const nulls = Object.fromEntries(Object.keys(WHOLE).map((name) => [name, null]));
  const body = { ...nulls, dimensionResults: null, timestamp: START, testCaseStatus: 'Aborted' };
  const kept = ok(await service.admin.post(at(made.fullyQualifiedName), body), 201);
  assert.equal(Object.keys(kept).sort(), ['id', 'testCaseFQN', 'testCaseStatus', 'timestamp']);
});

test('the former route has the same results', async () => {
  const made = await testing.test(await testing.table());
  const older = `${CASES}/${encodeURIComponent(made.fullyQualifiedName)}/testCaseResult`;
  const put = ok(await service.admin.put(older, { timestamp: START, testCaseStatus: 'Success' }));
  assert.equal((await list(made.fullyQualifiedName)).data, [put]);
  await send(made.fullyQualifiedName, 1, 'Failed');
  const both = expectList(await service.admin.get(older));
  assert.equal(both, await list(made.fullyQualifiedName));
  assert.is(expectList(await service.admin.get(`${older}?endTs=${START}`)).data.length, 1);
  expectRefused(
    await service.admin.put(`${CASES}/nothing/testCaseResult`, { timestamp: 1, testCaseStatus: 'Success' }),
    404,
  );
});

test('every status is stored, and lists are limited by time and number', async () => {
  const made = await testing.test(await testing.table());
  for (const [day, status] of ['Success', 'Failed', 'Aborted', 'Queued'].entries()) {
    await send(made.fullyQualifiedName, day, status);
    assert.is((await read(made.id)).testCaseStatus, status);
  }
  const days = async (query: string) =>
    (await list(made.fullyQualifiedName, query)).data.map(
      ({ timestamp }: { timestamp: number }) => (timestamp - START) / DAY,
    );
  assert.equal(await days(''), [3, 2, 1, 0]);
  assert.equal(await days(`?startTs=${START + 2 * DAY}`), [3, 2]);
  assert.equal(await days(`?endTs=${START}`), [0]);
  assert.equal(await days(`?startTs=${START + 1}&endTs=${START + DAY - 1}`), []);
  assert.equal(await days('?startTs=&endTs='), [3, 2, 1, 0]);
  for (const query of ['?startTs=yesterday', '?endTs=-1', '?startTs=1.5']) {
    expectRefused(await service.admin.get(`${at(made.fullyQualifiedName)}${query}`), 400);
  }
  expectRefused(await service.admin.get(at(`${made.fullyQualifiedName}x`)), 404);
});

test('more results than fit a page are all listed, each once', async () => {
  const made = await testing.test(await testing.table());
  const rows = Array.from({ length: 2500 }, (_, second) => ({
    testCaseFQN: made.fullyQualifiedName,
    timestamp: START + second * 1000,
    testCaseStatus: 'Success',
  }));
  assert.is(ok(await service.admin.put(`${CASES}/testCaseResults/bulk`, rows)).numberOfRowsPassed, 2500);
  const { data, paging } = await list(made.fullyQualifiedName);
  assert.is(paging.total, 2500);
  assert.equal(
    data.map(({ timestamp }: { timestamp: number }) => timestamp),
    rows.map(({ timestamp }) => timestamp).reverse(),
  );
});

test('both patch formats change a stored result, but not its timestamp', async () => {
  const made = await testing.test(await testing.table());
  await send(made.fullyQualifiedName, 0, 'Failed', { result: 'wrong', failedRows: 2 });
  const path = `${at(made.fullyQualifiedName)}/${START}`;
  const one = ok(
    await service.admin.patch(path, [
      { op: 'replace', path: '/testCaseStatus', value: 'Success' },
      { op: 'remove', path: '/failedRows' },
    ]),
  );
  assert.is(one.testCaseStatus, 'Success');
  assert.is('failedRows' in one, false);
  assert.is((await read(made.id)).testCaseStatus, 'Success');
  const two = ok(await service.admin.patch(path, { result: 'right', passedRows: 5 }));
  assert.equal([two.result, two.passedRows, two.id], ['right', 5, one.id]);
  for (const patch of [
    { timestamp: START + 1 },
    { testCaseStatus: 'Great' },
    { testCaseStatus: null },
    { colour: 'red' },
    [{ op: 'test', path: '/result', value: 'wrong' }],
    [{ op: 'replace', path: '/nowhere/0', value: 1 }],
  ]) {
    expectRefused(await service.admin.patch(path, patch), 400);
  }
  assert.equal((await list(made.fullyQualifiedName)).data, [two]);
  expectRefused(await service.admin.patch(`${at(made.fullyQualifiedName)}/${START + 1}`, { result: 'x' }), 404);
  expectRefused(await service.admin.patch(`${at(made.fullyQualifiedName)}/soon`, { result: 'x' }), 404);
  expectRefused(await service.admin.patch(`${at(`${made.fullyQualifiedName}x`)}/${START}`, { result: 'x' }), 404);
});

test('soft deletion of a test case keeps its results, hard deletion removes them', async () => {
  const made = await testing.test(await testing.table());
  await send(made.fullyQualifiedName, 0, 'Failed');
  const count = async () => {
    const [row] = await service.graph.query('MATCH (r:TestResult {caseId: $id}) RETURN count(r) AS count', {
      id: made.id,
    });
    return row?.['count'];
  };
  ok(await service.admin.delete(`${CASES}/${made.id}`));
  expectRefused(await service.admin.get(at(made.fullyQualifiedName)), 404);
  expectRefused(
    await service.admin.post(at(made.fullyQualifiedName), { timestamp: START, testCaseStatus: 'Success' }),
    404,
  );
  assert.is(await count(), 1);
  ok(await service.admin.put(`${CASES}/restore`, { id: made.id }));
  assert.is((await read(made.id)).testCaseStatus, 'Failed');
  assert.is((await list(made.fullyQualifiedName)).paging.total, 1);
  ok(await service.admin.delete(`${CASES}/${made.id}?hardDelete=true`));
  assert.is(await count(), 0);
});

test('results do not step the version of the test case', async () => {
  const made = await testing.test(await testing.table());
  await send(made.fullyQualifiedName, 0, 'Failed');
  await send(made.fullyQualifiedName, 1, 'Success');
  ok(await service.admin.delete(`${at(made.fullyQualifiedName)}/${START}`));
  const after = await read(made.id);
  assert.equal([after.version, after.updatedAt, after.updatedBy], [made.version, made.updatedAt, made.updatedBy]);
  assert.is(ok(await service.admin.get(`${CASES}/${made.id}/versions`)).versions.length, 1);
});

test('the status matches the remaining results after concurrent additions and removals', async () => {
  const made = await testing.test(await testing.table());
  const days = Array.from({ length: 20 }, (_, day) => day);
  for (const day of days.filter((one) => one % 2 === 1)) await send(made.fullyQualifiedName, day, 'Failed');
  await Promise.all(
    days.map((day) =>
      day % 2 === 1
        ? service.admin.delete(`${at(made.fullyQualifiedName)}/${START + day * DAY}`)
        : send(made.fullyQualifiedName, day, 'Success'),
    ),
  );
  const { data } = await list(made.fullyQualifiedName);
  assert.is(data.length, 10);
  const after = await read(made.id);
  assert.is(after.testCaseResult.timestamp, START + 18 * DAY);
  assert.equal(after.testCaseResult, data[0]);
});

test('results added during a hard deletion of their test case leave nothing', async () => {
  const made = await testing.test(await testing.table());
  const [removed, ...sent] = await Promise.all([
    service.admin.delete(`${CASES}/${made.id}?hardDelete=true`),
    ...Array.from({ length: 12 }, (_, day) =>
      service.admin.post(at(made.fullyQualifiedName), { timestamp: START + day, testCaseStatus: 'Success' }),
    ),
  ]);
  ok(removed as typeof removed & object);
  for (const { status } of sent) assert.ok(status === 201 || status === 404, String(status));
  const [row] = await service.graph.query('MATCH (r:TestResult {caseId: $id}) RETURN count(r) AS count', {
    id: made.id,
  });
  assert.is(row?.['count'], 0);
  expectRefused(await service.admin.get(`${CASES}/${made.id}?include=all`), 404);
});

test('a bulk request that is no list or too long is refused as a whole, and invalid rows fail alone', async () => {
  const path = `${CASES}/testCaseResults/bulk`;
  const made = await testing.test(await testing.table());
  const good = { testCaseFQN: made.fullyQualifiedName, timestamp: START, testCaseStatus: 'Success' };
  expectRefused(await service.admin.put(path, good), 400);
  expectRefused(
    await service.admin.put(
      path,
      Array.from({ length: 5001 }, () => good),
    ),
    413,
  );
  assert.equal(ok(await service.admin.put(path, [])), {
    dryRun: false,
    status: 'success',
    numberOfRowsProcessed: 0,
    numberOfRowsPassed: 0,
    numberOfRowsFailed: 0,
    successRequest: [],
    failedRequest: [],
  });
  const { testCaseFQN: _name, ...nameless } = good;
  const reply = ok(await service.admin.put(path, [good, nameless, { ...good, timestamp: null }, 7]));
  assert.equal(reply.successRequest, [{ request: made.fullyQualifiedName, status: 200 }]);
  assert.equal(
    reply.failedRequest.map(({ status }: { status: number }) => status),
    [400, 400, 400],
  );
  assert.equal(reply.failedRequest[0].request, nameless);
  assert.is(reply.status, 'partialSuccess');
});

test.run();
