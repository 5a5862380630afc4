import { type SequenceWaiter, waitForSequence } from '../events/waiters.ts';
import type { Graph } from '../graph/client.ts';
import { createWakeablePause } from '../graph/wakeable-pause.ts';
import type { Log } from '../http/log.ts';
import { listNotifiedUsers, NOTIFICATION_PROGRESS, readNotificationProgress } from './queries.ts';

/**
 * Who was told of something, for everybody in this process who listens. It is looked once for all of them, how far people
 * have been told and which of those who listen were, whichever process does the telling.
 */
export type NotificationWatcher = {
  /** The number up to which everybody has been told of all events. */
  head(): Promise<number>;
  /** The same as far as it is known here; undefined before anybody listened. */
  known(): number | undefined;
  /** Waits until somebody was told of an event after a number, or so long, or until the signal; answers which it was. */
  wait(userId: string, seq: number, ms: number, signal: AbortSignal): Promise<boolean>;
  /** Says that this process has told people of something. */
  wake(): void;
  start(): void;
  stop(): Promise<void>;
};

export type NotificationWatcherOptions = {
  /** How often it looks for what another process tells, and for what its own has said it tells. */
  readonly pollMs: number;
  readonly alonePollMs: number;
};

const DEFAULT_WATCHER_OPTIONS: NotificationWatcherOptions = Object.freeze({ pollMs: 100, alonePollMs: 1000 });

export type NotificationWatcherDeps = {
  readonly graph: Graph;
  readonly log: Pick<Log, 'warn'>;
  /** Whether it is this process that tells people, so that it is told of it. */
  readonly isWriterLocal: () => boolean;
  readonly options?: Partial<NotificationWatcherOptions>;
};

/** Somebody who listens, or did lately: between two waits of theirs no news gets lost. */
type InboxListener = {
  /** A number up to which there is, or may be, something they have not looked at. */
  latestSeq: number;
  lastSeenMs: number;
  readonly waiters: Set<SequenceWaiter>;
};

/** How long somebody is remembered who waits no more: longer than it takes to tell them of a lot. */
const IDLE_LISTENER_MS = 60_000;

export const createNotificationWatcher = ({
  graph,
  log,
  isWriterLocal,
  options: overrides = {},
}: NotificationWatcherDeps): NotificationWatcher => {
  const options = { ...DEFAULT_WATCHER_OPTIONS, ...overrides };
  const listeners = new Map<string, InboxListener>();
  const { wake, pause } = createWakeablePause();
  let known: number | undefined;
  let looping: Promise<void> | undefined;
  let isStopping = false;

  const head = async (): Promise<number> =>
    (await graph.read(readNotificationProgress, { name: NOTIFICATION_PROGRESS }))[0]?.seq ?? 0;

  const hasWaiters = (): boolean => [...listeners.values()].some(({ waiters }) => waiters.size > 0);

  const forgetIdleListeners = (): void => {
    const before = performance.now() - IDLE_LISTENER_MS;
    for (const [userId, { waiters, lastSeenMs }] of listeners) {
      if (waiters.size === 0 && lastSeenMs < before) listeners.delete(userId);
    }
  };

  const announce = (listener: InboxListener, upTo: number): void => {
    listener.latestSeq = upTo;
    for (const waiter of [...listener.waiters]) if (waiter.seq < upTo) waiter.resolve(true);
  };

  const readNewNotifications = async (): Promise<void> => {
    forgetIdleListeners();
    const userIds = [...listeners.keys()];
    const [after, upTo] = [known ?? 0, await head()];
    if (upTo <= after) return;
    const rows = await graph.read(listNotifiedUsers, { userIds: userIds, after, upTo });
    known = upTo;
    const [notified, all] = [new Set(rows.map(({ userId }) => userId)), new Set(userIds)];
    // Whoever came meanwhile was not asked about, and looks for themselves.
    for (const [userId, listener] of listeners) if (notified.has(userId) || !all.has(userId)) announce(listener, upTo);
  };

  /** Looks for as long as somebody waits. */
  const loop = async (): Promise<void> => {
    while (!isStopping && hasWaiters()) {
      await readNewNotifications().catch((failure: unknown) => log.warn('news could not be read', {}, failure));
      await pause(isWriterLocal() ? options.alonePollMs : options.pollMs);
    }
    looping = undefined;
  };

  /** Somebody who was not there before may have been told of anything since the number they name. */
  const addListener = (userId: string, seq: number): InboxListener => {
    known ??= seq;
    const listener = { latestSeq: known, lastSeenMs: 0, waiters: new Set<SequenceWaiter>() };
    listeners.set(userId, listener);
    return listener;
  };

  return {
    head,
    known: () => known,
    wait: async (userId, seq, ms, signal) => {
      const listener = listeners.get(userId) ?? addListener(userId, seq);
      listener.lastSeenMs = performance.now();
      const hasNewer = seq < listener.latestSeq;
      if (isStopping || signal.aborted || hasNewer) return hasNewer;
      const waiting = waitForSequence(listener.waiters, seq, ms, signal);
      looping ??= loop();
      const found = await waiting;
      listener.lastSeenMs = performance.now();
      return found;
    },
    wake,
    start: () => {
      isStopping = false;
    },
    stop: async () => {
      isStopping = true;
      wake();
      for (const { waiters } of listeners.values()) for (const waiter of [...waiters]) waiter.resolve(false);
      await looping;
    },
  };
};
