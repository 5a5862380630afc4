import * as v from 'valibot';
import type { JsonObject } from '../../json.ts';
import { AnyJson, DateTime, Flag, Integer, listOf, must, Num, oneOf, shape, Text } from '../../values.ts';
import { SAMPLE_TYPES } from './profiler-sampling.ts';

/** The schemas of profiles: measurements of a table, of one of its columns, or by the system that holds it. */

/** Fewer digits are a time in seconds, or invalid. */
const MIN_TIMESTAMP_MS = 100_000_000_000;

const ProfileTimestamp = v.pipe(Integer, v.minValue(MIN_TIMESTAMP_MS, 'must be a time in milliseconds'));

const ProfileScalar = v.union([Num, Text], 'must be a number or a text');

const CustomMetricValues = listOf(shape('CustomMetricProfile', { name: Text, value: Num }), 1000);

export const TableProfile = shape('TableProfile', {
  timestamp: must(ProfileTimestamp),
  profileSample: Num,
  profileSampleType: oneOf(SAMPLE_TYPES),
  columnCount: Num,
  rowCount: Num,
  sizeInByte: Num,
  createDateTime: DateTime,
  customMetrics: CustomMetricValues,
});

const Histogram = shape('Histogram', { boundaries: listOf(ProfileScalar), frequencies: listOf(ProfileScalar) });

const CardinalityDistribution = shape('CardinalityDistribution', {
  categories: listOf(ProfileScalar),
  counts: listOf(Num),
  percentages: listOf(Num),
  allValuesUnique: Flag,
});

export const ColumnProfile = shape('ColumnProfile', {
  name: must(Text),
  timestamp: must(ProfileTimestamp),
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
  min: ProfileScalar,
  max: ProfileScalar,
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

/** Members of a column profile that reveal the column's values rather than their number. */
const VALUE_REVEALING_MEMBERS: ReadonlySet<string> = new Set(['min', 'max', 'histogram', 'cardinalityDistribution']);

/** Redacts a profile for callers who may not see the values of its column. */
export const redactColumnProfile = (profile: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(profile).filter(([name]) => !VALUE_REVEALING_MEMBERS.has(name))) as JsonObject;

export const SystemProfile = shape('SystemProfile', {
  timestamp: must(ProfileTimestamp),
  operation: must(oneOf(['UPDATE', 'INSERT', 'DELETE', 'WRITE'])),
  rowsAffected: Num,
});

/** The widest table has this many columns. */
const MAX_COLUMN_PROFILES = 20_000;
const MAX_SYSTEM_PROFILES = 10_000;

export const CreateTableProfile = shape('CreateTableProfileRequest', {
  tableProfile: must(TableProfile),
  columnProfile: listOf(ColumnProfile, MAX_COLUMN_PROFILES),
  systemProfile: listOf(SystemProfile, MAX_SYSTEM_PROFILES),
});

/** A profile in a list over all tables. */
export const EntityProfile = shape('EntityProfile', {
  id: must(Text),
  entityReference: must(AnyJson),
  timestamp: must(ProfileTimestamp),
  profileData: must(v.union([TableProfile, ColumnProfile, SystemProfile])),
  profileType: must(oneOf(['table', 'column', 'system'])),
});
