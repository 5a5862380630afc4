import { statement } from '../graph/statement.ts';

/** How far the telling has come, under the name it has in the graph. */
export const NOTIFICATION_PROGRESS = 'notifications';

/** How far people have been told: of all events up to `seq`, and of the event `begun` up to the person `toldUntil`. */
export type NotificationProgress = {
  /** Steps with every change, so that of two who go on from the same place only one does. */
  readonly step: number;
  readonly seq: number;
  readonly begun: number;
  readonly toldUntil: string;
};

export const readNotificationProgress = statement<{ name: string }, NotificationProgress>(
  'notifications/read_progress',
  {
    params: ['name'],
    row: ['step', 'seq', 'begun', 'toldUntil'],
  },
);

type UpdateProgressParams = { readonly name: string; readonly toldUntil: string } & Readonly<
  Record<'step' | 'seq' | 'begun', unknown>
>;

export const updateNotificationProgress = statement<UpdateProgressParams, { step: number }>(
  'notifications/update_progress',
  {
    params: ['name', 'step', 'seq', 'begun', 'toldUntil'],
    row: ['step'],
  },
);

/** An event whose addressees are looked for. */
export type AddresseeKey = {
  readonly at: number;
  readonly entityId: string;
  readonly eventType: string;
  /** Whether those who follow and own the record are told of it by themselves. */
  readonly isNotable: boolean;
  /** Whether a contract is broken from now on: who owns its record, and what is made from that, is told of it as well. */
  readonly isFailing: boolean;
  /** Whether a test fails from now on: whoever follows its table is told of it as well. */
  readonly isTestFailing: boolean;
  /** Containers of the record that somebody follows with all that lies in them. */
  readonly above: readonly string[];
  /** Whether those who own what is made from the record are looked for. */
  readonly downstream: boolean;
  /** The event itself when its record is gone; else null. */
  readonly farewellId: string | null;
  /** Whom subscriptions want to be told: by which tie, which people by name, and whether all administrators. */
  readonly subscribed: readonly string[];
  readonly names: readonly string[];
  readonly admins: boolean;
  /** Names of people who are not told. */
  readonly without: readonly string[];
  /** Only people whose ids come after this one. */
  readonly after: string;
};

export type NotificationAddressee = { readonly at: number; readonly userId: string; readonly reason: string };

export const listAddressees = statement<{ rows: readonly AddresseeKey[]; limit: number }, NotificationAddressee>(
  'notifications/list_addressees',
  { params: ['rows', 'limit'], row: ['at', 'userId', 'reason'] },
);

/** A record, or what some records lie in, to which somebody is tied. */
export type RelatedRecordRow = {
  readonly id: string;
  /** Those records: it is one of them, or they lie in it. */
  readonly ids: readonly string[];
  readonly isOwned: boolean;
  readonly isFollowed: boolean;
  /** Whether somebody follows it together with all that lies in it. */
  readonly isFollowedWhole: boolean;
};

export const listRelatedRecords = statement<{ ids: readonly string[] }, RelatedRecordRow>(
  'notifications/list_related_records',
  {
    params: ['ids'],
    row: ['id', 'ids', 'isOwned', 'isFollowed', 'isFollowedWhole'],
  },
);

/** What was to be told of a record before it went is told whom its last event remembers. */
export const listDeletionEvents = statement<{ ids: readonly string[] }, { id: string; farewellId: string }>(
  'notifications/list_deletion_events',
  { params: ['ids'], row: ['id', 'farewellId'] },
);

/** Answers a row if there is anybody who wants to hear of what their own records are made from. */
export const findDownstreamSubscriber = statement<Record<never, never>, { isWanted: boolean }>(
  'notifications/find_downstream_subscriber',
  {
    params: [],
    row: ['isWanted'],
  },
);

type NewNotificationRow = NotificationAddressee & { readonly id: string };
type NotificationContent = {
  readonly changeEventId: string;
  readonly place: string;
  readonly [member: string]: unknown;
};

export const createNotifications = statement<
  { rows: readonly NewNotificationRow[]; events: readonly NotificationContent[] },
  { told: number }
>('notifications/create_notifications', { params: ['rows', 'events'], row: ['told'] });

