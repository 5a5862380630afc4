import { parseQueryFlag } from '../../../catalog/read/answer.ts';
import type { Registry } from '../../../catalog/registry.ts';
import { badRequest } from '../../../errors.ts';
import { integerParameter, withParameter } from '../../../http/query-parameters.ts';
import type { Call } from '../../../http/route.ts';
import type { JsonObject } from '../../../model/json.ts';
import { PLATFORM_VIEWS, type PlatformView } from '../../../model/schemas/lineage/lineage.ts';
import { LINEAGE_DIRECTIONS } from '../../../model/schemas/lineage/lineage-map.ts';
import { createFieldNameTest } from '../../../search-documents/fields.ts';
import { createDocumentMatcher } from '../../../search-documents/filter/match-document.ts';
import { readFilterOrQuery } from '../../../search-documents/filter/read-filter.ts';
import { MATCH_ALL } from '../../../search-documents/filter/search-filter.ts';
import type { LineageDepth } from '../read-subgraph.ts';
import type { LineageDirection } from '../walk-edges.ts';

/** The maximum depth of map operations; other operations have their own limits. */
export const MAX_MAP_DEPTH = 10;
const DEFAULT_MAP_DEPTH = 3;

const MAX_LAYER_SIZE = 10_000;
const DEFAULT_LAYER_SIZE = 1000;
const MAX_PAGE_SIZE = 1000;
const DEFAULT_PAGE_SIZE = 50;
const MAX_FROM = 1_000_000;
const ALL_VIEWS = 'all';
const LATEST = Number.MAX_SAFE_INTEGER;

/** A page of a list. */
export type MapPage = { readonly from: number; readonly size: number };

/** A period of time. */
export type MapPeriod = { readonly start: number; readonly end: number };

/** The edges and records that a request considers. */
export type MapScope = { readonly includeDeleted: boolean; readonly period: MapPeriod | undefined };

/** The filter for the considered records; an undefined member matches all records. */
export type MapFilter = {
  readonly document: ((document: JsonObject) => boolean) | undefined;
  /** Column names in lower case. */
  readonly columns: ReadonlySet<string> | undefined;
};

/** The source of request parameters: an API call or a stored job. */
export type MapRequest = Pick<Call, 'query'>;

const readText = ({ query }: MapRequest, name: string): string | undefined => query.get(name)?.trim() || undefined;

/** Reads the full name of the root. */
export const readMapFqn = (request: MapRequest): string => {
  const fqn = readText(request, 'fqn');
  if (fqn === undefined) throw badRequest('[fqn must not be null]');
  return fqn;
};

export const readMapType = (request: MapRequest): string | undefined =>
  readText(request, 'type') ?? readText(request, 'entityType');

const readDepth = ({ query }: MapRequest, name: string, fallback: number): number =>
  integerParameter(query, name, fallback, 0, MAX_MAP_DEPTH);

export const readUpstreamDepth = (request: MapRequest, fallback: number): number =>
  readDepth(request, 'upstreamDepth', fallback);

export const readMapDepth = (request: MapRequest, fallback = DEFAULT_MAP_DEPTH): LineageDepth => ({
  upstream: readDepth(request, 'upstreamDepth', fallback),
  downstream: readDepth(request, 'downstreamDepth', fallback),
});

const readPageOf = ({ query }: MapRequest, most: number, fallback: number): MapPage => ({
  from: integerParameter(query, 'from', 0, 0, MAX_FROM),
  size: integerParameter(query, 'size', fallback, 1, most),
});

/** Reads the page of each layer. */
export const readLayerPage = (request: MapRequest): MapPage => readPageOf(request, MAX_LAYER_SIZE, DEFAULT_LAYER_SIZE);

/** Whether the request sets no page, so that the client takes the returned layers for complete. */
export const expectsWholeLayers = ({ query }: MapRequest): boolean => !query.get('from') && !query.get('size');

/** Reads the page of each layer for an export; without parameters the page covers all that an export may contain. */
export const readExportPage = (request: MapRequest): MapPage => readPageOf(request, MAX_LAYER_SIZE, MAX_LAYER_SIZE);

