import { readExpression } from './expression.ts';
import { readFrom, readTableAlias } from './from-clause.ts';
import { formatName, type Identifier, readNameParts } from './identifier.ts';
import { createNameScope, findRelations, type NamedQuery, type NameScope, type SqlReadContext } from './name-scope.ts';
import { readSqlQuery, readWithQueries } from './query.ts';
import { readSelectItems } from './select-list.ts';
import { createBracketTexts, readAssignedText, unknownText } from './source-text.ts';
import { isUnknownColumns, type SqlRelation, unclearColumns, type YieldedColumns } from './sql-column.ts';
import { choiceOf, isSyntaxNode, nodeAt, nodeListAt, type SyntaxNode } from './syntax-tree.ts';
import {
  readColumnNames,
  type StatementContext,
  spellColumn,
  topLevelColumns,
  toWriteTarget,
  type WriteTarget,
  writeByPosition,
} from './write-target.ts';

/** Reads assignments `c = expression` of an UPDATE or a MERGE. */
export const readAssignments = (
  { reading, statementFindings }: StatementContext,
  target: WriteTarget,
  scope: NameScope,
  assignments: readonly unknown[],
  into: SqlRelation,
): void => {
  for (const assignment of assignments) {
    const { choice, held } = choiceOf(nodeAt(assignment)?.['target']);
    const value = nodeAt(assignment)?.['value'];
    if (choice === 'Tuple') {
      readTupleAssignment({ reading, statementFindings }, target, scope, readColumnNames(held), value);
      continue;
    }
    const parts = readNameParts(held) ?? [];
    const name = parts.at(-1);
    if (name === undefined) continue;
    if (parts.length > 1 && !isTargetRelation(reading, scope, parts.slice(0, -1), into)) {
      statementFindings.unresolved.push({ text: formatName(parts), reason: 'unsupported' });
      continue;
    }
    const [first] = Array.isArray(held) ? held : [];
    const place = nodeAt(first)?.['Identifier'] ?? first;
    const column = readExpression(reading, scope, value, () => readAssignedText(reading.tokens, place));
    statementFindings.writes.push({ target, name: spellColumn(reading, target, name), column });
  }
};

const isTargetRelation = (
  reading: SqlReadContext,
  scope: NameScope,
  name: readonly Identifier[],
  into: SqlRelation,
): boolean => {
  const found = findRelations(reading, scope, name);
  return found.length === 1 && (found[0] === into || (found[0]?.parts === into.parts && !into.written));
};

const readTupleAssignment = (
  { reading, statementFindings }: Pick<StatementContext, 'reading' | 'statementFindings'>,
  target: WriteTarget,
  scope: NameScope,
  names: readonly Identifier[],
  value: unknown,
): void => {
  const { choice, held } = choiceOf(value);
  const columns = names.map((name) => spellColumn(reading, target, name));
  if (choice === 'Subquery' && isSyntaxNode(held))
    writeByPosition(statementFindings, target, readSqlQuery(reading, held, scope, scope.named), columns, false);
  else if (choice === 'Tuple' && Array.isArray(held)) {
    writeByPosition(
      statementFindings,
      target,
      held.map((one: unknown) => readExpression(reading, scope, one, () => unknownText(0))),
      columns,
      false,
    );
  } else statementFindings.unresolved.push({ text: formatName(names), reason: 'unsupported' });
};

export const readUpdate = (
  context: StatementContext,
  held: SyntaxNode,
  names: NamedQuery | undefined,
): YieldedColumns => {
  const { reading, statementFindings } = context;
  const known = readWithQueries(reading, held, names);
  const scope = createNameScope([], undefined, known);
  const factor = nodeAt(held['table'], 'relation', 'Table');
  const name = readNameParts(factor?.['name']);
  const from = choiceOf(held['from']);
  const behind = Array.isArray(from.held) ? from.held : [];
  if (name === undefined) {
    statementFindings.unresolved.push({ text: 'UPDATE', reason: 'unsupported' });
    return [];
  }
  // `UPDATE t SET … FROM dbo.target t` refers to its target by the alias from FROM.
  readFrom(reading, scope, behind, []);
  const aliased = reading.dialect.brackets ? findRelations(reading, scope, name) : [];
  if (aliased.length !== 1) {
    scope.relations.splice(0);
    readFrom(reading, scope, [held['table'], ...behind], []);
  }
  const assignments = nodeListAt(held, 'assignments');
  for (const assignment of assignments) {
    const parts = readNameParts(choiceOf(nodeAt(assignment)?.['target']).held) ?? [];
    const own = parts.length > 1 ? findRelations(reading, scope, parts.slice(0, -1))[0] : undefined;
    const into = own ?? aliased[0] ?? scope.relations[0];
    const table = into && tableBehind(reading, into, aliased.length === 1 ? behind : [held['table'], ...behind]);
    if (into === undefined || table === undefined)
      statementFindings.unresolved.push({ text: formatName(name), reason: 'unsupported' });
    else readAssignments(context, table, scope, [assignment], into);
  }
  return readSelectItems(reading, scope, nodeListAt(held, 'returning'), unknownText);
};

