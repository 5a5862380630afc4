import neo4j, { type Driver, type Record as Row, type Session } from 'neo4j-driver';
import { StartupError } from '../errors.ts';
import type { BoundStatement } from '../graph/statement.ts';
import { type TransactionMark, transactionMetadata } from '../graph/write-gate.ts';

/**
 * A separate connection for copying a whole store. Unlike the service's connection it distinguishes integers from
 * floats, streams results of any length, and neither waits for backups nor times out.
 */
export type StoreConnection = {
  /** Calls `take` with every row as it arrives. Rows are not kept in memory. */
  each<P extends object, R extends object>(
    asked: BoundStatement<P, R>,
    params: P,
    take: (row: R) => void,
  ): Promise<void>;
  /** Runs one statement once and returns all its rows. */
  all<P extends object, R extends object>(asked: BoundStatement<P, R>, params: P): Promise<R[]>;
  /**
   * Runs one statement in a transaction that is retried when the connection breaks. The statement must be safe to run
   * twice.
   */
  write<P extends object, R extends object>(asked: BoundStatement<P, R>, params: P): Promise<R[]>;
  /** An identifier of the store's state. Two are equal if and only if nothing was committed in between. */
  state(): Promise<string>;
  /**
   * Opens a transaction that shows other processes that a backup or restore is running, until it is closed or this
   * process dies.
   */
  announce(mark: TransactionMark): Promise<() => Promise<void>>;
  close(): Promise<void>;
};

export type StoreAddress = {
  readonly uri: string;
  readonly user: string;
  readonly password: string;
  readonly database: string;
};

const FETCH_SIZE = 2000;

const createRowReader = <R extends object>(asked: BoundStatement<object, R>): ((row: Row) => R) => {
  let isFirst = true;
  return (row) => {
    if (isFirst) asked.checkColumns(row.keys as string[]);
    isFirst = false;
    return row.toObject() as R;
  };
};

/**
 * Streams the rows of a statement. The driver keeps receiving meanwhile, so a row that cannot be processed ends the
 * whole result.
 */
const streamRows = <R extends object>(
  session: Session,
  asked: BoundStatement<object, R>,
  params: object,
  take: (row: R) => void,
) =>
  new Promise<void>((resolve, reject) => {
    const toObject = createRowReader<R>(asked);
    let hasFailed = false;
    session.run(asked.text, params).subscribe({
      onNext: (row) => {
        if (hasFailed) return;
        try {
          take(toObject(row));
        } catch (failure) {
          hasFailed = true;
          reject(failure);
        }
      },
      onCompleted: () => resolve(),
      onError: reject,
    });
  });

const explainConnectionFailure = (address: StoreAddress, failure: unknown): unknown => {
  if (!(failure instanceof neo4j.Neo4jError)) return failure;
  if (failure.code === 'Neo.ClientError.Security.Unauthorized') {
    return new StartupError(`Neo4j at ${address.uri} refuses the user or the password.`, { cause: failure });
  }
  if (failure.code === neo4j.error.SERVICE_UNAVAILABLE || failure.code === neo4j.error.SESSION_EXPIRED) {
    return new StartupError(`Neo4j at ${address.uri} does not answer: ${failure.message}`, { cause: failure });
  }
  return failure;
};

/** The driver of one store, and where the store is. */
type StoreDriver = { readonly driver: Driver; readonly address: StoreAddress };

const connect = async (address: StoreAddress): Promise<StoreDriver> => {
  const driver = neo4j.driver(address.uri, neo4j.auth.basic(address.user, address.password), {
    useBigInt: true,
    connectionTimeout: 5000,
    maxTransactionRetryTime: 60_000,
    userAgent: 'tributary',
    telemetryDisabled: true,
  });
  try {
    await driver.verifyConnectivity({ database: address.database });
  } catch (failure) {
    await driver.close();
    throw explainConnectionFailure(address, failure);
  }
  return { driver, address };
};

const withStoreSession = async <T>(
  { driver, address }: StoreDriver,
  work: (session: Session) => Promise<T>,
): Promise<T> => {
  const session = driver.session({ database: address.database, defaultAccessMode: 'WRITE', fetchSize: FETCH_SIZE });
  try {
    return await work(session);
  } catch (failure) {
    throw explainConnectionFailure(address, failure);
  } finally {
    await session.close();
  }
};

const holdMarkedTransaction = async (
  { driver, address }: StoreDriver,
  mark: TransactionMark,
): Promise<() => Promise<void>> => {
  const session = driver.session({ database: address.database, defaultAccessMode: 'WRITE' });
  const open = await session.beginTransaction({ metadata: transactionMetadata(mark) });
  await open.run('RETURN 1');
  // Only closing matters; a lost connection is closed already.
  return () => session.close().catch(() => {});
};

/**
 * Connects and checks that the database responds. All statements go to the writer of a cluster, so that no result is
 * stale.
 */
export const openStoreConnection = async (address: StoreAddress): Promise<StoreConnection> => {
  const store = await connect(address);
  return {
    all: (asked, params) =>
      withStoreSession(store, async (session) => {
        asked.checkParams(params);
        return (await session.run(asked.text, params)).records.map(createRowReader(asked));
      }),
    each: (asked, params, take) =>
      withStoreSession(store, (session) => {
        asked.checkParams(params);
        return streamRows(session, asked, params, take);
      }),
    write: (asked, params) =>
      withStoreSession(store, (session) => {
        asked.checkParams(params);
        return session.executeWrite(async (open) =>
          (await open.run(asked.text, params)).records.map(createRowReader(asked)),
        );
      }),
    state: () =>
      withStoreSession(store, async (session) => {
        await session.run('RETURN 1');
        return session.lastBookmarks().join(' ');
      }),
    announce: (mark) => holdMarkedTransaction(store, mark),
    close: () => store.driver.close(),
  };
};
