import { CatalogError } from '../errors.ts';

/** Lets work through a few at a time; the rest waits in line, and who finds the line full is told to come back. */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>;

type GateOptions = {
  /** How much work goes on side by side. */
  readonly width: number;
  readonly maxWaiting: number;
};

export const createGate = ({ width, maxWaiting }: GateOptions): Gate => {
  const line: (() => void)[] = [];
  let inside = 0;

  const enter = (): Promise<void> | undefined => {
    if (inside < width) {
      inside += 1;
      return undefined;
    }
    if (line.length >= maxWaiting) throw new CatalogError('unavailable', 'Too much at once, try again shortly');
    return new Promise((resolve) => line.push(resolve));
  };

  /** Whoever is next takes over the place, so that nobody who comes later slips in between. */
  const leave = (): void => {
    const next = line.shift();
    if (next) next();
    else inside -= 1;
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
