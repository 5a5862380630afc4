import { serveTasks } from '../../platform/thread.ts';
import { type ColumnLineage, readColumnLineage } from './column-lineage.ts';
import { type DdlResult, readDdl } from './ddl.ts';
import { findDialect } from './dialect.ts';
import { loadParser, ParserBroken } from './parse.ts';
import { type NamedBySql, readSessionStatement, readSqlNames, type SessionReading } from './session-statement.ts';
import type { ColumnName, TableName } from './sql-column.ts';
import type { SessionTemporary } from './temporary-table.ts';

/** A text to read for column lineage, with the known columns of the tables it names. */
export type ColumnLineageTask = {
  readonly sql: string;
  readonly dialect: string;
  readonly tables: readonly (readonly [TableName, readonly ColumnName[]])[];
  readonly wanted: readonly string[] | undefined;
};

/** A text to read for DDL. */
type DdlTask = { readonly sql: string; readonly dialect: string; readonly isDdl: true };

/** A statement whose tables are asked for. */
export type NamesTask = { readonly sql: string; readonly dialect: string; readonly isNames: true };

/** A statement of a session, with the known columns of its tables and the temporary tables it names. */
export type SessionTask = Omit<ColumnLineageTask, 'wanted'> & { readonly temporaries: readonly SessionTemporary[] };

export type SqlTask = ColumnLineageTask | DdlTask | NamesTask | SessionTask;

type SqlResult = ColumnLineage | DdlResult | NamedBySql | SessionReading;

/** The result for a text, or that the parser broke while reading it. */
export type SqlAnswer = SqlResult | 'broken';

const keyOf = (table: TableName): string => JSON.stringify(table);

const runTask = (task: SqlTask): SqlResult => {
  const { sql, dialect } = task;
  const spoken = findDialect(dialect);
  if (spoken === undefined) throw new Error(`unknown SQL dialect ${dialect}`);
  if ('isDdl' in task) return readDdl(sql, spoken);
  if ('isNames' in task) return readSqlNames(sql, spoken);
  const columns = new Map(task.tables.map(([table, known]) => [keyOf(table), known]));
  const catalog = (table: TableName) => columns.get(keyOf(table));
  return 'temporaries' in task
    ? readSessionStatement(sql, { dialect: spoken, catalog, temporaries: task.temporaries })
    : readColumnLineage(sql, spoken, catalog, task.wanted);
};

const answerTask = (task: SqlTask): SqlAnswer => {
  try {
    return runTask(task);
  } catch (error) {
    if (!(error instanceof ParserBroken)) throw error;
    // After a stack overflow the parser's own memory may be damaged, so this thread must not be used again.
    return 'broken';
  }
};

await loadParser();
serveTasks(answerTask);
