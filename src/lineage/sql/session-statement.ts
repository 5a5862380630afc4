import {
  type ColumnCatalog,
  createTextFindings,
  failureReason,
  parseText,
  readParsedStatement,
  reportUnresolved,
  type SqlMapping,
  toColumnLineage,
} from './column-lineage.ts';
import type { Dialect } from './dialect.ts';
import { type Identifier, isSameTable, readNameParts } from './identifier.ts';
import { MAX_SQL_LENGTH, statementOpening } from './limits.ts';
import { findNamedTables } from './named-tables.ts';
import type { ParsedSql } from './parse.ts';
import type { TableName, Unresolved, UnresolvedReason } from './sql-column.ts';
import { OPAQUE_STATEMENT } from './statement.ts';
import { choiceOf, isSyntaxNode, nodeAt, nodeListAt } from './syntax-tree.ts';
import { fromSessionTemporary, type SessionTemporary, toSessionTemporary } from './temporary-table.ts';

/** Reads one statement of a session, which knows the temporary tables that earlier ones made. */

/** What a statement does: it only asks, it may change tables, or neither. */
type StatementEffect = 'query' | 'write' | 'none';

/** A table that a statement writes. */
export type WrittenTable = { readonly table: TableName; readonly isView: boolean };

/** What a statement names, without any knowledge of columns. */
export type NamedBySql = {
  readonly effect: StatementEffect;
  /** The tables that it reads or changes; names of temporary tables are among them. */
  readonly tables: readonly TableName[];
  /** The temporary tables that it makes. */
  readonly makesTemporary: boolean;
  readonly dropped: readonly TableName[];
  /** Why it cannot be read. */
  readonly failure?: UnresolvedReason;
};

export type SessionReading = {
  readonly mappings: readonly SqlMapping[];
  /** The lasting tables whose rows it reads, also through temporary ones. */
  readonly reads: readonly TableName[];
  readonly writes: readonly WrittenTable[];
  /** The temporary tables that it makes or fills. */
  readonly temporaries: readonly SessionTemporary[];
  readonly unresolved: readonly Unresolved[];
};

const toTableName = (name: readonly Identifier[]): TableName => name.map((part) => part.text);

const distinctTables = (tables: readonly TableName[]): readonly TableName[] => [
  ...new Map(tables.map((table) => [JSON.stringify(table), table])).values(),
];

const CREATES = /^Create(Table|View)$/;

/** Statements that change tables; others, such as EXPLAIN, may contain one and do not run it. */
const CHANGES = /^(Query|Insert|Update|Merge|Create(Table|View))$/;

/** Finds the targets that a statement names as such. */
const findTargets = (statement: unknown): readonly WrittenTable[] =>
  CHANGES.test(choiceOf(statement).choice) ? findTargetsIn(statement) : [];

const findTargetsIn = (node: unknown): readonly WrittenTable[] => {
  if (Array.isArray(node)) return node.flatMap(findTargetsIn);
  if (!isSyntaxNode(node)) return [];
  return Object.entries(node).flatMap(([member, held]) => {
    const inner = findTargetsIn(held);
    const name = targetOf(member, held);
    return name ? [{ table: toTableName(name), isView: member === 'CreateView' }, ...inner] : inner;
  });
};

const targetOf = (member: string, held: unknown): readonly Identifier[] | undefined => {
  if (member === 'Insert') return readNameParts(nodeAt(nodeAt(held)?.['table'])?.['TableName']);
  if (member === 'Merge') return readNameParts(nodeAt(nodeAt(held)?.['table'], 'Table')?.['name']);
  if (member === 'into') return readNameParts(nodeAt(held)?.['name']);
  const created = CREATES.test(member) ? nodeAt(held) : undefined;
  const isMade = created && (isSyntaxNode(created['query']) || created['clone'] != null);
  return isMade ? (readNameParts(created['to']) ?? readNameParts(created['name'])) : undefined;
};

const effectOf = (statement: unknown): StatementEffect => {
  const { choice } = choiceOf(statement);
  if (choice === 'Query') return containsWrite(statement) ? 'write' : 'query';
  return /^(Insert|Update|Merge)$/.test(choice) || findTargets(statement).length > 0 ? 'write' : 'none';
};

const containsWrite = (node: unknown): boolean => {
  if (Array.isArray(node)) return node.some(containsWrite);
  if (!isSyntaxNode(node)) return false;
  return Object.entries(node).some(
    ([member, held]) =>
      (/^(Insert|Update|Delete|Merge|into)$/.test(member) && isSyntaxNode(held)) || containsWrite(held),
  );
};

/** Returns the table that a new one is made like: its columns are needed, but none of its rows is read. */
const likenessOf = (statement: unknown): readonly TableName[] => {
  const like = choiceOf(nodeAt(statement, 'CreateTable')?.['like']).held;
  const name = readNameParts(nodeAt(like)?.['name']);
  return name ? [toTableName(name)] : [];
};

const isOpaque = (statement: unknown): boolean => OPAQUE_STATEMENT.test(choiceOf(statement).choice);

