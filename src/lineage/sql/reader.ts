import { openThread, type Refusal, threadBeside } from '../../thread.ts';
import type { Reason, TableName } from './column.ts';
import type { Ddl } from './ddl.ts';
import type { Dialect } from './dialect.ts';
import { LONGEST_SQL, opening } from './limits.ts';
import type { Catalog, ColumnLineage } from './lineage.ts';
import type { Answer, LineageTask, Task } from './worker.ts';

/** Reads SQL beside the event loop. */
export type SqlReader = {
  /** The tables whose columns `columnLineageOf` will ask for, as the text names them. */
  tablesOf(sql: string, dialect: Dialect): Promise<readonly TableName[]>;
  /**
   * Which columns a text writes from which. `wanted` are the columns of what a bare query is read for. Never rejects:
   * what cannot be read is reported in the answer.
   */
  columnLineageOf(sql: string, dialect: Dialect, catalog: Catalog, wanted?: readonly string[]): Promise<ColumnLineage>;
  /** What statements that define tables do to them. Never rejects either. */
  ddlOf(sql: string, dialect: Dialect): Promise<Ddl>;
  close(): Promise<void>;
};

export type SqlReaderOptions = {
  /** A text that takes longer is given up. */
  readonly timeoutMs?: number;
  /** After so long without work the thread and its memory are given back. */
  readonly idleMs?: number;
  /** Told why the thread failed: of what a text holds it never does. */
  readonly report?: (cause: unknown) => void;
};

const DEFAULTS = { timeoutMs: 2_000, idleMs: 60_000, report: () => undefined };

const unread = (sql: string, reason: Reason): ColumnLineage => ({
  mappings: [],
  tables: [],
  unresolved: [{ text: opening(sql), reason }],
});

/** What is not done for want of a thread is no reason that lies in the text. */
const reasonOf = (refusal: Refusal): Reason => (refusal === 'too slow' ? refusal : 'failed');

/** Opens a reader, whose thread starts with the first text and reads one text at a time. */
export const openSqlReader = (options: SqlReaderOptions = {}): SqlReader => {
  const thread = openThread<Task, Answer>({
    ...DEFAULTS,
    ...options,
    file: threadBeside(import.meta.url, 'worker'),
    heapMiB: 512,
    isLast: (answer) => answer === 'broken',
  });

  const askAnything = async (task: Task): Promise<ColumnLineage | Ddl | Reason> => {
    if (task.sql.length > LONGEST_SQL) return 'too long';
    const outcome = await thread.ask(task);
    if ('refusal' in outcome) return reasonOf(outcome.refusal);
    return outcome.answer === 'broken' ? 'too deep' : outcome.answer;
  };

  /** The thread answers tasks of each sort in the shape of that sort. */
  const ask = async (task: LineageTask): Promise<ColumnLineage> => {
    const answer = await askAnything(task);
    return typeof answer === 'string' ? unread(task.sql, answer) : (answer as ColumnLineage);
  };

  return {
    tablesOf: async (sql, dialect) => (await ask({ sql, dialect: dialect.name, tables: [], wanted: undefined })).tables,
    columnLineageOf: async (sql, dialect, catalog, wanted) => {
      const blind = await ask({ sql, dialect: dialect.name, tables: [], wanted });
      const tables = blind.tables.flatMap((table): LineageTask['tables'] => {
        const columns = catalog(table);
        return columns ? [[table, columns]] : [];
      });
      return tables.length === 0 ? blind : ask({ sql, dialect: dialect.name, tables, wanted });
    },
    ddlOf: async (sql, dialect) => {
      const answer = await askAnything({ sql, dialect: dialect.name, isDdl: true });
      return typeof answer === 'string' ? { text: opening(sql), reason: answer } : (answer as Ddl);
    },
    close: () => thread.close(),
  };
};
