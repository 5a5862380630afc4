import type { JsonObject } from '../../../model/json.ts';
import type { Endpoint } from '../../endpoints.ts';
import type { LineageDepth, LineageReader } from '../entity-lineage.ts';
import type { LineageBudget, TruncatedWalks } from '../subgraph.ts';
import { buildMap, renderMap } from './build-map.ts';
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

/** What these operations work with. */
export type MapRoom = LineageReader & { readonly budget: LineageBudget };

/** An answer, and what there was too much of for it to be whole. */
export type MapResult = { readonly json: JsonObject; readonly truncated: TruncatedWalks['truncated'] };

/** A question whose parameters are understood: all that is left is to ask it about a record. */
export type MapQuery = (caller: MapCaller, root: Endpoint) => Promise<MapResult>;

const readFilterOf = ({ engine }: MapRoom, request: MapRequest) =>
  readMapFilter(request, engine.registry, engine.clock());

const readRendering = (request: MapRequest) => ({
  includeDeleted: readMapFlag(request, 'includeDeleted'),
  fields: readFieldPaths(request),
});

/**
 * Asks for everything around a record, layer by layer. A layer that is cut where nobody asked for a part of it is told.
 * Throws bad_request for what cannot be understood.
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
    return { json: await renderMap(room, caller, drawing, showing), truncated };
  };
};

/** How far is walked to count what there is: as far as these operations go, unless the request says less. */
const readWidestDepth = (request: MapRequest): LineageDepth => readMapDepth(request, MAX_MAP_DEPTH);

/** Asks how many records there are at each distance. */
export const createLayerCountQuery = (room: MapRoom, request: MapRequest): MapQuery => {
  const span = readWidestDepth(request);
  const scope = readMapScope(request);
  const wanted = readFilterOf(room, request);
  return async (caller, root) => {
    const ground = await readVisibleLineage(room, caller, root, span, scope, room.budget);
    return { json: await countMapLayers(room, caller, ground, span, wanted), truncated: ground.truncated };
  };
};

/** Asks for a page of the records in one direction, and perhaps how many there are. */
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
    const json = await renderMap(room, caller, drawing, showing);
    if (!info) return { json, truncated: drawing.truncated };
    const told = await info(caller, root);
    return { json: { ...json, paginationInfo: told.json }, truncated: drawing.truncated ?? told.truncated };
  };
};
