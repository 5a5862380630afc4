import { DAY_MS } from '../../model/time.ts';
import type { Scalar } from './search-filter.ts';

/** Parses the dates of filters: milliseconds, ISO 8601, and date math such as `now-7d` or `2024-01-01||+1M/d`. */

/** A time range, from its first to its last millisecond. */
export type DateSpan = { readonly from: number; readonly to: number };

const UNITS: Readonly<Record<string, number>> = { d: DAY_MS, h: 3_600_000, H: 3_600_000, m: 60_000, s: 1000 };

const ISO_DATE =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(T\d\d(?::?\d\d(?::?\d\d(?:[.,]\d{1,9})?)?)?)?(Z|[+-]\d\d(?::?\d\d)?)?)?)?$/;

const ISO_TIME = /^T(\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d{1,9}))?)?)?$/;

const isWithin = (values: readonly number[], most: readonly number[]): boolean =>
  values.every((value, at) => value <= (most[at] ?? 0));

const parseTime = (text: string): number | undefined => {
  const [, hours = '0', minutes = '0', seconds = '0', fraction = '0'] = ISO_TIME.exec(text) ?? [];
  const [h, m, s] = [Number(hours), Number(minutes), Number(seconds)];
  if (!isWithin([h, m, s], [23, 59, 59])) return undefined;
  return ((h * 60 + m) * 60 + s) * 1000 + Math.floor(Number(`0.${fraction}`) * 1000);
};

const ZONE_OFFSET = /^([+-])(\d\d):?(\d\d)?$/;

const parseOffset = (zone: string): number => {
  const [, sign, hours = '0', minutes = '0'] = ZONE_OFFSET.exec(zone) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
};

/**
 * Parses an ISO date. A day is the range of the whole day; a month or year is its first day. Times without a zone are
 * in UTC.
 */
const parseIsoDate = (text: string): DateSpan | undefined => {
  const [, year, month = '01', day = '01', time, zone = 'Z'] = ISO_DATE.exec(text) ?? [];
  if (year === undefined) return undefined;
  const start = Date.parse(`${year}-${month}-${day}T00:00:00Z`);
  if (Number.isNaN(start) || new Date(start).toISOString().slice(8, 10) !== day) return undefined;
  const offset = zone === 'Z' ? 0 : parseOffset(zone);
  if (time === undefined) return { from: start - offset, to: start - offset + DAY_MS - 1 };
  const at = parseTime(time);
  return at === undefined ? undefined : { from: start + at - offset, to: start + at - offset };
};

const addMonths = (at: number, count: number, unit: string): number => {
  const date = new Date(at);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + (unit === 'y' ? 12 * count : count));
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, last));
  return date.getTime();
};

const addUnits = (at: number, count: number, unit: string): number => {
  if (unit === 'y' || unit === 'M') return addMonths(at, count, unit);
  return at + count * (unit === 'w' ? 7 * DAY_MS : (UNITS[unit] ?? 0));
};

const startOfUnit = (at: number, unit: string): number => {
  const date = new Date(at);
  if (unit === 'y') return Date.UTC(date.getUTCFullYear(), 0, 1);
  if (unit === 'M') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  const size = UNITS[unit] ?? DAY_MS;
  const start = Math.floor(at / size) * size;
  // Weeks start on Monday.
  return unit === 'w' ? start - ((date.getUTCDay() + 6) % 7) * DAY_MS : start;
};

const MATH_STEP = /([+-])(\d{1,9})([yMwdhHms])|\/([yMwdhHms])/gy;

/** Applies date math; a rounded date becomes the range of its whole unit. */
const applyDateMath = (start: DateSpan, sums: string): DateSpan | undefined => {
  let span = start;
  let end = 0;
  for (const [step, sign, count = '', unit = '', rounding] of sums.matchAll(MATH_STEP)) {
    end += step.length;
    if (rounding === undefined) {
      const signed = (sign === '-' ? -1 : 1) * Number(count);
      span = { from: addUnits(span.from, signed, unit), to: addUnits(span.to, signed, unit) };
    } else {
      const from = startOfUnit(span.from, rounding);
      span = { from, to: addUnits(from, 1, rounding) - 1 };
    }
  }
  const isUnderstood = end === sums.length && Number.isFinite(span.from) && Number.isFinite(span.to);
  return isUnderstood ? span : undefined;
};

const instantSpan = (moment: number): DateSpan => ({ from: moment, to: moment });

/** Parses a filter value as a time range; undefined when it is no date. Numbers are in the given unit. */
export const parseDate = (value: Scalar, now: number, unit: 's' | 'ms' = 'ms'): DateSpan | undefined => {
  const scale = unit === 's' ? 1000 : 1;
  if (typeof value === 'number') return instantSpan(value * scale);
  if (typeof value === 'boolean' || value.length > 100) return undefined;
  const text = value.trim();
  if (/^-?\d{5,}$/.test(text)) return instantSpan(Number(text) * scale);
  if (text.startsWith('now')) return applyDateMath(instantSpan(now), text.slice('now'.length));
  const [date = '', sums = ''] = text.split('||');
  const span = parseIsoDate(date);
  return span && (sums === '' ? span : applyDateMath(span, sums));
};
