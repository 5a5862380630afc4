import * as assert from 'uvu/assert';
import { fqnHash } from '../../../../src/model/checksum.ts';
import { expectRefused, ok } from '../../../support/expect.ts';
import { moment } from '../../../support/patience.ts';
import { createRightsFactory, type Person } from '../../../support/rights.ts';
import { strayId } from '../../../support/samples.ts';
import { openSecondProcessWith } from '../../../support/second-process.ts';
import { type Client, uniqueName } from '../../../support/service.ts';
import { suite } from '../../../support/suite.ts';
import { column, feed, type Made, mapping, openWorld, ref, type World } from '../../fixture.ts';
import { address, depths, depthsOf, docId } from './fixture.ts';

/** Shows lineage maps: their documents, edges, depths and directions. */

const test = suite('lineage: maps');

let world: World;
let pipeline: Made;
/** Sees everything but what is sensitive. */
let shielded: Person;

test.before(async () => {
  world = await openWorld();
  const service = await world.make('services/pipelineServices', {
    name: `${world.serviceFqn}_etl`,
    serviceType: 'Airflow',
  });
  pipeline = await world.make('pipelines', { name: 'nightly', service: service.fullyQualifiedName });
  shielded = await createRightsFactory(world.service).person([
    { effect: 'deny', operations: ['All'], resources: ['all'], condition: "matchAnyTag('PII.Sensitive')" },
  ]);
});

const SENSITIVE = { tagFQN: 'PII.Sensitive', source: 'Classification', labelType: 'Manual', state: 'Confirmed' };

const hide = async ({ id }: Made): Promise<void> => {
  ok(await world.admin.patch(`/v1/tables/${id}`, [{ op: 'add', path: '/tags/-', value: SENSITIVE }]));
};

const mapOf = async (root: Made, query = '', client: Client = world.admin, operation = 'getLineage') =>
  ok(await client.get(address(operation, root, query)));

const namesOf = (records: readonly Made[]): string[] => records.map((one) => one.fullyQualifiedName);

/** Tables of which each feeds the next. */
const chain = async (length: number, name = 'c'): Promise<Made[]> => {
  const tables = await Promise.all(Array.from({ length }, (_, at) => world.table(`${name}${at}_`)));
  await Promise.all(
    tables.slice(1).map(async (to, at) => {
      const from = tables[at];
      if (from) ok(await feed(world.admin, from, to));
    }),
  );
  return tables;
};

const four = async () => {
  const [a, b, c, d] = await chain(4);
  if (!a || !b || !c || !d) throw new Error('a chain of four has four links');
  return [a, b, c, d] as const;
};

