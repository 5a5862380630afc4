import * as assert from 'uvu/assert';
import { buildNetwork } from '../../src/insight/graph/network.ts';
import { findCuts } from '../../src/insight/single-points/cut-points.ts';
import { suite } from '../support/suite.ts';
import { type Arc, drawArcs, networkOf, partSizes, randomFrom, reachableFrom } from './random-graphs.ts';

/** Compares single points of failure with what happens when each asset, and each edge, is taken away. */

const test = suite('insight: cut points');

const both = (arcs: readonly Arc[]): Arc[] =>
  arcs.flatMap(([from, to]): Arc[] => [
    [from, to],
    [to, from],
  ]);

const separatedWithout = (whole: readonly number[], nodes: readonly number[], arcs: readonly Arc[]): number => {
  const gone = whole.length - nodes.length;
  return whole.length - gone - (partSizes(nodes, arcs)[0] ?? 0);
};

const cutsByRemoval = (size: number, arcs: readonly Arc[]) => {
  const points: object[] = [];
  for (let node = 0; node < size; node += 1) {
    const whole = [...reachableFrom(both(arcs), node)];
    const rest = whole.filter((other) => other !== node);
    const separates = separatedWithout(whole, rest, arcs);
    if (separates > 0) points.push({ node, separates });
  }
  const bridges = arcs.flatMap(([from, to]) => {
    const whole = [...reachableFrom(both(arcs), from)];
    const others = arcs.filter((arc) => arc[0] !== from || arc[1] !== to);
    const separates = separatedWithout(whole, whole, others);
    return separates > 0 ? [{ from, to, separates }] : [];
  });
  return { points, bridges };
};

const sorted = (all: readonly object[]): string[] => all.map((one) => JSON.stringify(one)).sort();

test('single points and bridges are those whose removal separates assets, on random graphs', () => {
  let found = 0;
  for (let seed = 1; seed <= 150; seed += 1) {
    const random = randomFrom(seed);
    const size = 2 + Math.floor(random() * 22);
    const arcs = drawArcs(random, size, Math.floor(random() * size * 2));
    const cuts = findCuts(networkOf(size, arcs));
    const wanted = cutsByRemoval(size, arcs);
    assert.equal(sorted(cuts.points), sorted(wanted.points), `points, seed ${seed}`);
    assert.equal(sorted(cuts.bridges), sorted(wanted.bridges), `bridges, seed ${seed}`);
    found += cuts.points.length + cuts.bridges.length;
  }
  assert.ok(found > 500, `only ${found} were compared`);
});

test('two edges in opposite directions are no bridge', () => {
  const arcs: Arc[] = [
    [0, 1],
    [1, 0],
    [1, 2],
  ];
  assert.equal(findCuts(networkOf(3, arcs)), {
    points: [{ node: 1, separates: 1 }],
    bridges: [{ from: 1, to: 2, separates: 1 }],
  });
});

test('a chain of 200,000 assets is no deeper than the walk can go', () => {
  const size = 200_000;
  const assets = Array.from({ length: size }, (_, node) => ({
    id: String(node).padStart(7, '0'),
    entityType: 'table',
    fullyQualifiedName: String(node),
    parentId: undefined,
    tier: undefined,
    usedOn: undefined,
    uses: 0,
    feeds: [String(node + 1).padStart(7, '0')],
    feedSources: [],
  }));
  const { points, bridges } = findCuts(buildNetwork(assets));
  assert.equal([points.length, bridges.length], [size - 2, size - 1]);
  assert.equal(points[0], { node: 1, separates: 1 });
});

test.run();
