import { serveTasks } from '../../thread.ts';
import type { ColumnName, TableName } from './column.ts';
import { type Ddl, readDdl } from './ddl.ts';
import { dialectNamed } from './dialect.ts';
import { type ColumnLineage, readLineage } from './lineage.ts';
import { loadParser, ParserBroke } from './parse.ts';

/** A text to be read for what it writes, with the columns of the tables it names as far as they are known. */
export type LineageTask = {
  readonly sql: string;
  readonly dialect: string;
  readonly tables: readonly (readonly [TableName, readonly ColumnName[]])[];
  readonly wanted: readonly string[] | undefined;
};

/** A text to be read for what it does to tables. */
type DdlTask = { readonly sql: string; readonly dialect: string; readonly isDdl: true };

export type Task = LineageTask | DdlTask;

/** What a text says, or that the parser broke while it was read. */
export type Answer = ColumnLineage | Ddl | 'broken';

const keyOf = (table: TableName): string => JSON.stringify(table);

const work = (task: Task): ColumnLineage | Ddl => {
  const { sql, dialect } = task;
  const spoken = dialectNamed(dialect);
  if (spoken === undefined) throw new Error(`no dialect is called ${dialect}`);
  if ('isDdl' in task) return readDdl(sql, spoken);
  const { tables, wanted } = task;
  const columns = new Map(tables.map(([table, known]) => [keyOf(table), known]));
  return readLineage(sql, spoken, (table) => columns.get(keyOf(table)), wanted);
};

const answer = (task: Task): Answer => {
  try {
    return work(task);
  } catch (error) {
    if (!(error instanceof ParserBroke)) throw error;
    // A parser whose stack ran over has written into its own memory: this thread must not be asked again.
    return 'broken';
  }
};

await loadParser();
serveTasks(answer);
