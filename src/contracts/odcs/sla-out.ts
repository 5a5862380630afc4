import { equalJson, isObject, type Json, type JsonObject } from '../../model/json.ts';
import { isTimezone, timezoneOffset } from '../../model/schemas/contracts/contract-status.ts';
import { jsonItems, jsonObject, nonBlankText, omitEmpty } from './parts.ts';
import {
  lastSegment,
  normaliseOffset,
  readSlaItems,
  SLA_AMOUNTS,
  SLA_TIME_PATTERN,
  type SlaMember,
  slaElementOf,
  slaUnitOf,
} from './sla-in.ts';

/** Writes service levels of a contract to a document (odcs.md 6). */

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
