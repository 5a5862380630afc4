import { CatalogError } from '../../errors.ts';

/** The outcome of one row: its result, or the reason for its failure. */
export type EdgeRowOutcome<T> = { readonly value: T } | { readonly failure: CatalogError };

/** Captures errors that the caller caused as the outcome of the row; all other errors fail the whole request. */
export const captureOutcome = async <T>(work: () => Promise<T> | T): Promise<EdgeRowOutcome<T>> => {
  try {
    return { value: await work() };
  } catch (failure) {
    if (!(failure instanceof CatalogError) || failure.status >= 500) throw failure;
    return { failure };
  }
};
