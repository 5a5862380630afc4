import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from './package-root.ts';

/** Declares the Cypher statements of the program. Their texts are in `cypher/`. */

/** A statement as the driver needs it: text with its placeholders filled, and checks of its parameters and columns. */
export type Statement = {
  readonly name: string;
  readonly text: string;
  checkParams(params: object): void;
  checkColumns(keys: readonly string[]): void;
};

/** The parameters of a batched statement. Each result names by `at` the row that it answers. */
export type IndexedRows<T> = { readonly rows: readonly (T & { readonly at: number })[] };

/** A statement with types for its parameters and rows. The type members exist for the compiler only. */
export type BoundStatement<P extends object, R extends object> = Statement & {
  readonly params?: P;
  readonly row?: R;
};

/** A statement with a placeholder, filled with a declared label or edge type, or with a depth. */
export type StatementTemplate<P extends object, R extends object> = {
  readonly name: string;
  readonly placeholder: StatementPlaceholder;
  for(value: string): BoundStatement<P, R>;
};

/** The placeholders: the label of a kind, the type of an edge, or the depth of a traversal. */
export type StatementPlaceholder = 'LABEL' | 'TYPE' | 'DEPTH';

type DeclaredColumns = { readonly params: readonly string[]; readonly row: readonly string[] };

/** All declared statements, for the test that explains each of them. */
const declaredTexts = new Map<
  string,
  { readonly text: string; readonly placeholder?: StatementPlaceholder; readonly params: readonly string[] }
>();

export const declaredStatements = (): ReadonlyMap<
  string,
  { readonly text: string; readonly placeholder?: StatementPlaceholder; readonly params: readonly string[] }
> => declaredTexts;

const stripTextAndComments = (text: string): string =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, ' ')
    .replace(/(^|\s)\/\/[^\n]*/g, ' ')
    .replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`/g, ' ');

const matchNames = (text: string, pattern: RegExp): string[] =>
  [...new Set([...stripTextAndComments(text).matchAll(pattern)].map((match) => match[1] ?? ''))].sort();

const hasSameNames = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((x, i) => x === b[i]);

/** Stops the process when a file and its declaration have different parameters. */
const checkDeclaration = (
  name: string,
  text: string,
  params: readonly string[],
  placeholder?: StatementPlaceholder,
) => {
  const used = matchNames(text, /\$([A-Za-z_]\w*)/g);
  const wanted = [...params].sort();
  if (!hasSameNames(used, wanted))
    throw new Error(`cypher/${name}.cypher uses $${used.join(', $')}; declared: ${wanted.join(', ')}`);
  const holes = matchNames(text, /\$\{(\w+)\}/g);
  const expected = placeholder ? [placeholder] : [];
  if (!hasSameNames(holes, expected)) throw new Error(`cypher/${name}.cypher has placeholders ${holes.join(', ')}`);
};

const loadStatementText = (name: string, shape: DeclaredColumns, placeholder?: StatementPlaceholder): string => {
  const text = readFileSync(join(packageRoot, 'cypher', `${name}.cypher`), 'utf8');
  checkDeclaration(name, text, shape.params, placeholder);
  declaredTexts.set(name, placeholder ? { text, placeholder, params: shape.params } : { text, params: shape.params });
  return text;
};

const bindStatement = <P extends object, R extends object>(
  name: string,
  text: string,
  shape: DeclaredColumns,
): BoundStatement<P, R> => {
  const params = [...shape.params].sort();
  const row = [...shape.row].sort();
  let columnsSeen = false;
  return {
    name,
    text,
    checkParams: (given) => {
      for (const param of params) {
        if (!Object.hasOwn(given, param)) throw new Error(`statement ${name} needs the parameter ${param}`);
      }
    },
    // The columns of a statement cannot change while the process runs, so checking the first row is enough.
    checkColumns: (keys) => {
      if (columnsSeen) return;
      if (!hasSameNames([...keys].sort(), row))
        throw new Error(`statement ${name} returns ${keys.join(', ')}; declared: ${row.join(', ')}`);
      columnsSeen = true;
    },
  };
};

type StatementShape<P extends object, R extends object> = {
  readonly params: readonly (keyof P & string)[];
  readonly row: readonly (keyof R & string)[];
};

/** Declares the statement in `cypher/<name>.cypher` with its parameters and the columns it returns. */
export const statement = <P extends object, R extends object>(
  name: string,
  shape: StatementShape<P, R>,
): BoundStatement<P, R> => bindStatement(name, loadStatementText(name, shape), shape);

/** The maximum depth of a traversal, which also limits the number of statements. */
export const MAX_WALK_DEPTH = 50;

const LABEL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Cypher accepts the length of a path only as part of the statement's text. */
const isWalkDepth = (value: string): boolean => /^\d{1,2}$/.test(value) && Number(value) <= MAX_WALK_DEPTH;

const fitsPlaceholder = (placeholder: StatementPlaceholder, value: string): boolean =>
  placeholder === 'DEPTH' ? isWalkDepth(value) : LABEL_NAME.test(value);

/**
 * Declares a statement that exists once per label, edge type or depth. Nothing else is ever inserted into Cypher text.
 */
export const template = <P extends object, R extends object>(
  name: string,
  placeholder: StatementPlaceholder,
  shape: StatementShape<P, R>,
): StatementTemplate<P, R> => {
  const text = loadStatementText(name, shape, placeholder);
  const filled = new Map<string, BoundStatement<P, R>>();
  return {
    name,
    placeholder,
    for: (value) => {
      const known = filled.get(value);
      if (known) return known;
      if (!fitsPlaceholder(placeholder, value)) throw new Error(`${value} is no ${placeholder.toLowerCase()}`);
      const bound = bindStatement<P, R>(`${name}:${value}`, text.replaceAll(`\${${placeholder}}`, value), shape);
      filled.set(value, bound);
      return bound;
    },
  };
};
