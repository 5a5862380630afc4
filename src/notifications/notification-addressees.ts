import type { NumberedEvent } from '../events/tail.ts';
import type { Graph } from '../graph/client.ts';
import { EMPTY_AUDIENCE, type NotificationAudience } from '../model/schemas/events/notification-audience.ts';
import { actorsOf, isContractFailing, isNotableEvent, isTestFailing } from './notification-trigger.ts';
import {
  type AddresseeKey,
  findDownstreamSubscriber,
  listAddressees,
  listDeletionEvents,
  listRelatedRecords,
  type NotificationAddressee,
  type NotificationProgress,
} from './queries.ts';

/** Finds whom events notify: which events may notify anybody, by which relations, and then the users. */

/** Finds for each event number the audience that subscriptions select. */
export type SubscriptionAudiences = (
  events: readonly NumberedEvent[],
) => Promise<ReadonlyMap<number, NotificationAudience>>;

const subscribedRelations = ({ relations, userNames, includesAdmins }: NotificationAudience): string[] => [
  ...relations,
  ...(userNames.length > 0 ? ['named'] : []),
  ...(includesAdmins ? ['admin'] : []),
];

/** An event that may notify users, before the relations of its record are known. */
type NotificationTrigger = Omit<AddresseeKey, 'above' | 'downstream'>;

/** Finds the criteria for the addressees of each event; events that cannot notify anybody are left out. */
export const findTriggers = async (
  subscriptionAudiences: SubscriptionAudiences,
  events: readonly NumberedEvent[],
  progress: NotificationProgress,
): Promise<NotificationTrigger[]> => {
  const audiences = await subscriptionAudiences(events);
  return events.flatMap((event, at): NotificationTrigger[] => {
    const audience = audiences.get(event.seq) ?? EMPTY_AUDIENCE;
    const subscribed = subscribedRelations(audience);
    const notable = isNotableEvent(event);
    if (!notable && subscribed.length === 0) return [];
    return [
      {
        at,
        entityId: event.entityId,
        eventType: event.eventType,
        isNotable: notable,
        isFailing: isContractFailing(event),
        isTestFailing: isTestFailing(event),
        farewellId: event.eventType === 'entityDeleted' ? event.id : null,
        subscribed,
        names: audience.userNames,
        admins: audience.includesAdmins,
        without: actorsOf(event),
        after: event.seq === progress.begun ? progress.toldUntil : '',
      },
    ];
  });
};

/** Whether any user owns or follows a record, and the containers through which users follow it. */
type RecordRelations = { readonly hasRelated: boolean; readonly above: readonly string[] };

const NO_RELATIONS: RecordRelations = Object.freeze({ hasRelated: false, above: [] });

const readRecordRelations = async (
  graph: Graph,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RecordRelations>> => {
  const ties = new Map<string, RecordRelations>();
  for (const row of await graph.read(listRelatedRecords, { ids })) {
    for (const id of row.ids) {
      const { hasRelated, above } = ties.get(id) ?? NO_RELATIONS;
      ties.set(id, {
        hasRelated: hasRelated || row.isOwned || row.isFollowedWhole || (row.isFollowed && row.id === id),
        above: row.isFollowedWhole && row.id !== id ? [...above, row.id] : above,
      });
    }
  }
  return ties;
};

/** Finds the deletion events of records that were removed before their earlier events were processed. */
const readDeletionEventIds = async (graph: Graph, ids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  const found = ids.length > 0 ? await graph.read(listDeletionEvents, { ids: [...new Set(ids)] }) : [];
  return new Map(found.map(({ id, farewellId }) => [id, farewellId]));
};

/**
 * Keeps the events that may notify somebody. Most records have no followers or owners, and searching addressees event
 * by event costs more than all other work on an event.
 */
export const createAddresseeKeys = async (
  graph: Graph,
  triggers: readonly NotificationTrigger[],
): Promise<AddresseeKey[]> => {
  if (triggers.length === 0) return [];
  const [relations, wanted] = await Promise.all([
    readRecordRelations(graph, [...new Set(triggers.map(({ entityId }) => entityId))]),
    graph.read(findDownstreamSubscriber, {}),
  ]);
  const downstream = wanted.length > 0;
  const unrelated = triggers.filter(({ entityId, farewellId }) => farewellId === null && !relations.has(entityId));
  const deletionEvents = await readDeletionEventIds(
    graph,
    unrelated.map(({ entityId }) => entityId),
  );
  return triggers.flatMap((occasion) => {
    const { hasRelated, above } = relations.get(occasion.entityId) ?? NO_RELATIONS;
    const farewellId = occasion.farewellId ?? deletionEvents.get(occasion.entityId) ?? null;
    const goesOn = downstream || occasion.isFailing;
    const isNeeded =
      hasRelated || goesOn || occasion.isTestFailing || occasion.subscribed.length > 0 || farewellId !== null;
    return isNeeded ? [{ ...occasion, farewellId, above, downstream: goesOn }] : [];
  });
};

/** Finds the addressees of events. For a record that was removed during the query, its deletion event names them. */
export const readAddressees = async (
  graph: Graph,
  keys: readonly AddresseeKey[],
  limit: number,
): Promise<NotificationAddressee[]> => {
  if (keys.length === 0) return [];
  const found = await graph.read(listAddressees, { rows: keys, limit });
  const present = keys.filter(({ farewellId }) => farewellId === null);
  const deleted = await readDeletionEventIds(
    graph,
    present.map(({ entityId }) => entityId),
  );
  if (deleted.size === 0) return found;
  const rows = keys.map((key) => ({ ...key, farewellId: key.farewellId ?? deleted.get(key.entityId) ?? null }));
  return graph.read(listAddressees, { rows, limit });
};
