import { createHash } from 'node:crypto';
import { eventPlace } from '../events/sequence.ts';
import type { NumberedEvent } from '../events/tail.ts';
import { changedFieldNames, summariseEvent } from '../model/event-summary.ts';
import { isArray, isObject, type Json, type JsonObject, member } from '../model/json.ts';
import type { EventType } from '../model/schemas/events/change-event.ts';

/** The event types that notify the followers and owners of a record. */
export const NOTABLE_EVENT_TYPES = [
  'entityUpdated',
  'entitySoftDeleted',
  'entityDeleted',
  'entityRestored',
  'entityLineageAdded',
  'entityLineageUpdated',
  'entityLineageDeleted',
] as const satisfies readonly EventType[];

const notableEventTypes: ReadonlySet<string> = new Set(NOTABLE_EVENT_TYPES);

/** Changes of these members concern the user who makes them, not the followers of the record. */
const PERSONAL_MEMBERS: ReadonlySet<string> = new Set(['followers', 'votes']);

const textMemberOf = (object: JsonObject | undefined, name: string): string => {
  const value = object && member(object, name);
  return typeof value === 'string' ? value : '';
};

const objectMemberOf = (object: JsonObject, name: string): JsonObject | undefined => {
  const value = member(object, name);
  return isObject(value) ? value : undefined;
};

const changeDescriptionOf = (event: NumberedEvent): JsonObject | undefined =>
  objectMemberOf(event.value(), 'changeDescription');

/** Whether an event notifies the followers and owners of its record. */
export const isNotableEvent = (event: NumberedEvent): boolean => {
  if (!notableEventTypes.has(event.eventType)) return false;
  if (event.eventType !== 'entityUpdated') return true;
  const names = changedFieldNames(changeDescriptionOf(event) ?? {});
  return names.length === 0 || names.some((name) => !PERSONAL_MEMBERS.has(name));
};

const FAILING_CONTRACT_STATUSES: ReadonlySet<Json> = new Set(['Failed', 'PartialSuccess']);

const FAILING_TEST_STATUSES: ReadonlySet<Json> = new Set(['Failed', 'Aborted']);

/** Reads the status of a result, which events contain as JSON text. */
const parseResultStatus = (latest: Json | undefined, name = 'status'): Json => {
  if (typeof latest !== 'string') return null;
  // An invalid event must not keep later events from being processed.
  try {
    const latestValue = JSON.parse(latest) as Json;
    return isObject(latestValue) ? (member(latestValue, name) ?? null) : null;
  } catch {
    return null;
  }
};

/** Whether an event reports that a contract starts to fail. This also notifies the readers of its data. */
export const isContractFailing = (event: NumberedEvent): boolean => {
  if (event.entityType !== 'dataContract' || event.eventType !== 'entityUpdated') return false;
  const change = changeDescriptionOf(event);
  const fields = change && member(change, 'fieldsUpdated');
  if (!isArray(fields)) return false;
  return fields.some((field) => {
    if (!isObject(field) || member(field, 'name') !== 'latestResult') return false;
    return (
      FAILING_CONTRACT_STATUSES.has(parseResultStatus(member(field, 'newValue'))) &&
      !FAILING_CONTRACT_STATUSES.has(member(field, 'oldValue') ?? null)
    );
  });
};

/** Whether an event reports that a test starts to fail. This also notifies the followers of its table. */
export const isTestFailing = (event: NumberedEvent): boolean => {
  if (event.entityType !== 'testCase' || event.eventType !== 'entityUpdated') return false;
  const change = changeDescriptionOf(event);
  const fields = change && member(change, 'fieldsUpdated');
  if (!isArray(fields)) return false;
  return fields.some((field) => {
    if (!isObject(field) || member(field, 'name') !== 'testCaseResult') return false;
    const now = parseResultStatus(member(field, 'newValue'), 'testCaseStatus');
    return FAILING_TEST_STATUSES.has(now) && !FAILING_TEST_STATUSES.has(member(field, 'oldValue') ?? null);
  });
};

/** The user who made a change, and the bot that acted for the user. Neither is notified. */
export const actorsOf = (event: NumberedEvent): string[] => {
  const bot = textMemberOf(event.value(), 'impersonatedBy');
  return bot === '' ? [event.userName] : [event.userName, bot];
};

/** The content that all notifications about an event share. */
export const buildNotificationContent = (event: NumberedEvent) => {
  const value = event.value();
  return {
    changeEventId: event.id,
    seq: event.seq,
    place: eventPlace(event.timestamp, event.seq),
    timestamp: event.timestamp,
    eventType: event.eventType,
    entityType: event.entityType,
    entityId: event.entityId,
    entityName: textMemberOf(objectMemberOf(value, 'entity'), 'name'),
    entityFqn: textMemberOf(value, 'entityFullyQualifiedName'),
    entityDeleted: event.eventType === 'entitySoftDeleted' || event.eventType === 'entityDeleted',
    actor: event.userName,
    summary: summariseEvent(event.eventType, changeDescriptionOf(event)),
    ends: event.ends,
  };
};

const UUID_VERSION = 0x50;
const UUID_VARIANT = 0x80;

/** The id of a notification, derived from event and user (a name-based UUID), so that nobody is notified twice. */
export const notificationIdOf = (eventId: string, userId: string): string => {
  const namespace = Buffer.from(eventId.replaceAll('-', ''), 'hex');
  const bytes = createHash('sha1').update(namespace).update(userId).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | UUID_VERSION, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | UUID_VARIANT, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};
