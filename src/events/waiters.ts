/** A reader that waits for events after a number. */
export type SequenceWaiter = { readonly seq: number; readonly resolve: (isNews: boolean) => void };

/**
 * Waits until the waiter is released, until the timeout, or until the signal; returns the released value, or else
 * false.
 */
export const waitForSequence = (
  waiters: Set<SequenceWaiter>,
  seq: number,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<boolean> =>
  new Promise((resolve) => {
    const end = (hasNewer: boolean) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
      waiters.delete(waiter);
      resolve(hasNewer);
    };
    const giveUp = () => end(false);
    const timer = setTimeout(giveUp, ms).unref();
    signal?.addEventListener('abort', giveUp);
    const waiter = { seq, resolve: end };
    waiters.add(waiter);
  });
