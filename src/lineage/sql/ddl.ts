import type { Reason, TableName } from './column.ts';
import type { Dialect } from './dialect.ts';
import { LONGEST_SQL, opening } from './limits.ts';
import { type Identifier, identifierOf, partsOf } from './name.ts';
import { parseStatement } from './parse.ts';
import { isTemplate, statementsOf, type Tokens, tokensOf } from './tokens.ts';
import { choiceOf, isNode, listAt, type Node, nodeAt } from './tree.ts';
import { type DeclaredType, typeDeclared } from './type.ts';

/** What statements that define tables do to columns. */

/** What a column is declared to hold in every row, if anything. */
export type Constraint = 'NULL' | 'UNIQUE' | 'NOT_NULL' | 'PRIMARY_KEY';

/** A column as a statement declares it. */
export type DeclaredColumn = {
  readonly name: string;
  readonly type: DeclaredType;
  readonly constraint: Constraint;
};

/** One thing that happens to a table or to a column of it. */
export type TableStep =
  | { readonly step: 'create'; readonly columns: readonly DeclaredColumn[] }
  | { readonly step: 'remove' }
  | { readonly step: 'add'; readonly column: DeclaredColumn; readonly isLenient: boolean }
  | { readonly step: 'drop'; readonly name: string; readonly isLenient: boolean }
  | { readonly step: 'rename'; readonly name: string; readonly to: string }
  | { readonly step: 'retype'; readonly name: string; readonly type: DeclaredType }
  | { readonly step: 'declare'; readonly name: string; readonly column: DeclaredColumn }
  | { readonly step: 'constrain'; readonly name: string; readonly constraint: Constraint };

export type Definition = { readonly table: TableName; readonly steps: readonly TableStep[] };

/** What the statements of a text do to tables, in order; or why they cannot be read. */
export type Ddl = { readonly definitions: readonly Definition[] } | { readonly text: string; readonly reason: Reason };

const MOST_STATEMENTS = 1_000;
const MOST_STEPS = 20_000;

/** Thrown where something would be done to columns that is not understood. */
class Unread extends Error {
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(reason);
    this.reason = reason;
  }
}

const nameOf = (node: unknown): string => {
  const name = identifierOf(node);
  if (!name) throw new Unread('unsupported');
  return name.text;
};

const tableOf = (node: unknown): TableName => {
  const parts = partsOf(node);
  if (!parts) throw new Unread('unsupported');
  return parts.map(({ text }: Identifier) => text);
};

const WORDS: Readonly<Record<string, Constraint>> = {
  PrimaryKey: 'PRIMARY_KEY',
  NotNull: 'NOT_NULL',
  Unique: 'UNIQUE',
};

/** The strongest first. */
const STRENGTH: readonly Constraint[] = ['PRIMARY_KEY', 'NOT_NULL', 'UNIQUE'];

/** What options of a column declare; older shapes of the tree say whether a unique column is the key. */
const constraintIn = (options: readonly unknown[]): Constraint => {
  const said = options.map((one) => {
    const { choice, held } = choiceOf(nodeAt(one)?.['option'] ?? one);
    return choice === 'Unique' && nodeAt(held)?.['is_primary'] === true ? 'PRIMARY_KEY' : WORDS[choice];
  });
  return STRENGTH.find((constraint) => said.includes(constraint)) ?? 'NULL';
};

const columnDeclared = (node: unknown): DeclaredColumn => ({
  name: nameOf(nodeAt(node)?.['name']),
  type: typeDeclared(nodeAt(node)?.['data_type']),
  constraint: constraintIn(listAt(node, 'options')),
});

/** The columns that a constraint of a whole table names. */
const columnsOfKey = (held: unknown): readonly string[] =>
  listAt(held, 'columns').flatMap((one) => {
    const name = identifierOf(one) ?? identifierOf(nodeAt(one, 'column', 'expr')?.['Identifier']);
    return name ? [name.text] : [];
  });

/** The columns of the primary key that a constraint of a whole table declares. */
const keyIn = (constraint: unknown): readonly string[] => {
  const { choice, held } = choiceOf(constraint);
  return choice === 'PrimaryKey' ? columnsOfKey(held) : [];
};

