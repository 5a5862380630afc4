import type { Graph } from '../graph/client.ts';
import { createSweep, type SweepStep } from '../graph/sweep.ts';
import type { Log } from '../http/log.ts';
import type { DeliveryDispatcherOptions } from './held-deliveries.ts';
import { removeOldEvents, removeOldFailedDeliveries } from './retention.ts';
import { createEventSequencer, type EventSequencerOptions } from './sequencer.ts';
import { createEventTail, type EventTail, type EventTailOptions } from './tail.ts';

export type EventServiceOptions = {
  readonly sequencer: Partial<EventSequencerOptions>;
  readonly tail: Partial<EventTailOptions>;
  readonly dispatcher: Partial<DeliveryDispatcherOptions>;
  /**
   * How often one of all processes removes expired events, how many per transaction, and how many transactions per
   * round.
   */
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
  /** Other data that the same sweep removes. */
  readonly sweepMore?: Readonly<Record<string, SweepStep>>;
  readonly options?: Partial<EventServiceOptions>;
};

/** Processes events from their commit on: numbers them, wakes their readers, and removes old ones. */
export type EventService = {
  /** The events in order, shared by all readers of this process. */
  readonly tail: EventTail;
  /** Signals that this process has committed a transaction. */
  committed(): void;
  start(): void;
  stop(): Promise<void>;
};

export const openEventService = ({
  graph,
  log,
  clock,
  retentionMs,
  sweepMore = {},
  options: overrides = {},
}: EventServiceDeps): EventService => {
  const options = { ...DEFAULT_EVENT_OPTIONS, ...overrides };
  const sequencer = createEventSequencer({ graph, log, onNumbered: () => tail.wake(), options: options.sequencer });
  const tail = createEventTail({ graph, log, isSequencerLocal: () => sequencer.isActive(), options: options.tail });
  const retention = { retentionMs, batch: options.sweepBatch, batches: options.sweepBatches };
  const sweep = createSweep({
    graph,
    log,
    turn: 'care of events',
    everyMs: options.sweepMs,
    steps: {
      'old events': (shouldContinue) => removeOldEvents(graph, clock(), { ...retention, shouldContinue }),
      'failed deliveries': (shouldContinue) =>
        removeOldFailedDeliveries(graph, clock(), { ...retention, shouldContinue }),
      ...sweepMore,
    },
  });

  return {
    tail,
    committed: sequencer.wake,
    start: () => {
      tail.start();
      sequencer.start();
      sweep.start();
    },
    stop: async () => {
      await Promise.all([sequencer.stop(), tail.stop(), sweep.stop()]);
    },
  };
};
