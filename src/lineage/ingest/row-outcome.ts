import { CatalogError } from '../../errors.ts';

/** What became of one of many: its result, or why there is none. */
export type EdgeRowOutcome<T> = { readonly value: T } | { readonly failure: CatalogError };

/** A failure of the caller's making belongs to the row it is about; any other is everybody's. */
export const captureOutcome = async <T>(work: () => Promise<T> | T): Promise<EdgeRowOutcome<T>> => {
  try {
    return { value: await work() };
  } catch (failure) {
    if (!(failure instanceof CatalogError) || failure.status >= 500) throw failure;
    return { failure };
  }
};
