import { setTimeout as sleep } from 'node:timers/promises';
import neo4j, { type Transaction as DriverTransaction, type Record as Row, type Session } from 'neo4j-driver';
import { CatalogError } from '../errors.ts';
import {
  type Database,
  type GraphObserver,
  type GraphOptions,
  MOST_CONNECTIONS,
  measure,
  NO_OBSERVER,
  openDatabase,
  openDriver,
  runUntilAborted,
  sendWithoutStack,
  withSession,
} from './database.ts';
import { createFollowerReads, type FollowerReads, READS_AT_LEADER, readBookmark } from './follower-reads.ts';
import { createProbe } from './probe.ts';
import type { BoundStatement, Statement } from './statement.ts';
import { traceStatement } from './trace-statement.ts';
import { createWriteGate, transactionMetadata, type WriteGate } from './write-gate.ts';

/**
 * Runs statements in the database, with retries and a limit on time. Read this file first, then `statement.ts` (how
 * statements are declared), `group-commit.ts` (how writes share transactions) and `coalesce.ts` (how look-ups share
 * queries). `change-watch.ts` tells whether anything has changed, `apply-schema.ts` prepares the store, `lease.ts` and
 * `leased-loop.ts` assign work to one process, `stored-texts.ts` compresses long texts, `write-gate.ts` pauses writes
 * during a backup, and `embedded/` runs Neo4j itself.
 */

export type { GraphObserver, GraphOptions } from './database.ts';

/** Runs statements inside one transaction. Statements sent without waiting are pipelined to the server. */
export type Transaction = {
  run<P extends object, R extends object>(statement: BoundStatement<P, R>, params: P): Promise<R[]>;
  /** Does the same as `run`, so that functions that only read accept a graph or a transaction. */
  readonly read: Graph['read'];
  readonly observer: GraphObserver;
};

export type ReadOptions = {
  /** Also ends the statement in the database when nobody waits for its rows any more. */
  readonly signal?: AbortSignal | undefined;
  /** The bookmarks of changes; the statement waits until all of them, and all before them, can be seen. */
  readonly after?: readonly string[];
};

/** How a query that a caller has asked for is run: it was checked and written anew, and it only reads. */
export type QueryRun = {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Takes one row after the other, each as the values of its columns; false wants no more. */
  readonly take: (values: readonly unknown[]) => boolean;
};

export type Graph = {
  /** Runs one statement in a transaction of its own and answers its rows. */
  read<P extends object, R extends object>(
    statement: BoundStatement<P, R>,
    params: P,
    options?: ReadOptions,
  ): Promise<R[]>;
  /** Runs a statement that was written for one caller, once, and hands over its rows as they come. */
  readQuery(text: string, params: Readonly<Record<string, unknown>>, run: QueryRun): Promise<void>;
  /** Reads the bookmark of the newest change, whichever process made it; undefined where the database gives none. */
  readBookmark(): Promise<string | undefined>;
  /**
   * Runs work in a write transaction. Repeats it for a limited time while the database is unavailable or asks for a
   * retry.
   */
  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /** Runs work like `write`, but rolls it back in the end. */
  tryWrite<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /**
   * Runs one statement in a write transaction that the database ends by itself, so that a process that stands still
   * keeps no locks. Repeats it like `write`, so doing it twice must do no harm.
   */
  writeAlone<P extends object, R extends object>(statement: BoundStatement<P, R>, params: P): Promise<R[]>;
  /** Runs one schema command. */
  runSchemaCommand(text: string): Promise<void>;
  /** Runs any Cypher text. For tests, query plans and migrations only. */
  query(text: string, params?: Record<string, unknown>): Promise<Record<string, unknown>[]>;
  /** Whether the database answers now. Uses a connection of its own, so that a full pool does not matter. */
  isReachable(): Promise<boolean>;
  readonly observer: GraphObserver;
  close(): Promise<void>;
};