/** A notification as its node keeps it. */
export type NotificationNode = {
  readonly id: string;
  readonly userId: string;
  readonly reason: string;
  /** Its place among what is not read; null once it is read. */
  readonly unread?: string | null;
  readonly place: string;
  readonly seq: number;
  readonly timestamp: number;
  readonly eventType: string;
  readonly entityType: string;
  readonly entityId: string;
  readonly entityName: string;
  readonly entityFqn: string;
  readonly entityDeleted: boolean;
  readonly actor: string;
  readonly summary: string;
  readonly changeEventId: string;
  /** The other records that the event tells of. */
  readonly ends?: readonly string[];
};

type NotificationRow = { readonly note: NotificationNode };
type ListNotificationsParams = {
  readonly userId: string;
  readonly edge: string;
  readonly since: string;
  readonly entityTypes: readonly string[] | null;
  readonly limit: number;
};
type CountNotificationsParams = Pick<ListNotificationsParams, 'userId' | 'since' | 'entityTypes'> & {
  readonly byRecord: boolean;
};

/** How many notifications there are: in all when the record is null, else about that record. */
export type NotificationCountRow = {
  readonly entityType: string | null;
  readonly entityId: string | null;
  readonly ends: readonly string[] | null;
  readonly total: number;
};

const declareListing = (which: 'all' | 'unread') => {
  const shape = { params: ['userId', 'edge', 'since', 'entityTypes', 'limit'], row: ['note'] } as const;
  return {
    older: statement<ListNotificationsParams, NotificationRow>(`notification/list_${which}_older`, shape),
    newer: statement<ListNotificationsParams, NotificationRow>(`notification/list_${which}_newer`, shape),
    count: statement<CountNotificationsParams, NotificationCountRow>(`notification/count_${which}`, {
      params: ['userId', 'since', 'entityTypes', 'byRecord'],
      row: ['entityType', 'entityId', 'ends', 'total'],
    }),
  };
};

export const listAllNotifications = declareListing('all');
export const listUnreadNotifications = declareListing('unread');

type SeqRange = { readonly after: number; readonly upTo: number };

export const listNotificationsAfter = statement<{ userId: string; limit: number } & SeqRange, NotificationRow>(
  'notifications/list_notifications_after',
  {
    params: ['userId', 'after', 'upTo', 'limit'],
    row: ['note'],
  },
);
export const listNotifiedUsers = statement<{ userIds: readonly string[] } & SeqRange, { userId: string }>(
  'notifications/list_notified_users',
  { params: ['userIds', 'after', 'upTo'], row: ['userId'] },
);

type NotificationKey = { readonly userId: string; readonly id: string };
type BatchLimit = { readonly limit: number };

export const readNotification = statement<NotificationKey, NotificationRow>('notifications/read_notification', {
  params: ['userId', 'id'],
  row: ['note'],
});
export const updateNotification = statement<NotificationKey & { isRead: boolean }, NotificationRow>(
  'notifications/update_notification',
  {
    params: ['userId', 'id', 'isRead'],
    row: ['note'],
  },
);
export const markReadBefore = statement<
  { userId: string; edge: string } & BatchLimit,
  { entityType: string; entityId: string; ends: readonly string[] | null }
>('notifications/update_read_before', { params: ['userId', 'edge', 'limit'], row: ['entityType', 'entityId', 'ends'] });
export const deleteNotification = statement<NotificationKey, { removed: number }>('notifications/delete_notification', {
  params: ['userId', 'id'],
  row: ['removed'],
});
export const deleteNotificationsBefore = statement<{ edge: string } & BatchLimit, { removed: number }>(
  'notifications/delete_notifications_before',
  {
    params: ['edge', 'limit'],
    row: ['removed'],
  },
);
export const deleteNotificationsOfUser = statement<{ userId: string } & BatchLimit, { removed: number }>(
  'notifications/delete_notifications_of_user',
  {
    params: ['userId', 'limit'],
    row: ['removed'],
  },
);

/** How somebody wants to be told of things. */
export type NotificationPreferences = {
  readonly enabled: boolean;
  readonly reasons: readonly string[];
  readonly eventTypes: readonly string[];
  readonly includeDescendants: boolean;
};

const PREFERENCE_COLUMNS = ['enabled', 'reasons', 'eventTypes', 'includeDescendants'] as const;

export const readPreferences = statement<{ userId: string }, NotificationPreferences>(
  'notifications/read_preferences',
  {
    params: ['userId'],
    row: PREFERENCE_COLUMNS,
  },
);
export const upsertPreferences = statement<
  { userId: string; wishes: NotificationPreferences },
  NotificationPreferences
>('notifications/update_preferences', { params: ['userId', 'wishes'], row: PREFERENCE_COLUMNS });
