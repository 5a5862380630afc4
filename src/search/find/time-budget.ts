import { CatalogError } from '../../errors.ts';

/** Whoever searches waits only so long; what takes longer is cut, and what was found until then is the answer. */
export type TimeBudget = {
  /** Ends statements in the database, too. */
  readonly signal: AbortSignal;
  readonly isOver: () => boolean;
  /** What comes of some work, or something else where patience ends before it does. */
  readonly orElse: <T>(work: () => Promise<T>, instead: T) => Promise<T>;
  /** Whether anything was cut. */
  readonly hasCut: () => boolean;
};

/** What is of no use in part is refused when it takes too long. */
export const timeBudgetError = (): CatalogError =>
  new CatalogError('unavailable', 'The search took too long; ask for less at once');

/** Works for so long at most. */
export const withTimeBudget = async <T>(ms: number, work: (budget: TimeBudget) => Promise<T>): Promise<T> => {
  const end = new AbortController();
  const { signal } = end;
  let hasCut = false;
  const timer = setTimeout(() => end.abort(), ms);
  timer.unref();
  // Who has no patience at all does not depend on how fast the database is.
  if (ms <= 0) end.abort();
  try {
    return await work({
      signal,
      isOver: () => signal.aborted,
      orElse: async (part, instead) => {
        try {
          return await part();
        } catch (failure) {
          if (!signal.aborted) throw failure;
          hasCut = true;
          return instead;
        }
      },
      hasCut: () => hasCut,
    });
  } finally {
    clearTimeout(timer);
  }
};
