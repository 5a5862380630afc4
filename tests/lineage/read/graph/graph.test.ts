import * as assert from 'uvu/assert';
import { expectRef, expectRefused, ok } from '../../../support/expect.ts';
import { createRightsFactory, type RightsFactory } from '../../../support/rights.ts';
import { strayId } from '../../../support/samples.ts';
import { uniqueName } from '../../../support/service.ts';
import { suite } from '../../../support/suite.ts';
import { column, detailsOf, edgeBody, feed, type Made, mapping, openWorld, ref, type World } from '../../fixture.ts';
import {
  chain,
  type Drawn,
  distances,
  drawnAround as graph,
  HIDING,
  idsOf,
  pair,
  pairsOf,
  randomPairs,
  tablesOf,
} from './fixture.ts';

/** Shows the records, edges and columns in a lineage graph. */

const test = suite('lineage: graph');

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

test('a node has its distance and owners, and an edge has its details', async () => {
  const owner = await rights.person();
  const domain = await world.make('domains', {
    name: uniqueName('dom'),
    domainType: 'Aggregate',
    description: 'Books and who reads them',
  });
  const { up, down } = await tablesOf(world, 'up', 'down');
  const root = await world.make('tables', {
    name: uniqueName('root'),
    databaseSchema: world.schemaFqn,
    columns: [column('a')],
    owners: [ref(owner, 'user')],
    domains: [domain.fullyQualifiedName],
    tags: [{ tagFQN: 'Tier.Tier2', source: 'Classification' }],
  });
  ok(await feed(world.admin, up, root, { sqlQuery: 'select 1' }));
  ok(await feed(world.admin, root, down));
  const before = Date.now();
  const answer = await graph(world.admin, root);
  assert.equal(Object.keys(answer), [
    'root',
    'nodes',
    'edges',
    'columnEdges',
    'truncated',
    'frontier',
    'hiddenCounts',
    'asOf',
  ]);
  expectRef(answer.root);
  assert.is(answer.root.id, root.id);
  const told = answer.nodes.map(({ id, depth }: { id: string; depth: number }) => [id, depth]);
  assert.equal(told, [
    [root.id, 0],
    [up.id, -1],
    [down.id, 1],
  ]);
  const [first, second] = answer.nodes;
  assert.is(first.tier, 'Tier.Tier2');
  assert.equal(idsOf(first.owners), [owner.id]);
  assert.equal(idsOf(first.domains), [domain.id]);
  assert.is(first.service.fullyQualifiedName, world.serviceFqn);
  for (const one of [first.service, ...first.owners, ...first.domains]) expectRef(one);
  assert.equal([second.owners, second.domains, 'tier' in second, 'columns' in second], [[], [], false, false]);
  assert.equal(pairsOf(answer.edges), [pair(up, root), pair(root, down)].sort());
  const [edge] = answer.edges;
  assert.equal(edge.lineageDetails, await detailsOf(world.admin, up, root));
  assert.equal([answer.columnEdges, answer.truncated, answer.frontier], [[], false, []]);
  assert.ok(answer.asOf >= before && answer.asOf <= Date.now());
  const named = `type=table&fqn=${encodeURIComponent(root.fullyQualifiedName)}`;
  const same = ok(await world.admin.get(`/v1/lineage/graph?${named}`));
  assert.equal(same, { ...answer, asOf: same.asOf });
});

test('the graph has all edges among its nodes and counts the neighbours that are not shown', async () => {
  const { a, b, c, d, e, f } = await tablesOf(world, 'a', 'b', 'c', 'd', 'e', 'f');
  const pairs = [
    [a, b],
    [a, c],
    [b, c],
    [c, d],
    [e, a],
    [e, b],
    [e, f],
    [d, e],
  ] as const;
  for (const [from, to] of pairs) ok(await feed(world.admin, from, to));
  const answer = await graph(world.admin, a);
  assert.equal(new Set(idsOf(answer.nodes)), new Set([a.id, b.id, c.id, e.id]));
  const inside = new Set([a, b, c, e]);
  const among = pairs.filter(([from, to]) => inside.has(from) && inside.has(to));
  assert.equal(pairsOf(answer.edges), among.map(([from, to]) => pair(from, to)).sort());
  assert.equal(answer.hiddenCounts, {
    [a.id]: { upstream: 0, downstream: 0 },
    [b.id]: { upstream: 0, downstream: 0 },
    [c.id]: { upstream: 0, downstream: 1 },
    [e.id]: { upstream: 1, downstream: 1 },
  });
  const lonely = await graph(world.admin, a, '&upstreamDepth=0&downstreamDepth=0');
  assert.equal([idsOf(lonely.nodes), lonely.edges], [[a.id], []]);
  assert.equal(lonely.hiddenCounts, { [a.id]: { upstream: 1, downstream: 2 } });
});

