import { readAssignments, readDelete, readMerge, readUpdate } from './change-statement.ts';
import { findTable } from './from-clause.ts';
import {
  filterByName,
  formatName,
  type Identifier,
  identifierOf,
  readNameParts,
  storedIdentifier,
} from './identifier.ts';
import { createNameScope, type NamedQuery, type SqlReadContext } from './name-scope.ts';
import { readSqlQuery, readWithQueries } from './query.ts';
import { readSelectItems } from './select-list.ts';
import { unknownText } from './source-text.ts';
import {
  isUnknownColumns,
  knownColumnsOf,
  LITERAL_COLUMN,
  renameColumn,
  type SqlRelation,
  unclearColumns,
  type YieldedColumns,
} from './sql-column.ts';
import { choiceOf, isSyntaxNode, nodeAt, nodeListAt, type SyntaxNode } from './syntax-tree.ts';
import {
  readColumnNames,
  type StatementContext,
  spellColumn,
  topLevelColumns,
  toWriteTarget,
  type WriteTarget,
  writeByName,
  writeByPosition,
} from './write-target.ts';

/** Reads one SQL statement and records the columns it writes. */

const recordCreated = (
  context: StatementContext,
  name: readonly Identifier[],
  parts: YieldedColumns,
  names: readonly Identifier[],
  temporary: boolean,
): void => {
  const { reading, statementFindings } = context;
  const target = toWriteTarget(name);
  const columns: YieldedColumns =
    names.length === 0
      ? parts
      : knownColumnsOf(parts)
          .slice(0, names.length)
          .map((column, index) => renameColumn(column, names[index]));
  statementFindings.made.push({
    name,
    parts: parts.some(isUnknownColumns) && names.length > 0 ? [unclearColumns('unknown columns')] : columns,
    temporary,
  });
  // A temporary table has no lineage of its own; its origins count where it is read.
  if (temporary) return;
  if (names.length === 0)
    writeByName(reading, statementFindings, target, parts, topLevelColumns(reading, target) ?? undefined);
  else
    writeByPosition(
      statementFindings,
      target,
      parts,
      names.map((one) => spellColumn(reading, target, one)),
      false,
    );
};

const isTemporaryTable = (name: readonly Identifier[], held: SyntaxNode): boolean =>
  held['temporary'] === true || held['volatile'] === true || name.at(-1)?.text.startsWith('#') === true;

const readCreateTable = (context: StatementContext, held: SyntaxNode): void => {
  const name = readNameParts(held['name']);
  const names = readColumnNames(held['columns']);
  const query = nodeAt(held['query']);
  const clone = readNameParts(held['clone']);
  if (name === undefined) return;
  const { reading } = context;
  if (query)
    recordCreated(
      context,
      name,
      readSqlQuery(reading, query, undefined, undefined),
      names,
      isTemporaryTable(name, held),
    );
  else if (clone)
    recordCreated(context, name, findTable(reading, undefined, clone).parts, [], isTemporaryTable(name, held));
  else recordDefined(context, name, readDefinedNames(reading, held, names), isTemporaryTable(name, held));
};

/** Returns the columns that a definition lists, or those of the table it is made like. */
const readDefinedNames = (
  reading: SqlReadContext,
  held: SyntaxNode,
  names: readonly Identifier[],
): readonly Identifier[] => {
  const like = readNameParts(nodeAt(choiceOf(held['like']).held)?.['name']);
  if (names.length > 0 || like === undefined || !isTemporaryTable([], held)) return names;
  return knownColumnsOf(findTable(reading, undefined, like).parts).flatMap((column) => column.name ?? []);
};

const recordDefined = (
  { statementFindings }: StatementContext,
  name: readonly Identifier[],
  names: readonly Identifier[],
  temporary: boolean,
): void => {
  if (names.length === 0 && !temporary) return;
  const parts = names.map((column) => renameColumn(LITERAL_COLUMN, column));
  statementFindings.made.push({
    name,
    parts: parts.length > 0 ? parts : [unclearColumns('unknown columns')],
    temporary,
  });
};

