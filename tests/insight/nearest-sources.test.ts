import * as assert from 'uvu/assert';
import { PROPAGATION_STOP } from '../../src/insight/propagation/ways.ts';
import { type JudgedNode, judgeNode, listShownPaths } from '../../src/insight/properties/judge-nodes.ts';
import {
  type FlowStep,
  findNearest,
  keepLeadingSteps,
  type Nearest,
  type ValueFlow,
  type ValueNode,
} from '../../src/insight/properties/nearest-sources.ts';
import { createRandom } from '../support/random.ts';
import { suite } from '../support/suite.ts';
import { randomFrom, shuffled } from './random-graphs.ts';

/** Compares what nodes inherit with all ways there are, on small random graphs. */

const test = suite('insight: nearest sources of values');

type Step = FlowStep<ValueNode>;

type Flow = ValueFlow<ValueNode> & {
  readonly nodes: readonly ValueNode[];
  readonly values: ReadonlyMap<string, string>;
  readonly stops: ReadonlySet<string>;
};

const flowOf = (
  nodes: readonly ValueNode[],
  steps: readonly Step[],
  values: ReadonlyMap<string, string>,
  more: { readonly stops?: ReadonlySet<string>; readonly maxDepth?: number } = {},
): Flow => {
  const stops = more.stops ?? new Set<string>();
  return {
    nodes,
    steps,
    values,
    stops,
    passedBy: ({ key }) => values.get(key),
    isStop: ({ key }) => stops.has(key),
    maxDepth: more.maxDepth ?? 20,
  };
};

const nodeAt = (at: number): ValueNode => ({ key: `k${at}`, fullyQualifiedName: `s.n${(at * 7) % 31}_${at}` });

const randomFlow = (seed: number): Flow => {
  const random = createRandom(seed);
  const count = 4 + random(8);
  const nodes = Array.from({ length: count }, (_, at) => nodeAt(at));
  const byPair = new Map<string, Step>();
  for (let at = 0; at < count * 2; at += 1) {
    const [from, to] = [nodes[random(count)] as ValueNode, nodes[random(count)] as ValueNode];
    const blocker = random(100) < 15 ? 'md5' : undefined;
    byPair.set(`${from.key} ${to.key}`, { from, to, blocker });
  }
  const values = new Map(nodes.filter(() => random(100) < 40).map(({ key }) => [key, `v${random(3)}`]));
  const stops = new Set(nodes.filter(() => random(100) < 8).map(({ key }) => key));
  return flowOf(nodes, [...byPair.values()], values, { stops, maxDepth: 1 + random(6) });
};

type Way = { readonly nodes: readonly ValueNode[]; readonly steps: readonly Step[] };

/** All ways from a node with a value to a node, without another node with a value between them. */
const listWays = ({ steps, nodes, values, maxDepth }: Flow): readonly Way[] => {
  const ways: Way[] = [];
  const extend = (way: Way): void => {
    const last = way.nodes.at(-1) as ValueNode;
    if (way.steps.length > 0) ways.push(way);
    if (way.steps.length === maxDepth || (way.steps.length > 0 && values.has(last.key))) return;
    for (const step of steps)
      if (step.from === last && !way.nodes.includes(step.to))
        extend({ nodes: [...way.nodes, step.to], steps: [...way.steps, step] });
  };
  for (const node of nodes) if (values.has(node.key)) extend({ nodes: [node], steps: [] });
  return ways;
};

const obstaclesOf = ({ stops }: Flow, { nodes: [source], steps }: Way) => [
  ...(stops.has(source?.key ?? '') ? [{ from: source, to: source, function: PROPAGATION_STOP }] : []),
  ...steps.flatMap(({ from, to, blocker }) => {
    const how = blocker ?? (stops.has(to.key) ? PROPAGATION_STOP : undefined);
    return how === undefined ? [] : [{ from, to, function: how }];
  }),
];

