import type { Dialect } from './dialect.ts';
import { filterByName, formatName, type Identifier, identifierOf, readNameParts } from './identifier.ts';
import { type NameScope, resolveName, type SqlReadContext } from './name-scope.ts';
import {
  combineColumns,
  knownColumnsOf,
  LITERAL_COLUMN,
  type SqlColumn,
  unknownColumnsOf,
  unresolvedColumn,
} from './sql-column.ts';
import { choiceOf, isSyntaxNode, nodeAt, nodeListAt, type SyntaxNode } from './syntax-tree.ts';

/** Members of the tree with names of functions, types and the like, which look like columns. */
const MEMBERS_WITHOUT_COLUMNS = new Set(
  'name data_type field_type collation charset field alias span leading_field last_field unit datetime_field prefix'.split(
    ' ',
  ),
);

const DATE_PART_FUNCTIONS = new Set(
  `date_trunc datetrunc timestamp_trunc datetime_trunc time_trunc trunc last_day next_day dateadd datediff datediff_big
  date_diff timestamp_diff datetime_diff time_diff timestampdiff timestampadd date_add date_sub date_part datepart
  datename date_bucket time_slice extract months_between add_months timediff`.split(/\s+/),
);
const DATE_PARTS = new Set(
  `year years quarter quarters month months week weeks isoweek isoyear day days dayofweek dayofyear dayofweekiso weekday
  weekiso yearofweek yearofweekiso hour hours minute minutes second seconds millisecond milliseconds microsecond
  microseconds nanosecond nanoseconds epoch epoch_second epoch_millisecond decade century millennium date time`.split(
    /\s+/,
  ),
);
const SHORT_DATE_PARTS = new Set(
  'yy yyyy y qq q mm mon m dy dd d wk ww w dw hh h mi n ss s ms mcs us ns dow doy'.split(' '),
);

/** What an expression refers to: columns, whole queries, and unreadable parts. */
type ExpressionColumns = { readonly columns: SqlColumn[]; readonly bound: readonly Identifier[] };

const readPlainWord = (node: unknown): string => {
  const { choice, held } = choiceOf(node);
  const name = choice === 'Identifier' ? identifierOf(held) : undefined;
  return name?.style === 'plain' ? name.text.toLowerCase() : '';
};

const readArgument = (argument: unknown): unknown => {
  const { choice, held } = choiceOf(argument);
  const inner = choice === 'Unnamed' ? held : nodeAt(held)?.['arg'];
  const { choice: kind, held: expression } = choiceOf(inner);
  return kind === 'Expr' ? expression : inner;
};

/** Finds the argument that names a part of a date, as in `DATEADD(day, 1, c)`, because it looks like a column. */
const findDatePart = (name: string, list: readonly unknown[]): unknown => {
  if (!DATE_PART_FUNCTIONS.has(name) || list.length < 2) return undefined;
  const [first, last] = [readArgument(list[0]), readArgument(list.at(-1))];
  const word = readPlainWord(first);
  if (DATE_PARTS.has(word) || (SHORT_DATE_PARTS.has(word) && name !== 'trunc')) return list[0];
  const { choice, held } = choiceOf(last);
  const weekday =
    choice === 'Function' && formatName(readNameParts(nodeAt(held)?.['name']) ?? []).toLowerCase() === 'week';
  return choiceOf(first).choice !== 'Value' && (DATE_PARTS.has(readPlainWord(last)) || weekday)
    ? list.at(-1)
    : undefined;
};

const readFunction = (reading: SqlReadContext, scope: NameScope, held: SyntaxNode, into: ExpressionColumns): void => {
  const name = formatName(readNameParts(held['name']) ?? []).toLowerCase();
  const list = nodeListAt(held, 'args', 'List', 'args');
  // DuckDB's `columns` stands for all columns with a matching name.
  if (name === 'columns' && reading.dialect.name === 'duckdb')
    into.columns.push(unresolvedColumn('COLUMNS', 'unsupported'));
  const part = findDatePart(name, list);
  for (const argument of list) {
    if (argument === part) continue;
    const { choice, held: star } = choiceOf(argument);
    const inner = choiceOf(choice === 'Unnamed' ? star : argument).choice;
    const whole = inner === 'Wildcard' || inner === 'QualifiedWildcard';
    if (whole && name !== 'count') into.columns.push(unresolvedColumn(`${name}(*)`, 'unsupported'));
    else if (!whole) readNode(reading, scope, argument, into);
  }
  readNode(reading, scope, nodeAt(held, 'args', 'List')?.['clauses'], into);
  const { choice, held: query } = choiceOf(held['args']);
  if (choice === 'Subquery' && isSyntaxNode(query)) into.columns.push(readSubqueryColumn(reading, scope, query));
  for (const member of ['parameters', 'filter', 'within_group']) readNode(reading, scope, held[member], into);
  const over = choiceOf(held['over']);
  const window = over.choice === 'NamedWindow' ? identifierOf(over.held) : undefined;
  if (window) readNode(reading, scope, findWindow(reading, scope, window), into);
  else readNode(reading, scope, over.held, into);
};

