import * as assert from 'uvu/assert';
import { buildNetwork } from '../../src/insight/graph/network.ts';
import { rankByDependents } from '../../src/insight/importance/page-rank.ts';
import { suite } from '../support/suite.ts';
import { type Arc, assetsOf, drawArcs, networkOf, randomFrom, shuffled } from './random-graphs.ts';

/** Compares ranks with the power iteration of the whole matrix. */

const test = suite('insight: ranks of lineage');

const DAMPING = 0.85;

/** The share of its rank that each asset hands to each other: to what it is made from, or to all when that is nothing. */
const matrixOf = (size: number, arcs: readonly Arc[]): number[][] =>
  Array.from({ length: size }, (_, from) => {
    const above = arcs.flatMap(([source, target]) => (target === from ? [source] : []));
    return Array.from({ length: size }, (_, to) => {
      const share = above.length === 0 ? 1 / size : above.filter((node) => node === to).length / above.length;
      return (1 - DAMPING) / size + DAMPING * share;
    });
  });

const ranksByMatrix = (size: number, arcs: readonly Arc[]): number[] => {
  const matrix = matrixOf(size, arcs);
  let ranks = new Array<number>(size).fill(1 / size);
  for (let round = 0; round < 400; round += 1) {
    ranks = ranks.map((_, to) => ranks.reduce((sum, rank, from) => sum + rank * (matrix[from]?.[to] ?? 0), 0));
  }
  return ranks;
};

test('the ranks are those of the power iteration, on random graphs', async () => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const random = randomFrom(seed);
    const size = 1 + Math.floor(random() * 25);
    const arcs = drawArcs(random, size, Math.floor(random() * size * 3), seed % 3 === 0);
    const ranks = await rankByDependents(networkOf(size, arcs));
    const wanted = ranksByMatrix(size, arcs);
    for (const [node, rank] of ranks.entries()) {
      assert.ok(
        Math.abs(rank - (wanted[node] ?? 0)) < 1e-8,
        `seed ${seed}, node ${node}: ${rank}, not ${wanted[node]}`,
      );
    }
  }
});

test('the order of storage changes no digit', async () => {
  const random = randomFrom(7);
  const assets = assetsOf(400, drawArcs(random, 400, 1500));
  const ranks = await rankByDependents(buildNetwork(assets));
  for (let turn = 0; turn < 5; turn += 1) {
    const other = shuffled(random, assets).map((asset) => ({ ...asset, feeds: shuffled(random, asset.feeds) }));
    assert.equal([...(await rankByDependents(buildNetwork(other)))], [...ranks]);
  }
});

test('no assets have no ranks', async () => {
  assert.is((await rankByDependents(networkOf(0, []))).length, 0);
});

test.run();
