import type { JsonObject } from '../../../model/json.ts';
import type { Endpoint } from '../../endpoints.ts';
import type { LineageDepth, LineageReader } from '../read-subgraph.ts';
import type { LineageBudget, TruncatedWalks } from '../walk-edges.ts';
import { buildMap, renderMap } from './build-map.ts';
import type { MapOrigin } from './kept-map.ts';
import { countMapLayers, pageDepthOf, readMapLayers, readMapPageLayers } from './map-layers.ts';
import {
  expectsWholeLayers,
  MAX_MAP_DEPTH,
  type MapPageRequest,
  type MapRequest,
  readFieldPaths,
  readLayerPage,
  readMapDepth,
  readMapFilter,
  readMapFlag,
  readMapPage,
  readMapPageRequest,
  readMapScope,
} from './map-request.ts';
import { type MapCaller, readVisibleLineage } from './visible-lineage.ts';

/** The dependencies of the map operations. */
export type MapRoom = LineageReader & { readonly budget: LineageBudget };

/** A rendered answer, and whether nodes or edges were left out. */
export type MapResult = {
  readonly json: JsonObject;
  readonly truncated: TruncatedWalks['truncated'];
  /** What the answer was made from; only for maps that may be kept. */
  readonly origin?: MapOrigin;
};

/** A query with parsed parameters, ready to run for a root. */
export type MapQuery = (caller: MapCaller, root: Endpoint) => Promise<MapResult>;

const readFilterOf = ({ engine }: MapRoom, request: MapRequest) =>
  readMapFilter(request, engine.registry, engine.clock());

const readRendering = (request: MapRequest) => ({
  includeDeleted: readMapFlag(request, 'includeDeleted'),
  fields: readFieldPaths(request),
});

/**
 * Creates a query for everything around a record, layer by layer. When a layer is cut although the request set no page,
 * the answer counts as truncated. Throws bad_request for invalid parameters.
 */
export const createAroundQuery = (
  room: MapRoom,
  request: MapRequest,
  span: LineageDepth,
  page = readLayerPage(request),
): MapQuery => {
  const scope = readMapScope(request);
  const choice = { wanted: readFilterOf(room, request), preservePaths: readMapFlag(request, 'preservePaths', true) };
  const isWhole = expectsWholeLayers(request);
  const showing = readRendering(request);
  return async (caller, root) => {
    const ground = await readVisibleLineage(room, caller, root, span, scope, room.budget);
    const reaches = await readMapLayers(room, caller, ground, span, choice, page);
    const drawing = buildMap(ground, reaches, room.budget);
    const isCut = isWhole && (reaches.upstream.hasMore || reaches.downstream.hasMore);
    const truncated = drawing.truncated ?? (isCut ? 'nodes' : undefined);
    const { json, ...origin } = await renderMap(room, caller, drawing, showing);
    return { json, truncated, origin: { ...origin, walked: ground.walked } };
  };
};

/** Counts walk to the maximum depth unless the request sets a smaller one. */
const readWidestDepth = (request: MapRequest): LineageDepth => readMapDepth(request, MAX_MAP_DEPTH);

/** Creates a query that counts the records at each distance. */
export const createLayerCountQuery = (room: MapRoom, request: MapRequest): MapQuery => {
  const span = readWidestDepth(request);
  const scope = readMapScope(request);
  const wanted = readFilterOf(room, request);
  return async (caller, root) => {
    const ground = await readVisibleLineage(room, caller, root, span, scope, room.budget);
    return { json: await countMapLayers(room, caller, ground, span, wanted), truncated: ground.truncated };
  };
};

/** Creates a query for a page of the records in one direction, optionally with their counts. */
export const createPageQuery = (room: MapRoom, request: MapRequest): MapQuery => {
  const asked: MapPageRequest = readMapPageRequest(request);
  const scope = readMapScope(request);
  const choice = { wanted: readFilterOf(room, request), preservePaths: readMapFlag(request, 'preservePaths') };
  const page = readMapPage(request);
  const showing = readRendering(request);
  const info = readMapFlag(request, 'include_pagination_info') ? createLayerCountQuery(room, request) : undefined;
  return async (caller, root) => {
    const ground = await readVisibleLineage(room, caller, root, pageDepthOf(asked), scope, room.budget);
    const drawing = buildMap(ground, await readMapPageLayers(room, caller, ground, asked, choice, page), room.budget);
    const { json, ...origin } = await renderMap(room, caller, drawing, showing);
    if (!info) return { json, truncated: drawing.truncated, origin: { ...origin, walked: ground.walked } };
    const told = await info(caller, root);
    return { json: { ...json, paginationInfo: told.json }, truncated: drawing.truncated ?? told.truncated };
  };
};
