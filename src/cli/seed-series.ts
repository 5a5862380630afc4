import * as v from 'valibot';
import { dateOf, momentAt, SEED_DAY_MS } from './seed-moments.ts';

/**
 * Expands the compact daily series in seeds. In results and runs each letter stands for a day and a status on it; the
 * last letter is the given day.
 */

/** When tests run and when tables are measured. */
const TEST_TIME = '03:00';
const PROFILE_TIME = '04:00';

const STATUSES = { S: 'Success', F: 'Failed', A: 'Aborted', Q: 'Queued' } as const;

const SeedShare = v.pipe(v.number(), v.minValue(0), v.maxValue(1));

const MeasuredColumn = v.strictObject({
  /** The share of rows without a value, and the number of distinct values per row. */
  empty: v.optional(SeedShare, 0),
  different: v.optional(SeedShare, 0),
  min: v.optional(v.union([v.number(), v.string()])),
  max: v.optional(v.union([v.number(), v.string()])),
  mean: v.optional(v.number()),
});

const ProfileSeries = v.strictObject({
  of: v.string(),
  days: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(400)),
  rows: v.pipe(v.number(), v.integer()),
  daily: v.pipe(v.number(), v.integer()),
  bytes: v.pipe(v.number(), v.integer()),
  /** Nights without new rows, counted back from the newest. What they missed comes in the night after. */
  missed: v.optional(v.array(v.pipe(v.number(), v.integer(), v.minValue(0))), []),
  columns: v.record(v.string(), MeasuredColumn),
});

type MeasuredColumn = v.InferOutput<typeof MeasuredColumn>;

const ResultSeries = v.strictObject({
  of: v.string(),
  days: v.pipe(v.string(), v.regex(/^[SFAQ]+$/, 'must be letters among S, F, A and Q')),
  failed: v.optional(v.string()),
  aborted: v.optional(v.string()),
});

const RunSeries = v.strictObject({
  of: v.string(),
  days: v.pipe(v.string(), v.regex(/^[SF]+$/, 'must be letters among S and F')),
  at: v.pipe(v.string(), v.regex(/^\d\d:\d\d$/, 'must be a time such as 02:00')),
  minutes: v.pipe(v.number(), v.minValue(1)),
  name: v.string(),
  tasks: v.pipe(v.array(v.string()), v.minLength(1)),
  /** The task at which a failed run stops. */
  failing: v.optional(v.string()),
});

type RunSeries = v.InferOutput<typeof RunSeries>;

const SeedCount = v.pipe(v.number(), v.integer(), v.minValue(0));

const UsageSeries = v.strictObject({
  of: v.string(),
  /** About how often it is used on a working day and on a day of the weekend. */
  weekday: SeedCount,
  weekend: v.optional(SeedCount, 0),
  /** The number of days since it was used last, for what nobody uses any more. */
  idle: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(29)), 0),
});

type UsageSeries = v.InferOutput<typeof UsageSeries>;

type StatusLetter = keyof typeof STATUSES;

/** Bodies that are sent one by one for one record. */
type BodiesOfOne = { readonly of: string; readonly bodies: readonly SeriesBody[] };

type SeriesBody = Readonly<Record<string, unknown>>;

const parseSeries = <S extends v.GenericSchema>(schema: S, record: unknown): v.InferOutput<S> => {
  const read = v.safeParse(schema, record);
  if (read.success) return read.output;
  throw new Error(`${v.getDotPath(read.issues[0]) ?? 'record'}: ${read.issues[0].message}`);
};

/**
 * The test results that a seed record describes, oldest first. Throws an error with the validation issue for an invalid
 * record.
 */
export const expandResults = (record: unknown, newest: number): readonly SeriesBody[] => {
  const { of, days, failed, aborted } = parseSeries(ResultSeries, record);
  const reasons: Partial<Record<StatusLetter, string | undefined>> = { F: failed, A: aborted };
  const last = momentAt(newest, TEST_TIME);
  return [...days].map((letter, at) => {
    const result = reasons[letter as StatusLetter];
    return {
      testCaseFQN: of,
      timestamp: last - (days.length - 1 - at) * SEED_DAY_MS,
      testCaseStatus: STATUSES[letter as StatusLetter],
      ...(result === undefined ? {} : { result }),
    };
  });
};

