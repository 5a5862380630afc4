import type {
  Clause,
  Expression,
  Projection,
  ProjectionItem,
  Query,
  SingleQuery,
  SortItem,
} from '../language/syntax.ts';
import type { GraphView } from '../view.ts';
import { writeWhole } from './graph-values.ts';
import {
  bindValue,
  faultAt,
  givenParameter,
  NO_VARIABLES,
  newName,
  type QueryScope,
  type QueryUse,
  type Variable,
  type Writing,
  withVariable,
} from './scope.ts';
import type { QueryType, Written } from './value-type.ts';
import type { VisibleNodes } from './visible-nodes.ts';
import { toStatementValue, writeExpression } from './write-expression.ts';
import { writeLoop } from './write-loop.ts';
import { waitForGuards, writeMatch } from './write-match.ts';

/**
 * Writes the statement of a query. Read this file first, then `write-match.ts` (patterns), `write-expression.ts` with
 * `write-call.ts` and `write-loop.ts`, `graph-values.ts` (properties), and `visible-nodes.ts` (what the caller may see).
 * Nothing of the query's text is copied: labels, edges, properties and functions are those of the view, variables get
 * names of their own, and values become parameters.
 */

export type QueryColumn = { readonly title: string; readonly type: QueryType };

export type QueryStatement = {
  readonly text: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** The columns, in order; the statement names them c0, c1 and so on. */
  readonly columns: readonly QueryColumn[];
  readonly use: QueryUse;
};

type Part = {
  readonly text: string;
  readonly scope: QueryScope;
  readonly isSafe: boolean;
  /** Whether a subquery cannot end with it. */
  readonly needsEnd: boolean;
};

/** What a projection names, with what it was computed from. */
type ProjectedItem = {
  readonly title: string;
  readonly source: Expression;
  readonly variable: Variable;
  readonly text: string;
  readonly isSafe: boolean;
};

const withoutPlaces = (value: unknown): unknown =>
  JSON.stringify(value, (key, one: unknown) => (key === 'place' ? undefined : one));

const nameItem = (writing: Writing, scope: QueryScope, item: ProjectionItem, needsAlias: boolean): ProjectedItem => {
  const { value, alias, title } = item;
  if (needsAlias && alias === undefined && value.is !== 'variable')
    throw faultAt(writing, value.place, 'WITH needs a name for this: AS name');
  const written = writing.translate.expression(writing, scope, value);
  const isItself = value.is === 'variable' && (alias === undefined || alias.name === value.name);
  const name = isItself ? written.text : newName(writing);
  return {
    title: alias?.name ?? (value.is === 'variable' ? value.name : title),
    source: value,
    variable: { text: name, type: written.type, size: written.size },
    text: isItself ? name : `${written.text} AS ${name}`,
    isSafe: written.isSafe,
  };
};

const nameAll = (scope: QueryScope): readonly ProjectedItem[] =>
  [...scope.variables].map(([title, variable]) => ({
    title,
    source: { is: 'variable', name: title, place: 0 },
    variable,
    text: variable.text,
    isSafe: true,
  }));

const nameItems = (
  writing: Writing,
  scope: QueryScope,
  projection: Projection,
  needsAlias: boolean,
): readonly ProjectedItem[] => {
  const { takesAll, items, place } = projection;
  const all = [...(takesAll ? nameAll(scope) : []), ...items.map((item) => nameItem(writing, scope, item, needsAlias))];
  if (all.length === 0) throw faultAt(writing, place, 'there is nothing to take');
  const titles = all.map(({ title }) => title);
  const twice = titles.find((title, at) => titles.indexOf(title) !== at);
  if (twice !== undefined) throw faultAt(writing, place, `two columns have the name ${twice.slice(0, 100)}`);
  return all;
};

const writeOrder = (
  writing: Writing,
  scope: QueryScope,
  named: readonly ProjectedItem[],
  order: readonly SortItem[],
): string => {
  if (order.length === 0) return '';
  const items = order.map(({ value, isDescending }) => {
    const same = named.find(({ source }) => withoutPlaces(source) === withoutPlaces(value));
    const text = same?.variable.text ?? writing.translate.expression(writing, scope, value).text;
    return `${text}${isDescending ? ' DESC' : ''}`;
  });
  return ` ORDER BY ${items.join(', ')}`;
};

