import { CatalogError } from '../errors.ts';

/**
 * Runs a limited number of tasks at once and queues the rest. It rejects a task as unavailable when the queue is full.
 */
export type ConcurrencyLimiter = <T>(work: () => Promise<T>) => Promise<T>;

type ConcurrencyOptions = {
  /** The number of tasks that run at once. */
  readonly width: number;
  readonly maxWaiting: number;
};

export const createConcurrencyLimiter = ({ width, maxWaiting }: ConcurrencyOptions): ConcurrencyLimiter => {
  const waiting: (() => void)[] = [];
  let running = 0;

  const enter = (): Promise<void> | undefined => {
    if (running < width) {
      running += 1;
      return undefined;
    }
    if (waiting.length >= maxWaiting)
      throw new CatalogError('unavailable', 'Too many requests at once, try again shortly');
    return new Promise((resolve) => waiting.push(resolve));
  };

  /** Hands the slot directly to the next waiting task, so that no later task takes it first. */
  const leave = (): void => {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  };

  return async (work) => {
    await enter();
    try {
      return await work();
    } finally {
      leave();
    }
  };
};
