import * as assert from 'uvu/assert';
import type { LineageGraph, LineageNode } from '../../src/explorer/api/types.ts';
import { countFates, edgeTitle, listMappings, sourceName } from '../../src/explorer/lineage/edge-facts.ts';
import { findFailingSince, readFailing } from '../../src/explorer/lineage/failing.ts';
import { mergeGraphs, type ShownGraph } from '../../src/explorer/lineage/graph-model.ts';
import {
  addHighlight,
  addTrail,
  highlightEdges,
  highlightPath,
  labelBoxes,
} from '../../src/explorer/lineage/highlight.ts';
import { listRows } from '../../src/explorer/lineage/list-rows.ts';
import { suite } from '../support/suite.ts';

/** Shows what stands out in the graph, and what the list and the panels say of it. */

const test = suite('explorer: paths that stand out');

const node = (id: string, depth?: number): LineageNode => ({
  ...{ id, type: 'table', fullyQualifiedName: `s.${id}` },
  ...(depth === undefined ? {} : { depth }),
});

const graphOf = (nodes: readonly LineageNode[], edges: readonly (readonly [string, string])[]): ShownGraph =>
  mergeGraphs({
    ...{ root: { id: nodes[0]?.id ?? '', type: 'table' }, nodes: [...nodes], columnEdges: [], truncated: false },
    ...{ edges: edges.map(([fromEntity, toEntity]) => ({ fromEntity, toEntity })), frontier: [] },
    ...{ hiddenCounts: {}, asOf: 1 },
  });

test('who states an edge is shown by source and name, and a declaration in a word', () => {
  const declared = 'declaration 3f2a1b4c-0000-8000-9000-1f1f4b0e6a10';
  assert.is(sourceName({ source: 'OpenLineage', sourceName: declared }), 'OpenLineage · declared');
  assert.is(sourceName({ source: 'DbtLineage', sourceName: 'shop' }), 'dbt · shop');
  assert.is(sourceName({ source: 'OpenLineage' }), 'OpenLineage');
});

test('a path is shown whole, even beyond the depth of the graph', () => {
  const graph = graphOf([node('a', 0), node('b', 1)], [['a', 'b']]);
  const shown = addHighlight(graph, highlightPath([node('a'), node('b'), node('c')]));
  assert.equal([...shown.nodes.keys()], ['a', 'b', 'c']);
  assert.equal([...shown.edges.keys()], ['a b', 'b c']);
  assert.is(shown.nodes.get('b')?.depth, 1, 'what the graph knows of a record stays');
  assert.is(addHighlight(graph, highlightPath([node('a'), node('b')])), graph, 'nothing is laid out anew for nothing');
});

test('who comes to a box by the keyboard hears what it shows, also where an answer was cut', () => {
  const known = graphOf([node('a', 0), node('b', 1), node('c', 1)], []);
  const hidden = new Map([
    ['b', { upstream: 0, downstream: 9 }],
    ['c', { upstream: 0, downstream: 0 }],
  ]);
  const boxes = ['a', 'b', 'c'].map((id) => ({ id, position: { x: 0, y: 0 }, data: {}, ariaLabel: '' }));
  const labels = labelBoxes(boxes, { ...known, hidden, cutAt: new Set(['b', 'c']) }).map(({ ariaLabel }) => ariaLabel);
  assert.equal(labels, ['s.a, table, the asset of this page', 's.b, table, 9 more downstream, cut here', 's.c, table']);
});

test('what a trail reaches beyond the graph is added to it, with what is known of its neighbours', () => {
  const known = graphOf([node('a', 0), node('b', 1)], [['a', 'b']]);
  const graph = { ...known, hidden: new Map([['b', { upstream: 1, downstream: 9 }]]) };
  const answer = (nodes: readonly LineageNode[], edges: readonly (readonly [string, string])[]): LineageGraph => ({
    ...{
      root: { id: 'a', type: 'table' },
      nodes: [...nodes],
      columnEdges: [],
      truncated: false,
      frontier: [],
      asOf: 1,
    },
    ...{ edges: edges.map(([fromEntity, toEntity]) => ({ fromEntity, toEntity, description: 'of the trail' })) },
    ...{ hiddenCounts: { b: { upstream: 5, downstream: 5 }, c: { upstream: 0, downstream: 2 } } },
  });
  const far = answer(
    [node('a', 0), node('b', 2), node('c', 3)],
    [
      ['a', 'b'],
      ['b', 'c'],
    ],
  );
  const shown = addTrail(graph, far);
  assert.equal([...shown.nodes.keys()], ['a', 'b', 'c']);
  assert.equal([...shown.edges.keys()], ['a b', 'b c']);
  assert.equal([shown.nodes.get('b')?.depth, shown.nodes.get('c')?.depth], [1, 3]);
  assert.is(shown.edges.get('a b')?.description, undefined, 'what the graph knows of an edge stays');
  assert.equal(
    [shown.hidden.get('b'), shown.hidden.get('c')],
    [
      { upstream: 1, downstream: 5 },
      { upstream: 0, downstream: 2 },
    ],
  );
  assert.is(
    addTrail(graph, answer([node('a'), node('b')], [['a', 'b']])),
    graph,
    'nothing is laid out anew for nothing',
  );
  assert.is(addTrail(graph, undefined), graph);
  const other = addTrail(graph, { ...far, root: { id: 'b', type: 'table' } });
  assert.is(other.nodes.get('c')?.depth, undefined, 'the distance from another record is not that from the root');
});

