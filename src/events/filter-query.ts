import { badRequest } from '../errors.ts';
import { wholeNumber } from '../http/query.ts';
import { decodeCursor } from '../model/cursor.ts';
import { EVENT_TYPES, type EventType } from '../model/event-values.ts';
import { RECORD_TYPES, recordType } from '../model/record-type.ts';
import { DAY_MS } from '../model/time.ts';
import { isUuid } from '../model/uuid.ts';
import { placeOfTime } from './sequence.ts';

/** One sort of happening: what happened, to records of which type. */
export type Sort = { readonly entityType: string; readonly eventType: string };

/** Which events are asked for; what is undefined narrows nothing. */
export type EventFilter = {
  readonly sorts: readonly Sort[] | undefined;
  readonly ids: readonly string[] | undefined;
  readonly userNames: readonly string[] | undefined;
};

/** A request for a list of events, as far as it can be checked without looking at any. */
export type EventListRequest = {
  readonly filter: EventFilter;
  /** The place in the order of time from which the filtered set begins. */
  readonly since: string;
  /** The place behind which the page begins. */
  readonly after: string;
  readonly limit: number;
};

/** What each of the parameters that name record types asks for. */
const TRIGGERS = {
  entityCreated: ['entityCreated'],
  entityUpdated: [
    'entityUpdated',
    'entityFieldsChanged',
    'entityLineageAdded',
    'entityLineageUpdated',
    'entityLineageDeleted',
  ],
  entityRestored: ['entityRestored'],
  entityDeleted: ['entityDeleted', 'entitySoftDeleted'],
} as const satisfies Readonly<Record<string, readonly EventType[]>>;

const MAX_ITEMS = 100;
const EVERYTHING = '*';

export const MAX_EVENTS = 10_000;
export const DEFAULT_EVENTS = 100;

/** The items of a comma-separated parameter; one that is absent or empty has none. */
const itemsOf = (query: URLSearchParams, name: string): readonly string[] => {
  const items = (query.get(name) ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  if (items.length > MAX_ITEMS) throw badRequest(`[${name} must have at most ${MAX_ITEMS} items]`);
  return [...new Set(items)];
};

/** The record types that a parameter names. Throws bad_request for one that nobody knows. */
export const typesOf = (query: URLSearchParams, name: string): readonly string[] => {
  const items = itemsOf(query, name);
  if (items.includes(EVERYTHING)) return RECORD_TYPES;
  return items.map((item) => {
    const type = recordType(item);
    if (type === undefined) throw badRequest(`Invalid entity ${item} in query param ${name}`);
    return type;
  });
};

const eventTypesOf = (query: URLSearchParams): readonly string[] =>
  itemsOf(query, 'eventType').map((item) => {
    const type = EVENT_TYPES.find((known) => known === item);
    if (!type) throw badRequest(`[eventType must be one of ${EVENT_TYPES.join(', ')}]`);
    return type;
  });

const pairs = (entityTypes: readonly string[], eventTypes: readonly string[]): Sort[] =>
  entityTypes.flatMap((entityType) => eventTypes.map((eventType) => ({ entityType, eventType })));

/** What the triggers ask for together; undefined when none is given. */
const triggered = (query: URLSearchParams): readonly Sort[] | undefined => {
  const wanted = Object.entries(TRIGGERS).flatMap(([name, eventTypes]) => pairs(typesOf(query, name), eventTypes));
  return wanted.length > 0 ? wanted : undefined;
};

const isIn = (items: readonly string[], item: string): boolean => items.length === 0 || items.includes(item);

const sortsOf = (query: URLSearchParams): readonly Sort[] | undefined => {
  const wanted = triggered(query);
  const entityTypes = typesOf(query, 'entityType');
  const eventTypes = eventTypesOf(query);
  if (wanted) return wanted.filter((sort) => isIn(entityTypes, sort.entityType) && isIn(eventTypes, sort.eventType));
  if (entityTypes.length === 0 && eventTypes.length === 0) return undefined;
  return pairs(
    entityTypes.length > 0 ? entityTypes : RECORD_TYPES,
    eventTypes.length > 0 ? eventTypes : Object.values(TRIGGERS).flat(),
  );
};

const idsOf = (query: URLSearchParams): readonly string[] | undefined => {
  const ids = itemsOf(query, 'entityId').map((id) => id.toLowerCase());
  if (ids.some((id) => !isUuid(id))) throw badRequest('[entityId must be a UUID]');
  return ids.length > 0 ? ids : undefined;
};

/** Which events the parameters ask for. Throws bad_request naming the one that is wrong. */
export const parseFilter = (query: URLSearchParams): EventFilter => {
  const userNames = itemsOf(query, 'userName').map((name) => name.toLowerCase());
  return {
    sorts: sortsOf(query),
    ids: idsOf(query),
    userNames: userNames.length > 0 ? userNames : undefined,
  };
};

/** Makes the test that a filter is. */
export const matcherOf = ({ sorts, ids, userNames }: EventFilter) => {
  const whats = sorts && new Set(sorts.map(({ entityType, eventType }) => `${entityType} ${eventType}`));
  const records = ids && new Set(ids);
  const people = userNames && new Set(userNames);
  return (event: Sort & { readonly entityId: string; readonly userName: string }): boolean =>
    (whats === undefined || whats.has(`${event.entityType} ${event.eventType}`)) &&
    (records === undefined || records.has(event.entityId)) &&
    (people === undefined || people.has(event.userName));
};

/** Reads the parameters of the list. Throws bad_request naming the one that is wrong. */
export const parseEventList = (query: URLSearchParams, now: number): EventListRequest => {
  const timestamp = wholeNumber(query, 'timestamp', Math.max(0, now - DAY_MS), 0, Number.MAX_SAFE_INTEGER);
  const since = placeOfTime(timestamp);
  const cursor = query.get('after');
  // Both are texts: whichever comes later in the order of time.
  const [, after = since] = [since, cursor ? decodeCursor(cursor) : since].sort();
  return {
    filter: parseFilter(query),
    since,
    after,
    limit: wholeNumber(query, 'limit', DEFAULT_EVENTS, 0, MAX_EVENTS),
  };
};