const shortestOf = (ways: readonly Way[]): readonly Way[] => {
  const least = Math.min(...ways.map(({ steps }) => steps.length));
  return ways.filter(({ steps }) => steps.length === least);
};

const textOf = (path: readonly ValueNode[]): string => path.map(({ key }) => key).join('>');
const sorted = (texts: Iterable<string | undefined>): readonly (string | undefined)[] => [...texts].sort();
const sourcesOf = (ways: readonly Way[]): ReadonlySet<string | undefined> =>
  new Set(ways.map(({ nodes: [source] }) => source?.key));

const checkOpen = (flow: Flow, found: Nearest<ValueNode>, open: readonly Way[], why: string): void => {
  const nearest = shortestOf(open);
  const sources = sourcesOf(nearest);
  assert.is(found.blockedBy, undefined, why);
  assert.equal(sorted(found.sources.map(({ source }) => source.key)), sorted(sources), why);
  for (const { source, value, listPaths } of found.sources) {
    assert.is(value, flow.values.get(source.key), why);
    const all = nearest.filter(({ nodes: [first] }) => first === source).map(({ nodes }) => textOf(nodes));
    const paths = listPaths().map(textOf);
    assert.is(new Set(paths).size, Math.min(3, all.length), why);
    assert.ok(paths.length <= 3 && paths.every((path) => all.includes(path)), why);
  }
};

const checkBlocked = (flow: Flow, found: Nearest<ValueNode>, ways: readonly Way[], why: string): void => {
  const [only, ...others] = found.sources;
  assert.is(others.length, 0, why);
  const path = textOf(only?.listPaths()[0] ?? []);
  const way = shortestOf(ways).find(({ nodes }) => textOf(nodes) === path);
  assert.ok(way, why);
  assert.equal(found.blockedBy, way && obstaclesOf(flow, way)[0], why);
  assert.is(only?.value, flow.values.get(only?.source.key ?? ''), why);
};

/** What a node has is its value, or one that came along lineage and that it does not pass on. */
const expectedState = (flow: Flow, ways: readonly Way[], carried: string | undefined): string => {
  const values = new Set([...sourcesOf(shortestOf(ways))].map((key) => flow.values.get(key ?? '')));
  if (values.size > 1) return 'conflicts';
  if (carried === undefined) return 'missing';
  return values.has(carried) ? 'agrees' : 'conflicts';
};

const checkJudged = (judged: JudgedNode<ValueNode>, flow: Flow, ways: readonly Way[], why: string): void => {
  const carried = flow.values.get(judged.node.key);
  const all = new Set([...sourcesOf(shortestOf(ways))].map((key) => flow.values.get(key ?? '')));
  assert.is(judged.state, expectedState(flow, ways, carried), why);
  assert.ok(all.has(judged.value), why);
  if (carried !== undefined && all.has(carried)) assert.is(judged.value, carried, why);
  const others = new Set([...all, ...(carried === undefined ? [] : [carried])]);
  others.delete(judged.value);
  assert.equal(sorted(judged.conflictsWith), sorted(others), why);
  assert.ok(judged.sources.length <= 5 && listShownPaths(judged).length <= 3, why);
  assert.is(flow.values.get(listShownPaths(judged)[0]?.[0]?.key ?? ''), judged.value, why);
};

test('each node inherits from the nearest nodes with a value, along ways without others', () => {
  const counts: Record<string, number> = { missing: 0, agrees: 0, conflicts: 0, blocked: 0, none: 0 };
  for (let seed = 1; seed <= 1500; seed += 1) {
    const flow = randomFlow(seed);
    const found = new Map(findNearest(flow).map((row) => [row.node.key, row]));
    const all = listWays(flow);
    for (const node of flow.nodes) {
      const why = `seed ${seed}, ${node.key}`;
      const ways = all.filter(({ nodes }) => nodes.at(-1) === node);
      const open = ways.filter((way) => obstaclesOf(flow, way).length === 0);
      const row = found.get(node.key);
      const isBlocked = open.length === 0 && ways.length > 0 && !flow.values.has(node.key);
      const isRow = open.length > 0 || isBlocked;
      assert.is(row !== undefined, isRow, why);
      const judged = row && judgeNode(row, flow.values.get(node.key));
      const state = judged?.state ?? 'none';
      counts[state] = (counts[state] ?? 0) + 1;
      if (!row || !judged) continue;
      if (isBlocked) {
        checkBlocked(flow, row, ways, why);
        assert.equal([judged.state, judged.conflictsWith], ['blocked', []], why);
      } else {
        checkOpen(flow, row, open, why);
        checkJudged(judged, flow, open, why);
      }
    }
  }
  assert.ok(Math.min(...Object.values(counts)) > 400, JSON.stringify(counts));
});

