import * as assert from 'uvu/assert';
import { ok } from '../support/expect.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { inboxOf, inShort, newActor, newPerson, newShop, type Person } from './fixture.ts';

/** Shows that failing contracts notify the right users. */

const test = suite('notifications: contracts');

let service: Service;
let actor: Person;
let shop: Awaited<ReturnType<typeof newShop>>;

test.before(async () => {
  service = await openService();
  actor = await newActor(service);
  shop = await newShop(service);
});

/** What somebody was told of contracts. */
const told = async (client: Person) =>
  inShort(await inboxOf(service, client)).filter((line) => line.includes('contract'));

const own = async (collection: string, id: string, owner: Person) =>
  ok(await service.admin.patch(`/v1/${collection}/${id}`, { owners: [{ id: owner.id, type: 'user' }] }));

const feed = async (from: string, to: string) => {
  const edge = { fromEntity: { id: from, type: 'table' }, toEntity: { id: to, type: 'table' } };
  ok(await service.admin.put('/v1/lineage', { edge }));
};

/** A contract about a table, and a way to say how it was judged. */
const contractOf = async (tableId: string, owner?: Person) => {
  const body = {
    name: uniqueName('contract'),
    entity: { id: tableId, type: 'table' },
    ...(owner ? { owners: [{ id: owner.id, type: 'user' }] } : {}),
  };
  const { id, name } = ok(await service.admin.post('/v1/dataContracts', body), 201);
  let timestamp = 1_700_000_000_000;
  const judge = async (contractExecutionStatus: string) => {
    timestamp += 1;
    ok(await actor.put(`/v1/dataContracts/${id}/results`, { timestamp, contractExecutionStatus }));
  };
  return { name: name as string, judge };
};

/** A table that feeds another, which feeds a third; each has an owner. */
const openChain = async () => {
  const tables = [await shop.newTable(uniqueName('t')), await shop.newTable(uniqueName('t'))] as const;
  const far = await shop.newTable(uniqueName('far'));
  const [owner, consumer, farther] = [await newPerson(service), await newPerson(service), await newPerson(service)];
  await feed(tables[0], tables[1]);
  await feed(tables[1], far);
  await own('tables', tables[0], owner);
  await own('tables', tables[1], consumer);
  await own('tables', far, farther);
  return { source: tables[0], owner, consumer, farther };
};

test('a failing contract notifies its owners, the owners of its asset and the owners of downstream assets', async () => {
  const { source, owner, consumer, farther } = await openChain();
  const keeper = await newPerson(service);
  const { name, judge } = await contractOf(source, keeper);
  await judge('Success');
  assert.equal(await told(keeper), [`owner entityUpdated ${name}: latestResult changed`]);
  assert.equal(await told(owner), [], 'the contract has owners of its own');
  assert.equal(await told(consumer), []);
  await judge('Failed');
  assert.is((await told(keeper)).length, 2);
  assert.equal(await told(owner), [`owner entityUpdated ${name}: latestResult changed`]);
  assert.equal(await told(consumer), [`downstream entityUpdated ${name}: latestResult changed`]);
  assert.equal(await told(farther), [], 'one step and no further');
  await judge('PartialSuccess');
  assert.is((await told(keeper)).length, 3);
  assert.is((await told(owner)).length, 1, 'it failed before');
  assert.is((await told(consumer)).length, 1);
  await judge('Success');
  assert.is((await told(consumer)).length, 1);
  await judge('PartialSuccess');
  assert.is((await told(consumer)).length, 2);
});

test('a contract without owners notifies the owners of its asset, also on its first failure', async () => {
  const { source, owner, consumer } = await openChain();
  const { name, judge } = await contractOf(source);
  await judge('Failed');
  assert.equal(await told(owner), [`owner entityUpdated ${name}: latestResult changed`]);
  assert.equal(await told(consumer), [`downstream entityUpdated ${name}: latestResult changed`]);
});

test('preferences select the notifications', async () => {
  const { source, owner, consumer } = await openChain();
  for (const reader of [owner, consumer]) {
    ok(await reader.put('/v1/notifications/preferences', { reasons: ['follower'] }));
  }
  const { judge } = await contractOf(source);
  await judge('Failed');
  assert.equal(await told(owner), []);
  assert.equal(await told(consumer), []);
});

test('a failing contract is announced even if only downstream assets have owners', async () => {
  const [source, next] = [await shop.newTable(uniqueName('bare')), await shop.newTable(uniqueName('next'))];
  const consumer = await newPerson(service);
  await feed(source, next);
  await own('tables', next, consumer);
  const { name, judge } = await contractOf(source);
  await judge('Failed');
  assert.equal(await told(consumer), [`downstream entityUpdated ${name}: latestResult changed`]);
});

test.run();
