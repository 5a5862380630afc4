import { type IndexedRows, statement } from '../graph/statement.ts';
import type { ExpiringRow } from './event-expiry.ts';
import type { EventSort } from './filter-query.ts';
import type { EventNumber, UnnumberedEvent } from './sequence.ts';

/** An event without a number, and the last number that had been assigned before this read. */
type UnnumberedEventRow = UnnumberedEvent & { readonly last: number };

export const listUnnumberedEvents = statement<{ name: string; limit: number }, UnnumberedEventRow>(
  'events/list_unnumbered_events',
  {
    params: ['name', 'limit'],
    row: ['last', 'id', 'entityId', 'revision', 'timestamp'],
  },
);

type EventNumberRow = Pick<EventNumber, 'id' | 'place'> & { readonly seq: unknown };
type NumberEventsParams = {
  readonly name: string;
  readonly last: number;
  readonly next: unknown;
  readonly rows: readonly EventNumberRow[];
};

export const numberEvents = statement<NumberEventsParams, { numbered: number }>('events/update_event_numbers', {
  params: ['name', 'last', 'next', 'rows'],
  row: ['numbered'],
});

/** The last number that was assigned, and the first whose event is still stored. */
export type EventHead = { readonly last: number; readonly first: number };

export const readEventHead = statement<{ name: string }, EventHead>('events/read_event_head', {
  params: ['name'],
  row: ['last', 'first'],
});

/** An event as its node stores it. */
export type EventRow = {
  readonly seq: number;
  readonly id: string;
  readonly eventType: string;
  readonly entityType: string;
  readonly entityId: string;
  readonly userName: string;
  readonly timestamp: number;
  /** The whole event, as it is answered and delivered. */
  readonly json: string;
  /** The other records that the event mentions; most events have none. */
  readonly ends: readonly string[];
  /** The span that has caused the event; empty when it was not traced. */
  readonly traceparent: string;
};

export const listEventsAfter = statement<{ after: number; limit: number }, ExpiringRow<EventRow>>(
  'events/list_events_after',
  {
    params: ['after', 'limit'],
    row: ['seq', 'id', 'eventType', 'entityType', 'entityId', 'userName', 'timestamp', 'json', 'ends', 'traceparent'],
  },
);

/** The filters of event lists; a null member does not restrict them. */
type PageEdge = { readonly edge: string };
type SortListParams = { readonly sorts: readonly EventSort[] };
type UserListParams = { readonly userNames: readonly string[]; readonly whats: readonly string[] | null };
type RecordListParams = {
  readonly ids: readonly string[];
  readonly whats: readonly string[] | null;
  readonly userNames: readonly string[] | null;
};

export type ListedEvent = {
  readonly place: string;
  readonly entityType: string;
  readonly entityId: string;
  readonly json: string;
  readonly ends: readonly string[];
};
/** The number of events: of one record, or in total when the record is null. */
export type EventCountRow = {
  readonly entityType: string | null;
  readonly entityId: string | null;
  readonly ends: readonly string[] | null;
  readonly total: number;
};

const declareListing = <P extends object>(
  by: 'all' | 'sort' | 'record' | 'person',
  params: readonly (keyof P & string)[],
) => ({
  page: statement<P & PageEdge & { limit: number }, ExpiringRow<ListedEvent>>(`events/list_${by}`, {
    params: [...params, 'edge', 'limit'],
    row: ['place', 'entityType', 'entityId', 'json', 'ends'],
  }),
  count: statement<P & PageEdge & { byRecord: boolean }, EventCountRow>(`events/count_${by}`, {
    params: [...params, 'edge', 'byRecord'],
    row: ['entityType', 'entityId', 'ends', 'total'],
  }),
});

export const listAllEvents = declareListing<Record<never, never>>('all', []);
export const listEventsBySort = declareListing<SortListParams>('sort', ['sorts']);
export const listEventsByRecord = declareListing<RecordListParams>('record', ['ids', 'whats', 'userNames']);
export const listEventsByUser = declareListing<UserListParams>('person', ['userNames', 'whats']);