test('columns are shown at their records with their upstream columns', async () => {
  const { a, b, c } = await tablesOf(world, 'a', 'b', 'c');
  const made = mapping(a, ['a', 'b'], b, 'c', { function: 'concat' });
  ok(await feed(world.admin, a, b, { columnsLineage: [made, mapping(a, ['a'], b, 'a')] }));
  ok(await feed(world.admin, b, c));
  const answer = await graph(world.admin, a, '&columns=true&downstreamDepth=2');
  const named = (table: Made, name: string) => `${table.fullyQualifiedName}.${name}`;
  const joined = (from: string, to: string) => ({
    fromEntity: a.id,
    fromColumn: named(a, from),
    toEntity: b.id,
    toColumn: named(b, to),
  });
  assert.equal(answer.columnEdges, [
    { ...joined('a', 'c'), function: 'concat' },
    { ...joined('b', 'c'), function: 'concat' },
    joined('a', 'a'),
  ]);
  const columns = (table: Made) => answer.nodes.find(({ id }: Made) => id === table.id).columns;
  assert.equal(columns(a), [
    { name: 'a', fullyQualifiedName: named(a, 'a') },
    { name: 'b', fullyQualifiedName: named(a, 'b') },
  ]);
  assert.equal(
    columns(b).map(({ name }: Made) => name),
    ['a', 'c'],
  );
  assert.equal(columns(c), []);
});

test('a hidden asset is an anonymous node with nothing behind it', async () => {
  const tables = await tablesOf(world, 'a', 'hidden!', 'behind', 'seen', 'second!');
  const { a, behind, seen } = tables;
  const [hidden, second] = [tables['hidden!'], tables['second!']];
  const secret = { sqlQuery: 'select secret', columnsLineage: [mapping(a, ['a'], hidden, 'b')] };
  ok(await feed(world.admin, a, hidden, secret));
  ok(await feed(world.admin, hidden, second));
  await chain(world.admin, hidden, behind);
  await chain(world.admin, a, seen);
  await chain(world.admin, hidden, seen);
  await chain(world.admin, a, second);
  const caller = await rights.person([HIDING]);
  const answer = await graph(caller, a, '&downstreamDepth=5&columns=true');
  const stubs = answer.nodes.filter(({ hidden: isHidden }: { hidden?: boolean }) => isHidden);
  const stub = ({ id }: Made) => ({ id, type: 'table', hidden: true });
  assert.equal(new Set(idsOf(stubs)), new Set([hidden.id, second.id]));
  assert.equal(
    stubs.find(({ id }: Made) => id === hidden.id),
    stub(hidden),
  );
  assert.equal(new Set(idsOf(answer.nodes)), new Set([a.id, hidden.id, second.id, seen.id]));
  assert.equal(pairsOf(answer.edges), [pair(a, hidden), pair(a, seen), pair(hidden, seen), pair(a, second)].sort());
  const [edge] = answer.edges.filter((one: Drawn) => one.toEntity === hidden.id);
  assert.equal(edge, { fromEntity: a.id, toEntity: hidden.id });
  assert.equal(answer.columnEdges, []);
  const text = JSON.stringify(answer);
  for (const secretText of [hidden.name, second.name, behind.name, 'select secret']) assert.not.match(text, secretText);
  assert.is(hidden.id in answer.hiddenCounts, false);
  await chain(world.admin, seen, behind);
  assert.ok(idsOf((await graph(caller, a, '&downstreamDepth=5')).nodes).includes(behind.id));
  expectRefused(await caller.get(`/v1/lineage/graph?id=${hidden.id}`), 403);
});

