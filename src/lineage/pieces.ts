/** Does something with many things, so many of them side by side. */
export const inPieces = async <T, R>(
  all: readonly T[],
  size: number,
  work: (one: T) => Promise<R> | R,
): Promise<R[]> => {
  const done: R[] = [];
  for (let start = 0; start < all.length; start += size) {
    done.push(...(await Promise.all(all.slice(start, start + size).map(work))));
  }
  return done;
};
