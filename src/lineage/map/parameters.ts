import { textParameter } from '../../http/query.ts';
import type { QueryParameter } from '../../http/route.ts';
import { MAX_DEPTH } from './asked.ts';

/** The parameters of these operations, as the document of the API shows them. */

const whole = (name: string, description: string, more: Readonly<Record<string, unknown>>): QueryParameter => ({
  name,
  description,
  schema: { type: 'integer', ...more },
});

const flag = (name: string, description: string, fallback: boolean): QueryParameter => ({
  name,
  description,
  schema: { type: 'boolean', default: fallback },
});

export const ROOT: readonly QueryParameter[] = [
  textParameter('fqn', 'The full name of the record it is about'),
  textParameter('type', 'Its type; without one, the record of whatever type that has the name'),
  textParameter('entityType', 'The same as type'),
];

export const depths = (fallback?: number): readonly QueryParameter[] =>
  (
    [
      ['upstreamDepth', 'upstream'],
      ['downstreamDepth', 'downstream'],
    ] as const
  ).map(([name, where]) =>
    whole(name, `How many steps to walk ${where}`, {
      minimum: 0,
      maximum: MAX_DEPTH,
      ...(fallback === undefined ? {} : { default: fallback }),
    }),
  );

export const FILTERS: readonly QueryParameter[] = [
  textParameter('query_filter', 'Which records are wanted, as a filter in JSON or as people write queries'),
  textParameter('column_filter', 'Names of columns; only what is said of them is wanted'),
  flag('includeDeleted', 'Also records that are deleted', false),
];

const paths = (fallback: boolean): QueryParameter =>
  flag('preservePaths', 'Also records that are not wanted, on the ways to those that are', fallback);

const SHOWN: readonly QueryParameter[] = [
  textParameter('fields', 'Which members of records to answer, instead of all'),
  whole('startTime', 'Edges that held at this time or later, in milliseconds', { minimum: 0 }),
  whole('endTime', 'Edges that held at this time or earlier, in milliseconds', { minimum: 0 }),
];

const layer = (size: number): readonly QueryParameter[] => [
  whole('from', 'How many records of each layer to leave out', { minimum: 0, default: 0 }),
  whole('size', 'How many records of each layer to answer', { minimum: 1, maximum: 10_000, default: size }),
];

const COUNT: readonly QueryParameter[] = [
  { name: 'direction', description: 'Upstream or Downstream', schema: { type: 'string' } },
  whole('nodeDepth', 'Only records at this distance, whatever its sign', { minimum: -MAX_DEPTH, maximum: MAX_DEPTH }),
  whole('maxDepth', 'How far to walk', { minimum: 1, maximum: MAX_DEPTH, default: 3 }),
  whole('from', 'How many records to leave out', { minimum: 0, default: 0 }),
  whole('size', 'How many records to answer', { minimum: 1, maximum: 1000, default: 50 }),
  flag('include_pagination_info', 'Also how many records there are at each distance', false),
];

const around = (size: number) => [...ROOT, ...depths(3), ...layer(size), ...FILTERS, paths(true), ...SHOWN];

/** What says which records around one are asked for. */
export const AROUND = around(1000);

/** What says which are exported. */
export const EXPORTED = around(10_000);

/** What says which page of those in one direction is asked for. */
export const PAGED = [...ROOT, ...COUNT, ...depths(), ...FILTERS, paths(false), ...SHOWN];

/** What says which part of the platform is asked for. */
export const PLATFORM = [
  textParameter('view', 'What to look at: service, domain, dataProduct or all of them'),
  ...depths(1),
  whole('size', 'How many records to answer', { minimum: 1, maximum: 10_000, default: 1000 }),
  ...FILTERS,
];

export const SAFE = flag('safeCsv', 'No cell is a formula to a spreadsheet', false);

export const viewing = { tag: 'Lineage', access: { operation: 'ViewBasic', resource: 'lineage' } } as const;

/** What says how far up failing tests are looked for. */
export const QUALITY = [
  ...ROOT,
  whole('upstreamDepth', 'How many steps to walk upstream', { minimum: 0, maximum: MAX_DEPTH, default: 1 }),
  ...FILTERS,
];
