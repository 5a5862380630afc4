import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from './package-root.ts';

/** A statement as the driver sees it: text with its placeholders filled, and checks for what goes in and comes out. */
export type Statement = {
  readonly name: string;
  readonly text: string;
  checkParams(params: object): void;
  checkColumns(keys: readonly string[]): void;
};

/** What a statement is asked for many at a time; each answer says by `at` which row it is for. */
export type Rows<T> = { readonly rows: readonly (T & { readonly at: number })[] };

/** A statement whose parameters and rows have a type. The type members exist for the compiler only. */
export type Bound<P extends object, R extends object> = Statement & {
  readonly params?: P;
  readonly row?: R;
};

/** A statement with a placeholder: filled with a label or an edge type from the closed set of declarations. */
export type Template<P extends object, R extends object> = {
  readonly name: string;
  readonly placeholder: Placeholder;
  for(value: string): Bound<P, R>;
};

/** What a statement is filled with: the label of a kind, the type of an edge, or how many steps a walk takes. */
export type Placeholder = 'LABEL' | 'TYPE' | 'DEPTH';

type Declared = { readonly params: readonly string[]; readonly row: readonly string[] };

/** Every statement ever declared, for the test that explains all of them. */
const declared = new Map<
  string,
  { readonly text: string; readonly placeholder?: Placeholder; readonly params: readonly string[] }
>();

export const declaredStatements = (): ReadonlyMap<
  string,
  { readonly text: string; readonly placeholder?: Placeholder; readonly params: readonly string[] }
> => declared;

const withoutTextAndComments = (text: string): string =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, ' ')
    .replace(/(^|\s)\/\/[^\n]*/g, ' ')
    .replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`/g, ' ');

const namesIn = (text: string, pattern: RegExp): string[] =>
  [...new Set([...withoutTextAndComments(text).matchAll(pattern)].map((match) => match[1] ?? ''))].sort();

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((x, i) => x === b[i]);

/** Stops the process when a file and its declaration disagree about the parameters. */
const checkDeclaration = (name: string, text: string, params: readonly string[], placeholder?: Placeholder) => {
  const used = namesIn(text, /\$([A-Za-z_]\w*)/g);
  const wanted = [...params].sort();
  if (!same(used, wanted))
    throw new Error(`cypher/${name}.cypher uses $${used.join(', $')}; declared: ${wanted.join(', ')}`);
  const holes = namesIn(text, /\$\{(\w+)\}/g);
  const expected = placeholder ? [placeholder] : [];
  if (!same(holes, expected)) throw new Error(`cypher/${name}.cypher has placeholders ${holes.join(', ')}`);
};

const load = (name: string, shape: Declared, placeholder?: Placeholder): string => {
  const text = readFileSync(join(packageRoot, 'cypher', `${name}.cypher`), 'utf8');
  checkDeclaration(name, text, shape.params, placeholder);
  declared.set(name, placeholder ? { text, placeholder, params: shape.params } : { text, params: shape.params });
  return text;
};

const bind = <P extends object, R extends object>(name: string, text: string, shape: Declared): Bound<P, R> => {
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
    // What a statement returns cannot change while the process runs, so the first row is enough.
    checkColumns: (keys) => {
      if (columnsSeen) return;
      if (!same([...keys].sort(), row))
        throw new Error(`statement ${name} returns ${keys.join(', ')}; declared: ${row.join(', ')}`);
      columnsSeen = true;
    },
  };
};

type Shape<P extends object, R extends object> = {
  readonly params: readonly (keyof P & string)[];
  readonly row: readonly (keyof R & string)[];
};

/** Declares the statement in `cypher/<name>.cypher` with its parameters and the columns it returns. */
export const statement = <P extends object, R extends object>(name: string, shape: Shape<P, R>): Bound<P, R> =>
  bind(name, load(name, shape), shape);

/** Walks go no farther than this, so there are no more statements than that. */
export const DEEPEST = 50;

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The database takes the length of a walk as part of the statement only. */
const isDepth = (value: string): boolean => /^\d{1,2}$/.test(value) && Number(value) <= DEEPEST;

const fits = (placeholder: Placeholder, value: string): boolean =>
  placeholder === 'DEPTH' ? isDepth(value) : NAME.test(value);

/** Declares a statement that exists once per label, edge type or depth. Nothing else is ever put into Cypher text. */
export const template = <P extends object, R extends object>(
  name: string,
  placeholder: Placeholder,
  shape: Shape<P, R>,
): Template<P, R> => {
  const text = load(name, shape, placeholder);
  const filled = new Map<string, Bound<P, R>>();
  return {
    name,
    placeholder,
    for: (value) => {
      const known = filled.get(value);
      if (known) return known;
      if (!fits(placeholder, value)) throw new Error(`${value} is no ${placeholder.toLowerCase()}`);
      const bound = bind<P, R>(`${name}:${value}`, text.replaceAll(`\${${placeholder}}`, value), shape);
      filled.set(value, bound);
      return bound;
    },
  };
};
