import { type DeclaredType, readDeclaredType } from './declared-type.ts';
import type { Dialect } from './dialect.ts';
import { type Identifier, identifierOf, readNameParts } from './identifier.ts';
import { MAX_SQL_LENGTH, statementOpening } from './limits.ts';
import { parseStatement } from './parse.ts';
import type { TableName, UnresolvedReason } from './sql-column.ts';
import { choiceOf, isSyntaxNode, nodeAt, nodeListAt, type SyntaxNode } from './syntax-tree.ts';
import { hasTemplate, type SqlTokens, splitStatements, tokenizeSql } from './tokens.ts';

/** Reads the changes that DDL statements make to columns. */

/** The constraint of a column. */
export type ColumnConstraint = 'NULL' | 'UNIQUE' | 'NOT_NULL' | 'PRIMARY_KEY';

/** A column definition in a statement. */
export type DeclaredColumn = {
  readonly name: string;
  readonly type: DeclaredType;
  readonly constraint: ColumnConstraint;
};

/** One change of a table or of one of its columns. */
export type TableStep =
  | { readonly step: 'create'; readonly columns: readonly DeclaredColumn[] }
  | { readonly step: 'remove' }
  | { readonly step: 'add'; readonly column: DeclaredColumn; readonly isLenient: boolean }
  | { readonly step: 'drop'; readonly name: string; readonly isLenient: boolean }
  | { readonly step: 'rename'; readonly name: string; readonly to: string }
  | { readonly step: 'retype'; readonly name: string; readonly type: DeclaredType }
  | { readonly step: 'declare'; readonly name: string; readonly column: DeclaredColumn }
  | { readonly step: 'constrain'; readonly name: string; readonly constraint: ColumnConstraint };

export type TableDefinition = { readonly table: TableName; readonly steps: readonly TableStep[] };

/** The changes of tables in order, or the reason why the statements cannot be read. */
export type DdlResult =
  | { readonly definitions: readonly TableDefinition[] }
  | { readonly text: string; readonly reason: UnresolvedReason };

const MAX_STATEMENTS = 1_000;
const MAX_STEPS = 20_000;

/** Thrown for a change of columns that is not supported. */
class UnreadableDdl extends Error {
  readonly reason: UnresolvedReason;

  constructor(reason: UnresolvedReason) {
    super(reason);
    this.reason = reason;
  }
}

const nameOf = (node: unknown): string => {
  const name = identifierOf(node);
  if (!name) throw new UnreadableDdl('unsupported');
  return name.text;
};

const tableOf = (node: unknown): TableName => {
  const parts = readNameParts(node);
  if (!parts) throw new UnreadableDdl('unsupported');
  return parts.map(({ text }: Identifier) => text);
};

const CONSTRAINT_BY_OPTION: Readonly<Record<string, ColumnConstraint>> = {
  PrimaryKey: 'PRIMARY_KEY',
  NotNull: 'NOT_NULL',
  Unique: 'UNIQUE',
};

/** The strongest constraint first. */
const STRONGEST_FIRST: readonly ColumnConstraint[] = ['PRIMARY_KEY', 'NOT_NULL', 'UNIQUE'];

/** Reads the constraint from column options; older versions of the tree mark a primary key on the unique option. */
const readConstraint = (options: readonly unknown[]): ColumnConstraint => {
  const constraints = options.map((one) => {
    const { choice, held } = choiceOf(nodeAt(one)?.['option'] ?? one);
    return choice === 'Unique' && nodeAt(held)?.['is_primary'] === true ? 'PRIMARY_KEY' : CONSTRAINT_BY_OPTION[choice];
  });
  return STRONGEST_FIRST.find((constraint) => constraints.includes(constraint)) ?? 'NULL';
};

const readDeclaredColumn = (node: unknown): DeclaredColumn => ({
  name: nameOf(nodeAt(node)?.['name']),
  type: readDeclaredType(nodeAt(node)?.['data_type']),
  constraint: readConstraint(nodeListAt(node, 'options')),
});

