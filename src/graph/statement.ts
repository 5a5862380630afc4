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

/** Gives every row its position, by which the results of a batched statement name it. */
export const withPositions = <T extends object>(rows: readonly T[]): (T & { at: number })[] =>
  rows.map((row, at) => ({ ...row, at }));

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

const fills = Symbol('fills');

/**
 * One of the values that a statement may be declared with, such as a direction: it fills one or more placeholders of the
 * text. Only `declareVariants` makes them, so that nothing of a request can become one.
 */
export type StatementVariant = { readonly name: string; readonly [fills]: Readonly<Record<string, string>> };

/** Declares the allowed values of placeholders: by the name of each value, the text that each placeholder gets. */
export const declareVariants = <V extends string, H extends string>(
  values: Readonly<Record<V, Readonly<Record<H, string>>>>,
): Readonly<Record<V, StatementVariant>> =>
  Object.fromEntries(
    Object.entries<Readonly<Record<H, string>>>(values).map(([name, texts]) => [name, { name, [fills]: texts }]),
  ) as Record<V, StatementVariant>;

type DeclaredColumns = { readonly params: readonly string[]; readonly row: readonly string[] };

type DeclaredStatement = {
  readonly text: string;
  readonly placeholder?: StatementPlaceholder;
  readonly params: readonly string[];
};

/** All declared statements with their variants, for the test that explains each of them. */
const declaredTexts = new Map<string, DeclaredStatement>();

export const declaredStatements = (): ReadonlyMap<string, DeclaredStatement> => declaredTexts;

const stripTextAndComments = (text: string): string =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, ' ')
    .replace(/(^|\s)\/\/[^\n]*/g, ' ')
    .replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`/g, ' ');

const matchNames = (text: string, pattern: RegExp): string[] =>
  [...new Set([...stripTextAndComments(text).matchAll(pattern)].map((match) => match[1] ?? ''))].sort();

const HOLE = /\$\{(\w+)\}/g;

const hasSameNames = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((x, i) => x === b[i]);

/** Fills the placeholders of the variants. Each of them must fill one, or it would declare the same statement twice. */
const fillVariants = (name: string, text: string, variants: readonly StatementVariant[]): string =>
  variants.reduce((filled, variant) => {
    const holes = matchNames(filled, HOLE).filter((hole) => Object.hasOwn(variant[fills], hole));
    if (holes.length === 0) throw new Error(`cypher/${name}.cypher has no placeholder for ${variant.name}`);
    return holes.reduce((part, hole) => part.replaceAll(`\${${hole}}`, variant[fills][hole] ?? ''), filled);
  }, text);

/** Stops the process when a file and its declaration have different parameters, or a placeholder is left over. */
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
  const holes = matchNames(text, HOLE);
  const expected = placeholder ? [placeholder] : [];
  if (!hasSameNames(holes, expected)) throw new Error(`cypher/${name}.cypher has placeholders ${holes.join(', ')}`);
};

/** A declaration as it is loaded: its full name consists of the file and the variants. */
type LoadedStatement = { readonly name: string; readonly text: string };

const loadStatement = (
  file: string,
  { params }: DeclaredColumns,
  variants: readonly StatementVariant[],
  placeholder?: StatementPlaceholder,
): LoadedStatement => {
  const text = fillVariants(file, readFileSync(join(packageRoot, 'cypher', `${file}.cypher`), 'utf8'), variants);
  checkDeclaration(file, text, params, placeholder);
  const name = [file, ...variants.map((variant) => variant.name)].join(':');
  declaredTexts.set(name, placeholder ? { text, placeholder, params } : { text, params });
  return { name, text };
};

const bindStatement = <P extends object, R extends object>(
  { name, text }: LoadedStatement,
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

export type StatementShape<P extends object, R extends object> = {
  readonly params: readonly (keyof P & string)[];
  readonly row: readonly (keyof R & string)[];
};

/** Declares the statement in `cypher/<file>.cypher` with its parameters, the columns it returns, and its variants. */
export const statement = <P extends object, R extends object>(
  file: string,
  shape: StatementShape<P, R>,
  ...variants: readonly StatementVariant[]
): BoundStatement<P, R> => bindStatement(loadStatement(file, shape, variants), shape);

/** The maximum depth of a traversal, which also limits the number of statements. */
export const MAX_WALK_DEPTH = 50;

const LABEL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Cypher accepts the length of a path only as part of the statement's text. */
const isWalkDepth = (value: string): boolean => /^\d{1,2}$/.test(value) && Number(value) <= MAX_WALK_DEPTH;

const fitsPlaceholder = (placeholder: StatementPlaceholder, value: string): boolean =>
  placeholder === 'DEPTH' ? isWalkDepth(value) : LABEL_NAME.test(value);

/**
 * Declares a statement that exists once per label, edge type or depth. Besides those, only declared variants are ever
 * inserted into Cypher text.
 */
export const template = <P extends object, R extends object>(
  file: string,
  placeholder: StatementPlaceholder,
  shape: StatementShape<P, R>,
  ...variants: readonly StatementVariant[]
): StatementTemplate<P, R> => {
  const { name, text } = loadStatement(file, shape, variants, placeholder);
  const filled = new Map<string, BoundStatement<P, R>>();
  return {
    name,
    placeholder,
    for: (value) => {
      const known = filled.get(value);
      if (known) return known;
      if (!fitsPlaceholder(placeholder, value)) throw new Error(`${value} is not a ${placeholder.toLowerCase()}`);
      const loaded = { name: `${name}:${value}`, text: text.replaceAll(`\${${placeholder}}`, value) };
      const bound = bindStatement<P, R>(loaded, shape);
      filled.set(value, bound);
      return bound;
    },
  };
};
