import type { Dialect } from './dialect.ts';
import { type Identifier, isSameTable, storedIdentifier } from './identifier.ts';
import { MAX_SQL_LENGTH, statementOpening } from './limits.ts';
import { type SqlReadContext, WorkLimitExceeded } from './name-scope.ts';
import { type ParsedSql, parseStatement } from './parse.ts';
import { readSqlQuery } from './query.ts';
import type { ColumnName, SqlColumn, SqlColumnPath, TableName, Unresolved, UnresolvedReason } from './sql-column.ts';
import { readStatement, readWritingStatement } from './statement.ts';
import { fillTemporary, type MadeTable } from './temporary-table.ts';
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
export type Findings = {
  readonly mappings: Map<string, { readonly mapping: SqlMapping; readonly origins: Map<string, SqlColumnPath> }>;
  readonly tables: Map<string, TableName>;
  readonly unresolved: Map<string, Unresolved>;
  readonly made: MadeTable[];
  readonly variables: Set<string>;
  work: number;
};

/** Creates the results of a text that is read after others made some tables. */
export const createTextFindings = (made: readonly MadeTable[] = []): Findings => ({
  mappings: new Map(),
  tables: new Map(),
  unresolved: new Map(),
  made: [...made],
  variables: new Set(),
  work: 0,
});

export const reportUnresolved = (findings: Findings, text: string, reason: UnresolvedReason): void => {
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

/** Returns the columns of a table that a statement made, unless some of them are unknown. */
const namesOfMade = ({ parts }: MadeTable): readonly ColumnName[] | undefined =>
  parts.some((part) => 'rest' in part)
    ? undefined
    : parts.flatMap((part) => ('derivations' in part && part.name ? [[part.name.text]] : []));

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
      const own = made(table.map(storedIdentifier));
      // A temporary table hides one of the same name that lasts.
      if (own?.temporary) return namesOfMade(own);
      findings.tables.set(JSON.stringify(table), table);
      return catalog(table) ?? (own && namesOfMade(own));
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

export const failureReason = (error: unknown): UnresolvedReason => {
  if (error instanceof WorkLimitExceeded) return 'too many columns';
  // JavaScript's stack overflows only on trees deeper than any statement that a person or a tool writes.
  if (error instanceof RangeError) return 'too deep';
  throw error;
};

/** Matches the start of a program: its names may be variables, and only its first statement shows that it is one. */
const PROGRAM_START = /^(CREATE\s+(OR\s+\w+\s+)?(PROC|PROCEDURE|FUNCTION|TRIGGER|PACKAGE)\b|DECLARE\b)/i;

/** Parses one statement, or says why that fails. */
export const parseText = (text: string, dialect: Dialect): ParsedSql | UnresolvedReason => {
  const tokens = tokenizeSql(text, dialect);
  if (hasTemplate(tokens)) return 'template';
  const parsed = parseStatement(tokens, dialect);
  return typeof parsed === 'string' && PROGRAM_START.test(text) ? 'unsupported' : parsed;
};

/** What a statement writes becomes a mapping, or part of the temporary table that it fills. */
const addWrites = (
  findings: Findings,
  dialect: Dialect,
  { writes }: StatementFindings,
  spend: (amount: number) => void,
): void => {
  for (const { target, name, column } of writes) {
    const at = target ? findings.made.findLastIndex((one) => isSameTable(one.name, target.name, dialect)) : -1;
    const own = findings.made[at];
    if (own?.temporary) findings.made[at] = fillTemporary(own, name, column, dialect, spend);
    else addMapping(findings, target?.table, name, column);
  }
};

/** Reads one parsed statement; `text` identifies it where it cannot be read. */
export const readParsedStatement = (
  findings: Findings,
  { text, tokens, statement }: { text: string; tokens: ParsedSql['tokens']; statement: unknown },
  dialect: Dialect,
  catalog: ColumnCatalog,
  wanted: readonly string[] | undefined,
): void => {
  const statementFindings = createFindings();
  const reading = createReadContext(findings, dialect, catalog, statementFindings, tokens);
  try {
    readStatement({ reading, statementFindings, wanted }, statement);
    addWrites(findings, dialect, statementFindings, reading.spend);
  } catch (error) {
    reportUnresolved(findings, statementOpening(text), failureReason(error));
  }
  for (const one of statementFindings.unresolved) reportUnresolved(findings, one.text, one.reason);
  findings.made.push(...statementFindings.made);
  for (const variable of statementFindings.variables) findings.variables.add(variable);
};

/** Reads one statement and returns whether the following ones can be read. */
const readOneStatement = (
  findings: Findings,
  text: string,
  dialect: Dialect,
  catalog: ColumnCatalog,
  wanted: readonly string[] | undefined,
): boolean => {
  const parsed = parseText(text, dialect);
  if (typeof parsed === 'string') {
    reportUnresolved(findings, statementOpening(text), parsed);
    return !(parsed === 'unsupported' && PROGRAM_START.test(text));
  }
  const { tokens } = parsed;
  for (const statement of parsed.statements)
    readParsedStatement(findings, { text, tokens, statement }, dialect, catalog, wanted);
  return true;
};

export const toColumnLineage = (findings: Findings): ColumnLineage => ({
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
  const findings = createTextFindings();
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
