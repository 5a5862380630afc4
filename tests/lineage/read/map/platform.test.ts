import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../../src/model/json.ts';
import { expectRef, expectRefused, ok } from '../../../support/expect.ts';
import { createRightsFactory, type Person } from '../../../support/rights.ts';
import { type Client, uniqueName } from '../../../support/service.ts';
import { suite } from '../../../support/suite.ts';
import { column, feed, graphOf, type Made, openWorld, ref, type World } from '../../fixture.ts';
import { address, docId } from './fixture.ts';

/** Shows edges between services and domains that are derived from edges between their assets. */

const test = suite('lineage: derived edges');

let world: World;
/** Sees everything but what is sensitive. */
let shielded: Person;

test.before(async () => {
  world = await openWorld();
  shielded = await createRightsFactory(world.service).person([
    { effect: 'deny', operations: ['All'], resources: ['all'], condition: "matchAnyTag('PII.Sensitive')" },
  ]);
});

const SENSITIVE = { tagFQN: 'PII.Sensitive', source: 'Classification', labelType: 'Manual', state: 'Confirmed' };

type Home = { readonly service: Made; readonly schema: Made; table(name: string, more?: JsonObject): Promise<Made> };

/** A database service of its own. */
const home = async (name: string): Promise<Home> => {
  const service = await world.make('services/databaseServices', { name: uniqueName(name), serviceType: 'Mysql' });
  const database = await world.make('databases', { name: 'db', service: service.fullyQualifiedName });
  const schema = await world.make('databaseSchemas', { name: 'public', database: database.fullyQualifiedName });
  return {
    service,
    schema,
    table: (prefix, more = {}) =>
      world.make('tables', {
        name: uniqueName(prefix),
        databaseSchema: schema.fullyQualifiedName,
        columns: [column('a')],
        ...more,
      }),
  };
};

const homes = async (...names: readonly string[]): Promise<Home[]> => Promise.all(names.map(home));

const two = async (): Promise<readonly [Home, Home]> => {
  const [one, other] = await homes('one', 'other');
  if (!one || !other) throw new Error('there are two');
  return [one, other];
};

const domain = (name: string): Promise<Made> =>
  world.make('domains', { name: uniqueName(name), description: 'x', domainType: 'Aggregate' });

const product = (name: string, { fullyQualifiedName }: Made): Promise<Made> =>
  world.make('dataProducts', { name: uniqueName(name), description: 'x', domains: [fullyQualifiedName] });

type Edge = { readonly fromEntity: string; readonly toEntity: string; readonly lineageDetails: JsonObject };

/** Each edge of a graph as its two ends and how many others it stands for. */
const countsOf = (edges: readonly Edge[]): unknown[] =>
  edges.map(({ fromEntity, toEntity, lineageDetails }) => [fromEntity, toEntity, lineageDetails['assetEdges']]);

/** Each edge of a map as its name and how many others it stands for. */
const drawnOf = (edges: Record<string, { assetEdges?: number }>): unknown[] =>
  Object.entries(edges).map(([name, { assetEdges }]) => [name, assetEdges]);

test('the edge between two services counts the edges between their tables', async () => {
  const [one, other] = await two();
  const [a, b, inside] = await Promise.all([one.table('a'), one.table('b'), one.table('i')]);
  const [x, y] = await Promise.all([other.table('x'), other.table('y')]);
  for (const [from, to] of [
    [a, x],
    [b, x],
    [a, y],
    [a, inside],
  ] as const) {
    ok(await feed(world.admin, from, to));
  }
  const graph = await graphOf(world.admin, one.service, '', 'databaseService');
  assert.equal(countsOf(graph.downstreamEdges), [[one.service.id, other.service.id, 3]]);
  assert.equal([graph.upstreamEdges, graph.nodes.length], [[], 1]);
  expectRef(graph.nodes[0]);
  assert.is(graph.nodes[0].id, other.service.id);
  assert.equal(graph.downstreamEdges[0].lineageDetails, { columnsLineage: [], source: 'ChildAssets', assetEdges: 3 });
  const back = await graphOf(world.admin, other.service, '', 'databaseService');
  assert.equal(countsOf(back.upstreamEdges), [[one.service.id, other.service.id, 3]]);
  ok(await world.admin.delete(`/v1/lineage/table/${a.id}/table/${y.id}`));
  const fewer = await graphOf(world.admin, one.service, '', 'databaseService');
  assert.equal(countsOf(fewer.downstreamEdges), [[one.service.id, other.service.id, 2]]);
  for (const from of [a, b]) ok(await world.admin.delete(`/v1/lineage/table/${from.id}/table/${x.id}`));
  assert.equal((await graphOf(world.admin, one.service, '', 'databaseService')).downstreamEdges, []);
});

