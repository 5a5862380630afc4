import type { Graph } from '../graph/client.ts';
import { takeTurn } from '../graph/lease.ts';
import type { Log } from '../http/log.ts';
import type { DispatcherOptions } from './dispatcher.ts';
import { removeOldEvents, removeOldFailures } from './retention.ts';
import { createSequencer, type SequencerOptions } from './sequencer.ts';
import { createTail, type Tail, type TailOptions } from './tail.ts';

export type EventOptions = {
  readonly sequencer: Partial<SequencerOptions>;
  readonly tail: Partial<TailOptions>;
  readonly dispatcher: Partial<DispatcherOptions>;
  /** How often events that have had their time are removed, by one process of all, and how many in one go. */
  readonly sweepMs: number;
  readonly sweepBatch: number;
  readonly sweepBatches: number;
};

const OPTIONS: EventOptions = Object.freeze({
  sequencer: {},
  tail: {},
  dispatcher: {},
  sweepMs: 600_000,
  sweepBatch: 1000,
  sweepBatches: 500,
});

export type EventsDeps = {
  readonly graph: Graph;
  readonly log: Pick<Log, 'warn'>;
  readonly clock: () => number;
  /** How long events are kept. */
  readonly keptMs: number;
  /** What else is removed in the same round as old events. */
  readonly care?: () => Promise<unknown>;
  readonly options?: Partial<EventOptions>;
};

/** What happened, from the commit on: numbers are given, whoever follows is told, and the old is removed. */
export type Events = {
  /** The events in order, for everybody in this process who follows them. */
  readonly tail: Tail;
  /** Says that this process has committed something. */
  committed(): void;
  start(): void;
  stop(): Promise<void>;
};

export const openEvents = ({ graph, log, clock, keptMs, care, options: wished = {} }: EventsDeps): Events => {
  const options = { ...OPTIONS, ...wished };
  const sequencer = createSequencer({ graph, log, told: () => tail.wake(), options: options.sequencer });
  const tail = createTail({ graph, log, isToldOfAll: () => sequencer.isGiving(), options: options.tail });
  let timer: NodeJS.Timeout | undefined;

  const sweep = async (): Promise<void> => {
    if (!(await takeTurn(graph, 'care of events', options.sweepMs))) return;
    const goesOn = () => timer !== undefined;
    const retention = { keptMs, batch: options.sweepBatch, batches: options.sweepBatches, goesOn };
    await removeOldEvents(graph, clock(), retention);
    await removeOldFailures(graph, clock(), retention);
    await care?.();
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
