/** Shows that truncated graphs say so and give the records to continue from (lineage.md 9 and 11). */
import * as assert from 'uvu/assert';
import { ok } from '../../../support/expect.ts';
import { type Client, uniqueName } from '../../../support/service.ts';
import { suite } from '../../../support/suite.ts';
import { type Made, openWorld, ref, type World } from '../../fixture.ts';
import { cutOf, within } from '../truncation-fixture.ts';
import { chain, type Drawn, drawnAround, idsOf, pair, pairsOf, tablesOf } from './fixture.ts';

const test = suite('lineage: truncated graphs');

let world: World;

test.before(async () => {
  world = await openWorld();
});

const far = '&upstreamDepth=20&downstreamDepth=20';

/** What is found by asking again at every record that an answer says there is more behind, until there is no such record. */
const gathered = async (client: Client, root: Made, query: string) => {
  const nodes = new Set<string>();
  const edges = new Set<string>();
  const asked = new Set([root.id]);
  for (const id of asked) {
    const answer = await drawnAround(client, { id }, query);
    assert.is(answer.truncated, answer.frontier.length > 0, 'whatever is cut goes on somewhere');
    for (const one of idsOf(answer.nodes)) nodes.add(one);
    for (const one of pairsOf(answer.edges)) edges.add(one);
    for (const one of answer.frontier) asked.add(one);
  }
  return { nodes: [...nodes].sort(), edges: [...edges].sort(), asked: asked.size };
};

const expected = (nodes: readonly Made[], edges: readonly (readonly [Made, Made])[]) => ({
  nodes: idsOf(nodes).sort(),
  edges: edges.map(([from, to]) => pair(from, to)).sort(),
});

const findsAll = async (client: Client, root: Made, query: string, whole: ReturnType<typeof expected>) => {
  const { asked, ...found } = await gathered(client, root, query);
  assert.equal(found, whole, query);
  assert.ok(asked > 1, 'one answer was not enough');
};

/** Tables of which each feeds two others, or is fed by two others. */
const tree = async (direction: 'up' | 'down') => {
  const tables = await Promise.all(Array.from({ length: 15 }, (_, at) => world.table(`${direction}${at}`)));
  const edges = tables.slice(1).map((child, at) => {
    const parent = tables[Math.floor(at / 2)] as Made;
    return direction === 'down' ? ([parent, child] as const) : ([child, parent] as const);
  });
  await Promise.all(edges.map(([from, to]) => chain(world.admin, from, to)));
  return { root: tables[0] as Made, whole: expected(tables, edges) };
};

const cutAnswer = async (client: Client, root: Made, query: string) => {
  const reply = await client.get(`/v1/lineage/graph?id=${root.id}${query}`);
  const { nodes, edges, truncated } = ok(reply);
  return { nodes: nodes.length, edges: edges.length, truncated, header: cutOf(reply) };
};

for (const direction of ['down', 'up'] as const) {
  const query = direction === 'down' ? '&upstreamDepth=0&downstreamDepth=20' : '&upstreamDepth=20&downstreamDepth=0';

  test(`a graph with too many records ${direction} shows the nearest, and continues where it stops`, async () => {
    const { root, whole } = await tree(direction);
    const few = await within(world, { nodes: 4 });
    assert.equal(await cutAnswer(few, root, query), { nodes: 4, edges: 3, truncated: true, header: 'nodes' });
    for (const nodes of [3, 5]) await findsAll(await within(world, { nodes }), root, query, whole);
    const some = await within(world, { nodes: 15 });
    assert.equal(await cutAnswer(some, root, query), { nodes: 15, edges: 14, truncated: false, header: null });
  });

  test(`a graph with too many edges ${direction} shows the nearest, and continues where it stops`, async () => {
    const { root, whole } = await tree(direction);
    const thin = await within(world, { edges: 4 });
    const { nodes: _nodes, ...cut } = await cutAnswer(thin, root, query);
    assert.equal(cut, { edges: 4, truncated: true, header: 'edges' });
    for (const edges of [3, 5]) await findsAll(await within(world, { edges }), root, query, whole);
    const some = await within(world, { edges: 14 });
    assert.equal(await cutAnswer(some, root, query), { nodes: 15, edges: 14, truncated: false, header: null });
  });
}