test('nodes are search documents with their neighbours, and edges have exactly the members of the contract', async () => {
  const [up, a, b] = await Promise.all([world.table('up'), world.table('a'), world.table('b')]);
  ok(await feed(world.admin, up, a, { sqlQuery: 'select 1' }));
  const columnsLineage = [mapping(a, ['a', 'b'], b, 'c', { function: 'concat' })];
  ok(
    await feed(world.admin, a, b, {
      source: 'DbtLineage',
      description: 'nightly',
      columnsLineage,
      pipeline: ref(pipeline, 'pipeline'),
      tempLineageTables: [{ fromEntity: 'x', toEntity: 'y' }],
    }),
  );
  const map = await mapOf(a);
  assert.equal(Object.keys(map).sort(), ['downstreamEdges', 'nodes', 'upstreamEdges']);
  assert.equal(Object.keys(map.nodes).sort(), namesOf([up, a, b]).sort());
  const node = map.nodes[a.fullyQualifiedName];
  assert.equal(Object.keys(node).sort(), ['entity', 'nodeDepth', 'paging']);
  assert.equal(node.paging, { entityUpstreamCount: 1, entityDownstreamCount: 1 });
  assert.equal([node.entity.id, node.entity.entityType, node.entity.serviceType], [a.id, 'table', 'Snowflake']);
  assert.equal(node.entity.columnNames, ['a', 'b', 'c']);
  assert.match(node.entity.service.href, /^https?:.*\/v1\/services\/databaseServices\//);
  assert.equal(Object.keys(map.upstreamEdges), [docId(up, a)]);
  const through = `${a.fullyQualifiedName}--->pipeline:${pipeline.id}--->${b.fullyQualifiedName}`;
  assert.equal(Object.keys(map.downstreamEdges), [through]);
  const { pipeline: carrier, createdAt, updatedAt, ...edge } = map.downstreamEdges[through];
  const end = (made: Made) => ({
    id: made.id,
    type: 'table',
    fullyQualifiedName: made.fullyQualifiedName,
    fqnHash: fqnHash(made.fullyQualifiedName),
  });
  assert.equal(edge, {
    fromEntity: end(a),
    toEntity: end(b),
    pipelineEntityType: 'pipeline',
    columns: columnsLineage,
    description: 'nightly',
    source: 'DbtLineage',
    createdBy: 'admin',
    updatedBy: 'admin',
    tempLineageTables: [{ fromEntity: 'x', toEntity: 'y' }],
    docId: through,
    docUniqueId: `${a.id}--->${b.id}`,
  });
  assert.match(edge.fromEntity.fqnHash, /^[0-9a-f]{32}(\.[0-9a-f]{32}){3}$/);
  assert.equal([carrier.id, carrier.name, carrier.service.type], [pipeline.id, 'nightly', 'pipelineService']);
  assert.ok(createdAt > 0 && createdAt === updatedAt);
  const bare = map.upstreamEdges[docId(up, a)];
  assert.equal([bare.sqlQuery, bare.columns, 'pipeline' in bare], ['select 1', [], false]);
});

test('the depth is as requested, three steps by default', async () => {
  const [a, b, c, d] = await four();
  const [e] = await Promise.all([world.table('e')]);
  ok(await feed(world.admin, d, e));
  assert.equal(depthsOf(await mapOf(a)), depths([a, 0], [b, 1], [c, 2], [d, 3]));
  assert.equal(depthsOf(await mapOf(a, 'downstreamDepth=4')), depths([a, 0], [b, 1], [c, 2], [d, 3], [e, 4]));
  const middle = await mapOf(c, 'upstreamDepth=1&downstreamDepth=0');
  assert.equal(depthsOf(middle), depths([c, 0], [b, 1]));
  assert.equal([Object.keys(middle.upstreamEdges), middle.downstreamEdges], [[docId(b, c)], {}]);
  assert.equal(middle.nodes[c.fullyQualifiedName].paging, { entityUpstreamCount: 1, entityDownstreamCount: 1 });
});

test('each direction has its own route', async () => {
  const [a, b, c, d] = await four();
  const up = await mapOf(c, '', world.admin, 'getLineage/Upstream');
  assert.equal(depthsOf(up), depths([c, 0], [b, 1], [a, 2]));
  assert.equal(up.downstreamEdges, {});
  const down = await mapOf(b, 'downstreamDepth=1&upstreamDepth=2', world.admin, 'getLineage/Downstream');
  assert.equal(depthsOf(down), depths([b, 0], [c, 1]));
  assert.equal(Object.keys(down.downstreamEdges), [docId(b, c)]);
  expectRefused(await world.admin.get(address('getLineage/Sideways', d)), 400, /direction/);
});

test('a cycle contains every node and every edge once', async () => {
  const [a, b, c] = await four();
  ok(await feed(world.admin, c, a));
  const map = await mapOf(a, 'upstreamDepth=5&downstreamDepth=5');
  assert.is(map.nodes[a.fullyQualifiedName].nodeDepth, 0);
  assert.is(map.nodes[c.fullyQualifiedName].nodeDepth, 1);
  const edges = [...Object.keys(map.upstreamEdges), ...Object.keys(map.downstreamEdges)];
  assert.is(new Set(edges).size, edges.length);
  for (const edge of [docId(a, b), docId(b, c), docId(c, a)]) assert.ok(edges.includes(edge), edge);
  assert.ok(docId(c, a) in map.upstreamEdges);
});

test('each layer is paged, and only shown nodes are expanded', async () => {
  const [root, x, y, z, behindX, behindZ] = await Promise.all(
    ['root', 'x', 'y', 'z', 'bx', 'bz'].map((name) => world.table(name)),
  );
  if (!root || !x || !y || !z || !behindX || !behindZ) throw new Error('there are six');
  for (const to of [x, y, z]) ok(await feed(world.admin, root, to));
  ok(await feed(world.admin, x, behindX));
  ok(await feed(world.admin, z, behindZ));
  const first = await mapOf(root, 'size=1');
  assert.equal(depthsOf(first), depths([root, 0], [x, 1], [behindX, 2]));
  assert.is(first.nodes[root.fullyQualifiedName].paging.entityDownstreamCount, 3);
  const rest = await mapOf(root, 'from=1&size=5&downstreamDepth=1');
  assert.equal(depthsOf(rest), depths([root, 0], [y, 1], [z, 1]));
  assert.equal(Object.keys(rest.downstreamEdges).sort(), [docId(root, y), docId(root, z)].sort());
});

test('a filter keeps the matching records, with or without the paths to them', async () => {
  const [a, b, c, d] = await four();
  const filter = encodeURIComponent(
    JSON.stringify({ query: { bool: { must: [{ term: { 'name.keyword': c.name } }] } } }),
  );
  const kept = await mapOf(a, `query_filter=${filter}`);
  assert.equal(depthsOf(kept), depths([a, 0], [b, 1], [c, 2]));
  assert.equal(Object.keys(kept.downstreamEdges), [docId(a, b), docId(b, c)]);
  const bare = await mapOf(a, `query_filter=${filter}&preservePaths=false`);
  assert.equal(depthsOf(bare), depths([a, 0], [c, 2]));
  assert.equal(bare.downstreamEdges, {});
  const words = encodeURIComponent(`name:${c.name} OR name:${d.name}`);
  const both = await mapOf(a, `query_filter=${words}&preservePaths=false`);
  assert.equal(depthsOf(both), depths([a, 0], [c, 2], [d, 3]));
  assert.equal(Object.keys(both.downstreamEdges), [docId(c, d)]);
  const nothing = await mapOf(a, `query_filter=${encodeURIComponent('{"match_none": {}}')}`);
  assert.equal(depthsOf(nothing), depths([a, 0]));
  expectRefused(await world.admin.get(address('getLineage', a, 'query_filter=%7B"bool"')), 400, /query_filter/);
  expectRefused(await world.admin.get(address('getLineage', a, 'query_filter=%7B"mayhap":%7B%7D%7D')), 400, /mayhap/);
});

test('column_filter returns the lineage of the named columns', async () => {
  const [a, b, c] = await Promise.all([
    world.table('a'),
    world.table('b', [column('a'), column('Sum', { dataType: 'STRUCT', children: [column('net')] })]),
    world.table('c'),
  ]);
  ok(await feed(world.admin, a, b, { columnsLineage: [mapping(a, ['b'], b, 'Sum.net')] }));
  ok(await feed(world.admin, b, c, { columnsLineage: [mapping(b, ['a'], c, 'c')] }));
  const of = async (columns: string, more = '') =>
    depthsOf(await mapOf(a, `column_filter=${encodeURIComponent(columns)}${more}`));
  assert.equal(await of('NET'), depths([a, 0], [b, 1]));
  assert.equal(await of('sum.net'), depths([a, 0], [b, 1]));
  assert.equal(await of(`${c.fullyQualifiedName}.c`), depths([a, 0], [b, 1], [c, 2]));
  assert.equal(await of('unheard, c'), depths([a, 0], [b, 1], [c, 2]));
  assert.equal(await of('unheard'), depths([a, 0]));
  const bare = await mapOf(a, 'column_filter=c&preservePaths=false');
  assert.equal(Object.keys(bare.downstreamEdges), [docId(b, c)]);
});

test('a time range keeps the edges that were valid in it', async () => {
  const [a, b, c] = await Promise.all([world.table('a'), world.table('b'), world.table('c')]);
  ok(await feed(world.admin, a, b));
  const { updatedAt } = Object.values((await mapOf(a)).downstreamEdges)[0] as { updatedAt: number };
  await moment();
  ok(await feed(world.admin, b, c));
  assert.equal(depthsOf(await mapOf(a, `endTime=${updatedAt}`)), depths([a, 0], [b, 1]));
  assert.equal(depthsOf(await mapOf(a, `startTime=${updatedAt}`)), depths([a, 0], [b, 1], [c, 2]));
  assert.equal(depthsOf(await mapOf(a, `startTime=${updatedAt + 1}`)), depths([a, 0]));
  assert.equal(depthsOf(await mapOf(a, `endTime=${updatedAt - 1}`)), depths([a, 0]));
  expectRefused(await world.admin.get(address('getLineage', a, 'startTime=2&endTime=1')), 400, /startTime/);
  expectRefused(await world.admin.get(address('getLineage', a, 'startTime=soon')), 400, /startTime/);
});

test('deleted records are shown and walked through on request only', async () => {
  const [a, b, c, d] = await four();
  ok(await world.admin.delete(`/v1/tables/${b.id}`));
  assert.equal(depthsOf(await mapOf(a)), depths([a, 0]));
  assert.is((await mapOf(a)).nodes[a.fullyQualifiedName].paging.entityDownstreamCount, 0);
  const map = await mapOf(a, 'includeDeleted=true');
  assert.equal(depthsOf(map), depths([a, 0], [b, 1], [c, 2], [d, 3]));
  assert.is(map.nodes[b.fullyQualifiedName].entity.deleted, true);
  expectRefused(await world.admin.get(address('getLineage', b)), 404);
  assert.is(depthsOf(await mapOf(b, 'includeDeleted=true'))[b.fullyQualifiedName], 0);
});

test('a source filter selects the members of the documents', async () => {
  const [a] = await four();
  const { entity } = (await mapOf(a, 'fields=columns.name,service')).nodes[a.fullyQualifiedName];
  assert.equal(Object.keys(entity).sort(), [
    'columns',
    'deleted',
    'displayName',
    'entityType',
    'fqnHash',
    'fullyQualifiedName',
    'id',
    'name',
    'service',
  ]);
  assert.equal(entity.columns, [{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
  assert.equal(
    (await mapOf(a, 'fields=*')).nodes[a.fullyQualifiedName].entity,
    (await mapOf(a)).nodes[a.fullyQualifiedName].entity,
  );
});

test('lineage of a pipeline starts with the edges that run through it', async () => {
  const service = await world.make('services/pipelineServices', {
    name: `${world.serviceFqn}_x`,
    serviceType: 'Airflow',
  });
  const run = await world.make('pipelines', { name: 'run', service: service.fullyQualifiedName });
  const [x, a, b, c, y] = await Promise.all(['x', 'a', 'b', 'c', 'y'].map((name) => world.table(name)));
  if (!x || !a || !b || !c || !y) throw new Error('there are five');
  ok(await feed(world.admin, x, a));
  for (const to of [b, c]) ok(await feed(world.admin, a, to, { pipeline: ref(run, 'pipeline') }));
  ok(await feed(world.admin, c, y));
  const get = async (query: string) =>
    ok(await world.admin.get(`/v1/lineage/getLineage?fqn=${encodeURIComponent(run.fullyQualifiedName)}&${query}`));
  const whole = await get('entityType=pipeline');
  assert.equal(depthsOf(whole), depths([run, 0], [a, 1], [b, 1], [c, 1], [x, 2], [y, 2]));
  const through = (to: Made) => `${a.fullyQualifiedName}--->pipeline:${run.id}--->${to.fullyQualifiedName}`;
  assert.equal(Object.keys(whole.upstreamEdges).sort(), [through(b), through(c), docId(x, a)].sort());
  assert.equal(Object.keys(whole.downstreamEdges), [docId(c, y)]);
  const near = await get('upstreamDepth=0&downstreamDepth=1');
  assert.equal(depthsOf(near), depths([run, 0], [a, 1], [b, 1], [c, 1]));
  assert.equal(Object.keys(near.downstreamEdges).sort(), [through(b), through(c)].sort());
  const none = await get('upstreamDepth=0&downstreamDepth=0');
  assert.equal([depthsOf(none), none.upstreamEdges, none.downstreamEdges], [depths([run, 0]), {}, {}]);
});

test('one direction is paged, nearest first', async () => {
  const [a, b, c, d] = await four();
  const [e] = await Promise.all([world.table('e')]);
  ok(await feed(world.admin, d, e));
  const get = (query: string) => mapOf(a, `direction=Downstream&${query}`, world.admin, 'getLineageByEntityCount');
  assert.equal(depthsOf(await get('')), depths([a, 0], [b, 1], [c, 2], [d, 3]));
  assert.equal(depthsOf(await get('maxDepth=10')), depths([a, 0], [b, 1], [c, 2], [d, 3], [e, 4]));
  assert.equal(depthsOf(await get('maxDepth=10&downstreamDepth=1')), depths([a, 0], [b, 1]));
  const page = await get('from=1&size=2');
  assert.equal(depthsOf(page), depths([a, 0], [c, 2], [d, 3]));
  assert.equal([Object.keys(page.downstreamEdges), page.upstreamEdges], [[docId(c, d)], {}]);
  const whole = await get('from=1&size=1&preservePaths=true');
  assert.equal(depthsOf(whole), depths([a, 0], [b, 1], [c, 2]));
  assert.equal(depthsOf(await get('nodeDepth=2')), depths([a, 0], [c, 2]));
  assert.equal(depthsOf(await get('nodeDepth=-4')), depths([a, 0], [e, 4]));
  assert.equal(depthsOf(await get('nodeDepth=0')), depths([a, 0]));
  const filtered = await get(`maxDepth=10&query_filter=${encodeURIComponent(`name:${e.name}`)}`);
  assert.equal(depthsOf(filtered), depths([a, 0], [e, 4]));
  const up = await mapOf(c, 'direction=Upstream', world.admin, 'getLineageByEntityCount');
  assert.equal(depthsOf(up), depths([c, 0], [b, 1], [a, 2]));
  assert.equal(Object.keys(up.upstreamEdges), [docId(b, c), docId(a, b)]);
  assert.is('paginationInfo' in up, false);
  const info = await mapOf(
    c,
    'direction=Upstream&include_pagination_info=True',
    world.admin,
    'getLineageByEntityCount',
  );
  assert.equal(info.paginationInfo, ok(await world.admin.get(address('getPaginationInfo', c))));
});

test('records are counted by distance', async () => {
  const [a, b, c, d] = await four();
  const [e] = await Promise.all([world.table('e')]);
  ok(await feed(world.admin, b, e));
  const get = async (query = '') => ok(await world.admin.get(address('getPaginationInfo', b, query)));
  assert.equal(await get(), {
    totalUpstreamEntities: 1,
    totalDownstreamEntities: 3,
    upstreamDepthInfo: [{ depth: 1, entityCount: 1 }],
    downstreamDepthInfo: [
      { depth: 1, entityCount: 2 },
      { depth: 2, entityCount: 1 },
    ],
    maxUpstreamDepth: 1,
    maxDownstreamDepth: 2,
  });
  const less = await get('upstreamDepth=0&downstreamDepth=1');
  assert.equal([less.totalUpstreamEntities, less.maxUpstreamDepth, less.totalDownstreamEntities], [0, 0, 2]);
  const filtered = await get(`query_filter=${encodeURIComponent(`name:${d.name}`)}`);
  assert.equal(filtered.downstreamDepthInfo, [{ depth: 2, entityCount: 1 }]);
  ok(await world.admin.delete(`/v1/tables/${c.id}`));
  assert.is((await get()).totalDownstreamEntities, 1);
  assert.is((await get('includeDeleted=true')).totalDownstreamEntities, 3);
  assert.is((await get()).totalUpstreamEntities, 1);
  assert.ok(a);
});

test('a value out of bounds is 400, and an unknown record is 404', async () => {
  const [a] = await four();
  const refuse = async (operation: string, ...queries: readonly string[]) => {
    for (const query of queries) expectRefused(await world.admin.get(address(operation, a, query)), 400, /\[/);
  };
  const around = ['upstreamDepth=11', 'downstreamDepth=-1', 'size=0', 'from=-1', 'preservePaths=maybe', 'endTime=-1'];
  await refuse('getLineage', ...around);
  await refuse('getLineage/Upstream', 'upstreamDepth=11');
  const down = 'direction=Downstream';
  await refuse('getLineageByEntityCount', '', 'direction=downstream', `${down}&size=1001`, `${down}&nodeDepth=11`);
  await refuse('getLineageByEntityCount', `${down}&nodeDepth=-11`, `${down}&maxDepth=0`, `${down}&maxDepth=11`);
  await refuse('getPaginationInfo', 'upstreamDepth=11', 'downstreamDepth=x');
  for (const operation of ['getLineage', 'getLineage/Upstream', 'getPaginationInfo']) {
    expectRefused(await world.admin.get(`/v1/lineage/${operation}`), 400, /fqn/);
    expectRefused(await world.admin.get(`/v1/lineage/${operation}?fqn=no.such.name`), 404, /no\.such\.name/);
    expectRefused(await world.admin.get(`/v1/lineage/${operation}?fqn=no.such.name&type=table`), 404);
    expectRefused(await world.admin.get(address(operation, a).replace('type=table', 'type=tabel')), 400, /tabel/);
    expectRefused(await world.admin.get(address(operation, a).replace('type=table', 'type=topic')), 404);
  }
  expectRefused(await world.admin.get(`/v1/lineage/getLineageByEntityCount?fqn=no.such&${down}`), 404);
  const untyped = ok(await world.admin.get(address('getLineage', a).replace('&type=table', '')));
  assert.is(untyped.nodes[a.fullyQualifiedName].entity.id, a.id);
});

test('records of different kinds with one name stay distinct, and so do their edges', async () => {
  const [root, after] = await Promise.all([world.table('root'), world.table('after')]);
  const name = uniqueName('twin');
  const database = await world.make('services/databaseServices', { name, serviceType: 'Mysql' });
  const pipelines = await world.make('services/pipelineServices', { name, serviceType: 'Airflow' });
  const join = async (from: object, to: object) =>
    ok(await world.admin.put('/v1/lineage', { edge: { fromEntity: from, toEntity: to } }));
  const twins = [ref(database, 'databaseService'), ref(pipelines, 'pipelineService')];
  for (const twin of twins) {
    await join(ref(root), twin);
    await join(twin, ref(after));
  }
  const map = await mapOf(root);
  type Node = { entity: { id: string; entityType: string; fullyQualifiedName: string } };
  const nodes = Object.entries<Node>(map.nodes).map(([key, { entity }]) => [key, entity.id]);
  const second = map.nodes[name].entity.id === database.id ? pipelines : database;
  const first = second === database ? pipelines : database;
  const other = `${name}::${second === database ? 'databaseService' : 'pipelineService'}`;
  assert.equal(
    nodes.sort(),
    [
      [after.fullyQualifiedName, after.id],
      [root.fullyQualifiedName, root.id],
      [name, first.id],
      [other, second.id],
    ].sort(),
  );
  assert.is(map.nodes[other].entity.fullyQualifiedName, name);
  const edges = Object.entries<{ docUniqueId: string; docId: string }>(map.downstreamEdges);
  for (const [key, { docId: id }] of edges) assert.is(key, id);
  assert.equal(
    edges.map(([, { docUniqueId }]) => docUniqueId).sort(),
    [first, second].flatMap(({ id }) => [`${root.id}--->${id}`, `${id}--->${after.id}`]).sort(),
  );
  const csv = await world.admin.get(address('export', root));
  for (const { id } of [first, second]) assert.is(csv.text.split(id).length, 3);
  const chosen = ok(await world.admin.get(`/v1/lineage/getLineage?fqn=${name}&type=pipelineService`));
  assert.is(chosen.nodes[name].entity.id, pipelines.id);
});

test('hidden assets are neither shown, walked through nor counted', async () => {
  const [a, b, c, d] = await four();
  const [e] = await Promise.all([world.table('e')]);
  ok(await feed(world.admin, a, e, { pipeline: ref(pipeline, 'pipeline') }));
  await hide(b);
  const map = await mapOf(a, '', shielded);
  assert.equal(depthsOf(map), depths([a, 0], [e, 1]));
  assert.not.match(JSON.stringify(map), new RegExp(b.id));
  assert.is(map.nodes[a.fullyQualifiedName].paging.entityDownstreamCount, 1);
  assert.equal(depthsOf(await mapOf(c, '', shielded)), depths([c, 0], [d, 1]));
  assert.is((await mapOf(c, '', shielded)).nodes[c.fullyQualifiedName].paging.entityUpstreamCount, 0);
  const info = ok(await shielded.get(address('getPaginationInfo', a)));
  assert.equal([info.totalDownstreamEntities, info.maxDownstreamDepth], [1, 1]);
  const page = await mapOf(a, 'direction=Downstream', shielded, 'getLineageByEntityCount');
  assert.equal(depthsOf(page), depths([a, 0], [e, 1]));
  for (const operation of ['getLineage', 'getLineage/Upstream', 'getPaginationInfo']) {
    expectRefused(await shielded.get(address(operation, b)), 403);
  }
});

test('a hidden pipeline is not named', async () => {
  const service = await world.make('services/pipelineServices', {
    name: `${world.serviceFqn}_h`,
    serviceType: 'Airflow',
  });
  const secret = await world.make('pipelines', {
    name: 'secret',
    service: service.fullyQualifiedName,
    tags: [SENSITIVE],
  });
  const [a, b] = await Promise.all([world.table('a'), world.table('b')]);
  ok(await feed(world.admin, a, b, { pipeline: ref(secret, 'pipeline') }));
  const map = await mapOf(a, '', shielded);
  assert.equal(Object.keys(map.downstreamEdges), [docId(a, b)]);
  assert.not.match(JSON.stringify(map), new RegExp(secret.id));
});

test('a truncated answer says so and shows the nearest nodes', async () => {
  const [a, b, c] = await four();
  const header = 'x-lineage-truncated';
  const whole = await world.admin.get(address('getLineage', a));
  ok(whole);
  assert.is(whole.headers.get(header), null);
  const few = await openSecondProcessWith(world.service, {}, { env: { MAX_LINEAGE_NODES: '2' } });
  const cut = await few.client.get(address('getLineage', a));
  assert.equal(depthsOf(ok(cut)), depths([a, 0], [b, 1]));
  assert.equal(Object.keys(cut.json.downstreamEdges), [docId(a, b)]);
  assert.is(cut.headers.get(header), 'nodes');
  const thin = await openSecondProcessWith(world.service, {}, { env: { MAX_LINEAGE_EDGES: '1' } });
  const list = await thin.client.get(address('export', b));
  assert.is(list.headers.get(header), 'edges');
  assert.is(list.text.split('\r\n').length, 3);
  const info = await thin.client.get(address('getPaginationInfo', c));
  ok(info);
  assert.is(info.headers.get(header), 'edges');
});

test('a batch by references counts missing and hidden records', async () => {
  const [a, b, c] = await four();
  await hide(b);
  ok(await world.admin.delete(`/v1/tables/${c.id}`));
  const entities = [
    ref(a),
    { type: 'table', fullyQualifiedName: a.fullyQualifiedName },
    ref(b),
    ref(c),
    ref(pipeline, 'pipeline'),
    { id: strayId(), type: 'table' },
    { type: 'topic', fullyQualifiedName: 'no.such' },
  ];
  const hydrate = async (client: Client, body: object) => ok(await client.post('/v1/lineage/hydrate', body));
  const all = await hydrate(world.admin, { entities });
  assert.equal(Object.keys(all).sort(), ['droppedCount', 'entitiesByType']);
  const idsOf = (records: readonly Made[]) => records.map(({ id }) => id).sort();
  assert.equal(idsOf(all.entitiesByType.table), [a.id, b.id].sort());
  assert.equal(idsOf(all.entitiesByType.pipeline), [pipeline.id]);
  assert.is(all.droppedCount, 3);
  assert.is('owners' in all.entitiesByType.table[0], false);
  const some = await hydrate(shielded, { entities, fields: 'tags,tasks' });
  assert.equal(idsOf(some.entitiesByType.table), [a.id]);
  assert.equal([some.entitiesByType.table[0].tags, some.droppedCount], [[], 4]);
  const deleted = await hydrate(world.admin, { entities, include: 'deleted' });
  assert.equal(idsOf(deleted.entitiesByType.table), [c.id]);
  assert.is((await hydrate(world.admin, { entities, include: 'all' })).droppedCount, 2);
  const bad = async (body: object, message: RegExp) =>
    expectRefused(await world.admin.post('/v1/lineage/hydrate', body), 400, message);
  await bad({}, /entities/);
  await bad({ entities: [] }, /entities/);
  await bad({ entities: Array.from({ length: 201 }, () => ref(a)) }, /200/);
  await bad({ entities, more: 1 }, /more/);
  await bad({ entities, fields: 'nonsense' }, /nonsense/);
  await bad({ entities, include: 'some' }, /include/);
  await bad({ entities: [{ type: 'tabel', fullyQualifiedName: 'x' }] }, /tabel/);
});

test.run();
