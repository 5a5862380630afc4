import neo4j, { type BookmarkManager, type Driver, type Session } from 'neo4j-driver';
import { CatalogError } from '../errors.ts';
import type { SpanAttributes, Tracing } from '../tracing/tracing.ts';
import { toPublicDatabaseFailure } from './database-failure.ts';
import { describeDatabase, traceStatement } from './trace-statement.ts';

/** The connection to one database: its driver, its sessions, and how calls are measured and ended. */

/** What the graph client reports about its work. The application's metrics implement it. */
export type GraphObserver = {
  databaseCall(statement: string, seconds: number, ok: boolean): void;
  batch(name: string, size: number): void;
  queueDepth(name: string, read: () => number): void;
  connections(read: () => number, most: number): void;
  /** Records the statements of traced work. Absent where nothing is traced. */
  readonly tracing?: Tracing | undefined;
};

export type GraphOptions = {
  readonly uri: string;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly transactionMs: number;
  readonly observer?: GraphObserver;
  readonly tracing?: Tracing | undefined;
};

export const NO_OBSERVER: GraphObserver = {
  databaseCall: () => {},
  batch: () => {},
  queueDepth: () => {},
  connections: () => {},
};

export const MOST_CONNECTIONS = 50;

/**
 * Runs work with a session until the signal aborts. Closing the session resets its connection, which makes the server
 * end the statement.
 */
export const runUntilAborted = async <T>(
  signal: AbortSignal | undefined,
  open: Session,
  work: () => Promise<T>,
): Promise<T> => {
  if (!signal) return work();
  const unwanted = () => new CatalogError('unavailable', 'The caller has gone away');
  if (signal.aborted) throw unwanted();
  const stop = () => {
    // The caller gets the failure of the work itself, so a failure to close does not matter.
    open.close().catch(() => {});
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await work();
  } catch (failure) {
    throw signal.aborted ? unwanted() : failure;
  } finally {
    signal.removeEventListener('abort', stop);
  }
};

export const openDriver = ({ uri, user, password }: GraphOptions, mostConnections: number): Driver =>
  neo4j.driver(uri, neo4j.auth.basic(user, password), {
    disableLosslessIntegers: true,
    maxConnectionPoolSize: mostConnections,
    connectionAcquisitionTimeout: 10_000,
    connectionTimeout: 5_000,
    // The driver's own pauses double up to 16 s, which would delay writes long after the database is back.
    maxTransactionRetryTime: 0,
    userAgent: 'tributary',
    telemetryDisabled: true,
  });

/** One database, and how its statements are run and measured. */
export type Database = {
  readonly driver: Driver;
  readonly name: string;
  readonly transactionMs: number;
  /** The bookmarks that all sessions of this process share. */
  readonly bookmarks: { readonly bookmarkManager?: BookmarkManager };
  readonly observer: GraphObserver;
  /** What every span of a statement says about the database. */
  readonly spanAttributes: SpanAttributes;
  /** How many sessions are open, each of which has or waits for one connection. */
  openSessions: number;
};

export const openDatabase = (options: GraphOptions): Database => ({
  driver: openDriver(options, MOST_CONNECTIONS),
  name: options.database,
  transactionMs: options.transactionMs,
  // A single server needs no bookmarks.
  bookmarks: options.uri.startsWith('neo4j') ? { bookmarkManager: neo4j.bookmarkManager() } : {},
  observer: { ...(options.observer ?? NO_OBSERVER), tracing: options.tracing },
  spanAttributes: describeDatabase(options),
  openSessions: 0,
});

export const measure = async <T>(database: Database, name: string, work: () => Promise<T>): Promise<T> => {
  const { observer } = database;
  const started = performance.now();
  let ok = false;
  try {
    const result = await traceStatement(database, name, work);
    ok = true;
    return result;
  } finally {
    observer.databaseCall(name, (performance.now() - started) / 1000, ok);
  }
};

export const withSession = async <T>(
  database: Database,
  mode: 'READ' | 'WRITE',
  work: (open: Session) => Promise<T>,
  after: readonly string[] = [],
  fetchSize = 5000,
): Promise<T> => {
  const { driver, name, bookmarks } = database;
  const settings = { database: name, defaultAccessMode: mode, ...bookmarks, fetchSize };
  database.openSessions += 1;
  const open = driver.session(after.length === 0 ? settings : { ...settings, bookmarks: [...after] });
  try {
    return await work(open);
  } catch (failure) {
    throw toPublicDatabaseFailure(failure);
  } finally {
    database.openSessions -= 1;
    await open.close();
  }
};

/**
 * Sends a statement. The driver records the call stack of each, which takes longer than sending it; a failure shows where
 * it was caught instead.
 */
export const sendWithoutStack = <T>(send: () => T): T => {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return send();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
};
