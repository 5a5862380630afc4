import * as v from 'valibot';

/**
 * What seeds say of many days in a few words. A letter stands for a day and for how a test went on it; the last letter is
 * the day that is named.
 */

const DAY_MS = 86_400_000;
/** Tests run at night. */
const HOUR_MS = 3_600_000;

const STATUSES = { S: 'Success', F: 'Failed', A: 'Aborted', Q: 'Queued' } as const;

const Day = v.pipe(v.string(), v.isoDate());

const Results = v.strictObject({
  of: v.string(),
  until: Day,
  days: v.pipe(v.string(), v.regex(/^[SFAQ]+$/, 'must be letters among S, F, A and Q')),
  failed: v.optional(v.string()),
  aborted: v.optional(v.string()),
});

type Letter = keyof typeof STATUSES;

/** The results that a record of a seed stands for, the oldest first. Throws an issue's text for a record that stands for none. */
export const resultsOf = (record: unknown): readonly Readonly<Record<string, unknown>>[] => {
  const read = v.safeParse(Results, record);
  if (!read.success) throw new Error(`${v.getDotPath(read.issues[0]) ?? 'record'}: ${read.issues[0].message}`);
  const { of, until, days, failed, aborted } = read.output;
  const reasons: Partial<Record<Letter, string | undefined>> = { F: failed, A: aborted };
  const last = Date.parse(until) + 3 * HOUR_MS;
  return [...days].map((letter, at) => {
    const result = reasons[letter as Letter];
    return {
      testCaseFQN: of,
      timestamp: last - (days.length - 1 - at) * DAY_MS,
      testCaseStatus: STATUSES[letter as Letter],
      ...(result === undefined ? {} : { result }),
    };
  });
};
