import { openThread, type TaskRefusal, threadFile } from '../../platform/thread.ts';
import type { ColumnCatalog, ColumnLineage } from './column-lineage.ts';
import type { DdlResult } from './ddl.ts';
import type { Dialect } from './dialect.ts';
import { MAX_SQL_LENGTH, statementOpening } from './limits.ts';
import type { TableName, UnresolvedReason } from './sql-column.ts';
import type { ColumnLineageTask, SqlAnswer, SqlTask } from './worker.ts';

/** Reads SQL beside the event loop. */
export type SqlReader = {
  /** The tables whose columns `columnLineageOf` will ask for, as the text names them. */
  tablesOf(sql: string, dialect: Dialect): Promise<readonly TableName[]>;
  /**
   * Which columns a text writes from which. `wanted` are the columns of what a bare query is read for. Never rejects:
   * what cannot be read is reported in the answer.
   */
  columnLineageOf(
    sql: string,
    dialect: Dialect,
    catalog: ColumnCatalog,
    wanted?: readonly string[],
  ): Promise<ColumnLineage>;
  /** What statements that define tables do to them. Never rejects either. */
  ddlOf(sql: string, dialect: Dialect): Promise<DdlResult>;
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

const unreadableSql = (sql: string, reason: UnresolvedReason): ColumnLineage => ({
  mappings: [],
  tables: [],
  unresolved: [{ text: statementOpening(sql), reason }],
});

/** What is not done for want of a thread is no reason that lies in the text. */
const reasonOf = (refusal: TaskRefusal): UnresolvedReason => (refusal === 'too slow' ? refusal : 'failed');

/** Opens a reader, whose thread starts with the first text and reads one text at a time. */
export const openSqlReader = (options: SqlReaderOptions = {}): SqlReader => {
  const thread = openThread<SqlTask, SqlAnswer>({
    ...DEFAULTS,
    ...options,
    file: threadFile(import.meta.url, 'worker'),
    heapMiB: 512,
    isLast: (answer) => answer === 'broken',
  });

  const askAnything = async (task: SqlTask): Promise<ColumnLineage | DdlResult | UnresolvedReason> => {
    if (task.sql.length > MAX_SQL_LENGTH) return 'too long';
    const outcome = await thread.run(task);
    if ('refusal' in outcome) return reasonOf(outcome.refusal);
    return outcome.answer === 'broken' ? 'too deep' : outcome.answer;
  };

  /** The thread answers tasks of each sort in the shape of that sort. */
  const ask = async (task: ColumnLineageTask): Promise<ColumnLineage> => {
    const answer = await askAnything(task);
    return typeof answer === 'string' ? unreadableSql(task.sql, answer) : (answer as ColumnLineage);
  };

  return {
    tablesOf: async (sql, dialect) => (await ask({ sql, dialect: dialect.name, tables: [], wanted: undefined })).tables,
    columnLineageOf: async (sql, dialect, catalog, wanted) => {
      const blind = await ask({ sql, dialect: dialect.name, tables: [], wanted });
      const tables = blind.tables.flatMap((table): ColumnLineageTask['tables'] => {
        const columns = catalog(table);
        return columns ? [[table, columns]] : [];
      });
      return tables.length === 0 ? blind : ask({ sql, dialect: dialect.name, tables, wanted });
    },
    ddlOf: async (sql, dialect) => {
      const answer = await askAnything({ sql, dialect: dialect.name, isDdl: true });
      return typeof answer === 'string' ? { text: statementOpening(sql), reason: answer } : (answer as DdlResult);
    },
    close: () => thread.close(),
  };
};
