import { setTimeout as sleep } from 'node:timers/promises';
import type { Graph } from './client.ts';
import { createLease } from './lease.ts';
import { createWakeablePause } from './wakeable-pause.ts';

/** Repeated work that one process on the store does while it holds a lease. */
export type LeasedLoop = {
  start(): void;
  stop(): Promise<void>;
  /** Starts the next round early, because there is new work. */
  wake(): void;
  /** Whether this process does the work now. */
  isHeld(): boolean;
  /** Whether another process would take over the work. */
  hasRival(): boolean;
};

export type LeasedLoopOptions = {
  /** The name of the lease. */
  readonly name: string;
  /** How long the lease lasts without renewal, and how often it is renewed. */
  readonly leaseMs: number;
  readonly beatMs: number;
  /** The minimum pause between two rounds. */
  readonly minPauseMs: number;
  /** The pause after a failed round. */
  readonly failurePauseMs: number;
  /** Runs one round and answers how long there will be nothing to do, as far as is known. */
  readonly runRound: () => Promise<number>;
  /** Called on every start, before the first round. */
  readonly onStart?: () => void;
  /** Receives the failure of a round, and the failure to release the lease. */
  readonly onRoundFailed: (failure: unknown) => void;
  readonly onReleaseFailed: (failure: unknown) => void;
};

export const createLeasedLoop = (graph: Graph, options: LeasedLoopOptions): LeasedLoop => {
  const { beatMs, onRoundFailed, onReleaseFailed } = options;
  const lease = createLease(graph, options.name, options.leaseMs);
  const { wake, pause } = createWakeablePause();
  let looping: Promise<void> | undefined;
  let isStopping = false;

  const turn = async (): Promise<number> => ((await lease.keep(beatMs)) ? options.runRound() : beatMs);

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
