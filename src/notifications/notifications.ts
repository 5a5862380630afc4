import type { Tail } from '../events/tail.ts';
import type { Graph } from '../graph/client.ts';
import type { Log } from '../http/log.ts';
import { type AddressingOptions, type AlsoTold, createAddressing } from './addressing.ts';
import { createNews, type News, type NewsOptions } from './news.ts';

export type NotificationOptions = {
  readonly addressing: Partial<AddressingOptions>;
  readonly news: Partial<NewsOptions>;
};

export type NotificationsDeps = {
  readonly graph: Graph;
  readonly log: Pick<Log, 'warn'>;
  readonly tail: Tail;
  /** Whom subscriptions want to be told; nobody when there are none. */
  readonly alsoTold?: AlsoTold;
  readonly options?: Partial<NotificationOptions>;
};

/** People are told of what happens to what they follow and own, from when it is started until it is stopped. */
export type Notifications = {
  /** Who was told, for everybody in this process who listens. */
  readonly news: News;
  start(): void;
  stop(): Promise<void>;
};

const NOBODY: AlsoTold = () => Promise.resolve(new Map());

export const openNotifications = (deps: NotificationsDeps): Notifications => {
  const { graph, log, tail, alsoTold = NOBODY, options = {} } = deps;
  const addressing = createAddressing({
    graph,
    log,
    tail,
    alsoTold,
    told: () => news.wake(),
    options: options.addressing ?? {},
  });
  const news = createNews({ graph, log, isToldOfAll: addressing.isTelling, options: options.news ?? {} });
  return {
    news,
    start: () => {
      news.start();
      addressing.start();
    },
    stop: async () => {
      await Promise.all([addressing.stop(), news.stop()]);
    },
  };
};
