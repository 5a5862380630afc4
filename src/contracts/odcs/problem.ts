import { badRequest, type CatalogError } from '../../errors.ts';
import { isArray, type Json } from '../../model/json.ts';

/** What is wrong with a document, and where; an empty path is the root. */
export type DocumentProblem = { readonly path: string; readonly text: string };

/** So many problems are told at once. */
const MAX_PROBLEMS_SHOWN = 20;

/** A path or name is shown in full up to here. */
const MAX_SHOWN = 300;

/** A path or name of a document as messages and headers may show it: short, and of whole printable characters. */
export const sanitizeText = (text: string): string =>
  (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text).replace(/\p{Cc}|\p{Surrogate}/gu, '?');

/** The failure that tells the problems of a document. */
export const invalidDocumentError = (problems: readonly DocumentProblem[]): CatalogError =>
  badRequest(
    `Invalid ODCS content: ${problems
      .slice(0, MAX_PROBLEMS_SHOWN)
      .map(({ path, text }) => `${sanitizeText(path === '' ? '$' : path)}: ${sanitizeText(text)}`)
      .join('; ')}`,
  );

/** The failure that tells one problem. */
export const invalidAt = (path: string, text: string): CatalogError => invalidDocumentError([{ path, text }]);

/** How a document is written. */
export type DocumentNotation = 'JSON' | 'YAML';

/** The failure of a text that is no YAML, or no JSON where nothing else will do. */
export const invalidSyntaxError = (
  line: number,
  column: number,
  text: string,
  notation: DocumentNotation = 'YAML',
): CatalogError => badRequest(`Invalid ${notation} content: line ${line}, column ${column}: ${sanitizeText(text)}`);

/** The path of a member. */
export const joinPath = (path: string, name: string | number): string =>
  typeof name === 'number' ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;

/** The word for what a value is. */
export const jsonTypeOf = (value: Json): string => (value === null ? 'null' : isArray(value) ? 'array' : typeof value);
