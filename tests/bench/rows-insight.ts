import { measureQuestions, prepareBy, type Question } from './insight-stand.ts';
import { answerTo, expectSame, type Layered, tableAt } from './lineage-stand.ts';
import type { Result, Stand } from './stand.ts';

/** Questions about the whole graph. */

const TAG = 'PII.Sensitive';

const EDGES = `
MATCH (from:Entity)-[:FEEDS]->(to:Entity)
RETURN collect([from.id, to.id]) AS edges`;

const WAYS = `
MATCH (:Tag {fullyQualifiedName: '${TAG}'})<-[:TAGGED]-(source:Column)
MATCH (source)-[:DERIVES*1..20]->(column:Column)
RETURN collect(DISTINCT column.fullyQualifiedName) AS columns`;

const QUESTIONS: readonly Question[] = [
  { path: `/v1/lineage/propagation?tag=${TAG}`, raw: { text: WAYS } },
  { path: '/v1/insight/importance', raw: { text: EDGES } },
  { path: '/v1/insight/single-points', raw: { text: EDGES } },
  { path: '/v1/insight/dead-ends', raw: { text: EDGES } },
];

/** What inherits a label, what matters, what alone holds lineage together, and what nothing reads. */
export const measureInsight = async (stand: Stand, layered: Layered): Promise<Result> => {
  // Thousands of columns are made from one at the top of the graph.
  const { id } = tableAt(layered, 1);
  const label = { tagFQN: TAG, source: 'Classification' };
  await prepareBy(stand, 'PATCH', `/v1/tables/${id}`, [{ op: 'add', path: '/columns/0/tags', value: [label] }]);
  for (const { path } of QUESTIONS) {
    const { truncated } = await answerTo<object>(stand, path);
    expectSame(`what is left out of ${path}`, truncated, null);
  }
  const work = 'columns that inherit a label, importance, single points and dead ends of the whole graph';
  return measureQuestions(stand, { row: 'insight-graph', work }, QUESTIONS);
};
