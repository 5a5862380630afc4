/** Closes the parts of something that was opened part by part. */
export type Closers = { add(close: () => Promise<void>): void; close(): Promise<void> };

/** Runs the closers in the reverse order of registration. Each one runs even when another failed. */
export const createClosers = (): Closers => {
  const closers: (() => Promise<void>)[] = [];
  let closing: Promise<void> | undefined;
  const closeAll = async () => {
    for (const close of closers.reverse()) await close().catch((failure: unknown) => console.error(failure));
  };
  return {
    add: (close) => {
      closers.push(close);
    },
    close: () => {
      closing ??= closeAll();
      return closing;
    },
  };
};
