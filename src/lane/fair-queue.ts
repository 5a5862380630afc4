import { CatalogError } from '../errors.ts';

/** What was let in: it takes room first, and may then only be an answer that is still being read. */
export type Admission = {
  /** Gives the room back. It still counts among the requests of its holder. */
  giveRoom(): void;
  /** Gives back whatever it still has. */
  leave(): void;
};

/** Lets in as much work at a time as there is room for, holder by holder in turn. */
export type FairQueue = {
  /**
   * Waits for room, and while the holder has as many requests inside as one may have. Rejects when the signal is aborted
   * first.
   */
  enter(holder: string, weight: number, signal: AbortSignal): Promise<Admission>;
};

export const callerGone = () => new CatalogError('unavailable', 'The caller has gone away');

type WaitingWork = { readonly weight: number; readonly start: () => void };

/** Work that is heavier than all the room there is runs alone. */
export const createFairQueue = (capacity: number, mostPerHolder: number): FairQueue => {
  /** Holders in the order of their turns. */
  const waiting = new Map<string, WaitingWork[]>();
  const inside = new Map<string, number>();
  let running = 0;
  let used = 0;

  const fits = (weight: number): boolean => running === 0 || used + weight <= capacity;

  const advance = (): void => {
    for (const [holder, theirs] of waiting) {
      // Whoever does not read what was answered holds up nobody else.
      if ((inside.get(holder) ?? 0) >= mostPerHolder) continue;
      const [next] = theirs;
      if (!next || !fits(next.weight)) return;
      theirs.shift();
      waiting.delete(holder);
      if (theirs.length > 0) waiting.set(holder, theirs);
      next.start();
    }
  };

  const admit = (holder: string, weight: number): Admission => {
    let hasRoom = true;
    let isInside = true;
    running += 1;
    used += weight;
    inside.set(holder, (inside.get(holder) ?? 0) + 1);
    const giveRoom = (): void => {
      if (!hasRoom) return;
      hasRoom = false;
      running -= 1;
      used -= weight;
      advance();
    };
    const leave = (): void => {
      if (!isInside) return;
      isInside = false;
      const left = (inside.get(holder) ?? 0) - 1;
      if (left > 0) inside.set(holder, left);
      else inside.delete(holder);
      giveRoom();
      advance();
    };
    return { giveRoom, leave };
  };

  return {
    enter: (holder, weight, signal) => {
      if (signal.aborted) return Promise.reject(callerGone());
      return new Promise((resolve, reject) => {
        const theirs = waiting.get(holder) ?? [];
        const giveUp = () => {
          const at = theirs.indexOf(one);
          if (at === -1) return;
          theirs.splice(at, 1);
          if (theirs.length === 0) waiting.delete(holder);
          reject(callerGone());
          advance();
        };
        const one: WaitingWork = {
          weight,
          start: () => {
            signal.removeEventListener('abort', giveUp);
            resolve(admit(holder, weight));
          },
        };
        theirs.push(one);
        waiting.set(holder, theirs);
        signal.addEventListener('abort', giveUp, { once: true });
        advance();
      });
    },
  };
};
