import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { replaceSecretFile } from './access/key-file.ts';
import { findPasswordProblem } from './access/password.ts';
import { createSecretBox } from './access/secret-box.ts';
import { ISSUER, SYSTEM_PRINCIPAL } from './access/service-identity.ts';
import { loadSigningKey, type SigningKey } from './access/signing-key.ts';
import { issueToken } from './access/token.ts';
import { loadKinds } from './catalog/registry.ts';
import type { DatabaseAddress } from './composition/app-resources.ts';
import { type Config, readConfig } from './config.ts';
import type { ConfigEnvironment } from './environment.ts';
import { StartupError } from './errors.ts';
import { applySchema } from './graph/apply-schema.ts';
import { type Graph, openGraph } from './graph/client.ts';
import { explainFullDisk } from './graph/embedded/disk-space.ts';
import { startEmbeddedServer } from './graph/embedded/server.ts';
import { type SupervisedServer, superviseEmbeddedServer } from './graph/embedded/supervise.ts';
import { createMetrics } from './http/metrics.ts';
import { listenOn, publicAddressOf } from './http/server.ts';
import { type Closers, createClosers } from './platform/closers.ts';
import { lockHome } from './platform/home-lock.ts';
import { documentIndexSteps } from './search-documents/index/fulltext-index.ts';
import { serveByWorkers } from './serve/workers.ts';
import { findAdministrator } from './system/queries.ts';

/** Starts the whole service: the database, the schema, and the processes that answer requests. */

export type RunningService = {
  readonly address: string;
  /** Resolves with the exit code when the process should end on its own. */
  readonly ended: Promise<number>;
  close(): Promise<void>;
};

type ReportLine = (line: string) => void;

/** What every part of the service starts from. */
type ServiceStart = {
  readonly config: Config;
  readonly settings: ConfigEnvironment;
  readonly report: ReportLine;
};

type OpenedDatabase = {
  readonly graph: Graph;
  readonly embedded: SupervisedServer | undefined;
  readonly address: DatabaseAddress;
};

const ADMIN_TOKEN_SECONDS = 24 * 60 * 60;
const CONNECT_WITHIN_MS = 120_000;

/** Waits, with growing pauses, for a database that is still starting. */
const waitForDatabase = async (graph: Graph, uri: string, report: ReportLine): Promise<void> => {
  const deadline = performance.now() + CONNECT_WITHIN_MS;
  for (let attempt = 0; !(await graph.isReachable()); attempt += 1) {
    if (performance.now() > deadline) {
      throw new StartupError(
        `Neo4j at ${uri} does not answer. Check NEO4J_URI, NEO4J_USER, NEO4J_PASSWORD and NEO4J_DATABASE.`,
      );
    }
    if (attempt === 1) report(`Waiting for Neo4j at ${uri}`);
    await sleep(Math.min(5000, 250 * 2 ** attempt));
  }
};

const openDatabase = async ({ config, settings, report }: ServiceStart): Promise<OpenedDatabase> => {
  const { neo4j, limits, home } = config;
  const embedded = neo4j.uri
    ? undefined
    : superviseEmbeddedServer(
        await startEmbeddedServer({
          home,
          heap: neo4j.heap,
          pagecache: neo4j.pagecache,
          line: neo4j.line,
          report,
          env: settings,
        }),
        { report, home },
      );
  const address = {
    uri: embedded?.uri ?? neo4j.uri ?? '',
    user: embedded?.user ?? neo4j.user,
    password: embedded?.password ?? neo4j.password ?? '',
  };
  const graph = openGraph({ ...address, database: neo4j.database, transactionMs: limits.transactionMs });
  if (neo4j.uri) await waitForDatabase(graph, neo4j.uri, report);
  return { graph, embedded, address };
};

/**
 * Writes a token for a user who is an administrator now. That need not be the built-in administrator, who may be gone.
 */
const writeAdminToken = async (config: Config, key: SigningKey, graph: Graph): Promise<string> => {
  const path = join(config.home, 'admin.token');
  const [user] = await graph.read(findAdministrator, { preferred: SYSTEM_PRINCIPAL.name });
  if (!user) throw new Error('no user is an administrator');
  const token = await issueToken(key, {
    issuer: ISSUER,
    user,
    isBot: false,
    tokenType: 'OM_USER',
    ttlSeconds: ADMIN_TOKEN_SECONDS,
    now: Date.now(),
  });
  await replaceSecretFile(path, `${token}\n`);
  return path;
};

type Serve = (database: DatabaseAddress) => Promise<Pick<RunningService, 'address' | 'close'>>;

/**
 * Loads what serves the store: this process, or as many workers as are configured. Loading the application takes a fifth
 * of the time that the database needs to start, so both happen at once. A process with workers does not load it.
 */
const loadServe = async ({ config, settings, report }: ServiceStart): Promise<Serve> => {
  if (config.workers > 1) return (database) => serveByWorkers({ config, settings, database, report });
  const { serveStore } = await import('./serve/serve-store.ts');
  return (database) =>
    serveStore({
      config,
      database,
      metrics: createMetrics(),
      listen: async (server) => publicAddressOf(await listenOn(server, config.host, config.port)),
    });
};

const refuseWeakPassword = ({ adminPassword }: Config['auth']): void => {
  const problem = adminPassword === undefined ? undefined : findPasswordProblem(adminPassword);
  if (problem) throw new StartupError(`ADMIN_PASSWORD is too weak. ${problem}.`);
};

/** Opens the database and brings its schema up to date. */
const openStore = async (start: ServiceStart, closers: Closers) => {
  const { embedded, address, graph } = await openDatabase(start);
  if (embedded) closers.add(() => embedded.stop());
  closers.add(() => graph.close());
  const { kinds } = await loadKinds();
  await applySchema(graph, kinds, documentIndexSteps(kinds), { report: start.report });
  return { embedded, address, graph };
};

/**
 * Starts the whole service and resolves when it is ready. When a later part fails, the parts already started are
 * closed. The settings are those of the environment, which the database and the workers receive as well.
 */
export const startService = async (settings: ConfigEnvironment, report: ReportLine): Promise<RunningService> => {
  const config = readConfig(settings);
  const start = { config, settings, report };
  const closers = createClosers();
  refuseWeakPassword(config.auth);
  try {
    const home = await lockHome(config.home);
    closers.add(() => home.release());
    // Keys that cannot be used are reported before the database starts.
    const [key] = await Promise.all([
      loadSigningKey({ home: config.home, keyFile: config.auth.keyFile }),
      createSecretBox({ home: config.home, secretsKey: config.secretsKey, formerKeys: config.formerSecretsKeys }),
    ]);
    const loading = loadServe(start);
    // A failure is thrown where the result is awaited, after the database has started.
    loading.catch(() => {});
    const { embedded, address: database, graph } = await openStore(start, closers);
    const serve = await loading;
    const served = await serve(database);
    closers.add(served.close);
    await home.note(served.address);
    const tokenPath = await writeAdminToken(config, key, graph);
    report(`Tributary is ready at ${served.address} (admin token for 24 hours: ${tokenPath})`);
    return { address: served.address, ended: waitForEnd(embedded, closers.close), close: closers.close };
  } catch (failure) {
    await closers.close();
    throw explainFullDisk(failure, config.home);
  }
};

/** Ends the process when the embedded database cannot be restarted, because it then has nothing to serve. */
const waitForEnd = async (embedded: SupervisedServer | undefined, close: () => Promise<void>): Promise<number> => {
  if (!embedded) return new Promise(() => {});
  await embedded.gaveUp;
  await close();
  return 1;
};
