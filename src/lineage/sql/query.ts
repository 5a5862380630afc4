import { type Column, columnsOf, isRest, type Part, renamed, unclear, united, weightOf, type Yield } from './column.ts';
import { columnOf } from './expression.ts';
import { aliasOf, readFrom, tableNamed } from './from.ts';
import { type Identifier, identifierOf, named, sameName } from './name.ts';
import { type Named, type Reading, type Scope, scopeOf } from './scope.ts';
import { missing, selected, withNames } from './select.ts';
import { textsInBrackets } from './text.ts';
import { choiceOf, isNode, listAt, type Node, nodeAt } from './tree.ts';

/** Dialects whose WITH refers to itself without the word RECURSIVE. */
const RECURSIVE_ANYWAY = new Set(['mssql', 'oracle', 'snowflake', 'teradata']);

/** Rounds after which a query that refers to itself has shown all columns it hands on to itself. */
const MOST_ROUNDS = 50;

const mentions = (node: unknown, name: Identifier, reading: Reading): boolean => {
  if (Array.isArray(node)) return node.some((one) => mentions(one, name, reading));
  if (!isNode(node)) return false;
  const table = nodeAt(node, 'Table');
  const [first, ...more] = listAt(table, 'name');
  const own = more.length === 0 ? identifierOf(nodeAt(first)?.['Identifier']) : undefined;
  if (own && sameName(own, name, reading.dialect)) return true;
  return Object.values(node).some((held) => mentions(held, name, reading));
};

type Body = { readonly choice: string; readonly held: unknown };

/** The queries whose rows a union hands on, from left to right; what EXCEPT takes away hands on nothing. */
const branchesOf = (body: Body): readonly Body[] => {
  const branches: Body[] = [];
  const waiting: Body[] = [body];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { choice, held } = next;
    if (choice !== 'SetOperation' || !isNode(held) || byName(held)) {
      branches.push(next);
      continue;
    }
    if (/^(Union|Intersect)$/.test(choiceOf(held['op']).choice)) waiting.push(choiceOf(held['right']));
    waiting.push(choiceOf(held['left']));
  }
  return branches;
};

const byName = (operation: Node): boolean => /ByName/.test(choiceOf(operation['set_quantifier']).choice);

const clearLength = (parts: Yield): number => {
  const first = parts.findIndex(isRest);
  return first === -1 ? parts.length : first;
};

/** One list of columns out of several whose places are one: the first gives the names. */
const stacked = (reading: Reading, branches: readonly Yield[]): Yield => {
  const [first = [], ...others] = branches;
  if (others.length === 0) return first;
  const closed = branches.every((parts) => clearLength(parts) === parts.length);
  if (closed && others.some((parts) => parts.length !== first.length)) return [missing('UNION', 'column count')];
  const clear = Math.min(...branches.map(clearLength));
  const columns: Part[] = [];
  for (let index = 0; index < clear; index += 1) {
    reading.spend(branches.length);
    const same = branches
      .map((parts) => parts[index])
      .filter((part): part is Column => part !== undefined && !isRest(part));
    columns.push(united(same, same[0]?.name));
  }
  return closed ? columns : [...columns, missing('*', 'unknown columns')];
};

const stackedByName = (reading: Reading, left: Yield, right: Yield): Yield => {
  if ([...left, ...right].some(isRest)) return [missing('*', 'unknown columns')];
  const more = [...columnsOf(right)];
  const both = columnsOf(left).map((column) => {
    reading.spend(1 + more.length);
    const [same] = column.name ? named(more, column.name, (other) => other.name, reading.dialect) : [];
    if (same === undefined) return column;
    more.splice(more.indexOf(same), 1);
    return united([column, same], column.name);
  });
  return [...both, ...more];
};

const valuesIn = (reading: Reading, held: unknown, outer: Scope | undefined, names: Named | undefined): Yield => {
  const scope = scopeOf([], outer, names);
  const rows = listAt(held, 'rows').map((row) => {
    const cells = Array.isArray(row) ? row : listAt(row, 'content');
    const textOf = textsInBrackets(reading.tokens, nodeAt(row)?.['opening_token']);
    return cells.map((cell: unknown, index) => {
      reading.spend(1);
      return renamed(
        columnOf(reading, scope, cell, () => textOf(index)),
        { text: `column${index + 1}`, style: 'plain' },
      );
    });
  });
  return stacked(reading, rows);
};

