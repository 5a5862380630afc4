import { equalJson, isObject, type Json, type JsonObject } from '../../model/json.ts';
import { jsonItems, jsonObject, nonBlankText } from '../../model/json-parts.ts';
import { trySplitFqn } from '../../model/name.ts';
import { isTimezone, timezoneOffset, timezoneWithOffset } from '../../model/schemas/contracts/contract-status.ts';
import { type IssueCollector, joinPath } from './issues.ts';
import { omitEmpty, toFiniteNumber } from './json-parts.ts';

/** Reads and writes the service levels of a document as the contract stores them (odcs.md 6). */

/** Units of time as documents spell them. */
export type TimeUnit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';

const SPELLINGS: readonly (readonly [unit: TimeUnit, words: readonly string[]])[] = [
  ['second', ['s', 'sec', 'secs', 'second', 'seconds']],
  ['minute', ['m', 'min', 'mins', 'minute', 'minutes']],
  ['hour', ['h', 'hr', 'hrs', 'hour', 'hours']],
  ['day', ['d', 'day', 'days']],
  ['week', ['w', 'wk', 'wks', 'week', 'weeks']],
  ['month', ['mo', 'mos', 'month', 'months']],
  ['year', ['y', 'yr', 'yrs', 'year', 'years']],
];

const UNITS: ReadonlyMap<string, TimeUnit> = new Map(
  SPELLINGS.flatMap(([unit, words]) => words.map((word) => [word, unit] as const)),
);

const SECONDS: Partial<Readonly<Record<TimeUnit, number>>> = {
  second: 1,
  minute: 60,
  hour: 3_600,
  day: 86_400,
  week: 604_800,
};
const MONTHS: Partial<Readonly<Record<TimeUnit, number>>> = { month: 1, year: 12 };

const ORDER: readonly TimeUnit[] = SPELLINGS.map(([unit]) => unit);

/** The unit that a word stands for, in any letter case. */
export const parseTimeUnit = (word: string): TimeUnit | undefined => UNITS.get(word.trim().toLowerCase());

/** The conversion factor between two units, as a fraction; undefined when they cannot be converted. */
const conversionFactor = (unit: TimeUnit, other: TimeUnit): readonly [number, number] | undefined => {
  for (const scale of [SECONDS, MONTHS]) {
    const [one, two] = [scale[unit], scale[other]];
    if (one !== undefined && two !== undefined) return [one, two];
  }
  return undefined;
};

export type TimeAmount = { readonly value: number; readonly unit: TimeUnit };

/** Converts an amount to the nearest offered unit in which it is an integer. */
export const convertAmount = ({ value, unit }: TimeAmount, offered: readonly TimeUnit[]): TimeAmount | undefined => {
  const distance = (other: TimeUnit) => Math.abs(ORDER.indexOf(other) - ORDER.indexOf(unit));
  for (const other of [...offered].sort((one, two) => distance(one) - distance(two))) {
    const [numerator, denominator] = conversionFactor(unit, other) ?? [];
    if (numerator === undefined || denominator === undefined) continue;
    const product = value * numerator;
    if (product % denominator === 0 && Number.isSafeInteger(product))
      return { value: product / denominator, unit: other };
  }
  return undefined;
};

type SlaMember = 'refreshFrequency' | 'maxLatency' | 'retention' | 'availabilityTime';

/** The number member and the units of each service level. */
const SLA_AMOUNTS: Readonly<
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

/** The unit of an item; days when it has none. */
const slaUnitOf = (item: JsonObject): TimeUnit | undefined => {
  const word = nonBlankText(item['unit']);
  return word === undefined ? 'day' : parseTimeUnit(word);
};

/** The largest number that a record can store. */
const MAX_AMOUNT = 2_147_483_647;

const readAmount = (item: JsonObject, member: keyof typeof SLA_AMOUNTS): JsonObject | undefined => {
  const { number, units } = SLA_AMOUNTS[member];
  const [value, unit] = [toFiniteNumber(item['value']), slaUnitOf(item)];
  if (value === undefined || unit === undefined || !Number.isSafeInteger(value) || value < 0) return undefined;
  const amount = units.includes(unit) ? { value, unit } : convertAmount({ value, unit }, units);
  return amount && amount.value <= MAX_AMOUNT ? { [number]: amount.value, unit: amount.unit } : undefined;
};

/** A time of day, optionally with an offset: `09:00`, `9:00:00`, `09:00-08:00`, `09:00Z`. */
const SLA_TIME_PATTERN = /^(\d{1,2}):(\d{2})(?::\d{2}(?:\.\d{1,9})?)?\s*(Z|[+-]\d{2}:?\d{2})?$/i;

/** Normalizes an offset to the form of zone labels: `-0800` becomes `-08:00`. */
const normaliseOffset = (written: string): string =>
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
const lastSegment = (element: string): string | undefined => {
  const first = element.split(',', 1)[0]?.trim() ?? '';
  return nonBlankText(trySplitFqn(first)?.at(-1)) ?? nonBlankText(first.slice(first.lastIndexOf('.') + 1));
};

/** The element that an item is about. */
const slaElementOf = (item: JsonObject, document: JsonObject): string | undefined =>
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
type SlaItem = { readonly member: SlaMember; readonly index: number; readonly made: JsonObject };