test('the map of a service is derived from its tables, as deep as requested', async () => {
  const [one, two, three] = await homes('m1', 'm2', 'm3');
  if (!one || !two || !three) throw new Error('there are three');
  const [a, b, c] = await Promise.all([one.table('a'), two.table('b'), three.table('c')]);
  ok(await feed(world.admin, a, b));
  ok(await feed(world.admin, b, c));
  const get = async (query = '', client: Client = world.admin) =>
    ok(await client.get(address('getLineage', one.service, query, 'databaseService')));
  const map = await get();
  assert.equal(Object.keys(map.nodes), [one.service.name, two.service.name, three.service.name]);
  assert.equal(drawnOf(map.downstreamEdges), [
    [docId(one.service, two.service), 1],
    [docId(two.service, three.service), 1],
  ]);
  assert.equal(map.nodes[two.service.name].paging, { entityUpstreamCount: 1, entityDownstreamCount: 1 });
  assert.equal(
    [map.nodes[two.service.name].nodeDepth, map.nodes[two.service.name].entity.entityType],
    [1, 'databaseService'],
  );
  assert.equal(Object.keys((await get('downstreamDepth=1')).nodes), [one.service.name, two.service.name]);
  const info = ok(await world.admin.get(address('getPaginationInfo', three.service, '', 'databaseService')));
  assert.equal([info.totalUpstreamEntities, info.maxUpstreamDepth], [2, 2]);
  ok(await world.admin.delete(`/v1/tables/${b.id}`));
  assert.equal(Object.keys((await get()).nodes), [one.service.name]);
  assert.is(Object.keys((await get('includeDeleted=true')).nodes).length, 3);
});

test('an edge through a pipeline of another service leads through that service', async () => {
  const [one, other] = await two();
  const flows = await world.make('services/pipelineServices', { name: uniqueName('etl'), serviceType: 'Airflow' });
  const run = await world.make('pipelines', { name: 'run', service: flows.fullyQualifiedName });
  const [a, b, x] = await Promise.all([one.table('a'), one.table('b'), other.table('x')]);
  const through = { pipeline: ref(run, 'pipeline') };
  ok(await feed(world.admin, a, x, through));
  ok(await feed(world.admin, a, b, through));
  const graph = await graphOf(world.admin, flows, '', 'pipelineService');
  assert.equal(countsOf(graph.upstreamEdges), [[one.service.id, flows.id, 2]]);
  assert.equal(
    new Set(countsOf(graph.downstreamEdges).map(String)),
    new Set(
      [
        [flows.id, other.service.id, 1],
        [flows.id, one.service.id, 1],
      ].map(String),
    ),
  );
  const direct = await graphOf(world.admin, one.service, '?upstreamDepth=0', 'databaseService');
  assert.equal(
    new Set(countsOf(direct.downstreamEdges).map(String)),
    new Set(
      [
        [one.service.id, other.service.id, 1],
        [one.service.id, flows.id, 2],
      ].map(String),
    ),
  );
});

test('edges between domains are derived from their own assets and those in their containers', async () => {
  const [one, other] = await two();
  const [first, second, third] = await Promise.all([domain('d1'), domain('d2'), domain('d3')]);
  ok(
    await world.admin.patch(`/v1/databaseSchemas/${one.schema.id}`, [
      { op: 'add', path: '/domains', value: [{ id: first.id, type: 'domain' }] },
    ]),
  );
  const [a, b, own] = await Promise.all([
    one.table('a'),
    one.table('b'),
    one.table('own', { domains: [third.fullyQualifiedName] }),
  ]);
  const x = await other.table('x', { domains: [second.fullyQualifiedName] });
  for (const from of [a, b, own]) ok(await feed(world.admin, from, x));
  ok(await feed(world.admin, a, b));
  ok(await feed(world.admin, a, own));
  const graph = await graphOf(world.admin, first, '', 'domain');
  assert.equal(
    new Set(countsOf(graph.downstreamEdges).map(String)),
    new Set(
      [
        [first.id, second.id, 2],
        [first.id, third.id, 1],
      ].map(String),
    ),
  );
  const map = ok(await world.admin.get(address('getLineage', second, '', 'domain')));
  assert.equal(new Set(Object.keys(map.nodes)), new Set([first, second, third].map(({ name }) => name)));
});

