import { setTimeout as sleep } from 'node:timers/promises';
import type { Graph } from './client.ts';
import { createLease, createLeaseHold } from './lease.ts';
import { createWakeablePause } from './wakeable-pause.ts';

/** Work that one process of all on the store does again and again, for as long as it has the right to. */
export type LeasedLoop = {
  start(): void;
  stop(): Promise<void>;
  /** Says that there is something to do. */
  wake(): void;
  /** Whether it is this process that does it now. */
  isHeld(): boolean;
  /** Whether another process would do it, too. */
  hasRival(): boolean;
};

export type LeasedLoopOptions = {
  /** What the right is called. */
  readonly name: string;
  /** How long it belongs to a process that says nothing, and how often one says something. */
  readonly leaseMs: number;
  readonly beatMs: number;
  /** How long it waits at least between two rounds. */
  readonly minPauseMs: number;
  /** How long it waits after a round that failed. */
  readonly failurePauseMs: number;
  /** One round; answers how long there is nothing to do, as far as can be known. */
  readonly runRound: () => Promise<number>;
  /** Called with every start, before the first round. */
  readonly onStart?: () => void;
  /** Told of a round that failed, and of a right that could not be given back. */
  readonly onRoundFailed: (failure: unknown) => void;
  readonly onReleaseFailed: (failure: unknown) => void;
};

export const createLeasedLoop = (graph: Graph, options: LeasedLoopOptions): LeasedLoop => {
  const { beatMs, onRoundFailed, onReleaseFailed } = options;
  const lease = createLease(graph, options.name, options.leaseMs);
  const hold = createLeaseHold(lease, beatMs);
  const { wake, pause } = createWakeablePause();
  let looping: Promise<void> | undefined;
  let isStopping = false;

  const turn = async (): Promise<number> => ((await hold.keep()) ? options.runRound() : beatMs);

  const loop = async (): Promise<void> => {
    while (!isStopping) {
      let waitMs = options.failurePauseMs;
      try {
        waitMs = await turn();
      } catch (failure) {
        onRoundFailed(failure);
      }
      await sleep(options.minPauseMs, undefined, { ref: false });
      await pause(Math.min(waitMs, beatMs));
    }
  };

  return {
    start: () => {
      if (looping) return;
      isStopping = false;
      hold.begin();
      options.onStart?.();
      looping = loop();
    },
    stop: async () => {
      isStopping = true;
      wake();
      await looping;
      looping = undefined;
      await lease.release().catch(onReleaseFailed);
    },
    wake,
    isHeld: () => looping !== undefined && lease.isHeld(),
    hasRival: lease.hasRival,
  };
};