/** Returns the columns that a table constraint names. */
const readKeyColumns = (held: unknown): readonly string[] =>
  nodeListAt(held, 'columns').flatMap((one) => {
    const name = identifierOf(one) ?? identifierOf(nodeAt(one, 'column', 'expr')?.['Identifier']);
    return name ? [name.text] : [];
  });

/** Returns the primary key columns that a table constraint declares. */
const readPrimaryKey = (constraint: unknown): readonly string[] => {
  const { choice, held } = choiceOf(constraint);
  return choice === 'PrimaryKey' ? readKeyColumns(held) : [];
};

const readCreateTable = (held: SyntaxNode): readonly TableStep[] => {
  const columns = nodeListAt(held, 'columns').map(readDeclaredColumn);
  if (columns.length === 0) throw new UnreadableDdl('unsupported');
  const key = new Set(
    nodeListAt(held, 'constraints')
      .flatMap(readPrimaryKey)
      .map((name) => name.toLowerCase()),
  );
  const isKey = ({ name }: DeclaredColumn) => key.has(name.toLowerCase());
  return [
    {
      step: 'create',
      columns: columns.map((column) => (isKey(column) ? { ...column, constraint: 'PRIMARY_KEY' } : column)),
    },
  ];
};

const readAlterColumn = (name: string, operation: unknown): readonly TableStep[] => {
  const { choice, held } = choiceOf(operation);
  if (choice === 'SetNotNull') return [{ step: 'constrain', name, constraint: 'NOT_NULL' }];
  if (choice === 'DropNotNull') return [{ step: 'constrain', name, constraint: 'NULL' }];
  if (choice !== 'SetDataType') return [];
  return [{ step: 'retype', name, type: readDeclaredType(nodeAt(held)?.['data_type']) }];
};

/** Dialects in which redefining a column drops NOT NULL unless the new definition repeats it. */
const RESETTING_DIALECTS: ReadonlySet<string> = new Set(['mysql', 'mssql']);

/** Redefines a column, possibly with a new name. */
const redeclareColumn = (name: string, to: string, held: SyntaxNode, isForgetful: boolean): readonly TableStep[] => {
  const [type, constraint] = [readDeclaredType(held['data_type']), readConstraint(nodeListAt(held, 'options'))];
  if (isForgetful || constraint !== 'NULL') return [{ step: 'declare', name, column: { name: to, type, constraint } }];
  const renamed: readonly TableStep[] = name === to ? [] : [{ step: 'rename', name, to }];
  return [...renamed, { step: 'retype', name: to, type }];
};

const OPERATION_READERS: Readonly<Record<string, (held: SyntaxNode, isForgetful: boolean) => readonly TableStep[]>> = {
  AddColumn: (held) => [
    { step: 'add', column: readDeclaredColumn(held['column_def']), isLenient: held['if_not_exists'] === true },
  ],
  DropColumn: (held) => {
    const names = nodeListAt(held, 'column_names');
    const isLenient = held['if_exists'] === true;
    return (names.length > 0 ? names : [held['column_name']]).map((name) => ({
      step: 'drop',
      name: nameOf(name),
      isLenient,
    }));
  },
  RenameColumn: (held) => [
    { step: 'rename', name: nameOf(held['old_column_name']), to: nameOf(held['new_column_name']) },
  ],
  ChangeColumn: (held, isForgetful) =>
    redeclareColumn(nameOf(held['old_name']), nameOf(held['new_name']), held, isForgetful),
  ModifyColumn: (held, isForgetful) =>
    redeclareColumn(nameOf(held['col_name']), nameOf(held['col_name']), held, isForgetful),
  AlterColumn: (held) => readAlterColumn(nameOf(held['column_name']), held['op']),
  AddConstraint: (held) =>
    readPrimaryKey(held['constraint'] ?? held).map((name) => ({ step: 'constrain', name, constraint: 'PRIMARY_KEY' })),
  SwapWith: () => {
    throw new UnreadableDdl('unsupported');
  },
};

