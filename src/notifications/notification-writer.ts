import { setTimeout as sleep } from 'node:timers/promises';
import type { EventTail, NumberedEvent } from '../events/tail.ts';
import type { Graph } from '../graph/client.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import { createLease, createLeaseHold } from '../graph/lease.ts';
import type { Log } from '../http/log.ts';
import { EMPTY_AUDIENCE, type NotificationAudience } from '../model/schemas/events/notification-audience.ts';
import {
  actorsOf,
  buildNotificationContent,
  isContractFailing,
  isNotableEvent,
  isTestFailing,
  notificationIdOf,
} from './notification-trigger.ts';
import {
  type AddresseeKey,
  createNotifications,
  deleteNotificationsOfUser,
  findDownstreamSubscriber,
  listAddressees,
  listDeletionEvents,
  listRelatedRecords,
  NOTIFICATION_PROGRESS,
  type NotificationAddressee,
  type NotificationProgress,
  readNotificationProgress,
  updateNotificationProgress,
} from './queries.ts';

/** Finds for each event number the audience that subscriptions select. */
export type SubscriptionAudiences = (
  events: readonly NumberedEvent[],
) => Promise<ReadonlyMap<number, NotificationAudience>>;

/**
 * Writes notifications in the order of events while this process holds the lease. One transaction writes the
 * notifications and the progress, so nobody is notified twice or missed when a process ends.
 */
export type NotificationWriter = {
  start(): void;
  stop(): Promise<void>;
  /** Whether this process writes the notifications now. */
  isActive(): boolean;
};

export type NotificationWriterOptions = {
  /** How long a process keeps the right to write notifications without a renewal, and how often it renews. */
  readonly leaseMs: number;
  readonly beatMs: number;
  /** The pause between two rounds, so that events in quick succession share one. */
  readonly minPauseMs: number;
  /** How many events are processed together, and how many users one transaction notifies at most. */
  readonly maxEvents: number;
  readonly maxPeople: number;
};

const DEFAULT_WRITER_OPTIONS: NotificationWriterOptions = Object.freeze({
  leaseMs: 6000,
  beatMs: 2000,
  minPauseMs: 50,
  maxEvents: 200,
  maxPeople: 1000,
});

export type NotificationWriterDeps = {
  readonly graph: Graph;
  readonly log: Pick<Log, 'warn'>;
  readonly tail: Pick<EventTail, 'after' | 'waitAfter'>;
  readonly subscriptionAudiences: SubscriptionAudiences;
  /** Called whenever notifications were written. */
  readonly onWritten: () => void;
  readonly options?: Partial<NotificationWriterOptions>;
};

/** Thrown inside the transaction to roll it back: another process has continued from the same position. */
class WriterConflict extends Error {}

const subscribedRelations = ({ relations, userNames, includesAdmins }: NotificationAudience): string[] => [
  ...relations,
  ...(userNames.length > 0 ? ['named'] : []),
  ...(includesAdmins ? ['admin'] : []),
];

/** An event that may notify users, before the relations of its record are known. */
type NotificationTrigger = Omit<AddresseeKey, 'above' | 'downstream'>;

/** Finds the criteria for the addressees of each event; events that cannot notify anybody are left out. */
const findTriggers = async (
  { subscriptionAudiences }: NotificationWriterDeps,
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
const createAddresseeKeys = async (graph: Graph, triggers: readonly NotificationTrigger[]): Promise<AddresseeKey[]> => {
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
const readAddressees = async (
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

type WriterPosition = Pick<NotificationProgress, 'seq' | 'begun' | 'toldUntil'>;

/** The position after some addressees. When the transaction is full, the last event may have more. */
const nextPosition = (
  addressees: readonly NotificationAddressee[],
  isFull: boolean,
  events: readonly NumberedEvent[],
  progress: NotificationProgress,
): WriterPosition => {
  const last = addressees.at(-1);
  if (!isFull || !last) return { seq: events.at(-1)?.seq ?? progress.seq, begun: 0, toldUntil: '' };
  const begun = events[last.at]?.seq ?? 0;
  return { seq: events[last.at - 1]?.seq ?? progress.seq, begun, toldUntil: last.userId };
};

const encodeProperties = (object: object) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, encodeProperty(value)]));

