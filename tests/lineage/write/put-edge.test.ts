import * as assert from 'uvu/assert';
import { expectRef, expectRefused, ok } from '../../support/expect.ts';
import { strayId } from '../../support/samples.ts';
import { suite } from '../../support/suite.ts';
import {
  column,
  detailsOf,
  edgeBody,
  feed,
  graphOf,
  type Made,
  mapping,
  openWorld,
  ref,
  type World,
} from '../fixture.ts';

/** Shows how edges are created and replaced by PUT. */

const test = suite('lineage: PUT');

let world: World;
let pipeline: Made;

test.before(async () => {
  world = await openWorld();
  const service = await world.make('services/pipelineServices', {
    name: `${world.serviceFqn}_etl`,
    serviceType: 'Airflow',
  });
  pipeline = await world.make('pipelines', { name: 'nightly', service: service.fullyQualifiedName });
});

test('PUT returns the graph of the source with one step each way and exactly the members of the contract', async () => {
  const [up, a, b] = await Promise.all([world.table('up'), world.table('a'), world.table('b')]);
  ok(await feed(world.admin, up, a));
  const before = Date.now();
  const answer = ok(
    await world.admin.put('/v1/lineage', {
      edge: {
        fromEntity: ref(a),
        toEntity: ref(b),
        description: 'every night',
        lineageDetails: {
          sqlQuery: 'insert into b select a from a',
          columnsLineage: [mapping(a, ['a'], b, 'b')],
          pipeline: ref(pipeline, 'pipeline'),
        },
      },
    }),
  );
  assert.equal(Object.keys(answer), ['entity', 'nodes', 'upstreamEdges', 'downstreamEdges']);
  expectRef(answer.entity);
  assert.is(answer.entity.id, a.id);
  for (const node of answer.nodes) expectRef(node);
  assert.equal(
    answer.nodes.map(({ id }: Made) => id),
    [up.id, b.id],
  );
  assert.is(answer.upstreamEdges.length, 1);
  const [edge] = answer.downstreamEdges;
  const { createdAt, updatedAt, pipeline: carrier, ...details } = edge.lineageDetails;
  assert.equal([edge.fromEntity, edge.toEntity, edge.description], [a.id, b.id, 'every night']);
  assert.equal(details, {
    sqlQuery: 'insert into b select a from a',
    columnsLineage: [mapping(a, ['a'], b, 'b')],
    description: 'every night',
    source: 'Manual',
    createdBy: 'admin',
    updatedBy: 'admin',
  });
  expectRef(carrier);
  assert.is(carrier.id, pipeline.id);
  assert.ok(createdAt >= before && createdAt === updatedAt);
});

test('a second PUT replaces the assertion of its source, and repeating it changes nothing', async () => {
  const [a, b] = await Promise.all([world.table('a'), world.table('b')]);
  ok(await feed(world.admin, a, b, { sqlQuery: 'one', description: 'x' }));
  const first = await detailsOf(world.admin, a, b);
  ok(await feed(world.admin, a, b, { columnsLineage: [mapping(a, ['a', 'a', 'b'], b, 'c', { function: 'concat' })] }));
  const second = await detailsOf(world.admin, a, b);
  assert.equal([second.sqlQuery, second.description, second.createdAt], [undefined, undefined, first.createdAt]);
  assert.equal(second.columnsLineage, [mapping(a, ['a', 'b'], b, 'c', { function: 'concat' })]);
  ok(await feed(world.admin, a, b, { columnsLineage: [mapping(a, ['a', 'b'], b, 'c', { function: 'concat' })] }));
  assert.equal(await detailsOf(world.admin, a, b), second);
  const [counted] = await world.service.graph.query(
    'MATCH (:Entity {id: $a})-[e:FEEDS]->(:Entity {id: $b}) MATCH (s:Assertion {edgeId: e.id}) RETURN e.revision AS revision, count(s) AS said',
    { a: a.id, b: b.id },
  );
  assert.equal(counted, { revision: 2, said: 2 });
});

