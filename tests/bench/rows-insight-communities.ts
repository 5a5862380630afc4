import type { JsonObject } from '../../src/model/json.ts';
import { measureQuestions } from './insight-stand.ts';
import { answerTo, expectSame, type Layered, learnFeeds, spareTables } from './lineage-stand.ts';
import type { Result, Stand } from './stand.ts';

/** All edges of lineage, which is what communities are computed from. */
const EDGES = `
MATCH (n:LiveTable)-[:FEEDS]->(to:LiveTable)
RETURN n.id AS id, collect(to.id) AS feeds`;

const PATH = '/v1/insight/communities?minSize=2';

type Communities = { readonly data: readonly (JsonObject & { readonly size: number })[] };

/** How long the first answer after a new edge takes, for which communities are computed anew. */
const measureNew = async (stand: Stand): Promise<{ readonly sizes: number; readonly ms: number }> => {
  const [from, to] = await spareTables(stand);
  if (!from || !to) throw new Error('there are no spare tables');
  await learnFeeds(stand, [from, to], 1);
  // For two seconds the graph in memory counts as up to date.
  await new Promise((resolve) => setTimeout(resolve, 2100));
  const started = performance.now();
  const { json } = await answerTo<Communities>(stand, PATH);
  return { sizes: json.data.reduce((sum, { size }) => sum + size, 0), ms: performance.now() - started };
};

/** Communities of the whole graph: those of a graph that is known, and of one that has just changed. */
export const measureCommunities = async (stand: Stand, { tables }: Layered): Promise<Result> => {
  const { json } = await answerTo<Communities>(stand, PATH);
  const known = json.data.reduce((sum, { size }) => sum + size, 0);
  const changed = await measureNew(stand);
  expectSame('the tables that are in communities', changed.sizes >= Math.max(known, tables.length), true);
  const questions = [{ path: PATH, raw: { text: EDGES } }];
  const work = 'communities of the whole graph';
  return measureQuestions(stand, { row: 'insight-communities', work }, questions, { changedMs: changed.ms });
};