/** Writes notifications and the progress in one transaction. */
const writeNotifications = async (
  graph: Graph,
  events: readonly NumberedEvent[],
  found: readonly NotificationAddressee[],
  progress: NotificationProgress,
  place: WriterPosition,
): Promise<void> => {
  const notifiedIndexes = [...new Set(found.map(({ at }) => at))];
  const indexes = new Map(notifiedIndexes.map((at, index) => [at, index]));
  const contents = notifiedIndexes.flatMap((at) => (events[at] ? [buildNotificationContent(events[at])] : []));
  const rows = found.map((row) => ({
    ...row,
    at: indexes.get(row.at) ?? 0,
    id: notificationIdOf(events[row.at]?.id ?? '', row.userId),
  }));
  const going = { ...place, seq: encodeProperty(place.seq), begun: encodeProperty(place.begun) };
  await graph.write(async (transaction) => {
    const [moved] = await Promise.all([
      transaction.run(updateNotificationProgress, { name: NOTIFICATION_PROGRESS, step: progress.step, ...going }),
      rows.length > 0
        ? transaction.run(createNotifications, {
            rows,
            events: contents.map((about) => ({ ...about, ...encodeProperties(about) })),
          })
        : [],
    ]);
    if (moved.length === 0) throw new WriterConflict('another process went on');
  });
};

/** Removes the notifications of deleted users, a bounded number of them at a time. */
const deleteNotificationsOfDeletedUsers = async (
  graph: Graph,
  events: readonly NumberedEvent[],
  limit: number,
): Promise<void> => {
  const gone = events.filter(({ entityType, eventType }) => entityType === 'user' && eventType === 'entityDeleted');
  for (const { entityId } of gone) {
    for (let removed = limit; removed === limit; ) {
      const [row] = await graph.write((transaction) =>
        transaction.run(deleteNotificationsOfUser, { userId: entityId, limit }),
      );
      removed = row?.removed ?? 0;
    }
  }
};

export const createNotificationWriter = (deps: NotificationWriterDeps): NotificationWriter => {
  const { graph, log, tail, onWritten } = deps;
  const options = { ...DEFAULT_WRITER_OPTIONS, ...deps.options };
  const lease = createLease(graph, 'addressing of notifications', options.leaseMs);
  const hold = createLeaseHold(lease, options.beatMs);
  let stopping = new AbortController();
  let looping: Promise<void> | undefined;
  let progress: NotificationProgress | undefined;
  /** How many events are processed together; fewer when each has many addressees. */
  let batchSize = options.maxEvents;

  const processEvents = async (
    from: NotificationProgress,
    events: readonly NumberedEvent[],
  ): Promise<NotificationProgress> => {
    await deleteNotificationsOfDeletedUsers(graph, events, options.maxPeople);
    const keys = await createAddresseeKeys(graph, await findTriggers(deps, events, from));
    const limit = options.maxPeople;
    const found = await readAddressees(graph, keys, limit);
    const isFull = found.length === limit;
    const place = nextPosition(found, isFull, events, from);
    await writeNotifications(graph, events, found, from, place);
    batchSize = isFull ? Math.ceil(batchSize / 4) : Math.min(options.maxEvents, batchSize * 2);
    if (found.length > 0) onWritten();
    return { ...place, step: from.step + 1 };
  };

  /** Runs one round; returns whether there may be more to do at once. */
  const runTurn = async (): Promise<boolean> => {
    if (!(await hold.keep())) {
      progress = undefined;
      await sleep(options.beatMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
      return false;
    }
    progress ??= (await graph.read(readNotificationProgress, { name: NOTIFICATION_PROGRESS }))[0];
    if (!progress) throw new Error('nothing says how far people have been told');
    const events = (await tail.after(progress.seq, batchSize)).slice(0, batchSize);
    if (events.length === 0) {
      await tail.waitAfter(progress.seq, options.beatMs, stopping.signal);
      return false;
    }
    progress = await processEvents(progress, events);
    return events.length === batchSize || progress.begun > 0;
  };

  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      let isMore = false;
      try {
        isMore = await runTurn();
      } catch (failure) {
        progress = undefined;
        if (!(failure instanceof WriterConflict)) log.warn('people could not be told of what happened', {}, failure);
      }
      if (!isMore) await sleep(options.minPauseMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  };

  return {
    start: () => {
      if (looping) return;
      stopping = new AbortController();
      hold.begin();
      looping = loop();
    },
    stop: async () => {
      stopping.abort();
      await looping;
      looping = undefined;
      progress = undefined;
      await lease.release().catch((failure: unknown) => log.warn('the right to tell people was kept', {}, failure));
    },
    isActive: () => looping !== undefined && lease.isHeld(),
  };
};
