import type { Graph } from '../graph/client.ts';
import { encodeProperty } from '../graph/property.ts';
import { createRounds } from '../graph/rounds.ts';
import type { Log } from '../http/log.ts';
import { listUnsequenced, numberEvents } from './queries.ts';
import { number } from './sequence.ts';

/** The counter of events. */
export const SEQUENCE = 'events';

/**
 * Gives committed events their numbers. A counter inside the writing transaction would make all writers queue, and a
 * number taken before the commit would let readers pass by what is committed late.
 */
export type Sequencer = {
  start(): void;
  stop(): Promise<void>;
  /** Says that this process has committed something. */
  wake(): void;
  /** Whether it is this process that gives numbers now. */
  isGiving(): boolean;
};

export type SequencerOptions = {
  /** How long the right to give numbers belongs to a process that says nothing, and how often one says something. */
  readonly leaseMs: number;
  readonly beatMs: number;
  /** How long it waits at least between two looks, so that events of several commits share one. */
  readonly gapMs: number;
  /** How often it looks for what other processes have committed: while there are others, and to be sure. */
  readonly pollMs: number;
  readonly alonePollMs: number;
  /** How many events are numbered at once. */
  readonly batch: number;
};

const OPTIONS: SequencerOptions = Object.freeze({
  leaseMs: 6000,
  beatMs: 2000,
  gapMs: 50,
  pollMs: 100,
  alonePollMs: 1000,
  batch: 2000,
});

export type SequencerDeps = {
  readonly graph: Graph;
  readonly log: Pick<Log, 'warn'>;
  /** Told whenever there are new numbers. */
  readonly told: () => void;
  readonly options?: Partial<SequencerOptions>;
};

/** Thrown inside the transaction to roll it back: an event was numbered or removed by somebody else. */
class Overtaken extends Error {}

/** Numbers what is there; answers how many events that were. Nothing is numbered when somebody else was faster. */
export const numberSome = async (graph: Graph, limit: number): Promise<number> => {
  const events = await graph.read(listUnsequenced, { name: SEQUENCE, limit });
  const last = events[0]?.last;
  if (last === undefined) return 0;
  const rows = number(events, last).map((row) => ({ ...row, seq: encodeProperty(row.seq) }));
  const numbering = { name: SEQUENCE, last, next: encodeProperty(last + rows.length), rows };
  try {
    await graph.write(async (transaction) => {
      const [answer] = await transaction.run(numberEvents, numbering);
      if (answer?.numbered !== rows.length) throw new Overtaken('the events were numbered by another process');
    });
  } catch (failure) {
    if (failure instanceof Overtaken) return 0;
    throw failure;
  }
  return rows.length;
};

/** Numbers events for as long as this process has the right to. */
export const createSequencer = ({ graph, log, told, options: wished = {} }: SequencerDeps): Sequencer => {
  const options = { ...OPTIONS, ...wished };
  const { start, stop, wake, isHeld, hasRival } = createRounds(graph, {
    name: 'sequence of events',
    leaseMs: options.leaseMs,
    beatMs: options.beatMs,
    gapMs: options.gapMs,
    failedMs: options.alonePollMs,
    round: async () => {
      const numbered = await numberSome(graph, options.batch);
      if (numbered > 0) told();
      if (numbered >= options.batch) return 0;
      return hasRival() ? options.pollMs : options.alonePollMs;
    },
    failed: (failure) => log.warn('events could not be numbered', {}, failure),
    kept: (failure) => log.warn('the right to number events was kept', {}, failure),
  });
  return { start, stop, wake, isGiving: isHeld };
};
