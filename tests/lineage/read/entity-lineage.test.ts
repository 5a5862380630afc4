import * as assert from 'uvu/assert';
import { expectRef, expectRefused, ok } from '../../support/expect.ts';
import { createRightsFactory } from '../../support/rights.ts';
import { strayId } from '../../support/samples.ts';
import { closeServiceAt, openServiceAt, uniqueName } from '../../support/service.ts';
import { suite } from '../../support/suite.ts';
import { waitForNotifications } from '../../support/wait-for-events.ts';
import { edgeBody, feed, graphOf, type Made, openWorld, type World } from '../fixture.ts';

/** Shows how the lineage of a record is read by depth and direction. */

const test = suite('lineage: lineage of an asset');

let world: World;

test.before(async () => {
  world = await openWorld();
});

type Edge = { readonly fromEntity: string; readonly toEntity: string };

/** Tables that feed one another as the pairs of letters say. */
const chain = async (letters: string, ...edges: readonly string[]): Promise<Record<string, Made>> => {
  const made: Record<string, Made> = {};
  for (const letter of letters) made[letter] = await world.table(letter);
  for (const [from = '', to = ''] of edges) ok(await feed(world.admin, made[from] as Made, made[to] as Made));
  return made;
};

const named = (tables: Record<string, Made>) => {
  const names = new Map(Object.entries(tables).map(([letter, { id }]) => [id, letter]));
  return {
    edges: (edges: readonly Edge[]) =>
      edges.map(({ fromEntity, toEntity }) => `${names.get(fromEntity)}${names.get(toEntity)}`),
    nodes: (nodes: readonly { id: string }[]) => nodes.map(({ id }) => names.get(id)),
  };
};

test('the graph has as many steps as requested, nearest first, without edges between nodes of the last step', async () => {
  const t = await chain('abcdefg', 'ab', 'bc', 'bd', 'cd', 'ce', 'ef', 'ga');
  const { edges, nodes } = named(t);
  const read = async (query: string) => graphOf(world.admin, t['b'] as Made, query);
  const one = await read('');
  assert.equal([edges(one.upstreamEdges), edges(one.downstreamEdges)], [['ab'], ['bc', 'bd']]);
  assert.equal(nodes(one.nodes).sort(), ['a', 'c', 'd']);
  for (const node of one.nodes) expectRef(node);
  const two = await read('?upstreamDepth=2&downstreamDepth=2');
  assert.equal(
    [edges(two.upstreamEdges), edges(two.downstreamEdges)],
    [
      ['ab', 'ga'],
      ['bc', 'bd', 'cd', 'ce'],
    ],
  );
  const none = await read('?upstreamDepth=0&downstreamDepth=0');
  assert.equal([none.nodes, none.upstreamEdges, none.downstreamEdges], [[], [], []]);
  const far = await read('?upstreamDepth=50&downstreamDepth=50');
  assert.equal(
    [edges(far.upstreamEdges), edges(far.downstreamEdges)],
    [
      ['ab', 'ga'],
      ['bc', 'bd', 'cd', 'ce', 'ef'],
    ],
  );
  const fqn = encodeURIComponent((t['b'] as Made).fullyQualifiedName);
  assert.equal(ok(await world.admin.get(`/v1/lineage/table/name/${fqn}?downstreamDepth=2&upstreamDepth=2`)), two);
});

test('a cycle ends, and the root is not one of its own nodes', async () => {
  const t = await chain('abc', 'ab', 'bc', 'ca');
  const { edges, nodes } = named(t);
  const graph = await graphOf(world.admin, t['a'] as Made, '?upstreamDepth=50&downstreamDepth=50');
  assert.equal(edges(graph.downstreamEdges), ['ab', 'bc', 'ca']);
  assert.equal(edges(graph.upstreamEdges), ['ca', 'bc', 'ab']);
  assert.equal(nodes(graph.nodes).sort(), ['b', 'c']);
});

