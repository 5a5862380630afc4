import { isTimezone, offsetOf } from '../../model/contract-words.ts';
import { equalJson, isObject, type Json, type JsonObject } from '../../model/json.ts';
import { compact, itemsOf, objectOf, spoken } from './parts.ts';
import { AMOUNTS, elementOf, lastSegment, offsetIn, type SlaMember, slaItems, TIME, unitIn } from './sla-in.ts';

/** Service levels of a contract as a document tells them (odcs.md 6). */

const NAMES: Readonly<Record<SlaMember, string>> = {
  refreshFrequency: 'freshness',
  maxLatency: 'latency',
  retention: 'retention',
  availabilityTime: 'availabilityTime',
};
const MEMBERS = Object.keys(NAMES) as readonly SlaMember[];

type Members = Readonly<Record<string, Json | undefined>>;

/** The value and the unit of an amount, in the document's spelling of the unit where it means the same. */
const amountMembers = (amount: JsonObject, member: keyof typeof AMOUNTS, item: JsonObject | undefined): Members => {
  const number = amount[AMOUNTS[member].number];
  const isSameUnit = item !== undefined && unitIn(item) === amount['unit'];
  return {
    // Whatever is no text is read as another type by some readers of the standard.
    value: String(number),
    unit: isSameUnit ? item['unit'] : amount['unit'],
  };
};

/** A time as the document wrote it: with the offset behind it, if it did so. */
const timeMembers = (sla: JsonObject, item: JsonObject | undefined): Members => {
  const [time, timezone] = [String(sla['availabilityTime']), spoken(sla['timezone'])];
  const [, , , offset] = TIME.exec(spoken(item?.['value'])?.trim() ?? '') ?? [];
  const isLabelled = item === undefined || isTimezone(item['valueExt']) || offset === undefined;
  if (isLabelled || timezone === undefined) {
    const kept = isTimezone(item?.['valueExt']) ? undefined : item?.['valueExt'];
    return { value: time, valueExt: timezone ?? kept };
  }
  const isSameOffset = offsetIn(offset) === offsetOf(timezone);
  return { value: `${time}${isSameOffset ? offset : offsetOf(timezone)}`, valueExt: item['valueExt'] };
};

const elementFor = (sla: JsonObject, item: JsonObject | undefined, document: JsonObject): Json | undefined => {
  const [columnName, element] = [spoken(sla['columnName']), item && elementOf(item, document)];
  if (columnName === undefined || element === undefined) return columnName;
  if (lastSegment(element) === columnName) return item?.['element'];
  const own = spoken(item?.['element']);
  return own?.includes('.') === true && !/[,"]/.test(own) && !columnName.includes('.')
    ? `${own.slice(0, own.lastIndexOf('.'))}.${columnName}`
    : columnName;
};

const amountOrTime = (member: SlaMember, sla: JsonObject, item: JsonObject | undefined): Members =>
  member === 'availabilityTime' ? timeMembers(sla, item) : amountMembers(objectOf(sla[member]), member, item);

const newItem = (member: SlaMember, sla: JsonObject): JsonObject =>
  compact({
    property: NAMES[member],
    ...amountOrTime(member, sla, undefined),
    element: member === 'refreshFrequency' ? spoken(sla['columnName']) : undefined,
  });

/** An item with what the contract tells otherwise than was read from it; a value that did not change keeps its type. */
const changedItem = (
  item: JsonObject,
  member: SlaMember,
  before: JsonObject,
  after: JsonObject,
  document: JsonObject,
): JsonObject => {
  const differs = (name: string) => !equalJson(before[name], after[name]);
  const isTime = member === 'availabilityTime';
  const members: Members = {
    ...(differs(member) || (isTime && differs('timezone')) ? amountOrTime(member, after, item) : {}),
    ...(member === 'refreshFrequency' && differs('columnName') ? { element: elementFor(after, item, document) } : {}),
  };
  const kept = Object.entries({ ...item, ...members }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as JsonObject;
};

const isTold = (sla: JsonObject, member: SlaMember): boolean => sla[member] !== undefined && sla[member] !== null;

/** The service levels of a document as the contract has them; items the contract knows nothing of stay. */
export const writeSla = (document: JsonObject, made: JsonObject, contract: JsonObject): Json | undefined => {
  const [before, after] = [objectOf(made['sla']), objectOf(contract['sla'])];
  const source = document['slaProperties'];
  const mapped = slaItems(document);
  const items = itemsOf(source).flatMap((item, index): readonly Json[] => {
    const member = mapped.find((one) => one.index === index)?.member;
    if (member === undefined || !isObject(item) || !isTold(before, member)) return [item];
    if (!isTold(after, member)) return [];
    return [changedItem(item, member, before, after, document)];
  });
  const known = new Set(mapped.map(({ member }) => member).filter((member) => isTold(before, member)));
  // What a rule of the document promises already is not promised once more.
  const added = MEMBERS.filter(
    (member) => isTold(after, member) && !known.has(member) && !equalJson(before[member], after[member]),
  ).map((member) => newItem(member, after));
  const all = [...items, ...added];
  if (equalJson(all, itemsOf(source))) return source;
  return all.length === 0 ? undefined : all;
};