/** Reads the page of a list of all records. */
export const readMapPage = (request: MapRequest): MapPage => readPageOf(request, MAX_PAGE_SIZE, DEFAULT_PAGE_SIZE);

const readPeriod = ({ query }: MapRequest): MapPeriod | undefined => {
  if (!query.get('startTime') && !query.get('endTime')) return undefined;
  const start = integerParameter(query, 'startTime', 0, 0, LATEST);
  const end = integerParameter(query, 'endTime', LATEST, 0, LATEST);
  if (start > end) throw badRequest('[startTime must be less than or equal to endTime]');
  return { start, end };
};

export const readMapFlag = (request: MapRequest, name: string, fallback = false): boolean =>
  parseQueryFlag(request, name, fallback);

export const readMapScope = (request: MapRequest): MapScope => ({
  includeDeleted: readMapFlag(request, 'includeDeleted'),
  period: readPeriod(request),
});

const readColumnFilter = (request: MapRequest): ReadonlySet<string> | undefined => {
  const names = (readText(request, 'column_filter') ?? '').split(',').map((name) => name.trim().toLowerCase());
  const known = new Set(names.filter((name) => name !== ''));
  return known.size === 0 ? undefined : known;
};

export const readMapFilter = (request: MapRequest, { kinds, byType }: Registry, now: number): MapFilter => {
  const name = 'query_filter';
  const filter = readFilterOrQuery(readText(request, name) ?? '', { name, isField: createFieldNameTest(kinds) });
  const matches = createDocumentMatcher(filter, byType, now);
  return {
    document: filter === MATCH_ALL ? undefined : (document) => withParameter(name, () => matches(document)),
    columns: readColumnFilter(request),
  };
};

/** Reads the paths of the requested document members; undefined means all members. */
export const readFieldPaths = (request: MapRequest): readonly (readonly string[])[] | undefined => {
  const names = (readText(request, 'fields') ?? '*').split(',').map((name) => name.trim());
  return names.includes('*') ? undefined : names.filter((name) => name !== '').map((name) => name.split('.'));
};

export const parseDirection = (word: string | null | undefined): LineageDirection => {
  const known = LINEAGE_DIRECTIONS.find((direction) => direction === word);
  if (!known) throw badRequest(`[direction must be one of ${LINEAGE_DIRECTIONS.join(', ')}]`);
  return known === 'Upstream' ? 'upstream' : 'downstream';
};

/** The records that a list in one direction contains. */
export type MapPageRequest = {
  readonly direction: LineageDirection;
  readonly depth: number;
  /** Restricts the list to records at this distance. */
  readonly nodeDepth: number | undefined;
};

export const readMapPageRequest = (request: MapRequest): MapPageRequest => {
  const { query } = request;
  const direction = parseDirection(query.get('direction'));
  const span = readMapDepth(request, MAX_MAP_DEPTH);
  const isNarrow = Boolean(query.get('nodeDepth'));
  const nodeDepth = Math.abs(integerParameter(query, 'nodeDepth', 0, -MAX_MAP_DEPTH, MAX_MAP_DEPTH));
  const maxDepth = integerParameter(query, 'maxDepth', isNarrow ? MAX_MAP_DEPTH : DEFAULT_MAP_DEPTH, 1, MAX_MAP_DEPTH);
  return {
    direction,
    depth: Math.min(span[direction], maxDepth, isNarrow ? nodeDepth : MAX_MAP_DEPTH),
    nodeDepth: isNarrow ? nodeDepth : undefined,
  };
};

/** Reads the requested platform views; without the parameter, all views. */
export const readPlatformViews = (request: MapRequest): readonly PlatformView[] => {
  const word = readText(request, 'view') ?? ALL_VIEWS;
  const views = PLATFORM_VIEWS.filter((view) => word === ALL_VIEWS || word === view);
  if (views.length === 0) throw badRequest(`[view must be one of ${[...PLATFORM_VIEWS, ALL_VIEWS].join(', ')}]`);
  return views;
};

/** Reads the maximum number of platform records. */
export const readPlatformSize = ({ query }: MapRequest): number =>
  integerParameter(query, 'size', DEFAULT_LAYER_SIZE, 1, MAX_LAYER_SIZE);