const findWindow = (reading: SqlReadContext, scope: NameScope, name: Identifier): unknown => {
  const [window] = filterByName(scope.windows, name, (one) => one.name, reading.dialect);
  const { choice, held } = choiceOf(window?.node);
  return choice === 'WindowSpec' ? held : undefined;
};

/** Reads a scalar subquery: its value comes from the columns it yields, not from those it filters by. */
const readSubqueryColumn = (reading: SqlReadContext, scope: NameScope, query: SyntaxNode): SqlColumn => {
  const parts = reading.query(reading, query, scope, scope.named);
  if (unknownColumnsOf(parts).length > 0) return unresolvedColumn('*', 'unknown columns');
  return combineColumns(knownColumnsOf(parts), undefined);
};

const lambdaParameters = (lambda: SyntaxNode): readonly Identifier[] => {
  const { held } = choiceOf(lambda['params']);
  const list = Array.isArray(held) ? held : [held];
  return list
    .map((one: unknown) => identifierOf(nodeAt(one)?.['name']) ?? identifierOf(one))
    .filter((one) => one !== undefined);
};

/** Returns the parameter names of a lambda when the grammar read its arrow as an operator. */
const arrowParameters = (node: unknown): readonly Identifier[] => {
  const { choice, held } = choiceOf(node);
  const inner = choice === 'Tuple' ? held : [choice === 'Nested' ? held : node];
  const list = Array.isArray(inner) ? inner : [];
  return list.map((one: unknown) => identifierOf(choiceOf(one).held)).filter((one) => one !== undefined);
};

const withBoundNames = (into: ExpressionColumns, names: readonly Identifier[]): ExpressionColumns => ({
  columns: into.columns,
  bound: [...into.bound, ...names],
});

/** Returns the name at the start of a chain such as `(t.address).city`, and the steps that are no names. */
const readAccessChain = (
  held: SyntaxNode,
): { readonly parts: readonly Identifier[] | undefined; readonly steps: readonly unknown[] } => {
  let root = choiceOf(held['root']);
  while (root.choice === 'Nested') root = choiceOf(root.held);
  const start = root.choice === 'Identifier' ? readNameParts([root.held]) : readNameParts(root.held);
  if (start === undefined || !/Identifier$/.test(root.choice))
    return { parts: undefined, steps: nodeListAt(held, 'access_chain') };
  const chain = nodeListAt(held, 'access_chain');
  const names: Identifier[] = [];
  for (const step of chain) {
    const name = identifierOf(nodeAt(step, 'Dot')?.['Identifier']);
    if (name === undefined) break;
    names.push(name);
  }
  return { parts: [...start, ...names], steps: chain.slice(names.length) };
};

const addReference = (
  reading: SqlReadContext,
  scope: NameScope,
  parts: readonly Identifier[],
  into: ExpressionColumns,
): void => {
  const [first] = parts;
  if (first === undefined || filterByName(into.bound, first, (one) => one, reading.dialect).length > 0) return;
  into.columns.push(resolveName(reading, scope, parts));
};

type NodeReader = (reading: SqlReadContext, scope: NameScope, held: unknown, into: ExpressionColumns) => void;

const readSubquery: NodeReader = (reading, scope, held, into) => {
  if (isSyntaxNode(held)) into.columns.push(readSubqueryColumn(reading, scope, held));
};

const readNothing: NodeReader = () => undefined;

