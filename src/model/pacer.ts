/** Lets long work give way: between its parts it asks whether it has held the event loop long enough. */
export type Pacer = {
  readonly isSliceUsedUp: () => boolean;
  /** Lets everything else that waits have its turn. */
  yieldToEventLoop(): Promise<void>;
};

const SLICE_MS = 10;

export const createPacer = (sliceMs = SLICE_MS): Pacer => {
  let since = performance.now();
  return {
    isSliceUsedUp: () => performance.now() - since >= sliceMs,
    yieldToEventLoop: async () => {
      await new Promise<void>((resolve) => {
        setImmediate(resolve);
      });
      since = performance.now();
    },
  };
};
