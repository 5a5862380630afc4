import { badRequest, type CatalogError } from '../../errors.ts';
import { isArray, type Json } from '../../model/json.ts';

/** A fault of a document and its path; an empty path is the root. */
export type DocumentProblem = { readonly path: string; readonly text: string };

/** The maximum number of faults in one message. */
const MAX_PROBLEMS_SHOWN = 20;

/** The maximum length of a path or name in a message. */
const MAX_SHOWN = 300;

/** Makes a path or name safe for messages and headers: it is shortened, and control characters are replaced. */
export const sanitizeText = (text: string): string =>
  (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text).replace(/\p{Cc}|\p{Surrogate}/gu, '?');

/** Builds the error that lists the faults of a document. */
export const invalidDocumentError = (problems: readonly DocumentProblem[]): CatalogError =>
  badRequest(
    `Invalid ODCS content: ${problems
      .slice(0, MAX_PROBLEMS_SHOWN)
      .map(({ path, text }) => `${sanitizeText(path === '' ? '$' : path)}: ${sanitizeText(text)}`)
      .join('; ')}`,
  );

/** Builds the error for one fault. */
export const invalidAt = (path: string, text: string): CatalogError => invalidDocumentError([{ path, text }]);

/** The notation of a document. */
export type DocumentNotation = 'JSON' | 'YAML';

/** Builds the error for a text that is not valid YAML, or not valid JSON where JSON is required. */
export const invalidSyntaxError = (
  line: number,
  column: number,
  text: string,
  notation: DocumentNotation = 'YAML',
): CatalogError => badRequest(`Invalid ${notation} content: line ${line}, column ${column}: ${sanitizeText(text)}`);

/** Appends a member name or index to a path. */
export const joinPath = (path: string, name: string | number): string =>
  typeof name === 'number' ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;

/** The name of a value's JSON type. */
export const jsonTypeOf = (value: Json): string => (value === null ? 'null' : isArray(value) ? 'array' : typeof value);
