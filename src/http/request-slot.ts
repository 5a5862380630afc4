import type { FairShares } from './fair-shares.ts';

/**
 * The slot of a request in the share of its caller. While the request waits for one that the service sends to itself,
 * that one may use the slot, so that what a caller asks for counts once.
 */
export type RequestSlot = {
  /** Lends the slot to one request of the same holder at a time. Answers undefined when it cannot be lent. */
  lend(holder: string): RequestSlot | undefined;
  /** Gives the slot back, once whoever borrowed it has done so too. */
  release(): void;
};

const createRequestSlot = (holder: string, giveBack: () => void): RequestSlot => {
  let [isLent, isReleased] = [false, false];
  return {
    lend: (borrower) => {
      if (isLent || isReleased || borrower !== holder) return undefined;
      isLent = true;
      return createRequestSlot(holder, () => {
        isLent = false;
        if (isReleased) giveBack();
      });
    },
    release: () => {
      if (isReleased) return;
      isReleased = true;
      if (!isLent) giveBack();
    },
  };
};

/** Takes a slot of its own for a request. Answers undefined when the holder may have no more. */
export const takeRequestSlot = (slots: FairShares, holder: string): RequestSlot | undefined =>
  slots.take(holder, 1) ? createRequestSlot(holder, () => slots.release(holder, 1)) : undefined;
