import type { JsonObject } from '../../src/model/json.ts';
import { measureQuestions } from './insight-stand.ts';
import { answerTo, expectSame, type Layered } from './lineage-stand.ts';
import type { Result, Stand } from './stand.ts';

/** Everything that states and edges of one name say changed lately, of which an answer reads the newest part. */

const STATES = `
MATCH (n:Entity)
WHERE n.entityType = 'table' AND n.updatedAt >= 0 AND n.fullyQualifiedName STARTS WITH $scope
WITH n ORDER BY n.entityType DESC, n.updatedAt DESC
LIMIT 10000
RETURN collect(n{.id, .entityType, .name, .fullyQualifiedName, .updatedAt, .updatedBy, .changeDescriptionJson}) AS states`;

type Changes = { readonly data: readonly JsonObject[] };

/** A service with all tables, and one of its hundred schemas. */
const SCOPES = ['bench', 'bench.database_0.schema_0'] as const;

const pathOf = (scope: string): string => `/v1/changes?scope=${scope}&from=0`;

/** What changed below a service of all tables, and below a schema. The graph of lineage is there, as it changed too. */
export const measureChanges = async (stand: Stand, _graph: Layered): Promise<Result> => {
  for (const scope of SCOPES) {
    const { json } = await answerTo<Changes>(stand, pathOf(scope));
    expectSame(`a page of the changes below ${scope}`, json.data.length, 100);
  }
  const questions = SCOPES.map((scope) => ({ path: pathOf(scope), raw: { text: STATES, params: { scope } } }));
  const work = 'what changed below a service of all tables, and below a schema';
  return measureQuestions(stand, { row: 'insight-changes', work }, questions);
};
