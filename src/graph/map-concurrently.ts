/** Maps items in order, a limited number at a time: when one is done, the next begins. */
export const mapConcurrently = async <T, R>(
  all: readonly T[],
  size: number,
  work: (one: T) => Promise<R> | R,
): Promise<R[]> => {
  const done: R[] = new Array(all.length);
  let next = 0;
  const runNext = async (): Promise<void> => {
    try {
      for (let at = next++; at < all.length; at = next++) done[at] = await work(all[at] as T);
    } catch (failure) {
      // After a failure, nothing more begins.
      next = all.length;
      throw failure;
    }
  };
  await Promise.all(Array.from({ length: Math.min(size, all.length) }, runNext));
  return done;
};
