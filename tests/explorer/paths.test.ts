import * as assert from 'uvu/assert';
import type { LineagePaths } from '../../src/explorer/api/types.ts';
import {
  between,
  columnEdgesOf,
  graphOfPaths,
  linkOf,
  readQuestion,
  stopsOf,
  writeQuestion,
} from '../../src/explorer/lineage/paths.ts';
import { suite } from '../support/suite.ts';

/** Shows that the address holds the whole question about paths, and that paths become one graph. */

const test = suite('explorer: lineage paths');

const throughAddress = (text: string): string =>
  writeQuestion(new URLSearchParams(text), readQuestion(new URLSearchParams(text))).toString();

test('a question is the same after its address was shared, and leaves the rest of the address alone', () => {
  const text =
    'from=table%3Aa.b.c&fromColumn=a.b.c.x&to=topic%3Ak.%22a%3Ab%22&avoid=x%2Cy&paths=30&path=3&edge=x+y&view=list';
  const params = new URLSearchParams(throughAddress(text));
  assert.equal(Object.fromEntries(params), Object.fromEntries(new URLSearchParams(text)));
  assert.equal(readQuestion(params).to, { type: 'topic', fqn: 'k."a:b"', column: undefined });
});

test('what no page would have written asks nothing', () => {
  for (const text of ['from=table', 'from=%3Aa.b', 'from=table%3A', '']) {
    assert.is(readQuestion(new URLSearchParams(text)).from, undefined, text);
  }
  const { most, chosen } = readQuestion(new URLSearchParams('paths=7&path=-1'));
  assert.equal([most, chosen], [10, 0]);
});

test('a column is named by its place within its asset', () => {
  assert.is(linkOf({ type: 'table', fqn: 'a.b.c' }), '<#E::table::a.b.c>');
  assert.is(linkOf({ type: 'table', fqn: 'a.b.c', column: 'a.b.c.x.y' }), '<#E::table::a.b.c::columns::x.y>');
});

type Path = LineagePaths['paths'][number];

const path = (ids: readonly string[], columns = false): Path => ({
  length: ids.length - 1,
  nodes: ids.map((id) => ({ id, type: 'table', fullyQualifiedName: `s.${id}` })),
  edges: ids.slice(1).map((toEntity, at) => ({
    fromEntity: ids[at] ?? '',
    toEntity,
    ...(columns ? { fromColumn: `s.${ids[at]}.k`, toColumn: `s.${toEntity}.k` } : {}),
  })),
});

test('paths that share records share their boxes and edges', () => {
  const graph = graphOfPaths(
    [path(['a', 'b', 'd']), path(['a', 'c', 'd'])],
    [{ id: 'b', type: 'table', testStatus: 'Failed' }],
  );
  assert.is(graph.rootId, 'a');
  assert.equal([...graph.nodes.keys()], ['a', 'b', 'd', 'c']);
  assert.equal([...graph.edges.keys()], ['a b', 'b d', 'a c', 'c d']);
  assert.is(graph.nodes.get('b')?.testStatus, 'Failed', 'what is known of a record is on its box');
  assert.is(graph.nodes.get('b')?.fullyQualifiedName, 's.b');
  assert.equal(columnEdgesOf([path(['a', 'b'])]), []);
});

test('paths of columns show the columns that they lead through', () => {
  assert.equal(columnEdgesOf([path(['a', 'b'], true)]), [
    { fromEntity: 'a', fromColumn: 's.a.k', toEntity: 'b', toColumn: 's.b.k' },
  ]);
});

test('only what lies between the ends can be avoided', () => {
  assert.equal(
    between(path(['a', 'b', 'c', 'd'])).map(({ id }) => id),
    ['b', 'c'],
  );
  assert.equal(between(path(['a', 'b'])), []);
});

test('a path that is not chosen says through what it leads, with the columns of columns', () => {
  const node = (id: string) => ({ id, type: 'table', name: id, fullyQualifiedName: `s.${id}` });
  const nodes = [node('a'), node('b'), node('c')];
  const edge = (from: string, to: string) => ({ fromEntity: from, toEntity: to });
  assert.equal(stopsOf({ length: 2, nodes, edges: [edge('a', 'b'), edge('b', 'c')] }), ['b']);
  const ofColumns = [
    { ...edge('a', 'b'), fromColumn: 's.a.x', toColumn: 's.b.y' },
    { ...edge('b', 'c'), fromColumn: 's.b.y', toColumn: 's.c.z' },
  ];
  assert.equal(stopsOf({ length: 2, nodes, edges: ofColumns }), ['b › y']);
  assert.equal(stopsOf({ length: 1, nodes: nodes.slice(0, 2), edges: [edge('a', 'b')] }), []);
});

test.run();
