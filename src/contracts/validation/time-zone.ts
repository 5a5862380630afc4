import { DAY_MS } from '../../model/time.ts';

/** Time zones. A wall-clock time is a number as well: the milliseconds since the epoch if that clock showed UTC. */
export type TimeZone = { readonly offsetAt: (instant: number) => number };

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const fixedOffset = (offset: number): TimeZone => ({ offsetAt: () => offset });

export const UTC: TimeZone = fixedOffset(0);

const OFFSET = /^([+-])(\d{1,2}):?(\d{2})?(?::(\d{2}))?$/;

/** Parses `+05:30`, `-0800` and `+02` to milliseconds. No offset exceeds 18 hours. */
export const parseUtcOffset = (text: string): number | undefined => {
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
