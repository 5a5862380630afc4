import { CatalogError } from '../errors.ts';

/** Lets work through a few at a time; the rest waits in line, and who finds the line full is told to come back. */
export type ConcurrencyLimiter = <T>(work: () => Promise<T>) => Promise<T>;

type ConcurrencyOptions = {
  /** How much work goes on side by side. */
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
    if (waiting.length >= maxWaiting) throw new CatalogError('unavailable', 'Too much at once, try again shortly');
    return new Promise((resolve) => waiting.push(resolve));
  };

  /** Whoever is next takes over the place, so that nobody who comes later slips in between. */
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
