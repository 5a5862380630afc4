import * as assert from 'uvu/assert';
import { isRef, ok, refused } from '../support/expect.ts';
import { createRightsMaker, type RightsMaker } from '../support/rights.ts';
import { type Client, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { CASES, linkTo } from '../support/testing.ts';
import { feed, type Made, mapping, openWorld, type World } from './fixture.ts';
import { chain, tablesOf } from './graph-fixture.ts';

const test = suite('lineage: tests of data');

let world: World;
let rights: RightsMaker;

test.before(async () => {
  world = await openWorld();
  rights = createRightsMaker(world.service);
});

test.after(() => rights.clear());

// biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it, not the compiler.
type Answer = any;

/** A test of a table, or of a column of it, that went so the last time. */
const tested = async (table: Made, status?: string, column?: string): Promise<Answer> => {
  const body = {
    name: uniqueName('check'),
    entityLink: linkTo(table, column),
    ...(column === undefined
      ? { testDefinition: 'tableRowCountToEqual', parameterValues: [{ name: 'value', value: '1' }] }
      : { testDefinition: 'columnValuesToBeNotNull' }),
  };
  const made = ok(await world.admin.post(CASES, body), 201);
  if (status === undefined) return made;
  const path = `${CASES}/testCaseResults/${encodeURIComponent(made.fullyQualifiedName)}`;
  ok(await world.admin.post(path, { timestamp: 1_763_700_000_000, testCaseStatus: status }), 201);
  return made;
};

const statuses = async (root: Made, client: Client = world.admin): Promise<ReadonlyMap<string, string>> => {
  const { nodes } = ok(await client.get(`/v1/lineage/graph?id=${root.id}&upstreamDepth=5&downstreamDepth=5`));
  return new Map(nodes.map(({ id, testStatus }: Answer) => [id, testStatus]));
};

const qualityOf = async ({ fullyQualifiedName }: Made, query = '', client: Client = world.admin): Promise<Answer> =>
  ok(
    await client.get(
      `/v1/lineage/getDataQualityLineage?fqn=${encodeURIComponent(fullyQualifiedName)}&type=table${query}`,
    ),
  );

test('a graph tells of each record how the worst of its tests went', async () => {
  const { a, b, c, d } = await tablesOf(world, 'a', 'b', 'c', 'd');
  await chain(world.admin, a, b, c, d);
  await tested(a, 'Success');
  await tested(a, 'Failed', 'b');
  await tested(b, 'Success');
  await tested(b, 'Queued', 'a');
  await tested(c);
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

test('a state is told only to those who may see the tests that it comes from', async () => {
  const { a, b } = await tablesOf(world, 'a', 'b');
  await chain(world.admin, a, b);
  const failed = await tested(a, 'Failed', 'b');
  await tested(a, 'Success');
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

test('an impact names the tests of what is affected: of the columns that are, and of the record as a whole', async () => {
  const { a, b, c } = await tablesOf(world, 'a', 'b', 'c');
  ok(await feed(world.admin, a, b, { columnsLineage: [mapping(a, ['a'], b, 'b')] }));
  ok(await feed(world.admin, b, c));
  const [whole, touched, other, far] = [
    await tested(b, 'Success'),
    await tested(b, undefined, 'b'),
    await tested(b, 'Failed', 'c'),
    await tested(c, undefined, 'a'),
  ];
  const { affected, summary } = ok(await world.admin.get(`/v1/lineage/impact?id=${a.id}&column=a&change=drop`));
  const named = new Map(
    affected.map(({ entity, tests }: Answer) => [entity.id, tests.map(({ id }: Made) => id).sort()]),
  );
  assert.equal(named.get(b.id), [whole.id, touched.id].sort());
  assert.not.ok((named.get(b.id) as string[]).includes(other.id));
  assert.equal(named.get(c.id), [far.id], 'nobody says which of its columns are affected, so all may be');
  assert.is(summary.tests, 3);
  for (const one of affected.flatMap(({ tests }: Answer) => tests)) isRef(one);
});

test('what is wrong upstream is shown with its ways to a record, and nothing else', async () => {
  const { a, b, c, well, root } = await tablesOf(world, 'a', 'b', 'c', 'well', 'root');
  await chain(world.admin, a, b, root);
  await chain(world.admin, c, b);
  await chain(world.admin, well, root);
  await tested(a, 'Failed', 'a');
  await tested(well, 'Success');
  await tested(c, 'Aborted');
  const names = ({ nodes, edges }: Answer) => ({
    nodes: nodes.map(({ id }: Made) => id),
    edges: edges.map(({ fromEntity, toEntity }: Answer) => [fromEntity.id, toEntity.id]).sort(),
  });
  assert.equal(names(await qualityOf(root)), { nodes: [], edges: [] }, 'one step up all is well');
  const answer = await qualityOf(root, '&upstreamDepth=3');
  assert.equal(names(answer), {
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
  assert.equal(names(await qualityOf(root, `&upstreamDepth=3&query_filter=${filter}`)), { nodes: [], edges: [] });
  refused(await world.admin.get('/v1/lineage/getDataQualityLineage'), 400);
  refused(await world.admin.get('/v1/lineage/getDataQualityLineage?fqn=no.such.table.here'), 404);
  refused(
    await world.admin.get(`/v1/lineage/getDataQualityLineage?fqn=${root.fullyQualifiedName}&upstreamDepth=11`),
    400,
  );
});

test.run();
