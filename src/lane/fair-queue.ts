import { CatalogError } from '../errors.ts';

/** An admitted request. It takes up capacity until `giveRoom`, and may then still be streaming its answer. */
export type Admission = {
  /** Returns the capacity. The request still counts against the limit of its holder. */
  giveRoom(): void;
  /** Returns everything the request still holds. */
  leave(): void;
};

/** Limits concurrent work to a capacity and serves the holders in turn. */
export type FairQueue = {
  /** Waits for capacity, and while the holder has reached its own limit. Rejects when the signal is aborted first. */
  enter(holder: string, weight: number, signal: AbortSignal): Promise<Admission>;
};

export const callerGone = () => new CatalogError('unavailable', 'The caller has gone away');

type WaitingWork = { readonly weight: number; readonly start: () => void };

/** Work that is heavier than the whole capacity runs alone. */
export const createFairQueue = (capacity: number, mostPerHolder: number): FairQueue => {
  /** The holders in the order of their turns. */
  const waiting = new Map<string, WaitingWork[]>();
  const inside = new Map<string, number>();
  let running = 0;
  let used = 0;

  const fits = (weight: number): boolean => running === 0 || used + weight <= capacity;

  const advance = (): void => {
    for (const [holder, theirs] of waiting) {
      // A holder that does not read its answers must not delay the others.
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
