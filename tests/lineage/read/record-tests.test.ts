import * as assert from 'uvu/assert';
import { expectRef, expectRefused, ok } from '../../support/expect.ts';
import { CASES } from '../../support/quality-tests.ts';
import { createRightsFactory, type RightsFactory } from '../../support/rights.ts';
import type { Client } from '../../support/service.ts';
import { suite } from '../../support/suite.ts';
import { feed, type Made, mapping, openWorld, type World } from '../fixture.ts';
import { chain, tablesOf } from './graph/fixture.ts';
import { qualityOf, shownIn, tested } from './record-tests-fixture.ts';

/** Shows the test status of records in lineage graphs and impacts. */

const test = suite('lineage: test status');

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

// biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it, not the compiler.
type Answer = any;

const statuses = async (root: Made, client: Client = world.admin): Promise<ReadonlyMap<string, string>> => {
  const { nodes } = ok(await client.get(`/v1/lineage/graph?id=${root.id}&upstreamDepth=5&downstreamDepth=5`));
  return new Map(nodes.map(({ id, testStatus }: Answer) => [id, testStatus]));
};

test('a node has the worst status of its tests', async () => {
  const { a, b, c, d } = await tablesOf(world, 'a', 'b', 'c', 'd');
  await chain(world.admin, a, b, c, d);
  await tested(world, a, 'Success');
  await tested(world, a, 'Failed', 'b');
  await tested(world, b, 'Success');
  await tested(world, b, 'Queued', 'a');
  await tested(world, c);
  assert.equal(
    await statuses(b),
    new Map([
      [a.id, 'Failed'],
      [b.id, 'Queued'],
      [c.id, undefined],
      [d.id, undefined],
    ]),
  );
});

test('a status is returned only to callers who may see its test cases', async () => {
  const { a, b } = await tablesOf(world, 'a', 'b');
  await chain(world.admin, a, b);
  const failed = await tested(world, a, 'Failed', 'b');
  await tested(world, a, 'Success');
  const blind = await rights.person([{ effect: 'deny', operations: ['ViewAll'], resources: ['testCase'] }]);
  assert.is((await statuses(b, blind)).get(a.id), undefined);
  const owner = await rights.person();
  ok(
    await world.admin.patch(`${CASES}/${failed.id}`, [
      { op: 'add', path: '/owners', value: [{ id: owner.id, type: 'user' }] },
    ]),
  );
  const aside = await rights.person([
    { effect: 'deny', operations: ['ViewAll'], resources: ['testCase'], condition: '!noOwner()' },
  ]);
  assert.is((await statuses(b, aside)).get(a.id), 'Success', 'of the one that is left');
});

test('an impact lists the tests of the affected columns and of the whole record', async () => {
  const { a, b, c } = await tablesOf(world, 'a', 'b', 'c');
  ok(await feed(world.admin, a, b, { columnsLineage: [mapping(a, ['a'], b, 'b')] }));
  ok(await feed(world.admin, b, c));
  const [whole, touched, other, far] = [
    await tested(world, b, 'Success'),
    await tested(world, b, undefined, 'b'),
    await tested(world, b, 'Failed', 'c'),
    await tested(world, c, undefined, 'a'),
  ];
  const { affected, summary } = ok(await world.admin.get(`/v1/lineage/impact?id=${a.id}&column=a&change=drop`));
  const named = new Map(
    affected.map(({ entity, tests }: Answer) => [entity.id, tests.map(({ id }: Made) => id).sort()]),
  );
  assert.equal(named.get(b.id), [whole.id, touched.id].sort());
  assert.not.ok((named.get(b.id) as string[]).includes(other.id));
  assert.equal(named.get(c.id), [far.id], 'nobody says which of its columns are affected, so all may be');
  assert.is(summary.tests, 3);
  for (const one of affected.flatMap(({ tests }: Answer) => tests)) expectRef(one);
});

test('upstream failures are shown with their paths to a record, and nothing else', async () => {
  const { a, b, c, well, root } = await tablesOf(world, 'a', 'b', 'c', 'well', 'root');
  await chain(world.admin, a, b, root);
  await chain(world.admin, c, b);
  await chain(world.admin, well, root);
  await tested(world, a, 'Failed', 'a');
  await tested(world, well, 'Success');
  await tested(world, c, 'Aborted');
  const shown = async (query = '') => shownIn(ok(await qualityOf(world.admin, root, query)));
  assert.equal(await shown(), { nodes: [], edges: [] }, 'one step up all is well');
  const answer = ok(await qualityOf(world.admin, root, 'upstreamDepth=3'));
  assert.equal(shownIn(answer), {
    nodes: [a.id],
    edges: [
      [a.id, b.id],
      [b.id, root.id],
    ].sort(),
  });
  assert.is(answer.nodes[0].fullyQualifiedName, a.fullyQualifiedName);
  assert.is(answer.nodes[0].upstreamLineage, undefined);
  assert.is(answer.edges[0].docUniqueId.includes('--->'), true);
  const filter = encodeURIComponent(JSON.stringify({ query: { term: { 'name.keyword': c.name } } }));
  assert.equal(await shown(`upstreamDepth=3&query_filter=${filter}`), { nodes: [], edges: [] });
  expectRefused(await world.admin.get('/v1/lineage/getDataQualityLineage'), 400);
  expectRefused(await world.admin.get('/v1/lineage/getDataQualityLineage?fqn=no.such.table.here'), 404);
  expectRefused(
    await world.admin.get(`/v1/lineage/getDataQualityLineage?fqn=${root.fullyQualifiedName}&upstreamDepth=11`),
    400,
  );
});

test.run();