test('assertions of other sources stay, and the edge merges all of them', async () => {
  const [a, b] = await Promise.all([world.table('a'), world.table('b')]);
  ok(await feed(world.admin, a, b, { sqlQuery: 'by hand', columnsLineage: [mapping(a, ['a'], b, 'a')] }));
  ok(
    await feed(world.admin, a, b, {
      source: 'QueryLineage',
      description: 'from the log',
      columnsLineage: [mapping(a, ['b'], b, 'b'), mapping(a, ['a'], b, 'a')],
    }),
  );
  const edge = await detailsOf(world.admin, a, b);
  assert.equal([edge.source, edge.sqlQuery, edge.description], ['QueryLineage', 'by hand', 'from the log']);
  assert.equal(edge.columnsLineage, [mapping(a, ['a'], b, 'a'), mapping(a, ['b'], b, 'b')]);
  const graph = await graphOf(world.admin, a);
  assert.is(graph.downstreamEdges.length, 1);
});

test('unknown columns are ignored, or refused on request', async () => {
  const [a, b] = await Promise.all([
    world.table('a', [column('s', { dataType: 'STRUCT', children: [column('x.y')] })]),
    world.table('b'),
  ]);
  const asked = {
    columnsLineage: [
      mapping(a, ['nope', 's."x.y"'], b, 'a'),
      mapping(a, ['s'], b, 'nope'),
      mapping(a, ['nope'], b, 'b'),
      { fromColumns: ['somewhere.else.x'], toColumn: `${b.fullyQualifiedName}.a` },
    ],
  };
  ok(await feed(world.admin, a, b, asked));
  assert.equal((await detailsOf(world.admin, a, b)).columnsLineage, [mapping(a, ['s."x.y"'], b, 'a')]);
  const strict = await world.admin.put('/v1/lineage?strictColumns=true', edgeBody(a, b, asked));
  expectRefused(strict, 400, /Unknown columns: .*nope/);
});

test('endpoints are named, with or without details', async () => {
  const [a, b] = await Promise.all([world.table('a.b'), world.table('b')]);
  const path = `/v1/lineage/table/name/${encodeURIComponent(a.fullyQualifiedName)}/table/name/${encodeURIComponent(b.fullyQualifiedName)}`;
  const answer = await world.admin.put(path, {});
  assert.equal([answer.status, answer.text], [200, '']);
  ok(await world.admin.put(path, { sqlQuery: 'x', unheardOf: 1 }));
  const named = `/v1/lineage/getLineageEdge${path.slice('/v1/lineage'.length)}`;
  assert.is(ok(await world.admin.get(named)).edge.sqlQuery, 'x');
});

test('PUT returns as much as the caller prefers', async () => {
  const [up, a, b, c] = await Promise.all(['up', 'a', 'b', 'c'].map((name) => world.table(name)));
  if (!up || !a || !b || !c) throw new Error('a table is missing');
  ok(await feed(world.admin, up, a));
  ok(await feed(world.admin, a, c));
  const named = `/v1/lineage/table/name/${encodeURIComponent(a.fullyQualifiedName)}/table/name/${encodeURIComponent(b.fullyQualifiedName)}`;
  const whole = ok(await world.admin.put('/v1/lineage', edgeBody(a, b)));
  assert.equal([whole.nodes.length, whole.upstreamEdges.length, whole.downstreamEdges.length], [3, 1, 2]);
  const alone = {
    entity: whole.entity,
    nodes: whole.nodes.filter(({ id }: Made) => id === b.id),
    upstreamEdges: [],
    downstreamEdges: whole.downstreamEdges.filter(({ toEntity }: { toEntity: string }) => toEntity === b.id),
  };
  for (const put of [
    (prefer: string) => world.admin.put('/v1/lineage', edgeBody(a, b), { prefer }),
    (prefer: string) => world.admin.put(named, {}, { prefer }),
  ]) {
    for (const [prefer, expected, applied] of [
      ['return=minimal', alone, 'return=minimal'],
      ['wait=5, Return="minimal"; x=1, return=representation', alone, 'return=minimal'],
      ['return=representation', whole, 'return=representation'],
    ] as const) {
      const reply = await put(prefer);
      assert.equal(ok(reply), expected, prefer);
      assert.is(reply.headers.get('preference-applied'), applied);
    }
    assert.is((await put('respond-async, return=everything')).headers.get('preference-applied'), null);
  }
  const [d] = [await world.table('d')];
  const minimal = { prefer: 'return=minimal' };
  const planned = ok(await world.admin.put('/v1/lineage?dryRun=true', edgeBody(a, d), minimal));
  assert.equal([planned.entity.id, planned.nodes, planned.downstreamEdges], [a.id, [], []]);
});

