import { textParameter } from '../../../http/query-parameters.ts';
import type { QueryParameter } from '../../../http/route.ts';
import { MAX_MAP_DEPTH } from './map-request.ts';

/** The parameters of the map operations as the API description lists them. */

const wholeNumberParameter = (
  name: string,
  description: string,
  more: Readonly<Record<string, unknown>>,
): QueryParameter => ({
  name,
  description,
  schema: { type: 'integer', ...more },
});

const flagParameter = (name: string, description: string, fallback: boolean): QueryParameter => ({
  name,
  description,
  schema: { type: 'boolean', default: fallback },
});

export const MAP_ROOT_PARAMETERS: readonly QueryParameter[] = [
  textParameter('fqn', 'The full name of the record it is about'),
  textParameter('type', 'Its type; without one, the record of whatever type that has the name'),
  textParameter('entityType', 'The same as type'),
];

export const mapDepthParameters = (fallback?: number): readonly QueryParameter[] =>
  (
    [
      ['upstreamDepth', 'upstream'],
      ['downstreamDepth', 'downstream'],
    ] as const
  ).map(([name, where]) =>
    wholeNumberParameter(name, `How many steps to walk ${where}`, {
      minimum: 0,
      maximum: MAX_MAP_DEPTH,
      ...(fallback === undefined ? {} : { default: fallback }),
    }),
  );

export const MAP_FILTER_PARAMETERS: readonly QueryParameter[] = [
  textParameter('query_filter', 'Which records are wanted, as a filter in JSON or as people write queries'),
  textParameter('column_filter', 'Names of columns; only what is said of them is wanted'),
  flagParameter('includeDeleted', 'Also records that are deleted', false),
];

const preservePathsParameter = (fallback: boolean): QueryParameter =>
  flagParameter('preservePaths', 'Also records that are not wanted, on the ways to those that are', fallback);

const SHOWN_PARAMETERS: readonly QueryParameter[] = [
  textParameter('fields', 'Which members of records to answer, instead of all'),
  wholeNumberParameter('startTime', 'Edges that held at this time or later, in milliseconds', { minimum: 0 }),
  wholeNumberParameter('endTime', 'Edges that held at this time or earlier, in milliseconds', { minimum: 0 }),
];

const layerParameters = (size: number): readonly QueryParameter[] => [
  wholeNumberParameter('from', 'How many records of each layer to leave out', { minimum: 0, default: 0 }),
  wholeNumberParameter('size', 'How many records of each layer to answer', {
    minimum: 1,
    maximum: 10_000,
    default: size,
  }),
];

const COUNT_PARAMETERS: readonly QueryParameter[] = [
  { name: 'direction', description: 'Upstream or Downstream', schema: { type: 'string' } },
  wholeNumberParameter('nodeDepth', 'Only records at this distance, whatever its sign', {
    minimum: -MAX_MAP_DEPTH,
    maximum: MAX_MAP_DEPTH,
  }),
  wholeNumberParameter('maxDepth', 'How far to walk', { minimum: 1, maximum: MAX_MAP_DEPTH, default: 3 }),
  wholeNumberParameter('from', 'How many records to leave out', { minimum: 0, default: 0 }),
  wholeNumberParameter('size', 'How many records to answer', { minimum: 1, maximum: 1000, default: 50 }),
  flagParameter('include_pagination_info', 'Also how many records there are at each distance', false),
];

const aroundParameters = (size: number) => [
  ...MAP_ROOT_PARAMETERS,
  ...mapDepthParameters(3),
  ...layerParameters(size),
  ...MAP_FILTER_PARAMETERS,
  preservePathsParameter(true),
  ...SHOWN_PARAMETERS,
];

/** Parameters that select the records around a root. */
export const MAP_PARAMETERS = aroundParameters(1000);

/** Parameters that select the records to export. */
export const MAP_EXPORT_PARAMETERS = aroundParameters(10_000);

/** Parameters that select a page of the records in one direction. */
export const MAP_PAGE_PARAMETERS = [
  ...MAP_ROOT_PARAMETERS,
  ...COUNT_PARAMETERS,
  ...mapDepthParameters(),
  ...MAP_FILTER_PARAMETERS,
  preservePathsParameter(false),
  ...SHOWN_PARAMETERS,
];

/** Parameters that select a part of the platform. */
export const PLATFORM_PARAMETERS = [
  textParameter('view', 'What to look at: service, domain, dataProduct or all of them'),
  ...mapDepthParameters(1),
  wholeNumberParameter('size', 'How many records to answer', { minimum: 1, maximum: 10_000, default: 1000 }),
  ...MAP_FILTER_PARAMETERS,
];

export const MAP_SAFE_CSV_PARAMETER = flagParameter('safeCsv', 'No cell is a formula to a spreadsheet', false);

export const mapRouteAccess = { tag: 'Lineage', access: { operation: 'ViewBasic', resource: 'lineage' } } as const;

/** Parameters that limit how far upstream failing tests are searched. */
export const QUALITY_PARAMETERS = [
  ...MAP_ROOT_PARAMETERS,
  wholeNumberParameter('upstreamDepth', 'How many steps to walk upstream', {
    minimum: 0,
    maximum: MAX_MAP_DEPTH,
    default: 1,
  }),
  ...MAP_FILTER_PARAMETERS,
];
