import * as assert from 'uvu/assert';
import type { LineageGraph, LineageNode } from '../../src/explorer/api/types.ts';
import { mergeGraphs, type ShownGraph } from '../../src/explorer/lineage/graph-model.ts';
import {
  foldGroup,
  groupGraph,
  groupingOf,
  listFurther,
  MEMBERS_AT_ONCE,
  MOST_BOXES,
  MOST_UNGROUPED,
  unfoldGroup,
} from '../../src/explorer/lineage/groups.ts';
import { suite } from '../support/suite.ts';

/** Shows how the records of a large graph are grouped, how groups unfold and fold, and that no edge is lost. */

const test = suite('explorer: groups');

const reference = (type: string, name: string) => ({ id: name, type, name, fullyQualifiedName: name });

const table = (schema: string, name: string, more: Partial<LineageNode> = {}): LineageNode => ({
  id: name,
  type: 'table',
  name,
  fullyQualifiedName: `${schema}.${name}`,
  service: reference('databaseService', schema.split('.')[0] ?? ''),
  ...more,
});

const graphOf = (nodes: readonly LineageNode[], edges: readonly (readonly [string, string])[] = []): ShownGraph => {
  const answer: LineageGraph = {
    root: { id: nodes[0]?.id ?? '', type: 'table' },
    nodes: [...nodes],
    edges: edges.map(([fromEntity, toEntity]) => ({ fromEntity, toEntity })),
    columnEdges: [],
    truncated: false,
    frontier: [],
    hiddenCounts: {},
    asOf: 1,
  };
  return mergeGraphs(answer);
};

const tables = (schema: string, count: number): readonly LineageNode[] =>
  Array.from({ length: count }, (_, at) => table(schema, `${schema.split('.').at(-1)}_${at}`));

const FOLDED = { group: undefined, unfold: [], alone: [], open: [] } as const;

test('a graph that can be looked at is not grouped, unless somebody asks', () => {
  const small = graphOf(tables('s.d.a', MOST_BOXES));
  assert.is(groupingOf(small, undefined), undefined);
  assert.is(groupingOf(small, 'service'), 'service');
  const large = graphOf(tables('s.d.a', MOST_BOXES + 1));
  assert.is(groupingOf(large, undefined), 'schema');
  assert.is(groupingOf(large, 'none'), undefined);
  assert.is(groupingOf(graphOf(tables('s.d.a', MOST_UNGROUPED + 1)), 'none'), 'schema');
});

test('the finest grouping is chosen that makes few groups', () => {
  const schemas = Array.from({ length: 100 }, (_, at) => tables(`s${at % 3}.d.schema${at}`, 2)).flat();
  assert.is(groupingOf(graphOf(schemas), undefined), 'service');
  assert.is(groupingOf(graphOf(schemas.slice(0, 100)), undefined), undefined);
});

test('records stand in their group with counts, the root alone, and edges between groups in bundles', () => {
  const [a, b] = [tables('s.d.a', 3), tables('s.d.b', 2)];
  const failing = table('s.d.b', 'late', { testStatus: 'Failed' });
  const chart: LineageNode = { id: 'chart', type: 'chart', name: 'chart', fullyQualifiedName: 's.d.b.chart' };
  const graph = graphOf(
    [...a, ...b, failing, chart],
    [
      ['a_0', 'a_1'],
      ['a_1', 'a_2'],
      ['a_1', 'b_0'],
      ['a_2', 'b_1'],
      ['b_1', 'a_1'],
      ['b_0', 'chart'],
    ],
  );
  const grouped = groupGraph(graph, { ...FOLDED, group: 'schema' });
  assert.equal(
    grouped.alone.map(({ id }) => id),
    ['a_0'],
  );
  assert.equal([...grouped.groups.keys()], ['schema=s.d.a', 'schema=s.d.b']);
  const group = grouped.groups.get('schema=s.d.b');
  assert.is(group?.name, 'b');
  assert.equal(group?.kinds, [
    ['table', 3],
    ['chart', 1],
  ]);
  assert.is(group?.failing, 1);
  assert.equal(
    Object.fromEntries([...grouped.bundles].map(([key, { edges }]) => [key, edges.length])),
    { 'a_0 schema=s.d.a': 1, 'schema=s.d.a schema=s.d.b': 2, 'schema=s.d.b schema=s.d.a': 1 },
    'edges within a group are not drawn',
  );
});

