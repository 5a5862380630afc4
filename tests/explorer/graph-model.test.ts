import * as assert from 'uvu/assert';
import type { LineageGraph } from '../../src/explorer/api/types.ts';
import { joinShown, markDifferences, markNeighbours, mergeGraphs } from '../../src/explorer/lineage/graph-model.ts';
import { suite } from '../support/suite.ts';

/** Shows that answers of the API become one graph. */

const test = suite('explorer: lineage shown');

type Part = {
  readonly nodes: readonly string[];
  readonly edges: readonly (readonly [string, string])[];
  readonly hidden?: LineageGraph['hiddenCounts'];
  readonly truncated?: boolean;
  readonly frontier?: string[];
};

const graphOf = ({ nodes, edges, hidden = {}, truncated = false, frontier = [] }: Part): LineageGraph => ({
  root: { id: nodes[0] ?? '', type: 'table' },
  nodes: nodes.map((id) => ({ id, type: 'table' })),
  edges: edges.map(([fromEntity, toEntity]) => ({ fromEntity, toEntity })),
  columnEdges: [],
  truncated,
  frontier,
  hiddenCounts: hidden,
  asOf: 1,
});

test('a step further adds its records and edges once, and lowers what is said to be hidden', () => {
  const near = graphOf({
    nodes: ['b', 'a'],
    edges: [['a', 'b']],
    hidden: { a: { upstream: 2, downstream: 1 }, b: { upstream: 0, downstream: 4 } },
  });
  const further = graphOf({
    nodes: ['a', 'x', 'y'],
    edges: [
      ['x', 'a'],
      ['y', 'a'],
    ],
    hidden: { a: { upstream: 0, downstream: 2 }, x: { upstream: 7, downstream: 0 } },
    truncated: true,
    frontier: ['x'],
  });
  const shown = mergeGraphs(near, [further, further]);
  assert.is(shown.rootId, 'b');
  assert.equal([...shown.nodes.keys()], ['b', 'a', 'x', 'y']);
  assert.equal([...shown.edges.keys()], ['a b', 'x a', 'y a']);
  assert.equal(shown.hidden.get('a'), { upstream: 0, downstream: 1 });
  assert.equal(shown.hidden.get('x'), { upstream: 7, downstream: 0 });
  assert.ok(shown.isTruncated);
  assert.equal([...shown.cutAt], ['x']);
});

test('what no single answer tells joins what is shown, and nothing else', () => {
  const step = (from: string, to: string) => graphOf({ nodes: [from, to], edges: [[from, to]], hidden: HIDDEN });
  const HIDDEN = { x: { upstream: 1, downstream: 1 }, y: { upstream: 1, downstream: 0 } };
  const shown = mergeGraphs(graphOf({ nodes: ['r'], edges: [] }), [step('r', 'x'), step('r', 'y')]);
  const told = { fromEntity: 'r', toEntity: 'x', description: 'told again' };
  const joined = joinShown(shown, {
    edges: [told, { fromEntity: 'x', toEntity: 'y' }, { fromEntity: 'x', toEntity: 'not shown' }],
    hiddenCounts: { x: { upstream: 0, downstream: 1 }, y: { upstream: 0, downstream: 0 }, gone: HIDDEN.x },
  });
  assert.equal([...joined.edges.keys()].sort(), ['r x', 'r y', 'x y']);
  assert.not.ok('description' in (joined.edges.get('r x') ?? {}), 'what was there stays as it was');
  assert.equal(
    [joined.hidden.get('x'), joined.hidden.get('y')],
    [
      { upstream: 0, downstream: 1 },
      { upstream: 0, downstream: 0 },
    ],
  );
  assert.equal([...joined.nodes.keys()], ['r', 'x', 'y']);
  assert.not.ok(joined.hidden.has('gone'));
});

test('neighbours that a filter leaves out are none to go on to, also where answers are joined', () => {
  const sides = (upstream: number, downstream: number) => ({ upstream, downstream });
  const graph = graphOf({ nodes: ['r'], edges: [], hidden: { r: { ...sides(3, 2), filtered: sides(1, 2) } } });
  const shown = mergeGraphs(graph);
  assert.equal([shown.hidden.get('r'), shown.filtered.get('r')], [sides(2, 0), sides(1, 2)]);
  const joined = joinShown(shown, { edges: [], hiddenCounts: { r: sides(3, 2) } });
  assert.equal(joined.hidden.get('r'), sides(2, 0), 'who joins does not know the filter');
  const looked = graphOf({ nodes: ['r'], edges: [], hidden: { r: { ...sides(3, 0), filtered: sides(3, 0) } } });
  const both = mergeGraphs(graph, [looked]);
  assert.equal([both.hidden.get('r'), both.filtered.get('r')], [sides(0, 0), sides(3, 2)]);
});

test('a comparison shows what is gone beside what is there, and says which is which', () => {
  const now = mergeGraphs(
    graphOf({
      nodes: ['b', 'a', 'c'],
      edges: [
        ['a', 'b'],
        ['c', 'b'],
      ],
    }),
  );
  const part = (nodes: readonly string[], edges: readonly (readonly [string, string])[]) => graphOf({ nodes, edges });
  assert.not(now.isCompared);
  const shown = markDifferences(now, {
    added: part(['c'], [['c', 'b']]),
    removed: part(['old'], [['old', 'b']]),
    changed: ['a b'],
    isTruncated: true,
  });
  assert.ok(shown.isCompared && shown.isTruncated);
  assert.equal([...shown.nodes.keys()], ['b', 'a', 'c', 'old']);
  assert.equal(Object.fromEntries(shown.fates), {
    'a b': 'changed',
    'c b': 'came',
    'old b': 'went',
    c: 'came',
    old: 'went',
  });
});

test('a record that was picked came or went where all of its edges did', () => {
  const nodes = ['root', 'fresh', 'both', 'lost', 'alone'];
  const now = mergeGraphs(
    graphOf({
      nodes,
      edges: [
        ['root', 'fresh'],
        ['root', 'both'],
        ['both', 'fresh'],
      ],
    }),
  );
  const edge = (fromEntity: string, toEntity: string) => ({ fromEntity, toEntity });
  const marked = markDifferences(now, {
    added: { nodes: [], edges: [edge('root', 'fresh'), edge('both', 'fresh')] },
    removed: { nodes: [], edges: [edge('root', 'lost')] },
    changed: [],
    isTruncated: false,
  });
  const fatesOf = (picked: readonly string[]) => {
    const { fates } = markNeighbours(marked, picked);
    return nodes.map((id) => fates.get(id));
  };
  assert.equal(fatesOf(['fresh', 'both', 'lost', 'alone']), [undefined, 'came', undefined, 'went', undefined]);
  assert.equal(
    fatesOf([]),
    nodes.map(() => undefined),
  );
});

test.run();