test('an invalid request is refused with a reason', async () => {
  const { a } = (await chain('a')) as { a: Made };
  const read = (path: string) => world.admin.get(`/v1/lineage/${path}`);
  expectRefused(await read(`table/${a.id}?upstreamDepth=51`), 400, /upstreamDepth/);
  expectRefused(await read(`table/${a.id}?downstreamDepth=-1`), 400, /downstreamDepth/);
  expectRefused(await read(`table/${a.id}?downstreamDepth=many`), 400, /downstreamDepth/);
  expectRefused(await read(`tabel/${a.id}`), 400, /tabel/);
  expectRefused(await read(`topic/${a.id}`), 404);
  expectRefused(await read(`table/${strayId()}`), 404);
  expectRefused(await read('table/nonsense'), 404);
  expectRefused(await read('table/name/no.such.table'), 404);
  expectRefused(await read(`getLineageEdge/${a.id}/${strayId()}`), 404);
});

test('hidden assets, what lies behind them and hidden pipelines are not shown', async () => {
  const rights = createRightsFactory(world.service);
  const t = await chain('abcde', 'ab', 'bc', 'ad', 'dc', 'ce');
  const { edges, nodes } = named(t);
  const tag = await world.make('classifications', { name: uniqueName('Secret'), description: 'x' });
  const hidden = await world.make('tags', { name: 'Hidden', classification: tag.name, description: 'x' });
  const conceal = (made: Made) =>
    world.admin.patch(`/v1/tables/${made.id}`, [
      { op: 'add', path: '/tags', value: [{ tagFQN: hidden.fullyQualifiedName }] },
    ]);
  ok(await conceal(t['b'] as Made));
  const reader = await rights.person([
    { effect: 'deny', operations: ['All'], condition: `matchAnyTag('${hidden.fullyQualifiedName}')` },
  ]);
  const query = '?downstreamDepth=3';
  const seen = await graphOf(reader, t['a'] as Made, query);
  assert.equal(edges(seen.downstreamEdges), ['ad', 'dc', 'ce']);
  assert.equal(nodes(seen.nodes).sort(), ['c', 'd', 'e']);
  ok(await conceal(t['d'] as Made));
  assert.equal((await graphOf(reader, t['a'] as Made, query)).nodes, []);
  expectRefused(await reader.get(`/v1/lineage/table/${(t['b'] as Made).id}`), 403);
  expectRefused(await reader.get(`/v1/lineage/getLineageEdge/${(t['a'] as Made).id}/${(t['b'] as Made).id}`), 403);
  assert.is((await graphOf(world.admin, t['a'] as Made, query)).nodes.length, 4);
});

test('a caller without EditLineage on both endpoints changes nothing', async () => {
  const rights = createRightsFactory(world.service);
  const t = await chain('abc', 'ab');
  const [a, b, c] = [t['a'], t['b'], t['c']] as [Made, Made, Made];
  const owner = await rights.person();
  ok(
    await world.admin.patch(`/v1/tables/${a.id}`, [
      { op: 'add', path: '/owners', value: [{ id: owner.id, type: 'user' }] },
    ]),
  );
  expectRefused(await owner.put('/v1/lineage', edgeBody(a, c)), 403);
  expectRefused(await owner.delete(`/v1/lineage/table/${a.id}/table/${b.id}`), 403);
  expectRefused(
    await owner.patch(`/v1/lineage/table/${a.id}/table/${b.id}`, [{ op: 'add', path: '/sqlQuery', value: 'x' }]),
    403,
  );
  expectRefused(await owner.delete(`/v1/lineage/table/${b.id}/type/Manual`), 403);
  ok(
    await world.admin.patch(`/v1/tables/${c.id}`, [
      { op: 'add', path: '/owners', value: [{ id: owner.id, type: 'user' }] },
    ]),
  );
  ok(await owner.put('/v1/lineage', edgeBody(a, c)));
  assert.equal((await graphOf(world.admin, a)).nodes.length, 2);
});

