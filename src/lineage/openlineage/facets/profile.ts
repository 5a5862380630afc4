import type { JsonObject } from '../../../model/json.ts';
import type { FacetProfile } from './facet-room.ts';
import type { Facet } from './facet-shapes.ts';

/** Converts measurements in facets to a profile of a table. */

type ColumnMetrics = NonNullable<Facet<'dataQualityMetrics'>['columnMetrics']>[string];

/** The measurements of one dataset in one event. */
export type Measurements = {
  readonly metrics: Facet<'dataQualityMetrics'> | undefined;
  readonly written: Facet<'outputStatistics'> | undefined;
  /** Whether the run replaced all that the dataset held, so that what it wrote is all there is. */
  readonly isWhole: boolean;
};

const omitUndefined = (object: Readonly<Record<string, unknown>>): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as JsonObject;

const QUARTILES: Readonly<Record<string, string>> = {
  '0.25': 'firstQuartile',
  '0.5': 'median',
  '0.75': 'thirdQuartile',
};

const normalQuantile = (text: string): string => (Number.isFinite(Number(text)) ? String(Number(text)) : text);

const quantileMembers = (quantiles: Readonly<Record<string, number>>): JsonObject => {
  const named = Object.entries(quantiles).map(([at, value]) => [normalQuantile(at), value] as const);
  const others = named.filter(([at]) => !Object.hasOwn(QUARTILES, at));
  return {
    ...Object.fromEntries(named.flatMap(([at, value]) => (QUARTILES[at] ? [[QUARTILES[at], value]] : []))),
    ...(others.length === 0
      ? {}
      : { customMetrics: others.slice(0, 100).map(([at, value]) => ({ name: `quantile ${at}`, value })) }),
  };
};

const columnProfile = (name: string, timestamp: number, metrics: ColumnMetrics) => {
  const { count, nullCount, distinctCount, min, max, sum, quantiles = {} } = metrics;
  return {
    name,
    timestamp,
    ...omitUndefined({ valuesCount: count, nullCount, distinctCount, min, max, sum }),
    ...quantileMembers(quantiles),
  };
};

const wholeTable = ({ metrics, written, isWhole }: Measurements): JsonObject => {
  const all = isWhole ? written : undefined;
  const fileCount = metrics?.fileCount ?? all?.fileCount;
  return omitUndefined({
    rowCount: metrics?.rowCount ?? all?.rowCount,
    sizeInByte: metrics?.bytes ?? all?.size,
    customMetrics: fileCount === undefined ? undefined : [{ name: 'fileCount', value: fileCount }],
  });
};

/** Builds the profile of a table; undefined when nothing was measured. Columns that the table lacks are left out. */
export const toProfile = (
  measured: Measurements,
  timestamp: number,
  hasColumn: (name: string) => boolean,
): FacetProfile | undefined => {
  const { metrics, written } = measured;
  const columns = Object.entries(metrics?.columnMetrics ?? {}).filter(([name]) => hasColumn(name));
  const whole = wholeTable(measured);
  const rows = written?.rowCount;
  const profile = {
    ...(Object.keys(whole).length === 0 ? {} : { tableProfile: { timestamp, ...whole } }),
    columnProfile: columns.map(([name, one]) => columnProfile(name, timestamp, one)),
    systemProfile: rows === undefined ? [] : [{ timestamp, operation: 'WRITE', rowsAffected: rows }],
  };
  const isEmpty = !('tableProfile' in profile) && profile.columnProfile.length + profile.systemProfile.length === 0;
  return isEmpty ? undefined : profile;
};