export const listOldestEvents = statement<{ limit: number }, { seq: number; timestamp: number }>(
  'events/list_oldest_events',
  {
    params: ['limit'],
    row: ['seq', 'timestamp'],
  },
);
export const retireEvents = statement<{ name: string; first: number }, { first: number }>('events/update_event_head', {
  params: ['name', 'first'],
  row: ['first'],
});
export const deleteEventsBefore = statement<{ first: number; limit: number }, { removed: number }>(
  'events/delete_events_before',
  {
    params: ['first', 'limit'],
    row: ['removed'],
  },
);

type RowIndex = { readonly at: number };
type NodeProperties = { readonly [name: string]: unknown };

export type DeliveryKey = { readonly subscriptionId: string };

export const createDeliveries = statement<IndexedRows<DeliveryKey & { readonly seq: unknown }>, RowIndex>(
  'events/create_deliveries',
  {
    params: ['rows'],
    row: ['at'],
  },
);
export const readDeliveries = statement<IndexedRows<DeliveryKey>, RowIndex & { node: NodeProperties; isFree: boolean }>(
  'events/read_deliveries',
  {
    params: ['rows'],
    row: ['at', 'node', 'isFree'],
  },
);
export const claimDeliveries = statement<
  IndexedRows<DeliveryKey & { readonly holder: string; readonly forMs: unknown }>,
  RowIndex & { node: NodeProperties }
>('events/claim_deliveries', { params: ['rows'], row: ['at', 'node'] });

export type SaveDeliveryRow = DeliveryKey & {
  readonly holder: string;
  /** How long the delivery stays with its holder; 0 releases it. */
  readonly forMs: unknown;
  /** The position that the holder has reached. */
  readonly reached: unknown;
  readonly changes: NodeProperties;
};
export const saveDeliveries = statement<IndexedRows<SaveDeliveryRow>, RowIndex & { goTo: number | null }>(
  'events/update_deliveries',
  {
    params: ['rows'],
    row: ['at', 'goTo'],
  },
);
export const moveDelivery = statement<{ subscriptionId: string; seq: number }, { goTo: number }>(
  'events/update_delivery_target',
  {
    params: ['subscriptionId', 'seq'],
    row: ['goTo'],
  },
);

export type FailedDeliveryRow = { readonly key: string; readonly properties: NodeProperties };
export const createFailedDeliveries = statement<IndexedRows<FailedDeliveryRow>, RowIndex>(
  'events/create_failed_deliveries',
  { params: ['rows'], row: ['at'] },
);
/** A failed delivery, with its event if that is still stored. */
export type ListedFailedDelivery = {
  readonly node: NodeProperties;
  readonly json: string | null;
  readonly entityType: string | null;
  readonly entityId: string | null;
  readonly ends: readonly string[] | null;
};
export const listFailedDeliveryRows = statement<
  { subscriptionId: string; edge: string; limit: number },
  ListedFailedDelivery
>('events/list_failed_deliveries', {
  params: ['subscriptionId', 'edge', 'limit'],
  row: ['node', 'json', 'entityType', 'entityId', 'ends'],
});
export const countFailedDeliveryRows = statement<DeliveryKey, { total: number }>('events/count_failed_deliveries', {
  params: ['subscriptionId'],
  row: ['total'],
});
export const deleteFailedDeliveries = statement<{ before: number; limit: number }, { removed: number }>(
  'events/delete_failed_deliveries',
  { params: ['before', 'limit'], row: ['removed'] },
);

export const countAllFailedDeliveries = statement<Record<string, never>, { total: number }>(
  'events/count_all_failed_deliveries',
  {
    params: [],
    row: ['total'],
  },
);

/** A subscription, and the values that change with its state. */
export type SubscriptionStateRow = {
  readonly id: string;
  readonly version: number;
  readonly updatedAt: number;
  readonly sortKey: string;
};
export const listSubscriptionStates = statement<{ edge: string; limit: number }, SubscriptionStateRow>(
  'events/list_subscription_states',
  { params: ['edge', 'limit'], row: ['id', 'version', 'updatedAt', 'sortKey'] },
);
