import { CatalogError } from '../../errors.ts';

/** The time limit of a search. Work beyond it is cut off, and the answer has what was found until then. */
export type TimeBudget = {
  /** Aborts running database statements, too. */
  readonly signal: AbortSignal;
  readonly isOver: () => boolean;
  /** Returns the result of some work, or the alternative when the time limit passes first. */
  readonly orElse: <T>(work: () => Promise<T>, instead: T) => Promise<T>;
  /** Whether any work was cut off. */
  readonly hasCut: () => boolean;
};

/** The error for requests whose partial result is useless. */
export const timeBudgetError = (): CatalogError =>
  new CatalogError('unavailable', 'The search took too long; narrow the query or request fewer hits');

/** Runs work under a time limit. */
export const withTimeBudget = async <T>(ms: number, work: (budget: TimeBudget) => Promise<T>): Promise<T> => {
  const end = new AbortController();
  const { signal } = end;
  let hasCut = false;
  const timer = setTimeout(() => end.abort(), ms);
  timer.unref();
  // A limit of zero must not depend on how fast the database is.
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
