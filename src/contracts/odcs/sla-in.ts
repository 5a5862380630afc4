import type { Json, JsonObject } from '../../model/json.ts';
import { trySplitFqn } from '../../model/name.ts';
import { isTimezone, timezoneWithOffset } from '../../model/schemas/contracts/contract-status.ts';
import type { IssueCollector } from './issue.ts';
import { jsonItems, jsonObject, nonBlankText, omitEmpty } from './parts.ts';
import { joinPath } from './problem.ts';
import { convertAmount, parseTimeUnit, type TimeUnit } from './units.ts';

/** Reads service levels of a document as the contract stores them (odcs.md 6). */

export type SlaMember = 'refreshFrequency' | 'maxLatency' | 'retention' | 'availabilityTime';

/** The number member and the units of each service level. */
export const SLA_AMOUNTS: Readonly<
  Record<Exclude<SlaMember, 'availabilityTime'>, { readonly number: string; readonly units: readonly TimeUnit[] }>
> = {
  refreshFrequency: { number: 'interval', units: ['hour', 'day', 'week', 'month', 'year'] },
  maxLatency: { number: 'value', units: ['minute', 'hour', 'day'] },
  retention: { number: 'period', units: ['day', 'week', 'month', 'year'] },
};

const MEMBER_BY_PROPERTY: Readonly<Record<string, SlaMember>> = {
  freshness: 'refreshFrequency',
  refreshfrequency: 'refreshFrequency',
  frequency: 'refreshFrequency',
  fy: 'refreshFrequency',
  latency: 'maxLatency',
  ly: 'maxLatency',
  maxlatency: 'maxLatency',
  retention: 'retention',
  re: 'retention',
  availabilitytime: 'availabilityTime',
  timeofavailability: 'availabilityTime',
};

const memberOf = (item: JsonObject): SlaMember | undefined => {
  const word = nonBlankText(item['property'])?.trim().toLowerCase() ?? '';
  return Object.hasOwn(MEMBER_BY_PROPERTY, word) ? MEMBER_BY_PROPERTY[word] : undefined;
};

/** Converts a number, or a text that contains one. */
const toNumber = (value: Json | undefined): number | undefined => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
};

/** The unit of an item; days when it has none. */
export const slaUnitOf = (item: JsonObject): TimeUnit | undefined => {
  const word = nonBlankText(item['unit']);
  return word === undefined ? 'day' : parseTimeUnit(word);
};

/** The largest number that a record can store. */
const MAX_AMOUNT = 2_147_483_647;

const readAmount = (item: JsonObject, member: keyof typeof SLA_AMOUNTS): JsonObject | undefined => {
  const { number, units } = SLA_AMOUNTS[member];
  const [value, unit] = [toNumber(item['value']), slaUnitOf(item)];
  if (value === undefined || unit === undefined || !Number.isSafeInteger(value) || value < 0) return undefined;
  const amount = units.includes(unit) ? { value, unit } : convertAmount({ value, unit }, units);
  return amount && amount.value <= MAX_AMOUNT ? { [number]: amount.value, unit: amount.unit } : undefined;
};

/** A time of day, optionally with an offset: `09:00`, `9:00:00`, `09:00-08:00`, `09:00Z`. */
export const SLA_TIME_PATTERN = /^(\d{1,2}):(\d{2})(?::\d{2}(?:\.\d{1,9})?)?\s*(Z|[+-]\d{2}:?\d{2})?$/i;

/** Normalizes an offset to the form of zone labels: `-0800` becomes `-08:00`. */
export const normaliseOffset = (written: string): string =>
  written.toUpperCase() === 'Z' ? '+00:00' : `${written.slice(0, 3)}:${written.slice(-2)}`;

const readTime = (item: JsonObject): JsonObject | undefined => {
  const [, hour = '', minute = '', offset] =
    SLA_TIME_PATTERN.exec(nonBlankText(item['value'])?.trim().slice(0, 100) ?? '') ?? [];
  if (hour === '' || Number(hour) > 23 || Number(minute) > 59) return undefined;
  const label = isTimezone(item['valueExt']) ? item['valueExt'] : undefined;
  const timezone = label ?? (offset === undefined ? undefined : timezoneWithOffset(normaliseOffset(offset)));
  // A time whose offset has no zone label would be read in another zone.
  if (offset !== undefined && timezone === undefined) return undefined;
  return omitEmpty({ availabilityTime: `${hour.padStart(2, '0')}:${minute}`, timezone });
};

/** The last part of `orders.updated_at`; of the first when there are several elements. */
export const lastSegment = (element: string): string | undefined => {
  const first = element.split(',', 1)[0]?.trim() ?? '';
  return nonBlankText(trySplitFqn(first)?.at(-1)) ?? nonBlankText(first.slice(first.lastIndexOf('.') + 1));
};

/** The element that an item is about. */
export const slaElementOf = (item: JsonObject, document: JsonObject): string | undefined =>
  nonBlankText(item['element']) ?? nonBlankText(document['slaDefaultElement']);

/** Reads one item of a document as service levels of a contract. */
const readSlaItem = (item: JsonObject, member: SlaMember, document: JsonObject): JsonObject | undefined => {
  if (member === 'availabilityTime') return readTime(item);
  const amount = readAmount(item, member);
  if (amount === undefined) return undefined;
  const element = member === 'refreshFrequency' ? slaElementOf(item, document) : undefined;
  return omitEmpty({ [member]: amount, columnName: element === undefined ? undefined : lastSegment(element) });
};

/** An item of a document about one service level, and the members that it provides. */
export type SlaItem = { readonly member: SlaMember; readonly index: number; readonly made: JsonObject };

/** Reads the items that the contract stores: the first valid one per service level. */
export const readSlaItems = (document: JsonObject, issues?: IssueCollector): readonly SlaItem[] => {
  const seen = new Set<SlaMember>();
  return jsonItems(document['slaProperties']).flatMap((value, index): readonly SlaItem[] => {
    const item = jsonObject(value);
    const member = memberOf(item);
    if (member === undefined || seen.has(member)) return [];
    const made = readSlaItem(item, member, document);
    if (made) {
      seen.add(member);
      return [{ member, index, made }];
    }
    const message = `${nonBlankText(item['property'])} cannot be told as ${member}: kept with the document only`;
    issues?.add({
      severity: 'warning',
      category: 'sla',
      field: member,
      path: joinPath(joinPath('slaProperties', index), 'value'),
      message,
    });
    return [];
  });
};

/** Reads the service levels of a document. */
export const readSla = (document: JsonObject, issues: IssueCollector): JsonObject => {
  const made = readSlaItems(document, issues).map((item) => item.made);
  return omitEmpty({ sla: Object.assign({}, ...made) as JsonObject });
};