test('filtered records are bridged', async () => {
  const { a, b, c } = await tablesOf(world, 'a', 'b', 'c');
  const service = await world.make('services/messagingServices', { name: uniqueName('mes'), serviceType: 'Kafka' });
  const topic = (name: string) =>
    world.make('topics', { name: uniqueName(name), service: service.fullyQualifiedName, partitions: 1 });
  const [one, other] = await Promise.all([topic('one'), topic('other')]);
  const put = async (from: Made, fromType: string, to: Made, toType: string) =>
    ok(
      await world.admin.put('/v1/lineage', {
        edge: { fromEntity: ref(from, fromType), toEntity: ref(to, toType) },
      }),
    );
  await put(a, 'table', one, 'topic');
  await put(one, 'topic', other, 'topic');
  await put(other, 'topic', b, 'table');
  await put(one, 'topic', c, 'table');
  await put(b, 'table', c, 'table');
  const answer = await graph(world.admin, a, '&downstreamDepth=5&types=table');
  assert.equal(
    answer.nodes.map(({ id, depth }: { id: string; depth: number }) => [id, depth]),
    [
      [a.id, 0],
      [c.id, 2],
      [b.id, 3],
    ],
  );
  assert.equal(pairsOf(answer.edges), [pair(a, b), pair(a, c), pair(b, c)].sort());
  for (const edge of answer.edges) assert.is(edge.bridged, edge.fromEntity === a.id ? true : undefined);
  const inKafka = await graph(world.admin, a, `&downstreamDepth=5&services=${service.name}`);
  assert.equal(idsOf(inKafka.nodes), [a.id, one.id, other.id]);
  const tagged = await world.admin.patch(`/v1/tables/${b.id}`, [
    { op: 'add', path: '/tags/0', value: { tagFQN: 'PII.NonSensitive', source: 'Classification' } },
  ]);
  ok(tagged);
  assert.equal(idsOf((await graph(world.admin, a, '&downstreamDepth=5&tags=PII')).nodes), [a.id, b.id]);
  assert.equal(idsOf((await graph(world.admin, a, '&downstreamDepth=5&domains=nowhere')).nodes), [a.id]);
});

test('deleted records are shown on request', async () => {
  const { a, gone, behind } = await tablesOf(world, 'a', 'gone', 'behind');
  await chain(world.admin, a, gone, behind);
  ok(await world.admin.delete(`/v1/tables/${gone.id}`));
  const shown = async (query: string) => {
    const { nodes, hiddenCounts } = await graph(world.admin, a, `&downstreamDepth=5${query}`);
    return [idsOf(nodes), hiddenCounts[a.id].downstream];
  };
  assert.equal(await shown(''), [[a.id], 0]);
  assert.equal(await shown('&include=all'), [[a.id, gone.id, behind.id], 0]);
  assert.equal(await shown('&include=deleted'), [[a.id, gone.id], 0]);
  expectRefused(await world.admin.get(`/v1/lineage/graph?id=${gone.id}`), 404);
  assert.is((await graph(world.admin, gone, '&include=all')).root.deleted, true);
});

test('a graph beyond its limit is truncated, says so and names the nodes to continue from', async () => {
  const { a, b, c, d } = await tablesOf(world, 'a', 'b', 'c', 'd');
  await chain(world.admin, a, b, c, d);
  const reply = await world.admin.get(`/v1/lineage/graph?id=${a.id}&downstreamDepth=9&maxNodes=2`);
  const answer = ok(reply);
  assert.is(reply.headers.get('x-lineage-truncated'), 'nodes');
  assert.equal([idsOf(answer.nodes), answer.truncated, answer.frontier], [[a.id, b.id], true, [b.id]]);
  assert.is(answer.hiddenCounts[b.id].downstream, 1);
  const whole = await world.admin.get(`/v1/lineage/graph?id=${a.id}&downstreamDepth=9&maxNodes=4`);
  assert.is(whole.headers.get('x-lineage-truncated'), null);
  assert.equal([ok(whole).truncated, ok(whole).frontier], [false, []]);
});

