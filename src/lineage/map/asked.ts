import { queryFlag } from '../../catalog/read/answer.ts';
import type { Registry } from '../../catalog/registry.ts';
import { badRequest } from '../../errors.ts';
import { wholeNumber } from '../../http/query.ts';
import type { Call } from '../../http/route.ts';
import type { JsonObject } from '../../model/json.ts';
import { DIRECTIONS } from '../../model/lineage-map-values.ts';
import { PLATFORM_VIEWS, type PlatformView } from '../../model/lineage-values.ts';
import { namesField } from '../../search/fields.ts';
import { judgeBy } from '../../search/filter/match.ts';
import { readFilterOrQuery } from '../../search/filter/read.ts';
import { ALL } from '../../search/filter/tree.ts';
import type { Span } from '../entity-lineage.ts';
import type { Direction } from '../subgraph.ts';

/** How far these operations walk at most, whatever others do. */
export const MAX_DEPTH = 10;
const DEFAULT_DEPTH = 3;

const MAX_LAYER = 10_000;
const LAYER = 1000;
const MAX_PAGE = 1000;
const PAGE = 50;
const MAX_FROM = 1_000_000;
const EVERY_VIEW = 'all';
const LATEST = Number.MAX_SAFE_INTEGER;

/** A part of a list. */
export type Page = { readonly from: number; readonly size: number };

/** A stretch of time. */
export type Period = { readonly start: number; readonly end: number };

/** Which edges and records are looked at at all. */
export type Scope = { readonly includeDeleted: boolean; readonly period: Period | undefined };

/** Which of the records that are looked at are wanted; without an opinion, all. */
export type Wanted = {
  readonly document: ((document: JsonObject) => boolean) | undefined;
  /** Names of columns in lower case. */
  readonly columns: ReadonlySet<string> | undefined;
};

/** What a request is read from: that of a caller, or that of a job. */
export type Request = Pick<Call, 'query'>;

const text = ({ query }: Request, name: string): string | undefined => query.get(name)?.trim() || undefined;

/** The name of the record that is asked about. */
export const fqnAsked = (request: Request): string => {
  const fqn = text(request, 'fqn');
  if (fqn === undefined) throw badRequest('[fqn must not be null]');
  return fqn;
};

export const typeAsked = (request: Request): string | undefined => text(request, 'type') ?? text(request, 'entityType');

const depth = ({ query }: Request, name: string, fallback: number): number =>
  wholeNumber(query, name, fallback, 0, MAX_DEPTH);

export const upstreamAsked = (request: Request, fallback: number): number => depth(request, 'upstreamDepth', fallback);

export const spanAsked = (request: Request, fallback = DEFAULT_DEPTH): Span => ({
  upstream: depth(request, 'upstreamDepth', fallback),
  downstream: depth(request, 'downstreamDepth', fallback),
});

const pageOf = ({ query }: Request, most: number, fallback: number): Page => ({
  from: wholeNumber(query, 'from', 0, 0, MAX_FROM),
  size: wholeNumber(query, 'size', fallback, 1, most),
});

/** Which records of each layer are asked for. */
export const layerAsked = (request: Request): Page => pageOf(request, MAX_LAYER, LAYER);

/** Whether a request leaves it open how much of each layer it wants, and so takes what it gets for all there is. */
export const takesForWhole = ({ query }: Request): boolean => !query.get('from') && !query.get('size');

/** Which records of each layer are exported: a file has no pages unless it is asked for one. */
export const exportedLayer = (request: Request): Page => pageOf(request, MAX_LAYER, MAX_LAYER);

/** Which records of all are asked for. */
export const pageAsked = (request: Request): Page => pageOf(request, MAX_PAGE, PAGE);

const periodAsked = ({ query }: Request): Period | undefined => {
  if (!query.get('startTime') && !query.get('endTime')) return undefined;
  const start = wholeNumber(query, 'startTime', 0, 0, LATEST);
  const end = wholeNumber(query, 'endTime', LATEST, 0, LATEST);
  if (start > end) throw badRequest('[startTime must be less than or equal to endTime]');
  return { start, end };
};

export const flagAsked = (request: Request, name: string, fallback = false): boolean =>
  queryFlag(request, name, fallback);

export const scopeAsked = (request: Request): Scope => ({
  includeDeleted: flagAsked(request, 'includeDeleted'),
  period: periodAsked(request),
});

const columnsAsked = (request: Request): ReadonlySet<string> | undefined => {
  const names = (text(request, 'column_filter') ?? '').split(',').map((name) => name.trim().toLowerCase());
  const known = new Set(names.filter((name) => name !== ''));
  return known.size === 0 ? undefined : known;
};

export const wantedAsked = (request: Request, { kinds, byType }: Registry, now: number): Wanted => {
  const name = 'query_filter';
  const filter = readFilterOrQuery(text(request, name) ?? '', { name, isField: namesField(kinds) });
  return {
    document: filter === ALL ? undefined : judgeBy(filter, byType, now),
    columns: columnsAsked(request),
  };
};

/** The members of documents that are asked for, as paths; undefined when it is all of them. */
export const fieldsAsked = (request: Request): readonly (readonly string[])[] | undefined => {
  const names = (text(request, 'fields') ?? '*').split(',').map((name) => name.trim());
  return names.includes('*') ? undefined : names.filter((name) => name !== '').map((name) => name.split('.'));
};

export const directionCalled = (word: string | null | undefined): Direction => {
  const known = DIRECTIONS.find((direction) => direction === word);
  if (!known) throw badRequest(`[direction must be one of ${DIRECTIONS.join(', ')}]`);
  return known === 'Upstream' ? 'upstream' : 'downstream';
};

/** Which records a list in one direction has. */
export type CountAsked = {
  readonly direction: Direction;
  readonly depth: number;
  /** The only depth whose records are asked for. */
  readonly nodeDepth: number | undefined;
};

export const countAsked = (request: Request): CountAsked => {
  const { query } = request;
  const direction = directionCalled(query.get('direction'));
  const span = spanAsked(request, MAX_DEPTH);
  const isNarrow = Boolean(query.get('nodeDepth'));
  const nodeDepth = Math.abs(wholeNumber(query, 'nodeDepth', 0, -MAX_DEPTH, MAX_DEPTH));
  const maxDepth = wholeNumber(query, 'maxDepth', isNarrow ? MAX_DEPTH : DEFAULT_DEPTH, 1, MAX_DEPTH);
  return {
    direction,
    depth: Math.min(span[direction], maxDepth, isNarrow ? nodeDepth : MAX_DEPTH),
    nodeDepth: isNarrow ? nodeDepth : undefined,
  };
};

/** The views of the platform that are asked for; without a word, all of them. */
export const viewsAsked = (request: Request): readonly PlatformView[] => {
  const word = text(request, 'view') ?? EVERY_VIEW;
  const views = PLATFORM_VIEWS.filter((view) => word === EVERY_VIEW || word === view);
  if (views.length === 0) throw badRequest(`[view must be one of ${[...PLATFORM_VIEWS, EVERY_VIEW].join(', ')}]`);
  return views;
};

/** How many records of the platform are asked for. */
export const sizeAsked = ({ query }: Request): number => wholeNumber(query, 'size', LAYER, 1, MAX_LAYER);
