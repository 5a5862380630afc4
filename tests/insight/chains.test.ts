import * as assert from 'uvu/assert';
import { findChains } from '../../src/insight/dead-ends/chains.ts';
import { suite } from '../support/suite.ts';
import { type Arc, drawArcs, networkOf, randomFrom, reachableFrom } from './random-graphs.ts';

/** Compares dead ends and what serves only them with what can be reached from each asset. */

const test = suite('insight: chains that lead nowhere');

/** An asset serves one dead end if it reaches no other end, leaves every circle, and nobody uses it or what it reaches. */
const chainsByReach = (size: number, arcs: readonly Arc[], used: ReadonlySet<number>) => {
  const nodes = Array.from({ length: size }, (_, node) => node);
  const reach = nodes.map((node) => [...reachableFrom(arcs, node)]);
  const isEnd = (node: number) => arcs.every(([from]) => from !== node);
  const chains: [number, number[]][] = nodes
    .filter((node) => isEnd(node) && !used.has(node))
    .map((end) => {
      const serves = (node: number) =>
        node !== end &&
        (reach[node] ?? []).every((far) => !used.has(far) && (reach[far] ?? []).includes(end)) &&
        (reach[node] ?? []).filter(isEnd).length === 1;
      return [end, nodes.filter(serves)];
    });
  return chains;
};

test('a chain is all that reaches one dead end only, on random graphs', () => {
  let members = 0;
  for (let seed = 1; seed <= 200; seed += 1) {
    const random = randomFrom(seed);
    const size = 2 + Math.floor(random() * 18);
    const arcs = drawArcs(random, size, Math.floor(random() * size * 1.6), seed % 2 === 0);
    const used = new Set(Array.from({ length: size }, (_, node) => node).filter(() => random() < 0.15));
    const found = findChains(networkOf(size, arcs), { canEnd: () => true, isUsed: (node) => used.has(node) });
    const chains = [...found].map(([end, upstream]) => [end, [...upstream].sort((a, b) => a - b)] as const);
    assert.equal(
      chains.sort(([one], [other]) => one - other),
      chainsByReach(size, arcs, used),
      `seed ${seed}`,
    );
    members += chains.reduce((sum, [, upstream]) => sum + upstream.length, 0);
  }
  assert.ok(members > 200, `only ${members} were compared`);
});

test('what may not be a dead end has no chain', () => {
  const found = findChains(networkOf(2, [[0, 1]]), { canEnd: () => false, isUsed: () => false });
  assert.is(found.size, 0);
});

test.run();
