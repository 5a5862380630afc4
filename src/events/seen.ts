import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Principal } from '../access/principal.ts';
import { redactSubscriptionEvent } from '../model/destination-secrets.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { maskState } from '../model/secret-texts.ts';
import type { CountedEvents } from './queries.ts';

/** A record, as far as it is known without reading it; it may be gone. */
export type Found = { readonly entityType: string; readonly entityId: string };

/** What an event is about. Of the other records that it tells of, if there are any, one must be seen. */
export type Subject = Found & { readonly ends?: readonly string[] | null };

/** What a caller may know of: everything, or what a look at each record says. */
export type Sight = 'everything' | ((records: readonly Found[]) => Promise<readonly boolean[]>);

/** Tells what a caller may see of what happened. */
export type SightOf = (principal: Principal) => Sight;

/** An event, whose text may tell of other records than its subject. */
type Telling = { readonly json: string; readonly ends: readonly string[] };

/** Tells of events again, in their order, without what a caller may not see of the other records in them. */
export type Retell = (principal: Principal, events: readonly Telling[]) => Promise<readonly string[]>;

/** Redacts values for a caller. */
export type RedactFor = (principal: Principal, values: readonly Json[]) => Promise<readonly Json[]>;

/** What a caller may see, and how they are told of it. */
export type Eyes = {
  readonly sight: Sight;
  readonly retell: (events: readonly Telling[]) => Promise<readonly string[]>;
  /** Leaves out of events the other records that they refer to and the caller may not see. */
  readonly redact: (events: readonly Json[]) => Promise<readonly Json[]>;
};

export type EyesOf = (principal: Principal) => Eyes;

/** How a caller sees what happened. */
export const eyesBy =
  (sightOf: SightOf, retell: Retell, redact: RedactFor): EyesOf =>
  (principal) => ({
    sight: sightOf(principal),
    retell: (events) => retell(principal, events),
    redact: (events) => redact(principal, events),
  });

/** A record that an event tells of, as its node names it. */
export const endText = ({ entityType, entityId }: Found): string => `${entityType} ${entityId}`;

export const endFrom = (text: string): Found => {
  const [entityType = '', entityId = ''] = text.split(' ');
  return { entityType, entityId };
};

const endsOf = ({ ends }: Subject): readonly Found[] => (ends ?? []).map(endFrom);

/** Tells of each of some subjects whether a caller may know of it; each record is looked at once. */
const isSeenBy = async (subjects: readonly Subject[], sight: Exclude<Sight, 'everything'>) => {
  const found = subjects.flatMap((subject) => [subject, ...endsOf(subject)]);
  const records = [...new Map(found.map((record) => [record.entityId, record])).values()];
  const seen = await sight(records);
  const ids = new Set(records.flatMap(({ entityId }, at) => (seen[at] ? [entityId] : [])));
  return (subject: Subject): boolean => {
    const ends = endsOf(subject);
    return ids.has(subject.entityId) && (ends.length === 0 || ends.some(({ entityId }) => ids.has(entityId)));
  };
};

/** Leaves out what the caller may not see. */
export const onlySeen = async <T extends Subject>(rows: readonly T[], sight: Sight): Promise<readonly T[]> => {
  if (sight === 'everything' || rows.length === 0) return rows;
  return rows.filter(await isSeenBy(rows, sight));
};

const isWhole = (row: CountedEvents): row is CountedEvents & Subject => row.entityId !== null;

/** How many of what is counted, in all or record by record, a caller may see. */
export const countSeen = async (
  count: (byRecord: boolean) => Promise<readonly CountedEvents[]>,
  sight: Sight,
): Promise<number> => {
  const rows = await count(sight !== 'everything');
  if (sight === 'everything') return rows[0]?.total ?? 0;
  const seen = await onlySeen(rows.filter(isWhole), sight);
  return seen.reduce((sum, { total }) => sum + total, 0);
};

const SUBSCRIPTION = 'eventsubscription';
const isService = (entityType: string): boolean => entityType.endsWith('Service');

const CONNECTION: ReadonlySet<string> = new Set(['connection']);

const maskServiceEvent = (json: string): string => {
  const event = maskState(JSON.parse(json) as JsonObject, CONNECTION);
  const { entity } = event;
  return JSON.stringify(isObject(entity) ? { ...event, entity: maskState(entity, CONNECTION) } : event);
};

/**
 * Events that an older program wrote may say more than events do today: where subscriptions lead, and secrets of
 * connections that are known as such only by now.
 */
const redactEvents = <T extends Telling & Found>(rows: readonly T[]): readonly T[] =>
  rows.some(({ entityType }) => entityType === SUBSCRIPTION || isService(entityType))
    ? rows.map((row) => {
        if (row.entityType === SUBSCRIPTION) return { ...row, json: redactSubscriptionEvent(row.json) };
        return isService(row.entityType) ? { ...row, json: maskServiceEvent(row.json) } : row;
      })
    : rows;

/** An event that is read, redacted and written in turns of their own, because together they would hold the event loop. */
const LONG_EVENT = 512 * 1024;

/** Events as a caller is told of them, who may see each of them in part at least. */
export const retold = async <T extends Telling & Found>(
  events: readonly T[],
  { sight, retell, redact }: Eyes,
): Promise<readonly T[]> => {
  const rows = redactEvents(events);
  if (sight === 'everything' || rows.length === 0) return rows;
  const tellings = rows.filter(({ ends }) => ends.length > 0);
  const texts = (tellings.length === 0 ? [] : await retell(tellings)).values();
  const told = rows.map(({ ends, json }) => (ends.length > 0 ? (texts.next().value ?? json) : json));
  const rest = told.some((text) => text.length > LONG_EVENT) ? () => nextTurn() : () => undefined;
  const parsed = told.map((text) => JSON.parse(text) as Json);
  await rest();
  const redacted = await redact(parsed);
  await rest();
  return rows.map((row, at) => ({ ...row, json: JSON.stringify(redacted[at]) }));
};
