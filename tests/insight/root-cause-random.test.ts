import * as assert from 'uvu/assert';
import { collectFedAssets, visitSources, walkUpstream } from '../../src/insight/root-cause/upstream.ts';
import { suite } from '../support/suite.ts';
import { type Arc, drawArcs, networkOf, randomFrom, reachableFrom } from './random-graphs.ts';

/** Compares the walk around an asset that looks wrong with slow ways to tell the same. */

const test = suite('insight: walks to root causes');

const idOf = (node: number): string => `n${String(node).padStart(5, '0')}`;
const numberOf = (id: string): number => Number(id.slice(1));

const turned = (arcs: readonly Arc[]): readonly Arc[] => arcs.map(([from, to]): Arc => [to, from]);

const UNBOUNDED = { depth: 1000, assets: 1000 };

/** The number of edges from each node to a subject, by trying ever longer ways. */
const slowDepths = (arcs: readonly Arc[], subject: number): ReadonlyMap<number, number> => {
  const depths = new Map([[subject, 0]]);
  for (let depth = 1; ; depth += 1) {
    const before = new Map(depths);
    for (const [from, to] of arcs) if (before.has(to) && !depths.has(from)) depths.set(from, depth);
    if (before.size === depths.size) return depths;
  }
};

test('depths, trails, regions and covers are those of the slow ways', () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const random = randomFrom(seed);
    const size = 4 + Math.floor(random() * 26);
    const arcs = drawArcs(random, size, Math.floor(size * (0.5 + random() * 2)), seed % 2 === 0);
    const network = networkOf(size, arcs);
    const subject = Math.floor(random() * size);
    const walk = walkUpstream(network, idOf(subject), UNBOUNDED);
    const depths = slowDepths(arcs, subject);
    assert.equal(
      [...walk.assets.values()].map(({ id, depth }) => [numberOf(id), depth]).sort(([a = 0], [b = 0]) => a - b),
      [...depths].sort(([a], [b]) => a - b),
      `depths of ${seed}`,
    );
    for (const { id, depth, next } of walk.assets.values()) {
      if (next === undefined) continue;
      const closer = arcs
        .filter(([from, to]) => from === numberOf(id) && depths.get(to) === depth - 1)
        .map(([, to]) => idOf(to))
        .sort();
      assert.is(next, closer[0], `the next one of ${id} in ${seed}`);
    }
    const fed = new Set([...depths.keys()].flatMap((node) => [...reachableFrom(arcs, node)]));
    const region = collectFedAssets(network, walk.assets.keys(), 1000);
    assert.equal(
      [...region.nodes].sort((a, b) => a - b),
      [...fed].sort((a, b) => a - b),
      `region of ${seed}`,
    );
    for (const failing of fed) {
      const visited = new Set<number>();
      visitSources(network, region, idOf(failing), (id) => visited.add(numberOf(id)));
      const sources = reachableFrom(turned(arcs), failing);
      const wanted = [...depths.keys()].filter((node) => sources.has(node));
      assert.equal(
        [...depths.keys()].filter((node) => visited.has(node)),
        wanted,
        `what covers ${failing} in ${seed}`,
      );
    }
  }
});

test('bounds keep what is near, in the order of names, and are named', () => {
  // Node 9 is fed by 0 to 4, which 5 to 8 feed.
  const arcs: readonly Arc[] = [
    ...[0, 1, 2, 3, 4].map((node): Arc => [node, 9]),
    ...[5, 6, 7, 8].map((node): Arc => [node, 0]),
  ];
  const network = networkOf(10, arcs);
  const idsWithin = (bounds: typeof UNBOUNDED) => {
    const { assets, cut } = walkUpstream(network, idOf(9), bounds);
    return [[...assets.keys()].map(numberOf), cut];
  };
  assert.equal(idsWithin({ depth: 1, assets: 100 }), [[9, 0, 1, 2, 3, 4], 'depth']);
  assert.equal(idsWithin({ depth: 9, assets: 4 }), [[9, 0, 1, 2], 'upstream']);
  assert.equal(idsWithin({ depth: 9, assets: 8 }), [[9, 0, 1, 2, 3, 4, 5, 6], 'upstream']);
  assert.equal(idsWithin({ depth: 2, assets: 10 }), [[9, 0, 1, 2, 3, 4, 5, 6, 7, 8], undefined]);
  const { nodes, cut } = collectFedAssets(network, [idOf(5)], 2);
  assert.equal([[...nodes], cut], [[5, 0], 'downstream']);
  assert.equal([...walkUpstream(network, 'n-none', UNBOUNDED).assets.keys()], ['n-none']);
});

test.run();
