import { DAY_MS } from '../../model/time.ts';

/** Time zones, and the times that texts name in them. */

/** A time zone. A wall-clock time is a number as well: the milliseconds since the epoch if that clock showed UTC. */
export type TimeZone = { readonly offsetAt: (instant: number) => number };

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const fixedOffset = (offset: number): TimeZone => ({ offsetAt: () => offset });

export const UTC: TimeZone = fixedOffset(0);

const OFFSET = /^([+-])(\d{1,2}):?(\d{2})?(?::(\d{2}))?$/;

/** Parses `+05:30`, `-0800` and `+02` to milliseconds. No offset exceeds 18 hours. */
const parseUtcOffset = (text: string): number | undefined => {
  const found = OFFSET.exec(text);
  if (!found) return undefined;
  const [hours, minutes, seconds] = [found[2], found[3], found[4]].map((part) => Number(part ?? 0));
  if (hours === undefined || minutes === undefined || seconds === undefined || minutes > 59) return undefined;
  const size = hours * HOUR_MS + minutes * MINUTE_MS + seconds * 1000;
  return size > 18 * HOUR_MS ? undefined : found[1] === '-' ? -size : size;
};

/** Zone rules are looked up between these years; the nearest year's rules apply outside of them. */
const [FIRST, LAST] = [Date.UTC(1900, 0, 2), Date.UTC(2200, 0, 1)];

const readOffset = (format: Intl.DateTimeFormat, instant: number): number => {
  const parts = format.formatToParts(Math.min(Math.max(instant, FIRST), LAST));
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return parseUtcOffset(name.replace(/^GMT/, '')) ?? 0;
};

const LONGEST = 64;
const REGION = /^[A-Za-z][A-Za-z0-9_+/-]*$/;

const findRegion = (name: string): TimeZone | undefined => {
  if (name.length > LONGEST || !REGION.test(name)) return undefined;
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
    return { offsetAt: (instant) => readOffset(format, instant) };
  } catch {
    return undefined;
  }
};

const LABEL = /^GMT([+-]\d{2}:\d{2}) \((.+)\)$/;

/** Parses a zone label. Its region may contain spaces or be unknown, and then the offset before it applies. */
const parseZoneLabel = (text: string): TimeZone | undefined => {
  const [, offset, region] = LABEL.exec(text) ?? [];
  if (offset === undefined || region === undefined) return undefined;
  const zone = findRegion(region.replaceAll(' ', '_'));
  const milliseconds = parseUtcOffset(offset);
  return zone ?? (milliseconds === undefined ? undefined : fixedOffset(milliseconds));
};

/** Finds the zone that a text names: a label, a region, `UTC`, or an offset; undefined when there is none. */
export const findTimeZone = (text: string): TimeZone | undefined => {
  if (text === 'Z') return UTC;
  const offset = parseUtcOffset(text.replace(/^(GMT|UTC)(?=[+-])/, ''));
  if (offset !== undefined) return fixedOffset(offset);
  return parseZoneLabel(text) ?? findRegion(text);
};

/** The wall-clock time of a zone at an instant. */
export const wallClockAt = (zone: TimeZone, instant: number): number => instant + zone.offsetAt(instant);

/**
 * The instant of a wall-clock time. The first is used when the time occurs twice; a time skipped by a clock change is
 * moved forward by the length of the gap.
 */
export const instantAt = (zone: TimeZone, wall: number): number => {
  const [before, after] = [zone.offsetAt(wall - DAY_MS), zone.offsetAt(wall + DAY_MS)];
  if (zone.offsetAt(wall - before) === before) return wall - before;
  return zone.offsetAt(wall - after) === after ? wall - after : wall - before;
};

/** Subtracts months from a wall-clock time and clamps to the last day of a shorter month. */
export const subtractMonths = (wall: number, months: number): number => {
  const date = new Date(wall);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() - months);
  const last = new Date(date);
  last.setUTCMonth(last.getUTCMonth() + 1, 0);
  return date.setUTCDate(Math.min(day, last.getUTCDate()));
};

/** The maximum length of a text that is parsed as a time. */
const MAX_TIME_LENGTH = 64;

const TIME_PATTERN =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

const wallClockOf = ([year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0]: readonly number[]) => {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!exists || hour > 23 || minute > 59 || second > 59) return undefined;
  return date.setUTCHours(hour, minute, second);
};

/** Parses an ISO date or date-time. A text without an offset is in the given zone; a date is the start of its day. */
export const parseTime = (text: string, zone: TimeZone): number | undefined => {
  const found = text.length > MAX_TIME_LENGTH ? null : TIME_PATTERN.exec(text.trim());
  if (!found) return undefined;
  const [, ...parts] = found;
  const [fraction = '', offset] = [parts[6], parts[7]];
  const wall = wallClockOf(parts.slice(0, 6).map((part) => Number(part ?? 0)));
  if (wall === undefined) return undefined;
  const precise = wall + Number(fraction.slice(0, 3).padEnd(3, '0'));
  if (offset === undefined) return instantAt(zone, precise);
  const milliseconds = offset.toUpperCase() === 'Z' ? 0 : parseUtcOffset(offset);
  return milliseconds === undefined ? undefined : precise - milliseconds;
};

/** A time of day and the zone that follows it. */
export type TimeOfDay = { readonly minutes: number; readonly zone: TimeZone | undefined };

const CLOCK_PATTERN = /^(\d{1,2}):(\d{2})(?::\d{2})?\s*(.*)$/;

/** Parses `09:00`, `09:00 Europe/London` and `09:00-08:00`; undefined for an invalid time or zone. */
export const parseTimeOfDay = (text: string): TimeOfDay | undefined => {
  const [, hours, minutes, rest = ''] = (text.length > MAX_TIME_LENGTH ? null : CLOCK_PATTERN.exec(text.trim())) ?? [];
  if (hours === undefined || minutes === undefined || Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const name = rest.replace(/^\((.*)\)$/, '$1').trim();
  const zone = name === '' ? undefined : findTimeZone(name);
  if (name !== '' && !zone) return undefined;
  return { minutes: Number(hours) * 60 + Number(minutes), zone };
};
