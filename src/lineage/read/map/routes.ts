import type { Engine } from '../../../catalog/engine.ts';
import { readRequiredJson } from '../../../catalog/read/answer.ts';
import type { Answer, Call, Route } from '../../../http/route.ts';
import type { Json } from '../../../model/json.ts';
import {
  DataQualityLineage,
  HydrateLineageRequest,
  HydrateLineageResponse,
  LineagePaginationInfo,
  SearchLineageResult,
} from '../../../model/schemas/lineage/lineage-map.ts';
import { dropNulls, validate } from '../../../model/validate.ts';
import { withAbortSignal } from '../abort-signal.ts';
import { lineageAnswer } from '../entity-lineage.ts';
import { mapExportRoutes } from './export.ts';
import { findMapRoot } from './find-root.ts';
import { type HydrationRequest, hydrateRecords } from './hydrate.ts';
import { answerMap, type KeptMapRoom } from './kept-map.ts';
import { createAroundQuery, createLayerCountQuery, createPageQuery, type MapQuery, type MapRoom } from './map-query.ts';
import { MAX_MAP_DEPTH, parseDirection, readMapDepth } from './map-request.ts';
import {
  MAP_FILTER_PARAMETERS,
  MAP_PAGE_PARAMETERS,
  MAP_PARAMETERS,
  MAP_PERIOD_PARAMETERS,
  MAP_ROOT_PARAMETERS,
  mapDepthParameters,
  mapRouteAccess,
  PLATFORM_PARAMETERS,
  QUALITY_PARAMETERS,
} from './parameters.ts';
import { createPlatformQuery } from './platform.ts';
import { createQualityQuery } from './quality.ts';

/**
 * Routes for lineage maps: the records around a root as search documents, with filters, pages and exports. Read
 * `map-request.ts` for the parameters, `map-query.ts` for the steps of a query, `visible-lineage.ts` and `layers.ts`
 * for the walk, and `build-map.ts` for the answer.
 */

type CreateMapQuery = (room: MapRoom, call: Call) => MapQuery;

const createBothDirectionsQuery: CreateMapQuery = (room, call) => createAroundQuery(room, call, readMapDepth(call));

/** Creates a query for everything in one direction. */
const createOneDirectionQuery: CreateMapQuery = (room, call) => {
  const direction = parseDirection(call.params['direction']);
  return createAroundQuery(room, call, { upstream: 0, downstream: 0, [direction]: readMapDepth(call)[direction] });
};

const handleMapQuery =
  (room: KeptMapRoom, path: string, create: CreateMapQuery) =>
  async (call: Call): Promise<Answer> => {
    const open = withAbortSignal(room, call.signal);
    const ask = create(open, call);
    return answerMap(open, call, await findMapRoot(open.engine, call, call), { path, ask });
  };

const handlePlatform =
  (room: MapRoom) =>
  async (call: Call): Promise<Answer> =>
    lineageAnswer(await createPlatformQuery(withAbortSignal(room, call.signal), call)(call));

const handleHydrate =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const body = validate(HydrateLineageRequest, dropNulls((await readRequiredJson(call)) as Json));
    return { status: 200, json: await hydrateRecords(engine, call, body as unknown as HydrationRequest) };
  };

/** Routes that start at one record. */
const recordMapRoutes = (room: KeptMapRoom): Route[] => [
  {
    ...mapRouteAccess,
    method: 'GET',
    path: '/v1/lineage/getLineage',
    summary: 'Get the lineage map of an asset',
    query: MAP_PARAMETERS,
    responses: { 200: SearchLineageResult },
    handle: handleMapQuery(room, 'getLineage', createBothDirectionsQuery),
  },
  {
    ...mapRouteAccess,
    method: 'GET',
    path: '/v1/lineage/getLineage/{direction}',
    summary: 'Get the lineage map of an asset in one direction',
    query: MAP_PARAMETERS,
    responses: { 200: SearchLineageResult },
    handle: handleMapQuery(room, 'getLineage/{direction}', createOneDirectionQuery),
  },
  {
    ...mapRouteAccess,
    method: 'GET',
    path: '/v1/lineage/getLineageByEntityCount',
    summary: 'Get the lineage of an asset in one direction, paged',
    query: MAP_PAGE_PARAMETERS,
    responses: { 200: SearchLineageResult },
    handle: handleMapQuery(room, 'getLineageByEntityCount', createPageQuery),
  },
  {
    ...mapRouteAccess,
    method: 'GET',
    path: '/v1/lineage/getPaginationInfo',
    summary: 'Count the assets in the lineage of an asset by distance',
    query: [
      ...MAP_ROOT_PARAMETERS,
      ...mapDepthParameters(MAX_MAP_DEPTH),
      ...MAP_FILTER_PARAMETERS,
      ...MAP_PERIOD_PARAMETERS,
    ],
    responses: { 200: LineagePaginationInfo },
    handle: handleMapQuery(room, 'getPaginationInfo', createLayerCountQuery),
  },
];

/** Routes that start at many records or at none. */
const manyRecordsRoutes = (room: MapRoom): Route[] => [
  {
    ...mapRouteAccess,
    // Records that the caller does not see are counted.
    access: { ...mapRouteAccess.access, anyOf: [] },
    method: 'POST',
    path: '/v1/lineage/hydrate',
    summary: 'Read many records of any kinds by references',
    body: { schema: HydrateLineageRequest, mediaTypes: ['application/json'] },
    responses: { 200: HydrateLineageResponse },
    handle: handleHydrate(room.engine),
  },
  {
    ...mapRouteAccess,
    method: 'GET',
    path: '/v1/lineage/getPlatformLineage',
    summary: 'Get the lineage between services, domains and data products',
    query: PLATFORM_PARAMETERS,
    responses: { 200: SearchLineageResult },
    handle: handlePlatform(room),
  },
];

const qualityMapRoute = (room: KeptMapRoom): Route => ({
  ...mapRouteAccess,
  method: 'GET',
  path: '/v1/lineage/getDataQualityLineage',
  summary: 'Read the upstream records with failed tests and the paths from them to a record',
  query: QUALITY_PARAMETERS,
  responses: { 200: DataQualityLineage },
  handle: handleMapQuery(room, 'getDataQualityLineage', createQualityQuery),
});

/** Routes that return lineage with documents as the search index stores them, and edges with all their details. */
export const mapRoutes = (room: KeptMapRoom): Route[] => [
  ...recordMapRoutes(room),
  ...manyRecordsRoutes(room),
  qualityMapRoute(room),
  ...mapExportRoutes(room),
];
