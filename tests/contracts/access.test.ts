import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { expectList, expectRefused, ok } from '../support/expect.ts';
import { CONTRACTS } from '../support/odcs-exchange.ts';
import { createQualityTests, type QualityTests } from '../support/quality-tests.ts';
import { createRightsFactory, type Person, type RightsFactory, type RuleOptions } from '../support/rights.ts';
import type { CreatedRecord } from '../support/samples.ts';
import { openService, type Reply, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that contracts and their results respect the rights of the caller (data-contracts.md 9). */

const test = suite('contracts: access');

let service: Service;
let testing: QualityTests;
let rights: RightsFactory;
test.before(async () => {
  service = await openService();
  testing = createQualityTests(service);
  rights = createRightsFactory(service);
});

test.after(() => rights.clear());

type Contracted = { readonly table: CreatedRecord; readonly contract: CreatedRecord };

const contracted = async (more: JsonObject = {}): Promise<Contracted> => {
  const table = await testing.table();
  const contract = ok(
    await service.admin.post(CONTRACTS, {
      name: uniqueName('contract'),
      entity: { id: table.id, type: 'table' },
      ...more,
    }),
    201,
  );
  ok(
    await service.admin.put(`${CONTRACTS}/${contract.id}/results`, {
      timestamp: 5,
      contractExecutionStatus: 'Success',
    }),
  );
  return { table, contract };
};

const owned = ({ id }: Person): Promise<Contracted> => contracted({ owners: [{ id, type: 'user' }] });

type Act = (client: Person, about: Contracted) => Promise<Reply>;

const at = ({ contract }: Contracted, more = ''): string => `${CONTRACTS}/${contract.id}${more}`;

const byName = ({ contract }: Contracted, more = ''): string =>
  `${CONTRACTS}/name/${encodeURIComponent(contract.fullyQualifiedName)}${more}`;

const ofTable = ({ table }: Contracted): string => `?entityId=${table.id}&entityType=table`;

const document = () => `apiVersion: v3.1.0
kind: DataContract
id: ${uniqueName('document')}
version: 1.0.0
status: draft
`;

const VIEWS: Readonly<Record<string, Act>> = {
  get: (client, about) => client.get(at(about)),
  'get by name': (client, about) => client.get(byName(about)),
  odcs: (client, about) => client.get(at(about, '/odcs')),
  'odcs by name': (client, about) => client.get(byName(about, '/odcs/yaml')),
  results: (client, about) => client.get(at(about, '/results')),
  latest: (client, about) => client.get(at(about, '/results/latest')),
  versions: (client, about) => client.get(at(about, '/versions')),
};

const EDITS: Readonly<Record<string, Act>> = {
  validate: (client, about) => client.post(at(about, '/validate'), {}),
  'put results': (client, about) =>
    client.put(at(about, '/results'), { timestamp: 9, contractExecutionStatus: 'Failed' }),
  'put odcs': (client, about) =>
    client.raw('PUT', `${CONTRACTS}/odcs/yaml${ofTable(about)}`, document(), { 'content-type': 'application/yaml' }),
  // Everybody may write a description, so it is something else that is changed.
  patch: (client, about) => client.patch(at(about), { termsOfUse: { content: uniqueName('text') } }),
  put: (client, { table, contract }) =>
    client.put(CONTRACTS, {
      name: contract.name,
      entity: { id: table.id, type: 'table' },
      description: uniqueName('text'),
    }),
};

/** Each removes something else, so that what is allowed can be seen to happen. */
const DELETES: Readonly<Record<string, Act>> = {
  'delete one result': (client, about) => client.delete(at(about, '/results/5')),
  'delete results before': (client, about) => client.delete(at(about, '/results/before/100')),
  delete: (client, about) => client.delete(at(about)),
};

const allowed = async (acts: Readonly<Record<string, Act>>, client: Person, about: Contracted): Promise<void> => {
  for (const [name, act] of Object.entries(acts)) {
    const { status, text } = await act(client, about);
    assert.is(status, 200, `${name}: ${text}`);
  }
};

const forbidden = async (acts: Readonly<Record<string, Act>>, client: Person, about: Contracted): Promise<void> => {
  for (const [name, act] of Object.entries(acts)) {
    const { status, text } = await act(client, about);
    assert.is(status, 403, `${name}: ${text}`);
  }
  const after = ok(await service.admin.get(at(about)));
  assert.equal([after.version, after.deleted ?? false], [0.1, false]);
  const { data } = ok(await service.admin.get(at(about, '/results')));
  assert.equal(
    data.map(({ timestamp }: JsonObject) => timestamp),
    [5],
  );
};

const rule = (operations: readonly string[], more: Partial<RuleOptions> = {}): RuleOptions => ({
  operations,
  resources: ['dataContract'],
  ...more,
});

test('a caller without view rights sees no contract, and with conditional rights no contract that they exclude', async () => {
  const blind = await rights.person([rule(['ViewAll'], { effect: 'deny' })]);
  const partly = await rights.person([rule(['ViewAll'], { effect: 'deny', condition: '!isOwner()' })]);
  const [foreign, own] = [await contracted(), await owned(partly)];
  await forbidden(VIEWS, blind, foreign);
  expectRefused(await blind.get(CONTRACTS), 403);
  await forbidden(VIEWS, partly, foreign);
  await allowed(VIEWS, partly, own);
});

test('lists and totals count what is visible', async () => {
  const partly = await rights.person([rule(['ViewAll'], { effect: 'deny', condition: '!isOwner()' })]);
  const [foreign, own] = [await contracted(), await owned(partly)];
  const { data, paging } = expectList(await partly.get(`${CONTRACTS}?limit=1000`));
  assert.equal(
    data.map(({ id }: CreatedRecord) => id),
    [own.contract.id],
  );
  assert.is(paging.total, 1);
  for (const [{ table }, total] of [
    [foreign, 0],
    [own, 1],
  ] as const) {
    const found = expectList(await partly.get(`${CONTRACTS}?entity=${table.id}`));
    assert.equal([found.data.length, found.paging.total], [total, total]);
    assert.is(expectList(await partly.get(`${CONTRACTS}?entity=${table.id}&limit=0`)).paging.total, total);
    assert.is(expectList(await service.admin.get(`${CONTRACTS}?entity=${table.id}`)).paging.total, 1);
  }
  assert.is(expectList(await partly.get(`${CONTRACTS}?status=Draft&limit=0`)).paging.total, 1);
  assert.is(expectList(await partly.get(`${CONTRACTS}?status=Active&limit=0`)).paging.total, 0);
});

test('evaluation, external results and imports require edit rights, also conditional ones', async () => {
  const nobody = await rights.person();
  const editor = await rights.person([rule(['EditAll'])]);
  const partly = await rights.person([rule(['EditAll'], { condition: 'isOwner()' })]);
  const denied = await rights.person([
    rule(['EditAll']),
    rule(['EditAll'], { effect: 'deny', condition: 'isOwner()' }),
  ]);
  const [foreign, own, deniedOwn] = [await contracted(), await owned(partly), await owned(denied)];
  await forbidden(EDITS, nobody, foreign);
  await forbidden(EDITS, partly, foreign);
  await forbidden(EDITS, denied, deniedOwn);
  await allowed(EDITS, partly, own);
  await allowed(EDITS, denied, foreign);
  await allowed(EDITS, editor, await contracted());
});

test('deleting contracts or results requires its own right', async () => {
  const editor = await rights.person([rule(['EditAll'])]);
  const remover = await rights.person([rule(['Delete'])]);
  const partly = await rights.person([rule(['Delete'], { condition: 'isOwner()' })]);
  const denied = await rights.person([rule(['Delete']), rule(['Delete'], { effect: 'deny', condition: 'isOwner()' })]);
  await forbidden(DELETES, editor, await contracted());
  await forbidden(DELETES, partly, await contracted());
  await forbidden(DELETES, denied, await owned(denied));
  await allowed(DELETES, remover, await contracted());
  await allowed(DELETES, partly, await owned(partly));
  await allowed(DELETES, denied, await contracted());
});

test('creating requires its own right, also by an import', async () => {
  const creator = await rights.person([rule(['Create'])]);
  const editor = await rights.person([rule(['EditAll'])]);
  const send = async (client: Person, how: 'post' | 'import') => {
    const { id } = await testing.table();
    if (how === 'post') return client.post(CONTRACTS, { name: uniqueName('c'), entity: { id, type: 'table' } });
    return client.raw('POST', `${CONTRACTS}/odcs/yaml?entityId=${id}&entityType=table`, document(), {
      'content-type': 'application/yaml',
    });
  };
  for (const how of ['post', 'import'] as const) {
    assert.is((await send(creator, how)).status, 201, how);
    assert.is((await send(editor, how)).status, 403, how);
  }
  const put = await testing.table();
  const body = { name: uniqueName('c'), entity: { id: put.id, type: 'table' } };
  expectRefused(await editor.put(CONTRACTS, body), 403);
  ok(await creator.put(CONTRACTS, body), 201);
  expectRefused(await creator.put(CONTRACTS, { ...body, description: 'x' }), 403);
});

test('requests about an asset are authorized by the rights on that asset', async () => {
  const about = await contracted();
  const read = (client: Person) => client.get(`${CONTRACTS}/entity${ofTable(about)}`);
  const judge = (client: Person) => client.post(`${CONTRACTS}/entity/validate${ofTable(about)}`, {});
  const blind = await rights.person([rule(['All'], { effect: 'deny' }), rule(['EditAll'], { resources: ['table'] })]);
  expectRefused(await read(blind), 404);
  const noContracts = await rights.person([
    rule(['Create', 'EditAll', 'Delete'], { effect: 'deny' }),
    rule(['EditAll'], { resources: ['table'] }),
  ]);
  assert.is(ok(await read(noContracts)).id, about.contract.id);
  ok(await judge(noContracts));
  const noTables = await rights.person([rule(['ViewAll'], { effect: 'deny', resources: ['table'] }), rule(['All'])]);
  expectRefused(await read(noTables), 403);
  expectRefused(await judge(noTables), 403);
  const partly = await rights.person([rule(['EditAll'], { resources: ['table'], condition: 'isOwner()' })]);
  expectRefused(await judge(partly), 403);
  ok(await service.admin.patch(`/v1/tables/${about.table.id}`, { owners: [{ id: partly.id, type: 'user' }] }));
  ok(await judge(partly));
});

test('any authenticated caller can parse a document', async () => {
  const nobody = await rights.person([rule(['All'], { effect: 'deny' })]);
  const parse = (client: Pick<Person, 'raw'>, more = {}) =>
    client.raw('POST', `${CONTRACTS}/odcs/parse/yaml`, document(), { 'content-type': 'application/yaml', ...more });
  assert.is(ok(await parse(nobody)).status, 'draft');
  expectRefused(await parse(nobody, { authorization: 'Bearer x' }), 401);
});

test.run();
