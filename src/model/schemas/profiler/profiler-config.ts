import * as v from 'valibot';
import { badRequest } from '../../../errors.ts';
import { equalJson, type Json, type JsonObject, member, withMember } from '../../json.ts';
import { defaulting, Flag, Integer, listOf, must, Num, oneOf, shape, Text } from '../../values.ts';
import { ProfileSampleConfig, SAMPLE_TYPES, SAMPLING_METHODS } from './profiler-sampling.ts';

/**
 * The schema of a table's profiler configuration. Two generations of clients express sampling differently: with three
 * members of the configuration itself (the flat form) or with a nested value. Tables store and return the nested form.
 * What the flat form cannot express stays nested.
 */

const INTERVAL_TYPES = [
  'TIME-UNIT',
  'INTEGER-RANGE',
  'INGESTION-TIME',
  'COLUMN-VALUE',
  'INJECTED',
  'ENUM',
  'OTHER',
] as const;
const INTERVAL_UNITS = ['YEAR', 'MONTH', 'DAY', 'HOUR'] as const;

const PartitionScalar = v.union([Text, Num], 'must be a text or a number');

const PartitionConfig = shape('PartitionProfilerConfig', {
  enablePartitioning: defaulting(Flag, false),
  partitionColumnName: Text,
  partitionIntervalType: oneOf(INTERVAL_TYPES),
  partitionInterval: Integer,
  partitionIntervalUnit: oneOf(INTERVAL_UNITS),
  partitionValues: listOf(PartitionScalar),
  partitionIntegerRangeStart: Integer,
  partitionIntegerRangeEnd: Integer,
});

const SparkConfig = shape('SparkTableProfilerConfig', {
  partitioning: shape('SparkPartitioning', {
    partitionColumn: must(Text),
    lowerBound: PartitionScalar,
    upperBound: PartitionScalar,
  }),
});

const NotNegative = v.pipe(Integer, v.minValue(0, 'must be greater than or equal to 0'));

/** The three members that express sampling in the flat form. */
const FLAT_MEMBERS = {
  profileSample: Num,
  profileSampleType: oneOf(SAMPLE_TYPES),
  samplingMethodType: oneOf(SAMPLING_METHODS),
};

const TableProfilerConfigInput = shape('TableProfilerConfig', {
  ...FLAT_MEMBERS,
  sampleDataCount: defaulting(NotNegative, 50),
  randomizedSample: defaulting(Flag, false),
  profileQuery: Text,
  excludeColumns: listOf(Text),
  includeColumns: listOf(shape('ColumnProfilerConfig', { columnName: must(Text), metrics: listOf(Text) })),
  partitioning: PartitionConfig,
  computeTableMetrics: defaulting(Flag, true),
  computeColumnMetrics: defaulting(Flag, true),
  sparkTableProfilerConfig: SparkConfig,
  profileSampleConfig: ProfileSampleConfig,
});

/** Far more than the names and metrics of the widest table need. */
const MAX_CONFIG_LENGTH = 1024 * 1024;

const checkSampleSize = ({ profileSample, profileSampleType }: JsonObject): void => {
  if (typeof profileSample !== 'number') return;
  if (profileSample < 0) throw badRequest('[profileSample must be greater than or equal to 0]');
  if (profileSampleType !== 'ROWS' && profileSample > 100) {
    throw badRequest('[profileSample must be less than or equal to 100]');
  }
};

/** Fills in the omitted members of a sample. */
const completeSample = (sample: JsonObject): JsonObject => {
  const complete = { ...sample, profileSampleType: sample['profileSampleType'] ?? 'PERCENTAGE' };
  checkSampleSize(complete);
  return complete;
};

const completeDynamic = (config: JsonObject): JsonObject => {
  const thresholds = member(config, 'thresholds') as readonly JsonObject[] | undefined;
  const smartSampling = config['smartSampling'] ?? true;
  return { smartSampling, ...(thresholds ? { thresholds: thresholds.map(completeSample) } : {}) };
};

const DYNAMIC_MEMBERS = ['smartSampling', 'thresholds'];

