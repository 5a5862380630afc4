import { randomUUID } from 'node:crypto';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { createQualityTests, type QualityTests } from '../support/quality-tests.ts';
import { strayId } from '../support/samples.ts';
import {
  closeServiceAt,
  openService,
  openServiceAt,
  placeOfRun,
  type Service,
  uniqueName,
} from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that results of contracts are stored, replaced, moved and removed, also concurrently (data-contracts.md 7). */

const test = suite('contracts: results');

const CONTRACTS = '/v1/dataContracts';

let service: Service;
/** Another process on the same store. */
let other: Service;
let testing: QualityTests;
test.before(async () => {
  service = await openService();
  other = await openServiceAt(placeOfRun());
  testing = createQualityTests(service);
});

test.after(() => closeServiceAt(other));

const contract = async (more: JsonObject = {}) => {
  const { id } = await testing.table();
  return ok(
    await service.admin.post(CONTRACTS, { name: uniqueName('contract'), entity: { id, type: 'table' }, ...more }),
    201,
  );
};

const results = ({ id }: JsonObject, more = '') => `${CONTRACTS}/${id}/results${more}`;

const put = (made: JsonObject, timestamp: number, contractExecutionStatus: string, more: JsonObject = {}) =>
  service.admin.put(results(made), { timestamp, contractExecutionStatus, ...more });

const listed = async (made: JsonObject, query = '?limit=10000') => ok(await service.admin.get(results(made, query)));

const momentsOf = async (made: JsonObject): Promise<readonly number[]> =>
  (await listed(made)).data.map(({ timestamp }: JsonObject) => timestamp);

const latestOf = async ({ id }: JsonObject) => ok(await service.admin.get(`${CONTRACTS}/${id}`)).latestResult;

const WHOLE: JsonObject = {
  result: 'Schema: 1 of 2 columns failed',
  schemaValidation: {
    passed: 1,
    failed: 1,
    total: 2,
    failedFields: ['a'],
    duplicateFields: ['b'],
    typeMismatchFields: ['c: expected INT, got STRING'],
  },
  semanticsValidation: { passed: 0, failed: 1, total: 1, failedRules: [{ ruleName: 'r', reason: 'because' }] },
  qualityValidation: { passed: 1, failed: 1, total: 2, qualityScore: 50 },
  slaValidation: { refreshFrequencyMet: true, latencyMet: false, availabilityMet: true, actualLatency: 2_147_483_647 },
  incidentId: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  executionTime: 12,
};

test('a result is stored as sent with the name of its contract', async () => {
  const made = await contract();
  const sent = { ...WHOLE, dataContractFQN: 'somebody.else', id: null };
  const kept = ok(await put(made, 7, 'Failed', sent));
  const wanted = { ...WHOLE, timestamp: 7, contractExecutionStatus: 'Failed' };
  const { id, dataContractFQN, ...said } = kept;
  assert.equal(said, wanted);
  assert.is(dataContractFQN, made.fullyQualifiedName);
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.equal(ok(await service.admin.get(results(made, `/${id}`))), kept);
  assert.equal(ok(await service.admin.get(results(made, '/latest'))), kept);
  assert.equal(await latestOf(made), { timestamp: 7, status: 'Failed', message: WHOLE['result'], resultId: id });
  for (const status of ['Running', 'Success', 'Failed', 'PartialSuccess', 'Aborted', 'Queued']) {
    assert.is(ok(await put(made, 8, status)).contractExecutionStatus, status);
  }
  const faults: readonly JsonObject[] = [
    { more: 1 },
    { schemaValidation: { passed: 1 } },
    { schemaValidation: { passed: 1, failed: 0, total: 1, more: 1 } },
    { qualityValidation: { passed: 1, failed: 0, total: 1, qualityScore: 101 } },
    { slaValidation: { refreshFrequencyMet: 'yes' } },
    { incidentId: 'x' },
    { id: 'x' },
  ];
  for (const fault of faults) expectRefused(await put(made, 9, 'Success', fault), 400);
  expectRefused(await put(made, 9, 'Perfect'), 400);
  expectRefused(await put(made, -1, 'Success'), 400);
  assert.equal(await momentsOf(made), [8, 7]);
});

test('a result in the future is returned too, and time ranges include their ends', async () => {
  const made = await contract();
  const ahead = Date.now() + 86_400_000;
  for (const moment of [10, 20, ahead]) ok(await put(made, moment, 'Success'));
  assert.is((await latestOf(made)).timestamp, ahead);
  assert.equal(await momentsOf(made), [ahead, 20, 10]);
  assert.is((await listed(made, `?startTs=20&endTs=${ahead}&limit=1`)).paging.total, 2);
  assert.equal(Object.keys((await listed(made)).paging), ['total']);
  for (const query of ['?startTs=x', '?endTs=1.5', '?limit=10001', '?limit=-1']) {
    expectRefused(await service.admin.get(results(made, query)), 400);
  }
  for (const path of [`/${strayId()}`, '/20', '/nonsense'])
    expectRefused(await service.admin.get(results(made, path)), 404);
  for (const path of ['/x', '/1.5', '/before/x']) expectRefused(await service.admin.delete(results(made, path)), 400);
  for (const path of ['/1', '/before/1'])
    expectRefused(await service.admin.delete(results({ id: strayId() }, path)), 404);
  expectRefused(await put({ id: strayId() }, 1, 'Success'), 404);
});

