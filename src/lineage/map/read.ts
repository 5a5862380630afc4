import type { JsonObject } from '../../model/json.ts';
import type { Site } from '../ends.ts';
import type { Reader, Span } from '../entity-lineage.ts';
import type { Budget, Cut } from '../subgraph.ts';
import {
  type CountAsked,
  countAsked,
  fieldsAsked,
  flagAsked,
  layerAsked,
  MAX_DEPTH,
  pageAsked,
  type Request,
  scopeAsked,
  spanAsked,
  takesForWhole,
  wantedAsked,
} from './asked.ts';
import { type Caller, readGround } from './ground.ts';
import { draw, showMap } from './map.ts';
import { countAround, reachAround, reachPage, spanOf } from './reach.ts';

/** What these operations work with. */
export type MapRoom = Reader & { readonly budget: Budget };

/** An answer, and what there was too much of for it to be whole. */
export type Told = { readonly json: JsonObject; readonly truncated: Cut['truncated'] };

/** A question whose parameters are understood: all that is left is to ask it about a record. */
export type Question = (caller: Caller, root: Site) => Promise<Told>;

const wantedOf = ({ engine }: MapRoom, request: Request) => wantedAsked(request, engine.registry, engine.clock());

const showingOf = (request: Request) => ({
  includeDeleted: flagAsked(request, 'includeDeleted'),
  fields: fieldsAsked(request),
});

/**
 * Asks for everything around a record, layer by layer. A layer that is cut where nobody asked for a part of it is told.
 * Throws bad_request for what cannot be understood.
 */
export const askAround = (room: MapRoom, request: Request, span: Span, page = layerAsked(request)): Question => {
  const scope = scopeAsked(request);
  const choice = { wanted: wantedOf(room, request), preservePaths: flagAsked(request, 'preservePaths', true) };
  const isWhole = takesForWhole(request);
  const showing = showingOf(request);
  return async (caller, root) => {
    const ground = await readGround(room, caller, root, span, scope, room.budget);
    const reaches = await reachAround(room, caller, ground, span, choice, page);
    const drawing = draw(ground, reaches, room.budget);
    const isCut = isWhole && (reaches.upstream.goesOn || reaches.downstream.goesOn);
    const truncated = drawing.truncated ?? (isCut ? 'nodes' : undefined);
    return { json: await showMap(room, caller, drawing, showing), truncated };
  };
};

/** How far is walked to count what there is: as far as these operations go, unless the request says less. */
const widest = (request: Request): Span => spanAsked(request, MAX_DEPTH);

/** Asks how many records there are at each distance. */
export const askInfo = (room: MapRoom, request: Request): Question => {
  const span = widest(request);
  const scope = scopeAsked(request);
  const wanted = wantedOf(room, request);
  return async (caller, root) => {
    const ground = await readGround(room, caller, root, span, scope, room.budget);
    return { json: await countAround(room, caller, ground, span, wanted), truncated: ground.truncated };
  };
};

/** Asks for a page of the records in one direction, and perhaps how many there are. */
export const askPage = (room: MapRoom, request: Request): Question => {
  const asked: CountAsked = countAsked(request);
  const scope = scopeAsked(request);
  const choice = { wanted: wantedOf(room, request), preservePaths: flagAsked(request, 'preservePaths') };
  const page = pageAsked(request);
  const showing = showingOf(request);
  const info = flagAsked(request, 'include_pagination_info') ? askInfo(room, request) : undefined;
  return async (caller, root) => {
    const ground = await readGround(room, caller, root, spanOf(asked), scope, room.budget);
    const drawing = draw(ground, await reachPage(room, caller, ground, asked, choice, page), room.budget);
    const json = await showMap(room, caller, drawing, showing);
    if (!info) return { json, truncated: drawing.truncated };
    const told = await info(caller, root);
    return { json: { ...json, paginationInfo: told.json }, truncated: drawing.truncated ?? told.truncated };
  };
};
