import * as v from 'valibot';

/**
 * Expands the compact daily series in seeds. Each letter stands for a day and a test's status on it; the last letter is
 * the given day.
 */

const DAY_MS = 86_400_000;
/** Tests run at night. */
const HOUR_MS = 3_600_000;

const STATUSES = { S: 'Success', F: 'Failed', A: 'Aborted', Q: 'Queued' } as const;

const SeedDay = v.pipe(v.string(), v.isoDate());

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
  until: SeedDay,
  days: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(400)),
  rows: v.pipe(v.number(), v.integer()),
  daily: v.pipe(v.number(), v.integer()),
  bytes: v.pipe(v.number(), v.integer()),
  columns: v.record(v.string(), MeasuredColumn),
});

type MeasuredColumn = v.InferOutput<typeof MeasuredColumn>;

const ResultSeries = v.strictObject({
  of: v.string(),
  until: SeedDay,
  days: v.pipe(v.string(), v.regex(/^[SFAQ]+$/, 'must be letters among S, F, A and Q')),
  failed: v.optional(v.string()),
  aborted: v.optional(v.string()),
});

type StatusLetter = keyof typeof STATUSES;

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
export const expandResults = (record: unknown): readonly SeriesBody[] => {
  const { of, until, days, failed, aborted } = parseSeries(ResultSeries, record);
  const reasons: Partial<Record<StatusLetter, string | undefined>> = { F: failed, A: aborted };
  const last = Date.parse(until) + 3 * HOUR_MS;
  return [...days].map((letter, at) => {
    const result = reasons[letter as StatusLetter];
    return {
      testCaseFQN: of,
      timestamp: last - (days.length - 1 - at) * DAY_MS,
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
export const expandProfiles = (record: unknown): { readonly of: string; readonly bodies: readonly SeriesBody[] } => {
  const { of, until, days, rows, daily, bytes, columns } = parseSeries(ProfileSeries, record);
  const last = Date.parse(until) + 4 * HOUR_MS;
  const names = Object.entries(columns);
  const bodies = Array.from({ length: days }, (_, at) => {
    const timestamp = last - (days - 1 - at) * DAY_MS;
    const rowCount = rows + daily * at;
    return {
      tableProfile: { timestamp, rowCount, columnCount: names.length, sizeInByte: rowCount * bytes },
      columnProfile: names.map(([name, column]) => columnProfile(name, timestamp, rowCount, column)),
      systemProfile: [{ timestamp, operation: 'INSERT', rowsAffected: daily }],
    };
  });
  return { of, bodies };
};
