import { parseQueryFlag } from '../../../catalog/read/answer.ts';
import type { Registry } from '../../../catalog/registry.ts';
import { badRequest } from '../../../errors.ts';
import { integerParameter } from '../../../http/query-parameters.ts';
import type { Call } from '../../../http/route.ts';
import type { JsonObject } from '../../../model/json.ts';
import { PLATFORM_VIEWS, type PlatformView } from '../../../model/schemas/lineage/lineage.ts';
import { LINEAGE_DIRECTIONS } from '../../../model/schemas/lineage/lineage-map.ts';
import { createFieldNameTest } from '../../../search-documents/fields.ts';
import { createDocumentMatcher } from '../../../search-documents/filter/match-document.ts';
import { readFilterOrQuery } from '../../../search-documents/filter/read-filter.ts';
import { MATCH_ALL } from '../../../search-documents/filter/search-filter.ts';
import type { LineageDepth } from '../entity-lineage.ts';
import type { LineageDirection } from '../subgraph.ts';

/** How far these operations walk at most, whatever others do. */
export const MAX_MAP_DEPTH = 10;
const DEFAULT_MAP_DEPTH = 3;

const MAX_LAYER_SIZE = 10_000;
const DEFAULT_LAYER_SIZE = 1000;
const MAX_PAGE_SIZE = 1000;
const DEFAULT_PAGE_SIZE = 50;
const MAX_FROM = 1_000_000;
const ALL_VIEWS = 'all';
const LATEST = Number.MAX_SAFE_INTEGER;

/** A part of a list. */
export type MapPage = { readonly from: number; readonly size: number };

/** A stretch of time. */
export type MapPeriod = { readonly start: number; readonly end: number };

/** Which edges and records are looked at at all. */
export type MapScope = { readonly includeDeleted: boolean; readonly period: MapPeriod | undefined };

/** Which of the records that are looked at are wanted; without an opinion, all. */
export type MapFilter = {
  readonly document: ((document: JsonObject) => boolean) | undefined;
  /** Names of columns in lower case. */
  readonly columns: ReadonlySet<string> | undefined;
};

/** What a request is read from: that of a caller, or that of a job. */
export type MapRequest = Pick<Call, 'query'>;

const readText = ({ query }: MapRequest, name: string): string | undefined => query.get(name)?.trim() || undefined;

/** The name of the record that is asked about. */
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

/** Which records of each layer are asked for. */
export const readLayerPage = (request: MapRequest): MapPage => readPageOf(request, MAX_LAYER_SIZE, DEFAULT_LAYER_SIZE);

/** Whether a request leaves it open how much of each layer it wants, and so takes what it gets for all there is. */
export const expectsWholeLayers = ({ query }: MapRequest): boolean => !query.get('from') && !query.get('size');

/** Which records of each layer are exported: a file has no pages unless it is asked for one. */
export const readExportPage = (request: MapRequest): MapPage => readPageOf(request, MAX_LAYER_SIZE, MAX_LAYER_SIZE);

/** Which records of all are asked for. */
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
  return {
    document: filter === MATCH_ALL ? undefined : createDocumentMatcher(filter, byType, now),
    columns: readColumnFilter(request),
  };
};

/** The members of documents that are asked for, as paths; undefined when it is all of them. */
export const readFieldPaths = (request: MapRequest): readonly (readonly string[])[] | undefined => {
  const names = (readText(request, 'fields') ?? '*').split(',').map((name) => name.trim());
  return names.includes('*') ? undefined : names.filter((name) => name !== '').map((name) => name.split('.'));
};

export const parseDirection = (word: string | null | undefined): LineageDirection => {
  const known = LINEAGE_DIRECTIONS.find((direction) => direction === word);
  if (!known) throw badRequest(`[direction must be one of ${LINEAGE_DIRECTIONS.join(', ')}]`);
  return known === 'Upstream' ? 'upstream' : 'downstream';
};

/** Which records a list in one direction has. */
export type MapPageRequest = {
  readonly direction: LineageDirection;
  readonly depth: number;
  /** The only depth whose records are asked for. */
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

/** The views of the platform that are asked for; without a word, all of them. */
export const readPlatformViews = (request: MapRequest): readonly PlatformView[] => {
  const word = readText(request, 'view') ?? ALL_VIEWS;
  const views = PLATFORM_VIEWS.filter((view) => word === ALL_VIEWS || word === view);
  if (views.length === 0) throw badRequest(`[view must be one of ${[...PLATFORM_VIEWS, ALL_VIEWS].join(', ')}]`);
  return views;
};

/** How many records of the platform are asked for. */
export const readPlatformSize = ({ query }: MapRequest): number =>
  integerParameter(query, 'size', DEFAULT_LAYER_SIZE, 1, MAX_LAYER_SIZE);
