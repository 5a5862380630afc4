import * as assert from 'uvu/assert';
import { findCommunities } from '../../src/insight/communities/find-communities.ts';
import { buildNetwork } from '../../src/insight/graph/network.ts';
import { suite } from '../support/suite.ts';
import { type Arc, assetsOf, drawArcs, networkOf, partSizes, randomFrom, shuffled } from './random-graphs.ts';
import { modularityOf, slowCommunities } from './slow-communities.ts';

/** Compares communities with those of the slow method, and shows that planted ones are found. */

const test = suite('insight: communities of lineage');

const communitiesOf = async (size: number, arcs: readonly Arc[]): Promise<number[][]> =>
  (await findCommunities(networkOf(size, arcs))).map((nodes) => [...nodes]);

test('communities are those of the slow method, on random graphs', async () => {
  for (let seed = 1; seed <= 150; seed += 1) {
    const random = randomFrom(seed);
    const size = 1 + Math.floor(random() * 24);
    const arcs = drawArcs(random, size, Math.floor(random() * size * 2.5), seed % 3 === 0);
    assert.equal(await communitiesOf(size, arcs), slowCommunities(size, arcs), `seed ${seed}`);
  }
});

const groupOf = (groups: readonly (readonly number[])[], size: number): number[] => {
  const numbers = new Array<number>(size).fill(-1);
  for (const [group, nodes] of groups.entries()) for (const node of nodes) numbers[node] = group;
  return numbers;
};

test('each asset is in one community, and each community is connected inside', async () => {
  const size = 300;
  for (let seed = 1; seed <= 10; seed += 1) {
    const arcs = drawArcs(randomFrom(seed), size, 100 * seed);
    const found = await communitiesOf(size, arcs);
    assert.equal(
      found.flat().sort((a, b) => a - b),
      Array.from({ length: size }, (_, node) => node),
    );
    for (const nodes of found) assert.equal(partSizes(nodes, arcs), [nodes.length]);
    const alone = Array.from({ length: size }, (_, node) => node);
    assert.ok(modularityOf(groupOf(found, size), arcs) > modularityOf(alone, arcs));
  }
});

/** Groups with many edges inside and few between them, whose members are numbered in no order. */
const plant = (seed: number, groups: number, each: number) => {
  const random = randomFrom(seed);
  const size = groups * each;
  const numbers = shuffled(
    random,
    Array.from({ length: size }, (_, node) => node),
  );
  const planted = Array.from({ length: groups }, (_, group) => numbers.slice(group * each, (group + 1) * each));
  const inside = planted.flatMap((nodes) =>
    drawArcs(random, each, each * 6).map((arc) => arc.map((node) => nodes[node] ?? 0) as unknown as Arc),
  );
  const wanted = planted.map((nodes) => [...nodes].sort((a, b) => a - b));
  const first = ([node = 0]: readonly number[]) => node;
  wanted.sort((one, other) => first(one) - first(other));
  return { size, wanted, arcs: [...inside, ...drawArcs(random, size, groups)] };
};

test('planted communities are found', async () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const { size, arcs, wanted } = plant(seed, 12, 15);
    assert.equal(await communitiesOf(size, arcs), wanted, `seed ${seed}`);
  }
});

test('the order of storage changes nothing', async () => {
  const random = randomFrom(11);
  const assets = assetsOf(500, drawArcs(random, 500, 1200));
  const list = async (some: typeof assets) => (await findCommunities(buildNetwork(some))).map((nodes) => [...nodes]);
  const wanted = await list(assets);
  for (let turn = 0; turn < 5; turn += 1) {
    const other = shuffled(random, assets).map((asset) => ({ ...asset, feeds: shuffled(random, asset.feeds) }));
    assert.equal(await list(other), wanted);
  }
});

test('assets without lineage are alone, and no assets have no communities', async () => {
  assert.equal(await communitiesOf(3, []), [[0], [1], [2]]);
  assert.equal(await communitiesOf(0, []), []);
});

test('a hub and a long chain take no longer than their edges', async () => {
  const size = 50_000;
  const ids = networkOf(size, []).assets;
  const fed = ids.map(({ id }) => id);
  const star = buildNetwork(ids.map((asset, at) => (at === 0 ? { ...asset, feeds: fed.slice(1) } : asset)));
  assert.is((await findCommunities(star)).length, 1);
  const chain = buildNetwork(ids.map((asset, at) => ({ ...asset, feeds: fed.slice(at + 1, at + 2) })));
  const found = await findCommunities(chain);
  assert.ok(found.length > 10 && found.length < size / 20, String(found.length));
});

test.run();