/** Reads the items that the contract stores: the first valid one per service level. */
const readSlaItems = (document: JsonObject, issues?: IssueCollector): readonly SlaItem[] => {
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

// Writing service levels to a document.

const PROPERTY_BY_MEMBER: Readonly<Record<SlaMember, string>> = {
  refreshFrequency: 'freshness',
  maxLatency: 'latency',
  retention: 'retention',
  availabilityTime: 'availabilityTime',
};
const MEMBERS = Object.keys(PROPERTY_BY_MEMBER) as readonly SlaMember[];

type SlaItemMembers = Readonly<Record<string, Json | undefined>>;

/** Writes an amount, keeping the document's spelling of an equivalent unit. */
const amountMembers = (
  amount: JsonObject,
  member: keyof typeof SLA_AMOUNTS,
  item: JsonObject | undefined,
): SlaItemMembers => {
  const number = amount[SLA_AMOUNTS[member].number];
  const isSameUnit = item !== undefined && slaUnitOf(item) === amount['unit'];
  return {
    // Some readers of the standard interpret a value that is not text as another type.
    value: String(number),
    unit: isSameUnit ? item['unit'] : amount['unit'],
  };
};

/** Writes a time in the document's form, with the offset appended if it was. */
const timeMembers = (sla: JsonObject, item: JsonObject | undefined): SlaItemMembers => {
  const [time, timezone] = [String(sla['availabilityTime']), nonBlankText(sla['timezone'])];
  const [, , , offset] = SLA_TIME_PATTERN.exec(nonBlankText(item?.['value'])?.trim() ?? '') ?? [];
  const isLabelled = item === undefined || isTimezone(item['valueExt']) || offset === undefined;
  if (isLabelled || timezone === undefined) {
    const kept = isTimezone(item?.['valueExt']) ? undefined : item?.['valueExt'];
    return { value: time, valueExt: timezone ?? kept };
  }
  const isSameOffset = normaliseOffset(offset) === timezoneOffset(timezone);
  return { value: `${time}${isSameOffset ? offset : timezoneOffset(timezone)}`, valueExt: item['valueExt'] };
};

const elementFor = (sla: JsonObject, item: JsonObject | undefined, document: JsonObject): Json | undefined => {
  const [columnName, element] = [nonBlankText(sla['columnName']), item && slaElementOf(item, document)];
  if (columnName === undefined || element === undefined) return columnName;
  if (lastSegment(element) === columnName) return item?.['element'];
  const own = nonBlankText(item?.['element']);
  return own?.includes('.') === true && !/[,"]/.test(own) && !columnName.includes('.')
    ? `${own.slice(0, own.lastIndexOf('.'))}.${columnName}`
    : columnName;
};

const amountOrTime = (member: SlaMember, sla: JsonObject, item: JsonObject | undefined): SlaItemMembers =>
  member === 'availabilityTime' ? timeMembers(sla, item) : amountMembers(jsonObject(sla[member]), member, item);

const createItem = (member: SlaMember, sla: JsonObject): JsonObject =>
  omitEmpty({
    property: PROPERTY_BY_MEMBER[member],
    ...amountOrTime(member, sla, undefined),
    element: member === 'refreshFrequency' ? nonBlankText(sla['columnName']) : undefined,
  });

/** Updates an item with the values that the contract has changed; unchanged values keep their type. */
const updateItem = (
  item: JsonObject,
  member: SlaMember,
  before: JsonObject,
  after: JsonObject,
  document: JsonObject,
): JsonObject => {
  const differs = (name: string) => !equalJson(before[name], after[name]);
  const isTime = member === 'availabilityTime';
  const members: SlaItemMembers = {
    ...(differs(member) || (isTime && differs('timezone')) ? amountOrTime(member, after, item) : {}),
    ...(member === 'refreshFrequency' && differs('columnName') ? { element: elementFor(after, item, document) } : {}),
  };
  const kept = Object.entries({ ...item, ...members }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as JsonObject;
};

const hasSlaMember = (sla: JsonObject, member: SlaMember): boolean => sla[member] !== undefined && sla[member] !== null;

/** Writes the service levels of a document for the contract; items that the contract does not store are kept. */
export const writeSla = (document: JsonObject, made: JsonObject, contract: JsonObject): Json | undefined => {
  const [before, after] = [jsonObject(made['sla']), jsonObject(contract['sla'])];
  const source = document['slaProperties'];
  const mapped = readSlaItems(document);
  const items = jsonItems(source).flatMap((item, index): readonly Json[] => {
    const member = mapped.find((one) => one.index === index)?.member;
    if (member === undefined || !isObject(item) || !hasSlaMember(before, member)) return [item];
    if (!hasSlaMember(after, member)) return [];
    return [updateItem(item, member, before, after, document)];
  });
  const known = new Set(mapped.map(({ member }) => member).filter((member) => hasSlaMember(before, member)));
  // Service levels that a quality rule of the document already promises are not added.
  const added = MEMBERS.filter(
    (member) => hasSlaMember(after, member) && !known.has(member) && !equalJson(before[member], after[member]),
  ).map((member) => createItem(member, after));
  const all = [...items, ...added];
  if (equalJson(all, jsonItems(source))) return source;
  return all.length === 0 ? undefined : all;
};