test('a large group unfolds step by step, and folds at once', () => {
  const graph = graphOf([table('s.d.root', 'root'), ...tables('s.d.a', 2 * MEMBERS_AT_ONCE + 10)]);
  const path = 'schema=s.d.a';
  const once = unfoldGroup([], path);
  const first = groupGraph(graph, { ...FOLDED, group: 'schema', unfold: once });
  assert.is(first.alone.length, 1 + MEMBERS_AT_ONCE);
  assert.is(first.groups.get(path)?.members.length, MEMBERS_AT_ONCE + 10);
  assert.is(first.groups.get(path)?.unfolded, MEMBERS_AT_ONCE);
  const all = unfoldGroup(unfoldGroup(once, path), path);
  const last = groupGraph(graph, { ...FOLDED, group: 'schema', unfold: all });
  assert.is(last.groups.size, 0);
  assert.equal(
    last.unfolded.map(({ name }) => name),
    ['a'],
    'what is unfolded can be folded although its box is gone',
  );
  assert.equal(foldGroup([...all, '50:schema=other'], path), ['50:schema=other']);
});

test('a large service unfolds to its schemas, and folds with what is unfolded in it', () => {
  const parts = ['a', 'b'].flatMap((name) => tables(`s.d.${name}`, MEMBERS_AT_ONCE));
  const graph = graphOf([table('other.d.c', 'root'), ...parts]);
  const unfold = unfoldGroup([], 'service=s');
  const grouped = groupGraph(graph, { ...FOLDED, group: 'service', unfold });
  assert.equal([...grouped.groups.keys()], ['service=s/schema=s.d.a', 'service=s/schema=s.d.b']);
  const deeper = unfoldGroup(unfold, 'service=s/schema=s.d.a');
  assert.is(groupGraph(graph, { ...FOLDED, group: 'service', unfold: deeper }).alone.length, 1 + MEMBERS_AT_ONCE);
  assert.equal(foldGroup(deeper, 'service=s'), []);
});

test('a group says how many neighbours its members have that are not shown, and from which one can go on', () => {
  const graph = {
    ...graphOf([table('s.d.root', 'root'), ...tables('s.d.a', 4)]),
    hidden: new Map([
      ['root', { upstream: 9, downstream: 9 }],
      ['a_0', { upstream: 0, downstream: 3 }],
      ['a_1', { upstream: 2, downstream: 0 }],
      ['a_3', { upstream: 0, downstream: 4 }],
    ]),
  };
  const groupOf = (alone: readonly string[], cutAt: readonly string[] = []) =>
    groupGraph({ ...graph, cutAt: new Set(cutAt) }, { ...FOLDED, group: 'schema', alone }).groups.get('schema=s.d.a');
  const group = groupOf([]);
  assert.equal(group?.further, { upstream: 2, downstream: 7 });
  assert.equal(
    listFurther(group?.members ?? [], graph.hidden, 'downstream').map(({ id }) => id),
    ['a_0', 'a_3'],
  );
  assert.equal(groupOf(['a_3'])?.further, { upstream: 2, downstream: 3 }, 'who stands alone says it there');
  assert.not.ok(group?.isCut);
  assert.ok(groupOf([], ['a_3'])?.isCut, 'where an answer was cut at one of its members');
  assert.not.ok(groupOf(['a_3'], ['a_3', 'root'])?.isCut);
});

test('records that were picked or show their columns stand alone, and a group of one is that one', () => {
  const graph = graphOf([table('s.d.root', 'root'), ...tables('s.d.a', 4), table('s.d.b', 'single')]);
  const grouped = groupGraph(graph, { ...FOLDED, group: 'schema', alone: ['a_1'], open: ['a_2'] });
  assert.equal(new Set(grouped.alone.map(({ id }) => id)), new Set(['root', 'a_1', 'a_2', 'single']));
  assert.is(grouped.groups.get('schema=s.d.a')?.members.length, 2);
});

test('records that may not be seen, names with dots and records without a domain have groups', () => {
  const hidden = ['x', 'y'].map((id): LineageNode => ({ id, type: 'table', hidden: true }));
  const quoted = ['one', 'two'].map((name) => table('s.d."a.b"', name, { domains: [reference('domain', 'Sales')] }));
  const graph = graphOf([table('s.d.root', 'root'), ...hidden, ...quoted, ...tables('s.d.c', 2)]);
  const names = (group: 'schema' | 'domain') =>
    [...groupGraph(graph, { ...FOLDED, group }).groups.values()].map(({ name }) => name);
  assert.equal(names('schema'), ['Assets that you may not see', '"a.b"', 'c']);
  assert.equal(names('domain'), ['Assets that you may not see', 'Sales', 'Without a domain']);
});

test.run();
