/** Somebody who waits for what comes after a number. */
export type SequenceWaiter = { readonly seq: number; readonly resolve: (isNews: boolean) => void };

/** Waits among others until released, or so long, or until the signal; answers what it was released with, else false. */
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
