import { notFound } from '../errors.ts';
import { onlySeen, type Sight } from '../events/seen.ts';
import { placeOfTime } from '../events/sequence.ts';
import type { Graph } from '../graph/client.ts';
import type { JsonObject } from '../model/json.ts';
import { isUuid } from '../model/uuid.ts';
import { countNotifications, EVERYTHING } from './list.ts';
import {
  deleteNotification,
  type NotificationNode,
  readNotification,
  updateBefore,
  updateNotification,
} from './queries.ts';

/** Somebody's notifications as far as they may see them: what they may not look at any more is not there. */
export type Owner = { readonly userId: string; readonly sight: Sight };

/** What a reference needs besides what the notification knows: where records of a type are found. */
export type AddressOf = (entityType: string, id: string) => string | undefined;

/** A notification as callers see it. */
export const renderNotification = (node: NotificationNode, addressOf: AddressOf): JsonObject => {
  const href = addressOf(node.entityType, node.entityId);
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
export const findNotification = async (graph: Graph, { userId, sight }: Owner, text: string) => {
  const id = text.toLowerCase();
  const [row] = isUuid(id) ? await graph.read(readNotification, { userId, id }) : [];
  const [note] = await onlySeen(row ? [row.note] : [], sight);
  if (!note) throw notFound(`notification instance for ${text} not found`);
  return note;
};

/** Says whether somebody has read one of their notifications. */
export const markNotification = async (
  graph: Graph,
  owner: Owner,
  text: string,
  isRead: boolean,
): Promise<NotificationNode> => {
  const { id, userId } = await findNotification(graph, owner, text);
  const [row] = await graph.write((transaction) => transaction.run(updateNotification, { userId, id, isRead }));
  if (!row) throw notFound(`notification instance for ${text} not found`);
  return row.note;
};

/** What one transaction marks. */
const BATCH = 1000;

/** Says that somebody has read everything before a moment; answers how much of it was news that they may see. */
export const markBefore = async (graph: Graph, { userId, sight }: Owner, before: number): Promise<number> => {
  const marking = { userId, edge: placeOfTime(before), limit: BATCH };
  let updated = 0;
  for (;;) {
    const marked = await graph.write((transaction) => transaction.run(updateBefore, marking));
    updated += (await onlySeen(marked, sight)).length;
    if (marked.length < BATCH) return updated;
  }
};

/** Removes one of somebody's notifications and answers it as it was. */
export const removeNotification = async (graph: Graph, owner: Owner, text: string): Promise<NotificationNode> => {
  const note = await findNotification(graph, owner, text);
  const { id, userId } = note;
  const [row] = await graph.write((transaction) => transaction.run(deleteNotification, { userId, id }));
  if (row?.removed !== 1) throw notFound(`notification instance for ${text} not found`);
  return note;
};

/** How many notifications somebody has, and how many of them are news. */
export const countInbox = async (graph: Graph, { userId, sight }: Owner) => {
  const [unread, total] = await Promise.all([
    countNotifications(graph, userId, { ...EVERYTHING, unreadOnly: true }, sight),
    countNotifications(graph, userId, EVERYTHING, sight),
  ]);
  return { unread, total };
};
