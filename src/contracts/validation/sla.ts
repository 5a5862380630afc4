import { isObject, type Json, type JsonObject, member } from '../../model/json.ts';
import { DAY_MS } from '../../model/time.ts';
import {
  findTimeZone,
  instantAt,
  parseTime,
  parseTimeOfDay,
  subtractMonths,
  type TimeZone,
  UTC,
  wallClockAt,
} from './time-zone.ts';

/** An observation at one time that data had been refreshed at another. */
export type SlaObservation = { readonly observedAt: number; readonly refreshedAt: number };

/** The available information on when a table was refreshed. */
export type SlaSources = {
  /** The maximum values of the column that contains the time of each row, with the time of each measurement. */
  readonly columnMax?: readonly { readonly timestamp: number; readonly max: Json }[];
  /** The times at which rows were written. */
  readonly writes?: readonly number[];
  /** The time at which the table itself is recorded as updated. */
  readonly updated?: number;
};

/** Which service-level promises were met, as the result contains them; those that could not be evaluated are absent. */
export type SlaValidation = {
  readonly refreshFrequencyMet?: boolean;
  readonly latencyMet?: boolean;
  readonly availabilityMet?: boolean;
  readonly actualLatency?: number;
};

/** The largest latency that fits into the API's integer. */
const MAX_LATENCY = 2 ** 31 - 1;

const UNIT_MS: Readonly<Record<string, number>> = {
  minute: 60_000,
  hour: 60 * 60_000,
  day: DAY_MS,
  week: 7 * DAY_MS,
};

const MONTHS: Readonly<Record<string, number>> = { month: 1, year: 12 };

type CalendarDuration = { readonly size: number; readonly unit: string };

/** Reads a duration of a service level; undefined when it has none of that name. */
export const durationIn = (sla: JsonObject, name: string, sizeName: string): CalendarDuration | undefined => {
  const value = member(sla, name);
  if (!isObject(value)) return undefined;
  const [size, unit] = [member(value, sizeName), member(value, 'unit')];
  return typeof size === 'number' && typeof unit === 'string' ? { size, unit } : undefined;
};

const textMember = (sla: JsonObject, name: string): string | undefined => {
  const value = member(sla, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** The time zone of a service level: that of its label, else that of its time of day. */
export const timeZoneOf = (sla: JsonObject): TimeZone => {
  const label = textMember(sla, 'timezone');
  const zone = label === undefined ? undefined : findTimeZone(label);
  return zone ?? parseTimeOfDay(textMember(sla, 'availabilityTime') ?? '')?.zone ?? UTC;
};

type Observations = { readonly observations: readonly SlaObservation[]; readonly isMeasured: boolean };

/** Selects the observations of the first source that has any. */
const selectObservations = (
  { columnMax = [], writes = [], updated }: SlaSources,
  sla: JsonObject,
  zone: TimeZone,
): Observations => {
  const isNamed = textMember(sla, 'columnName') !== undefined;
  const measured = (isNamed ? columnMax : []).flatMap(({ timestamp, max }) => {
    const refreshedAt = typeof max === 'string' ? parseTime(max, zone) : undefined;
    return refreshedAt === undefined ? [] : [{ observedAt: timestamp, refreshedAt }];
  });
  if (measured.length > 0) return { observations: measured, isMeasured: true };
  const times = writes.length > 0 || updated === undefined ? writes : [updated];
  return { observations: times.map((time) => ({ observedAt: time, refreshedAt: time })), isMeasured: false };
};

const newestObservation = (observations: readonly SlaObservation[]): SlaObservation | undefined => {
  let newest: SlaObservation | undefined;
  for (const one of observations) {
    const isNewer =
      newest === undefined ||
      one.observedAt > newest.observedAt ||
      (one.observedAt === newest.observedAt && one.refreshedAt > newest.refreshedAt);
    if (isNewer) newest = one;
  }
  return newest;
};

/**
 * Subtracts a duration from now. Months and years follow the calendar; a time out of its range lies before
 * everything.
 */
const subtractDuration = (now: number, { size, unit }: CalendarDuration, zone: TimeZone): number | undefined => {
  const months = Object.hasOwn(MONTHS, unit) ? MONTHS[unit] : undefined;
  if (months !== undefined) {
    const wall = subtractMonths(wallClockAt(zone, now), size * months);
    return Number.isNaN(wall) ? Number.NEGATIVE_INFINITY : instantAt(zone, wall);
  }
  const length = Object.hasOwn(UNIT_MS, unit) ? UNIT_MS[unit] : undefined;
  return length === undefined ? undefined : now - size * length;
};

const checkRefresh = (sla: JsonObject, newest: SlaObservation, now: number, zone: TimeZone): SlaValidation => {
  const frequency = durationIn(sla, 'refreshFrequency', 'interval');
  const due = frequency && subtractDuration(now, frequency, zone);
  return due === undefined ? {} : { refreshFrequencyMet: newest.refreshedAt >= due };
};

const checkLatency = (sla: JsonObject, { observedAt, refreshedAt }: SlaObservation): SlaValidation => {
  const allowed = durationIn(sla, 'maxLatency', 'value');
  const unit = allowed && Object.hasOwn(UNIT_MS, allowed.unit) ? UNIT_MS[allowed.unit] : undefined;
  if (!allowed || unit === undefined) return {};
  const latency = Math.max(0, observedAt - refreshedAt);
  return { latencyMet: latency <= allowed.size * unit, actualLatency: Math.min(latency, MAX_LATENCY) };
};

type AvailabilityDeadline = { readonly at: number; readonly dayStart: number };

/** The latest past instant with that time of day, and the start of its day. */
const lastDeadline = (now: number, minutes: number, zone: TimeZone): AvailabilityDeadline => {
  const today = Math.floor(wallClockAt(zone, now) / DAY_MS) * DAY_MS;
  const [atToday, atYesterday] = [today, today - DAY_MS].map((day) => ({
    at: instantAt(zone, day + minutes * 60_000),
    dayStart: instantAt(zone, day),
  }));
  return atToday && atToday.at <= now ? atToday : (atYesterday ?? { at: now, dayStart: now });
};

const deadlineIn = (sla: JsonObject, now: number, zone: TimeZone): AvailabilityDeadline | undefined => {
  const time = parseTimeOfDay(textMember(sla, 'availabilityTime') ?? '');
  return time && lastDeadline(now, time.minutes, zone);
};

/** The last availability deadline; undefined when the SLA defines none. */
export const availabilityDeadlineOf = (sla: JsonObject, now: number): number | undefined =>
  deadlineIn(sla, now, timeZoneOf(sla))?.at;

const checkAvailability = (
  sla: JsonObject,
  observations: readonly SlaObservation[],
  now: number,
  zone: TimeZone,
): SlaValidation => {
  const deadline = deadlineIn(sla, now, zone);
  if (!deadline) return {};
  const { at, dayStart } = deadline;
  const newest = newestObservation(observations.filter(({ observedAt }) => observedAt <= at));
  return newest ? { availabilityMet: newest.refreshedAt >= dayStart } : {};
};

/** Checks which service-level promises a table meets now; a table without observations gets no answers. */
export const validateSla = (sla: JsonObject, sources: SlaSources, now: number): SlaValidation => {
  const zone = timeZoneOf(sla);
  const { observations, isMeasured } = selectObservations(sources, sla, zone);
  const newest = newestObservation(observations);
  if (!newest) return {};
  return {
    ...checkRefresh(sla, newest, now, zone),
    ...(isMeasured && checkLatency(sla, newest)),
    ...checkAvailability(sla, observations, now, zone),
  };
};
