import type { EventTail } from '../events/tail.ts';
import type { Graph } from '../graph/client.ts';
import type { Log } from '../http/log.ts';
import {
  createNotificationWatcher,
  type NotificationWatcher,
  type NotificationWatcherOptions,
} from './notification-watcher.ts';
import {
  createNotificationWriter,
  type NotificationWriterOptions,
  type SubscriptionAudiences,
} from './notification-writer.ts';

export type NotificationServiceOptions = {
  readonly writer: Partial<NotificationWriterOptions>;
  readonly watcher: Partial<NotificationWatcherOptions>;
};

export type NotificationServiceDeps = {
  readonly graph: Graph;
  readonly log: Pick<Log, 'warn'>;
  readonly tail: EventTail;
  /** Whom subscriptions want to be told; nobody when there are none. */
  readonly subscriptionAudiences?: SubscriptionAudiences;
  readonly options?: Partial<NotificationServiceOptions>;
};

/** People are told of what happens to what they follow and own, from when it is started until it is stopped. */
export type NotificationService = {
  /** Who was told, for everybody in this process who listens. */
  readonly watcher: NotificationWatcher;
  start(): void;
  stop(): Promise<void>;
};

const NO_AUDIENCES: SubscriptionAudiences = () => Promise.resolve(new Map());

export const openNotificationService = (deps: NotificationServiceDeps): NotificationService => {
  const { graph, log, tail, subscriptionAudiences = NO_AUDIENCES, options = {} } = deps;
  const writer = createNotificationWriter({
    graph,
    log,
    tail,
    subscriptionAudiences,
    onWritten: () => watcher.wake(),
    options: options.writer ?? {},
  });
  const watcher = createNotificationWatcher({
    graph,
    log,
    isWriterLocal: writer.isActive,
    options: options.watcher ?? {},
  });
  return {
    watcher,
    start: () => {
      watcher.start();
      writer.start();
    },
    stop: async () => {
      await Promise.all([writer.stop(), watcher.stop()]);
    },
  };
};