const writeCount = (writing: Writing, word: 'SKIP' | 'LIMIT', expression: Expression | undefined): string => {
  if (expression === undefined) return '';
  const value =
    expression.is === 'literal'
      ? expression.value
      : expression.is === 'parameter' && givenParameter(writing, expression);
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw faultAt(writing, expression.place, `${word} takes a whole number, from a parameter if need be`);
  return ` ${word} ${bindValue(writing, toStatementValue(value))}`;
};

type Projected = Omit<Part, 'needsEnd'> & {
  readonly named: readonly ProjectedItem[];
  readonly hasOrder: boolean;
  readonly hasLimit: boolean;
};

const writeProjection = (
  writing: Writing,
  scope: QueryScope,
  projection: Projection,
  needsAlias: boolean,
): Projected => {
  const named = nameItems(writing, scope, projection, needsAlias);
  const projected = named.reduce((known, { title, variable }) => withVariable(known, title, variable), NO_VARIABLES);
  const sorting: QueryScope = { variables: new Map([...scope.variables, ...projected.variables]), guards: [] };
  const order = writeOrder(writing, sorting, named, projection.order);
  const [skip, limit] = [writeCount(writing, 'SKIP', projection.skip), writeCount(writing, 'LIMIT', projection.limit)];
  const items = named.map(({ text }) => text).join(', ');
  return {
    text: `${projection.isDistinct ? 'DISTINCT ' : ''}${items}${order}${skip}${limit}`,
    scope: projected,
    named,
    isSafe: named.every(({ isSafe }) => isSafe) && order === '',
    hasOrder: order !== '',
    hasLimit: limit !== '',
  };
};

/** Conditions on the nodes that a WITH hands on: the database might test what comes behind it before it has found them. */
const guardsOf = ({ visible }: Writing, { variables }: QueryScope): readonly string[] =>
  [...variables.values()].flatMap(({ text, type }) => {
    const where = type.is === 'node' ? visible.bind(text, type.labels).where : [];
    return where.length === 0 ? [] : [`(${text} IS NULL OR (${where.join(' AND ')}))`];
  });

const writeWith = (writing: Writing, scope: QueryScope, clause: Extract<Clause, { is: 'with' }>): Part => {
  const { text, scope: behind, isSafe } = writeProjection(writing, scope, clause.projection, true);
  if (clause.where === undefined) return { text: `WITH ${text}`, scope: behind, isSafe, needsEnd: true };
  const where = writing.translate.expression(writing, behind, clause.where);
  const mayTell = writing.visible.isRestricted && !where.isSafe;
  const condition = mayTell ? waitForGuards(guardsOf(writing, behind), where.text) : where.text;
  return { text: `WITH ${text} WHERE ${condition}`, scope: behind, isSafe: isSafe && where.isSafe, needsEnd: true };
};

const writeUnwind = (writing: Writing, scope: QueryScope, { list, item }: Extract<Clause, { is: 'unwind' }>): Part => {
  const written = writing.translate.expression(writing, scope, list);
  const { type } = written;
  if (type.is !== 'list' && type.is !== 'plain' && type.is !== 'nothing')
    throw faultAt(writing, list.place, `this is not a list but a ${type.is}`);
  if (scope.variables.has(item.name)) throw faultAt(writing, item.place, `${item.name} has a meaning already`);
  const name = newName(writing);
  const variable = { text: name, type: type.is === 'list' ? type.of : type, size: written.size };
  return {
    text: `UNWIND ${written.text} AS ${name}`,
    scope: { ...withVariable(scope, item.name, variable), guards: [] },
    isSafe: written.isSafe && type.is === 'list',
    needsEnd: true,
  };
};

const writeClause = (writing: Writing, scope: QueryScope, clause: Clause): Part => {
  if (clause.is === 'match') return writeMatch(writing, scope, clause);
  if (clause.is === 'with') return writeWith(writing, scope, clause);
  if (clause.is === 'unwind') return writeUnwind(writing, scope, clause);
  throw new Error('RETURN is written by those who know where its rows go');
};

const writeClauses = (
  writing: Writing,
  scope: QueryScope,
  clauses: readonly Clause[],
): Omit<Part, 'text'> & { readonly text: readonly string[] } => {
  const text: string[] = [];
  let [behind, isSafe, needsEnd] = [scope, true, true];
  for (const clause of clauses) {
    const part = writeClause(writing, behind, clause);
    text.push(part.text);
    behind = part.scope;
    isSafe &&= part.isSafe;
    needsEnd = part.needsEnd;
  }
  return { text, scope: behind, isSafe, needsEnd };
};

