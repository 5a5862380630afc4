import * as schema from '../catalog/routes/schemas.ts';
import { flagParameter, textParameter } from '../http/query-parameters.ts';
import type { QueryParameter, Route } from '../http/route.ts';
import {
  AddLineage,
  EntityLineage,
  LineageDetails,
  LineageDetailsInput,
  LineageEdgeAnswer,
} from '../model/schemas/lineage/lineage.ts';
import { lineageEditNeeds } from './endpoints.ts';
import {
  findEndpointByName,
  findEndpointIfPresent,
  findEndpointPairByIds,
  findPathEndpoints,
  handleDeleteEdge,
  handlePatchEdge,
  handleReadEdge,
  handleReadLineage,
  handleWithdraw,
  LINEAGE_TAG,
  type LineageDeps,
  type LineageRoom,
  readRefsByIds,
  readRefsByNames,
} from './handlers.ts';
import { openEdgeSqlParser } from './ingest/edge-sql-parser.ts';
import { ingestRoutes, PARSE_SQL_PARAMETERS } from './ingest/routes.ts';
import { openLineageRoutes } from './openlineage/routes.ts';
import { handlePutEdge, handlePutEdgeByName } from './put-handlers.ts';
import { graphRoutes } from './read/graph/routes.ts';
import { createKeptLineage } from './read/kept-lineage.ts';
import { mapRoutes } from './read/map/routes.ts';
import type { FindBrokenClauses } from './read/record-contracts.ts';
import { sceneRoutes } from './read/scene/routes.ts';
import { createLineageWalker } from './read/walker.ts';
import { openEdgeStore } from './write/edge-store.ts';

/**
 * Routes of lineage edges. Read on with `handlers.ts` for the requests, `edge.ts` and `merge-assertions.ts` for the
 * data model, and `queries.ts` for the statements. `write/` changes edges, `read/` walks them, `ingest/` accepts bulk
 * edges and OpenLineage events, and `sql/` derives column mappings from SQL.
 */

const depthParameter = (name: string, what: string, most: number): QueryParameter => ({
  name,
  description: `Number of ${what} levels to return; 0 for none`,
  schema: { type: 'integer', minimum: 0, maximum: most, default: 1 },
});

const STRICT: QueryParameter = {
  name: 'strictColumns',
  description: 'Whether to reject column lineage with unknown columns instead of ignoring it',
  schema: { type: 'boolean', default: false },
};

const DRY_RUN = flagParameter('dryRun', 'Whether to check everything and change nothing', false);

const WITHDRAWAL: readonly QueryParameter[] = [
  textParameter('sourceName', 'Name of the only one to withdraw among those that share the source; all by default'),
  {
    name: 'from',
    description: 'ID of the asset whose edges alone are meant; all by default',
    schema: { type: 'string', format: 'uuid' },
  },
];

const BY_IDS = '{fromType}/{fromId}/{toType}/{toId}';
const BY_NAMES = '{fromType}/name/{fromFQN}/{toType}/name/{toFQN}';

const viewAccess = { tag: LINEAGE_TAG, access: { operation: 'ViewBasic', resource: 'lineage' } } as const;
const editAccessOf = ({ engine }: Pick<LineageRoom, 'engine'>) =>
  ({
    tag: LINEAGE_TAG,
    access: {
      operation: 'EditLineage',
      resource: 'lineage',
      also: 'It is needed on both endpoints.',
      anyOf: lineageEditNeeds(engine.registry),
    },
  }) as const;
const JSON_BODY = ['application/json'] as const;
const PATCH_BODY = ['application/json-patch+json', 'application/json'] as const;

const LINEAGE_HEADERS = ['X-Lineage-Truncated', 'X-Lineage-Unresolved', 'X-Lineage-Unknown-Columns'];

const ASSERTIONS = flagParameter(
  'assertions',
  'Whether to list what each source states about the edge, the newest first',
  false,
);

const EDGE_PUT = { reads: ['If-None-Match', 'Prefer'], fails: [412] } as const;

const edgePutRoutes = (room: LineageRoom): Route[] => [
  {
    ...editAccessOf(room),
    method: 'PUT',
    path: '/v1/lineage',
    summary: 'Create or update a lineage edge',
    query: [STRICT, DRY_RUN, ...PARSE_SQL_PARAMETERS],
    body: { schema: AddLineage, mediaTypes: JSON_BODY },
    responses: { 200: EntityLineage },
    ...EDGE_PUT,
    sends: [...LINEAGE_HEADERS, 'Preference-Applied'],
    handle: handlePutEdge(room),
  },
  {
    ...editAccessOf(room),
    method: 'PUT',
    path: `/v1/lineage/${BY_NAMES}`,
    summary: 'Create or update a lineage edge by the names of its endpoints',
    query: [STRICT, DRY_RUN, ...PARSE_SQL_PARAMETERS],
    body: { schema: LineageDetailsInput, mediaTypes: JSON_BODY },
    responses: { 200: undefined },
    ...EDGE_PUT,
    sends: [...LINEAGE_HEADERS, 'Preference-Applied'],
    handle: handlePutEdgeByName(room),
  },
];

