import { measureQuestions } from './insight-stand.ts';
import { answerTo, expectSame, type Layered } from './lineage-stand.ts';
import type { Result, Stand } from './stand.ts';

/** What sources state of all edges, which a list of them would have to read without the graph in memory. */

const SOURCES = `
MATCH (from:Entity)-[edge:FEEDS]->(to:Entity)
WHERE NOT (from.deleted OR to.deleted)
MATCH (said:Assertion {edgeId: edge.id})
WHERE said.until IS NULL
RETURN said.source AS source, count(DISTINCT edge.id) AS edges`;

type Agreement = { readonly data: readonly unknown[]; readonly summary: Readonly<Record<string, number>> };

/** The whole catalog, and one of its hundred schemas. */
const SCOPES = ['', 'bench.database_0.schema_0'] as const;

const pathOf = (scope: string): string => `/v1/lineage/agreement?state=declaredOnly&scope=${scope}`;

/** Declared and observed lineage, the edges of which people have declared here. */
export const measureAgreement = async (stand: Stand, _graph: Layered): Promise<Result> => {
  const started = performance.now();
  const { json } = await answerTo<Agreement>(stand, pathOf(''));
  const firstMs = performance.now() - started;
  expectSame('a page of declared edges', json.data.length, 100);
  const rawRows = await stand.raw.run('ask', { text: SOURCES, params: {} });
  expectSame('the number of declared edges', json.summary['declaredOnly'], Number(rawRows[0]?.['edges']));
  const questions = SCOPES.map((scope) => ({ path: pathOf(scope), raw: { text: SOURCES } }));
  const work = 'declared and observed edges of all tables, and of a schema';
  return measureQuestions(stand, { row: 'insight-agreement', work }, questions, { firstMs });
};
