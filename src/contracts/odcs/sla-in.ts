import { isTimezone, timezoneAt } from '../../model/contract-words.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { lookupParts } from '../../model/name.ts';
import type { IssueCollector } from './issue.ts';
import { compact, itemsOf, objectOf, spoken } from './parts.ts';
import { at } from './problem.ts';
import { convert, type Unit, unitOf } from './units.ts';

/** Service levels of a document as a contract tells them (odcs.md 6). */

export type SlaMember = 'refreshFrequency' | 'maxLatency' | 'retention' | 'availabilityTime';

/** How many of which units a member is told in, and what its number is called. */
export const AMOUNTS: Readonly<
  Record<Exclude<SlaMember, 'availabilityTime'>, { readonly number: string; readonly units: readonly Unit[] }>
> = {
  refreshFrequency: { number: 'interval', units: ['hour', 'day', 'week', 'month', 'year'] },
  maxLatency: { number: 'value', units: ['minute', 'hour', 'day'] },
  retention: { number: 'period', units: ['day', 'week', 'month', 'year'] },
};

const MEMBERS: Readonly<Record<string, SlaMember>> = {
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
  const word = spoken(item['property'])?.trim().toLowerCase() ?? '';
  return Object.hasOwn(MEMBERS, word) ? MEMBERS[word] : undefined;
};

/** The number that a value of a document is, also when it is written as text. */
const numberOf = (value: Json | undefined): number | undefined => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
};

/** The unit an item is told in; a day when it says none. */
export const unitIn = (item: JsonObject): Unit | undefined => {
  const word = spoken(item['unit']);
  return word === undefined ? 'day' : unitOf(word);
};

/** More than any record holds. */
const MOST = 2_147_483_647;

const amountOf = (item: JsonObject, member: keyof typeof AMOUNTS): JsonObject | undefined => {
  const { number, units } = AMOUNTS[member];
  const [value, unit] = [numberOf(item['value']), unitIn(item)];
  if (value === undefined || unit === undefined || !Number.isSafeInteger(value) || value < 0) return undefined;
  const amount = units.includes(unit) ? { value, unit } : convert({ value, unit }, units);
  return amount && amount.value <= MOST ? { [number]: amount.value, unit: amount.unit } : undefined;
};

/** A time of day, perhaps with an offset: `09:00`, `9:00:00`, `09:00-08:00`, `09:00Z`. */
export const TIME = /^(\d{1,2}):(\d{2})(?::\d{2}(?:\.\d{1,9})?)?\s*(Z|[+-]\d{2}:?\d{2})?$/i;

/** The offset of a time as labels write it: `-0800` is `-08:00`. */
export const offsetIn = (written: string): string =>
  written.toUpperCase() === 'Z' ? '+00:00' : `${written.slice(0, 3)}:${written.slice(-2)}`;

const timeOf = (item: JsonObject): JsonObject | undefined => {
  const [, hour = '', minute = '', offset] = TIME.exec(spoken(item['value'])?.trim().slice(0, 100) ?? '') ?? [];
  if (hour === '' || Number(hour) > 23 || Number(minute) > 59) return undefined;
  const label = isTimezone(item['valueExt']) ? item['valueExt'] : undefined;
  const timezone = label ?? (offset === undefined ? undefined : timezoneAt(offsetIn(offset)));
  // A time in a zone that has no label would be read in another one.
  if (offset !== undefined && timezone === undefined) return undefined;
  return compact({ availabilityTime: `${hour.padStart(2, '0')}:${minute}`, timezone });
};

/** The last part of `orders.updated_at`; of several elements that of the first. */
export const lastSegment = (element: string): string | undefined => {
  const first = element.split(',', 1)[0]?.trim() ?? '';
  return spoken(lookupParts(first)?.at(-1)) ?? spoken(first.slice(first.lastIndexOf('.') + 1));
};

/** The element that an item is about. */
export const elementOf = (item: JsonObject, document: JsonObject): string | undefined =>
  spoken(item['element']) ?? spoken(document['slaDefaultElement']);

/** What one item of a document makes of a contract. */
const madeOf = (item: JsonObject, member: SlaMember, document: JsonObject): JsonObject | undefined => {
  if (member === 'availabilityTime') return timeOf(item);
  const amount = amountOf(item, member);
  if (amount === undefined) return undefined;
  const element = member === 'refreshFrequency' ? elementOf(item, document) : undefined;
  return compact({ [member]: amount, columnName: element === undefined ? undefined : lastSegment(element) });
};

/** The item of a document that tells one member of the service levels, and what it makes of them. */
export type SlaItem = { readonly member: SlaMember; readonly index: number; readonly made: JsonObject };

/** The items that are told to the contract: of those about the same member the first that can be. */
export const slaItems = (document: JsonObject, issues?: IssueCollector): readonly SlaItem[] => {
  const seen = new Set<SlaMember>();
  return itemsOf(document['slaProperties']).flatMap((value, index): readonly SlaItem[] => {
    const item = objectOf(value);
    const member = memberOf(item);
    if (member === undefined || seen.has(member)) return [];
    const made = madeOf(item, member, document);
    if (made) {
      seen.add(member);
      return [{ member, index, made }];
    }
    const message = `${spoken(item['property'])} cannot be told as ${member}: kept with the document only`;
    issues?.add({
      severity: 'warning',
      category: 'sla',
      field: member,
      path: at(at('slaProperties', index), 'value'),
      message,
    });
    return [];
  });
};

/** The service levels that a document speaks of. */
export const readSla = (document: JsonObject, issues: IssueCollector): JsonObject => {
  const made = slaItems(document, issues).map((item) => item.made);
  return compact({ sla: Object.assign({}, ...made) as JsonObject });
};