/** How often a single read is tried when the connection is lost or a deadlock occurs. */
const READ_ATTEMPTS = 4;

/** The first and the longest pause before a write is retried. The pause doubles each time. */
const WRITE_PAUSE_MS = 50;
const MAX_WRITE_PAUSE_MS = 1000;

const toObjects = <R extends object>(statement: Statement, rows: readonly Row[]): R[] => {
  const first = rows[0];
  if (first) statement.checkColumns(first.keys as string[]);
  return rows.map((row) => row.toObject() as R);
};

/** Whether a retry may succeed. The failure may wrap the driver's own. */
const isRetryable = (failure: unknown): boolean => {
  const cause = failure instanceof CatalogError ? failure.cause : failure;
  return cause instanceof neo4j.Neo4jError && (cause.retriable || cause.code === neo4j.error.SERVICE_UNAVAILABLE);
};

/** The rows of a statement, and the bookmark that came with them. */
type Answer<R> = { readonly rows: R[]; readonly bookmark: string | undefined };

/** States the language of a statement, so that a server whose default is another one reads it alike. */
const inLanguage = (text: string): string => `CYPHER 5 ${text}`;

const runOnce = <P extends object, R extends object>(
  database: Database,
  mode: 'READ' | 'WRITE',
  statement: BoundStatement<P, R>,
  params: P,
  { signal, after }: ReadOptions = {},
): Promise<Answer<R>> =>
  withSession(
    database,
    mode,
    (open) =>
      runUntilAborted(signal, open, async () => {
        const settings = { timeout: database.transactionMs };
        const result = await sendWithoutStack(() => open.run(inLanguage(statement.text), params, settings));
        return { rows: toObjects<R>(statement, result.records), bookmark: open.lastBookmarks()[0] };
      }),
    after,
  );

/** A single server, which `bolt` names, has no followers. */
const openFollowerReads = (database: Database, uri: string): FollowerReads => {
  if (!uri.startsWith('neo4j')) return READS_AT_LEADER;
  const { name, observer } = database;
  return createFollowerReads({
    database: name,
    observer,
    askLeader: (statement, params) =>
      measure(database, statement.name, async () => (await runOnce(database, 'WRITE', statement, params)).rows),
  });
};

const createReader =
  (database: Database, { catchUp }: FollowerReads) =>
  async <P extends object, R extends object>(
    statement: BoundStatement<P, R>,
    params: P,
    options?: ReadOptions,
  ): Promise<Answer<R>> => {
    statement.checkParams(params);
    return measure(database, statement.name, async () => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          await catchUp();
          return await runOnce(database, 'READ', statement, params, options);
        } catch (failure) {
          if (attempt >= READ_ATTEMPTS || !isRetryable(failure)) throw failure;
          await sleep(25 * 4 ** attempt * (0.5 + Math.random()));
        }
      }
    });
  };

/** Rows of a query are fetched in small parts, because a single one may be large. */
const QUERY_FETCH_SIZE = 50;

const createQueryReader =
  (database: Database, { catchUp }: FollowerReads): Graph['readQuery'] =>
  (text, params, { timeoutMs, signal, take }) =>
    measure(database, 'ask/query', async () => {
      await catchUp();
      await withSession(
        database,
        'READ',
        (open) =>
          runUntilAborted(signal, open, async () => {
            const result = sendWithoutStack(() => open.run(inLanguage(text), params, { timeout: timeoutMs }));
            for await (const row of result) if (!take([...row.values()])) break;
          }),
        [],
        QUERY_FETCH_SIZE,
      );
    });

/** Retries a transaction for as long as one may take, measured by a monotonic clock. */
const retryWrite = async <T>({ transactionMs }: Database, work: () => Promise<T>): Promise<T> => {
  const deadline = performance.now() + transactionMs;
  for (let pauseMs = WRITE_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_WRITE_PAUSE_MS)) {
    try {
      return await work();
    } catch (failure) {
      const wait = pauseMs * (0.5 + Math.random());
      if (!isRetryable(failure) || performance.now() + wait > deadline) throw failure;
      await sleep(wait);
    }
  }
};