const droppedBy = (statement: unknown): readonly TableName[] => {
  const held = nodeAt(statement, 'Drop');
  return nodeListAt(held, 'names').flatMap((name) => {
    const parts = readNameParts(name);
    return parts ? [toTableName(parts)] : [];
  });
};

const parseBounded = (sql: string, dialect: Dialect): ParsedSql | UnresolvedReason =>
  sql.length > MAX_SQL_LENGTH ? 'too long' : parseText(sql, dialect);

const isTemporary = (statement: unknown): boolean => {
  const { choice, held } = choiceOf(statement);
  if (choice === 'Declare' || choice === 'Cache') return true;
  const into = nodeAt(statement, 'Query', 'body', 'Select', 'into');
  const made = into ?? (CREATES.test(choice) ? nodeAt(held) : undefined);
  return (
    made !== undefined &&
    (made['temporary'] === true ||
      made['volatile'] === true ||
      readNameParts(made['name'])?.at(-1)?.text.startsWith('#') === true)
  );
};

const unreadableNames = (failure: UnresolvedReason): NamedBySql => ({
  effect: 'none',
  tables: [],
  makesTemporary: false,
  dropped: [],
  failure,
});

/** Reads which tables a statement names and what it does with them. */
export const readSqlNames = (sql: string, dialect: Dialect): NamedBySql => {
  const parsed = parseBounded(sql, dialect);
  if (typeof parsed === 'string') return unreadableNames(parsed);
  try {
    return namesIn(parsed, dialect);
  } catch (error) {
    return unreadableNames(failureReason(error));
  }
};

const namesIn = ({ statements }: ParsedSql, dialect: Dialect): NamedBySql => {
  const effects = statements.map(effectOf);
  const read = statements.flatMap((one) => findNamedTables(one, dialect)).map(toTableName);
  const written = statements.flatMap(findTargets).map(({ table }) => table);
  return {
    effect: effects.find((one) => one === 'write') ?? effects.find((one) => one === 'query') ?? 'none',
    tables: distinctTables([...read, ...written, ...statements.flatMap(likenessOf)]),
    makesTemporary: statements.some(isTemporary),
    dropped: statements.flatMap(droppedBy),
    ...(statements.some(isOpaque) ? { failure: 'unsupported' as const } : {}),
  };
};

type SessionContext = {
  readonly dialect: Dialect;
  readonly catalog: ColumnCatalog;
  readonly temporaries: readonly SessionTemporary[];
};

/** Returns the lasting tables behind the tables that a statement reads. */
const lastingTables = (
  names: readonly (readonly Identifier[])[],
  { dialect, temporaries }: SessionContext,
): readonly TableName[] =>
  distinctTables(
    names.flatMap((name) => {
      const own = temporaries.findLast((one) => isSameTable(one.name, name, dialect));
      return own ? own.sources : [toTableName(name)];
    }),
  );

/** Reads what a statement of a session writes and from which tables. */
export const readSessionStatement = (sql: string, context: SessionContext): SessionReading => {
  const { dialect, catalog, temporaries } = context;
  const parsed = parseBounded(sql, dialect);
  const before = temporaries.map(fromSessionTemporary);
  const findings = createTextFindings(before);
  if (typeof parsed === 'string') {
    reportUnresolved(findings, statementOpening(sql), parsed);
    return { ...toColumnLineage(findings), reads: [], writes: [], temporaries: [] };
  }
  for (const statement of parsed.statements)
    readParsedStatement(findings, { text: sql, tokens: parsed.tokens, statement }, dialect, catalog, undefined);
  const reads = lastingTables(
    parsed.statements.flatMap((one) => findNamedTables(one, dialect)),
    context,
  );
  const isKept = (table: TableName): boolean =>
    !findings.made.some(({ name, temporary }) => temporary && isSameTable(name, plainName(table), dialect));
  const { mappings, unresolved } = toColumnLineage(findings);
  const written = mappings.flatMap(({ target }) => (target ? [{ table: target, isView: false }] : []));
  const named = parsed.statements.flatMap(findTargets);
  const writes = new Map([...written, ...named].map((one) => [JSON.stringify(one.table), one]));
  return {
    mappings: mappings.filter(({ target }) => target !== undefined),
    unresolved,
    reads,
    writes: [...writes.values()].filter(({ table }) => isKept(table)),
    temporaries: changedTemporaries(findings.made, before, { ...context, reads }),
  };
};

const plainName = (table: TableName): readonly Identifier[] => table.map((text) => ({ text, style: 'plain' }));

/** Returns the temporary tables that a statement made or filled. Their sources are those it read and those of before. */
const changedTemporaries = (
  made: ReturnType<typeof createTextFindings>['made'],
  before: ReturnType<typeof createTextFindings>['made'],
  { temporaries, reads }: SessionContext & { readonly reads: readonly TableName[] },
): readonly SessionTemporary[] =>
  made.flatMap((one, at) => {
    if (!one.temporary || one === before[at]) return [];
    const own = at < before.length ? temporaries[at] : undefined;
    return [toSessionTemporary(one, distinctTables([...(own?.sources ?? []), ...reads]))];
  });
