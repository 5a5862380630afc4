import { setTimeout as sleep } from 'node:timers/promises';
import type { EventTail, NumberedEvent } from '../events/tail.ts';
import type { Graph } from '../graph/client.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import { createLease, type Lease } from '../graph/lease.ts';
import type { Log } from '../http/log.ts';
import { deleteMailSubscriptionsOfUsers, markDueMailSubscriptions } from './mail-subscription-queries.ts';
import {
  createAddresseeKeys,
  findTriggers,
  readAddressees,
  type SubscriptionAudiences,
} from './notification-addressees.ts';
import { buildNotificationContent, notificationIdOf } from './notification-trigger.ts';
import {
  createNotifications,
  deleteNotificationsOfUser,
  NOTIFICATION_PROGRESS,
  type NotificationAddressee,
  type NotificationProgress,
  readNotificationProgress,
  updateNotificationProgress,
} from './queries.ts';

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
  const userIds = [...new Set(found.map(({ userId }) => userId))].sort();
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
    if (userIds.length > 0) await transaction.run(markDueMailSubscriptions, { userIds });
    if (moved.length === 0) throw new WriterConflict('another process went on');
  });
};

const USER_DELETIONS: readonly string[] = ['entityDeleted', 'entitySoftDeleted'];

/** Ends the mail subscriptions of deleted users, and removes their notifications, a bounded number of them at a time. */
const forgetDeletedUsers = async (graph: Graph, events: readonly NumberedEvent[], limit: number): Promise<void> => {
  const deletions = events.filter(
    ({ entityType, eventType }) => entityType === 'user' && USER_DELETIONS.includes(eventType),
  );
  const userIds = [...new Set(deletions.map(({ entityId }) => entityId))];
  if (userIds.length > 0) {
    await graph.write((transaction) => transaction.run(deleteMailSubscriptionsOfUsers, { userIds }));
  }
  const gone = deletions.filter(({ eventType }) => eventType === 'entityDeleted');
  for (const { entityId } of gone) {
    for (let removed = limit; removed === limit; ) {
      const [row] = await graph.write((transaction) =>
        transaction.run(deleteNotificationsOfUser, { userId: entityId, limit }),
      );
      removed = row?.removed ?? 0;
    }
  }
};

type WriterState = {
  readonly deps: NotificationWriterDeps;
  readonly options: NotificationWriterOptions;
  readonly lease: Lease;
  stopping: AbortController;
  looping: Promise<void> | undefined;
  /** How far the notifications are written; undefined when it must be read first. */
  progress: NotificationProgress | undefined;
  /** How many events are processed together; fewer when each has many addressees. */
  batchSize: number;
};

const createWriterState = (deps: NotificationWriterDeps): WriterState => {
  const options = { ...DEFAULT_WRITER_OPTIONS, ...deps.options };
  return {
    deps,
    options,
    lease: createLease(deps.graph, 'addressing of notifications', options.leaseMs),
    stopping: new AbortController(),
    looping: undefined,
    progress: undefined,
    batchSize: options.maxEvents,
  };
};

/** Sleeps until the time is over or the writer stops. */
const sleepWhileRunning = ({ stopping }: WriterState, ms: number): Promise<void> =>
  sleep(ms, undefined, { signal: stopping.signal, ref: false }).catch(() => {});

const processEvents = async (
  state: WriterState,
  from: NotificationProgress,
  events: readonly NumberedEvent[],
): Promise<NotificationProgress> => {
  const { graph, subscriptionAudiences, onWritten } = state.deps;
  const { maxEvents, maxPeople } = state.options;
  await forgetDeletedUsers(graph, events, maxPeople);
  const keys = await createAddresseeKeys(graph, await findTriggers(subscriptionAudiences, events, from));
  const found = await readAddressees(graph, keys, maxPeople);
  const isFull = found.length === maxPeople;
  const place = nextPosition(found, isFull, events, from);
  await writeNotifications(graph, events, found, from, place);
  state.batchSize = isFull ? Math.ceil(state.batchSize / 4) : Math.min(maxEvents, state.batchSize * 2);
  if (found.length > 0) onWritten();
  return { ...place, step: from.step + 1 };
};

/** Runs one round; returns whether there may be more to do at once. */
const runTurn = async (state: WriterState): Promise<boolean> => {
  const { graph, tail } = state.deps;
  const { beatMs } = state.options;
  if (!(await state.lease.keep(beatMs))) {
    state.progress = undefined;
    await sleepWhileRunning(state, beatMs);
    return false;
  }
  state.progress ??= (await graph.read(readNotificationProgress, { name: NOTIFICATION_PROGRESS }))[0];
  if (!state.progress) throw new Error('nothing says how far people have been told');
  const { progress, batchSize } = state;
  const events = (await tail.after(progress.seq, batchSize)).slice(0, batchSize);
  if (events.length === 0) {
    await tail.waitAfter(progress.seq, beatMs, state.stopping.signal);
    return false;
  }
  state.progress = await processEvents(state, progress, events);
  return events.length === state.batchSize || state.progress.begun > 0;
};

const runTurns = async (state: WriterState): Promise<void> => {
  while (!state.stopping.signal.aborted) {
    let isMore = false;
    try {
      isMore = await runTurn(state);
    } catch (failure) {
      state.progress = undefined;
      const isConflict = failure instanceof WriterConflict;
      if (!isConflict) state.deps.log.warn('notifications could not be written', {}, failure);
    }
    if (!isMore) await sleepWhileRunning(state, state.options.minPauseMs);
  }
};

const stopWriting = async (state: WriterState): Promise<void> => {
  const { log } = state.deps;
  state.stopping.abort();
  await state.looping;
  state.looping = undefined;
  state.progress = undefined;
  await state.lease
    .release()
    .catch((failure: unknown) => log.warn('the lease for writing notifications was not released', {}, failure));
};

export const createNotificationWriter = (deps: NotificationWriterDeps): NotificationWriter => {
  const state = createWriterState(deps);
  return {
    start: () => {
      if (state.looping) return;
      state.stopping = new AbortController();
      state.looping = runTurns(state);
    },
    stop: () => stopWriting(state),
    isActive: () => state.looping !== undefined && state.lease.isHeld(),
  };
};