test('a truncated graph says so, keeps the nearest nodes and contains the stored edge', async () => {
  const { uri, user, password } = {
    uri: process.env['TEST_NEO4J_URI'] ?? '',
    user: process.env['TEST_NEO4J_USER'] ?? '',
    password: process.env['TEST_NEO4J_PASSWORD'] ?? '',
  };
  const narrow = await openServiceAt({
    home: process.env['TEST_HOME'] ?? '',
    uri,
    user,
    password,
    env: { MAX_LINEAGE_NODES: '4', MAX_LINEAGE_EDGES: '5' },
  });
  try {
    const t = await chain('abcdefg', 'ab', 'bc', 'cd', 'de', 'ef', 'fg');
    const reply = await narrow.admin.get(`/v1/lineage/table/${(t['a'] as Made).id}?downstreamDepth=9`);
    assert.is(reply.headers.get('X-Lineage-Truncated'), 'nodes');
    assert.equal(named(t).edges(ok(reply).downstreamEdges), ['ab', 'bc', 'cd']);
    const whole = await world.admin.get(`/v1/lineage/table/${(t['a'] as Made).id}?downstreamDepth=9`);
    assert.is(whole.headers.get('X-Lineage-Truncated'), null);
    const wide = await chain('abcd', 'ab', 'ac', 'ad', 'bc', 'cb', 'bd', 'db');
    const cut = await narrow.admin.get(`/v1/lineage/table/${(wide['a'] as Made).id}?downstreamDepth=9`);
    assert.is(cut.headers.get('X-Lineage-Truncated'), 'edges');
    assert.equal(named(wide).edges(ok(cut).downstreamEdges).slice(0, 3), ['ab', 'ac', 'ad']);
    assert.is(cut.json.downstreamEdges.length, 5);
  } finally {
    await closeServiceAt(narrow);
  }
});

test('followers of the source are notified of changes to its edges, and the author is not', async () => {
  const rights = createRightsFactory(world.service);
  const t = await chain('ab');
  const [a, b] = [t['a'], t['b']] as [Made, Made];
  const follower = await rights.person();
  ok(await follower.raw('PUT', `/v1/tables/${a.id}/followers`, `"${follower.id}"`));
  ok(await feed(world.admin, a, b, { sqlQuery: 'x' }));
  ok(await feed(world.admin, a, b, { sqlQuery: 'x' }));
  ok(await feed(world.admin, a, b, { sqlQuery: 'y' }));
  ok(await world.admin.delete(`/v1/lineage/table/${a.id}/table/${b.id}`));
  const wanted = ['entityLineageDeleted', 'entityLineageUpdated', 'entityLineageAdded'];
  await waitForNotifications(world.service);
  const { data } = ok(await follower.get('/v1/notifications?limit=10'));
  const found = data
    .filter(({ entityRef }: { entityRef: { id: string } }) => entityRef.id === a.id)
    .map(({ eventType }: { eventType: string }) => eventType);
  assert.equal(found, wanted);
  const events = ok(
    await world.admin.get(`/v1/events?entityId=${a.id}&eventType=entityLineageAdded,entityLineageUpdated`),
  );
  assert.equal(events.data.length, 2);
  const [event] = events.data;
  assert.equal(
    [event.entityFullyQualifiedName, event.currentVersion, event.previousVersion],
    [a.fullyQualifiedName, 0.1, 0.1],
  );
  assert.is(JSON.parse(event.changeDescription.fieldsAdded[0].newValue).toEntity, b.id);
});