test('edges between data products are derived from their assets', async () => {
  const [one, other] = await two();
  const group = await domain('products');
  const [maker, taker] = await Promise.all([product('p1', group), product('p2', group)]);
  const within = ({ fullyQualifiedName }: Made) => ({
    domains: [group.fullyQualifiedName],
    dataProducts: [fullyQualifiedName],
  });
  const [a, b, x] = await Promise.all([
    one.table('a', within(maker)),
    one.table('b', within(maker)),
    other.table('x', within(taker)),
  ]);
  for (const from of [a, b]) ok(await feed(world.admin, from, x));
  const graph = await graphOf(world.admin, maker, '', 'dataProduct');
  assert.equal(countsOf(graph.downstreamEdges), [[maker.id, taker.id, 2]]);
  const byName = ok(
    await world.admin.get(`/v1/lineage/dataProduct/name/${encodeURIComponent(taker.fullyQualifiedName)}`),
  );
  assert.equal(countsOf(byName.upstreamEdges), [[maker.id, taker.id, 2]]);
});

test('a stated edge between two services is merged with the derived one', async () => {
  const [one, other] = await two();
  const [a, x] = await Promise.all([one.table('a'), other.table('x')]);
  ok(await feed(world.admin, a, x));
  const edge = {
    fromEntity: ref(one.service, 'databaseService'),
    toEntity: ref(other.service, 'databaseService'),
    lineageDetails: { description: 'by contract' },
  };
  const put = ok(await world.admin.put('/v1/lineage', { edge }));
  const graph = await graphOf(world.admin, one.service, '', 'databaseService');
  for (const { downstreamEdges } of [put, graph]) {
    assert.is(downstreamEdges.length, 1);
    const { description, assetEdges, source } = downstreamEdges[0].lineageDetails;
    assert.equal([description, assetEdges, source], ['by contract', 1, 'Manual']);
  }
});

test('lineage of a service continues from the services that it reaches', async () => {
  const [one, two, three, far] = await homes('g1', 'g2', 'g3', 'far');
  if (!one || !two || !three || !far) throw new Error('there are four');
  const [a, b, c, x] = await Promise.all([one.table('a'), two.table('b'), three.table('c'), far.table('x')]);
  ok(await feed(world.admin, a, b));
  const edge = {
    fromEntity: ref(two.service, 'databaseService'),
    toEntity: ref(three.service, 'databaseService'),
  };
  ok(await world.admin.put('/v1/lineage', { edge }));
  ok(await feed(world.admin, c, x));
  const query = '?upstreamDepth=3&downstreamDepth=3';
  const graph = await graphOf(world.admin, one.service, query, 'databaseService');
  const down = [
    [one.service.id, two.service.id, 1],
    [two.service.id, three.service.id, undefined],
    [three.service.id, far.service.id, 1],
  ];
  assert.equal([countsOf(graph.upstreamEdges), countsOf(graph.downstreamEdges)], [[], down]);
  const back = await graphOf(world.admin, far.service, query, 'databaseService');
  assert.equal([countsOf(back.upstreamEdges), countsOf(back.downstreamEdges)], [[...down].reverse(), []]);
  const map = ok(await world.admin.get(address('getLineage', one.service, 'downstreamDepth=2', 'databaseService')));
  assert.equal(drawnOf(map.downstreamEdges), [
    [docId(one.service, two.service), 1],
    [docId(two.service, three.service), undefined],
  ]);
  assert.equal(map.nodes[three.service.name].paging, { entityUpstreamCount: 1, entityDownstreamCount: 1 });
});

test('only edges with two visible endpoints count', async () => {
  const [one, other] = await two();
  const flows = await world.make('services/pipelineServices', { name: uniqueName('etl'), serviceType: 'Airflow' });
  const secret = await world.make('pipelines', { name: 's', service: flows.fullyQualifiedName, tags: [SENSITIVE] });
  const [a, hidden] = await Promise.all([one.table('a'), one.table('h', { tags: [SENSITIVE] })]);
  const x = await other.table('x');
  ok(await feed(world.admin, a, x, { pipeline: ref(secret, 'pipeline') }));
  ok(await feed(world.admin, hidden, x));
  const graph = await graphOf(shielded, one.service, '', 'databaseService');
  assert.equal(countsOf(graph.downstreamEdges), [[one.service.id, other.service.id, 1]]);
  const all = await graphOf(world.admin, one.service, '', 'databaseService');
  assert.is(all.downstreamEdges.length, 2);
  const map = ok(await shielded.get(address('getLineage', other.service, '', 'databaseService')));
  assert.equal(drawnOf(map.upstreamEdges), [[docId(one.service, other.service), 1]]);
  ok(await world.admin.delete(`/v1/lineage/table/${a.id}/table/${x.id}`));
  assert.equal((await graphOf(shielded, one.service, '', 'databaseService')).downstreamEdges, []);
});

