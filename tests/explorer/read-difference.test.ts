import * as assert from 'uvu/assert';
import type { LineageEdge } from '../../src/explorer/api/types.ts';
import { compareAnswers, joinDifferences, readDifference } from '../../src/explorer/lineage/read-difference.ts';
import { suite } from '../support/suite.ts';

/** Shows what is told to differ between two times, by the API's comparison and by two filtered graphs. */

const test = suite('explorer: difference');

const edge = (fromEntity: string, toEntity: string, more: Partial<LineageEdge> = {}): LineageEdge => ({
  ...{ fromEntity, toEntity },
  lineageDetails: { source: 'Manual', sqlQuery: 'select 1' },
  ...more,
});

const entitiesOf = (ids: readonly string[]) =>
  Object.fromEntries(ids.map((id) => [id, { id, type: 'table', name: id, href: `http://x/${id}` }]));

test('the comparison of the API is taken without what the page does not show', () => {
  const part = (nodes: readonly string[], edges: readonly LineageEdge[]) => ({
    ...{ nodes, edges },
    columnEdges: [{ fromEntity: 'a', fromColumn: 'a.x', toEntity: 'b', toColumn: 'b.x' }],
  });
  const text = JSON.stringify({
    added: part(['c'], [edge('c', '0')]),
    removed: part(['old'], [edge('old', 'b')]),
    changed: [{ edge: { fromEntity: 'a', toEntity: 'b' }, before: { description: 'was' }, after: {} }],
    entities: entitiesOf(['c', 'old']),
  });
  const { added, removed, changed, isTruncated } = readDifference(text, true);
  assert.equal(added, { nodes: [{ id: 'c', type: 'table', name: 'c' }], edges: [edge('c', '0')] });
  assert.equal(removed.edges, [edge('old', 'b')]);
  assert.equal(changed, ['a b']);
  assert.ok(isTruncated);
});

const answer = (nodes: readonly string[], edges: readonly LineageEdge[], truncated = false): string =>
  JSON.stringify({ nodes, edges, truncated, entities: entitiesOf(nodes) });

test('two filtered graphs are compared with their bridges', () => {
  const bridge: LineageEdge = { fromEntity: 'a', toEntity: 'z', bridged: true };
  const before = answer(['a', 'b', 'z', 'old'], [edge('a', 'b'), edge('old', 'b'), bridge]);
  const after = answer(
    ['a', 'b', 'z', 'new'],
    [edge('a', 'b', { description: 'now' }), edge('new', 'b'), { ...bridge }, { ...bridge, fromEntity: 'new' }],
    true,
  );
  const found = compareAnswers(before, after);
  const keys = ({ edges }: (typeof found)['added']) =>
    edges.map(({ fromEntity, toEntity }) => `${fromEntity} ${toEntity}`);
  assert.equal(keys(found.added), ['new b', 'new z']);
  assert.equal(keys(found.removed), ['old b']);
  assert.equal(
    [found.added, found.removed].map(({ nodes }) => nodes.map(({ id }) => id)),
    [['new'], ['old']],
  );
  assert.equal(found.changed, ['a b'], 'what is a bridge both times is the same');
  assert.ok(found.isTruncated);
  assert.equal(compareAnswers(after, after).changed, []);
});

test('what differs around several records is told at once', () => {
  const around = (id: string) =>
    readDifference(
      JSON.stringify({
        added: { nodes: [id], edges: [edge(id, 'x')], columnEdges: [] },
        removed: { nodes: [], edges: [edge('gone', id)], columnEdges: [] },
        changed: [{ edge: { fromEntity: id, toEntity: 'y' }, before: {}, after: {} }],
        entities: entitiesOf([id]),
      }),
      id === 'b',
    );
  const joined = joinDifferences([around('a'), around('b')]);
  assert.equal(
    joined.added.nodes.map(({ id }) => id),
    ['a', 'b'],
  );
  assert.equal(
    joined.removed.edges.map(({ toEntity }) => toEntity),
    ['a', 'b'],
  );
  assert.equal(joined.changed, ['a y', 'b y']);
  assert.ok(joined.isTruncated, 'one that was cut leaves all of it cut');
});

test.run();
