import { queryFlag, requiredJson, viewFor } from '../../catalog/read/answer.ts';
import { NO_FIELDS } from '../../catalog/read/fields.ts';
import * as schema from '../../catalog/routes/schemas.ts';
import type { Answer, Call, QueryParameter, Route } from '../../http/route.ts';
import type { Json } from '../../model/json.ts';
import { LineageRow, LineageScope, LineageScopeResult } from '../../model/lineage-values.ts';
import { Integer, listOf, must, shape, Text } from '../../model/values.ts';
import type { Edges } from '../edges.ts';
import { putBulkEdges } from './bulk.ts';
import { takeEvent, takeEvents } from './openlineage.ts';
import { OpenLineageEvent } from './openlineage-event.ts';
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

const putBulk =
  (edges: Edges) =>
  async (call: Call): Promise<Answer> => {
    const options = { strictColumns: queryFlag(call, 'strictColumns') };
    return { status: 200, json: await putBulkEdges(edges, call.principal, await requiredJson(call), options) };
  };

const replaceScope =
  (edges: Edges) =>
  async (call: Call): Promise<Answer> => {
    const view = viewFor(edges.engine, call, NO_FIELDS);
    return { status: 200, json: await putScope(edges, call.principal, await requiredJson(call), view) };
  };

const takeOne =
  (edges: Edges) =>
  async (call: Call): Promise<Answer> => ({
    status: 200,
    json: await takeEvent(edges, call.principal, (await requiredJson(call)) as Json),
  });

const takeMany =
  (edges: Edges) =>
  async (call: Call): Promise<Answer> => ({
    status: 200,
    json: await takeEvents(edges, call.principal, await requiredJson(call)),
  });

/** What became of one event: the name of its job or of its dataset. */
const EventTaken = shape('OpenLineageResult', { request: must(Text), status: must(Integer) });

const taking = {
  ...editing,
  access: { ...editing.access, also: 'At both ends of each edge; what is not there yet needs Create besides.' },
  method: 'POST',
} as const;

/** How lineage is brought in by others than people: many edges at once. */
export const ingestRoutes = (edges: Edges): Route[] => [
  {
    ...editing,
    method: 'PUT',
    path: '/v1/lineage/bulk',
    summary: 'Say what many edges are',
    query: [STRICT],
    body: { schema: listOf(LineageRow), mediaTypes: JSON_BODY },
    responses: { 200: schema.bulkResult },
    handle: putBulk(edges),
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
    path: '/v1/lineage/openlineage',
    summary: 'Take in an event of OpenLineage',
    body: { schema: OpenLineageEvent, mediaTypes: JSON_BODY },
    responses: { 200: EventTaken },
    handle: takeOne(edges),
  },
  {
    ...taking,
    path: '/v1/lineage/openlineage/batch',
    summary: 'Take in many events of OpenLineage, each for itself',
    body: { schema: listOf(OpenLineageEvent, 1000), mediaTypes: JSON_BODY },
    responses: { 200: schema.bulkResult },
    handle: takeMany(edges),
  },
];
