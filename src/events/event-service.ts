import type { Graph } from '../graph/client.ts';
import { claimTurn } from '../graph/lease.ts';
import type { Log } from '../http/log.ts';
import type { DeliveryDispatcherOptions } from './dispatcher.ts';
import { removeOldEvents, removeOldFailedDeliveries } from './retention.ts';
import { createEventSequencer, type EventSequencerOptions } from './sequencer.ts';
import { createEventTail, type EventTail, type EventTailOptions } from './tail.ts';

export type EventServiceOptions = {
  readonly sequencer: Partial<EventSequencerOptions>;
  readonly tail: Partial<EventTailOptions>;
  readonly dispatcher: Partial<DeliveryDispatcherOptions>;
  /** How often events that have had their time are removed, by one process of all, and how many in one go. */
  readonly sweepMs: number;
  readonly sweepBatch: number;
  readonly sweepBatches: number;
};

const DEFAULT_EVENT_OPTIONS: EventServiceOptions = Object.freeze({
  sequencer: {},
  tail: {},
  dispatcher: {},
  sweepMs: 600_000,
  sweepBatch: 1000,
  sweepBatches: 500,
});

export type EventServiceDeps = {
  readonly graph: Graph;
  readonly log: Pick<Log, 'warn'>;
  readonly clock: () => number;
  /** How long events are kept. */
  readonly retentionMs: number;
  /** What else is removed in the same round as old events. */
  readonly sweepMore?: () => Promise<unknown>;
  readonly options?: Partial<EventServiceOptions>;
};

/** What happened, from the commit on: numbers are given, whoever follows is told, and the old is removed. */
export type EventService = {
  /** The events in order, for everybody in this process who follows them. */
  readonly tail: EventTail;
  /** Says that this process has committed something. */
  committed(): void;
  start(): void;
  stop(): Promise<void>;
};

export const openEventService = ({
  graph,
  log,
  clock,
  retentionMs,
  sweepMore,
  options: overrides = {},
}: EventServiceDeps): EventService => {
  const options = { ...DEFAULT_EVENT_OPTIONS, ...overrides };
  const sequencer = createEventSequencer({ graph, log, onNumbered: () => tail.wake(), options: options.sequencer });
  const tail = createEventTail({ graph, log, isSequencerLocal: () => sequencer.isActive(), options: options.tail });
  let timer: NodeJS.Timeout | undefined;

  const sweep = async (): Promise<void> => {
    if (!(await claimTurn(graph, 'care of events', options.sweepMs))) return;
    const shouldContinue = () => timer !== undefined;
    const retention = { retentionMs, batch: options.sweepBatch, batches: options.sweepBatches, shouldContinue };
    await removeOldEvents(graph, clock(), retention);
    await removeOldFailedDeliveries(graph, clock(), retention);
    await sweepMore?.();
  };

  let sweeping: Promise<void> | undefined;

  /** One sweep at a time; whoever stops waits for the one that is under way. */
  const sweepOnce = (): void => {
    sweeping ??= sweep()
      .catch((failure) => log.warn('old events could not be removed', {}, failure))
      .finally(() => {
        sweeping = undefined;
      });
  };

  return {
    tail,
    committed: sequencer.wake,
    start: () => {
      tail.start();
      sequencer.start();
      timer ??= setInterval(sweepOnce, options.sweepMs).unref();
    },
    stop: async () => {
      clearInterval(timer);
      timer = undefined;
      await Promise.all([sequencer.stop(), tail.stop(), sweeping]);
    },
  };
};
