import { type MessagePort, parentPort } from 'node:worker_threads';
import type { ColumnName, TableName } from './column.ts';
import { readDdl } from './ddl.ts';
import { dialectNamed } from './dialect.ts';
import { readLineage } from './lineage.ts';
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

const keyOf = (table: TableName): string => JSON.stringify(table);

const work = (task: Task) => {
  const { sql, dialect } = task;
  const spoken = dialectNamed(dialect);
  if (spoken === undefined) throw new Error(`no dialect is called ${dialect}`);
  if ('isDdl' in task) return readDdl(sql, spoken);
  const { tables, wanted } = task;
  const columns = new Map(tables.map(([table, known]) => [keyOf(table), known]));
  return readLineage(sql, spoken, (table) => columns.get(keyOf(table)), wanted);
};

const answer = (port: MessagePort, task: Task): void => {
  try {
    port.postMessage(work(task));
  } catch (error) {
    if (!(error instanceof ParserBroke)) throw error;
    // A parser whose stack ran over has written into its own memory: this thread must not be asked again.
    port.postMessage('broken');
  }
};

if (parentPort) {
  const port = parentPort;
  await loadParser();
  port.on('message', (task: Task) => answer(port, task));
  port.postMessage('ready');
}
