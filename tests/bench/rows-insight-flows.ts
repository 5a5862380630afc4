import { measureQuestions, prepareBy } from './insight-stand.ts';
import { affectedBy, MIDDLE } from './lineage-graph.ts';
import { answerTo, type Layered, tableAt } from './lineage-stand.ts';
import type { Result, Stand } from './stand.ts';

/** Where the label of a column in the middle of all layers flows: every table below that is made from it. */

const CLASSIFICATION = 'Measured';
const TAG = `${CLASSIFICATION}.Flowing`;

/** What the column is made into, which an answer must look at. */
const DOWNSTREAM = `
MATCH (:Entity {id: $id})-[:HAS_COLUMN]->(column:Column {name: 'column_0'})
MATCH (column)-[:DERIVES*0..20]->(made)
RETURN count(DISTINCT made.fullyQualifiedName) AS columns`;

type FlowAnswer = { readonly summary: { readonly targets: number } };

export const measureFlows = async (stand: Stand, graph: Layered): Promise<Result> => {
  const start = graph.width * MIDDLE;
  const { id } = tableAt(graph, start);
  await prepareBy(stand, 'POST', '/v1/classifications', { name: CLASSIFICATION, description: 'For measurements.' });
  await prepareBy(stand, 'POST', '/v1/tags', {
    name: 'Flowing',
    classification: CLASSIFICATION,
    description: 'Flows.',
  });
  const value = [{ tagFQN: TAG, source: 'Classification' }];
  await prepareBy(stand, 'PATCH', `/v1/tables/${id}`, [{ op: 'add', path: '/columns/0/tags', value }]);
  const path = `/v1/lineage/flows?tag=${CLASSIFICATION}&toTypes=table&groupBy=owner`;
  const { json } = await answerTo<FlowAnswer>(stand, path);
  const [found, wanted] = [json.summary.targets, affectedBy(graph.width, start)];
  if (found !== wanted) throw new Error(`the label flows to ${found} tables instead of ${wanted}`);
  const work = `where a label flows: ${found.toLocaleString('en-US')} tables`;
  return measureQuestions(stand, { row: 'insight-flows', work }, [{ path, raw: { text: DOWNSTREAM, params: { id } } }]);
};
