import { type Rows, statement } from '../graph/statement.ts';
import type { Fading } from './fading.ts';
import type { Sort } from './filter-query.ts';
import type { Sequenced, Unsequenced } from './sequence.ts';

/** An event without a number, and the last number that was given before it was looked for. */
type UnsequencedRow = Unsequenced & { readonly last: number };

export const listUnsequenced = statement<{ name: string; limit: number }, UnsequencedRow>('event/list_unsequenced', {
  params: ['name', 'limit'],
  row: ['last', 'id', 'entityId', 'revision', 'timestamp'],
});

type NumberRow = Pick<Sequenced, 'id' | 'place'> & { readonly seq: unknown };
type Numbering = {
  readonly name: string;
  readonly last: number;
  readonly next: unknown;
  readonly rows: readonly NumberRow[];
};

export const numberEvents = statement<Numbering, { numbered: number }>('event/number', {
  params: ['name', 'last', 'next', 'rows'],
  row: ['numbered'],
});

/** The last number that was given, and the first of those whose events are still kept. */
export type Head = { readonly last: number; readonly first: number };

export const readHead = statement<{ name: string }, Head>('event/read_head', {
  params: ['name'],
  row: ['last', 'first'],
});

/** An event as its node keeps it. */
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
  /** The other records that it tells of; none in most events. */
  readonly ends: readonly string[];
};

export const listAfter = statement<{ after: number; limit: number }, Fading<EventRow>>('event/list_after', {
  params: ['after', 'limit'],
  row: ['seq', 'id', 'eventType', 'entityType', 'entityId', 'userName', 'timestamp', 'json', 'ends'],
});

/** What a list of events is narrowed to; what is null or absent narrows nothing. */
type Edge = { readonly edge: string };
type SortFilter = { readonly sorts: readonly Sort[] };
type PersonFilter = { readonly userNames: readonly string[]; readonly whats: readonly string[] | null };
type RecordFilter = {
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
/** How many events there are: in all when the record is null, else of that record. */
export type CountedEvents = {
  readonly entityType: string | null;
  readonly entityId: string | null;
  readonly ends: readonly string[] | null;
  readonly total: number;
};

const listing = <P extends object>(
  by: 'all' | 'sort' | 'record' | 'person',
  params: readonly (keyof P & string)[],
) => ({
  page: statement<P & Edge & { limit: number }, Fading<ListedEvent>>(`event/list_${by}`, {
    params: [...params, 'edge', 'limit'],
    row: ['place', 'entityType', 'entityId', 'json', 'ends'],
  }),
  count: statement<P & Edge & { byRecord: boolean }, CountedEvents>(`event/count_${by}`, {
    params: [...params, 'edge', 'byRecord'],
    row: ['entityType', 'entityId', 'ends', 'total'],
  }),
});

export const listAll = listing<Record<never, never>>('all', []);
export const listBySort = listing<SortFilter>('sort', ['sorts']);
export const listByRecord = listing<RecordFilter>('record', ['ids', 'whats', 'userNames']);
export const listByPerson = listing<PersonFilter>('person', ['userNames', 'whats']);

export const listOldest = statement<{ limit: number }, { seq: number; timestamp: number }>('event/list_oldest', {
  params: ['limit'],
  row: ['seq', 'timestamp'],
});
export const retireEvents = statement<{ name: string; first: number }, { first: number }>('event/retire', {
  params: ['name', 'first'],
  row: ['first'],
});
export const deleteBefore = statement<{ first: number; limit: number }, { removed: number }>('event/delete_before', {
  params: ['first', 'limit'],
  row: ['removed'],
});

type At = { readonly at: number };
type Node = { readonly [name: string]: unknown };

export type DeliveryKey = { readonly subscriptionId: string };

export const createDeliveries = statement<Rows<DeliveryKey & { readonly seq: unknown }>, At>('delivery/create', {
  params: ['rows'],
  row: ['at'],
});
export const readDeliveries = statement<Rows<DeliveryKey>, At & { node: Node; isFree: boolean }>('delivery/read', {
  params: ['rows'],
  row: ['at', 'node', 'isFree'],
});
export const claimDeliveries = statement<
  Rows<DeliveryKey & { readonly holder: string; readonly forMs: unknown }>,
  At & { node: Node }
>('delivery/claim', { params: ['rows'], row: ['at', 'node'] });

export type SaveRow = DeliveryKey & {
  readonly holder: string;
  /** For how long it stays with its holder; 0 lets others have it. */
  readonly forMs: unknown;
  /** How far the holder has come. */
  readonly reached: unknown;
  readonly changes: Node;
};
export const saveDeliveries = statement<Rows<SaveRow>, At & { goTo: number | null }>('delivery/save', {
  params: ['rows'],
  row: ['at', 'goTo'],
});
export const sendDeliveryTo = statement<{ subscriptionId: string; seq: number }, { goTo: number }>('delivery/go_to', {
  params: ['subscriptionId', 'seq'],
  row: ['goTo'],
});

export type FailedRow = { readonly key: string; readonly properties: Node };
export const createFailed = statement<Rows<FailedRow>, At>('delivery/create_failed', { params: ['rows'], row: ['at'] });
/** What could not be delivered, with the event if that is still kept. */
export type ListedFailure = {
  readonly node: Node;
  readonly json: string | null;
  readonly entityType: string | null;
  readonly entityId: string | null;
  readonly ends: readonly string[] | null;
};
export const listFailed = statement<{ subscriptionId: string; edge: string; limit: number }, ListedFailure>(
  'delivery/list_failed',
  { params: ['subscriptionId', 'edge', 'limit'], row: ['node', 'json', 'entityType', 'entityId', 'ends'] },
);
export const countFailed = statement<DeliveryKey, { total: number }>('delivery/count_failed', {
  params: ['subscriptionId'],
  row: ['total'],
});
export const deleteFailed = statement<{ before: number; limit: number }, { removed: number }>(
  'delivery/delete_failed',
  { params: ['before', 'limit'], row: ['removed'] },
);

export const countAllFailed = statement<Record<string, never>, { total: number }>('delivery/count_all_failed', {
  params: [],
  row: ['total'],
});

/** A subscription and what tells its states apart. */
export type SubscriptionRow = {
  readonly id: string;
  readonly version: number;
  readonly updatedAt: number;
  readonly sortKey: string;
};
export const listSubscriptions = statement<{ edge: string; limit: number }, SubscriptionRow>(
  'delivery/list_subscription',
  { params: ['edge', 'limit'], row: ['id', 'version', 'updatedAt', 'sortKey'] },
);
