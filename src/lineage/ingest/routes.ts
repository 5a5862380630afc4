import type { Principal } from '../../access/principal.ts';
import { createView, parseQueryFlag, readRequiredJson } from '../../catalog/read/answer.ts';
import { NO_FIELDS } from '../../catalog/read/fields.ts';
import * as schema from '../../catalog/routes/schemas.ts';
import { parseBulkRows } from '../../catalog/write/bulk.ts';
import { HINT_HEADER, hintHeaders } from '../../http/hint.ts';
import { type Answer, asOwn, type Call, type QueryParameter, type Route } from '../../http/route.ts';
import { LineageBulkItem, LineageScope, LineageScopeResult } from '../../model/schemas/lineage/lineage.ts';
import { listOf } from '../../model/values.ts';
import { lineageEditNeeds } from '../endpoints.ts';
import { DIALECT_NAMES } from '../sql/dialect.ts';
import { unknownColumnsHeader } from '../unknown-columns.ts';
import type { EdgeStore } from '../write/edge-store.ts';
import type { EdgePutOptions } from '../write/put-edge.ts';
import { answerRows } from './answer-rows.ts';
import { createDatedParser, type PrepareEdge, permitRows, resolveRows, upsertRows } from './edge-rows.ts';
import { type EdgeSqlParser, parseDialect } from './edge-sql-parser.ts';
import { replaceScope } from './replace-scope.ts';

/** Writes many edges in one request; each row succeeds or fails on its own. */
const putBulkEdges = async (
  edges: EdgeStore,
  principal: Principal,
  body: unknown,
  options: EdgePutOptions,
  prepare?: PrepareEdge,
): Promise<Pick<Answer, 'json' | 'headers'>> => {
  const rows = parseBulkRows(edges.engine, body);
  const resolved = await resolveRows(edges, principal, rows, createDatedParser(edges.engine, principal));
  const found = await permitRows(edges, principal, resolved);
  const outcomes = await upsertRows(edges, principal, found, options, prepare);
  const { json, headers } = await answerRows(edges, principal, { rows, resolved, outcomes, isDryRun: false });
  const unknown = outcomes.flatMap((row) => ('value' in row ? row.value.unknown : []));
  return { json, headers: { ...unknownColumnsHeader(unknown), ...headers } };
};

/**
 * Routes for lineage from tools instead of people. Read `edge-rows.ts` and `edge-batches.ts` for bulk writes,
 * `replace-scope.ts` for replacing all edges of a source, the `openlineage*.ts` files for OpenLineage events, and
 * `edge-sql-parser.ts` for mappings derived from SQL.
 */

export const JSON_BODY = ['application/json'] as const;

export const editEdgeAccess = {
  tag: 'Lineage',
  access: {
    operation: 'EditLineage',
    resource: 'lineage',
    also: 'It is needed on both endpoints of each edge; each row is authorized separately.',
    anyOf: [],
  },
} as const;

const STRICT_PARAMETER: QueryParameter = {
  name: 'strictColumns',
  description: 'Whether to reject column lineage with unknown columns instead of ignoring it',
  schema: { type: 'boolean', default: false },
};

export const PARSE_SQL_PARAMETERS: readonly QueryParameter[] = [
  {
    name: 'parseSql',
    description: 'Whether to derive column lineage from `sqlQuery` when the edge has no columns',
    schema: { type: 'boolean', default: false },
  },
  {
    name: 'dialect',
    description: 'SQL dialect of `sqlQuery`; by default, that of the service of the downstream asset',
    schema: { type: 'string', enum: DIALECT_NAMES },
  },
];

/** Returns the step that derives mappings from SQL, or undefined when the caller did not request it. */
export const createPrepare = (parser: EdgeSqlParser, call: Call): PrepareEdge | undefined => {
  if (!parseQueryFlag(call, 'parseSql')) return undefined;
  const dialect = parseDialect(call.query.get('dialect'));
  return (found) => parser(found, dialect);
};

const handleBulk =
  (edges: EdgeStore, parser: EdgeSqlParser) =>
  async (call: Call): Promise<Answer> => {
    const options = { strictColumns: parseQueryFlag(call, 'strictColumns') };
    const body = await readRequiredJson(call);
    const answer = await putBulkEdges(edges, call.principal, body, options, createPrepare(parser, call));
    return { status: 200, ...answer };
  };

const handleScope =
  (edges: EdgeStore) =>
  async (call: Call): Promise<Answer> => {
    const view = createView(edges.engine, call, NO_FIELDS);
    const { json, unknown, hint } = await replaceScope(edges, call.principal, await readRequiredJson(call), view);
    return { status: 200, headers: { ...unknownColumnsHeader(unknown), ...hintHeaders(hint) }, json };
  };

/** Routes that accept many edges at once. */
export const ingestRoutes = (edges: EdgeStore, parser: EdgeSqlParser): Route[] =>
  asOwn([
    {
      ...editEdgeAccess,
      method: 'PUT',
      path: '/v1/lineage/bulk',
      summary: 'Create or update lineage edges in bulk',
      query: [STRICT_PARAMETER, ...PARSE_SQL_PARAMETERS],
      body: { schema: listOf(LineageBulkItem), mediaTypes: JSON_BODY },
      responses: { 200: schema.bulkResultSchema },
      sends: ['X-Lineage-Unknown-Columns', HINT_HEADER],
      handle: handleBulk(edges, parser),
    },
    {
      ...editEdgeAccess,
      access: {
        ...editEdgeAccess.access,
        also: 'It is needed on both endpoints of each edge that is asserted or withdrawn.',
        anyOf: lineageEditNeeds(edges.engine.registry),
      },
      method: 'PUT',
      path: '/v1/lineage/scope',
      summary: 'Replace all assertions of a source about the lineage of the descendants of an asset',
      body: { schema: LineageScope, mediaTypes: JSON_BODY },
      responses: { 200: LineageScopeResult },
      sends: ['X-Lineage-Unknown-Columns', HINT_HEADER],
      handle: handleScope(edges),
    },
  ]);
