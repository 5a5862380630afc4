import type { Dialect } from './dialect.ts';
import { type Identifier, identifierOf, isSameName, readNameParts } from './identifier.ts';
import { ALWAYS_RECURSIVE } from './query.ts';
import { choiceOf, isSyntaxNode, nodeAt, nodeListAt, type SyntaxNode } from './syntax-tree.ts';

/**
 * Finds the tables that a statement reads anywhere, also where no column comes from them, as in a condition. Names of
 * common table expressions are no tables where they are in scope.
 */

type TableName = readonly Identifier[];

/** The names that a part of the statement gives to queries, innermost first. */
type QueryNames = { readonly name: Identifier; readonly next: QueryNames } | undefined;

type TableWalk = { readonly dialect: Dialect; readonly found: TableName[]; readonly aliases: Identifier[] };

const isQueryName = ({ dialect }: TableWalk, name: TableName, names: QueryNames): boolean => {
  const [only] = name;
  if (only === undefined || name.length > 1) return false;
  for (let here = names; here; here = here.next) if (isSameName(here.name, only, dialect)) return true;
  return false;
};

const note = (walk: TableWalk, name: TableName | undefined, names: QueryNames): void => {
  if (name && !isQueryName(walk, name, names)) walk.found.push(name);
};

/** Walks the queries of WITH in order and returns the names that the rest of the statement may use. */
const walkWith = (walk: TableWalk, held: SyntaxNode, names: QueryNames): QueryNames => {
  const anyway = held['recursive'] === true || ALWAYS_RECURSIVE.has(walk.dialect.name);
  let known = names;
  for (const table of nodeListAt(held, 'cte_tables')) {
    const name = identifierOf(nodeAt(table, 'alias')?.['name']);
    const query = nodeAt(nodeAt(table)?.['query']);
    const isUnion = choiceOf(query?.['body']).choice === 'SetOperation';
    walkNode(walk, query, name && anyway && isUnion ? { name, next: known } : known);
    if (name) known = { name, next: known };
  }
  return known;
};

const isAliasOf = ({ dialect }: TableWalk, name: TableName, from: readonly unknown[]): boolean => {
  const [only] = name;
  if (only === undefined || name.length > 1) return false;
  return from.some((tables) => {
    const factors = [
      nodeAt(tables)?.['relation'],
      ...nodeListAt(tables, 'joins').map((one) => nodeAt(one)?.['relation']),
    ];
    return factors.some((factor) => {
      const alias = identifierOf(nodeAt(factor, 'Table', 'alias')?.['name']);
      return alias !== undefined && isSameName(alias, only, dialect);
    });
  });
};

/** `UPDATE t SET … FROM dbo.target t` names its target by an alias, which is no table. */
const walkUpdate = (walk: TableWalk, held: SyntaxNode, names: QueryNames): void => {
  const name = readNameParts(nodeAt(held['table'], 'relation', 'Table')?.['name']);
  const from = choiceOf(held['from']).held;
  const { table, ...rest } = held;
  if (name && Array.isArray(from) && isAliasOf(walk, name, from)) walkNode(walk, rest, names);
  else walkNode(walk, { ...rest, table }, names);
};

const walkTable = (walk: TableWalk, held: SyntaxNode, names: QueryNames): void => {
  const alias = identifierOf(nodeAt(held['alias'])?.['name']);
  if (alias) walk.aliases.push(alias);
  // A function in FROM has arguments, and a body `TABLE t` names its table by texts.
  if (isSyntaxNode(held['args'])) {
    walkNode(walk, held['args'], names);
    return;
  }
  const parts = [held['schema_name'], held['table_name']].filter((part) => typeof part === 'string');
  const name =
    parts.length > 0 ? parts.map((text): Identifier => ({ text, style: 'plain' })) : readNameParts(held['name']);
  note(walk, name, names);
};

const walkNode = (walk: TableWalk, node: unknown, names: QueryNames): void => {
  if (Array.isArray(node)) {
    for (const one of node) walkNode(walk, one, names);
    return;
  }
  if (!isSyntaxNode(node)) return;
  const held = nodeAt(node['with']);
  const known = held ? walkWith(walk, held, names) : names;
  for (const [member, value] of Object.entries(node)) {
    if (member === 'with') continue;
    if (member === 'clone') note(walk, readNameParts(value), known);
    else if (member === 'Table' && isSyntaxNode(value)) walkTable(walk, value, known);
    else if (member === 'Update' && isSyntaxNode(value) && isSyntaxNode(value['table'])) walkUpdate(walk, value, known);
    else walkNode(walk, value, known);
  }
};

/** Returns the tables that a statement reads, and the targets of UPDATE, DELETE and MERGE, each once. */
export const findNamedTables = (statement: unknown, dialect: Dialect): readonly TableName[] => {
  const walk: TableWalk = { dialect, found: [], aliases: [] };
  walkNode(walk, statement, undefined);
  const isPath = ([first, ...steps]: TableName): boolean =>
    dialect.pathsInFrom &&
    first !== undefined &&
    steps.length > 0 &&
    walk.aliases.some((alias) => isSameName(alias, first, dialect));
  const distinct = new Map(walk.found.map((name) => [JSON.stringify(name), name]));
  return [...distinct.values()].filter((name) => !isPath(name));
};
