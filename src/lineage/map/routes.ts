import type { Engine } from '../../catalog/engine.ts';
import { requiredJson } from '../../catalog/read/answer.ts';
import type { Answer, Call, Route } from '../../http/route.ts';
import type { Json } from '../../model/json.ts';
import {
  DataQualityLineage,
  HydrateLineageRequest,
  HydrateLineageResponse,
  LineagePaginationInfo,
  SearchLineageResult,
} from '../../model/lineage-map-values.ts';
import { check, dropNulls } from '../../model/validate.ts';
import { lineageAnswer } from '../entity-lineage.ts';
import { heeding } from '../heed.ts';
import { directionCalled, MAX_DEPTH, spanAsked } from './asked.ts';
import { exportRoutes } from './export.ts';
import { type Hydration, hydrate } from './hydrate.ts';
import { AROUND, depths, FILTERS, PAGED, PLATFORM, QUALITY, ROOT, viewing } from './parameters.ts';
import { askPlatform } from './platform.ts';
import { askQuality } from './quality.ts';
import { askAround, askInfo, askPage, type MapRoom, type Question } from './read.ts';
import { findRoot } from './root.ts';

type Ask = (room: MapRoom, call: Call) => Question;

const around: Ask = (room, call) => askAround(room, call, spanAsked(call));

/** Everything in one direction. */
const oneWay: Ask = (room, call) => {
  const direction = directionCalled(call.params['direction']);
  return askAround(room, call, { upstream: 0, downstream: 0, [direction]: spanAsked(call)[direction] });
};

const read =
  (room: MapRoom, ask: Ask) =>
  async (call: Call): Promise<Answer> => {
    const open = heeding(room, call.signal);
    const question = ask(open, call);
    return lineageAnswer(await question(call, await findRoot(open.engine, call, call)));
  };

const readPlatform =
  (room: MapRoom) =>
  async (call: Call): Promise<Answer> =>
    lineageAnswer(await askPlatform(heeding(room, call.signal), call)(call));

const readRecords =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const body = check(HydrateLineageRequest, dropNulls((await requiredJson(call)) as Json));
    return { status: 200, json: await hydrate(engine, call, body as unknown as Hydration) };
  };

/** Lineage as search knows it: records as they are found, and edges with everything that is known of them. */
export const mapRoutes = (room: MapRoom): Route[] => [
  {
    ...viewing,
    method: 'GET',
    path: '/v1/lineage/getLineage',
    summary: 'Read the lineage around a record as a map',
    query: AROUND,
    responses: { 200: SearchLineageResult },
    handle: read(room, around),
  },
  {
    ...viewing,
    method: 'GET',
    path: '/v1/lineage/getLineage/{direction}',
    summary: 'Read the lineage of a record in one direction as a map',
    query: AROUND,
    responses: { 200: SearchLineageResult },
    handle: read(room, oneWay),
  },
  {
    ...viewing,
    method: 'GET',
    path: '/v1/lineage/getLineageByEntityCount',
    summary: 'Read the lineage of a record in one direction page by page',
    query: PAGED,
    responses: { 200: SearchLineageResult },
    handle: read(room, askPage),
  },
  {
    ...viewing,
    method: 'GET',
    path: '/v1/lineage/getPaginationInfo',
    summary: 'Count the records around a record by their distance',
    query: [...ROOT, ...depths(MAX_DEPTH), ...FILTERS],
    responses: { 200: LineagePaginationInfo },
    handle: read(room, askInfo),
  },
  {
    ...viewing,
    method: 'POST',
    path: '/v1/lineage/hydrate',
    summary: 'Read many records, of whatever kinds, by references',
    body: { schema: HydrateLineageRequest, mediaTypes: ['application/json'] },
    responses: { 200: HydrateLineageResponse },
    handle: readRecords(room.engine),
  },
  {
    ...viewing,
    method: 'GET',
    path: '/v1/lineage/getPlatformLineage',
    summary: 'Read the lineage between services, domains and data products',
    query: PLATFORM,
    responses: { 200: SearchLineageResult },
    handle: readPlatform(room),
  },
  {
    ...viewing,
    method: 'GET',
    path: '/v1/lineage/getDataQualityLineage',
    summary: 'Read where upstream of a record tests have failed, and the ways from there to it',
    query: QUALITY,
    responses: { 200: DataQualityLineage },
    handle: read(room, askQuality),
  },
  ...exportRoutes(room),
];
