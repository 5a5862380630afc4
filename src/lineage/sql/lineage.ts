import type { Column, ColumnName, ColumnPath, Reason, TableName, Unresolved, Yield } from './column.ts';
import type { Dialect } from './dialect.ts';
import { LONGEST_SQL, opening } from './limits.ts';
import { type Identifier, sameName, stored } from './name.ts';
import { parseStatement } from './parse.ts';
import { readQuery } from './query.ts';
import { Overrun, type Reading } from './scope.ts';
import { readStatement, writing } from './statement.ts';
import { nothingSaid, type Said } from './target.ts';
import { isTemplate, statementsOf, tokensOf } from './tokens.ts';

/** A column and what it is written from; `function` is the expression when it is more than a column as it is. */
export type Mapping = {
  /** The table that a statement writes to; a bare query has none, and its columns go by their own names. */
  readonly target?: TableName;
  readonly fromColumns: readonly ColumnPath[];
  readonly toColumn: string;
  readonly function?: string;
};

export type ColumnLineage = {
  readonly mappings: readonly Mapping[];
  /** All tables whose columns matter, those written to among them. */
  readonly tables: readonly TableName[];
  readonly unresolved: readonly Unresolved[];
};

/** The columns of a table by its name as the statement has it, fields included; undefined when it is unknown. */
export type Catalog = (table: TableName) => readonly ColumnName[] | undefined;

const MOST_STATEMENTS = 1_000;
/** Names looked up and columns expanded in all statements of a text together. */
const MOST_WORK = 300_000;
const MOST_MAPPINGS = 50_000;
const MOST_UNRESOLVED = 1_000;

/** What is found while a text is read, statement after statement. */
type Findings = {
  readonly mappings: Map<string, { readonly mapping: Mapping; readonly origins: Map<string, ColumnPath> }>;
  readonly tables: Map<string, TableName>;
  readonly unresolved: Map<string, Unresolved>;
  readonly made: { readonly name: readonly Identifier[]; readonly parts: Yield; readonly temporary: boolean }[];
  readonly variables: Set<string>;
  work: number;
};

const report = (findings: Findings, text: string, reason: Reason): void => {
  if (findings.unresolved.size < MOST_UNRESOLVED)
    findings.unresolved.set(JSON.stringify([text, reason]), { text, reason });
};

const addMapping = (findings: Findings, target: TableName | undefined, toColumn: string, column: Column): void => {
  for (const one of column.unresolved) report(findings, one.text, one.reason);
  for (const { origins, text } of column.derivations) {
    const key = JSON.stringify([target, toColumn, text]);
    const known = findings.mappings.get(key);
    if (known) {
      for (const [own, path] of origins) known.origins.set(own, path);
      continue;
    }
    if (findings.mappings.size >= MOST_MAPPINGS) throw new Overrun();
    const mapping = {
      ...(target && { target }),
      fromColumns: [],
      toColumn,
      ...(text !== undefined && { function: text }),
    };
    findings.mappings.set(key, { mapping, origins: new Map(origins) });
  }
};

const sameTable = (one: readonly Identifier[], other: readonly Identifier[], dialect: Dialect): boolean =>
  one.length === other.length &&
  one.every((part, index) => {
    const same = other[index];
    return same !== undefined && sameName(part, same, dialect);
  });

const readingOf = (
  findings: Findings,
  dialect: Dialect,
  catalog: Catalog,
  said: Said,
  tokens: Reading['tokens'],
): Reading => {
  const made = (name: readonly Identifier[]) => findings.made.findLast((one) => sameTable(one.name, name, dialect));
  return {
    dialect,
    tokens,
    columnsOf: (table) => {
      findings.tables.set(JSON.stringify(table), table);
      const known = catalog(table);
      if (known) return known;
      const own = made(table.map(stored));
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
      if (findings.work > MOST_WORK) throw new Overrun();
    },
    query: readQuery,
    write: (reading, body, named) => writing({ reading, said, wanted: undefined }, body, named),
  };
};

const failure = (error: unknown): Reason => {
  if (error instanceof Overrun) return 'too many columns';
  // The engine's stack ends only in trees deeper than any statement a person or a tool writes.
  if (error instanceof RangeError) return 'too deep';
  throw error;
};

/** A program: the names in it may be its own variables, and only the first of its statements says so. */
const PROGRAM = /^(CREATE\s+(OR\s+\w+\s+)?(PROC|PROCEDURE|FUNCTION|TRIGGER|PACKAGE)\b|DECLARE\b)/i;

/** Reads one statement and says whether those behind it can be read. */
const readOne = (
  findings: Findings,
  text: string,
  dialect: Dialect,
  catalog: Catalog,
  wanted: readonly string[] | undefined,
): boolean => {
  const tokens = tokensOf(text, dialect);
  if (isTemplate(tokens)) {
    report(findings, opening(text), 'template');
    return true;
  }
  const parsed = parseStatement(tokens, dialect);
  if (typeof parsed === 'string') {
    const program = PROGRAM.test(text);
    report(findings, opening(text), program ? 'unsupported' : parsed);
    return !program;
  }
  for (const statement of parsed.statements) {
    const said = nothingSaid();
    const reading = readingOf(findings, dialect, catalog, said, parsed.tokens);
    try {
      readStatement({ reading, said, wanted }, statement);
      for (const { target, name, column } of said.writes) addMapping(findings, target?.table, name, column);
    } catch (error) {
      report(findings, opening(text), failure(error));
    }
    for (const one of said.unresolved) report(findings, one.text, one.reason);
    findings.made.push(...said.made);
    for (const variable of said.variables) findings.variables.add(variable);
  }
  return true;
};

const finished = (findings: Findings): ColumnLineage => ({
  mappings: [...findings.mappings.values()].map(({ mapping, origins }) => ({
    ...mapping,
    fromColumns: [...origins.values()],
  })),
  tables: [...findings.tables.values()],
  unresolved: [...findings.unresolved.values()],
});

/**
 * Which columns the statements of a text write from which; `wanted` are the columns of what a bare query is read for.
 * What cannot be told is reported and nothing is guessed. Never throws for what the text holds, except ParserBroke.
 */
export const readLineage = (
  sql: string,
  dialect: Dialect,
  catalog: Catalog,
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
  if (sql.length > LONGEST_SQL) {
    report(findings, opening(sql.slice(0, 200)), 'too long');
    return finished(findings);
  }
  const statements = statementsOf(tokensOf(sql, dialect), dialect);
  for (const text of statements.slice(0, MOST_STATEMENTS)) {
    if (!readOne(findings, text, dialect, catalog, wanted)) return finished(findings);
  }
  const beyond = statements[MOST_STATEMENTS];
  if (beyond !== undefined) report(findings, opening(beyond), 'too long');
  return finished(findings);
};