/** Fills in the omitted members of the nested value. Throws bad_request when its content does not match its type. */
const completeNested = (given: JsonObject): JsonObject => {
  const config = (given['config'] ?? {}) as JsonObject;
  const names = Object.keys(config);
  const looksDynamic = names.some((name) => DYNAMIC_MEMBERS.includes(name));
  const type = given['sampleConfigType'] ?? (looksDynamic ? 'DYNAMIC' : 'STATIC');
  if (names.length > 0 && looksDynamic !== (type === 'DYNAMIC')) {
    throw badRequest('[profileSampleConfig.config must be of the type that sampleConfigType names]');
  }
  return {
    sampleConfigType: type,
    config: looksDynamic || type === 'DYNAMIC' ? completeDynamic(config) : completeSample(config),
  };
};

const flatMembers = (config: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.keys(FLAT_MEMBERS).flatMap((name) => (config[name] === undefined ? [] : [[name, config[name]]])),
  ) as JsonObject;

const contradicts = (flat: JsonObject, nested: JsonObject): boolean =>
  nested['sampleConfigType'] !== 'STATIC' ||
  Object.entries(flat).some(([name, value]) => !equalJson(value, (nested['config'] as JsonObject)[name]));

/** Converts a configuration in either form to the nested one. Throws bad_request when both are given and differ. */
const toNestedConfig = (given: JsonObject): JsonObject => {
  const flat = flatMembers(given);
  const rest = Object.fromEntries(
    Object.entries(given).filter(([name, value]) => !Object.hasOwn(FLAT_MEMBERS, name) && value !== undefined),
  ) as JsonObject;
  const sample = rest['profileSampleConfig'] as JsonObject | undefined;
  const nested = sample && completeNested(sample);
  if (Object.keys(flat).length === 0) return nested ? withMember(rest, 'profileSampleConfig', nested) : rest;
  const profileSampleConfig = nested ?? { sampleConfigType: 'STATIC', config: completeSample(flat) };
  if (nested && contradicts(flat, nested)) {
    throw badRequest(
      '[profileSampleConfig must not differ from profileSample, profileSampleType and samplingMethodType]',
    );
  }
  return withMember(rest, 'profileSampleConfig', profileSampleConfig);
};

/** Accepts the configuration in either form and converts it to the nested one. */
export const TableProfilerConfig = v.pipe(
  TableProfilerConfigInput,
  v.check(
    (given) => JSON.stringify(given).length <= MAX_CONFIG_LENGTH,
    `must be at most ${MAX_CONFIG_LENGTH} bytes of JSON`,
  ),
  v.transform((given) => toNestedConfig(given as JsonObject)),
);

/** Converts a stored configuration to the flat form, which can express only a plain sample. */
export const toFlatConfig = (kept: JsonObject): JsonObject => {
  const { profileSampleConfig, ...rest } = kept;
  const nested = profileSampleConfig as JsonObject | undefined;
  if (nested?.['sampleConfigType'] !== 'STATIC') return kept;
  return { ...(nested['config'] as JsonObject), ...rest } as JsonObject;
};

/** Stands for every column where a column is named. */
const EVERY_COLUMN = 'all';

type ColumnNameLookup = (name: string) => string | undefined;

const lookUpColumnName = (name: Json | undefined, nameOf: ColumnNameLookup): string | undefined =>
  name === EVERY_COLUMN ? name : nameOf(String(name));

/** Renames the columns in a configuration. Columns without a present name are removed. */
export const renameConfigColumns = (config: Json, nameOf: ColumnNameLookup): Json => {
  const { excludeColumns, includeColumns, ...rest } = config as JsonObject;
  const excluded = (excludeColumns as readonly string[] | undefined)?.flatMap(
    (name) => lookUpColumnName(name, nameOf) ?? [],
  );
  const included = (includeColumns as readonly JsonObject[] | undefined)?.flatMap((item) => {
    const columnName = lookUpColumnName(item['columnName'], nameOf);
    return columnName === undefined ? [] : [{ ...item, columnName }];
  });
  return {
    ...rest,
    ...(excluded ? { excludeColumns: excluded } : {}),
    ...(included ? { includeColumns: included } : {}),
  } as JsonObject;
};
