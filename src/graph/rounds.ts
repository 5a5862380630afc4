import { setTimeout as sleep } from 'node:timers/promises';
import type { Graph } from './client.ts';
import { createHold, createLease } from './lease.ts';
import { createPause } from './pause.ts';

/** Work that one process of all on the store does again and again, for as long as it has the right to. */
export type Rounds = {
  start(): void;
  stop(): Promise<void>;
  /** Says that there is something to do. */
  wake(): void;
  /** Whether it is this process that does it now. */
  isHeld(): boolean;
  /** Whether another process would do it, too. */
  hasRival(): boolean;
};

export type RoundsOptions = {
  /** What the right is called. */
  readonly name: string;
  /** How long it belongs to a process that says nothing, and how often one says something. */
  readonly leaseMs: number;
  readonly beatMs: number;
  /** How long it waits at least between two rounds. */
  readonly gapMs: number;
  /** How long it waits after a round that failed. */
  readonly failedMs: number;
  /** One round; answers how long there is nothing to do, as far as can be known. */
  readonly round: () => Promise<number>;
  /** Called with every start, before the first round. */
  readonly begun?: () => void;
  /** Told of a round that failed, and of a right that could not be given back. */
  readonly failed: (failure: unknown) => void;
  readonly kept: (failure: unknown) => void;
};

export const createRounds = (graph: Graph, options: RoundsOptions): Rounds => {
  const { beatMs, failed, kept } = options;
  const lease = createLease(graph, options.name, options.leaseMs);
  const hold = createHold(lease, beatMs);
  const { wake, pause } = createPause();
  let looping: Promise<void> | undefined;
  let isStopping = false;

  const turn = async (): Promise<number> => ((await hold.keep()) ? options.round() : beatMs);

  const loop = async (): Promise<void> => {
    while (!isStopping) {
      let waitMs = options.failedMs;
      try {
        waitMs = await turn();
      } catch (failure) {
        failed(failure);
      }
      await sleep(options.gapMs, undefined, { ref: false });
      await pause(Math.min(waitMs, beatMs));
    }
  };

  return {
    start: () => {
      if (looping) return;
      isStopping = false;
      hold.begin();
      options.begun?.();
      looping = loop();
    },
    stop: async () => {
      isStopping = true;
      wake();
      await looping;
      looping = undefined;
      await lease.release().catch(kept);
    },
    wake,
    isHeld: () => looping !== undefined && lease.isHeld(),
    hasRival: lease.hasRival,
  };
};
