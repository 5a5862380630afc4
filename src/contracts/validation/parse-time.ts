import { findTimeZone, instantAt, parseUtcOffset, type TimeZone } from './time-zone.ts';

/** The maximum length of a text that is parsed as a time. */
const MAX_LENGTH = 64;

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
  const found = text.length > MAX_LENGTH ? null : TIME_PATTERN.exec(text.trim());
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
  const [, hours, minutes, rest = ''] = (text.length > MAX_LENGTH ? null : CLOCK_PATTERN.exec(text.trim())) ?? [];
  if (hours === undefined || minutes === undefined || Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const name = rest.replace(/^\((.*)\)$/, '$1').trim();
  const zone = name === '' ? undefined : findTimeZone(name);
  if (name !== '' && !zone) return undefined;
  return { minutes: Number(hours) * 60 + Number(minutes), zone };
};
