import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { expectList, expectRefused, ok } from '../support/expect.ts';
import { createQualityTests, type QualityTests } from '../support/quality-tests.ts';
import type { CreatedRecord } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that assets inherit contracts from their data products (data-contracts.md 6). */

const test = suite('contracts: inheritance from data products');

const CONTRACTS = '/v1/dataContracts';

let service: Service;
let testing: QualityTests;
test.before(async () => {
  service = await openService();
  testing = createQualityTests(service);
});

const rule = (name: string, expression: unknown = { '==': [1, 1] }): JsonObject => ({
  name,
  description: `${name} must hold`,
  rule: JSON.stringify(expression),
  enabled: true,
});

const SLA = { refreshFrequency: { interval: 1, unit: 'day' } };

const PROMISES: JsonObject = {
  entityStatus: 'Approved',
  description: 'For all tables',
  termsOfUse: 'Be kind.',
  security: { dataClassification: 'internal', policies: [{ accessPolicy: 'open' }] },
  sla: SLA,
  semantics: [rule('described', { '!!': { var: 'description' } }), rule('named', { '!!': { var: 'name' } })],
};

const contract = async ({ id }: Pick<CreatedRecord, 'id'>, type: string, more: JsonObject) =>
  ok(await service.admin.post(CONTRACTS, { name: uniqueName('contract'), entity: { id, type }, ...more }), 201);

type Product = { readonly domain: CreatedRecord; readonly product: CreatedRecord };

const openProduct = async (): Promise<Product> => {
  const domain = await testing.samples.create('domain');
  return { domain, product: await testing.samples.create('dataProduct', { domains: [domain.fullyQualifiedName] }) };
};

/** A table that belongs to products. */
const tableOf = async (...products: readonly Product[]): Promise<CreatedRecord> => {
  const table = await testing.table();
  ok(
    await service.admin.patch(`/v1/tables/${table.id}`, {
      domains: products.map(({ domain }) => ({ id: domain.id, type: 'domain' })),
      dataProducts: products.map(({ product }) => ({ id: product.id, type: 'dataProduct' })),
    }),
  );
  return table;
};

const about = ({ id }: Pick<CreatedRecord, 'id'>, more = '') => `?entityId=${id}&entityType=table${more}`;

const effectiveOf = (table: Pick<CreatedRecord, 'id'>, more = '') =>
  service.admin.get(`${CONTRACTS}/entity${about(table, more)}`);

const judge = async (table: Pick<CreatedRecord, 'id'>) =>
  ok(await service.admin.post(`${CONTRACTS}/entity/validate${about(table)}`, {}));

const ownOf = async ({ id }: Pick<CreatedRecord, 'id'>) =>
  expectList(await service.admin.get(`${CONTRACTS}?entity=${id}`)).data;

test('an asset without a contract has that of its data product, marked as inherited everywhere', async () => {
  const made = await openProduct();
  const theirs = await contract(made.product, 'dataProduct', PROMISES);
  ok(await service.admin.post(`${CONTRACTS}/${theirs.id}/validate`, {}));
  const table = await tableOf(made);
  const found = ok(await effectiveOf(table, '&fields=status,owners'));
  assert.equal([found.id, found.fullyQualifiedName], [theirs.id, theirs.fullyQualifiedName]);
  assert.equal([found.entity.id, found.entity.type], [table.id, 'table']);
  assert.equal([found.inherited, found.entityStatus, found.status], [true, 'Draft', 'Draft']);
  for (const part of ['termsOfUse', 'security', 'sla']) assert.is(found[part].inherited, true, part);
  assert.equal(
    found.semantics.map(({ name, inherited }: JsonObject) => [name, inherited]),
    [
      ['described', true],
      ['named', true],
    ],
  );
  for (const part of ['schema', 'qualityExpectations', 'testSuite', 'latestResult', 'contractUpdates']) {
    assert.is(part in found, false, part);
  }
  assert.equal(found.owners, []);
  expectRefused(await effectiveOf(table, '&fields=nonsense'), 400, 'Invalid field name nonsense');
  assert.is('inherited' in ok(await service.admin.get(`${CONTRACTS}/${theirs.id}`)), false);
});

test('an own contract overrides the inherited one by section, and its rules by name', async () => {
  const made = await openProduct();
  await contract(made.product, 'dataProduct', PROMISES);
  const table = await tableOf(made);
  const own = await contract(table, 'table', {
    security: { dataClassification: 'secret' },
    schema: [{ name: 'id', dataType: 'INT' }],
    semantics: [rule('mine'), rule('named', { '==': [1, 2] })],
  });
  const found = ok(await effectiveOf(table));
  assert.equal([found.id, found.inherited, found.entityStatus], [own.id, undefined, 'Draft']);
  assert.equal(found.security, { dataClassification: 'secret' });
  assert.equal(found.termsOfUse, { content: 'Be kind.', inherited: true });
  assert.equal([found.sla.inherited, found.sla.refreshFrequency], [true, SLA.refreshFrequency]);
  assert.equal(found.schema.length, 1);
  assert.equal(
    found.semantics.map(({ name, inherited }: JsonObject) => [name, inherited ?? false]),
    [
      ['described', true],
      ['mine', false],
      ['named', false],
    ],
  );
  const judged = ok(await service.admin.post(`${CONTRACTS}/${own.id}/validate`, {}));
  assert.equal(
    judged.semanticsValidation.failedRules.map(({ ruleName }: JsonObject) => ruleName),
    ['described', 'named'],
  );
  assert.is(judged.dataContractFQN, own.fullyQualifiedName);
});

