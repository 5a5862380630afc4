import { CatalogError } from '../../errors.ts';

/** What a document may be at most (odcs.md 2.1). */
export const LARGEST_TEXT = 10 * 1024 * 1024;
export const DEEPEST = 64;
export const MOST_NODES = 500_000;
export const MOST_ALIASES = 1_000;
export const LONGEST_SCALAR = 1024 * 1024;
export const MOST_OBJECTS = 1_000;
export const MOST_COLUMNS = 20_000;

/** The text, unless it is larger than any document may be. */
export const fitting = (text: string): string => {
  if (Buffer.byteLength(text) <= LARGEST_TEXT) return text;
  throw new CatalogError('payload_too_large', `The document is larger than ${LARGEST_TEXT} bytes`);
};
