/**
 * Places the sample company in time. Its days are counted from the last night that is over, in UTC, so that nothing in
 * it lies in the future and the time zone of the machine does not matter.
 */

export const SEED_DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** When the work of a night is done. */
const NIGHT_END_MS = 5 * HOUR_MS;

/** The first moment of the day whose night is the last one that is over. */
export const newestDay = (now: number): number => Math.floor((now - NIGHT_END_MS) / SEED_DAY_MS) * SEED_DAY_MS;

/** The day as `2025-11-21`. */
export const dateOf = (day: number): string => new Date(day).toISOString().slice(0, 10);

/** The moment at a time of the day such as `02:30`. */
export const momentAt = (day: number, time: string): number => {
  const [hours, minutes] = time.split(':').map(Number) as [number, number];
  return day + hours * HOUR_MS + minutes * MINUTE_MS;
};

const MOMENT = /^\{\{(-?\d{1,4})d (\d\d:\d\d)\}\}$/;
const DATE = /\{\{(-?\d{1,4})d\}\}/g;

const placeText = (text: string, day: number): string | number => {
  const [, days, time] = MOMENT.exec(text) ?? [];
  if (time !== undefined) return momentAt(day + Number(days) * SEED_DAY_MS, time);
  return text.replace(DATE, (_, back: string) => dateOf(day + Number(back) * SEED_DAY_MS));
};

/** Replaces `{{-1d 02:00}}` by milliseconds and `{{-1d}}` by a date, both counted from the day. */
export const placeInTime = (value: unknown, day: number): unknown => {
  if (typeof value === 'string') return placeText(value, day);
  if (Array.isArray(value)) return value.map((item) => placeInTime(item, day));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, placeInTime(part, day)]));
};