const edgeReadRoutes = (room: LineageRoom): Route[] => [
  ...(
    [
      ['{type}/{id}', 'ID'],
      ['{type}/name/{fqn}', 'name'],
    ] as const
  ).map(
    ([place, how]): Route => ({
      ...viewAccess,
      method: 'GET',
      path: `/v1/lineage/${place}`,
      summary: `Get the lineage of an asset by ${how}`,
      sends: ['X-Lineage-Truncated'],
      query: [
        depthParameter('upstreamDepth', 'upstream', room.maxDepth),
        depthParameter('downstreamDepth', 'downstream', room.maxDepth),
      ],
      responses: { 200: EntityLineage },
      handle: handleReadLineage(room),
    }),
  ),
  {
    ...viewAccess,
    method: 'GET',
    path: '/v1/lineage/getLineageEdge/{fromId}/{toId}',
    summary: 'Get a lineage edge',
    query: [ASSERTIONS],
    responses: { 200: LineageEdgeAnswer },
    handle: handleReadEdge(room, findEndpointPairByIds),
  },
  {
    ...viewAccess,
    method: 'GET',
    path: `/v1/lineage/getLineageEdge/${BY_NAMES}`,
    summary: 'Get a lineage edge by the names of its endpoints',
    query: [ASSERTIONS],
    responses: { 200: LineageEdgeAnswer },
    handle: handleReadEdge(room, (_, call) => findPathEndpoints(room, call, readRefsByNames)),
  },
];

const edgeChangeRoutes = (room: LineageRoom): Route[] => [
  ...(
    [
      [BY_IDS, readRefsByIds, ''],
      [BY_NAMES, readRefsByNames, ' by the names of its endpoints'],
    ] as const
  ).flatMap(([place, placesOf, how]): Route[] => [
    {
      ...editAccessOf(room),
      method: 'PATCH',
      path: `/v1/lineage/${place}`,
      summary: `Update a lineage edge${how}`,
      query: [DRY_RUN],
      body: { schema: schema.patchSchema, mediaTypes: PATCH_BODY },
      responses: { 200: LineageDetails },
      handle: handlePatchEdge(room, placesOf),
    },
    {
      ...editAccessOf(room),
      method: 'DELETE',
      path: `/v1/lineage/${place}`,
      summary: `Delete a lineage edge${how}`,
      responses: { 200: undefined },
      handle: handleDeleteEdge(room, placesOf),
    },
  ]),
  ...(
    [
      ['{type}/{id}', findEndpointIfPresent, 'ID'],
      ['source/name/{type}/{fqn}', findEndpointByName, 'name'],
    ] as const
  ).map(
    ([place, find, how]): Route => ({
      ...editAccessOf(room),
      method: 'DELETE',
      path: `/v1/lineage/${place}/type/{source}`,
      summary: `Withdraw the assertions of a source about the edges into or through an asset by ${how}`,
      query: WITHDRAWAL,
      responses: { 200: undefined },
      handle: handleWithdraw(room, find),
    }),
  ),
];

/** Creates the routes of lineage: which record feeds which, column by column. */
export const lineageRoutes = (
  { engine, limits, namespaces, openScores, stores }: LineageDeps,
  findBrokenClauses: FindBrokenClauses,
): Route[] => {
  const room: LineageRoom = {
    engine,
    walker: createLineageWalker(engine.graph),
    kept: createKeptLineage(engine),
    edges: openEdgeStore(engine),
    parser: openEdgeSqlParser(engine),
    budget: { nodes: limits.lineageNodes, edges: limits.lineageEdges },
    maxDepth: limits.lineageDepth,
    findBrokenClauses,
    openScores,
  };
  return [
    ...edgePutRoutes(room),
    ...edgeReadRoutes(room),
    ...edgeChangeRoutes(room),
    ...ingestRoutes(room.edges, room.parser),
    ...openLineageRoutes({ edges: room.edges, parser: room.parser, namespaces, stores }),
    // Most of these walk large graphs and render the complete result, so they run in the heavy lane.
    ...[...graphRoutes(room), ...mapRoutes(room), ...sceneRoutes(room)].map((route) => ({ ...route, isHeavy: true })),
  ];
};
