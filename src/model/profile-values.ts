import * as v from 'valibot';
import type { JsonObject } from './json.ts';
import { SAMPLE_TYPES } from './profiler-values.ts';
import { AnyJson, DateTime, Flag, Integer, listOf, must, Num, oneOf, shape, Text } from './values.ts';

/** What was measured of a table at a moment, of one of its columns, or by the system that holds it. */

/** Fewer digits are a moment in seconds, or none that anything was measured at. */
const FIRST_MOMENT = 100_000_000_000;

const Moment = v.pipe(Integer, v.minValue(FIRST_MOMENT, 'must be a time in milliseconds'));

const Scalar = v.union([Num, Text], 'must be a number or a text');

const CustomMetricValues = listOf(shape('CustomMetricProfile', { name: Text, value: Num }), 1000);

export const TableProfile = shape('TableProfile', {
  timestamp: must(Moment),
  profileSample: Num,
  profileSampleType: oneOf(SAMPLE_TYPES),
  columnCount: Num,
  rowCount: Num,
  sizeInByte: Num,
  createDateTime: DateTime,
  customMetrics: CustomMetricValues,
});

const Histogram = shape('Histogram', { boundaries: listOf(Scalar), frequencies: listOf(Scalar) });

const CardinalityDistribution = shape('CardinalityDistribution', {
  categories: listOf(Scalar),
  counts: listOf(Num),
  percentages: listOf(Num),
  allValuesUnique: Flag,
});

export const ColumnProfile = shape('ColumnProfile', {
  name: must(Text),
  timestamp: must(Moment),
  valuesCount: Num,
  valuesPercentage: Num,
  validCount: Num,
  duplicateCount: Num,
  nullCount: Num,
  nullProportion: Num,
  missingCount: Num,
  missingPercentage: Num,
  uniqueCount: Num,
  uniqueProportion: Num,
  distinctCount: Num,
  distinctProportion: Num,
  min: Scalar,
  max: Scalar,
  minLength: Num,
  maxLength: Num,
  mean: Num,
  sum: Num,
  stddev: Num,
  variance: Num,
  median: Num,
  firstQuartile: Num,
  thirdQuartile: Num,
  interQuartileRange: Num,
  nonParametricSkew: Num,
  histogram: Histogram,
  cardinalityDistribution: CardinalityDistribution,
  customMetrics: CustomMetricValues,
});

/** What tells of the values themselves and not only of their number. */
const TELLING: ReadonlySet<string> = new Set(['min', 'max', 'histogram', 'cardinalityDistribution']);

/** What is left of a profile for those who may not see the values of its column. */
export const withoutValues = (profile: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(profile).filter(([name]) => !TELLING.has(name))) as JsonObject;

export const SystemProfile = shape('SystemProfile', {
  timestamp: must(Moment),
  operation: must(oneOf(['UPDATE', 'INSERT', 'DELETE', 'WRITE'])),
  rowsAffected: Num,
});

/** As many as the widest table has columns. */
const MAX_COLUMN_PROFILES = 20_000;
const MAX_SYSTEM_PROFILES = 10_000;

export const CreateTableProfile = shape('CreateTableProfileRequest', {
  tableProfile: must(TableProfile),
  columnProfile: listOf(ColumnProfile, MAX_COLUMN_PROFILES),
  systemProfile: listOf(SystemProfile, MAX_SYSTEM_PROFILES),
});

/** One row among those of all tables. */
export const EntityProfile = shape('EntityProfile', {
  id: must(Text),
  entityReference: must(AnyJson),
  timestamp: must(Moment),
  profileData: must(v.union([TableProfile, ColumnProfile, SystemProfile])),
  profileType: must(oneOf(['table', 'column', 'system'])),
});
