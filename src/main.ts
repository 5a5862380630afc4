import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { replaceSecretFile } from './access/key-file.ts';
import { createSecretBox } from './access/secret-box.ts';
import { ISSUER, SYSTEM_PRINCIPAL } from './access/service-identity.ts';
import { loadSigningKey, type SigningKey } from './access/signing-key.ts';
import { issueToken } from './access/token.ts';
import { createApp } from './app.ts';
import { declareKindStatements } from './catalog/read/store.ts';
import { loadKinds } from './catalog/registry.ts';
import type { Config } from './config.ts';
import { StartupError } from './errors.ts';
import { applySchema } from './graph/apply-schema.ts';
import { type Graph, openGraph } from './graph/client.ts';
import { explainFullDisk } from './graph/embedded/disk-space.ts';
import { startEmbeddedServer } from './graph/embedded/server.ts';
import { type SupervisedServer, superviseEmbeddedServer } from './graph/embedded/supervise.ts';
import { createLog } from './http/log.ts';
import { createMetrics, type Metrics } from './http/metrics.ts';
import { serveApp } from './http/server.ts';
import type { ThreadAppData } from './lane/thread-app.ts';
import { openThreads } from './lane/threads.ts';
import { lockHome } from './platform/home-lock.ts';
import { documentIndexSteps } from './search-documents/index/fulltext-index.ts';
import { ensureBuiltIns } from './system/built-ins.ts';
import { assertSharedKeys } from './system/key-watch.ts';
import { findAdministrator } from './system/queries.ts';

/** Starts the whole service: the database, the schema, the application with its second thread, and the HTTP server. */

export type RunningService = {
  readonly address: string;
  /** Resolves with the exit code when the process should end on its own. */
  readonly ended: Promise<number>;
  close(): Promise<void>;
};

type ReportLine = (line: string) => void;

type OpenedDatabase = {
  readonly graph: Graph;
  readonly embedded: SupervisedServer | undefined;
  readonly address: ThreadAppData['database'];
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

const openDatabase = async (config: Config, metrics: Metrics, report: ReportLine): Promise<OpenedDatabase> => {
  const { neo4j, limits, home } = config;
  const embedded = neo4j.uri
    ? undefined
    : superviseEmbeddedServer(
        await startEmbeddedServer({ home, heap: neo4j.heap, pagecache: neo4j.pagecache, line: neo4j.line, report }),
        { report, home },
      );
  const address = {
    uri: embedded?.uri ?? neo4j.uri ?? '',
    user: embedded?.user ?? neo4j.user,
    password: embedded?.password ?? neo4j.password ?? '',
  };
  const graph = openGraph({
    ...address,
    database: neo4j.database,
    transactionMs: limits.transactionMs,
    observer: metrics,
  });
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

/** Runs the closers in the reverse order of registration. Each one runs even when another failed. */
const createClosers = () => {
  const closers: (() => Promise<void>)[] = [];
  let closing: Promise<void> | undefined;
  const closeAll = async () => {
    for (const close of closers.reverse()) await close().catch((failure: unknown) => console.error(failure));
  };
  return {
    add: (close: () => Promise<void>) => closers.push(close),
    close: () => {
      closing ??= closeAll();
      return closing;
    },
  };
};

/**
 * Starts the whole service and resolves when it is ready. When a later part fails, the parts already started are
 * closed.
 */
export const startService = async (config: Config, report: ReportLine): Promise<RunningService> => {
  const closers = createClosers();
  try {
    const home = await lockHome(config.home);
    closers.add(() => home.release());
    const log = createLog({ level: config.logLevel });
    closers.add(async () => log.flush());
    const metrics = createMetrics();
    closers.add(async () => metrics.close());
    const [key, secrets, registry] = await Promise.all([
      loadSigningKey({ home: config.home, keyFile: config.auth.keyFile }),
      createSecretBox({ home: config.home, secretsKey: config.secretsKey, formerKeys: config.formerSecretsKeys }),
      loadKinds(),
    ]);
    declareKindStatements(registry);
    const { graph, embedded, address } = await openDatabase(config, metrics, report);
    if (embedded) closers.add(() => embedded.stop());
    closers.add(() => graph.close());
    await applySchema(graph, registry.kinds, documentIndexSteps(registry.kinds), { report });
    const threads = openThreads({ config, database: address }, log);
    const { lane, notify } = threads;
    closers.add(() => lane.close());
    const app = createApp({ config, graph, registry, key, secrets, clock: Date.now, metrics, log, lane, tell: notify });
    const { hono, engine, streams, events, notifications, audit, recordRotation } = app;
    await assertSharedKeys({ graph, key, secrets, recordRotation });
    await ensureBuiltIns(engine, SYSTEM_PRINCIPAL, config);
    audit.start();
    closers.add(() => audit.stop());
    events.tail.start();
    closers.add(() => events.tail.stop());
    notifications.watcher.start();
    closers.add(() => notifications.watcher.stop());
    const most = config.limits.connectionsPerAddress;
    const connectionLimit = most > 0 ? { maxPerAddress: most } : undefined;
    const served = await serveApp(hono, { host: config.host, port: config.port, connectionLimit });
    closers.add(() => served.close());
    closers.add(async () => streams.close());
    threads.startBackground(app);
    closers.add(() => threads.stopBackground());
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
