import { notFound } from '../errors.ts';
import { filterVisible, type RecordVisibility } from '../events/event-visibility.ts';
import { timePlace } from '../events/sequence.ts';
import type { Graph } from '../graph/client.ts';
import type { JsonObject } from '../model/json.ts';
import { isUuid } from '../model/uuid.ts';
import { ALL_NOTIFICATIONS, countNotifications } from './list-notifications.ts';
import {
  deleteNotification,
  markReadBefore,
  type NotificationNode,
  readNotification,
  updateNotification,
} from './queries.ts';

/** The owner of an inbox. Notifications about records that the owner may not see any more are left out. */
export type InboxOwner = { readonly userId: string; readonly visibility: RecordVisibility };

/** Returns the URL of a record by type and id; the notification itself does not store it. */
export type NotificationHrefOf = (entityType: string, id: string) => string | undefined;

/** Renders a notification for callers. */
export const renderNotification = (node: NotificationNode, hrefOf: NotificationHrefOf): JsonObject => {
  const href = hrefOf(node.entityType, node.entityId);
  return {
    id: node.id,
    userId: node.userId,
    reason: node.reason,
    read: (node.unread ?? null) === null,
    timestamp: node.timestamp,
    eventType: node.eventType,
    entityRef: {
      id: node.entityId,
      type: node.entityType,
      name: node.entityName,
      fullyQualifiedName: node.entityFqn,
      deleted: node.entityDeleted,
      ...(href === undefined ? {} : { href }),
    },
    actor: node.actor,
    summary: node.summary,
    changeEventId: node.changeEventId,
  };
};

/**
 * Finds a notification of a user. Throws not_found for notifications of others and for those that are no longer
 * visible.
 */
export const findNotification = async (graph: Graph, { userId, visibility }: InboxOwner, text: string) => {
  const id = text.toLowerCase();
  const [row] = isUuid(id) ? await graph.read(readNotification, { userId, id }) : [];
  const [note] = await filterVisible(row ? [row.note] : [], visibility);
  if (!note) throw notFound(`notification instance for ${text} not found`);
  return note;
};

/** Marks a notification as read or unread. */
export const markNotification = async (
  graph: Graph,
  owner: InboxOwner,
  text: string,
  isRead: boolean,
): Promise<NotificationNode> => {
  const { id, userId } = await findNotification(graph, owner, text);
  const [row] = await graph.write((transaction) => transaction.run(updateNotification, { userId, id, isRead }));
  if (!row) throw notFound(`notification instance for ${text} not found`);
  return row.note;
};

/** How many notifications one transaction marks. */
const MARK_BATCH_SIZE = 1000;

/** Marks all notifications before a moment as read; returns how many visible ones were unread. */
export const markNotificationsBefore = async (
  graph: Graph,
  { userId, visibility }: InboxOwner,
  before: number,
): Promise<number> => {
  const marking = { userId, edge: timePlace(before), limit: MARK_BATCH_SIZE };
  let updated = 0;
  for (;;) {
    const marked = await graph.write((transaction) => transaction.run(markReadBefore, marking));
    updated += (await filterVisible(marked, visibility)).length;
    if (marked.length < MARK_BATCH_SIZE) return updated;
  }
};

/** Removes a notification and returns it as it was. */
export const removeNotification = async (graph: Graph, owner: InboxOwner, text: string): Promise<NotificationNode> => {
  const note = await findNotification(graph, owner, text);
  const { id, userId } = note;
  const [row] = await graph.write((transaction) => transaction.run(deleteNotification, { userId, id }));
  if (row?.removed !== 1) throw notFound(`notification instance for ${text} not found`);
  return note;
};

/** Counts all notifications of a user and the unread ones. */
export const countInbox = async (graph: Graph, { userId, visibility }: InboxOwner) => {
  const [unread, total] = await Promise.all([
    countNotifications(graph, userId, { ...ALL_NOTIFICATIONS, unreadOnly: true }, visibility),
    countNotifications(graph, userId, ALL_NOTIFICATIONS, visibility),
  ]);
  return { unread, total };
};
