import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { StartupError } from '../errors.ts';
import { startEmbeddedServer } from '../graph/embedded/server.ts';
import { type HomeLock, lockHome } from '../platform/home-lock.ts';
import { openStoreConnection, type StoreAddress, type StoreConnection } from './store-connection.ts';

/** A connection to the store that the configuration names, and what has to be closed after it. */
export type OpenedStore = {
  readonly address: StoreAddress;
  readonly connection: StoreConnection;
  close(): Promise<void>;
};

type ReportProgress = (line: string) => void;

/** A service that has just begun may need so long until its database answers. */
const START_MS = 30_000;
const LOOK_EVERY_MS = 500;

const externalAddress = ({ neo4j }: Config, uri: string): StoreAddress => ({
  uri,
  user: neo4j.user,
  password: neo4j.password ?? '',
  database: neo4j.database,
});

/** The embedded server of a service that is running: its port stands in its settings, its password in a file. */
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
      // A server that was started again has another port.
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

/** Nobody uses the home: undefined when somebody does. */
const lockHomeIfFree = (home: string): Promise<HomeLock | undefined> =>
  lockHome(home).catch((failure: unknown) => {
    if (failure instanceof StartupError) return undefined;
    throw failure;
  });

/** Opens the store for a backup: that of a running service, or else the embedded one, started for as long as it takes. */
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

/** Opens the store that a backup is restored into. Its home must not be in use, because the keys go there. */
export const openRestoreTarget = async (config: Config, report: ReportProgress): Promise<OpenedStore> => {
  const { uri } = config.neo4j;
  const home = await lockHome(config.home);
  return withHomeLock(home, () =>
    uri ? connectToServer(externalAddress(config, uri)) : startEmbeddedStore(config, report),
  );
};