const columnProfile = (name: string, timestamp: number, rows: number, column: MeasuredColumn): SeriesBody => {
  const { empty, different, ...values } = column;
  const nullCount = Math.round(rows * empty);
  const distinctCount = Math.round(rows * different);
  return {
    name,
    timestamp,
    valuesCount: rows - nullCount,
    nullCount,
    nullProportion: empty,
    distinctCount,
    distinctProportion: different,
    ...values,
  };
};

/** The daily table profiles that a seed record describes, oldest first, as bodies for single PUT requests. */
export const expandProfiles = (record: unknown, newest: number): BodiesOfOne => {
  const { of, days, rows, daily, bytes, missed, columns } = parseSeries(ProfileSeries, record);
  const last = momentAt(newest, PROFILE_TIME);
  const names = Object.entries(columns);
  const rowsAt = (at: number): number => rows + daily * (missed.includes(days - 1 - at) ? at - 1 : at);
  const bodies = Array.from({ length: days }, (_, at) => {
    const timestamp = last - (days - 1 - at) * SEED_DAY_MS;
    const rowCount = rowsAt(at);
    return {
      tableProfile: { timestamp, rowCount, columnCount: names.length, sizeInByte: rowCount * bytes },
      columnProfile: names.map(([name, column]) => columnProfile(name, timestamp, rowCount, column)),
      systemProfile: [{ timestamp, operation: 'INSERT', rowsAffected: rowCount - rowsAt(at - 1) }],
    };
  });
  return { of, bodies };
};

const taskStatuses = ({ tasks, failing }: RunSeries, hasFailed: boolean): readonly SeriesBody[] => {
  const stop = hasFailed ? tasks.indexOf(failing ?? tasks[0] ?? '') : tasks.length;
  const statusOf = (at: number) => (at < stop ? 'Successful' : at === stop ? 'Failed' : 'Skipped');
  return tasks.map((name, at) => ({ name, executionStatus: statusOf(at) }));
};

/** The nightly runs of a pipeline that a seed record describes, oldest first, as bodies for single PUT requests. */
export const expandRuns = (record: unknown, newest: number): BodiesOfOne => {
  const series = parseSeries(RunSeries, record);
  const { of, days, at, minutes, name } = series;
  const bodies = [...days].map((letter, index) => {
    const day = newest - (days.length - 1 - index) * SEED_DAY_MS;
    const timestamp = momentAt(day, at);
    return {
      timestamp,
      endTime: timestamp + minutes * 60_000,
      executionId: `${name}_${dateOf(day)}`,
      executionStatus: letter === 'F' ? 'Failed' : 'Successful',
      taskStatus: taskStatuses(series, letter === 'F'),
    };
  });
  return { of, bodies };
};

/** The number of days for which usage is written; the service sums up as many. */
export const USAGE_DAYS = 30;

const USAGE_SPREAD = 0.3;

/** A share between 0 and 1 that depends on the text alone, so that a later load computes the same. */
const shareOf = (text: string): number =>
  [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 997, 7) / 996;

const usageOn = ({ of, weekday, weekend }: UsageSeries, day: number): number => {
  const isWeekend = [0, 6].includes(new Date(day).getUTCDay());
  return Math.round(
    (isWeekend ? weekend : weekday) * (1 - USAGE_SPREAD / 2 + USAGE_SPREAD * shareOf(of + dateOf(day))),
  );
};

/** How often something was used on a day. */
export type SeedUsage = { readonly date: string; readonly count: number };

/** The daily usage that a seed record describes, oldest first, up to the given day. Days without use are left out. */
export const expandUsage = (
  record: unknown,
  newest: number,
): { readonly of: string; readonly counts: readonly SeedUsage[] } => {
  const series = parseSeries(UsageSeries, record);
  const days = Array.from(
    { length: USAGE_DAYS - series.idle },
    (_, at) => newest - (USAGE_DAYS - 1 - at) * SEED_DAY_MS,
  );
  const counts = days.map((day) => ({ date: dateOf(day), count: usageOn(series, day) }));
  return { of: series.of, counts: counts.filter(({ count }) => count > 0) };
};
