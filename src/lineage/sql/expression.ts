import { type Column, columnsOf, combined, NOTHING, restsOf, unresolvedColumn } from './column.ts';
import type { Dialect } from './dialect.ts';
import { type Identifier, identifierOf, named, partsOf, written } from './name.ts';
import { lookUp, type Reading, type Scope } from './scope.ts';
import { choiceOf, isNode, listAt, type Node, nodeAt } from './tree.ts';

/** Members of the tree that hold names of functions, types and the like, written as columns are. */
const NO_COLUMNS = new Set(
  'name data_type field_type collation charset field alias span leading_field last_field unit datetime_field prefix'.split(
    ' ',
  ),
);

const PART_FUNCTIONS = new Set(
  `date_trunc datetrunc timestamp_trunc datetime_trunc time_trunc trunc last_day next_day dateadd datediff datediff_big
  date_diff timestamp_diff datetime_diff time_diff timestampdiff timestampadd date_add date_sub date_part datepart
  datename date_bucket time_slice extract months_between add_months timediff`.split(/\s+/),
);
const PARTS = new Set(
  `year years quarter quarters month months week weeks isoweek isoyear day days dayofweek dayofyear dayofweekiso weekday
  weekiso yearofweek yearofweekiso hour hours minute minutes second seconds millisecond milliseconds microsecond
  microseconds nanosecond nanoseconds epoch epoch_second epoch_millisecond decade century millennium date time`.split(
    /\s+/,
  ),
);
const SHORT_PARTS = new Set(
  'yy yyyy y qq q mm mon m dy dd d wk ww w dw hh h mi n ss s ms mcs us ns dow doy'.split(' '),
);

/** What an expression names: columns, whole queries, and what cannot be read. */
type Contents = { readonly columns: Column[]; readonly bound: readonly Identifier[] };

const plainWord = (node: unknown): string => {
  const { choice, held } = choiceOf(node);
  const name = choice === 'Identifier' ? identifierOf(held) : undefined;
  return name?.style === 'plain' ? name.text.toLowerCase() : '';
};

const argumentOf = (argument: unknown): unknown => {
  const { choice, held } = choiceOf(argument);
  const inner = choice === 'Unnamed' ? held : nodeAt(held)?.['arg'];
  const { choice: kind, held: expression } = choiceOf(inner);
  return kind === 'Expr' ? expression : inner;
};

/** The argument of a function that names a part of a date, as in `DATEADD(day, 1, c)`: it looks like a column. */
const datePart = (name: string, list: readonly unknown[]): unknown => {
  if (!PART_FUNCTIONS.has(name) || list.length < 2) return undefined;
  const [first, last] = [argumentOf(list[0]), argumentOf(list.at(-1))];
  const word = plainWord(first);
  if (PARTS.has(word) || (SHORT_PARTS.has(word) && name !== 'trunc')) return list[0];
  const { choice, held } = choiceOf(last);
  const weekday = choice === 'Function' && written(partsOf(nodeAt(held)?.['name']) ?? []).toLowerCase() === 'week';
  return choiceOf(first).choice !== 'Value' && (PARTS.has(plainWord(last)) || weekday) ? list.at(-1) : undefined;
};

const functionIn = (reading: Reading, scope: Scope, held: Node, into: Contents): void => {
  const name = written(partsOf(held['name']) ?? []).toLowerCase();
  const list = listAt(held, 'args', 'List', 'args');
  // It stands for all columns whose names match.
  if (name === 'columns' && reading.dialect.name === 'duckdb')
    into.columns.push(unresolvedColumn('COLUMNS', 'unsupported'));
  const part = datePart(name, list);
  for (const argument of list) {
    if (argument === part) continue;
    const { choice, held: star } = choiceOf(argument);
    const inner = choiceOf(choice === 'Unnamed' ? star : argument).choice;
    const whole = inner === 'Wildcard' || inner === 'QualifiedWildcard';
    if (whole && name !== 'count') into.columns.push(unresolvedColumn(`${name}(*)`, 'unsupported'));
    else if (!whole) read(reading, scope, argument, into);
  }
  read(reading, scope, nodeAt(held, 'args', 'List')?.['clauses'], into);
  const { choice, held: query } = choiceOf(held['args']);
  if (choice === 'Subquery' && isNode(query)) into.columns.push(ofQuery(reading, scope, query));
  for (const member of ['parameters', 'filter', 'within_group']) read(reading, scope, held[member], into);
  const over = choiceOf(held['over']);
  const window = over.choice === 'NamedWindow' ? identifierOf(over.held) : undefined;
  if (window) read(reading, scope, windowNamed(reading, scope, window), into);
  else read(reading, scope, over.held, into);
};

