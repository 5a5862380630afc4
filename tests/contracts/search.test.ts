import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { ok } from '../support/expect.ts';
import { CONTRACTS } from '../support/odcs-exchange.ts';
import { createQualityTests, type QualityTests } from '../support/quality-tests.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import { type Client, openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that contracts are found by the search, also by their newest result. */

const test = suite('contracts: search');

let service: Service;
let testing: QualityTests;
let rights: RightsFactory;
test.before(async () => {
  service = await openService();
  testing = createQualityTests(service);
  rights = createRightsFactory(service);
});

test.after(() => rights.clear());

const contract = async (name: string, more: JsonObject = {}) => {
  const { id } = await testing.table();
  return ok(await service.admin.post(CONTRACTS, { name, entity: { id, type: 'table' }, ...more }), 201);
};

const put = async ({ id }: JsonObject, timestamp: number, contractExecutionStatus: string): Promise<void> => {
  const body = { timestamp, contractExecutionStatus, result: `${contractExecutionStatus} at ${timestamp}` };
  ok(await service.admin.put(`${CONTRACTS}/${id}/results`, body));
};

/** The contracts of a name whose newest result is one of these, the newest first. */
const failing = async (
  name: string,
  statuses: readonly string[] = ['Failed', 'PartialSuccess', 'Aborted'],
  client: Client = service.admin,
) => {
  const must = [{ terms: { 'latestResult.status': statuses } }, { term: { 'name.keyword': name } }];
  const query = new URLSearchParams({
    q: '*',
    index: 'dataContract',
    query_filter: JSON.stringify({ query: { bool: { must } } }),
    sort_field: 'latestResult.timestamp',
    sort_order: 'desc',
  });
  const { hits } = ok(await client.get(`/v1/search/query?${query}`));
  assert.is(hits.total.value, hits.hits.length);
  return hits.hits.map(({ _source }: { readonly _source: JsonObject }) => _source);
};

const idsOf = (documents: readonly JsonObject[]) => documents.map(({ id }) => id);

test('contracts are found by their newest result, the newest first', async () => {
  const name = uniqueName('promise');
  const [early, late, holds, waits] = [
    await contract(name),
    await contract(name),
    await contract(name),
    await contract(name),
  ];
  await put(early, 10, 'Failed');
  await put(late, 20, 'PartialSuccess');
  await put(holds, 30, 'Success');
  await put(waits, 40, 'Running');
  assert.equal(idsOf(await failing(name)), [late.id, early.id]);
  assert.equal(idsOf(await failing(name, ['running'])), [waits.id], 'in whatever case');
  const [{ latestResult, entity }] = await failing(name, ['Failed']);
  assert.equal([latestResult.timestamp, latestResult.message], [10, 'Failed at 10']);
  assert.is(entity.id, early.entity.id);
});

test('a repeated status, an older result and a removed one are told at once', async () => {
  const name = uniqueName('promise');
  const [one, other] = [await contract(name), await contract(name)];
  await put(one, 10, 'Failed');
  await put(other, 20, 'Failed');
  assert.equal(idsOf(await failing(name)), [other.id, one.id]);
  await put(one, 30, 'Failed');
  await put(other, 5, 'Success');
  assert.equal(idsOf(await failing(name)), [one.id, other.id]);
  ok(await service.admin.delete(`${CONTRACTS}/${one.id}/results/30`));
  assert.equal(idsOf(await failing(name)), [other.id, one.id]);
  ok(await service.admin.delete(`${CONTRACTS}/${other.id}/results/20`));
  assert.equal(idsOf(await failing(name)), [one.id]);
  ok(await service.admin.delete(`${CONTRACTS}/${one.id}/results/before/100`));
  assert.equal(await failing(name), []);
});

test('a validation that ends is found by how it went', async () => {
  const name = uniqueName('promise');
  const made = await contract(name, {
    semantics: [{ name: 'described', description: 'Says so', enabled: true, rule: '{"!!": {"var": "description"}}' }],
  });
  assert.equal(await failing(name), []);
  const { contractExecutionStatus } = ok(await service.admin.post(`${CONTRACTS}/${made.id}/validate`, {}));
  assert.equal(idsOf(await failing(name, [contractExecutionStatus])), [made.id]);
});

test('a caller finds only the contracts that policies let them view', async () => {
  const name = uniqueName('promise');
  const rule = { effect: 'deny', operations: ['ViewAll'], resources: ['dataContract'] } as const;
  const blind = await rights.person([rule]);
  const partly = await rights.person([{ ...rule, condition: '!isOwner()' }]);
  const [foreign, own] = [await contract(name), await contract(name, { owners: [{ id: partly.id, type: 'user' }] })];
  await put(foreign, 20, 'Failed');
  await put(own, 10, 'Failed');
  assert.equal(idsOf(await failing(name)), [foreign.id, own.id]);
  assert.equal(idsOf(await failing(name, ['Failed'], partly)), [own.id]);
  assert.is((await blind.get(`/v1/search/query?q=${name}&index=dataContract`)).status, 403);
});

test('contracts are found by name, and only where they are asked for', async () => {
  const name = uniqueName('promise');
  const made = await contract(name);
  const found = async (index: string) => {
    const { hits } = ok(await service.admin.get(`/v1/search/query?q="${name}"&index=${index}`));
    return hits.hits.map((hit: { readonly _id: string; readonly _index: string }) => [hit._id, hit._index]);
  };
  assert.equal(await found('dataContract'), [[made.id, 'data_contract_search_index']]);
  assert.equal(await found('all,dataContract'), [[made.id, 'data_contract_search_index']]);
  assert.equal(await found('all'), []);
  ok(await service.admin.delete(`${CONTRACTS}/${made.id}`));
  assert.equal(await found('dataContract'), []);
});

test.run();