/** Returns the column changes of an ALTER operation; most operations not listed here change no columns. */
const readOperation = (operation: unknown, isForgetful: boolean): readonly TableStep[] => {
  const { choice, held } = choiceOf(operation);
  const handler = Object.hasOwn(OPERATION_READERS, choice) ? OPERATION_READERS[choice] : undefined;
  return handler && isSyntaxNode(held) ? handler(held, isForgetful) : [];
};

const readDefinitions = (statement: unknown, { name: dialect }: Dialect): readonly TableDefinition[] => {
  const { choice, held } = choiceOf(statement);
  if (!isSyntaxNode(held)) return [];
  if (choice === 'CreateTable') return [{ table: tableOf(held['name']), steps: readCreateTable(held) }];
  if (choice === 'AlterTable') {
    const isForgetful = RESETTING_DIALECTS.has(dialect);
    const steps = nodeListAt(held, 'operations').flatMap((operation) => readOperation(operation, isForgetful));
    return [{ table: tableOf(held['name']), steps }];
  }
  if (choice === 'CreateView' || choice === 'AlterView') throw new UnreadableDdl('unsupported');
  if (choice !== 'Drop' || held['object_type'] !== 'Table') return [];
  return nodeListAt(held, 'names').map((name) => ({ table: tableOf(name), steps: [{ step: 'remove' }] }));
};

/** Some dialects write the new type directly after the column name in ALTER COLUMN; MODIFY COLUMN accepts that form. */
const asModify = (text: string): string => text.replace(/\bALTER\s+COLUMN\s/gi, 'MODIFY COLUMN ');

const parseDdl = (tokens: SqlTokens, dialect: Dialect): readonly unknown[] | UnresolvedReason => {
  const found = parseStatement(tokens, dialect);
  if (typeof found !== 'string') return found.statements;
  const other = asModify(tokens.text);
  if (found !== 'syntax' || other === tokens.text) return found;
  const again = parseStatement(tokenizeSql(other, dialect), dialect);
  return typeof again === 'string' ? found : again.statements;
};

const readDdlStatement = (text: string, dialect: Dialect): readonly TableDefinition[] | UnresolvedReason => {
  const tokens = tokenizeSql(text, dialect);
  if (hasTemplate(tokens)) return 'template';
  const statements = parseDdl(tokens, dialect);
  if (typeof statements === 'string') return statements;
  try {
    return statements.flatMap((statement) => readDefinitions(statement, dialect));
  } catch (error) {
    if (error instanceof UnreadableDdl) return error.reason;
    // JavaScript's stack overflows only on trees deeper than any statement that a person or a tool writes.
    if (error instanceof RangeError) return 'too deep';
    throw error;
  }
};

/** Only these statements can change columns; a syntax error in another statement is ignored. */
const DEFINING_STATEMENT = /^\s*(CREATE|ALTER|DROP|RENAME|EXEC)\b/i;

/**
 * Reads the changes that the statements of a text make to tables. Throws only ParserBroken, whatever the text contains.
 */
export const readDdl = (sql: string, dialect: Dialect): DdlResult => {
  if (sql.length > MAX_SQL_LENGTH) return { text: statementOpening(sql), reason: 'too long' };
  const texts = splitStatements(tokenizeSql(sql, dialect), dialect);
  if (texts.length > MAX_STATEMENTS) return { text: statementOpening(texts[MAX_STATEMENTS] ?? ''), reason: 'too long' };
  const definitions: TableDefinition[] = [];
  let steps = 0;
  for (const text of texts) {
    const found = readDdlStatement(text, dialect);
    if (typeof found === 'string') {
      if (found === 'syntax' && texts.length > 1 && !DEFINING_STATEMENT.test(text)) continue;
      return { text: statementOpening(text), reason: found };
    }
    for (const definition of found) {
      definitions.push(definition);
      for (const one of definition.steps) steps += one.step === 'create' ? one.columns.length : 1;
    }
    if (steps > MAX_STEPS) return { text: statementOpening(text), reason: 'too many columns' };
  }
  return definitions.length > 0 ? { definitions } : { text: statementOpening(sql), reason: 'unsupported' };
};
