import type { Dialect } from './dialect.ts';
import { type Identifier, isSameName, storedIdentifier } from './identifier.ts';
import { MAX_SQL_LENGTH, statementOpening } from './limits.ts';
import { type SqlReadContext, WorkLimitExceeded } from './name-scope.ts';
import { parseStatement } from './parse.ts';
import { readSqlQuery } from './query.ts';
import type {
  ColumnName,
  SqlColumn,
  SqlColumnPath,
  TableName,
  Unresolved,
  UnresolvedReason,
  YieldedColumns,
} from './sql-column.ts';
import { readStatement, readWritingStatement } from './statement.ts';
import { hasTemplate, splitStatements, tokenizeSql } from './tokens.ts';
import { createFindings, type StatementFindings } from './write-target.ts';

/** A target column and its origins; `function` is the expression unless the column is a plain copy. */
export type SqlMapping = {
  /** The table that the statement writes to; a bare query has none, and its result columns are the targets. */
  readonly target?: TableName;
  readonly fromColumns: readonly SqlColumnPath[];
  readonly toColumn: string;
  readonly function?: string;
};

export type ColumnLineage = {
  readonly mappings: readonly SqlMapping[];
  /** All tables whose columns are needed, including written ones. */
  readonly tables: readonly TableName[];
  readonly unresolved: readonly Unresolved[];
};

/**
 * Returns the columns of a table, including nested fields, by the name in the statement; undefined for an unknown
 * table.
 */
export type ColumnCatalog = (table: TableName) => readonly ColumnName[] | undefined;

const MAX_STATEMENTS = 1_000;
/** The maximum number of name lookups and expanded columns in all statements of a text. */
const MAX_WORK = 300_000;
const MAX_MAPPINGS = 50_000;
const MAX_UNRESOLVED = 1_000;

/** The results collected while reading the statements of a text. */
type Findings = {
  readonly mappings: Map<string, { readonly mapping: SqlMapping; readonly origins: Map<string, SqlColumnPath> }>;
  readonly tables: Map<string, TableName>;
  readonly unresolved: Map<string, Unresolved>;
  readonly made: {
    readonly name: readonly Identifier[];
    readonly parts: YieldedColumns;
    readonly temporary: boolean;
  }[];
  readonly variables: Set<string>;
  work: number;
};

const reportUnresolved = (findings: Findings, text: string, reason: UnresolvedReason): void => {
  if (findings.unresolved.size < MAX_UNRESOLVED)
    findings.unresolved.set(JSON.stringify([text, reason]), { text, reason });
};

const addMapping = (findings: Findings, target: TableName | undefined, toColumn: string, column: SqlColumn): void => {
  for (const one of column.unresolved) reportUnresolved(findings, one.text, one.reason);
  for (const { origins, text } of column.derivations) {
    const key = JSON.stringify([target, toColumn, text]);
    const known = findings.mappings.get(key);
    if (known) {
      for (const [own, path] of origins) known.origins.set(own, path);
      continue;
    }
    if (findings.mappings.size >= MAX_MAPPINGS) throw new WorkLimitExceeded();
    const mapping = {
      ...(target && { target }),
      fromColumns: [],
      toColumn,
      ...(text !== undefined && { function: text }),
    };
    findings.mappings.set(key, { mapping, origins: new Map(origins) });
  }
};

const isSameTable = (one: readonly Identifier[], other: readonly Identifier[], dialect: Dialect): boolean =>
  one.length === other.length &&
  one.every((part, index) => {
    const same = other[index];
    return same !== undefined && isSameName(part, same, dialect);
  });

