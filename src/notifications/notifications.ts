import type { Tail } from '../events/tail.ts';
import type { Graph } from '../graph/client.ts';
import type { Log } from '../http/log.ts';
import { type AddressingOptions, type AlsoTold, createAddressing } from './addressing.ts';

export type NotificationOptions = { readonly addressing: Partial<AddressingOptions> };

export type NotificationsDeps = {
  readonly graph: Graph;
  readonly log: Pick<Log, 'warn'>;
  readonly tail: Tail;
  /** Whom subscriptions want to be told; nobody when there are none. */
  readonly alsoTold?: AlsoTold;
  readonly options?: Partial<NotificationOptions>;
};

/** People are told of what happens to what they follow and own, from when it is started until it is stopped. */
export type Notifications = { start(): void; stop(): Promise<void> };

const NOBODY: AlsoTold = () => Promise.resolve(new Map());

export const openNotifications = ({
  graph,
  log,
  tail,
  alsoTold = NOBODY,
  options = {},
}: NotificationsDeps): Notifications => {
  const addressing = createAddressing({
    graph,
    log,
    tail,
    alsoTold,
    told: () => {},
    options: options.addressing ?? {},
  });
  return { start: addressing.start, stop: addressing.stop };
};
