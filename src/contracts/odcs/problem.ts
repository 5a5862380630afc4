import { badRequest, type CatalogError } from '../../errors.ts';
import { isArray, type Json } from '../../model/json.ts';

/** What is wrong with a document, and where; an empty path is the root. */
export type Problem = { readonly path: string; readonly text: string };

/** So many problems are told at once. */
const MOST_PROBLEMS = 20;

/** A path or name is shown in full up to here. */
const LONGEST_SHOWN = 300;

/** A path or name of a document as messages and headers may show it: short, and of whole printable characters. */
export const shown = (text: string): string =>
  (text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text).replace(/\p{Cc}|\p{Surrogate}/gu, '?');

/** The failure that tells the problems of a document. */
export const invalidDocument = (problems: readonly Problem[]): CatalogError =>
  badRequest(
    `Invalid ODCS content: ${problems
      .slice(0, MOST_PROBLEMS)
      .map(({ path, text }) => `${shown(path === '' ? '$' : path)}: ${shown(text)}`)
      .join('; ')}`,
  );

/** The failure that tells one problem. */
export const invalid = (path: string, text: string): CatalogError => invalidDocument([{ path, text }]);

/** How a document is written. */
export type Notation = 'JSON' | 'YAML';

/** The failure of a text that is no YAML, or no JSON where nothing else will do. */
export const invalidSyntax = (line: number, column: number, text: string, notation: Notation = 'YAML'): CatalogError =>
  badRequest(`Invalid ${notation} content: line ${line}, column ${column}: ${shown(text)}`);

/** The path of a member. */
export const at = (path: string, name: string | number): string =>
  typeof name === 'number' ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;

/** The word for what a value is. */
export const typeOf = (value: Json): string => (value === null ? 'null' : isArray(value) ? 'array' : typeof value);
