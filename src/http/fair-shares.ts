/** A resource of fixed size that callers share. */
export type FairShares = {
  /** Takes some of it for a holder; answers whether there was enough left for that holder. */
  take(holder: string, amount: number): boolean;
  release(holder: string, amount: number): void;
  readonly used: number;
};

/** How much of what is free after it a holder may have. One holder alone gets two thirds, three get two sevenths each. */
const SHARE_OF_FREE = 2;

/**
 * Divides a resource fairly without knowing who will come: a holder gets more only while it has less than twice of what
 * then stays free. However many are greedy, something is left for the next one who comes. Whoever has nothing yet may
 * also take the last of it.
 */
export const createFairShares = (size: number): FairShares => {
  const held = new Map<string, number>();
  let used = 0;
  return {
    take: (holder, amount) => {
      const own = held.get(holder) ?? 0;
      const free = size - used - amount;
      if (free < 0 || (own > 0 && own + amount > SHARE_OF_FREE * (free + amount))) return false;
      held.set(holder, own + amount);
      used += amount;
      return true;
    },
    release: (holder, amount) => {
      const left = (held.get(holder) ?? 0) - amount;
      if (left > 0) held.set(holder, left);
      else held.delete(holder);
      used -= amount;
    },
    get used() {
      return used;
    },
  };
};