test('a pipeline is connected to the edges that run through it', async () => {
  const { a, b } = await tablesOf(world, 'a', 'b');
  const service = await world.make('services/pipelineServices', { name: uniqueName('etl'), serviceType: 'Airflow' });
  const pipeline = await world.make('pipelines', { name: 'nightly', service: service.fullyQualifiedName });
  ok(await world.admin.put('/v1/lineage', edgeBody(a, b, { pipeline: ref(pipeline, 'pipeline') })));
  const answer = await graph(world.admin, pipeline);
  assert.equal(new Set(idsOf(answer.nodes)), new Set([pipeline.id, a.id, b.id]));
  assert.ok(pairsOf(answer.edges).includes(pair(a, pipeline)));
  assert.ok(pairsOf(answer.edges).includes(pair(pipeline, b)));
});

test('an invalid request is refused with a reason', async () => {
  const { a } = await tablesOf(world, 'a');
  const get = (query: string) => world.admin.get(`/v1/lineage/graph?${query}`);
  expectRefused(await get(''), 400, /id, or type and fqn/);
  expectRefused(await get('type=table'), 400, /id, or type and fqn/);
  expectRefused(await get(`type=tabel&fqn=${a.fullyQualifiedName}`), 400, /tabel/);
  expectRefused(await get(`id=${strayId()}`), 404);
  expectRefused(await get('id=x'), 404);
  expectRefused(await get(`id=${a.id}&type=topic`), 404);
  expectRefused(await get(`id=${a.id}&upstreamDepth=51`), 400, /upstreamDepth/);
  expectRefused(await get(`id=${a.id}&downstreamDepth=-1`), 400, /downstreamDepth/);
  expectRefused(await get(`id=${a.id}&types=table,tabel`), 400, /tabel/);
  expectRefused(await get(`id=${a.id}&include=some`), 400, /include/);
  expectRefused(await get(`id=${a.id}&asOf=yesterday`), 400, /asOf/);
  expectRefused(await get(`id=${a.id}&maxNodes=0`), 400, /maxNodes/);
  expectRefused(await get(`id=${a.id}&maxNodes=10001`), 400, /maxNodes/);
});

test('a walk equals a plain search on random graphs with cycles', async () => {
  for (const seed of [1, 2, 3]) {
    const size = 14;
    const tables = await Promise.all(Array.from({ length: size }, (_, at) => world.table(`r${at}`)));
    const at = (index: number) => tables[index] as Made;
    const pairs = randomPairs(seed, size, 24);
    await Promise.all(pairs.map(async ([from, to]) => ok(await feed(world.admin, at(from), at(to)))));
    for (const [root, above, below] of [
      [0, 2, 3],
      [5, 50, 50],
      [9, 1, 0],
      [13, 0, 4],
    ] as const) {
      const answer = await graph(world.admin, at(root), `&upstreamDepth=${above}&downstreamDepth=${below}`);
      const up = distances(pairs, root, above, 'up');
      const down = distances(pairs, root, below, 'down');
      const depths = new Map([...up].map(([id, steps]) => [id, steps === 0 ? 0 : -steps]));
      for (const [id, steps] of down) if (steps <= Math.abs(depths.get(id) ?? size)) depths.set(id, steps);
      const wanted = [...depths].map(([id, depth]) => `${at(id).id} ${depth}`).sort();
      const found = answer.nodes.map(({ id, depth }: { id: string; depth: number }) => `${id} ${depth}`).sort();
      assert.equal(found, wanted, `seed ${seed}, root ${root}`);
      const among = pairs.filter(([from, to]) => depths.has(from) && depths.has(to));
      assert.equal(pairsOf(answer.edges), among.map(([from, to]) => pair(at(from), at(to))).sort());
      const outside = pairs.filter(([from, to]) => depths.has(from) && !depths.has(to));
      const hidden = Object.values(answer.hiddenCounts as Record<string, { downstream: number }>);
      assert.is(
        hidden.reduce((sum, { downstream }) => sum + downstream, 0),
        outside.length,
      );
    }
  }
});

test.run();
