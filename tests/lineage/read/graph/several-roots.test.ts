import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../../../support/expect.ts';
import { createRightsFactory, type RightsFactory } from '../../../support/rights.ts';
import { suite } from '../../../support/suite.ts';
import { feed, type Made, openWorld, pipelineIn, ref, type World } from '../../fixture.ts';
import { chain, drawnAround, HIDING, idsOf, pair, pairsOf, randomPairs, tablesOf } from './fixture.ts';

/** Shows graphs that are drawn around several assets. */

const test = suite('lineage: graphs around several assets');

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

const around = (roots: readonly Pick<Made, 'id'>[], query = '') => ({ id: `${idsOf(roots).join(',')}${query}` });

test('each asset is as far as from the nearest root, and the edges among all of them are there', async () => {
  const { admin } = world;
  const { a, b, c, d, e, f } = await tablesOf(world, 'a', 'b', 'c', 'd', 'e', 'f');
  await chain(admin, a, b, c, d);
  await chain(admin, e, f);
  await chain(admin, e, b);
  const { root, roots, nodes, edges, hiddenCounts } = await drawnAround(admin, around([b, e]));
  assert.equal([root.id, idsOf(roots)], [b.id, idsOf([b, e])]);
  const depths = new Map(nodes.map(({ id, depth }: { id: string; depth: number }) => [id, depth]));
  assert.equal(
    [a, b, c, e, f, d].map(({ id }) => depths.get(id)),
    [-1, 0, 1, 0, 1, undefined],
  );
  assert.equal(idsOf(nodes).slice(0, 2).sort(), idsOf([b, e]).sort(), 'the roots come first');
  assert.equal(pairsOf(edges), [pair(a, b), pair(b, c), pair(e, f), pair(e, b)].sort());
  assert.equal(hiddenCounts[c.id], { upstream: 0, downstream: 1 });
  assert.not.ok('roots' in (await drawnAround(admin, a)), 'a single root is the root');
  const alone = await drawnAround(admin, around([d, a]), '&upstreamDepth=0&downstreamDepth=0');
  assert.equal([idsOf(alone.nodes).sort(), alone.edges], [idsOf([a, d]).sort(), []]);
  const compact = await drawnAround(admin, around([b, e]), '&compact=true');
  assert.equal([compact.root, compact.roots], [b.id, idsOf([b, e])]);
});

test('it is what graphs around each of them show together', async () => {
  const { admin } = world;
  const made = Object.values(await tablesOf(world, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'));
  for (const [from, to] of randomPairs(11, made.length, 14))
    ok(await feed(admin, made[from] as Made, made[to] as Made));
  for (const depth of [1, 2]) {
    const span = `&upstreamDepth=${depth}&downstreamDepth=${depth}`;
    const roots = [made[0], made[3], made[7]] as Made[];
    const single = await Promise.all(roots.map((one) => drawnAround(admin, one, span)));
    const together = await drawnAround(admin, around(roots), span);
    const ids = new Set(single.flatMap(({ nodes }) => idsOf(nodes)));
    assert.equal(new Set(idsOf(together.nodes)), ids);
    const pairs = new Set(single.flatMap(({ edges }) => pairsOf(edges)));
    for (const one of pairs) assert.ok(pairsOf(together.edges).includes(one), one);
  }
});

test('a pipeline among them brings what runs through it', async () => {
  const { admin } = world;
  const { a, b, c } = await tablesOf(world, 'a', 'b', 'c');
  const [load, clean] = [await pipelineIn(world, 'load'), await pipelineIn(world, 'clean')];
  ok(await feed(admin, a, b, { pipeline: ref(load, 'pipeline') }));
  ok(await feed(admin, b, c, { pipeline: ref(clean, 'pipeline') }));
  const { nodes, edges } = await drawnAround(admin, around([load, clean]));
  assert.equal(idsOf(nodes).sort(), idsOf([load, clean, a, b, c]).sort());
  const halves = [pair(a, load), pair(load, b), pair(b, clean), pair(clean, c)];
  assert.equal(
    halves.filter((half) => !pairsOf(edges).includes(half)),
    [],
  );
});

test('all of them must be visible and there, and other questions are about one', async () => {
  const { admin } = world;
  const { a, b, 'h!': hidden } = await tablesOf(world, 'a', 'b', 'h!');
  await chain(admin, a, b);
  const viewer = await rights.person([HIDING]);
  const path = (ids: string, more = '') => `/v1/lineage/graph?id=${ids}${more}`;
  expectRefused(await viewer.get(path(`${a.id},${hidden.id}`)), 403, /./);
  const missing = '00000000-0000-4000-8000-000000000000';
  expectRefused(await admin.get(path(`${a.id},${missing}`)), 404, /not found/);
  expectRefused(await admin.get(path(`${a.id},${b.id}`, '&column=a')), 400, /column must be given with one asset only/);
  const many = Array.from({ length: 101 }, (_, at) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`);
  expectRefused(await admin.get(path(many.join(','))), 400, /id must name at most 100 assets/);
  expectRefused(await admin.get(`/v1/lineage/impact?id=${a.id},${b.id}`), 400, /id must name one asset/);
  const repeated = await admin.get(path(a.id, `&id=${b.id}&id=${a.id.toUpperCase()}`));
  assert.equal(idsOf(ok(repeated).roots), idsOf([a, b]));
  const typed = await admin.get(path(`${a.id},${b.id}`, '&type=table'));
  assert.equal(idsOf(ok(typed).roots), idsOf([a, b]));
  expectRefused(await admin.get(path(`${a.id},${b.id}`, '&type=topic')), 404, /not found/);
});

test('as text, the graph has all of them', async () => {
  const { admin } = world;
  const { a, b, c, d } = await tablesOf(world, 'a', 'b', 'c', 'd');
  await chain(admin, a, b);
  await chain(admin, c, d);
  const { text } = await admin.get(`/v1/lineage/graph?id=${a.id},${c.id}&format=csv`);
  for (const one of [a, b, c, d]) assert.match(text, one.fullyQualifiedName);
});

test.run();