const createReadContext = (
  findings: Findings,
  dialect: Dialect,
  catalog: ColumnCatalog,
  statementFindings: StatementFindings,
  tokens: SqlReadContext['tokens'],
): SqlReadContext => {
  const made = (name: readonly Identifier[]) => findings.made.findLast((one) => isSameTable(one.name, name, dialect));
  return {
    dialect,
    tokens,
    columnsOf: (table) => {
      findings.tables.set(JSON.stringify(table), table);
      const known = catalog(table);
      if (known) return known;
      const own = made(table.map(storedIdentifier));
      if (own === undefined || own.temporary || own.parts.some((part) => 'rest' in part)) return undefined;
      return own.parts.flatMap((part) => ('derivations' in part && part.name ? [[part.name.text]] : []));
    },
    temporary: (name) => {
      const own = made(name);
      return own?.temporary ? own.parts : undefined;
    },
    variables: findings.variables,
    spend: (amount) => {
      findings.work += amount;
      if (findings.work > MAX_WORK) throw new WorkLimitExceeded();
    },
    query: readSqlQuery,
    write: (reading, body, named) =>
      readWritingStatement({ reading, statementFindings, wanted: undefined }, body, named),
  };
};

const failureReason = (error: unknown): UnresolvedReason => {
  if (error instanceof WorkLimitExceeded) return 'too many columns';
  // JavaScript's stack overflows only on trees deeper than any statement that a person or a tool writes.
  if (error instanceof RangeError) return 'too deep';
  throw error;
};

/** Matches the start of a program: its names may be variables, and only its first statement shows that it is one. */
const PROGRAM_START = /^(CREATE\s+(OR\s+\w+\s+)?(PROC|PROCEDURE|FUNCTION|TRIGGER|PACKAGE)\b|DECLARE\b)/i;

/** Reads one statement and returns whether the following ones can be read. */
const readOneStatement = (
  findings: Findings,
  text: string,
  dialect: Dialect,
  catalog: ColumnCatalog,
  wanted: readonly string[] | undefined,
): boolean => {
  const tokens = tokenizeSql(text, dialect);
  if (hasTemplate(tokens)) {
    reportUnresolved(findings, statementOpening(text), 'template');
    return true;
  }
  const parsed = parseStatement(tokens, dialect);
  if (typeof parsed === 'string') {
    const program = PROGRAM_START.test(text);
    reportUnresolved(findings, statementOpening(text), program ? 'unsupported' : parsed);
    return !program;
  }
  for (const statement of parsed.statements) {
    const statementFindings = createFindings();
    const reading = createReadContext(findings, dialect, catalog, statementFindings, parsed.tokens);
    try {
      readStatement({ reading, statementFindings, wanted }, statement);
      for (const { target, name, column } of statementFindings.writes)
        addMapping(findings, target?.table, name, column);
    } catch (error) {
      reportUnresolved(findings, statementOpening(text), failureReason(error));
    }
    for (const one of statementFindings.unresolved) reportUnresolved(findings, one.text, one.reason);
    findings.made.push(...statementFindings.made);
    for (const variable of statementFindings.variables) findings.variables.add(variable);
  }
  return true;
};

const toColumnLineage = (findings: Findings): ColumnLineage => ({
  mappings: [...findings.mappings.values()].map(({ mapping, origins }) => ({
    ...mapping,
    fromColumns: [...origins.values()],
  })),
  tables: [...findings.tables.values()],
  unresolved: [...findings.unresolved.values()],
});

/**
 * Reads which columns the statements of a text write and from which columns; `wanted` are the result columns needed of
 * a bare query. Unclear parts are reported and never guessed. Throws only ParserBroken, whatever the text contains.
 */
export const readColumnLineage = (
  sql: string,
  dialect: Dialect,
  catalog: ColumnCatalog,
  wanted: readonly string[] | undefined,
): ColumnLineage => {
  const findings: Findings = {
    mappings: new Map(),
    tables: new Map(),
    unresolved: new Map(),
    made: [],
    variables: new Set(),
    work: 0,
  };
  if (sql.length > MAX_SQL_LENGTH) {
    reportUnresolved(findings, statementOpening(sql.slice(0, 200)), 'too long');
    return toColumnLineage(findings);
  }
  const statements = splitStatements(tokenizeSql(sql, dialect), dialect);
  for (const text of statements.slice(0, MAX_STATEMENTS)) {
    if (!readOneStatement(findings, text, dialect, catalog, wanted)) return toColumnLineage(findings);
  }
  const beyond = statements[MAX_STATEMENTS];
  if (beyond !== undefined) reportUnresolved(findings, statementOpening(beyond), 'too long');
  return toColumnLineage(findings);
};
