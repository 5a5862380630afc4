import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../support/expect.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that what queries cost is kept per moment, bounded, and visible to those who see the query. */

const test = suite('usage: costs of queries');

const PATH = '/v1/queryCostRecord';
const DAY_MS = 86_400_000;

let service: Service;
test.before(async () => {
  service = await openService();
});

const createQuery = async (): Promise<string> => {
  const name = uniqueName('source');
  ok(await service.admin.post('/v1/services/databaseServices', { name, serviceType: 'Postgres' }), 201);
  const body = { name: uniqueName('query'), query: `select '${uniqueName('text')}'`, service: name };
  return ok(await service.admin.post('/v1/queries', body), 201).id;
};

const costOf = (id: string, timestamp: number, cost: number, more: object = {}) => ({
  timestamp,
  jsonSchema: 'queryCostRecord',
  queryReference: { id, type: 'query' },
  cost,
  count: 2,
  ...more,
});

const listed = async (id: string, query = '') => ok(await service.admin.get(`${PATH}?queryId=${id}${query}`)).data;

test('a cost is answered with its query, and a later report on the same moment replaces it', async () => {
  const id = await createQuery();
  const first = ok(await service.admin.post(PATH, costOf(id, DAY_MS, 1.5, { totalDuration: 20.5 })));
  assert.equal([first.timestamp, first.cost, first.count, first.totalDuration], [DAY_MS, 1.5, 2, 20.5]);
  assert.equal([first.queryReference.id, first.jsonSchema], [id, 'queryCostRecord']);
  const second = ok(await service.admin.post(PATH, costOf(id, DAY_MS, 3)));
  assert.equal([second.id, second.cost, second.totalDuration], [first.id, 3, 0]);
  assert.equal(await listed(id), [second]);
});

test('costs are listed newest first, within a span and up to a limit', async () => {
  const id = await createQuery();
  const other = await createQuery();
  await Promise.all([1, 2, 30, 4].map((day) => service.admin.post(PATH, costOf(id, day * DAY_MS, day)).then(ok)));
  ok(await service.admin.post(PATH, costOf(other, 2 * DAY_MS, 99)));
  const costs = async (query = '') => (await listed(id, query)).map(({ cost }: { cost: number }) => cost);
  assert.equal(await costs(), [30, 4, 2, 1]);
  assert.equal(await costs(`&startTs=${2 * DAY_MS}&endTs=${4 * DAY_MS}`), [4, 2]);
  assert.equal(await costs('&limit=1'), [30]);
});

test('a query keeps a year of days, and its costs go with it', async () => {
  const id = await createQuery();
  for (let day = 0; day < 380; day += 20) {
    const days = Array.from({ length: 20 }, (_, at) => day + at);
    await Promise.all(days.map((at) => service.admin.post(PATH, costOf(id, at * DAY_MS, at)).then(ok)));
  }
  const costs = await listed(id);
  assert.equal([costs.length, costs[0].cost, costs.at(-1).cost], [366, 379, 14]);
  ok(await service.admin.delete(`/v1/queries/${id}?hardDelete=true`));
  const [left] = await service.graph.query(
    'MATCH (cost:QueryCost) WHERE cost.key STARTS WITH $id RETURN count(cost) AS left',
    { id },
  );
  assert.is(left?.['left'], 0);
  expectRefused(await service.admin.get(`${PATH}?queryId=${id}`), 404);
});

test('a bad report is refused with its reason and changes nothing', async () => {
  const id = await createQuery();
  const refuse = async (body: unknown, status: number, reason: RegExp) =>
    expectRefused(await service.admin.post(PATH, body), status, reason);
  await refuse({ ...costOf(id, 1, 1), more: 1 }, 400, /more/);
  await refuse({ ...costOf(id, 1, 1), cost: 'much' }, 400, /cost/);
  await refuse(costOf(id, -1, 1), 400, /timestamp/);
  await refuse({ ...costOf(id, 1, 1), queryReference: { id, type: 'table' } }, 400, /must be query/);
  await refuse({ ...costOf(id, 1, 1), queryReference: { type: 'query' } }, 400, /id must not be null/);
  await refuse(costOf('00000000-0000-4000-8000-000000000000', 1, 1), 404, /query/);
  assert.equal(await listed(id), []);
  for (const query of ['', `?queryId=${id}&limit=0`, `?queryId=${id}&startTs=x`]) {
    expectRefused(await service.admin.get(`${PATH}${query}`), 400);
  }
});

test('only who may edit usage reports costs, and who sees a query sees what it cost', async () => {
  const id = await createQuery();
  ok(await service.admin.post(PATH, costOf(id, 1, 1)));
  const name = uniqueName('reader');
  ok(await service.admin.post('/v1/users', { name, email: `${name}@example.com` }), 201);
  const reader = await service.as(name);
  expectRefused(await reader.post(PATH, costOf(id, 2, 2)), 403);
  assert.is(ok(await reader.get(`${PATH}?queryId=${id}`)).data.length, 1);
});

test.run();
