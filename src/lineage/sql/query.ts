import { readExpression } from './expression.ts';
import { findTable, readFrom, readTableAlias } from './from-clause.ts';
import { filterByName, type Identifier, identifierOf, isSameName } from './identifier.ts';
import { createNameScope, type NamedQuery, type NameScope, type SqlReadContext } from './name-scope.ts';
import { missingColumns, readSelectList, renameColumns } from './select-list.ts';
import { createBracketTexts } from './source-text.ts';
import {
  countOrigins,
  isUnknownColumns,
  knownColumnsOf,
  renameColumn,
  type SqlColumn,
  unclearColumns,
  uniteColumns,
  type YieldedColumns,
  type YieldPart,
} from './sql-column.ts';
import { choiceOf, isSyntaxNode, nodeAt, nodeListAt, type SyntaxNode } from './syntax-tree.ts';

/** Dialects in which WITH may be recursive without the word RECURSIVE. */
export const ALWAYS_RECURSIVE = new Set(['mssql', 'oracle', 'snowflake', 'teradata']);

/** The maximum number of rounds after which a recursive query has passed all its columns to itself. */
const MAX_ROUNDS = 50;

const mentionsTable = (node: unknown, name: Identifier, reading: SqlReadContext): boolean => {
  if (Array.isArray(node)) return node.some((one) => mentionsTable(one, name, reading));
  if (!isSyntaxNode(node)) return false;
  const table = nodeAt(node, 'Table');
  const [first, ...more] = nodeListAt(table, 'name');
  const own = more.length === 0 ? identifierOf(nodeAt(first)?.['Identifier']) : undefined;
  if (own && isSameName(own, name, reading.dialect)) return true;
  return Object.values(node).some((held) => mentionsTable(held, name, reading));
};

type QueryBody = { readonly choice: string; readonly held: unknown };

/** Returns the queries whose rows a set operation yields, from left to right; the right side of EXCEPT yields none. */
const branchesOf = (body: QueryBody): readonly QueryBody[] => {
  const branches: QueryBody[] = [];
  const waiting: QueryBody[] = [body];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { choice, held } = next;
    if (choice !== 'SetOperation' || !isSyntaxNode(held) || isByName(held)) {
      branches.push(next);
      continue;
    }
    if (/^(Union|Intersect)$/.test(choiceOf(held['op']).choice)) waiting.push(choiceOf(held['right']));
    waiting.push(choiceOf(held['left']));
  }
  return branches;
};

const isByName = (operation: SyntaxNode): boolean => /ByName/.test(choiceOf(operation['set_quantifier']).choice);

const knownLength = (parts: YieldedColumns): number => {
  const first = parts.findIndex(isUnknownColumns);
  return first === -1 ? parts.length : first;
};

/** Merges the column lists of several queries by position; the first query names the columns. */
const stackBranches = (reading: SqlReadContext, branches: readonly YieldedColumns[]): YieldedColumns => {
  const [first = [], ...others] = branches;
  if (others.length === 0) return first;
  const closed = branches.every((parts) => knownLength(parts) === parts.length);
  if (closed && others.some((parts) => parts.length !== first.length)) return [missingColumns('UNION', 'column count')];
  const clear = Math.min(...branches.map(knownLength));
  const columns: YieldPart[] = [];
  for (let index = 0; index < clear; index += 1) {
    reading.spend(branches.length);
    const same = branches
      .map((parts) => parts[index])
      .filter((part): part is SqlColumn => part !== undefined && !isUnknownColumns(part));
    columns.push(uniteColumns(same, same[0]?.name));
  }
  return closed ? columns : [...columns, missingColumns('*', 'unknown columns')];
};

const stackByName = (reading: SqlReadContext, left: YieldedColumns, right: YieldedColumns): YieldedColumns => {
  if ([...left, ...right].some(isUnknownColumns)) return [missingColumns('*', 'unknown columns')];
  const more = [...knownColumnsOf(right)];
  const both = knownColumnsOf(left).map((column) => {
    reading.spend(1 + more.length);
    const [same] = column.name ? filterByName(more, column.name, (other) => other.name, reading.dialect) : [];
    if (same === undefined) return column;
    more.splice(more.indexOf(same), 1);
    return uniteColumns([column, same], column.name);
  });
  return [...both, ...more];
};

const readValues = (
  reading: SqlReadContext,
  held: unknown,
  outer: NameScope | undefined,
  names: NamedQuery | undefined,
): YieldedColumns => {
  const scope = createNameScope([], outer, names);
  const rows = nodeListAt(held, 'rows').map((row) => {
    const cells = Array.isArray(row) ? row : nodeListAt(row, 'content');
    const textOf = createBracketTexts(reading.tokens, nodeAt(row)?.['opening_token']);
    return cells.map((cell: unknown, index) => {
      reading.spend(1);
      return renameColumn(
        readExpression(reading, scope, cell, () => textOf(index)),
        { text: `column${index + 1}`, style: 'plain' },
      );
    });
  });
  return stackBranches(reading, rows);
};

