import type { Graph } from '../graph/client.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import { createLeasedLoop } from '../graph/leased-loop.ts';
import type { Log } from '../http/log.ts';
import { listUnnumberedEvents, numberEvents } from './queries.ts';
import { assignNumbers } from './sequence.ts';

/** The name of the event counter in the database. */
export const EVENT_SEQUENCE = 'events';

/**
 * Assigns numbers to committed events. A counter in the writing transaction would serialize all writers, and a number
 * taken before the commit would let readers skip events that commit late.
 */
export type EventSequencer = {
  start(): void;
  stop(): Promise<void>;
  /** Signals that this process has committed a transaction. */
  wake(): void;
  /** Whether this process assigns the numbers now. */
  isActive(): boolean;
};

export type EventSequencerOptions = {
  /** How long a process keeps the right to assign numbers without a renewal, and how often it renews. */
  readonly leaseMs: number;
  readonly beatMs: number;
  /** The shortest pause between two rounds, so that events of several commits share one. */
  readonly minPauseMs: number;
  /** How often it looks for commits of other processes: while there are others, and otherwise as a safeguard. */
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
  /** Called whenever there are new numbers. */
  readonly onNumbered: () => void;
  readonly options?: Partial<EventSequencerOptions>;
};

/** Thrown inside the transaction to roll it back: another process has numbered or removed an event. */
class SequenceConflict extends Error {}

/** Numbers a batch of events; returns how many. It numbers none when another process was faster. */
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

/** Numbers events while this process holds the lease. */
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
    onReleaseFailed: (failure) => log.warn('the lease for numbering events was not released', {}, failure),
  });
  return { start, stop, wake, isActive: isHeld };
};
