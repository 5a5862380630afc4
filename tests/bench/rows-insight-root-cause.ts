import type { JsonObject } from '../../src/model/json.ts';
import { measureQuestions, prepareBy } from './insight-stand.ts';
import { LAYERS } from './lineage-graph.ts';
import { answerTo, type Layered, tableAt } from './lineage-stand.ts';
import type { Result, Stand } from './stand.ts';

/** Why a column of a table at the end of all layers is wrong: what lies upstream of it, and what happened there. */

type RootCause = { readonly suspects: readonly JsonObject[]; readonly failures: readonly JsonObject[] };

/** Everything that lies upstream of a table, which an answer must look at. */
const UPSTREAM = `
MATCH (n:Entity {id: $id})
MATCH (n)<-[:FEEDS*0..50]-(above)
RETURN count(DISTINCT above.fullyQualifiedName) AS assets`;

/** A table whose test fails. */
const failTest = async (stand: Stand, fqn: string): Promise<void> => {
  const parameterValues = [{ name: 'value', value: '1' }];
  const entityLink = `<#E::table::${fqn}>`;
  const testDefinition = 'tableRowCountToEqual';
  await prepareBy(stand, 'POST', '/v1/dataQuality/testCases', {
    name: 'one-row',
    entityLink,
    testDefinition,
    parameterValues,
  });
  const results = `/v1/dataQuality/testCases/testCaseResults/${encodeURIComponent(`${fqn}.one-row`)}`;
  await prepareBy(stand, 'POST', results, { timestamp: Date.now(), testCaseStatus: 'Failed' });
};

export const measureRootCause = async (stand: Stand, graph: Layered): Promise<Result> => {
  const last = tableAt(graph, graph.width * LAYERS - 1);
  await failTest(stand, last.fqn);
  const path = `/v1/lineage/root-cause?type=table&fqn=${last.fqn}&window=400d`;
  const { json, truncated } = await answerTo<RootCause>(stand, path);
  const { failures, suspects } = json;
  if (failures.length === 0 || suspects.length === 0) throw new Error('nothing is suspected');
  return measureQuestions(
    stand,
    { row: 'insight-root-cause', work: 'why a table below all layers is wrong' },
    [{ path, raw: { text: UPSTREAM, params: { id: last.id } } }],
    { suspects: suspects.length, failures: failures.length, truncated },
  );
};
