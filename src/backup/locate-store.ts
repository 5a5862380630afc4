import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { StartupError } from '../errors.ts';
import { startEmbeddedServer } from '../graph/embedded/server.ts';
import { type HomeLock, lockHome } from '../platform/home-lock.ts';
import { openStoreConnection, type StoreAddress, type StoreConnection } from './store-connection.ts';

/** A connection to the configured store, and a function that closes everything it needed. */
export type OpenedStore = {
  readonly address: StoreAddress;
  readonly connection: StoreConnection;
  close(): Promise<void>;
};

type ReportProgress = (line: string) => void;

/** The time a service that was just started may need until its database responds. */
const START_MS = 30_000;
const LOOK_EVERY_MS = 500;

const externalAddress = ({ neo4j }: Config, uri: string): StoreAddress => ({
  uri,
  user: neo4j.user,
  password: neo4j.password ?? '',
  database: neo4j.database,
});

/** Finds the embedded server of a running service: its settings give the port, a file the password. */
const readRunningAddress = async ({ home, neo4j }: Config): Promise<StoreAddress> => {
  const [settings, password] = await Promise.all([
    readFile(join(home, 'neo4j', 'conf', 'neo4j.conf'), 'utf8'),
    readFile(join(home, 'neo4j', 'password'), 'utf8'),
  ]);
  const place = /^server\.bolt\.listen_address=(127\.0\.0\.1:\d+)$/m.exec(settings)?.[1];
  if (!place) throw new StartupError(`The settings of the embedded Neo4j in ${home} name no address.`);
  return { uri: `bolt://${place}`, user: 'neo4j', password: password.trim(), database: neo4j.database };
};

const connectToRunning = async (config: Config): Promise<OpenedStore> => {
  const deadline = performance.now() + START_MS;
  for (;;) {
    try {
      // A restarted server has another port, so the address is read again.
      const address = await readRunningAddress(config);
      const connection = await openStoreConnection(address);
      return { address, connection, close: () => connection.close() };
    } catch (failure) {
      if (performance.now() > deadline) throw failure;
      await sleep(LOOK_EVERY_MS);
    }
  }
};

const connectToServer = async (address: StoreAddress): Promise<OpenedStore> => {
  const connection = await openStoreConnection(address);
  return { address, connection, close: () => connection.close() };
};

const startEmbeddedStore = async ({ home, neo4j }: Config, report: ReportProgress): Promise<OpenedStore> => {
  const server = await startEmbeddedServer({ home, heap: neo4j.heap, pagecache: neo4j.pagecache, report });
  try {
    const { uri, user, password } = server;
    const opened = await connectToServer({ uri, user, password, database: neo4j.database });
    const close = async () => {
      await opened.close();
      await server.stop();
    };
    return { ...opened, close };
  } catch (failure) {
    await server.stop();
    throw failure;
  }
};

const withHomeLock = async (home: HomeLock, open: () => Promise<OpenedStore>): Promise<OpenedStore> => {
  try {
    const opened = await open();
    const close = async () => {
      await opened.close();
      await home.release();
    };
    return { ...opened, close };
  } catch (failure) {
    await home.release();
    throw failure;
  }
};

/** Locks the home. Undefined when another process uses it. */
const lockHomeIfFree = (home: string): Promise<HomeLock | undefined> =>
  lockHome(home).catch((failure: unknown) => {
    if (failure instanceof StartupError) return undefined;
    throw failure;
  });

/**
 * Opens the store for a backup: the store of a running service, or otherwise the embedded one, started for the
 * duration.
 */
export const openBackupSource = async (config: Config, report: ReportProgress): Promise<OpenedStore> => {
  if (config.neo4j.uri) return connectToServer(externalAddress(config, config.neo4j.uri));
  if (!existsSync(join(config.home, 'neo4j', 'data'))) {
    throw new StartupError(
      `There is no store in TRIBUTARY_HOME ${config.home}. Set it to the service's folder, or set NEO4J_URI.`,
    );
  }
  const home = await lockHomeIfFree(config.home);
  return home ? withHomeLock(home, () => startEmbeddedStore(config, report)) : connectToRunning(config);
};

/** Opens the store that a backup is restored into. The home must be unused, because the keys are written to it. */
export const openRestoreTarget = async (config: Config, report: ReportProgress): Promise<OpenedStore> => {
  const { uri } = config.neo4j;
  const home = await lockHome(config.home);
  return withHomeLock(home, () =>
    uri ? connectToServer(externalAddress(config, uri)) : startEmbeddedStore(config, report),
  );
};
