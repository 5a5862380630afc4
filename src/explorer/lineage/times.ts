/** Times on the scale between the first that is known and now. */

export type Range = { readonly from: number; readonly to: number };

/** A slider has so many steps, whatever the range. */
const STEPS = 500;

/** A range of no length has no slider, so a second is the shortest. */
const SHORTEST_MS = 1000;

export const rangeOf = (first: number | undefined, changes: readonly number[], now: number): Range => {
  const from = Math.min(first ?? now, changes[0] ?? now, now - SHORTEST_MS);
  return { from, to: now };
};

export const stepOf = ({ from, to }: Range): number => Math.max(1, Math.floor((to - from) / STEPS));

/** The nearest time of a change before or after a time. */
export const nextChange = (
  changes: readonly number[],
  at: number,
  direction: 'before' | 'after',
): number | undefined =>
  direction === 'before' ? changes.findLast((time) => time < at) : changes.find((time) => time > at);

/** Changes with no longer pause than this between them belong together, such as those of one nightly run. */
const PAUSE_MS = 3_600_000;

/** The earlier time that a time is best compared with: before its latest run of changes, or else the beginning. */
export const findEarlier = (changes: readonly number[], { from }: Range, at: number): number | undefined => {
  const known = changes.filter((time) => time <= at);
  const earlier = known.findLast((time, nth) => (known[nth + 1] ?? time) - time > PAUSE_MS) ?? from;
  return earlier < at ? earlier : undefined;
};

/** The time that is looked at, and the earlier one that it is compared with, as an address says them. */
export type Times = { readonly asOf: string | undefined; readonly since: string | undefined };

const readPast = (text: string | undefined, now: number): number | undefined => {
  const time = readTime(text);
  return time === undefined || time >= now ? undefined : time;
};

/**
 * Puts the times of an address in order: what is no time, or is yet to come, says nothing, and of two times the later is
 * compared with the earlier.
 */
export const orderTimes = ({ asOf, since }: Times, now: number): Times => {
  const [at, before] = [readPast(asOf, now), readPast(since, now)];
  if (at === undefined) return { asOf: undefined, since: before === undefined ? undefined : since };
  if (before === undefined || before === at) return { asOf, since: undefined };
  return before < at ? { asOf, since } : { asOf: since, since: asOf };
};

const twoDigits = (number: number): string => String(number).padStart(2, '0');

/** A time as fields for dates and times want it: local, to the second. */
export const writeLocal = (time: number): string => {
  const date = new Date(time);
  const day = [date.getFullYear(), twoDigits(date.getMonth() + 1), twoDigits(date.getDate())].join('-');
  return `${day}T${[date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':')}`;
};

/** The time that such a field says; undefined while it says none. */
export const readLocal = (text: string): number | undefined => {
  const time = new Date(text).getTime();
  return text === '' || Number.isNaN(time) ? undefined : time;
};

/** The time that the address of a page says, as the API takes it: a date, or milliseconds; undefined for what is none. */
export const readTime = (text: string | undefined): number | undefined => {
  const time = text === undefined ? Number.NaN : new Date(/^\d+$/.test(text) ? Number(text) : text).getTime();
  return Number.isNaN(time) ? undefined : time;
};

export const writeTime = (time: number): string => new Date(time).toISOString();
