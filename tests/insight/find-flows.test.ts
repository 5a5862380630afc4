import * as assert from 'uvu/assert';
import { type Flow, findFlows } from '../../src/insight/flows/find-flows.ts';
import { buildFlowGraph, type FlowArc, type FlowNode, type FlowSource } from '../../src/insight/flows/flow-graph.ts';
import { createRandom } from '../support/random.ts';
import { suite } from '../support/suite.ts';
import { type Arc, drawArcs, randomFrom } from './random-graphs.ts';

/** Compares flows in random graphs with those that walking every single way finds. */

const test = suite('insight: ways of labels');

/** Three nodes make an asset: two columns, and the asset as a whole. */
const NODES_PER_ASSET = 3;

const nodeOf = (at: number): FlowSource => {
  const asset = Math.floor(at / NODES_PER_ASSET);
  const isColumn = at % NODES_PER_ASSET < 2;
  const fqn = `a${String(asset).padStart(3, '0')}`;
  return {
    key: `k${String(at).padStart(4, '0')}`,
    fullyQualifiedName: isColumn ? `${fqn}.c${at % NODES_PER_ASSET}` : fqn,
    name: `c${at}`,
    labels: [],
    owner: {
      id: fqn,
      entityType: asset % 3 === 0 ? 'dashboard' : 'table',
      name: fqn,
      fullyQualifiedName: fqn,
      displayName: null,
      description: null,
      deleted: false,
    },
    isColumn,
  };
};

const isColumn = (at: number): boolean => nodeOf(at).isColumn;

/** Labels never come out of a whole asset into a column. */
const arcsOf = (arcs: readonly Arc[]): readonly Arc[] => arcs.filter(([from, to]) => isColumn(from) || !isColumn(to));

const graphOf = (arcs: readonly Arc[]) => buildFlowGraph(arcs.map(([from, to]): FlowArc => [nodeOf(from), nodeOf(to)]));

const isDashboard = ({ entityType }: FlowNode['owner']): boolean => entityType === 'dashboard';

/** Walks every way without going through a node twice. */
const walkAll = (arcs: readonly Arc[], way: readonly number[], note: (way: readonly number[]) => void): void => {
  note(way);
  for (const [from, to] of arcs) if (from === way.at(-1) && !way.includes(to)) walkAll(arcs, [...way, to], note);
};

type Expected = { ways: number; shortest: number; shortestCertain: number };

const expectedFlows = (arcs: readonly Arc[], source: number): ReadonlyMap<string, Expected> => {
  const found = new Map<string, Expected>();
  walkAll(arcs, [source], (way) => {
    const end = way.at(-1) ?? 0;
    const { owner } = nodeOf(end);
    if (owner.id === nodeOf(source).owner.id || !isDashboard(owner)) return;
    const known = found.get(owner.id) ?? { ways: 0, shortest: Infinity, shortestCertain: Infinity };
    known.ways += 1;
    known.shortest = Math.min(known.shortest, way.length);
    if (isColumn(end)) known.shortestCertain = Math.min(known.shortestCertain, way.length);
    found.set(owner.id, known);
  });
  return found;
};

const checkPath = (arcs: readonly Arc[], { path, source, target, isCertain }: Flow): void => {
  const known = new Set(arcs.map(([from, to]) => `${nodeOf(from).key} ${nodeOf(to).key}`));
  assert.is(path[0]?.key, source.key);
  assert.is(path.at(-1)?.owner.id, target.id);
  for (const [at, node] of path.entries())
    if (at > 0) assert.ok(known.has(`${path[at - 1]?.key} ${node.key}`), 'every step is an edge');
  assert.is(
    path.every((node) => node.isColumn),
    isCertain,
  );
};

const compare = (seed: number, withCircles: boolean): void => {
  const size = 24;
  const arcs = arcsOf(drawArcs(randomFrom(seed), size, 30 + createRandom(seed)(20), withCircles));
  const sources = [0, 1, 4, 7, 10].map(nodeOf);
  const { flows, isCut } = findFlows(graphOf(arcs), sources, isDashboard, 10_000);
  assert.is(isCut, false);
  for (const source of [0, 1, 4, 7, 10]) {
    const expected = expectedFlows(arcs, source);
    const mine = flows.filter((flow) => flow.source.key === nodeOf(source).key);
    assert.equal(mine.map(({ target }) => target.id).sort(), [...expected.keys()].sort(), `seed ${seed}`);
    for (const flow of mine) {
      const { ways, shortest, shortestCertain } = expected.get(flow.target.id) as Expected;
      checkPath(arcs, flow);
      assert.is(flow.isCertain, shortestCertain < Infinity);
      assert.is(flow.path.length, flow.isCertain ? shortestCertain : shortest, `seed ${seed}: the shortest way`);
      if (!withCircles) assert.is(flow.ways, ways, `seed ${seed}: all ways of ${source} to ${flow.target.id}`);
      else assert.ok(flow.ways >= 1);
    }
  }
};

test('flows are those of every single way, with its number, where there are no loops', () => {
  for (let seed = 1; seed <= 60; seed += 1) compare(seed, false);
});

test('the same targets and shortest ways are found where there are loops', () => {
  for (let seed = 1; seed <= 60; seed += 1) compare(seed, true);
});

test('a loop on the way counts once', () => {
  // 3 feeds a loop of 4 and 6, and from each of both a way leads on to 9.
  const { flows } = findFlows(
    graphOf([
      [3, 4],
      [4, 6],
      [6, 4],
      [4, 9],
      [6, 9],
    ]),
    [nodeOf(3)],
    ({ id }) => id === nodeOf(9).owner.id,
    100,
  );
  assert.equal(
    flows.map(({ ways, path }) => [ways, path.length]),
    [[2, 3]],
  );
});

test('more ways than numbers can say stay a number', () => {
  // Two columns after the other double the number of ways at every step.
  const arcs: Arc[] = [];
  for (let asset = 0; asset < 70; asset += 1) {
    const [one, next] = [asset * NODES_PER_ASSET, (asset + 1) * NODES_PER_ASSET];
    arcs.push([one, next], [one, next + 1], [one + 1, next], [one + 1, next + 1]);
  }
  const last = nodeOf(70 * NODES_PER_ASSET).owner.id;
  const { flows } = findFlows(graphOf(arcs), [nodeOf(0)], ({ id }) => id === last, 1000);
  assert.equal(
    flows.map(({ ways }) => ways),
    [Number.MAX_SAFE_INTEGER],
  );
});

test('the answer ends when too much would have to be looked at', () => {
  const arcs: Arc[] = [
    [0, 3],
    [3, 9],
    [1, 3],
  ];
  const { flows, isCut } = findFlows(graphOf(arcs), [nodeOf(0), nodeOf(1)], isDashboard, 4);
  assert.equal([isCut, flows.length], [true, 1]);
});

test.run();
