import * as assert from 'uvu/assert';
import { edgeSummary } from '../../src/explorer/lineage/edge-facts.ts';
import { readColumnEdges, readGraphAnswer, readOwnColumns } from '../../src/explorer/lineage/read-answer.ts';
import { suite } from '../support/suite.ts';

/** Shows what the page takes from large answers. */

const test = suite('explorer: large answers');

const SERVICE = { id: 's', type: 'databaseService', name: 's', description: 'long', href: 'http://x/s' };
const OWNER = { id: 'o', type: 'team', name: 'o', fullyQualifiedName: 'o' };

const ANSWER = JSON.stringify({
  root: '0',
  nodes: ['0', '1', 'p', 'hidden'],
  edges: [
    {
      ...{ fromEntity: '0', toEntity: '1', hasSql: true, columnPairs: 2 },
      lineageDetails: { source: 'PipelineLineage', pipeline: 'p' },
    },
    { fromEntity: '1', toEntity: 'p', bridged: true },
    { fromEntity: '0', toEntity: 'p', lineageDetails: { pipeline: 'hidden' } },
  ],
  columnEdges: [],
  truncated: false,
  frontier: [],
  hiddenCounts: { 0: { upstream: 0, downstream: 0 }, 1: { upstream: 2, downstream: 0 } },
  asOf: 1,
  entities: {
    0: {
      ...{ id: '0', type: 'table', name: '0', href: 'http://x', depth: 0 },
      service: 's',
      owners: ['o'],
      domains: [],
    },
    1: { ...{ id: '1', type: 'table', name: '1', depth: 1 }, service: 's', owners: ['o'], inherits: ['o'] },
    p: { id: 'p', type: 'pipeline', name: 'p', description: 'nightly', depth: 2, owners: ['o'] },
    hidden: { id: 'hidden', type: 'table', hidden: true },
    s: SERVICE,
    o: OWNER,
  },
});

test('records are in the places of their IDs, and what many have in common is one object', () => {
  const { root, nodes, edges, hiddenCounts } = readGraphAnswer(ANSWER);
  const [first, second, pipeline, hidden] = nodes;
  assert.equal(root, { id: '0', type: 'table', name: '0' });
  assert.equal(first, {
    ...{ id: '0', type: 'table', name: '0', depth: 0, owners: [OWNER], domains: [] },
    service: { id: 's', type: 'databaseService', name: 's' },
  });
  assert.is(first?.service, second?.service);
  assert.equal(second?.owners, [{ ...OWNER, inherited: true }], 'only where the owner is inherited');
  assert.equal(pipeline?.description, 'nightly');
  assert.equal(hidden, { id: 'hidden', type: 'table', hidden: true });
  assert.equal(edges[0]?.lineageDetails, {
    source: 'PipelineLineage',
    pipeline: { id: 'p', type: 'pipeline', name: 'p' },
  });
  assert.equal(edges[1], { fromEntity: '1', toEntity: 'p', bridged: true });
  assert.equal(edges[2]?.lineageDetails, { pipeline: { id: 'hidden', type: 'table', hidden: true } });
  assert.equal(hiddenCounts, { 1: { upstream: 2, downstream: 0 } }, 'counts of nothing are left out');
});

test('an edge is told in a few words without its SQL and columns', () => {
  const [edge] = readGraphAnswer(ANSWER).edges;
  assert.is(edge && edgeSummary(edge), 'Pipeline · by p · 2 columns · SQL');
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

test('the columns of a record are named by their place, nested ones after theirs', () => {
  const columns = [
    { name: 'a', fullyQualifiedName: 't.a', children: [{ name: 'x', fullyQualifiedName: 't.a.x' }] },
    { name: 'b', fullyQualifiedName: 't.b' },
  ];
  const named = [
    { name: 'a', fqn: 't.a' },
    { name: 'a.x', fqn: 't.a.x' },
    { name: 'b', fqn: 't.b' },
  ];
  assert.equal(readOwnColumns(JSON.stringify({ data: columns })), named);
  assert.equal(readOwnColumns(JSON.stringify({ data: [...columns, { name: 'b', fullyQualifiedName: 't.b' }] })), named);
  const sources = [{ name: 'x', fullyQualifiedName: 't.a.x' }];
  const features = [{ name: 'a', fullyQualifiedName: 't.a', featureSources: sources }, columns[1]];
  assert.equal(readOwnColumns(JSON.stringify({ data: features })), named);
  assert.equal(readOwnColumns(JSON.stringify({ name: 'without columns' })), []);
});

test.run();