/** Returns the table behind a relation that the statement writes to. */
const tableBehind = (
  reading: SqlReadContext,
  relation: SqlRelation,
  from: readonly unknown[],
): WriteTarget | undefined => {
  const factors = from.flatMap((tables) => [
    nodeAt(tables)?.['relation'],
    ...nodeListAt(tables, 'joins').map((join) => nodeAt(join)?.['relation']),
  ]);
  for (const factor of factors) {
    const table = nodeAt(factor, 'Table');
    const name = readNameParts(table?.['name']);
    const alias = readTableAlias(table?.['alias']).name;
    const own = alias ? [alias] : name;
    const same =
      own?.length === relation.name.length && own.every((part, index) => relation.name[index]?.text === part.text);
    // Only a common table expression cannot be written to.
    const isQuery = relation.written && name?.length === 1 && reading.temporary(name) === undefined;
    if (same && name && !isQuery) return toWriteTarget(name);
  }
  return undefined;
};

export const readDelete = (
  context: StatementContext,
  held: SyntaxNode,
  names: NamedQuery | undefined,
): YieldedColumns => {
  const scope = createNameScope([], undefined, names);
  const from = choiceOf(held['from']);
  const tables = Array.isArray(from.held) ? from.held : [];
  const returning = nodeListAt(held, 'returning');
  if (returning.length === 0) return [];
  readFrom(context.reading, scope, [...tables, ...nodeListAt(held, 'using')], []);
  return readSelectItems(context.reading, scope, returning, unknownText);
};

/** `*` in a MERGE writes every source column to the target column with the same name. */
export const EVERY_COLUMN = '*';

const writeEveryColumn = (
  { reading, statementFindings }: StatementContext,
  target: WriteTarget,
  source: SqlRelation,
): void => {
  for (const part of source.parts) {
    if (isUnknownColumns(part)) statementFindings.unresolved.push({ text: '*', reason: 'unknown columns' });
    else if (part.name)
      statementFindings.writes.push({ target, name: spellColumn(reading, target, part.name), column: part });
  }
};

const isEveryColumn = (node: unknown): boolean => {
  const name = readNameParts(node)?.at(-1);
  return name?.text === EVERY_COLUMN && name.style === 'quoted';
};

const readMergeClause = (
  context: StatementContext,
  target: WriteTarget,
  into: SqlRelation,
  sources: readonly SqlRelation[],
  clause: unknown,
): void => {
  const { reading, statementFindings } = context;
  const { choice, held } = choiceOf(nodeAt(clause)?.['action']);
  const [source] = sources;
  if (choice === 'Update') {
    const assignments = nodeListAt(held, 'assignments');
    const every = isEveryColumn(choiceOf(nodeAt(assignments[0])?.['target']).held);
    if (every && source) writeEveryColumn(context, target, source);
    else readAssignments(context, target, createNameScope([into, ...sources], undefined, undefined), assignments, into);
  }
  if (choice !== 'Insert') return;
  const columns = nodeListAt(held, 'columns');
  const { choice: kind, held: values } = choiceOf(nodeAt(held)?.['kind']);
  if (kind === 'Row' || isEveryColumn(columns[0])) {
    if (source) writeEveryColumn(context, target, source);
    return;
  }
  const [row] = nodeListAt(values, 'rows');
  const cells = Array.isArray(row) ? row : nodeListAt(row, 'content');
  const textOf = createBracketTexts(reading.tokens, nodeAt(row)?.['opening_token']);
  const scope = createNameScope([...sources], undefined, undefined);
  const parts = cells.map((cell: unknown, index) => readExpression(reading, scope, cell, () => textOf(index)));
  const names =
    columns.length > 0
      ? readColumnNames(columns).map((name) => spellColumn(reading, target, name))
      : topLevelColumns(reading, target);
  if (names) writeByPosition(statementFindings, target, parts, names, false);
  else statementFindings.unresolved.push({ text: formatName(target.name), reason: 'unknown columns' });
};

export const readMerge = (
  context: StatementContext,
  held: SyntaxNode,
  names: NamedQuery | undefined,
): YieldedColumns => {
  const { reading, statementFindings } = context;
  const table = nodeAt(held['table'], 'Table');
  const target = toWriteTarget(readNameParts(table?.['name']));
  const scope = createNameScope([], undefined, readWithQueries(reading, held, names));
  readFrom(reading, scope, [{ relation: held['table'] }, { relation: held['source'] }], []);
  const [into, ...sources] = scope.relations;
  if (target === undefined || into === undefined)
    statementFindings.unresolved.push({ text: 'MERGE', reason: 'unsupported' });
  else for (const clause of nodeListAt(held, 'clauses')) readMergeClause(context, target, into, sources, clause);
  return [unclearColumns('unsupported')];
};