const selectIn = (reading: Reading, select: Node, outer: Scope | undefined, names: Named | undefined): Yield => {
  const windows = listAt(select, 'named_window').flatMap((window) => {
    const [name, node] = Array.isArray(window) ? [identifierOf(window[0]), window[1] as unknown] : [];
    return name ? [{ name, node }] : [];
  });
  const scope = scopeOf([], outer, names, windows);
  readFrom(reading, scope, listAt(select, 'from'), listAt(select, 'lateral_views'));
  return selected(reading, scope, select);
};

const bodyIn = (reading: Reading, body: Body, outer: Scope | undefined, names: Named | undefined): Yield => {
  const { choice, held } = body;
  reading.spend(1);
  if (!isNode(held)) return [unclear('unsupported')];
  if (choice === 'Select') return selectIn(reading, held, outer, names);
  if (choice === 'Query') return readQuery(reading, held, outer, names);
  if (choice === 'Values') return valuesIn(reading, held, outer, names);
  if (choice === 'Table') {
    const name = [held['schema_name'], held['table_name']].filter((part) => typeof part === 'string');
    return tableNamed(
      reading,
      scopeOf([], outer, names),
      name.map((text) => ({ text, style: 'plain' })),
    ).parts;
  }
  if (choice !== 'SetOperation') return reading.write(reading, { [choice]: held }, names) ?? [unclear('unsupported')];
  if (byName(held)) {
    const [left, right] = [choiceOf(held['left']), choiceOf(held['right'])];
    return stackedByName(reading, bodyIn(reading, left, outer, names), bodyIn(reading, right, outer, names));
  }
  return stacked(
    reading,
    branchesOf(body).map((branch) => bodyIn(reading, branch, outer, names)),
  );
};

const weight = (parts: Yield): number => columnsOf(parts).reduce((sum, column) => sum + weightOf(column), 0);

/** A query that refers to itself: what it begins with is handed on to it until nothing new comes of that. */
const recursive = (
  reading: Reading,
  query: Node,
  alias: { readonly name: Identifier; readonly columns: readonly Identifier[] },
  names: Named | undefined,
): Yield => {
  const branches = branchesOf(choiceOf(query['body']));
  const begins = branches.filter((branch) => !mentions(branch.held, alias.name, reading));
  if (begins.length === 0 || begins.length === branches.length) return readQuery(reading, query, undefined, names);
  const inner = withQueries(reading, query, names);
  const naming = (parts: Yield): Yield => withNames(parts, alias.columns);
  const begun = naming(
    stacked(
      reading,
      begins.map((branch) => bodyIn(reading, branch, undefined, inner)),
    ),
  );
  for (let parts = begun, round = 0; round < MOST_ROUNDS; round += 1) {
    const itself: Named = { name: alias.name, parts: parts, next: inner };
    const next = naming(
      stacked(
        reading,
        branches.map((branch) => bodyIn(reading, branch, undefined, itself)),
      ),
    );
    if (weight(next) === weight(parts)) return next;
    parts = next;
  }
  return [unclear('unsupported')];
};

/** The queries that WITH gives a name, each known to those behind it. */
export const withQueries = (reading: Reading, query: Node, names: Named | undefined): Named | undefined => {
  const held = nodeAt(query['with']);
  const anyway = RECURSIVE_ANYWAY.has(reading.dialect.name);
  let known = names;
  for (const table of listAt(held, 'cte_tables')) {
    const { name, columns } = aliasOf(nodeAt(table)?.['alias']);
    const inner = nodeAt(nodeAt(table)?.['query']);
    if (name === undefined || inner === undefined) continue;
    const itself = { name, columns };
    const parts =
      held?.['recursive'] === true || anyway
        ? recursive(reading, inner, itself, known)
        : readQuery(reading, inner, undefined, known);
    known = { name, parts: withNames(parts, columns), next: known };
  }
  return known;
};

/** What a query yields. */
export const readQuery = (reading: Reading, query: Node, outer: Scope | undefined, names: Named | undefined): Yield => {
  const known = withQueries(reading, query, names);
  const parts = bodyIn(reading, choiceOf(query['body']), outer, known);
  // Behind a pipe the query goes on with steps that are not read.
  return listAt(query, 'pipe_operators').length > 0 ? [unclear('unsupported')] : parts;
};
