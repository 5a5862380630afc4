import { CatalogError } from '../../errors.ts';

/** The limits of a document (odcs.md 2.1). */
export const MAX_DOCUMENT_BYTES = 10 * 1024 * 1024;
export const MAX_DOCUMENT_DEPTH = 64;
export const MAX_DOCUMENT_NODES = 500_000;
export const MAX_ALIASES = 1_000;
export const MAX_SCALAR_LENGTH = 1024 * 1024;
export const MAX_SCHEMA_OBJECTS = 1_000;
export const MAX_OBJECT_COLUMNS = 20_000;

/** Returns the text, or throws when it exceeds the size limit. */
export const assertDocumentSize = (text: string): string => {
  if (Buffer.byteLength(text) <= MAX_DOCUMENT_BYTES) return text;
  throw new CatalogError('payload_too_large', `The document is larger than ${MAX_DOCUMENT_BYTES} bytes`);
};
