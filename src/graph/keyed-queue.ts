/**
 * Runs work that shares a key one after another, in order of arrival; work without a common key runs at once. Work may
 * have several keys, and then waits for all that has any of them.
 */
export type KeyedQueue = <T>(key: string | readonly string[], work: () => Promise<T>) => Promise<T>;

export const createKeyedQueue = (): KeyedQueue => {
  const tails = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const keys = typeof key === 'string' ? [key] : key;
    const before = keys.flatMap((one) => tails.get(one) ?? []);
    // A failure belongs to the one who caused it; whoever waits behind it starts all the same.
    const run = before.length > 0 ? Promise.allSettled(before).then(work) : work();
    for (const one of keys) tails.set(one, run);
    try {
      return await run;
    } finally {
      for (const one of keys) if (tails.get(one) === run) tails.delete(one);
    }
  };
};
