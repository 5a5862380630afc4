import { Worker } from 'node:worker_threads';
import type { Reason, TableName } from './column.ts';
import type { Ddl } from './ddl.ts';
import type { Dialect } from './dialect.ts';
import { LONGEST_SQL, opening } from './limits.ts';
import type { Catalog, ColumnLineage } from './lineage.ts';
import type { LineageTask, Task } from './worker.ts';

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

/** So long the first text waits for the parser to be loaded, before its own time begins. */
const LOADING_MS = 10_000;

/** The thread's own file: a source in tests, compiled in the service. */
const WORKER = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url);

type Answer = ColumnLineage | Ddl;

type Job = { readonly task: Task; readonly done: (answer: Answer | Reason) => void };

const unread = (sql: string, reason: Reason): ColumnLineage => ({
  mappings: [],
  tables: [],
  unresolved: [{ text: opening(sql), reason }],
});

/** Opens a reader. Its thread starts with the first text, reads one text at a time and never keeps a process alive. */
export const openSqlReader = (options: SqlReaderOptions = {}): SqlReader => {
  const { timeoutMs, idleMs, report } = { ...DEFAULTS, ...options };
  const waiting: Job[] = [];
  let thread: Worker | undefined;
  let current: Job | undefined;
  let timer: NodeJS.Timeout | undefined;
  let idle: NodeJS.Timeout | undefined;

  const dismiss = (): Promise<unknown> => {
    const old = thread;
    thread = undefined;
    old?.removeAllListeners();
    // A thread that is stopped in the middle of its work may still fail, and nobody waits for it any more.
    old?.on('error', () => undefined);
    return old?.terminate() ?? Promise.resolve();
  };

  const finish = (answer: Answer | Reason): void => {
    const job = current;
    clearTimeout(timer);
    current = undefined;
    job?.done(answer);
    next();
  };

  const giveUp = (reason: Reason): void => {
    void dismiss();
    finish(reason);
  };

  const giveUpAfter = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => giveUp('too slow'), ms);
  };

  const hear = (answer: Answer | 'ready' | 'broken'): void => {
    if (answer === 'ready') giveUpAfter(timeoutMs);
    else if (answer === 'broken') giveUp('too deep');
    else finish(answer);
  };

  const started = (): Worker => {
    const worker = new Worker(WORKER, { resourceLimits: { maxOldGenerationSizeMb: 512 } });
    worker.on('message', hear);
    worker.on('error', (cause) => {
      report(cause);
      giveUp('failed');
    });
    // Whoever listens to a thread keeps the process for it, so that this comes last.
    worker.unref();
    return worker;
  };

  const next = (): void => {
    if (current) return;
    clearTimeout(idle);
    const job = waiting.shift();
    if (job === undefined) {
      idle = setTimeout(() => void dismiss(), idleMs).unref();
      return;
    }
    current = job;
    giveUpAfter(thread ? timeoutMs : LOADING_MS);
    thread ??= started();
    thread.postMessage(job.task);
  };

  const askAnything = (task: Task): Promise<Answer | Reason> => {
    if (task.sql.length > LONGEST_SQL) return Promise.resolve('too long');
    return new Promise((done) => {
      waiting.push({ task, done });
      next();
    });
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
    close: async () => {
      for (const job of waiting.splice(0)) job.done('failed');
      if (current) giveUp('failed');
      clearTimeout(idle);
      await dismiss();
    },
  };
};
