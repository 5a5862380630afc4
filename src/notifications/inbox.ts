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

/** Somebody's notifications as far as they may see them: what they may not look at any more is not there. */
export type InboxOwner = { readonly userId: string; readonly visibility: RecordVisibility };

/** What a reference needs besides what the notification knows: where records of a type are found. */
export type NotificationHrefOf = (entityType: string, id: string) => string | undefined;

/** A notification as callers see it. */
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

/** One of somebody's notifications. Throws not_found for those of others and for what cannot be seen any more. */
export const findNotification = async (graph: Graph, { userId, visibility }: InboxOwner, text: string) => {
  const id = text.toLowerCase();
  const [row] = isUuid(id) ? await graph.read(readNotification, { userId, id }) : [];
  const [note] = await filterVisible(row ? [row.note] : [], visibility);
  if (!note) throw notFound(`notification instance for ${text} not found`);
  return note;
};

/** Says whether somebody has read one of their notifications. */
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

/** What one transaction marks. */
const MARK_BATCH_SIZE = 1000;

/** Says that somebody has read everything before a moment; answers how much of it was news that they may see. */
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

/** Removes one of somebody's notifications and answers it as it was. */
export const removeNotification = async (graph: Graph, owner: InboxOwner, text: string): Promise<NotificationNode> => {
  const note = await findNotification(graph, owner, text);
  const { id, userId } = note;
  const [row] = await graph.write((transaction) => transaction.run(deleteNotification, { userId, id }));
  if (row?.removed !== 1) throw notFound(`notification instance for ${text} not found`);
  return note;
};

/** How many notifications somebody has, and how many of them are news. */
export const countInbox = async (graph: Graph, { userId, visibility }: InboxOwner) => {
  const [unread, total] = await Promise.all([
    countNotifications(graph, userId, { ...ALL_NOTIFICATIONS, unreadOnly: true }, visibility),
    countNotifications(graph, userId, ALL_NOTIFICATIONS, visibility),
  ]);
  return { unread, total };
};
