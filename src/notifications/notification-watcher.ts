import { type SequenceWaiter, waitForSequence } from '../events/waiters.ts';
import type { Graph } from '../graph/client.ts';
import { createWakeablePause } from '../graph/wakeable-pause.ts';
import type { Log } from '../http/log.ts';
import { listNotifiedUsers, NOTIFICATION_PROGRESS, readNotificationProgress } from './queries.ts';

/**
 * Reports new notifications to all listeners of this process. One poll for all of them reads how far the writer has
 * come and which listeners have new notifications, whichever process writes.
 */
export type NotificationWatcher = {
  /** The event number up to which all notifications are written. */
  head(): Promise<number>;
  /** The last such number that this process has read; undefined before the first listener. */
  known(): number | undefined;
  /**
   * Waits until a user has a notification about an event after a number, until the timeout, or until the signal;
   * returns whether there is one.
   */
  wait(userId: string, seq: number, ms: number, signal: AbortSignal): Promise<boolean>;
  /** Signals that this process has written notifications. */
  wake(): void;
  start(): void;
  stop(): Promise<void>;
};

export type NotificationWatcherOptions = {
  /** How often it looks for notifications that another process writes, and that its own process writes. */
  readonly pollMs: number;
  readonly alonePollMs: number;
};

const DEFAULT_WATCHER_OPTIONS: NotificationWatcherOptions = Object.freeze({ pollMs: 100, alonePollMs: 1000 });

export type NotificationWatcherDeps = {
  readonly graph: Graph;
  readonly log: Pick<Log, 'warn'>;
  /** Whether this process writes the notifications, so that `wake` reports them. */
  readonly isWriterLocal: () => boolean;
  readonly options?: Partial<NotificationWatcherOptions>;
};

/** A listener that waits now or did so lately, so that no notification is lost between two waits. */
type InboxListener = {
  /** An event number up to which there may be notifications that the listener has not read. */
  latestSeq: number;
  lastSeenMs: number;
  readonly waiters: Set<SequenceWaiter>;
};

/** How long a listener without a wait is remembered: longer than it takes to stream many notifications. */
const IDLE_LISTENER_MS = 60_000;

type WatcherState = Required<Omit<NotificationWatcherDeps, 'options'>> & {
  readonly options: NotificationWatcherOptions;
  /** The listeners by the ids of their users. */
  readonly listeners: Map<string, InboxListener>;
  /** The pause between two polls. */
  readonly idle: ReturnType<typeof createWakeablePause>;
  known: number | undefined;
  looping: Promise<void> | undefined;
  isStopping: boolean;
};

const createWatcherState = ({ options, ...deps }: NotificationWatcherDeps): WatcherState => ({
  ...deps,
  options: { ...DEFAULT_WATCHER_OPTIONS, ...options },
  listeners: new Map(),
  idle: createWakeablePause(),
  known: undefined,
  looping: undefined,
  isStopping: false,
});

const readHead = async ({ graph }: WatcherState): Promise<number> =>
  (await graph.read(readNotificationProgress, { name: NOTIFICATION_PROGRESS }))[0]?.seq ?? 0;

const hasWaiters = ({ listeners }: WatcherState): boolean =>
  [...listeners.values()].some(({ waiters }) => waiters.size > 0);

const forgetIdleListeners = ({ listeners }: WatcherState): void => {
  const before = performance.now() - IDLE_LISTENER_MS;
  for (const [userId, { waiters, lastSeenMs }] of listeners) {
    if (waiters.size === 0 && lastSeenMs < before) listeners.delete(userId);
  }
};

const announce = (listener: InboxListener, upTo: number): void => {
  listener.latestSeq = upTo;
  for (const waiter of [...listener.waiters]) if (waiter.seq < upTo) waiter.resolve(true);
};

const readNewNotifications = async (state: WatcherState): Promise<void> => {
  forgetIdleListeners(state);
  const { graph, listeners } = state;
  const userIds = [...listeners.keys()];
  const [after, upTo] = [state.known ?? 0, await readHead(state)];
  if (upTo <= after) return;
  const rows = await graph.read(listNotifiedUsers, { userIds, after, upTo });
  state.known = upTo;
  const [notified, all] = [new Set(rows.map(({ userId }) => userId)), new Set(userIds)];
  // A listener that joined during the query was not part of it, so it must look for itself.
  for (const [userId, listener] of listeners) if (notified.has(userId) || !all.has(userId)) announce(listener, upTo);
};

/** Polls while there are waiters. */
const pollForListeners = async (state: WatcherState): Promise<void> => {
  const { log, isWriterLocal, options, idle } = state;
  while (!state.isStopping && hasWaiters(state)) {
    await readNewNotifications(state).catch((failure: unknown) =>
      log.warn('new notifications could not be read', {}, failure),
    );
    await idle.pause(isWriterLocal() ? options.alonePollMs : options.pollMs);
  }
  state.looping = undefined;
};

/** A new listener may have had notifications since the number it names. */
const addListener = (state: WatcherState, userId: string, seq: number): InboxListener => {
  state.known ??= seq;
  const listener = { latestSeq: state.known, lastSeenMs: 0, waiters: new Set<SequenceWaiter>() };
  state.listeners.set(userId, listener);
  return listener;
};

const waitForNotification = async (
  state: WatcherState,
  userId: string,
  seq: number,
  ms: number,
  signal: AbortSignal,
): Promise<boolean> => {
  const listener = state.listeners.get(userId) ?? addListener(state, userId, seq);
  listener.lastSeenMs = performance.now();
  const hasNewer = seq < listener.latestSeq;
  if (state.isStopping || signal.aborted || hasNewer) return hasNewer;
  const waiting = waitForSequence(listener.waiters, seq, ms, signal);
  state.looping ??= pollForListeners(state);
  const found = await waiting;
  listener.lastSeenMs = performance.now();
  return found;
};

export const createNotificationWatcher = (deps: NotificationWatcherDeps): NotificationWatcher => {
  const state = createWatcherState(deps);
  return {
    head: () => readHead(state),
    known: () => state.known,
    wait: (userId, seq, ms, signal) => waitForNotification(state, userId, seq, ms, signal),
    wake: state.idle.wake,
    start: () => {
      state.isStopping = false;
    },
    stop: async () => {
      state.isStopping = true;
      state.idle.wake();
      for (const { waiters } of state.listeners.values()) for (const waiter of [...waiters]) waiter.resolve(false);
      await state.looping;
    },
  };
};
