import { CatalogError } from '../errors.ts';

/** Lets in as much work at a time as there is room for, holder by holder in turn. */
export type FairQueue = {
  /** Waits for room; answers how to give it back. Rejects when the signal is aborted first. */
  enter(holder: string, weight: number, signal: AbortSignal): Promise<() => void>;
};

const gone = () => new CatalogError('unavailable', 'The caller has gone away');

type Waiting = { readonly weight: number; readonly start: () => void };

/** Work that is heavier than all the room there is runs alone. */
export const createFairQueue = (room: number): FairQueue => {
  /** Holders in the order of their turns. */
  const waiting = new Map<string, Waiting[]>();
  let running = 0;
  let used = 0;

  const fits = (weight: number): boolean => running === 0 || used + weight <= room;

  const advance = (): void => {
    for (const [holder, theirs] of waiting) {
      const [next] = theirs;
      if (!next || !fits(next.weight)) return;
      theirs.shift();
      waiting.delete(holder);
      if (theirs.length > 0) waiting.set(holder, theirs);
      next.start();
    }
  };

  const occupy = (weight: number): (() => void) => {
    running += 1;
    used += weight;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      running -= 1;
      used -= weight;
      advance();
    };
  };

  return {
    enter: (holder, weight, signal) => {
      if (signal.aborted) return Promise.reject(gone());
      if (waiting.size === 0 && fits(weight)) return Promise.resolve(occupy(weight));
      return new Promise((resolve, reject) => {
        const theirs = waiting.get(holder) ?? [];
        const leave = () => {
          const at = theirs.indexOf(one);
          if (at === -1) return;
          theirs.splice(at, 1);
          if (theirs.length === 0) waiting.delete(holder);
          reject(gone());
          advance();
        };
        const one: Waiting = {
          weight,
          start: () => {
            signal.removeEventListener('abort', leave);
            resolve(occupy(weight));
          },
        };
        theirs.push(one);
        waiting.set(holder, theirs);
        signal.addEventListener('abort', leave, { once: true });
      });
    },
  };
};
