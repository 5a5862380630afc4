/** Times in the words and the zone of whoever looks. */

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const AGE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

export const formatDay = (time: number): string => DAY.format(time);

export const formatMoment = (time: number): string => MOMENT.format(time);

/** The time of a moment whose day stands beside it. */
export const formatTime = (time: number): string => TIME.format(time);

/** A time without seconds. */
export const readableTime = (time: number | string): string =>
  new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });

const UNITS = [
  { unit: 'year', ms: 31_536_000_000 },
  { unit: 'month', ms: 2_592_000_000 },
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
] as const;

/** How long ago something was, in its largest unit. */
export const formatAge = (time: number, now: number): string => {
  const passed = now - time;
  const found = UNITS.find(({ ms }) => Math.abs(passed) >= ms);
  return found === undefined ? 'just now' : AGE.format(-Math.trunc(passed / found.ms), found.unit);
};

/** A moment as machines read it; undefined for numbers that are no time of any calendar. */
export const isoMoment = (at: number): string | undefined =>
  Number.isNaN(new Date(at).getTime()) ? undefined : new Date(at).toISOString();