test('a value on a circle is not its own source, but the next one is', () => {
  const [own, between, far, farther] = [0, 1, 2, 3].map(nodeAt) as [ValueNode, ValueNode, ValueNode, ValueNode];
  const steps = [
    [own, between],
    [between, own],
    [farther, far],
    [far, between],
  ].map(([from, to]) => ({ from, to, blocker: undefined }) as Step);
  const values = new Map([
    [own.key, 'a'],
    [farther.key, 'b'],
  ]);
  const rows = findNearest(flowOf([own, between, far, farther], steps, values));
  const named = new Map(rows.map(({ node, sources }) => [node.key, sources.map(({ source }) => source.key)]));
  assert.equal(named.get(between.key), [own.key]);
  assert.equal(named.get(own.key), [farther.key]);
});

test('a node with many sources tells values apart and keeps few sources', () => {
  const hub: ValueNode = { key: 'hub', fullyQualifiedName: 'hub' };
  const end: ValueNode = { key: 'end', fullyQualifiedName: 'end' };
  const sources = Array.from({ length: 500 }, (_, at) => nodeAt(at));
  const steps = [...sources.map((from) => ({ from, to: hub })), { from: hub, to: end }].map((step) => ({
    ...step,
    blocker: undefined,
  }));
  const odd = sources[321] as ValueNode;
  const values = new Map(sources.map(({ key }) => [key, key === odd.key ? 'odd' : 'same']));
  for (const row of findNearest(flowOf([], steps, values))) {
    assert.ok(row.sources.length <= 8);
    const judged = judgeNode(row, 'odd');
    assert.equal([judged.state, judged.value, judged.conflictsWith], ['conflicts', 'odd', ['same']]);
    assert.is(judged.sources[0]?.source, odd);
    assert.is(judged.sources.length, 5);
  }
  const all = new Map(sources.map(({ key }) => [key, key]));
  for (const row of findNearest(flowOf([], steps, all))) assert.ok(row.sources.length <= 22);
});

test('the order in which things are stored does not matter', () => {
  const plain = (rows: readonly Nearest<ValueNode>[]) =>
    rows.map(({ sources, ...row }) => ({
      ...row,
      sources: sources.map((one) => [one.value, one.listPaths().map(textOf)]),
    }));
  for (let seed = 1; seed <= 150; seed += 1) {
    const flow = randomFlow(seed);
    const steps = shuffled(randomFrom(seed + 1), flow.steps);
    assert.equal(plain(findNearest({ ...flow, steps })), plain(findNearest(flow)), `seed ${seed}`);
  }
});

test('only steps that lead to what is wanted are kept', () => {
  for (let seed = 1; seed <= 150; seed += 1) {
    const { steps, nodes } = randomFlow(seed);
    const wanted = nodes.slice(0, 2);
    const leads = (node: ValueNode, seen: readonly ValueNode[] = []): boolean =>
      wanted.includes(node) ||
      steps.some(({ from, to }) => from === node && !seen.includes(to) && leads(to, [...seen, node]));
    const kept = new Set(keepLeadingSteps(steps, (node) => wanted.includes(node)));
    for (const step of steps) assert.is(kept.has(step), leads(step.to), `seed ${seed}`);
  }
});

test.run();
