/** Runs work that shares a key one after another, in order of arrival; work with different keys runs at once. */
export type Serial = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export const createSerial = (): Serial => {
  const tails = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = tails.get(key);
    // A failure belongs to the one who caused it; whoever waits behind it starts all the same.
    const run = before ? before.then(work, work) : work();
    tails.set(key, run);
    try {
      return await run;
    } finally {
      if (tails.get(key) === run) tails.delete(key);
    }
  };
};