const created = (held: Node): readonly TableStep[] => {
  const columns = listAt(held, 'columns').map(columnDeclared);
  if (columns.length === 0) throw new Unread('unsupported');
  const key = new Set(
    listAt(held, 'constraints')
      .flatMap(keyIn)
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

const altered = (name: string, operation: unknown): readonly TableStep[] => {
  const { choice, held } = choiceOf(operation);
  if (choice === 'SetNotNull') return [{ step: 'constrain', name, constraint: 'NOT_NULL' }];
  if (choice === 'DropNotNull') return [{ step: 'constrain', name, constraint: 'NULL' }];
  if (choice !== 'SetDataType') return [];
  return [{ step: 'retype', name, type: typeDeclared(nodeAt(held)?.['data_type']) }];
};

/** Dialects in which a column that is declared anew requires a value only if it says so again. */
const FORGETFUL: ReadonlySet<string> = new Set(['mysql', 'mssql']);

/** A column that is declared anew, possibly by another name. */
const declaredAnew = (name: string, to: string, held: Node, isForgetful: boolean): readonly TableStep[] => {
  const [type, constraint] = [typeDeclared(held['data_type']), constraintIn(listAt(held, 'options'))];
  if (isForgetful || constraint !== 'NULL') return [{ step: 'declare', name, column: { name: to, type, constraint } }];
  const renamed: readonly TableStep[] = name === to ? [] : [{ step: 'rename', name, to }];
  return [...renamed, { step: 'retype', name: to, type }];
};

const HANDLERS: Readonly<Record<string, (held: Node, isForgetful: boolean) => readonly TableStep[]>> = {
  AddColumn: (held) => [
    { step: 'add', column: columnDeclared(held['column_def']), isLenient: held['if_not_exists'] === true },
  ],
  DropColumn: (held) => {
    const names = listAt(held, 'column_names');
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
    declaredAnew(nameOf(held['old_name']), nameOf(held['new_name']), held, isForgetful),
  ModifyColumn: (held, isForgetful) =>
    declaredAnew(nameOf(held['col_name']), nameOf(held['col_name']), held, isForgetful),
  AlterColumn: (held) => altered(nameOf(held['column_name']), held['op']),
  AddConstraint: (held) =>
    keyIn(held['constraint'] ?? held).map((name) => ({ step: 'constrain', name, constraint: 'PRIMARY_KEY' })),
  SwapWith: () => {
    throw new Unread('unsupported');
  },
};

/** What an operation does to columns; most that are not named here do nothing to them. */
const operated = (operation: unknown, isForgetful: boolean): readonly TableStep[] => {
  const { choice, held } = choiceOf(operation);
  const handler = Object.hasOwn(HANDLERS, choice) ? HANDLERS[choice] : undefined;
  return handler && isNode(held) ? handler(held, isForgetful) : [];
};

const definitionsIn = (statement: unknown, { name: dialect }: Dialect): readonly Definition[] => {
  const { choice, held } = choiceOf(statement);
  if (!isNode(held)) return [];
  if (choice === 'CreateTable') return [{ table: tableOf(held['name']), steps: created(held) }];
  if (choice === 'AlterTable') {
    const isForgetful = FORGETFUL.has(dialect);
    const steps = listAt(held, 'operations').flatMap((operation) => operated(operation, isForgetful));
    return [{ table: tableOf(held['name']), steps }];
  }
  if (choice === 'CreateView' || choice === 'AlterView') throw new Unread('unsupported');
  if (choice !== 'Drop' || held['object_type'] !== 'Table') return [];
  return listAt(held, 'names').map((name) => ({ table: tableOf(name), steps: [{ step: 'remove' }] }));
};

/** Some dialects say a new type without a word before it, as others do behind MODIFY. */
const asModify = (text: string): string => text.replace(/\bALTER\s+COLUMN\s/gi, 'MODIFY COLUMN ');

const parsed = (tokens: Tokens, dialect: Dialect): readonly unknown[] | Reason => {
  const found = parseStatement(tokens, dialect);
  if (typeof found !== 'string') return found.statements;
  const other = asModify(tokens.text);
  if (found !== 'syntax' || other === tokens.text) return found;
  const again = parseStatement(tokensOf(other, dialect), dialect);
  return typeof again === 'string' ? found : again.statements;
};

const readOne = (text: string, dialect: Dialect): readonly Definition[] | Reason => {
  const tokens = tokensOf(text, dialect);
  if (isTemplate(tokens)) return 'template';
  const statements = parsed(tokens, dialect);
  if (typeof statements === 'string') return statements;
  try {
    return statements.flatMap((statement) => definitionsIn(statement, dialect));
  } catch (error) {
    if (error instanceof Unread) return error.reason;
    // The engine's stack ends only in trees deeper than any statement a person or a tool writes.
    if (error instanceof RangeError) return 'too deep';
    throw error;
  }
};

/** Statements that do nothing to columns need not be understood. */
const DEFINING = /^\s*(CREATE|ALTER|DROP|RENAME|EXEC)\b/i;

/** What the statements of a text do to tables. Never throws for what the text holds, except ParserBroke. */
export const readDdl = (sql: string, dialect: Dialect): Ddl => {
  if (sql.length > LONGEST_SQL) return { text: opening(sql), reason: 'too long' };
  const texts = statementsOf(tokensOf(sql, dialect), dialect);
  if (texts.length > MOST_STATEMENTS) return { text: opening(texts[MOST_STATEMENTS] ?? ''), reason: 'too long' };
  const definitions: Definition[] = [];
  let steps = 0;
  for (const text of texts) {
    const found = readOne(text, dialect);
    if (typeof found === 'string') {
      if (found === 'syntax' && texts.length > 1 && !DEFINING.test(text)) continue;
      return { text: opening(text), reason: found };
    }
    for (const definition of found) {
      definitions.push(definition);
      for (const one of definition.steps) steps += one.step === 'create' ? one.columns.length : 1;
    }
    if (steps > MOST_STEPS) return { text: opening(text), reason: 'too many columns' };
  }
  return definitions.length > 0 ? { definitions } : { text: opening(sql), reason: 'unsupported' };
};
