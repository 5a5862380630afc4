import { flagParameter, textParameter } from '../../../http/query-parameters.ts';
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

export const MAP_ROOT_PARAMETERS: readonly QueryParameter[] = [
  textParameter('fqn', 'Fully qualified name of the asset'),
  textParameter('type', 'Entity type of the asset; any type by default'),
  textParameter('entityType', 'Alias of `type`'),
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
  textParameter('query_filter', 'Filter for the assets, as a JSON query or a query string'),
  textParameter('column_filter', 'Names of the columns whose lineage is returned'),
  flagParameter('includeDeleted', 'Whether to include deleted assets', false),
];

const preservePathsParameter = (fallback: boolean): QueryParameter =>
  flagParameter('preservePaths', 'Whether to keep filtered-out assets on the paths to the remaining ones', fallback);

export const MAP_PERIOD_PARAMETERS: readonly QueryParameter[] = [
  wholeNumberParameter('startTime', 'Start of the time range of the edges, in milliseconds since 1970', { minimum: 0 }),
  wholeNumberParameter('endTime', 'End of the time range of the edges, in milliseconds since 1970', { minimum: 0 }),
];

const SHOWN_PARAMETERS: readonly QueryParameter[] = [
  textParameter('fields', 'Comma-separated names of the asset fields to return; all by default'),
  ...MAP_PERIOD_PARAMETERS,
];

const layerParameters = (size: number): readonly QueryParameter[] => [
  wholeNumberParameter('from', 'Number of assets to skip per level', { minimum: 0, default: 0 }),
  wholeNumberParameter('size', 'Number of assets to return per level', {
    minimum: 1,
    maximum: 10_000,
    default: size,
  }),
];

const COUNT_PARAMETERS: readonly QueryParameter[] = [
  { name: 'direction', description: 'Direction of the lineage: Upstream or Downstream', schema: { type: 'string' } },
  wholeNumberParameter('nodeDepth', 'Distance of the assets to return; the sign is ignored', {
    minimum: -MAX_MAP_DEPTH,
    maximum: MAX_MAP_DEPTH,
  }),
  wholeNumberParameter('maxDepth', 'Maximum number of levels to follow', {
    minimum: 1,
    maximum: MAX_MAP_DEPTH,
    default: 3,
  }),
  wholeNumberParameter('from', 'Number of assets to skip', { minimum: 0, default: 0 }),
  wholeNumberParameter('size', 'Number of assets to return', { minimum: 1, maximum: 1000, default: 50 }),
  flagParameter('include_pagination_info', 'Whether to include the number of assets at each distance', false),
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
  textParameter('view', 'Level of the lineage: service, domain, dataProduct or all'),
  ...mapDepthParameters(1),
  wholeNumberParameter('size', 'Number of assets to return', { minimum: 1, maximum: 10_000, default: 1000 }),
  ...MAP_FILTER_PARAMETERS,
];

export const MAP_SAFE_CSV_PARAMETER = flagParameter(
  'safeCsv',
  'Whether to escape cells that a spreadsheet would run as formulas',
  true,
);

export const mapRouteAccess = {
  tag: 'Lineage',
  access: { operation: 'ViewBasic', resource: 'lineage' },
  sends: ['X-Lineage-Truncated'],
} as const;

/** Parameters that limit how far upstream failing tests are searched. */
export const QUALITY_PARAMETERS = [
  ...MAP_ROOT_PARAMETERS,
  wholeNumberParameter('upstreamDepth', 'Number of upstream levels to follow', {
    minimum: 0,
    maximum: MAX_MAP_DEPTH,
    default: 1,
  }),
  ...MAP_FILTER_PARAMETERS,
  ...MAP_PERIOD_PARAMETERS,
];
