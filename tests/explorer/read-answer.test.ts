import * as assert from 'uvu/assert';
import { readColumnEdges, readGraphAnswer, readOwnColumns } from '../../src/explorer/lineage/read-answer.ts';
import { suite } from '../support/suite.ts';

/** Shows what the page takes from large answers. */

const test = suite('explorer: large answers');

const service = { id: 's', type: 'databaseService', name: 's', description: 'long', href: 'http://x/s' };

const answerOf = (edges: number): string =>
  JSON.stringify({
    root: { id: '0', type: 'table' },
    nodes: ['0', '1'].map((id) => ({
      id,
      type: 'table',
      name: id,
      href: 'http://x',
      service,
      owners: [],
      domains: [],
    })),
    edges: Array.from({ length: edges }, (_, at) => ({
      fromEntity: String(at),
      toEntity: String(at + 1),
      lineageDetails: {
        source: 'Manual',
        sqlQuery: 'select 1',
        columnsLineage: [{ fromColumns: ['a'], toColumn: 'b' }],
      },
    })),
    columnEdges: [],
    truncated: false,
    frontier: [],
    hiddenCounts: { 0: { upstream: 0, downstream: 0 }, 1: { upstream: 2, downstream: 0 } },
    asOf: 1,
  });

test('what many records have in common is one object, and counts of nothing are left out', () => {
  const { nodes, hiddenCounts } = readGraphAnswer(answerOf(1));
  assert.is(nodes[0]?.service, nodes[1]?.service);
  assert.equal(nodes[0]?.service, { id: 's', type: 'databaseService', name: 's' });
  assert.equal(hiddenCounts, { 1: { upstream: 2, downstream: 0 } });
});

test('a few edges have their SQL and columns, thousands have not', () => {
  const few = readGraphAnswer(answerOf(2));
  assert.not(few.isBrief);
  assert.is(few.edges[0]?.lineageDetails?.sqlQuery, 'select 1');
  const many = readGraphAnswer(answerOf(501));
  assert.ok(many.isBrief);
  assert.equal(many.edges[0], { fromEntity: '0', toEntity: '1', lineageDetails: { source: 'Manual' } });
});

const columnEdge = (from: string, to: string) => ({
  fromEntity: from[0],
  fromColumn: from,
  toEntity: to[0],
  toColumn: to,
});

const columnsAnswer = (...pairs: readonly (readonly [string, string])[]): string =>
  JSON.stringify({ columnEdges: pairs.map(([from, to]) => columnEdge(from, to)) });

test('of the columns of a graph, those of one record or of one trail are taken', () => {
  const answer = columnsAnswer(['a.1', 'b.1'], ['b.1', 'c.1'], ['c.2', 'd.2']);
  assert.equal(
    readColumnEdges(answer, 'b').map(({ fromColumn }) => fromColumn),
    ['a.1', 'b.1'],
  );
});

test('the columns of tables and topics are named by their place, nested ones after theirs', () => {
  const columns = [
    { name: 'a', fullyQualifiedName: 't.a', children: [{ name: 'x', fullyQualifiedName: 't.a.x' }] },
    { name: 'b', fullyQualifiedName: 't.b' },
  ];
  const named = [
    { name: 'a', fqn: 't.a' },
    { name: 'a.x', fqn: 't.a.x' },
    { name: 'b', fqn: 't.b' },
  ];
  assert.equal(readOwnColumns(JSON.stringify({ columns })), named);
  assert.equal(readOwnColumns(JSON.stringify({ messageSchema: { schemaFields: columns } })), named);
  assert.equal(readOwnColumns(JSON.stringify({})), []);
});

test.run();
