import { declareVariants, type StatementVariant, statement } from '../graph/statement.ts';
import { SORT_ORDERS } from '../graph/statement-variants.ts';

/** The name of the progress node in the database. */
export const NOTIFICATION_PROGRESS = 'notifications';

/**
 * The progress of the writer: it has finished all events up to `seq`, and the event `begun` up to the user `toldUntil`.
 */
export type NotificationProgress = {
  /** Grows with every change, so that only one of two processes can continue from the same position. */
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

/** An event and the criteria for its addressees. */
export type AddresseeKey = {
  readonly at: number;
  readonly entityId: string;
  readonly eventType: string;
  /** Whether the event notifies the followers and owners of the record. */
  readonly isNotable: boolean;
  /** Whether a contract starts to fail: this also notifies the owners of its record and of downstream records. */
  readonly isFailing: boolean;
  /** Whether a test starts to fail: this also notifies the followers of its table. */
  readonly isTestFailing: boolean;
  /** Containers of the record that somebody follows including their descendants. */
  readonly above: readonly string[];
  /** Whether owners of downstream records are notified. */
  readonly downstream: boolean;
  /** The id of the event itself when it is a deletion; else null. */
  readonly farewellId: string | null;
  /** What subscriptions select: relations to the record, user names, and whether all administrators. */
  readonly subscribed: readonly string[];
  readonly names: readonly string[];
  readonly admins: boolean;
  /** Names of users who are not notified. */
  readonly without: readonly string[];
  /** Selects only users whose ids come after this one. */
  readonly after: string;
};

/** A user whom an event notifies, with all reasons for it, the first one first. */
export type NotificationAddressee = {
  readonly at: number;
  readonly userId: string;
  readonly reasons: readonly string[];
};

export const listAddressees = statement<{ rows: readonly AddresseeKey[]; limit: number }, NotificationAddressee>(
  'notifications/list_addressees',
  { params: ['rows', 'limit'], row: ['at', 'userId', 'reasons'] },
);

/** A record with an owner or a follower, or a container of records that has one. */
export type RelatedRecordRow = {
  readonly id: string;
  /** The records that were asked for: this record itself or its descendants. */
  readonly ids: readonly string[];
  readonly isOwned: boolean;
  readonly isFollowed: boolean;
  /** Whether somebody follows it including its descendants. */
  readonly isFollowedWhole: boolean;
};

export const listRelatedRecords = statement<{ ids: readonly string[] }, RelatedRecordRow>(
  'notifications/list_related_records',
  {
    params: ['ids'],
    row: ['id', 'ids', 'isOwned', 'isFollowed', 'isFollowedWhole'],
  },
);

/** Finds the deletion event of each removed record; it stores the addressees of earlier events. */
export const listDeletionEvents = statement<{ ids: readonly string[] }, { id: string; farewellId: string }>(
  'notifications/list_deletion_events',
  { params: ['ids'], row: ['id', 'farewellId'] },
);

/** Returns a row if any user wants notifications about upstream records. */
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

/** A notification as its node stores it. */
export type NotificationNode = {
  readonly id: string;
  readonly userId: string;
  /** The first of the reasons, which is the one that its user reads. */
  readonly reason: string;
  /** All reasons; notifications of older versions lack them. */
  readonly reasons?: readonly string[] | null;
  /** Its position among the unread notifications; null once it is read. */
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
  /** The other records that the event mentions. */
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

/** The number of notifications: about one record, or in total when the record is null. */
export type NotificationCountRow = {
  readonly entityType: string | null;
  readonly entityId: string | null;
  readonly ends: readonly string[] | null;
  readonly total: number;
};

/** The property that holds the position of a notification among those that are listed. */
const LISTED = declareVariants({ all: { POSITION: 'place' }, unread: { POSITION: 'unread' } });

const declareListing = (listed: StatementVariant) => {
  const shape = { params: ['userId', 'edge', 'since', 'entityTypes', 'limit'], row: ['note'] } as const;
  return {
    older: statement<ListNotificationsParams, NotificationRow>(
      'notifications/list_notifications',
      shape,
      listed,
      SORT_ORDERS.descending,
    ),
    newer: statement<ListNotificationsParams, NotificationRow>(
      'notifications/list_notifications',
      shape,
      listed,
      SORT_ORDERS.ascending,
    ),
    count: statement<CountNotificationsParams, NotificationCountRow>(
      'notifications/count_notifications',
      {
        params: ['userId', 'since', 'entityTypes', 'byRecord'],
        row: ['entityType', 'entityId', 'ends', 'total'],
      },
      listed,
    ),
  };
};

export const listAllNotifications = declareListing(LISTED.all);
export const listUnreadNotifications = declareListing(LISTED.unread);

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

/** The notification preferences of a user. */
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