const windowNamed = (reading: Reading, scope: Scope, name: Identifier): unknown => {
  const [window] = named(scope.windows, name, (one) => one.name, reading.dialect);
  const { choice, held } = choiceOf(window?.node);
  return choice === 'WindowSpec' ? held : undefined;
};

/** A query that stands for a value: what it yields, whatever it filters by. */
const ofQuery = (reading: Reading, scope: Scope, query: Node): Column => {
  const parts = reading.query(reading, query, scope, scope.named);
  if (restsOf(parts).length > 0) return unresolvedColumn('*', 'unknown columns');
  return combined(columnsOf(parts), undefined);
};

const boundBy = (lambda: Node): readonly Identifier[] => {
  const { held } = choiceOf(lambda['params']);
  const list = Array.isArray(held) ? held : [held];
  return list
    .map((one: unknown) => identifierOf(nodeAt(one)?.['name']) ?? identifierOf(one))
    .filter((one) => one !== undefined);
};

/** The names before the arrow of a function without a name, where the grammar took the arrow for an operator. */
const arrowNames = (node: unknown): readonly Identifier[] => {
  const { choice, held } = choiceOf(node);
  const inner = choice === 'Tuple' ? held : [choice === 'Nested' ? held : node];
  const list = Array.isArray(inner) ? inner : [];
  return list.map((one: unknown) => identifierOf(choiceOf(one).held)).filter((one) => one !== undefined);
};

const binding = (into: Contents, names: readonly Identifier[]): Contents => ({
  columns: into.columns,
  bound: [...into.bound, ...names],
});

/** The name that a chain of steps such as `(t.address).city` begins with, and the steps that are no names. */
const chainOf = (
  held: Node,
): { readonly parts: readonly Identifier[] | undefined; readonly steps: readonly unknown[] } => {
  let root = choiceOf(held['root']);
  while (root.choice === 'Nested') root = choiceOf(root.held);
  const start = root.choice === 'Identifier' ? partsOf([root.held]) : partsOf(root.held);
  if (start === undefined || !/Identifier$/.test(root.choice))
    return { parts: undefined, steps: listAt(held, 'access_chain') };
  const chain = listAt(held, 'access_chain');
  const names: Identifier[] = [];
  for (const step of chain) {
    const name = identifierOf(nodeAt(step, 'Dot')?.['Identifier']);
    if (name === undefined) break;
    names.push(name);
  }
  return { parts: [...start, ...names], steps: chain.slice(names.length) };
};

const refer = (reading: Reading, scope: Scope, parts: readonly Identifier[], into: Contents): void => {
  const [first] = parts;
  if (first === undefined || named(into.bound, first, (one) => one, reading.dialect).length > 0) return;
  into.columns.push(lookUp(reading, scope, parts));
};

type Reader = (reading: Reading, scope: Scope, held: unknown, into: Contents) => void;

const subquery: Reader = (reading, scope, held, into) => {
  if (isNode(held)) into.columns.push(ofQuery(reading, scope, held));
};

const nothing: Reader = () => undefined;