test('nothing is inherited from several products, or from a deleted or unapproved contract', async () => {
  const [one, two] = [await openProduct(), await openProduct()];
  const theirs = await contract(one.product, 'dataProduct', PROMISES);
  const table = await tableOf(one);
  ok(await effectiveOf(table));
  for (const entityStatus of ['Draft', 'In Review', 'Deprecated', 'Archived', 'Rejected', 'Unprocessed']) {
    ok(await service.admin.patch(`${CONTRACTS}/${theirs.id}`, { entityStatus }));
    expectRefused(await effectiveOf(table), 404);
  }
  ok(await service.admin.patch(`${CONTRACTS}/${theirs.id}`, { entityStatus: 'Active' }));
  const both = await tableOf(one, two);
  expectRefused(await effectiveOf(both), 404, undefined, 'NOT_FOUND');
  await contract(two.product, 'dataProduct', PROMISES);
  expectRefused(await effectiveOf(both), 404);
  const own = await contract(both, 'table', {});
  assert.is(ok(await effectiveOf(both)).termsOfUse, undefined);
  assert.is((await judge(both)).dataContractFQN, own.fullyQualifiedName);
  ok(await service.admin.delete(`/v1/dataProducts/${two.product.id}?hardDelete=true&recursive=true`));
  assert.is(ok(await effectiveOf(both)).termsOfUse.inherited, true, 'one is left');
  ok(await service.admin.delete(`${CONTRACTS}/${theirs.id}`));
  expectRefused(await effectiveOf(table), 404);
  assert.is(ok(await effectiveOf(both)).termsOfUse, undefined);
  ok(await service.admin.put(`${CONTRACTS}/restore`, { id: theirs.id }));
  ok(await effectiveOf(table));
  ok(await service.admin.delete(`/v1/dataProducts/${one.product.id}?hardDelete=true&recursive=true`));
  expectRefused(await effectiveOf(table), 404);
  expectRefused(await service.admin.post(`${CONTRACTS}/entity/validate${about(table)}`, {}), 404);
});

test('results of an inherited contract are stored with an own contract, which is created once', async () => {
  const made = await openProduct();
  const theirs = await contract(made.product, 'dataProduct', PROMISES);
  const table = await tableOf(made);
  const replies = await Promise.all([judge(table), judge(table), judge(table)]);
  const [local, ...others] = await ownOf(table);
  assert.is(others.length, 0);
  assert.is(local.name, `${theirs.name} - ${table.name}`);
  assert.is(local.entityStatus, 'Draft');
  for (const part of ['semantics', 'sla', 'security', 'termsOfUse', 'schema']) {
    assert.is(local[part]?.length ?? 0, 0, part);
  }
  for (const { dataContractFQN, semanticsValidation } of replies) {
    assert.is(dataContractFQN, local.fullyQualifiedName);
    assert.equal([semanticsValidation.passed, semanticsValidation.failed], [1, 1]);
  }
  expectRefused(await service.admin.get(`${CONTRACTS}/${theirs.id}/results/latest`), 404);
  assert.is(ok(await effectiveOf(table)).id, local.id);
  assert.is(ok(await effectiveOf(table)).semantics.length, 2, 'it says nothing itself');
});

test('after the deletion of an own contract only the inherited one is left', async () => {
  const made = await openProduct();
  const theirs = await contract(made.product, 'dataProduct', PROMISES);
  const table = await tableOf(made);
  const own = await contract(table, 'table', { semantics: [rule('mine', { '==': [1, 2] })] });
  ok(await service.admin.delete(`${CONTRACTS}/${own.id}`));
  const found = ok(await effectiveOf(table));
  assert.equal([found.id, found.inherited], [theirs.id, true]);
  const judged = await judge(table);
  assert.equal(
    judged.semanticsValidation.failedRules.map(({ ruleName }: JsonObject) => ruleName),
    ['described'],
    'the rules of the deleted one do not count',
  );
  const again = await judge(table);
  assert.is(again.dataContractFQN, judged.dataContractFQN);
  assert.equal(
    again.semanticsValidation.failedRules.map(({ ruleName }: JsonObject) => ruleName),
    ['described'],
    'and do not come back by being judged',
  );
  assert.is((await ownOf(table)).length, 1);
});

test('an inherited contract cannot be deleted through the asset', async () => {
  const made = await openProduct();
  const theirs = await contract(made.product, 'dataProduct', PROMISES);
  const table = await tableOf(made);
  const name = `${table.fullyQualifiedName}.dataContract_${theirs.name}`;
  expectRefused(await service.admin.delete(`${CONTRACTS}/name/${encodeURIComponent(name)}`), 404);
  assert.is((await ownOf(table)).length, 0);
  ok(await effectiveOf(table));
});

test.run();