test('a graph of a past time is truncated like a current one', async () => {
  const { root, whole } = await tree('down');
  const query = `&asOf=${Date.now()}&downstreamDepth=20&upstreamDepth=0`;
  const few = await within(world, { nodes: 4 });
  assert.equal(await cutAnswer(few, root, query), { nodes: 4, edges: 3, truncated: true, header: 'nodes' });
  await findsAll(few, root, query, whole);
  const thin = await within(world, { edges: 4 });
  assert.is((await cutAnswer(thin, root, query)).header, 'edges');
  await findsAll(thin, root, query, whole);
});

test('a cycle beyond the limit is covered by continuing from each answer', async () => {
  const { a, b, c, d, e, f, g } = await tablesOf(world, 'a', 'b', 'c', 'd', 'e', 'f', 'g');
  const round = [a, b, c, d, e, f, g, a];
  await chain(world.admin, ...round);
  const edges = round.slice(1).map((to, at) => [round[at] as Made, to] as const);
  const whole = expected(round.slice(1), edges);
  await findsAll(await within(world, { nodes: 3 }), a, far, whole);
  await findsAll(await within(world, { edges: 3 }), a, far, whole);
});

/** Tables that a topic joins: each of the ones feeds each of the others through it. */
const joined = async (count: number) => {
  const service = await world.make('services/messagingServices', { name: uniqueName('mes'), serviceType: 'Kafka' });
  const topic = await world.make('topics', { name: 'all', service: service.fullyQualifiedName, partitions: 1 });
  const root = await world.table('root');
  const tables = (name: string) => Promise.all(Array.from({ length: count }, (_, at) => world.table(`${name}${at}`)));
  const [ones, others] = await Promise.all([tables('one'), tables('other')]);
  const rows = [
    ...ones.map((one) => ({ fromEntity: ref(root), toEntity: ref(one) })),
    ...ones.map((one) => ({ fromEntity: ref(one), toEntity: ref(topic, 'topic') })),
    ...others.map((other) => ({ fromEntity: ref(topic, 'topic'), toEntity: ref(other) })),
  ];
  assert.is(ok(await world.admin.put('/v1/lineage/bulk', rows)).numberOfRowsFailed, 0);
  const edges = [
    ...ones.map((one) => [root, one] as const),
    ...ones.flatMap((one) => others.map((other) => [one, other] as const)),
  ];
  return { root, whole: expected([root, ...ones, ...others], edges) };
};

test('bridges beyond the limit are continued from their first records', async () => {
  const { root, whole } = await joined(4);
  const query = '&types=table&upstreamDepth=0&downstreamDepth=5';
  const bridged = async (client: Client) =>
    (await drawnAround(client, root, query)).edges.filter(({ bridged: isBridge }: { bridged?: boolean }) => isBridge);
  assert.is((await bridged(world.admin)).length, 16);
  assert.equal(pairsOf((await drawnAround(world.admin, root, query)).edges as Drawn[]), whole.edges);
  // There is room for everything that is walked, but not for all that it joins.
  const thin = await within(world, { edges: 12 });
  assert.equal(await cutAnswer(thin, root, query), { nodes: 9, edges: 12, truncated: true, header: 'edges' });
  await findsAll(thin, root, query, whole);
});

test('a truncated comparison says so', async () => {
  const { a, b, c, d } = await tablesOf(world, 'a', 'b', 'c', 'd');
  const before = Date.now();
  await chain(world.admin, a, b, c, d);
  const path = `/v1/lineage/diff?id=${a.id}&from=${before}&to=${Date.now() + 1}${far}`;
  const compared = async (client: Client) => {
    const reply = await client.get(path);
    const { nodes, edges } = ok(reply).added;
    return [nodes.length, edges.length, cutOf(reply)];
  };
  assert.equal(await compared(world.admin), [3, 3, null]);
  assert.equal(await compared(await within(world, { nodes: 4, edges: 3 })), [3, 3, null]);
  assert.equal(await compared(await within(world, { nodes: 2 })), [1, 1, 'nodes']);
  assert.equal((await compared(await within(world, { edges: 2 }))).slice(1), [2, 'edges']);
  const back = await (await within(world, { nodes: 2 })).get(
    `/v1/lineage/diff?id=${a.id}&to=${before}&from=${Date.now() + 1}${far}`,
  );
  assert.equal([ok(back).removed.nodes.length, cutOf(back)], [1, 'nodes'], 'whichever of the two it is');
});

test.run();