test('edges of the path stand out, the open edge is marked, and others step back', () => {
  const edges = [
    { id: '1', source: 'a', target: 'b', className: 'came' },
    { id: '2', source: 'b', target: 'c' },
  ];
  const marked = highlightEdges(edges, highlightPath([node('a'), node('b')]), 'b c');
  assert.equal(
    marked.map(({ className }) => className),
    ['came on-path', 'off-path chosen'],
  );
  assert.is(highlightEdges(edges, undefined, undefined), edges);
});

test('failures are traced by the shortest ways, and detours over cycles are left out', () => {
  const relation = (from: string, to: string) => ({
    fromEntity: { id: from, type: 'table', fullyQualifiedName: `s.${from}`, fqnHash: '' },
    toEntity: { id: to, type: 'table', fullyQualifiedName: `s.${to}`, fqnHash: '' },
    ...{ docId: `${from}--->${to}`, docUniqueId: `${from}--->${to}` },
  });
  const document = (id: string) => ({ id, entityType: 'table', name: id, fullyQualifiedName: `s.${id}` });
  const { records, highlight } = readFailing(
    {
      nodes: [document('far'), document('near')],
      edges: [
        ...[relation('far', 'mid'), relation('mid', 'root'), relation('near', 'root')],
        ...[relation('mid', 'loop'), relation('loop', 'mid'), relation('root', 'mid')],
      ],
    },
    node('root', 0),
  );
  assert.equal(
    records.map(({ id, steps }) => [id, steps]),
    [
      ['near', 1],
      ['far', 2],
    ],
  );
  assert.equal([...highlight.edges.keys()].sort(), ['far mid', 'mid root', 'near root']);
  assert.equal([...highlight.nodes.keys()].sort(), ['far', 'mid', 'near', 'root']);
});

test('a test fails since the first result after the last that passed', () => {
  const results = (...statuses: readonly ('Success' | 'Failed' | 'Aborted')[]) =>
    statuses.map((testCaseStatus, at) => ({ timestamp: 100 - at, testCaseStatus }));
  assert.is(findFailingSince(results('Failed', 'Aborted', 'Failed', 'Success', 'Failed')), 98);
  assert.is(findFailingSince(results('Failed', 'Failed')), 99, 'as far as results are known');
  assert.is(findFailingSince(results('Success', 'Failed')), undefined);
  assert.is(findFailingSince([]), undefined);
});

test('an edge between assets of one name says their kinds', () => {
  const named = (id: string, type: string): LineageNode => ({ id, type, name: 'orders' });
  const graph = graphOf([named('a', 'table'), named('b', 'topic'), node('c')], []);
  assert.is(edgeTitle(graph, { fromEntity: 'a', toEntity: 'b' }), 'orders (table) → orders (topic)');
  assert.is(edgeTitle(graph, { fromEntity: 'a', toEntity: 'c' }), 'orders → s.c');
});

test('the list goes from the asset outwards, upstream first, and forgets nothing', () => {
  const rows = listRows(graphOf([node('root', 0), node('d1', 1), node('u2', -2), node('u1', -1), node('gone')], []));
  assert.equal(
    rows.map((row) => (row.kind === 'distance' ? row.title : row.record.id)),
    [
      ...['The asset', 'root', '1 step upstream', 'u1', '1 step downstream', 'd1'],
      ...['2 steps upstream', 'u2', 'Elsewhere', 'gone'],
    ],
  );
});

test('columns of a bridge are joined by their target', () => {
  const edge = (fromColumn: string, toColumn: string, by?: string) => ({
    ...{ fromEntity: 'a', fromColumn, toEntity: 'b', toColumn },
    ...(by === undefined ? {} : { function: by }),
  });
  const shown = [edge('a.x', 'b.x'), edge('a.y', 'b.x'), edge('a.x', 'b.x', 'max')];
  assert.equal(listMappings(shown, { fromEntity: 'a', toEntity: 'b', bridged: true }), [
    { fromColumns: ['a.x', 'a.y'], toColumn: 'b.x', function: undefined },
    { fromColumns: ['a.x'], toColumn: 'b.x', function: 'max' },
  ]);
  assert.equal(listMappings(shown, { fromEntity: 'b', toEntity: 'a' }), []);
});

test('assets and edges of a comparison are counted apart', () => {
  const fates = new Map([
    ['a', 'came'],
    ['a b', 'came'],
    ['b c', 'came'],
    ['c', 'went'],
    ['b d', 'changed'],
  ] as const);
  assert.equal(countFates({ fates }), {
    came: { assets: 1, edges: 2 },
    went: { assets: 1, edges: 0 },
    changed: { assets: 0, edges: 1 },
  });
});

test.run();
