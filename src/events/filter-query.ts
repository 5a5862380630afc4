import { badRequest } from '../errors.ts';
import { integerParameter } from '../http/query-parameters.ts';
import { decodeCursor } from '../model/cursor.ts';
import { listRecordTypes, parseRecordType } from '../model/kind/record-type.ts';
import { EVENT_TYPES, type EventType } from '../model/schemas/events/change-event.ts';
import { DAY_MS } from '../model/time.ts';
import { isUuid } from '../model/uuid.ts';
import { timePlace } from './sequence.ts';

/** A type of change to records of one type. */
export type EventSort = { readonly entityType: string; readonly eventType: string };

/** The filter of a list of events; an undefined member does not restrict it. */
export type EventListFilter = {
  readonly sorts: readonly EventSort[] | undefined;
  readonly ids: readonly string[] | undefined;
  readonly userNames: readonly string[] | undefined;
};

/** A validated request for a list of events. */
export type EventListRequest = {
  readonly filter: EventListFilter;
  /** The position in time order from which the filtered set begins. */
  readonly since: string;
  /** The position after which the page begins. */
  readonly after: string;
  readonly limit: number;
};

/** The event types that each record-type parameter selects. */
const EVENT_TYPES_BY_PARAMETER = {
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
const ALL_TYPES = '*';

export const MAX_EVENT_LIMIT = 10_000;
export const DEFAULT_EVENT_LIMIT = 100;

/** The items of a comma-separated parameter; none when it is absent or empty. */
const listItems = (query: URLSearchParams, name: string): readonly string[] => {
  const items = (query.get(name) ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  if (items.length > MAX_ITEMS) throw badRequest(`[${name} must have at most ${MAX_ITEMS} items]`);
  return [...new Set(items)];
};

/** The record types that a parameter names. Throws bad_request for an unknown type. */
export const parseRecordTypes = (query: URLSearchParams, name: string): readonly string[] => {
  const items = listItems(query, name);
  if (items.includes(ALL_TYPES)) return listRecordTypes();
  return items.map((item) => {
    const type = parseRecordType(item);
    if (type === undefined) throw badRequest(`Invalid entity ${item} in query param ${name}`);
    return type;
  });
};

const parseEventTypes = (query: URLSearchParams): readonly string[] =>
  listItems(query, 'eventType').map((item) => {
    const type = EVENT_TYPES.find((known) => known === item);
    if (!type) throw badRequest(`[eventType must be one of ${EVENT_TYPES.join(', ')}]`);
    return type;
  });

const combineSorts = (entityTypes: readonly string[], eventTypes: readonly string[]): EventSort[] =>
  entityTypes.flatMap((entityType) => eventTypes.map((eventType) => ({ entityType, eventType })));

/** The union of what the event-type parameters select; undefined when none is given. */
const sortsOfTriggers = (query: URLSearchParams): readonly EventSort[] | undefined => {
  const wanted = Object.entries(EVENT_TYPES_BY_PARAMETER).flatMap(([name, eventTypes]) =>
    combineSorts(parseRecordTypes(query, name), eventTypes),
  );
  return wanted.length > 0 ? wanted : undefined;
};

const isAllowed = (items: readonly string[], item: string): boolean => items.length === 0 || items.includes(item);

const parseSorts = (query: URLSearchParams): readonly EventSort[] | undefined => {
  const wanted = sortsOfTriggers(query);
  const entityTypes = parseRecordTypes(query, 'entityType');
  const eventTypes = parseEventTypes(query);
  if (wanted)
    return wanted.filter((sort) => isAllowed(entityTypes, sort.entityType) && isAllowed(eventTypes, sort.eventType));
  if (entityTypes.length === 0 && eventTypes.length === 0) return undefined;
  return combineSorts(
    entityTypes.length > 0 ? entityTypes : listRecordTypes(),
    eventTypes.length > 0 ? eventTypes : Object.values(EVENT_TYPES_BY_PARAMETER).flat(),
  );
};

const parseEntityIds = (query: URLSearchParams): readonly string[] | undefined => {
  const ids = listItems(query, 'entityId').map((id) => id.toLowerCase());
  if (ids.some((id) => !isUuid(id))) throw badRequest('[entityId must be a UUID]');
  return ids.length > 0 ? ids : undefined;
};

/** Reads the filter from the parameters. Throws bad_request that names the invalid parameter. */
export const parseEventListFilter = (query: URLSearchParams): EventListFilter => {
  const userNames = listItems(query, 'userName').map((name) => name.toLowerCase());
  return {
    sorts: parseSorts(query),
    ids: parseEntityIds(query),
    userNames: userNames.length > 0 ? userNames : undefined,
  };
};

/** Creates the test for a filter. */
export const createListFilterTest = ({ sorts, ids, userNames }: EventListFilter) => {
  const sortKeys = sorts && new Set(sorts.map(({ entityType, eventType }) => `${entityType} ${eventType}`));
  const records = ids && new Set(ids);
  const people = userNames && new Set(userNames);
  return (event: EventSort & { readonly entityId: string; readonly userName: string }): boolean =>
    (sortKeys === undefined || sortKeys.has(`${event.entityType} ${event.eventType}`)) &&
    (records === undefined || records.has(event.entityId)) &&
    (people === undefined || people.has(event.userName));
};

/** Reads the parameters of the list. Throws bad_request that names the invalid parameter. */
export const parseEventList = (query: URLSearchParams, now: number): EventListRequest => {
  const timestamp = integerParameter(query, 'timestamp', Math.max(0, now - DAY_MS), 0, Number.MAX_SAFE_INTEGER);
  const since = timePlace(timestamp);
  const cursor = query.get('after');
  // Both are sortable texts; the later one in time order wins.
  const [, after = since] = [since, cursor ? decodeCursor(cursor) : since].sort();
  return {
    filter: parseEventListFilter(query),
    since,
    after,
    limit: integerParameter(query, 'limit', DEFAULT_EVENT_LIMIT, 0, MAX_EVENT_LIMIT),
  };
};
