import { openThread, type TaskRefusal, threadFile } from '../../platform/thread.ts';
import type { ColumnCatalog, ColumnLineage } from './column-lineage.ts';
import type { DdlResult } from './ddl.ts';
import type { Dialect } from './dialect.ts';
import { MAX_SQL_LENGTH, statementOpening } from './limits.ts';
import type { NamedBySql, SessionReading } from './session-statement.ts';
import type { TableName, UnresolvedReason } from './sql-column.ts';
import type { SessionTemporary } from './temporary-table.ts';
import type { ColumnLineageTask, SqlAnswer, SqlTask } from './worker.ts';

/**
 * Entry point of the SQL reader. It runs `column-lineage.ts` and `ddl.ts` in the thread of `worker.ts`. `tokens.ts`,
 * `rewrite-query.ts` and `parse.ts` produce the syntax tree; `statement.ts`, `query.ts`, `from-clause.ts`,
 * `select-list.ts` and `expression.ts` read it from the outside in, and `name-scope.ts` resolves names.
 */

/** Reads SQL in a worker thread, so that the event loop stays free. */
export type SqlReader = {
  /** Returns the tables whose columns `columnLineageOf` will need, as the text names them. */
  tablesOf(sql: string, dialect: Dialect): Promise<readonly TableName[]>;
  /**
   * Returns the column lineage of a text. `wanted` are the result columns needed of a bare query. It never rejects:
   * parts that cannot be read are reported in the result.
   */
  columnLineageOf(
    sql: string,
    dialect: Dialect,
    catalog: ColumnCatalog,
    wanted?: readonly string[],
  ): Promise<ColumnLineage>;
  /** Returns the changes that DDL statements make to tables. It never rejects. */
  ddlOf(sql: string, dialect: Dialect): Promise<DdlResult>;
  /** Returns what a statement does, and the tables it names. It never rejects. */
  namesOf(sql: string, dialect: Dialect): Promise<NamedBySql>;
  /** Reads a statement of a session, which made the temporary tables earlier. It never rejects. */
  sessionStatementOf(
    sql: string,
    dialect: Dialect,
    tables: ColumnLineageTask['tables'],
    temporaries: readonly SessionTemporary[],
  ): Promise<SessionReading>;
  close(): Promise<void>;
};

export type SqlReaderOptions = {
  /** The time limit per text. */
  readonly timeoutMs: number;
  /** The idle time after which the thread is ended to free its memory. */
  readonly idleMs?: number;
  /** Receives the cause when the thread fails, which no text should provoke. */
  readonly report?: (cause: unknown) => void;
};

const DEFAULTS = { idleMs: 60_000, report: () => undefined };

const unreadableSql = (sql: string, reason: UnresolvedReason): ColumnLineage => ({
  mappings: [],
  tables: [],
  unresolved: [{ text: statementOpening(sql), reason }],
});

/** When no thread was available, the reason must not blame the text. */
const reasonOf = (refusal: TaskRefusal): UnresolvedReason => (refusal === 'too slow' ? refusal : 'failed');

/** Opens a reader. Its thread starts with the first text and reads one text at a time. */
export const openSqlReader = (options: SqlReaderOptions): SqlReader => {
  const thread = openThread<SqlTask, SqlAnswer>({
    ...DEFAULTS,
    ...options,
    file: threadFile(import.meta.url, 'worker'),
    heapMiB: 512,
    isLast: (answer) => answer === 'broken',
  });

  const askAnything = async (task: SqlTask): Promise<Exclude<SqlAnswer, 'broken'> | UnresolvedReason> => {
    if (task.sql.length > MAX_SQL_LENGTH) return 'too long';
    const outcome = await thread.run(task);
    if ('refusal' in outcome) return reasonOf(outcome.refusal);
    return outcome.answer === 'broken' ? 'too deep' : outcome.answer;
  };

  /** The thread answers each type of task with the matching result type. */
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
    namesOf: async (sql, dialect) => {
      const answer = await askAnything({ sql, dialect: dialect.name, isNames: true });
      if (typeof answer !== 'string') return answer as NamedBySql;
      return { effect: 'none', tables: [], makesTemporary: false, dropped: [], failure: answer };
    },
    sessionStatementOf: async (sql, dialect, tables, temporaries) => {
      const answer = await askAnything({ sql, dialect: dialect.name, tables, temporaries });
      if (typeof answer !== 'string') return answer as SessionReading;
      return { ...unreadableSql(sql, answer), reads: [], writes: [], temporaries: [] };
    },
    close: () => thread.close(),
  };
};
