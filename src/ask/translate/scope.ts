import type { CatalogError } from '../../errors.ts';
import { nearestOf } from '../../model/nearest.ts';
import { queryFault, type TextPlace } from '../language/query-fault.ts';
import type { Expression, Named, SingleQuery } from '../language/syntax.ts';
import type { GraphView } from '../view.ts';
import type { QueryType, Written } from './value-type.ts';
import type { VisibleNodes } from './visible-nodes.ts';

/** A variable of the query, and the name that it has in the statement. */
export type Variable = { readonly text: string; readonly type: QueryType; readonly size: number };

/** The variables that can be named at a place of the query. */
export type QueryScope = {
  readonly variables: ReadonlyMap<string, Variable>;
  /**
   * Conditions on nodes that the same step of the statement finds. The database may look at the other conditions first,
   * so whatever can fail waits for these.
   */
  readonly guards: readonly string[];
};

export const NO_VARIABLES: QueryScope = { variables: new Map(), guards: [] };

export const withVariable = ({ variables, guards }: QueryScope, name: string, variable: Variable): QueryScope => ({
  variables: new Map([...variables, [name, variable]]),
  guards,
});

/** What is used by a query beyond seeing its nodes. */
export type QueryUse = {
  readonly operations: Set<string>;
  /** The labels of the nodes that patterns may find; `*` when it may be any. */
  readonly labels: Set<string>;
  /** The parameters of the caller that the query names. */
  readonly parameters: Set<string>;
};

/** The statement that is being written, and what it is written for. */
export type Writing = {
  readonly text: string;
  readonly view: GraphView;
  readonly visible: VisibleNodes;
  readonly use: QueryUse;
  readonly given: Readonly<Record<string, unknown>>;
  /** The values of the statement, by name. */
  readonly values: Record<string, unknown>;
  names: number;
  /** How many loops over lists the part that is being written stands in. */
  loops: number;
  /** How many nodes its patterns look for. */
  nodes: number;
  /** The parts of the translation call one another by these. */
  readonly translate: {
    readonly expression: (writing: Writing, scope: QueryScope, expression: Expression) => Written;
    readonly subquery: (writing: Writing, scope: QueryScope, query: SingleQuery) => Omit<Written, 'type' | 'size'>;
    readonly loop: (writing: Writing, scope: QueryScope, expression: Expression) => Written;
  };
};

export const newName = (writing: Writing, prefix = 'v'): string => {
  writing.names += 1;
  return `${prefix}${writing.names}`;
};

/** Hands a value to the statement, and answers how the statement names it. */
export const bindValue = (writing: Writing, value: unknown): string => {
  const name = newName(writing, 'p');
  writing.values[name] = value;
  return `$${name}`;
};

export const faultAt = ({ text }: Writing, place: TextPlace, message: string): CatalogError =>
  queryFault(text, place, message);

/** Says that a name is unknown, and which one was probably meant. */
export const unknownName = (
  writing: Writing,
  { name, place }: Named,
  what: string,
  known: Iterable<string>,
): CatalogError => {
  const nearest = nearestOf(name, [...known]);
  const hint = nearest === undefined ? '' : `. Did you mean ${nearest}?`;
  return faultAt(writing, place, `there is no ${what} ${name.slice(0, 100)}${hint}`);
};

export const findVariable = (writing: Writing, scope: QueryScope, named: Named): Variable => {
  const found = scope.variables.get(named.name);
  if (found === undefined) throw unknownName(writing, named, 'variable', scope.variables.keys());
  return found;
};

/** The value that the caller gave to a parameter. */
export const givenParameter = (writing: Writing, { name, place }: Named): unknown => {
  if (!Object.hasOwn(writing.given, name)) throw faultAt(writing, place, `the parameter ${name} has no value`);
  writing.use.parameters.add(name);
  return writing.given[name];
};
