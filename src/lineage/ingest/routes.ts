import { queryFlag, requiredJson, viewFor } from '../../catalog/read/answer.ts';
import { NO_FIELDS } from '../../catalog/read/fields.ts';
import * as schema from '../../catalog/routes/schemas.ts';
import type { Answer, Call, QueryParameter, Route } from '../../http/route.ts';
import type { Json } from '../../model/json.ts';
import { LineageRow, LineageScope, LineageScopeResult } from '../../model/lineage-values.ts';
import { Integer, listOf, must, shape, Text } from '../../model/values.ts';
import type { Edges } from '../edges.ts';
import { DIALECT_NAMES } from '../sql/dialect.ts';
import { putBulkEdges } from './bulk.ts';
import { takeEvent, takeEvents } from './openlineage.ts';
import { OpenLineageEvent } from './openlineage-event.ts';
import { dialectCalled, type Parser } from './parsed.ts';
import type { Prepare } from './rows.ts';
import { putScope } from './scope.ts';

const JSON_BODY = ['application/json'] as const;

const editing = {
  tag: 'Lineage',
  access: {
    operation: 'EditLineage',
    resource: 'lineage',
    also: 'At both ends of each edge; every row is judged by itself.',
  },
} as const;

const STRICT: QueryParameter = {
  name: 'strictColumns',
  description: 'Columns that nobody knows are refused instead of being left out',
  schema: { type: 'boolean', default: false },
};

export const PARSE: readonly QueryParameter[] = [
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

/** How the SQL of edges is read, if the caller asks for it. */
export const preparing = (parser: Parser, call: Call): Prepare | undefined => {
  if (!queryFlag(call, 'parseSql')) return undefined;
  const dialect = dialectCalled(call.query.get('dialect'));
  return (found) => parser(found, dialect);
};

const putBulk =
  (edges: Edges, parser: Parser) =>
  async (call: Call): Promise<Answer> => {
    const options = { strictColumns: queryFlag(call, 'strictColumns') };
    return {
      status: 200,
      json: await putBulkEdges(edges, call.principal, await requiredJson(call), options, preparing(parser, call)),
    };
  };

const replaceScope =
  (edges: Edges) =>
  async (call: Call): Promise<Answer> => {
    const view = viewFor(edges.engine, call, NO_FIELDS);
    return { status: 200, json: await putScope(edges, call.principal, await requiredJson(call), view) };
  };

const takeOne =
  (edges: Edges, parser: Parser) =>
  async (call: Call): Promise<Answer> => ({
    status: 200,
    json: await takeEvent(edges, call.principal, (await requiredJson(call)) as Json, preparing(parser, call)),
  });

const takeMany =
  (edges: Edges, parser: Parser) =>
  async (call: Call): Promise<Answer> => ({
    status: 200,
    json: await takeEvents(edges, call.principal, await requiredJson(call), preparing(parser, call)),
  });

/** A piece of SQL that nobody could make out, and why. */
const Unresolved = shape('UnresolvedSql', { text: must(Text), reason: must(Text) });

/** What became of one event: the name of its job or of its dataset. */
const EventTaken = shape('OpenLineageResult', {
  request: must(Text),
  status: must(Integer),
  unresolved: listOf(Unresolved),
});

const taking = {
  ...editing,
  access: { ...editing.access, also: 'At both ends of each edge; what is not there yet needs Create besides.' },
  method: 'POST',
} as const;

/** How lineage is brought in by others than people: many edges at once. */
export const ingestRoutes = (edges: Edges, parser: Parser): Route[] => [
  {
    ...editing,
    method: 'PUT',
    path: '/v1/lineage/bulk',
    summary: 'Say what many edges are',
    query: [STRICT, ...PARSE],
    body: { schema: listOf(LineageRow), mediaTypes: JSON_BODY },
    responses: { 200: schema.bulkResult },
    handle: putBulk(edges, parser),
  },
  {
    ...editing,
    access: { ...editing.access, also: 'At both ends of each edge, named or taken back.' },
    method: 'PUT',
    path: '/v1/lineage/scope',
    summary: 'Say everything that one source knows of the lineage below a record',
    body: { schema: LineageScope, mediaTypes: JSON_BODY },
    responses: { 200: LineageScopeResult },
    handle: replaceScope(edges),
  },
  {
    ...taking,
    query: PARSE,
    path: '/v1/lineage/openlineage',
    summary: 'Take in an event of OpenLineage',
    body: { schema: OpenLineageEvent, mediaTypes: JSON_BODY },
    responses: { 200: EventTaken },
    handle: takeOne(edges, parser),
  },
  {
    ...taking,
    query: PARSE,
    path: '/v1/lineage/openlineage/batch',
    summary: 'Take in many events of OpenLineage, each for itself',
    body: { schema: listOf(OpenLineageEvent, 1000), mediaTypes: JSON_BODY },
    responses: { 200: schema.bulkResult },
    handle: takeMany(edges, parser),
  },
];
