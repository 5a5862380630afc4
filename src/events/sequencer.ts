import type { Graph } from '../graph/client.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import { createLeasedLoop } from '../graph/leased-loop.ts';
import type { Log } from '../http/log.ts';
import { listUnnumberedEvents, numberEvents } from './queries.ts';
import { assignNumbers } from './sequence.ts';

/** The counter of events. */
export const EVENT_SEQUENCE = 'events';

/**
 * Gives committed events their numbers. A counter inside the writing transaction would make all writers queue, and a
 * number taken before the commit would let readers pass by what is committed late.
 */
export type EventSequencer = {
  start(): void;
  stop(): Promise<void>;
  /** Says that this process has committed something. */
  wake(): void;
  /** Whether it is this process that gives numbers now. */
  isActive(): boolean;
};

export type EventSequencerOptions = {
  /** How long the right to give numbers belongs to a process that says nothing, and how often one says something. */
  readonly leaseMs: number;
  readonly beatMs: number;
  /** How long it waits at least between two looks, so that events of several commits share one. */
  readonly minPauseMs: number;
  /** How often it looks for what other processes have committed: while there are others, and to be sure. */
  readonly pollMs: number;
  readonly alonePollMs: number;
  /** How many events are numbered at once. */
  readonly batch: number;
};

const DEFAULT_SEQUENCER_OPTIONS: EventSequencerOptions = Object.freeze({
  leaseMs: 6000,
  beatMs: 2000,
  minPauseMs: 50,
  pollMs: 100,
  alonePollMs: 1000,
  batch: 2000,
});

export type EventSequencerDeps = {
  readonly graph: Graph;
  readonly log: Pick<Log, 'warn'>;
  /** Told whenever there are new numbers. */
  readonly onNumbered: () => void;
  readonly options?: Partial<EventSequencerOptions>;
};

/** Thrown inside the transaction to roll it back: an event was numbered or removed by somebody else. */
class SequenceConflict extends Error {}

/** Numbers what is there; answers how many events that were. Nothing is numbered when somebody else was faster. */
export const numberEventBatch = async (graph: Graph, limit: number): Promise<number> => {
  const events = await graph.read(listUnnumberedEvents, { name: EVENT_SEQUENCE, limit });
  const last = events[0]?.last;
  if (last === undefined) return 0;
  const rows = assignNumbers(events, last).map((row) => ({ ...row, seq: encodeProperty(row.seq) }));
  const numbering = { name: EVENT_SEQUENCE, last, next: encodeProperty(last + rows.length), rows };
  try {
    await graph.write(async (transaction) => {
      const [answer] = await transaction.run(numberEvents, numbering);
      if (answer?.numbered !== rows.length) throw new SequenceConflict('the events were numbered by another process');
    });
  } catch (failure) {
    if (failure instanceof SequenceConflict) return 0;
    throw failure;
  }
  return rows.length;
};

/** Numbers events for as long as this process has the right to. */
export const createEventSequencer = ({
  graph,
  log,
  onNumbered,
  options: overrides = {},
}: EventSequencerDeps): EventSequencer => {
  const options = { ...DEFAULT_SEQUENCER_OPTIONS, ...overrides };
  const { start, stop, wake, isHeld, hasRival } = createLeasedLoop(graph, {
    name: 'sequence of events',
    leaseMs: options.leaseMs,
    beatMs: options.beatMs,
    minPauseMs: options.minPauseMs,
    failurePauseMs: options.alonePollMs,
    runRound: async () => {
      const numbered = await numberEventBatch(graph, options.batch);
      if (numbered > 0) onNumbered();
      if (numbered >= options.batch) return 0;
      return hasRival() ? options.pollMs : options.alonePollMs;
    },
    onRoundFailed: (failure) => log.warn('events could not be numbered', {}, failure),
    onReleaseFailed: (failure) => log.warn('the right to number events was kept', {}, failure),
  });
  return { start, stop, wake, isActive: isHeld };
};