const readSelect = (
  reading: SqlReadContext,
  select: SyntaxNode,
  outer: NameScope | undefined,
  names: NamedQuery | undefined,
): YieldedColumns => {
  const windows = nodeListAt(select, 'named_window').flatMap((window) => {
    const [name, node] = Array.isArray(window) ? [identifierOf(window[0]), window[1] as unknown] : [];
    return name ? [{ name, node }] : [];
  });
  const scope = createNameScope([], outer, names, windows);
  readFrom(reading, scope, nodeListAt(select, 'from'), nodeListAt(select, 'lateral_views'));
  return readSelectList(reading, scope, select);
};

const readBody = (
  reading: SqlReadContext,
  body: QueryBody,
  outer: NameScope | undefined,
  names: NamedQuery | undefined,
): YieldedColumns => {
  const { choice, held } = body;
  reading.spend(1);
  if (!isSyntaxNode(held)) return [unclearColumns('unsupported')];
  if (choice === 'Select') return readSelect(reading, held, outer, names);
  if (choice === 'Query') return readSqlQuery(reading, held, outer, names);
  if (choice === 'Values') return readValues(reading, held, outer, names);
  if (choice === 'Table') {
    const name = [held['schema_name'], held['table_name']].filter((part) => typeof part === 'string');
    return findTable(
      reading,
      createNameScope([], outer, names),
      name.map((text) => ({ text, style: 'plain' })),
    ).parts;
  }
  if (choice !== 'SetOperation')
    return reading.write(reading, { [choice]: held }, names) ?? [unclearColumns('unsupported')];
  if (isByName(held)) {
    const [left, right] = [choiceOf(held['left']), choiceOf(held['right'])];
    return stackByName(reading, readBody(reading, left, outer, names), readBody(reading, right, outer, names));
  }
  return stackBranches(
    reading,
    branchesOf(body).map((branch) => readBody(reading, branch, outer, names)),
  );
};

const countAllOrigins = (parts: YieldedColumns): number =>
  knownColumnsOf(parts).reduce((sum, column) => sum + countOrigins(column), 0);

/** Reads a recursive query: passes the columns of its base case to itself until the result no longer changes. */
const readRecursiveQuery = (
  reading: SqlReadContext,
  query: SyntaxNode,
  alias: { readonly name: Identifier; readonly columns: readonly Identifier[] },
  names: NamedQuery | undefined,
): YieldedColumns => {
  const branches = branchesOf(choiceOf(query['body']));
  const begins = branches.filter((branch) => !mentionsTable(branch.held, alias.name, reading));
  if (begins.length === 0 || begins.length === branches.length) return readSqlQuery(reading, query, undefined, names);
  const inner = readWithQueries(reading, query, names);
  const naming = (parts: YieldedColumns): YieldedColumns => renameColumns(parts, alias.columns);
  const begun = naming(
    stackBranches(
      reading,
      begins.map((branch) => readBody(reading, branch, undefined, inner)),
    ),
  );
  for (let parts = begun, round = 0; round < MAX_ROUNDS; round += 1) {
    const itself: NamedQuery = { name: alias.name, parts: parts, next: inner };
    const next = naming(
      stackBranches(
        reading,
        branches.map((branch) => readBody(reading, branch, undefined, itself)),
      ),
    );
    if (countAllOrigins(next) === countAllOrigins(parts)) return next;
    parts = next;
  }
  return [unclearColumns('unsupported')];
};

/** Reads the common table expressions of WITH; later ones can refer to earlier ones. */
export const readWithQueries = (
  reading: SqlReadContext,
  query: SyntaxNode,
  names: NamedQuery | undefined,
): NamedQuery | undefined => {
  const held = nodeAt(query['with']);
  const anyway = ALWAYS_RECURSIVE.has(reading.dialect.name);
  let known = names;
  for (const table of nodeListAt(held, 'cte_tables')) {
    const { name, columns } = readTableAlias(nodeAt(table)?.['alias']);
    const inner = nodeAt(nodeAt(table)?.['query']);
    if (name === undefined || inner === undefined) continue;
    const itself = { name, columns };
    const parts =
      held?.['recursive'] === true || anyway
        ? readRecursiveQuery(reading, inner, itself, known)
        : readSqlQuery(reading, inner, undefined, known);
    known = { name, parts: renameColumns(parts, columns), next: known };
  }
  return known;
};

/** Returns the columns that a query yields. */
export const readSqlQuery = (
  reading: SqlReadContext,
  query: SyntaxNode,
  outer: NameScope | undefined,
  names: NamedQuery | undefined,
): YieldedColumns => {
  const known = readWithQueries(reading, query, names);
  const parts = readBody(reading, choiceOf(query['body']), outer, known);
  // Pipe operators after the query are not supported.
  return nodeListAt(query, 'pipe_operators').length > 0 ? [unclearColumns('unsupported')] : parts;
};
