import type { EventTail } from '../events/tail.ts';
import type { Graph } from '../graph/client.ts';
import type { Log } from '../http/log.ts';
import { createMailSender, type MailSenderDeps, type MailSenderOptions } from './mail-sender.ts';
import type { SubscriptionAudiences } from './notification-addressees.ts';
import {
  createNotificationWatcher,
  type NotificationWatcher,
  type NotificationWatcherOptions,
} from './notification-watcher.ts';
import { createNotificationWriter, type NotificationWriterOptions } from './notification-writer.ts';

export type NotificationServiceOptions = {
  readonly writer: Partial<NotificationWriterOptions>;
  readonly watcher: Partial<NotificationWatcherOptions>;
  readonly mail: Partial<MailSenderOptions>;
};

export type NotificationServiceDeps = {
  readonly graph: Graph;
  readonly log: Pick<Log, 'warn'>;
  readonly tail: EventTail;
  /** Finds the audiences that subscriptions select; absent when there are no subscriptions. */
  readonly subscriptionAudiences?: SubscriptionAudiences;
  /** How mail subscriptions are served; absent when no mail server is configured. */
  readonly mail?: Omit<MailSenderDeps, 'graph' | 'log'> | undefined;
  readonly options?: Partial<NotificationServiceOptions>;
};

/** Writes notifications about changes to records that users follow or own, from `start` to `stop`. */
export type NotificationService = {
  /** Reports new notifications to all listeners of this process. */
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
    onWritten: () => {
      watcher.wake();
      mailSender?.wake();
    },
    options: options.writer ?? {},
  });
  const watcher = createNotificationWatcher({
    graph,
    log,
    isWriterLocal: writer.isActive,
    options: options.watcher ?? {},
  });
  const mailSender = deps.mail && createMailSender({ ...deps.mail, graph, log }, options.mail);
  return {
    watcher,
    start: () => {
      watcher.start();
      writer.start();
      mailSender?.start();
    },
    stop: async () => {
      await Promise.all([writer.stop(), watcher.stop(), mailSender?.stop()]);
    },
  };
};
