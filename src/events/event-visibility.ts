import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Principal } from '../access/principal.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { redactEventText } from '../model/redact-state.ts';
import { redactSubscription } from '../model/schemas/events/destination-redaction.ts';
import { redactPerson } from '../model/schemas/people/personal-webhooks.ts';
import { maskSecretsInState } from '../model/secret-masking.ts';
import type { EventCountRow } from './queries.ts';

/** The key of a record, which may have been removed. */
export type EventRecordKey = { readonly entityType: string; readonly entityId: string };

/**
 * The record that an event is about. If the event mentions other records (`ends`), the caller must see at least one of
 * them.
 */
export type EventSubject = EventRecordKey & { readonly ends?: readonly string[] | null };

/** What a caller may see: everything, or the records for which the function returns true. */
export type RecordVisibility = 'everything' | ((records: readonly EventRecordKey[]) => Promise<readonly boolean[]>);

/** Returns the record visibility of a caller. */
export type RecordVisibilityOf = (principal: Principal) => RecordVisibility;

/** The text of an event, which may mention other records than its subject. */
type EventText = { readonly json: string; readonly ends: readonly string[] };

/** Rewrites the texts of events, in their order, without the other records that the caller may not see. */
export type FilterLineageEvents = (principal: Principal, events: readonly EventText[]) => Promise<readonly string[]>;

/** Redacts values for a caller. */
export type RedactForPrincipal = (principal: Principal, values: readonly Json[]) => Promise<readonly Json[]>;

/** What a caller may see of events, and how their texts are redacted. */
export type EventVisibility = {
  readonly records: RecordVisibility;
  readonly filterLineage: (events: readonly EventText[]) => Promise<readonly string[]>;
  /** Removes the references to records that the caller may not see. */
  readonly redact: (events: readonly Json[]) => Promise<readonly Json[]>;
};

export type EventVisibilityOf = (principal: Principal) => EventVisibility;

/** Creates the event visibility of a caller. */
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

/** The key of a record that an event mentions, as the event's node stores it. */
export const formatEventRecordKey = ({ entityType, entityId }: EventRecordKey): string => `${entityType} ${entityId}`;

export const parseEventRecordKey = (text: string): EventRecordKey => {
  const [entityType = '', entityId = ''] = text.split(' ');
  return { entityType, entityId };
};

const endpointsOfSubject = ({ ends }: EventSubject): readonly EventRecordKey[] => (ends ?? []).map(parseEventRecordKey);

/** Creates a test whether the caller may see a subject; it looks each record up once. */
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

/** Keeps the rows that the caller may see. */
export const filterVisible = async <T extends EventSubject>(
  rows: readonly T[],
  visibility: RecordVisibility,
): Promise<readonly T[]> => {
  if (visibility === 'everything' || rows.length === 0) return rows;
  return rows.filter(await createVisibilityTest(rows, visibility));
};

const hasRecord = (row: EventCountRow): row is EventCountRow & EventSubject => row.entityId !== null;

/** Counts the events that the caller may see: in total, or record by record where visibility requires it. */
export const countVisibleEvents = async (
  count: (byRecord: boolean) => Promise<readonly EventCountRow[]>,
  visibility: RecordVisibility,
): Promise<number> => {
  const rows = await count(visibility !== 'everything');
  if (visibility === 'everything') return rows[0]?.total ?? 0;
  const seen = await filterVisible(rows.filter(hasRecord), visibility);
  return seen.reduce((sum, { total }) => sum + total, 0);
};

type StateRedaction = (state: JsonObject) => JsonObject;

/** Masks the secrets of a member in a state, and redacts what is left of it. */
const maskMember = (member: string, redact: StateRedaction = (state) => state): StateRedaction => {
  const members: ReadonlySet<string> = new Set([member]);
  return (state) => redact(maskSecretsInState(state, members));
};

const maskConnection = maskMember('connection');
const STATE_REDACTIONS: ReadonlyMap<string, StateRedaction> = new Map([
  ['eventsubscription', maskMember('destinations', redactSubscription)],
  ['team', maskMember('profile', redactPerson)],
  ['user', maskMember('profile', redactPerson)],
]);

const redactionOf = (entityType: string): StateRedaction | undefined =>
  STATE_REDACTIONS.get(entityType) ?? (entityType.endsWith('Service') ? maskConnection : undefined);

/**
 * Redacts events of older versions, which may contain the endpoints of subscriptions and people, and connection secrets
 * that were not recognized as such then.
 */
const redactLegacyEvents = <T extends EventText & EventRecordKey>(rows: readonly T[]): readonly T[] =>
  rows.map((row) => {
    const redact = redactionOf(row.entityType);
    return redact ? { ...row, json: redactEventText(row.json, redact) } : row;
  });

/**
 * Events of this length are parsed, redacted and written in separate turns, because together they would block the event
 * loop.
 */
const LONG_EVENT = 512 * 1024;

/** Redacts events for a caller who may see each of them at least in part. */
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