/** Reads declared variables; one of a table type is a temporary table. */
const readDeclare = (context: StatementContext, held: unknown): void => {
  for (const one of nodeListAt(held, 'stmts')) {
    const names = readColumnNames(nodeListAt(one, 'names'));
    context.statementFindings.variables.push(...names.map((name) => name.text.toLowerCase()));
    const columns = readColumnNames(nodeAt(one, 'data_type')?.['Table']);
    if (columns.length > 0) for (const name of names) recordDefined(context, [name], columns, true);
  }
};

/** Reads `CACHE TABLE t AS query` of Spark, whose table lasts as long as the session. */
const readCache = (context: StatementContext, held: SyntaxNode): void => {
  const name = readNameParts(held['table_name']);
  const query = nodeAt(held['query']);
  if (name && query) recordCreated(context, name, readSqlQuery(context.reading, query, undefined, undefined), [], true);
};

const readCreateView = (context: StatementContext, held: SyntaxNode): void => {
  const query = nodeAt(held['query']);
  // A ClickHouse materialized view with TO writes to that table.
  const name = readNameParts(held['to']) ?? readNameParts(held['name']);
  if (query === undefined || name === undefined) return;
  const parts = readSqlQuery(context.reading, query, undefined, undefined);
  recordCreated(context, name, parts, readColumnNames(held['columns']), isTemporaryTable(name, held));
};

/** Returns the columns that an INSERT without a column list fills. */
const readInsertedNames = (
  reading: SqlReadContext,
  target: WriteTarget,
  held: SyntaxNode,
): readonly string[] | undefined => {
  const own = readColumnNames([...nodeListAt(held, 'columns'), ...nodeListAt(held, 'after_columns')]);
  if (own.length > 0) return own.map((name) => spellColumn(reading, target, name));
  const known = topLevelColumns(reading, target);
  const partitions = nodeListAt(held, 'partitioned');
  const fixed = partitions.flatMap((one) => {
    const name = identifierOf(nodeAt(one, 'BinaryOp', 'left')?.['Identifier']);
    return name ? [name] : [];
  });
  const open = partitions.flatMap((one) => {
    const name = identifierOf(nodeAt(one)?.['Identifier']);
    return name ? [name] : [];
  });
  const without = (known ?? []).filter(
    (name) => filterByName([...fixed, ...open], storedIdentifier(name), (one) => one, reading.dialect).length === 0,
  );
  return known && [...without, ...open.map((name) => spellColumn(reading, target, name))];
};

/** `ON CONFLICT DO UPDATE SET c = excluded.c`: the rows to insert have a name of their own. */
const readOnConflict = (
  context: StatementContext,
  target: WriteTarget,
  held: SyntaxNode,
  names: readonly string[],
  parts: YieldedColumns,
  relation: SqlRelation,
): void => {
  const { choice, held: action } = choiceOf(held['on']);
  const inserted = knownColumnsOf(parts).map((column, index) =>
    renameColumn(column, storedIdentifier(names[index] ?? '')),
  );
  const excluded: SqlRelation = { name: [{ text: 'excluded', style: 'plain' }], parts: inserted, written: true };
  const scope = createNameScope([relation], undefined, undefined);
  if (choice === 'OnConflict') {
    const assignments = nodeListAt(nodeAt(nodeAt(action)?.['action'])?.['DoUpdate'], 'assignments');
    readAssignments(
      context,
      target,
      createNameScope([relation], createNameScope([excluded], undefined, undefined), undefined),
      assignments,
      relation,
    );
  }
  if (choice !== 'DuplicateKeyUpdate' || !Array.isArray(action)) return;
  for (const assignment of action) {
    const value = nodeAt(nodeAt(assignment)?.['value'], 'Function');
    const same = value && formatName(readNameParts(value['name']) ?? []).toUpperCase() === 'VALUES';
    // VALUES(c) refers to a value that the INSERT already writes to the same column.
    if (!same) readAssignments(context, target, scope, [assignment], relation);
  }
};