test('a result is moved to another timestamp by its id, also onto another result', async () => {
  const made = await contract();
  const [one, two] = [ok(await put(made, 10, 'Success')), ok(await put(made, 20, 'Failed'))];
  const moved = ok(await put(made, 30, 'Aborted', { id: one.id }));
  assert.is(moved.id, one.id);
  assert.equal(await momentsOf(made), [30, 20]);
  ok(await put(made, 20, 'Success', { id: one.id }));
  assert.equal(await momentsOf(made), [20]);
  assert.equal([(await latestOf(made)).resultId, (await latestOf(made)).status], [one.id, 'Success']);
  expectRefused(await service.admin.get(results(made, `/${two.id}`)), 404);
  const elsewhere = await contract();
  ok(await put(elsewhere, 5, 'Failed', { id: one.id }));
  assert.equal(await momentsOf(made), [20], 'the same id below another contract is another result');
});

test('of several results with one timestamp one is stored, and the contract references it', async () => {
  const made = await contract();
  const statuses = ['Success', 'Failed', 'Aborted', 'Running', 'Queued', 'PartialSuccess'];
  const replies = await Promise.all(
    [service, other].flatMap(({ admin }) =>
      statuses.map((contractExecutionStatus) =>
        admin.put(results(made), { timestamp: 50, contractExecutionStatus, result: uniqueName('said') }),
      ),
    ),
  );
  const ids = new Set(replies.map((reply) => ok(reply).id));
  const { data, paging } = await listed(made);
  assert.equal([data.length, paging.total], [1, 1]);
  assert.ok(ids.has(data[0].id));
  assert.equal(await latestOf(made), {
    timestamp: 50,
    status: data[0].contractExecutionStatus,
    message: data[0].result,
    resultId: data[0].id,
  });
});

test('concurrent results with different timestamps are all stored, and the newest is referenced', async () => {
  const made = await contract();
  const moments = Array.from({ length: 20 }, (_, at) => 100 + at);
  const both = [service, other];
  const replies = await Promise.all(
    moments.map((timestamp, at) =>
      both[at % 2]?.admin.put(results(made), { timestamp, contractExecutionStatus: at % 3 ? 'Success' : 'Failed' }),
    ),
  );
  for (const reply of replies) assert.is(reply?.status, 200, reply?.text ?? '');
  assert.equal(await momentsOf(made), [...moments].reverse());
  assert.is((await latestOf(made)).timestamp, 119);
  await Promise.all(
    moments.slice(5).map((timestamp, at) => both[at % 2]?.admin.delete(results(made, `/${timestamp}`))),
  );
  assert.equal(await momentsOf(made), [104, 103, 102, 101, 100]);
  assert.is((await latestOf(made)).timestamp, 104);
});

test('a result added during a deletion is still referenced by its contract', async () => {
  const made = await contract();
  for (const moment of [1, 2, 3]) ok(await put(made, moment, 'Success'));
  const [, late] = await Promise.all([
    service.admin.delete(results(made, '/before/100')),
    other.admin.put(results(made), { timestamp: 99, contractExecutionStatus: 'Failed' }),
  ]);
  const left = await momentsOf(made);
  assert.equal(ok(late).timestamp, 99);
  assert.ok(left.length === 0 || (left.length === 1 && left[0] === 99));
  assert.is((await latestOf(made))?.timestamp, left[0]);
});

const MANY = 20_500;

test('more results than one transaction holds are deleted up to a timestamp, and none after it', async () => {
  const made = await contract();
  ok(await put(made, MANY, 'Failed'));
  ok(await put(made, MANY + 1, 'Success'));
  await service.graph.query(
    `MATCH (contract:Entity {id: $id})
     UNWIND range(1, $many - 1) AS moment
     CREATE (contract)-[:HAS_RESULT]->(:ContractResult {
       contractId: $id, key: $id + ':' + moment, ownKey: $id + ':x' + moment, timestamp: toInteger(moment),
       json: '{"id":"${randomUUID()}","timestamp":' + moment + ',"contractExecutionStatus":"Success"}'
     })`,
    { id: made.id, many: MANY },
  );
  assert.is((await listed(made, '?limit=0')).paging.total, MANY + 1);
  assert.is((await service.admin.delete(results(made, `/before/${MANY}`))).status, 200);
  assert.equal(await momentsOf(made), [MANY + 1, MANY]);
  assert.is((await latestOf(made)).timestamp, MANY + 1);
});

test.run();
