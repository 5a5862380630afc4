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

/** Service levels of a contract as a document tells them (odcs.md 6). */

const PROPERTY_BY_MEMBER: Readonly<Record<SlaMember, string>> = {
  refreshFrequency: 'freshness',
  maxLatency: 'latency',
  retention: 'retention',
  availabilityTime: 'availabilityTime',
};
const MEMBERS = Object.keys(PROPERTY_BY_MEMBER) as readonly SlaMember[];

type SlaItemMembers = Readonly<Record<string, Json | undefined>>;

/** The value and the unit of an amount, in the document's spelling of the unit where it means the same. */
const amountMembers = (
  amount: JsonObject,
  member: keyof typeof SLA_AMOUNTS,
  item: JsonObject | undefined,
): SlaItemMembers => {
  const number = amount[SLA_AMOUNTS[member].number];
  const isSameUnit = item !== undefined && slaUnitOf(item) === amount['unit'];
  return {
    // Whatever is no text is read as another type by some readers of the standard.
    value: String(number),
    unit: isSameUnit ? item['unit'] : amount['unit'],
  };
};

/** A time as the document wrote it: with the offset behind it, if it did so. */
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

/** An item with what the contract tells otherwise than was read from it; a value that did not change keeps its type. */
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

/** The service levels of a document as the contract has them; items the contract knows nothing of stay. */
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
  // What a rule of the document promises already is not promised once more.
  const added = MEMBERS.filter(
    (member) => hasSlaMember(after, member) && !known.has(member) && !equalJson(before[member], after[member]),
  ).map((member) => createItem(member, after));
  const all = [...items, ...added];
  if (equalJson(all, jsonItems(source))) return source;
  return all.length === 0 ? undefined : all;
};
