import { CatalogError } from '../errors.ts';

/** Tells the caller in a header what may help, because clients compare the bodies of answers. */

/** The header of hints. */
export const HINT_HEADER = 'X-Hint';

/** The length at which a hint is cut. */
const MAX_HINT_LENGTH = 500;

/** Encodes what a header cannot contain. */
const encodeHeaderText = (text: string): string =>
  text
    .slice(0, MAX_HINT_LENGTH)
    .replace(/\p{Cs}/gu, '')
    .replace(/[^\x20-\x7e]+/g, encodeURIComponent);

/** The header with a hint, if there is one. */
export const hintHeaders = (hint: string | undefined): Readonly<Record<string, string>> =>
  hint === undefined || hint === '' ? {} : { [HINT_HEADER]: encodeHeaderText(hint) };

/**
 * Finds out what may help a caller. While the database does not answer there is no help, and the answer stays what it
 * is: what was written must be reported.
 */
export const helpIfAvailable = async <T>(find: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await find();
  } catch (failure) {
    if (failure instanceof CatalogError && failure.status >= 500) return undefined;
    throw failure;
  }
};
