import { measureQuestions } from './insight-stand.ts';
import { MIDDLE, reach } from './lineage-graph.ts';
import { type Layered, tableAt } from './lineage-stand.ts';
import { type Result, type Stand, target } from './stand.ts';

/** A query by a caller: what lies downstream of a table in the middle of all layers and has no owner. */

const DEPTH = 5;

const QUERY = `MATCH (start:Table {id: $id})-[:FEEDS*1..${DEPTH}]->(made:Table)
WHERE NOT EXISTS { (made)<-[:OWNS]-() }
RETURN count(DISTINCT made) AS tables`;

/** The same in the words of the store. */
const RAW = `MATCH (start:Entity {id: $id})-[:FEEDS*1..${DEPTH}]->(made:LiveTable)
WHERE NOT EXISTS { (made)<-[:OWNS]-() }
RETURN count(DISTINCT made) AS tables`;

const PATH = '/v1/graph/query';

export const measureGraphQuery = async (stand: Stand, graph: Layered): Promise<Result> => {
  const start = graph.width * MIDDLE;
  const params = { id: tableAt(graph, start).id };
  const body = { query: QUERY, parameters: params };
  const { address, token } = target(stand);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const reply = await fetch(`${address}${PATH}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const { rows } = (await reply.json()) as { readonly rows: readonly (readonly number[])[] };
  const [found, wanted] = [rows[0]?.[0], reach(graph.width, 'downstream', start, DEPTH).nodes];
  if (found !== wanted) throw new Error(`the query finds ${found} tables instead of ${wanted}`);
  const work = `a query: which of ${wanted.toLocaleString('en-US')} tables downstream nobody owns`;
  return measureQuestions(stand, { row: 'graph-query', work }, [{ path: PATH, body, raw: { text: RAW, params } }]);
};