test('an invalid edge is refused with a reason and changes nothing', async () => {
  const [a, b] = await Promise.all([world.table('a'), world.table('b')]);
  const body = edgeBody(a, b);
  const put = (edge: unknown) => world.admin.put('/v1/lineage', edge);
  expectRefused(await put({ ...body, more: 1 }), 400, /more is not a known property/);
  expectRefused(await put({ edge: { ...body.edge, more: 1 } }), 400, /more is not a known property/);
  expectRefused(await put({}), 400, /edge must not be null/);
  expectRefused(await put({ edge: { ...body.edge, toEntity: { id: 'x', type: 'table' } } }), 400, /UUID/);
  expectRefused(await put({ edge: { ...body.edge, toEntity: { id: b.id, type: 'tabel' } } }), 400, /tabel/);
  expectRefused(await put({ edge: { ...body.edge, toEntity: { id: strayId(), type: 'table' } } }), 404);
  expectRefused(await put({ edge: { ...body.edge, toEntity: { id: b.id, type: 'topic' } } }), 404);
  expectRefused(await put(edgeBody(a, a)), 400, /upstream of itself/);
  expectRefused(await put(edgeBody(a, b, { source: 'Guess' })), 400, /source/);
  expectRefused(await put(edgeBody(a, b, { pipeline: { id: strayId(), type: 'pipeline' } })), 404);
  expectRefused(
    await put(edgeBody(a, b, { pipeline: ref(a) })),
    400,
    '[pipeline must be a pipeline or storedProcedure, not a table]',
  );
  expectRefused(await put(edgeBody(a, b, { pipeline: ref(a, 'pipeline') })), 404);
  expectRefused(await put(edgeBody(a, b, { columnsLineage: [{ fromColumns: [], toColumn: 'x' }] })), 400);
  expectRefused(await put(edgeBody(a, b, { columnsLineage: [{ toColumn: 'x' }] })), 400);
  expectRefused(await world.admin.get(`/v1/lineage/getLineageEdge/${a.id}/${b.id}`), 404, 'Lineage edge not found');
  assert.equal((await graphOf(world.admin, a)).downstreamEdges, []);
});

test('concurrent PUTs leave one edge with the last assertion of each source', async () => {
  const [a, b] = await Promise.all([world.table('a'), world.table('b')]);
  const sources = ['Manual', 'QueryLineage', 'DbtLineage', 'OpenLineage'];
  const sourceOf = (at: number) => sources[at % sources.length] ?? '';
  const replies = await Promise.all(
    Array.from({ length: 40 }, (_, at) => feed(world.admin, a, b, { sqlQuery: `q${at}`, source: sourceOf(at) })),
  );
  for (const reply of replies) ok(reply);
  const rows = await world.service.graph.query(
    `MATCH (:Entity {id: $a})-[e:FEEDS]->(:Entity {id: $b}) MATCH (s:Assertion {edgeId: e.id}) WHERE s.until IS NULL
     RETURN e.id AS id, e.revision AS revision, s.source AS source, s.contentJson AS contentJson, s.order AS order ORDER BY order`,
    { a: a.id, b: b.id },
  );
  assert.is(new Set(rows.map(({ id }) => id)).size, 1);
  assert.equal(rows.map(({ source }) => source).sort(), [...sources].sort());
  const sqlOf = (row: (typeof rows)[number] | undefined): string => JSON.parse(String(row?.['contentJson'])).sqlQuery;
  for (const row of rows) assert.is(sourceOf(Number(sqlOf(row).slice(1))), row['source']);
  // Requests made at the same time are applied in any order, but each of them counts and the last one is seen.
  const last = rows.at(-1);
  assert.is(Number(last?.['order']), 40);
  assert.is(Number(last?.['revision']), 40);
  assert.is((await detailsOf(world.admin, a, b)).sqlQuery, sqlOf(last));
});

test.run();