const wrapTransaction = (database: Database, transaction: Pick<DriverTransaction, 'run'>): Transaction => {
  const run: Transaction['run'] = (statement, params) => {
    statement.checkParams(params);
    return measure(database, statement.name, async () => {
      const result = await sendWithoutStack(() => transaction.run(inLanguage(statement.text), params));
      return toObjects(statement, result.records);
    });
  };
  // Look-up queues inside a transaction last no longer than it does, so they are not measured.
  return { run, read: run, observer: NO_OBSERVER };
};

/**
 * Runs work in a transaction. Its first statements are sent together with the beginning: the driver's own managed
 * transactions wait for an answer in between.
 */
const runInTransaction = async <T>(
  database: Database,
  open: Session,
  settings: { readonly timeout: number; readonly metadata: object },
  work: (transaction: DriverTransaction) => Promise<T>,
  end: 'commit' | 'rollback',
): Promise<T> => {
  const transaction: DriverTransaction = open.beginTransaction(settings);
  try {
    const result = await work(transaction);
    await traceStatement(database, end.toUpperCase(), () => transaction[end]());
    return result;
  } catch (failure) {
    // The database has ended a transaction that failed, and the first failure is the one that tells why.
    if (transaction.isOpen()) await transaction.rollback().catch(() => {});
    throw failure;
  }
};

const createWriter = (
  database: Database,
  gate: WriteGate,
): Pick<Graph, 'write' | 'tryWrite' | 'writeAlone' | 'runSchemaCommand'> => {
  const metadata = transactionMetadata('write');
  const settings = { timeout: database.transactionMs, metadata };
  /** Waits for a running backup first. */
  const withWriteSession = async <T>(work: (open: Session) => Promise<T>): Promise<T> => {
    await gate.waitUntilOpen();
    return withSession(database, 'WRITE', work);
  };
  const runUntil =
    (end: 'commit' | 'rollback'): Graph['write'] =>
    (work) =>
      retryWrite(database, () =>
        withWriteSession((open) =>
          runInTransaction(database, open, settings, (one) => work(wrapTransaction(database, one)), end),
        ),
      );
  return {
    write: runUntil('commit'),
    tryWrite: runUntil('rollback'),
    writeAlone: (statement, params) =>
      retryWrite(database, () =>
        withWriteSession((open) =>
          wrapTransaction(database, { run: (text, values) => open.run(text, values, settings) }).run(statement, params),
        ),
      ),
    runSchemaCommand: (text) =>
      withWriteSession(async (open) => {
        await open.run(inLanguage(text), {}, { metadata });
      }),
  };
};

/**
 * Opens a driver on one database. Every failure that leaves this module is a CatalogError or a Neo4jError caused by the
 * client.
 */
export const openGraph = (options: GraphOptions): Graph => {
  const database = openDatabase(options);
  database.observer.connections(() => database.openSessions, MOST_CONNECTIONS);
  // The probe has its own connection, because a full pool says nothing about the database.
  const probe = createProbe(() => openDriver(options, 1), options.database);
  const followers = openFollowerReads(database, options.uri);
  const ask = createReader(database, followers);
  const read: Graph['read'] = async (...question) => (await ask(...question)).rows;
  return {
    read,
    readQuery: createQueryReader(database, followers),
    readBookmark: async () => (await ask(readBookmark, {})).bookmark,
    ...createWriter(database, createWriteGate(read)),
    query: (text, params = {}) =>
      withSession(database, 'WRITE', async (open) =>
        (await open.run(inLanguage(text), params)).records.map((row) => row.toObject()),
      ),
    isReachable: probe.reachable,
    observer: database.observer,
    close: async () => {
      await Promise.all([database.driver.close(), probe.close()]);
    },
  };
};