const NODE_READERS: Readonly<Record<string, NodeReader>> = {
  Identifier: (reading, scope, held, into) => {
    // Some grammars parse a double-quoted text as a name.
    const isText = reading.dialect.doubleQuotedText && isSyntaxNode(held) && held['quote_style'] === '"';
    if (!isText) addReference(reading, scope, readNameParts([held]) ?? [], into);
  },
  CompoundIdentifier: (reading, scope, held, into) => addReference(reading, scope, readNameParts(held) ?? [], into),
  CompoundFieldAccess: (reading, scope, held, into) => {
    if (!isSyntaxNode(held)) return;
    const { parts, steps } = readAccessChain(held);
    if (parts) addReference(reading, scope, parts, into);
    else readNode(reading, scope, held['root'], into);
    for (const step of steps) readNode(reading, scope, nodeAt(step)?.['Subscript'], into);
  },
  Function: (reading, scope, held, into) => {
    if (isSyntaxNode(held)) readFunction(reading, scope, held, into);
  },
  Lambda: (reading, scope, held, into) => {
    if (isSyntaxNode(held)) readNode(reading, scope, held['body'], withBoundNames(into, lambdaParameters(held)));
  },
  BinaryOp: (reading, scope, held, into) => {
    if (!isSyntaxNode(held)) return;
    const lambda = held['op'] === 'Arrow' && reading.dialect.arrow === 'function';
    if (!lambda) readNode(reading, scope, held['left'], into);
    readNode(reading, scope, held['right'], lambda ? withBoundNames(into, arrowParameters(held['left'])) : into);
  },
  Subquery: readSubquery,
  InSubquery: (reading, scope, held, into) => {
    if (!isSyntaxNode(held)) return;
    readNode(reading, scope, held['expr'], into);
    readSubquery(reading, scope, held['subquery'], into);
  },
  // EXISTS only filters, so no value comes from its columns.
  Exists: readNothing,
  Value: (reading, _scope, held, into) => {
    const { choice, held: value } = choiceOf(nodeAt(held)?.['value'] ?? held);
    const place = choice === 'Placeholder' && typeof value === 'string' && /^\$\d+$/.test(value) ? value : undefined;
    if (place && reading.dialect.name === 'snowflake') into.columns.push(unresolvedColumn(place, 'unsupported'));
  },
  TypedString: readNothing,
};

const readNode: NodeReader = (reading, scope, node, into) => {
  if (Array.isArray(node)) {
    for (const one of node) readNode(reading, scope, one, into);
    return;
  }
  if (!isSyntaxNode(node)) return;
  for (const [member, held] of Object.entries(node)) {
    const reader = Object.hasOwn(NODE_READERS, member) ? NODE_READERS[member] : undefined;
    if (reader) reader(reading, scope, held, into);
    else if (!MEMBERS_WITHOUT_COLUMNS.has(member)) readNode(reading, scope, held, into);
  }
};

/** Returns the name of an expression that is a bare column. */
const columnNameOf = (node: unknown): readonly Identifier[] | undefined => {
  const { choice, held } = choiceOf(node);
  if (choice === 'Nested') return columnNameOf(held);
  if (choice === 'Identifier') return readNameParts([held]);
  if (choice === 'CompoundIdentifier') return readNameParts(held);
  const chain = choice === 'CompoundFieldAccess' && isSyntaxNode(held) ? readAccessChain(held) : undefined;
  return chain?.steps.length === 0 ? chain.parts : undefined;
};

/** Returns the default name of a column without alias, when the dialect defines it unambiguously. */
export const defaultNameOf = (node: unknown, dialect: Dialect): Identifier | undefined => {
  const name = columnNameOf(node)?.at(-1);
  if (name) return name;
  const { choice, held } = choiceOf(node);
  if (choice === 'CompoundFieldAccess') {
    return identifierOf(nodeAt(nodeListAt(held, 'access_chain').at(-1), 'Dot')?.['Identifier']);
  }
  if (!dialect.namesByFunction) return undefined;
  if (choice === 'Function') return readNameParts(nodeAt(held)?.['name'])?.at(-1);
  return choice === 'Cast' ? defaultNameOf(nodeAt(held)?.['expr'], dialect) : undefined;
};

/** Reads the origins of an expression; the text is stored unless the expression is a bare column. */
export const readExpression = (
  reading: SqlReadContext,
  scope: NameScope,
  node: unknown,
  textOf: () => string | undefined,
): SqlColumn => {
  const into: ExpressionColumns = { columns: [], bound: [] };
  readNode(reading, scope, node, into);
  if (into.columns.length === 0) return LITERAL_COLUMN;
  const [column] = into.columns;
  if (columnNameOf(node) && column) return column;
  reading.spend(into.columns.reduce((sum, one) => sum + one.derivations.length + 1, 0));
  return combineColumns(into.columns, textOf());
};