const readInsert = (context: StatementContext, held: SyntaxNode, names: NamedQuery | undefined): YieldedColumns => {
  const { reading, statementFindings } = context;
  const name = readNameParts(nodeAt(held['table'])?.['TableName']);
  const source = nodeAt(held['source']);
  const target = toWriteTarget(name);
  if (name === undefined || target === undefined) {
    statementFindings.unresolved.push({ text: 'INSERT', reason: 'unsupported' });
    return [unclearColumns('unsupported')];
  }
  const known = readWithQueries(reading, held, names);
  const found = findTable(reading, undefined, name);
  const alias = identifierOf(nodeAt(held['table_alias'])?.['alias']);
  const relation: SqlRelation = { ...found, name: alias ? [alias] : found.name };
  const scope = createNameScope([relation], undefined, known);
  readAssignments(context, target, scope, nodeListAt(held, 'assignments'), relation);
  if (source) {
    const parts = readSqlQuery(reading, source, undefined, known);
    const columns = readInsertedNames(reading, target, held);
    const literal = parts.every(
      (part) => !isUnknownColumns(part) && part.derivations.length + part.unresolved.length === 0,
    );
    // Only Postgres accepts fewer values and fills the first columns.
    const fewer = nodeListAt(held, 'columns').length === 0 && reading.dialect.name === 'postgres';
    if (columns) {
      if (!literal) writeByPosition(statementFindings, target, parts, columns, fewer);
      readOnConflict(context, target, held, columns, parts, relation);
    } else if (!literal) statementFindings.unresolved.push({ text: formatName(name), reason: 'unknown columns' });
  }
  return readSelectItems(reading, scope, nodeListAt(held, 'returning'), unknownText);
};

const readQueryStatement = (context: StatementContext, held: SyntaxNode): void => {
  const { reading, statementFindings, wanted } = context;
  const body = choiceOf(held['body']);
  const into = body.choice === 'Select' ? nodeAt(nodeAt(body.held)?.['into']) : undefined;
  const name = readNameParts(into?.['name']);
  if (/^(Insert|Update|Delete|Merge)$/.test(body.choice)) {
    readSqlQuery(reading, held, undefined, undefined);
    return;
  }
  const parts = readSqlQuery(reading, held, undefined, undefined);
  if (into && name) recordCreated(context, name, parts, [], isTemporaryTable(name, into));
  else writeByName(reading, statementFindings, undefined, parts, wanted);
};

/** Reads a statement inside another one: what it writes, and the columns its RETURNING yields. */
export const readWritingStatement = (
  context: StatementContext,
  statement: unknown,
  names: NamedQuery | undefined,
): YieldedColumns | undefined => {
  let { choice, held } = choiceOf(statement);
  // The tree wraps a statement that is the body of a query twice.
  while (isSyntaxNode(held) && isSyntaxNode(held[choice])) held = held[choice];
  if (!isSyntaxNode(held)) return undefined;
  if (choice === 'Insert') return readInsert(context, held, names);
  if (choice === 'Update') return readUpdate(context, held, names);
  if (choice === 'Delete') return readDelete(context, held, names);
  return choice === 'Merge' ? readMerge(context, held, names) : undefined;
};

/** Statements that move data in unsupported ways; all other unhandled statements move none. */
export const OPAQUE_STATEMENT = /^(Call|Execute|Copy|LoadData|CreateProcedure|CreateTrigger|If|Case|While)/;

/** Reads one statement. */
export const readStatement = (context: StatementContext, statement: unknown): void => {
  const { choice, held } = choiceOf(statement);
  if (!isSyntaxNode(held) && choice !== '') return;
  if (choice === 'Query' && isSyntaxNode(held)) readQueryStatement(context, held);
  else if (choice === 'CreateTable' && isSyntaxNode(held)) readCreateTable(context, held);
  else if (choice === 'CreateView' && isSyntaxNode(held)) readCreateView(context, held);
  else if (choice === 'Cache' && isSyntaxNode(held)) readCache(context, held);
  else if (choice === 'Declare') readDeclare(context, held);
  else if (readWritingStatement(context, statement, undefined) === undefined && OPAQUE_STATEMENT.test(choice)) {
    context.statementFindings.unresolved.push({ text: choice, reason: 'unsupported' });
  }
};