test('the platform map has one view or all', async () => {
  const [one, other] = await two();
  const [from, to] = await Promise.all([domain('from'), domain('to')]);
  const [a, x, hidden] = await Promise.all([
    one.table('a', { domains: [from.fullyQualifiedName] }),
    other.table('x', { domains: [to.fullyQualifiedName] }),
    other.table('h', { tags: [SENSITIVE] }),
  ]);
  ok(await feed(world.admin, a, x));
  ok(await feed(world.admin, a, hidden));
  const get = async (query: string, client: Client = world.admin) =>
    ok(await client.get(`/v1/lineage/getPlatformLineage?size=10000&${query}`));
  const services = await get('view=service');
  assert.equal(Object.keys(services).sort(), ['downstreamEdges', 'nodes', 'upstreamEdges']);
  const node = services.nodes[one.service.name];
  assert.equal([node.nodeDepth, node.paging.entityDownstreamCount, node.entity.id], [0, 1, one.service.id]);
  const types = new Set(
    Object.values<{ entity: JsonObject }>(services.nodes).map(({ entity }) => entity['entityType']),
  );
  for (const type of types) assert.match(String(type), /Service$/);
  const between = docId(one.service, other.service);
  const { createdAt, ...edge } = services.upstreamEdges[between];
  assert.equal([createdAt, edge.source, edge.assetEdges, edge.columns], [undefined, 'ChildAssets', 2, []]);
  assert.equal(services.downstreamEdges, {});
  assert.is((await get('view=service&upstreamDepth=0')).downstreamEdges[between].assetEdges, 2);
  const none = await get('view=service&upstreamDepth=0&downstreamDepth=0');
  assert.equal([none.upstreamEdges, none.downstreamEdges], [{}, {}]);
  const domains = await get('view=domain');
  assert.is(one.service.name in domains.nodes, false);
  assert.is(domains.upstreamEdges[docId(from, to)].assetEdges, 1);
  const products = await get('view=dataProduct');
  assert.is(from.name in products.nodes, false);
  for (const query of ['view=all', 'view=']) {
    const all = await get(query);
    for (const { name } of [one.service, other.service, from, to]) assert.ok(name in all.nodes, name);
    assert.ok(between in all.upstreamEdges && docId(from, to) in all.upstreamEdges);
  }
  const filter = encodeURIComponent(`name:${one.service.name} OR name:${other.service.name}`);
  const some = await get(`view=service&query_filter=${filter}`);
  assert.equal(drawnOf(some.upstreamEdges), [[between, 2]]);
  assert.equal(Object.keys(some.nodes).sort(), [one.service.name, other.service.name].sort());
  const first = ok(await world.admin.get(`/v1/lineage/getPlatformLineage?view=service&size=1&query_filter=${filter}`));
  assert.equal([Object.keys(first.nodes).length, first.upstreamEdges], [1, {}]);
  assert.is((await get('view=service', shielded)).upstreamEdges[between].assetEdges, 1);
  ok(
    await world.admin.patch(`/v1/services/databaseServices/${other.service.id}`, [
      { op: 'add', path: '/tags/-', value: SENSITIVE },
    ]),
  );
  const blind = await get('view=service', shielded);
  assert.equal([other.service.name in blind.nodes, between in blind.upstreamEdges], [false, false]);
  ok(await world.admin.delete(`/v1/services/databaseServices/${other.service.id}?recursive=true`));
  assert.is(other.service.name in (await get('view=service')).nodes, false);
  assert.ok(between in (await get('view=service&includeDeleted=true')).upstreamEdges);
  for (const query of ['view=table', 'view=Service', 'size=0', 'size=10001', 'upstreamDepth=11', 'query_filter=%7B']) {
    expectRefused(await world.admin.get(`/v1/lineage/getPlatformLineage?${query}`), 400, /\[/);
  }
});

test.run();
