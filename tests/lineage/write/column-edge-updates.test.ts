import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../../support/expect.ts';
import { uniqueName } from '../../support/service.ts';
import { suite } from '../../support/suite.ts';
import { column, detailsOf, feed, graphOf, type Made, mapping, openWorld, ref, type World } from '../fixture.ts';

/** Shows how edges follow renamed, removed and changed columns. */

const test = suite('lineage: edges of changed records');

let world: World;

test.before(async () => {
  world = await openWorld();
});

const pairs = async (from: Made, to: Made) =>
  (
    await world.service.graph.query(
      `MATCH (:Entity {id: $from})-[:HAS_COLUMN*]->(a:Column)-[d:DERIVES]->(b:Column)<-[:HAS_COLUMN*]-(:Entity {id: $to})
       RETURN a.name + ' ' + b.name AS pair ORDER BY pair`,
      { from: from.id, to: to.id },
    )
  ).map(({ pair }) => pair);

test('a renamed column has its new name in every edge, at any depth', async () => {
  const nested = [column('s', { dataType: 'STRUCT', children: [column('x')] }), column('b')];
  const [a, b, c] = [await world.table('a', nested), await world.table('b', nested), await world.table('c')];
  ok(await feed(world.admin, a, b, { columnsLineage: [mapping(a, ['s.x', 'b'], b, 's.x')] }));
  ok(await feed(world.admin, b, c, { columnsLineage: [mapping(b, ['s.x'], c, 'a'), mapping(b, ['b'], c, 'b')] }));
  ok(await world.admin.patch(`/v1/tables/${b.id}`, [{ op: 'replace', path: '/columns/0/name', value: 'wide' }]));
  assert.equal((await detailsOf(world.admin, a, b)).columnsLineage, [mapping(a, ['s.x', 'b'], b, 'wide.x')]);
  assert.equal((await detailsOf(world.admin, b, c)).columnsLineage, [
    mapping(b, ['wide.x'], c, 'a'),
    mapping(b, ['b'], c, 'b'),
  ]);
  assert.equal(await pairs(a, b), ['b x', 'x x']);
  assert.equal(await pairs(b, c), ['b b', 'x a']);
});

test('a removed column is dropped from its mappings, and empty mappings are removed', async () => {
  const [a, b] = [await world.table('a'), await world.table('b')];
  const mappings = [mapping(a, ['a', 'b'], b, 'a'), mapping(a, ['b'], b, 'b'), mapping(a, ['c'], b, 'c')];
  ok(await feed(world.admin, a, b, { sqlQuery: 'q', columnsLineage: mappings }));
  ok(await world.admin.patch(`/v1/tables/${a.id}`, [{ op: 'remove', path: '/columns/1' }]));
  assert.equal((await detailsOf(world.admin, a, b)).columnsLineage, [
    mapping(a, ['a'], b, 'a'),
    mapping(a, ['c'], b, 'c'),
  ]);
  ok(await world.admin.patch(`/v1/tables/${b.id}`, [{ op: 'remove', path: '/columns/2' }]));
  const edge = await detailsOf(world.admin, a, b);
  assert.equal([edge.columnsLineage, edge.sqlQuery], [[mapping(a, ['a'], b, 'a')], 'q']);
  assert.equal(await pairs(a, b), ['a a']);
});

test('other changes of a record leave the edges of its columns alone', async () => {
  const [a, b] = [await world.table('a'), await world.table('b')];
  const mappings = [mapping(a, ['a', 'b'], b, 'a')];
  ok(await feed(world.admin, a, b, { columnsLineage: mappings }));
  for (const { id } of [a, b]) {
    ok(await world.admin.patch(`/v1/tables/${id}`, { description: 'Merged' }));
    ok(await world.admin.patch(`/v1/tables/${id}`, [{ op: 'replace', path: '/description', value: 'Patched' }]));
    ok(await world.admin.patch(`/v1/tables/${id}`, [{ op: 'add', path: '/columns/0/description', value: 'Told' }]));
  }
  assert.equal((await detailsOf(world.admin, a, b)).columnsLineage, mappings);
  assert.equal(await pairs(a, b), ['a a', 'b a']);
});

test('a concurrent mapping and removal of one column leave no mapping to it', async () => {
  for (let round = 0; round < 8; round += 1) {
    const [a, b] = [await world.table('a'), await world.table('b')];
    const [put, patched] = await Promise.all([
      feed(world.admin, a, b, { columnsLineage: [mapping(a, ['a', 'b'], b, 'a')] }),
      world.admin.patch(`/v1/tables/${a.id}`, [{ op: 'remove', path: '/columns/1' }]),
    ]);
    ok(put);
    ok(patched);
    assert.equal((await detailsOf(world.admin, a, b)).columnsLineage, [mapping(a, ['a'], b, 'a')]);
    assert.equal(await pairs(a, b), ['a a']);
  }
});

test('a hard-deleted record loses its edges, and a soft-deleted one keeps them', async () => {
  const [a, b, c] = [await world.table('a'), await world.table('b'), await world.table('c')];
  ok(await feed(world.admin, a, b, { columnsLineage: [mapping(a, ['a'], b, 'a')] }));
  ok(await feed(world.admin, b, c));
  ok(await world.admin.delete(`/v1/tables/${b.id}`));
  const graph = await graphOf(world.admin, a);
  assert.equal(
    graph.nodes.map(({ id, deleted }: { id: string; deleted: boolean }) => [id, deleted]),
    [[b.id, true]],
  );
  expectRefused(await world.admin.get(`/v1/lineage/table/${b.id}`), 404);
  ok(await world.admin.delete(`/v1/tables/${b.id}?hardDelete=true`));
  assert.equal((await graphOf(world.admin, a)).nodes, []);
  assert.equal((await graphOf(world.admin, c)).upstreamEdges, []);
  const left = await world.service.graph.query(
    'MATCH (s:Assertion) WHERE s.fromId = $id OR s.toId = $id RETURN count(s) AS left',
    { id: b.id },
  );
  assert.is(left[0]?.['left'], 0);
});