const READERS: Readonly<Record<string, Reader>> = {
  Identifier: (reading, scope, held, into) => {
    // Some grammars read a text in double quotes as a name.
    const isText = reading.dialect.doubleQuotedText && isNode(held) && held['quote_style'] === '"';
    if (!isText) refer(reading, scope, partsOf([held]) ?? [], into);
  },
  CompoundIdentifier: (reading, scope, held, into) => refer(reading, scope, partsOf(held) ?? [], into),
  CompoundFieldAccess: (reading, scope, held, into) => {
    if (!isNode(held)) return;
    const { parts, steps } = chainOf(held);
    if (parts) refer(reading, scope, parts, into);
    else read(reading, scope, held['root'], into);
    for (const step of steps) read(reading, scope, nodeAt(step)?.['Subscript'], into);
  },
  Function: (reading, scope, held, into) => {
    if (isNode(held)) functionIn(reading, scope, held, into);
  },
  Lambda: (reading, scope, held, into) => {
    if (isNode(held)) read(reading, scope, held['body'], binding(into, boundBy(held)));
  },
  BinaryOp: (reading, scope, held, into) => {
    if (!isNode(held)) return;
    const lambda = held['op'] === 'Arrow' && reading.dialect.arrow === 'function';
    if (!lambda) read(reading, scope, held['left'], into);
    read(reading, scope, held['right'], lambda ? binding(into, arrowNames(held['left'])) : into);
  },
  Subquery: subquery,
  InSubquery: (reading, scope, held, into) => {
    if (!isNode(held)) return;
    read(reading, scope, held['expr'], into);
    subquery(reading, scope, held['subquery'], into);
  },
  // Whether rows exist is a filter; no column's values come from it.
  Exists: nothing,
  Value: (reading, _scope, held, into) => {
    const { choice, held: value } = choiceOf(nodeAt(held)?.['value'] ?? held);
    const place = choice === 'Placeholder' && typeof value === 'string' && /^\$\d+$/.test(value) ? value : undefined;
    if (place && reading.dialect.name === 'snowflake') into.columns.push(unresolvedColumn(place, 'unsupported'));
  },
  TypedString: nothing,
};

const read: Reader = (reading, scope, node, into) => {
  if (Array.isArray(node)) {
    for (const one of node) read(reading, scope, one, into);
    return;
  }
  if (!isNode(node)) return;
  for (const [member, held] of Object.entries(node)) {
    const reader = Object.hasOwn(READERS, member) ? READERS[member] : undefined;
    if (reader) reader(reading, scope, held, into);
    else if (!NO_COLUMNS.has(member)) read(reading, scope, held, into);
  }
};

/** The name of an expression that is nothing but a column. */
const plainName = (node: unknown): readonly Identifier[] | undefined => {
  const { choice, held } = choiceOf(node);
  if (choice === 'Nested') return plainName(held);
  if (choice === 'Identifier') return partsOf([held]);
  if (choice === 'CompoundIdentifier') return partsOf(held);
  const chain = choice === 'CompoundFieldAccess' && isNode(held) ? chainOf(held) : undefined;
  return chain?.steps.length === 0 ? chain.parts : undefined;
};

/** The name that a column has when nobody gives it one, where the dialect has a rule that needs no guessing. */
export const ownName = (node: unknown, dialect: Dialect): Identifier | undefined => {
  const name = plainName(node)?.at(-1);
  if (name) return name;
  const { choice, held } = choiceOf(node);
  if (choice === 'CompoundFieldAccess') {
    return identifierOf(nodeAt(listAt(held, 'access_chain').at(-1), 'Dot')?.['Identifier']);
  }
  if (!dialect.namesByFunction) return undefined;
  if (choice === 'Function') return partsOf(nodeAt(held)?.['name'])?.at(-1);
  return choice === 'Cast' ? ownName(nodeAt(held)?.['expr'], dialect) : undefined;
};

/** What an expression comes from; its text goes along unless it is nothing but a column. */
export const columnOf = (reading: Reading, scope: Scope, node: unknown, textOf: () => string | undefined): Column => {
  const into: Contents = { columns: [], bound: [] };
  read(reading, scope, node, into);
  if (into.columns.length === 0) return NOTHING;
  const [column] = into.columns;
  if (plainName(node) && column) return column;
  reading.spend(into.columns.reduce((sum, one) => sum + one.derivations.length + 1, 0));
  return combined(into.columns, textOf());
};
