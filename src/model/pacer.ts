/** Lets long work yield: between its parts, it checks whether it has used up its time slice. */
export type Pacer = {
  readonly isSliceUsedUp: () => boolean;
  /** Lets all other waiting work run. */
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
