import { createHash } from 'node:crypto';
import { placeOf } from '../events/sequence.ts';
import type { NumberedEvent } from '../events/tail.ts';
import type { EventType } from '../model/event-values.ts';
import { isArray, isObject, type Json, type JsonObject, member } from '../model/json.ts';
import { changedNames, summarise } from './summary.ts';

/** What people are told of when it happens to what they follow or own. */
export const NOTABLE = [
  'entityUpdated',
  'entitySoftDeleted',
  'entityDeleted',
  'entityRestored',
  'entityLineageAdded',
  'entityLineageUpdated',
  'entityLineageDeleted',
] as const satisfies readonly EventType[];

const notable: ReadonlySet<string> = new Set(NOTABLE);

/** Changes that concern whoever made them, not those who follow the record. */
const PERSONAL: ReadonlySet<string> = new Set(['followers', 'votes']);

const textIn = (object: JsonObject | undefined, name: string): string => {
  const value = object && member(object, name);
  return typeof value === 'string' ? value : '';
};

const objectIn = (object: JsonObject, name: string): JsonObject | undefined => {
  const value = member(object, name);
  return isObject(value) ? value : undefined;
};

const changeOf = (event: NumberedEvent): JsonObject | undefined => objectIn(event.value(), 'changeDescription');

/** Whether those who follow or own the record are told of an event. */
export const isNotable = (event: NumberedEvent): boolean => {
  if (!notable.has(event.eventType)) return false;
  if (event.eventType !== 'entityUpdated') return true;
  const names = changedNames(changeOf(event) ?? {});
  return names.length === 0 || names.some((name) => !PERSONAL.has(name));
};

const FAILING: ReadonlySet<Json> = new Set(['Failed', 'PartialSuccess']);

const FAILING_TEST: ReadonlySet<Json> = new Set(['Failed', 'Aborted']);

/** The status of a result, which events tell as a text of its own. */
const statusIn = (latest: Json | undefined, name = 'status'): Json => {
  if (typeof latest !== 'string') return null;
  // What one event says must never keep the later ones from being told.
  try {
    const told = JSON.parse(latest) as Json;
    return isObject(told) ? (member(told, name) ?? null) : null;
  } catch {
    return null;
  }
};

/** Whether a contract is broken from an event on that was not so before: its readers are told of that as well. */
export const isFailing = (event: NumberedEvent): boolean => {
  if (event.entityType !== 'dataContract' || event.eventType !== 'entityUpdated') return false;
  const change = changeOf(event);
  const fields = change && member(change, 'fieldsUpdated');
  if (!isArray(fields)) return false;
  return fields.some((field) => {
    if (!isObject(field) || member(field, 'name') !== 'latestResult') return false;
    return FAILING.has(statusIn(member(field, 'newValue'))) && !FAILING.has(member(field, 'oldValue') ?? null);
  });
};

/** Whether a test fails from an event on that did not fail before: those who follow its table are told of that as well. */
export const isTestFailing = (event: NumberedEvent): boolean => {
  if (event.entityType !== 'testCase' || event.eventType !== 'entityUpdated') return false;
  const change = changeOf(event);
  const fields = change && member(change, 'fieldsUpdated');
  if (!isArray(fields)) return false;
  return fields.some((field) => {
    if (!isObject(field) || member(field, 'name') !== 'testCaseResult') return false;
    const now = statusIn(member(field, 'newValue'), 'testCaseStatus');
    return FAILING_TEST.has(now) && !FAILING_TEST.has(member(field, 'oldValue') ?? null);
  });
};

/** Whoever did it, and the bot that did it for them: neither need be told. */
export const doersOf = (event: NumberedEvent): string[] => {
  const bot = textIn(event.value(), 'impersonatedBy');
  return bot === '' ? [event.userName] : [event.userName, bot];
};

/** What everybody is told of an event, as each notification keeps it. */
export const occasionOf = (event: NumberedEvent) => {
  const value = event.value();
  return {
    changeEventId: event.id,
    seq: event.seq,
    place: placeOf(event.timestamp, event.seq),
    timestamp: event.timestamp,
    eventType: event.eventType,
    entityType: event.entityType,
    entityId: event.entityId,
    entityName: textIn(objectIn(value, 'entity'), 'name'),
    entityFqn: textIn(value, 'entityFullyQualifiedName'),
    entityDeleted: event.eventType === 'entitySoftDeleted' || event.eventType === 'entityDeleted',
    actor: event.userName,
    summary: summarise(event.eventType, changeOf(event)),
    ends: event.ends,
  };
};

const VERSION = 0x50;
const VARIANT = 0x80;

/** The id of what somebody is told of an event: it follows from both (a name-based UUID), so that nobody is told twice. */
export const notificationId = (eventId: string, userId: string): string => {
  const namespace = Buffer.from(eventId.replaceAll('-', ''), 'hex');
  const bytes = createHash('sha1').update(namespace).update(userId).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | VERSION, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | VARIANT, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};
