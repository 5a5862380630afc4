import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../src/model/json.ts';
import { ok } from '../../support/expect.ts';
import { CASES, entityLinkOf } from '../../support/quality-tests.ts';
import { createRightsFactory, type RightsFactory } from '../../support/rights.ts';
import { type Client, uniqueName } from '../../support/service.ts';
import { suite } from '../../support/suite.ts';
import { column, feed, type Made, mapping, openWorld, ref, type World } from '../fixture.ts';
import { chain, tablesOf } from './graph/fixture.ts';

/** Shows the contract status of records in lineage graphs, and broken clauses in impacts. */

const test = suite('lineage: contract status');

const CONTRACTS = '/v1/dataContracts';

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

// biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it, not the compiler.
type Answer = any;

/** A contract about a table, which may have been judged. */
const contracted = async (table: Made, more: JsonObject = {}, status?: string): Promise<Answer> => {
  const made = ok(
    await world.admin.post(CONTRACTS, { name: uniqueName('contract'), entity: ref(table), ...more }),
    201,
  );
  if (status !== undefined) await judge(made, status);
  return made;
};

let timestamp = 1_763_700_000_000;

const judge = async ({ id }: Made, contractExecutionStatus: string): Promise<void> => {
  timestamp += 1;
  ok(await world.admin.put(`${CONTRACTS}/${id}/results`, { timestamp, contractExecutionStatus }));
};

const promising = (...names: readonly string[]): JsonObject => ({ schema: names.map((name) => column(name)) });

const statuses = async (root: Made, query = '', client: Client = world.admin): Promise<Answer> => {
  const { nodes } = ok(await client.get(`/v1/lineage/graph?id=${root.id}&downstreamDepth=5${query}`));
  return nodes.map((node: Answer) => ('contractStatus' in node ? node.contractStatus : 'none'));
};

const impact = async ({ id }: Made, query: string, client: Client = world.admin): Promise<Answer> =>
  ok(await client.get(`/v1/lineage/impact?id=${id}${query}`));

test('a node has the latest contract status, except without a contract or in the past', async () => {
  const { a, b, c, d } = await tablesOf(world, 'a', 'b', 'c', 'd');
  await chain(world.admin, a, b, c, d);
  await contracted(a, {}, 'Success');
  const second = await contracted(b, {}, 'Success');
  await judge(second, 'Failed');
  await contracted(c);
  assert.equal(await statuses(a), ['Success', 'Failed', 'none', 'none']);
  assert.equal(await statuses(a, `&asOf=${Date.now()}`), ['none', 'none', 'none', 'none']);
  ok(await world.admin.delete(`${CONTRACTS}/${second.id}`));
  assert.equal(await statuses(a), ['Success', 'none', 'none', 'none']);
});

test('the status of a contract is returned only to callers who may see it', async () => {
  const { a } = await tablesOf(world, 'a');
  await contracted(a, promising('a'), 'Failed');
  const blind = await rights.person([{ effect: 'deny', operations: ['ViewAll'], resources: ['dataContract'] }]);
  assert.equal(await statuses(a, '', blind), ['none']);
  assert.is('contracts' in (await impact(a, '&column=a', blind)).root, false);
  assert.is((await impact(a, '&column=a', blind)).summary.contracts, 0);
  assert.equal(await statuses(a, '', await rights.person()), ['Failed']);
});

test('impact names the clauses that are broken, of the record itself and downstream', async () => {
  const { a, b, c } = await tablesOf(world, 'a', 'b', 'c');
  ok(await feed(world.admin, a, b, { columnsLineage: [mapping(a, ['a'], b, 'b'), mapping(a, ['c'], b, 'c')] }));
  ok(await feed(world.admin, b, c, { columnsLineage: [mapping(b, ['b'], c, 'c')] }));
  const own = await contracted(a, promising('a', 'b'), 'Success');
  const check = ok(
    await world.admin.post(CASES, {
      name: uniqueName('check'),
      entityLink: entityLinkOf(b, 'b'),
      testDefinition: 'columnValuesToBeNotNull',
    }),
    201,
  );
  const next = await contracted(b, {
    ...promising('b', 'c'),
    semantics: [
      { name: 'described', description: 'x', enabled: true, rule: '{"!!": [{"var": "columns.b"}]}' },
      { name: 'owned', description: 'x', enabled: true, rule: '{"!!": [{"var": "owners"}]}' },
    ],
    sla: { columnName: 'b', refreshFrequency: { interval: 1, unit: 'day' } },
    qualityExpectations: [{ id: check.id, type: 'testCase' }],
  });
  await contracted(c, promising('a'));
  const answer = await impact(a, '&column=a&change=drop');
  assert.equal(Object.keys(answer), ['root', 'affected', 'summary']);
  assert.equal(answer.root.contracts, [
    { id: own.id, fqn: own.fullyQualifiedName, status: 'Success', broken: ['schema.a'] },
  ]);
  const [worst, other] = answer.affected;
  assert.is(worst.entity.id, b.id);
  assert.equal(worst.contracts, [
    {
      id: next.id,
      fqn: next.fullyQualifiedName,
      broken: ['schema.b', 'semantics.described', `quality.${check.name}`, 'sla.columnName'],
    },
  ]);
  assert.equal(other.contracts[0].broken, [], 'its contract promises nothing of that column');
  assert.is(answer.summary.contracts, 3);
  const aside = await impact(a, '&column=c');
  assert.equal([aside.root.contracts[0].broken, aside.affected[0].contracts[0].broken], [[], ['schema.c']]);
  const whole = await impact(a, '');
  assert.equal(whole.root.contracts[0].broken, ['schema.a', 'schema.b'], 'with the record go all its columns');
});

test('a rename breaks clauses that name the column, and a new type breaks those about its type', async () => {
  const { a, b } = await tablesOf(world, 'a', 'b');
  ok(await feed(world.admin, a, b, { columnsLineage: [mapping(a, ['a'], b, 'b')] }));
  await contracted(a, promising('a'));
  await contracted(b, { semantics: [{ name: 'r', description: 'x', enabled: true, rule: '{"var": "columns.b"}' }] });
  const brokenBy = async (change: string) => {
    const { root, affected } = await impact(a, `&column=a&change=${change}`);
    return [root.contracts[0].broken, affected[0].contracts[0].broken];
  };
  assert.equal(await brokenBy('rename'), [['schema.a'], ['semantics.r']]);
  assert.equal(await brokenBy('retype'), [['schema.a'], []], 'the rule does not look at the type');
});

test('a broken contract is listed before nearer assets without one', async () => {
  const { a, near, far } = await tablesOf(world, 'a', 'near', 'far');
  ok(await feed(world.admin, a, near, { columnsLineage: [mapping(a, ['a'], near, 'a')] }));
  ok(await feed(world.admin, near, far, { columnsLineage: [mapping(near, ['a'], far, 'a')] }));
  await contracted(near, promising('b'));
  await contracted(far, promising('a'));
  const { affected } = await impact(a, '&column=a');
  assert.equal(
    affected.map(({ entity }: Answer) => entity.id),
    [far.id, near.id],
  );
});

test.run();
