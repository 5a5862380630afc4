import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Principal } from '../access/principal.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { redactSubscriptionEvent } from '../model/schemas/events/destination-redaction.ts';
import { maskSecretsInState } from '../model/secret-masking.ts';
import type { EventCountRow } from './queries.ts';

/** A record, as far as it is known without reading it; it may be gone. */
export type EventRecordKey = { readonly entityType: string; readonly entityId: string };

/** What an event is about. Of the other records that it tells of, if there are any, one must be seen. */
export type EventSubject = EventRecordKey & { readonly ends?: readonly string[] | null };

/** What a caller may know of: everything, or what a look at each record says. */
export type RecordVisibility = 'everything' | ((records: readonly EventRecordKey[]) => Promise<readonly boolean[]>);

/** Tells what a caller may see of what happened. */
export type RecordVisibilityOf = (principal: Principal) => RecordVisibility;

/** An event, whose text may tell of other records than its subject. */
type EventText = { readonly json: string; readonly ends: readonly string[] };

/** Tells of events again, in their order, without what a caller may not see of the other records in them. */
export type FilterLineageEvents = (principal: Principal, events: readonly EventText[]) => Promise<readonly string[]>;

/** Redacts values for a caller. */
export type RedactForPrincipal = (principal: Principal, values: readonly Json[]) => Promise<readonly Json[]>;

/** What a caller may see, and how they are told of it. */
export type EventVisibility = {
  readonly records: RecordVisibility;
  readonly filterLineage: (events: readonly EventText[]) => Promise<readonly string[]>;
  /** Leaves out of events the other records that they refer to and the caller may not see. */
  readonly redact: (events: readonly Json[]) => Promise<readonly Json[]>;
};

export type EventVisibilityOf = (principal: Principal) => EventVisibility;

/** How a caller sees what happened. */
export const createEventVisibility =
  (
    recordVisibilityOf: RecordVisibilityOf,
    filterLineageEvents: FilterLineageEvents,
    redact: RedactForPrincipal,
  ): EventVisibilityOf =>
  (principal) => ({
    records: recordVisibilityOf(principal),
    filterLineage: (events) => filterLineageEvents(principal, events),
    redact: (events) => redact(principal, events),
  });

/** A record that an event tells of, as its node names it. */
export const formatEventRecordKey = ({ entityType, entityId }: EventRecordKey): string => `${entityType} ${entityId}`;

export const parseEventRecordKey = (text: string): EventRecordKey => {
  const [entityType = '', entityId = ''] = text.split(' ');
  return { entityType, entityId };
};

const endpointsOfSubject = ({ ends }: EventSubject): readonly EventRecordKey[] => (ends ?? []).map(parseEventRecordKey);

/** Tells of each of some subjects whether a caller may know of it; each record is looked at once. */
const createVisibilityTest = async (
  subjects: readonly EventSubject[],
  visibility: Exclude<RecordVisibility, 'everything'>,
) => {
  const found = subjects.flatMap((subject) => [subject, ...endpointsOfSubject(subject)]);
  const records = [...new Map(found.map((record) => [record.entityId, record])).values()];
  const seen = await visibility(records);
  const ids = new Set(records.flatMap(({ entityId }, at) => (seen[at] ? [entityId] : [])));
  return (subject: EventSubject): boolean => {
    const ends = endpointsOfSubject(subject);
    return ids.has(subject.entityId) && (ends.length === 0 || ends.some(({ entityId }) => ids.has(entityId)));
  };
};

/** Leaves out what the caller may not see. */
export const filterVisible = async <T extends EventSubject>(
  rows: readonly T[],
  visibility: RecordVisibility,
): Promise<readonly T[]> => {
  if (visibility === 'everything' || rows.length === 0) return rows;
  return rows.filter(await createVisibilityTest(rows, visibility));
};

const hasRecord = (row: EventCountRow): row is EventCountRow & EventSubject => row.entityId !== null;

/** How many of what is counted, in all or record by record, a caller may see. */
export const countVisibleEvents = async (
  count: (byRecord: boolean) => Promise<readonly EventCountRow[]>,
  visibility: RecordVisibility,
): Promise<number> => {
  const rows = await count(visibility !== 'everything');
  if (visibility === 'everything') return rows[0]?.total ?? 0;
  const seen = await filterVisible(rows.filter(hasRecord), visibility);
  return seen.reduce((sum, { total }) => sum + total, 0);
};

const SUBSCRIPTION_TYPE = 'eventsubscription';
const isServiceType = (entityType: string): boolean => entityType.endsWith('Service');

const CONNECTION_MEMBERS: ReadonlySet<string> = new Set(['connection']);

const maskServiceEvent = (json: string): string => {
  const event = maskSecretsInState(JSON.parse(json) as JsonObject, CONNECTION_MEMBERS);
  const { entity } = event;
  return JSON.stringify(
    isObject(entity) ? { ...event, entity: maskSecretsInState(entity, CONNECTION_MEMBERS) } : event,
  );
};

/**
 * Events that an older program wrote may say more than events do today: where subscriptions lead, and secrets of
 * connections that are known as such only by now.
 */
const redactLegacyEvents = <T extends EventText & EventRecordKey>(rows: readonly T[]): readonly T[] =>
  rows.some(({ entityType }) => entityType === SUBSCRIPTION_TYPE || isServiceType(entityType))
    ? rows.map((row) => {
        if (row.entityType === SUBSCRIPTION_TYPE) return { ...row, json: redactSubscriptionEvent(row.json) };
        return isServiceType(row.entityType) ? { ...row, json: maskServiceEvent(row.json) } : row;
      })
    : rows;

/** An event that is read, redacted and written in turns of their own, because together they would hold the event loop. */
const LONG_EVENT = 512 * 1024;

/** Events as a caller is told of them, who may see each of them in part at least. */
export const redactEventsFor = async <T extends EventText & EventRecordKey>(
  events: readonly T[],
  { records, filterLineage, redact }: EventVisibility,
): Promise<readonly T[]> => {
  const rows = redactLegacyEvents(events);
  if (records === 'everything' || rows.length === 0) return rows;
  const lineageEvents = rows.filter(({ ends }) => ends.length > 0);
  const texts = (lineageEvents.length === 0 ? [] : await filterLineage(lineageEvents)).values();
  const filtered = rows.map(({ ends, json }) => (ends.length > 0 ? (texts.next().value ?? json) : json));
  const rest = filtered.some((text) => text.length > LONG_EVENT) ? () => nextTurn() : () => undefined;
  const parsed = filtered.map((text) => JSON.parse(text) as Json);
  await rest();
  const redacted = await redact(parsed);
  await rest();
  return rows.map((row, at) => ({ ...row, json: JSON.stringify(redacted[at]) }));
};