/** Writes what stands in the braces of a subquery: its rows are counted, and their values go nowhere. */
const writeSubquery = (
  writing: Writing,
  scope: QueryScope,
  { clauses }: SingleQuery,
): Omit<Written, 'type' | 'size'> => {
  const last = clauses.at(-1);
  const before = writeClauses(writing, scope, last?.is === 'return' ? clauses.slice(0, -1) : clauses);
  if (last?.is !== 'return') {
    return {
      text: [...before.text, ...(before.needsEnd ? [`RETURN 1 AS ${newName(writing)}`] : [])].join(' '),
      isSafe: before.isSafe,
    };
  }
  if (last.projection.takesAll) throw faultAt(writing, last.place, 'a subquery answers what it names');
  const { text, isSafe } = writeProjection(writing, before.scope, last.projection, false);
  return { text: [...before.text, `RETURN ${text}`].join(' '), isSafe: before.isSafe && isSafe };
};

type WrittenPart = { readonly text: string; readonly columns: readonly QueryColumn[] };

const writePart = (writing: Writing, { clauses }: SingleQuery, most: string): WrittenPart => {
  const before = writeClauses(writing, NO_VARIABLES, clauses.slice(0, -1));
  const last = clauses.at(-1);
  if (last?.is !== 'return') throw new Error('a query ends with RETURN');
  const { text, named, hasOrder, hasLimit } = writeProjection(writing, before.scope, last.projection, false);
  // Without a limit of its own, an order is only kept where it is needed for the first rows.
  const limit = hasOrder && !hasLimit ? ` LIMIT ${most}` : '';
  const columns = named.map(({ variable }, at) => `${writeWhole(writing, variable.text, variable.type)} AS c${at}`);
  return {
    text: [...before.text, `WITH ${text}${limit}`, `RETURN ${columns.join(', ')}`].join(' '),
    columns: named.map(({ title, variable }) => ({ title, type: variable.type })),
  };
};

const titlesOf = (columns: readonly QueryColumn[]): string => columns.map(({ title }) => title).join(', ');

const checkColumns = (writing: Writing, { parts }: Query, written: readonly WrittenPart[]): readonly QueryColumn[] => {
  const [first, ...others] = written;
  const columns = first?.columns ?? [];
  const at = others.findIndex((one) => titlesOf(one.columns) !== titlesOf(columns));
  if (at < 0) return columns;
  const wanted = titlesOf(columns).slice(0, 200);
  throw faultAt(writing, parts[at + 1]?.place ?? 0, `all parts of a UNION return the same columns: ${wanted}`);
};

const MAX_COLUMNS = 200;

export type QueryInput = {
  readonly text: string;
  readonly query: Query;
  readonly given: Readonly<Record<string, unknown>>;
  readonly view: GraphView;
  readonly visible: VisibleNodes;
  /** The number of rows that the statement answers at most. */
  readonly most: number;
};

/** Writes the statement. Throws bad_request with the place of what is unknown or not allowed. */
export const writeQuery = ({ text, query, given, view, visible, most }: QueryInput): QueryStatement => {
  const use: QueryUse = { operations: new Set(), labels: new Set(), parameters: new Set() };
  const translate = { expression: writeExpression, subquery: writeSubquery, loop: writeLoop };
  const writing: Writing = { text, view, visible, use, given, values: {}, names: 0, loops: 0, nodes: 0, translate };
  const limit = bindValue(writing, BigInt(most));
  const written = query.parts.map((part) => writePart(writing, part, limit));
  const columns = checkColumns(writing, query, written);
  if (columns.length > MAX_COLUMNS) throw faultAt(writing, 0, `a query returns at most ${MAX_COLUMNS} columns`);
  const [first] = written;
  if (written.length === 1) return { text: `${first?.text} LIMIT ${limit}`, values: writing.values, columns, use };
  const names = columns.map((_, at) => `c${at}`).join(', ');
  const union = written.map((part) => part.text).join(query.keepsDuplicates ? ' UNION ALL ' : ' UNION ');
  return { text: `CALL () { ${union} } RETURN ${names} LIMIT ${limit}`, values: writing.values, columns, use };
};
