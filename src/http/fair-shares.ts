/** A resource of fixed size that holders share. */
export type FairShares = {
  /** Takes an amount for a holder. Answers false when not enough was left for that holder. */
  take(holder: string, amount: number): boolean;
  release(holder: string, amount: number): void;
  readonly used: number;
};

/**
 * A holder may have this many times the amount that stays free: one holder alone gets two thirds, three get two
 * sevenths each.
 */
const SHARE_OF_FREE = 2;

/**
 * Divides a resource fairly among an unknown number of holders: a holder gets more only while it has less than twice of
 * what then stays free, so something is always left for the next one. A holder that has nothing yet may take the last
 * of it.
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
