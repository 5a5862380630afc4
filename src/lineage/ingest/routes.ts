import { createView, parseQueryFlag, readRequiredJson } from '../../catalog/read/answer.ts';
import { NO_FIELDS } from '../../catalog/read/fields.ts';
import * as schema from '../../catalog/routes/schemas.ts';
import type { Answer, Call, QueryParameter, Route } from '../../http/route.ts';
import type { Json } from '../../model/json.ts';
import { LineageBulkItem, LineageScope, LineageScopeResult } from '../../model/schemas/lineage/lineage.ts';
import { Integer, listOf, must, shape, Text } from '../../model/values.ts';
import { DIALECT_NAMES } from '../sql/dialect.ts';
import type { EdgeStore } from '../write/edge-store.ts';
import { putBulkEdges } from './bulk.ts';
import type { PrepareEdge } from './edge-rows.ts';
import { type EdgeSqlParser, parseDialect } from './edge-sql-parser.ts';
import { ingestOpenLineageEvent, ingestOpenLineageEvents } from './openlineage.ts';
import { OpenLineageEvent } from './openlineage-event.ts';
import { replaceScope } from './replace-scope.ts';

/**
 * Routes for lineage from tools instead of people. Read `edge-rows.ts` and `edge-batches.ts` for bulk writes,
 * `replace-scope.ts` for replacing all edges of a source, the `openlineage*.ts` files for OpenLineage events, and
 * `edge-sql-parser.ts` for mappings derived from SQL.
 */

const JSON_BODY = ['application/json'] as const;

const editAccess = {
  tag: 'Lineage',
  access: {
    operation: 'EditLineage',
    resource: 'lineage',
    also: 'At both ends of each edge; every row is judged by itself.',
  },
} as const;

const STRICT_PARAMETER: QueryParameter = {
  name: 'strictColumns',
  description: 'Columns that nobody knows are refused instead of being left out',
  schema: { type: 'boolean', default: false },
};

export const PARSE_SQL_PARAMETERS: readonly QueryParameter[] = [
  {
    name: 'parseSql',
    description: 'Where SQL is given and no columns are, reads the columns from it',
    schema: { type: 'boolean', default: false },
  },
  {
    name: 'dialect',
    description: "The dialect of that SQL; that of the target's service when absent",
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
    return {
      status: 200,
      json: await putBulkEdges(
        edges,
        call.principal,
        await readRequiredJson(call),
        options,
        createPrepare(parser, call),
      ),
    };
  };

const handleScope =
  (edges: EdgeStore) =>
  async (call: Call): Promise<Answer> => {
    const view = createView(edges.engine, call, NO_FIELDS);
    return { status: 200, json: await replaceScope(edges, call.principal, await readRequiredJson(call), view) };
  };

const handleEvent =
  (edges: EdgeStore, parser: EdgeSqlParser) =>
  async (call: Call): Promise<Answer> => ({
    status: 200,
    json: await ingestOpenLineageEvent(
      edges,
      call.principal,
      (await readRequiredJson(call)) as Json,
      createPrepare(parser, call),
    ),
  });

const handleEventBatch =
  (edges: EdgeStore, parser: EdgeSqlParser) =>
  async (call: Call): Promise<Answer> => ({
    status: 200,
    json: await ingestOpenLineageEvents(
      edges,
      call.principal,
      await readRequiredJson(call),
      createPrepare(parser, call),
    ),
  });

/** A part of a SQL text that could not be resolved, and the reason. */
const Unresolved = shape('UnresolvedSql', { text: must(Text), reason: must(Text) });

/** The outcome of one event, with the name of its job or dataset. */
const EventTaken = shape('OpenLineageResult', {
  request: must(Text),
  status: must(Integer),
  unresolved: listOf(Unresolved),
});

const eventRoute = {
  ...editAccess,
  access: { ...editAccess.access, also: 'At both ends of each edge; what is not there yet needs Create besides.' },
  method: 'POST',
} as const;

/** Routes that accept many edges at once. */
export const ingestRoutes = (edges: EdgeStore, parser: EdgeSqlParser): Route[] => [
  {
    ...editAccess,
    method: 'PUT',
    path: '/v1/lineage/bulk',
    summary: 'Say what many edges are',
    query: [STRICT_PARAMETER, ...PARSE_SQL_PARAMETERS],
    body: { schema: listOf(LineageBulkItem), mediaTypes: JSON_BODY },
    responses: { 200: schema.bulkResultSchema },
    handle: handleBulk(edges, parser),
  },
  {
    ...editAccess,
    access: { ...editAccess.access, also: 'At both ends of each edge, named or taken back.' },
    method: 'PUT',
    path: '/v1/lineage/scope',
    summary: 'Say everything that one source knows of the lineage below a record',
    body: { schema: LineageScope, mediaTypes: JSON_BODY },
    responses: { 200: LineageScopeResult },
    handle: handleScope(edges),
  },
  {
    ...eventRoute,
    query: PARSE_SQL_PARAMETERS,
    path: '/v1/lineage/openlineage',
    summary: 'Take in an event of OpenLineage',
    body: { schema: OpenLineageEvent, mediaTypes: JSON_BODY },
    responses: { 200: EventTaken },
    handle: handleEvent(edges, parser),
  },
  {
    ...eventRoute,
    query: PARSE_SQL_PARAMETERS,
    path: '/v1/lineage/openlineage/batch',
    summary: 'Take in many events of OpenLineage, each for itself',
    body: { schema: listOf(OpenLineageEvent, 1000), mediaTypes: JSON_BODY },
    responses: { 200: schema.bulkResultSchema },
    handle: handleEventBatch(edges, parser),
  },
];