test('the lineage of a pipeline omits details of edges with a hidden endpoint', async () => {
  const rights = createRightsFactory(world.service);
  const service = await world.make('services/pipelineServices', { name: uniqueName('etl'), serviceType: 'Airflow' });
  const pipeline = await world.make('pipelines', { name: 'nightly', service: service.fullyQualifiedName });
  const t = await chain('abcd');
  const [a, b, c, d] = [t['a'], t['b'], t['c'], t['d']] as [Made, Made, Made, Made];
  const through = { pipeline: { id: pipeline.id, type: 'pipeline' } };
  ok(await feed(world.admin, a, b, { ...through, sqlQuery: 'into the hidden' }));
  ok(await feed(world.admin, a, c, { ...through, sqlQuery: 'into the open' }));
  ok(await feed(world.admin, b, d, { ...through, sqlQuery: 'out of the hidden' }));
  ok(
    await world.admin.patch(`/v1/tables/${b.id}`, [{ op: 'add', path: '/tags', value: [{ tagFQN: 'PII.Sensitive' }] }]),
  );
  const reader = await rights.person([
    { effect: 'deny', operations: ['All'], condition: "matchAnyTag('PII.Sensitive')" },
  ]);
  const read = (client: World['admin']) => graphOf(client, pipeline, '', 'pipeline');
  const ends = (edges: readonly Edge[]) => edges.map(({ fromEntity, toEntity }) => [fromEntity, toEntity]);
  const all = await read(world.admin);
  assert.equal([ends(all.upstreamEdges).length, ends(all.downstreamEdges).length], [2, 3]);
  const seen = await read(reader);
  assert.equal(ends(seen.upstreamEdges), [[a.id, pipeline.id]]);
  assert.equal(ends(seen.downstreamEdges), [[pipeline.id, c.id]]);
  assert.match(JSON.stringify(seen), /into the open/);
  assert.not.match(JSON.stringify(seen), /hidden/);
  assert.not.match(JSON.stringify(seen), new RegExp(b.id));
  await rights.clear();
});

test('PUT returns its edge even when the asset has more neighbours than the limit', async () => {
  const many = Array.from({ length: 1001 }, (_, at) => ({
    name: uniqueName(`many${at}`),
    databaseSchema: world.schemaFqn,
    columns: [{ name: 'a', dataType: 'INT' }],
  }));
  const created = ok(await world.admin.put('/v1/tables/bulk', many));
  assert.is(created.numberOfRowsPassed, many.length);
  const rows = await world.service.graph.query('MATCH (n:Table) WHERE n.name IN $names RETURN n.id AS id', {
    names: many.map(({ name }) => name),
  });
  const [a, b] = [await world.table('a'), await world.table('zzz')];
  const fed = await world.admin.put(
    '/v1/lineage/bulk',
    rows.map(({ id }) => edgeBody({ id: id as string }, a).edge),
  );
  assert.is(ok(fed).numberOfRowsPassed, many.length);
  const reply = await feed(world.admin, a, b);
  const answer = ok(reply);
  assert.equal(
    answer.downstreamEdges.map(({ toEntity }: Edge) => toEntity),
    [b.id],
  );
  assert.ok(answer.nodes.some(({ id }: { id: string }) => id === b.id));
  assert.equal([answer.upstreamEdges.length, reply.headers.get('X-Lineage-Truncated')], [1000, 'edges']);
  const back = rows.slice(0, 600).map(({ id }) => edgeBody(a, { id: id as string }).edge);
  assert.is(ok(await world.admin.put('/v1/lineage/bulk', back)).numberOfRowsPassed, back.length);
  const { upstreamEdges, downstreamEdges } = ok(await feed(world.admin, a, b));
  const counts = [upstreamEdges.length, downstreamEdges.length];
  assert.ok(
    counts.every((count) => count >= 500) && upstreamEdges.length + downstreamEdges.length <= 1001,
    `${counts}: either direction has its share`,
  );
  assert.ok(downstreamEdges.some(({ toEntity }: Edge) => toEntity === b.id));
  const whole = await world.table('whole');
  const into = rows.slice(0, 1000).map(({ id }) => edgeBody({ id: id as string }, whole).edge);
  assert.is(ok(await world.admin.put('/v1/lineage/bulk', into)).numberOfRowsPassed, into.length);
  const all = await feed(world.admin, whole, b);
  assert.equal([ok(all).upstreamEdges.length, all.headers.get('X-Lineage-Truncated')], [1000, null]);
});

test.run();
