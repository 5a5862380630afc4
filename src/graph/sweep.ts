import type { Graph } from './client.ts';
import { claimTurn } from './lease.ts';

/** Sweeps: the regular removal of what is no longer needed, by one of all processes on the store. */

/** What one step of a sweep does; a long one asks now and then whether it should continue. */
export type SweepStep = (shouldContinue: () => boolean) => Promise<unknown>;

export type SweepDeps = {
  readonly graph: Graph;
  readonly log: { warn(message: string, facts: Readonly<Record<string, string>>, failure: unknown): void };
  /** The name by which processes take turns. */
  readonly turn: string;
  readonly everyMs: number;
  /** The steps in their order, by what each is for. */
  readonly steps: Readonly<Record<string, SweepStep>>;
};

export type Sweep = {
  start(): void;
  /** Begins no more steps, and waits for the one in progress. */
  stop(): Promise<void>;
};

/**
 * Sweeps at most once in `everyMs`, and never twice at the same time. A step that fails is logged and tried again by
 * the next sweep: it must not keep the others from running.
 */
export const createSweep = ({ graph, log, turn, everyMs, steps }: SweepDeps): Sweep => {
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> | undefined;
  const isStarted = (): boolean => timer !== undefined;

  const reportFailure = (step: string, failure: unknown): void => log.warn('a sweep failed', { turn, step }, failure);

  const sweep = async (): Promise<void> => {
    if (!(await claimTurn(graph, turn, everyMs))) return;
    for (const [name, run] of Object.entries(steps)) {
      if (!isStarted()) return;
      await run(isStarted).catch((failure) => reportFailure(name, failure));
    }
  };

  const sweepOnce = (): void => {
    sweeping ??= sweep()
      .catch((failure) => reportFailure('turn', failure))
      .finally(() => {
        sweeping = undefined;
      });
  };

  return {
    start: () => {
      timer ??= setInterval(sweepOnce, everyMs).unref();
    },
    stop: async () => {
      clearInterval(timer);
      timer = undefined;
      await sweeping;
    },
  };
};