test('an edge of a hard-deleted pipeline falls back to the assertion of another source', async () => {
  const service = await world.make('services/pipelineServices', {
    name: `${world.serviceFqn}_run`,
    serviceType: 'Airflow',
  });
  const [one, other] = [
    await world.make('pipelines', { name: 'one', service: service.fullyQualifiedName }),
    await world.make('pipelines', { name: 'other', service: service.fullyQualifiedName }),
  ];
  const [a, b] = [await world.table('a'), await world.table('b')];
  ok(await feed(world.admin, a, b, { pipeline: ref(other, 'pipeline') }));
  ok(await feed(world.admin, a, b, { pipeline: ref(one, 'pipeline'), source: 'QueryLineage' }));
  const carrier = async () => (await detailsOf(world.admin, a, b)).pipeline?.id;
  assert.is(await carrier(), one.id);
  const around = await graphOf(world.admin, one, '', 'pipeline');
  assert.equal(
    [around.upstreamEdges[0].fromEntity, around.upstreamEdges[0].toEntity, around.downstreamEdges[0].toEntity],
    [a.id, one.id, b.id],
  );
  ok(await world.admin.delete(`/v1/pipelines/${one.id}?hardDelete=true`));
  assert.is(await carrier(), other.id);
  ok(await world.admin.delete(`/v1/pipelines/${other.id}?hardDelete=true`));
  assert.is(await carrier(), undefined);
  assert.is((await graphOf(world.admin, a)).downstreamEdges.length, 1);
});

test('a chart stands for a column of its dashboard as long as the dashboard shows it', async () => {
  const service = await world.make('services/dashboardServices', {
    name: `${world.serviceFqn}_bi`,
    serviceType: 'Looker',
  });
  const chart = await world.make('charts', { name: 'sales.by.day', service: service.fullyQualifiedName });
  const body = { name: 'board', service: service.fullyQualifiedName, charts: [chart.fullyQualifiedName] };
  const board = await world.make('dashboards', body);
  const table = await world.table('t');
  const mapped = [mapping(table, ['a'], board, '"sales.by.day"'), mapping(table, ['b'], board, 'nothing')];
  const put = await world.admin.put('/v1/lineage', {
    edge: {
      fromEntity: ref(table),
      toEntity: ref(board, 'dashboard'),
      lineageDetails: { columnsLineage: mapped },
    },
  });
  assert.equal(ok(put).downstreamEdges[0].lineageDetails.columnsLineage, [mapped[0]]);
  const [joined] = await world.service.graph.query(
    'MATCH (:Column)-[d:DERIVES]->(c:Chart {id: $id}) RETURN count(d) AS count',
    { id: chart.id },
  );
  assert.is(joined?.['count'], 1);
  ok(await world.admin.put('/v1/dashboards', { ...body, charts: [] }));
  assert.equal((await detailsOf(world.admin, table, board)).columnsLineage, []);
});

test('mappings to the columns of a hard-deleted chart are removed', async () => {
  const service = await world.make('services/dashboardServices', { name: uniqueName('bi'), serviceType: 'Looker' });
  const [one, two] = await Promise.all(
    ['one', 'two.of.them'].map((name) => world.make('charts', { name, service: service.fullyQualifiedName })),
  );
  if (!one || !two) throw new Error('there are two charts');
  const charts = [one.fullyQualifiedName, two.fullyQualifiedName];
  const board = await world.make('dashboards', { name: 'board', service: service.fullyQualifiedName, charts });
  const other = await world.service.admin.post('/v1/services/dashboardServices', {
    name: uniqueName('bi'),
    serviceType: 'Looker',
  });
  const shared = await world.make('dashboards', { name: 'shared', service: other.json.fullyQualifiedName, charts });
  const table = await world.table('t');
  const put = async (from: object, to: object, columnsLineage: readonly object[]) => {
    const edge = { fromEntity: from, toEntity: to, lineageDetails: { columnsLineage } };
    ok(await world.admin.put('/v1/lineage', { edge }));
  };
  const [asBoard, asShared] = [ref(board, 'dashboard'), ref(shared, 'dashboard')];
  await put(ref(table), asBoard, [mapping(table, ['a'], board, 'one'), mapping(table, ['b'], board, '"two.of.them"')]);
  await put(asBoard, asShared, [
    mapping(board, ['one', '"two.of.them"'], shared, '"two.of.them"'),
    mapping(board, ['"two.of.them"'], shared, 'one'),
  ]);
  ok(await world.admin.delete(`/v1/charts/${one.id}?hardDelete=true`));
  assert.equal((await detailsOf(world.admin, table, board)).columnsLineage, [
    mapping(table, ['b'], board, '"two.of.them"'),
  ]);
  assert.equal((await detailsOf(world.admin, board, shared)).columnsLineage, [
    mapping(board, ['"two.of.them"'], shared, '"two.of.them"'),
  ]);
  ok(await world.admin.delete(`/v1/services/dashboardServices/${service.id}?hardDelete=true&recursive=true`));
  assert.equal((await graphOf(world.admin, table)).downstreamEdges, []);
  const left = ok(await world.admin.get(`/v1/lineage/dashboard/${shared.id}`));
  assert.equal([left.nodes, left.upstreamEdges], [[], []]);
});

test.run();
