import { serveTasks } from '../../platform/thread.ts';
import { type ColumnLineage, readColumnLineage } from './column-lineage.ts';
import { type DdlResult, readDdl } from './ddl.ts';
import { findDialect } from './dialect.ts';
import { loadParser, ParserBroken } from './parse.ts';
import type { ColumnName, TableName } from './sql-column.ts';

/** A text to read for column lineage, with the known columns of the tables it names. */
export type ColumnLineageTask = {
  readonly sql: string;
  readonly dialect: string;
  readonly tables: readonly (readonly [TableName, readonly ColumnName[]])[];
  readonly wanted: readonly string[] | undefined;
};

/** A text to read for DDL. */
type DdlTask = { readonly sql: string; readonly dialect: string; readonly isDdl: true };

export type SqlTask = ColumnLineageTask | DdlTask;

/** The result for a text, or that the parser broke while reading it. */
export type SqlAnswer = ColumnLineage | DdlResult | 'broken';

const keyOf = (table: TableName): string => JSON.stringify(table);

const runTask = (task: SqlTask): ColumnLineage | DdlResult => {
  const { sql, dialect } = task;
  const spoken = findDialect(dialect);
  if (spoken === undefined) throw new Error(`unknown SQL dialect ${dialect}`);
  if ('isDdl' in task) return readDdl(sql, spoken);
  const { tables, wanted } = task;
  const columns = new Map(tables.map(([table, known]) => [keyOf(table), known]));
  return readColumnLineage(sql, spoken, (table) => columns.get(keyOf(table)), wanted);
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
