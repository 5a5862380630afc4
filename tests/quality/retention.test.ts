import * as assert from 'uvu/assert';
import { testResultRetention } from '../../src/quality/retention.ts';
import { createRetention } from '../../src/retention/retention.ts';
import { ok } from '../support/expect.ts';
import { CASES, createQualityTests, type QualityTests } from '../support/quality-tests.ts';
import { openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that old test results are removed, except the newest of each test case. */

const test = suite('quality: retention of results');

let service: Service;
let testing: QualityTests;
test.before(async () => {
  service = await openService();
  testing = createQualityTests(service);
});

const DAY = 86_400_000;
/** Far before anything else that is told of: the database is shared, and nothing of others may be forgotten. */
const LONG_AGO = 1_000_000_000_000;

const keep = async (days: readonly number[], start: number): Promise<string> => {
  const { fullyQualifiedName } = await testing.test(await testing.table());
  const rows = days.map((day) => ({
    testCaseFQN: fullyQualifiedName,
    timestamp: start + day * DAY,
    testCaseStatus: 'Success',
  }));
  ok(await service.admin.put(`${CASES}/testCaseResults/bulk`, rows));
  return fullyQualifiedName;
};

const left = async (fqn: string, start: number): Promise<readonly number[]> => {
  const { data } = ok(await service.admin.get(`${CASES}/testCaseResults/${encodeURIComponent(fqn)}`));
  return data.map(({ timestamp }: { timestamp: number }) => (timestamp - start) / DAY);
};

test('results beyond the maximum age are removed, except the newest of each test case', async () => {
  const [busy, idle] = [await keep([1, 2, 3, 4], LONG_AGO), await keep([1, 2], LONG_AGO)];
  const bounds = { batch: 2, batches: 100_000 };
  const forget = createRetention(service.graph, [testResultRetention({ days: 10, rows: 0 })], bounds);
  await forget(LONG_AGO + 13 * DAY);
  assert.equal(await left(busy, LONG_AGO), [4, 3]);
  assert.equal(await left(idle, LONG_AGO), [2]);
});

test('the newest results of each test case are kept up to a maximum number, by default all', async () => {
  const start = 1_763_700_000_000;
  const many = await keep(
    Array.from({ length: 70 }, (_, day) => day),
    start,
  );
  await createRetention(service.graph, [testResultRetention({ days: 0, rows: 0 })])(Date.now());
  assert.is((await left(many, start)).length, 70);
  // More than any other test tells of one thing.
  const bounds = { batch: 3, batches: 100_000 };
  await createRetention(service.graph, [testResultRetention({ days: 0, rows: 60 })], bounds)(Date.now());
  const days = await left(many, start);
  assert.equal([days.length, days[0], days.at(-1)], [60, 69, 10]);
});

test.run();
