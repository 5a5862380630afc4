/**
 * Runs work that shares a key in order of arrival, and other work at once. Work may have several keys, and then waits
 * for everything that has any of them.
 */
export type KeyedQueue = <T>(key: string | readonly string[], work: () => Promise<T>) => Promise<T>;

export const createKeyedQueue = (): KeyedQueue => {
  const tails = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const keys = typeof key === 'string' ? [key] : key;
    const before = keys.flatMap((one) => tails.get(one) ?? []);
    // A failure is reported to its own caller. The next work on the key starts all the same.
    const run = before.length > 0 ? Promise.allSettled(before).then(work) : work();
    for (const one of keys) tails.set(one, run);
    try {
      return await run;
    } finally {
      for (const one of keys) if (tails.get(one) === run) tails.delete(one);
    }
  };
};
