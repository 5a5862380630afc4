import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { replaceSecretFile } from './access/key-file.ts';
import { loadSigningKey, type SigningKey } from './access/keys.ts';
import { createSecretBox } from './access/secrets.ts';
import { issueToken } from './access/token.ts';
import { createApp, ISSUER, SYSTEM } from './app.ts';
import { declareWalks } from './catalog/read/store.ts';
import { loadKinds } from './catalog/registry.ts';
import type { Config } from './config.ts';
import { StartupError } from './errors.ts';
import { type Graph, openGraph } from './graph/client.ts';
import { type EmbeddedServer, startEmbedded } from './graph/embedded/server.ts';
import { agreeOn, applySchema } from './graph/schema.ts';
import { holdHome } from './home.ts';
import { createLog } from './http/log.ts';
import { createMetrics, type Metrics } from './http/metrics.ts';
import { serveApp } from './http/server.ts';
import { documentSteps } from './search/index/schema.ts';
import { ensureBuiltIns } from './system/builtin.ts';

export type Running = {
  readonly address: string;
  /** Resolves with the exit code when the process should end by itself. */
  readonly ended: Promise<number>;
  close(): Promise<void>;
};

type Report = (line: string) => void;

type Database = { readonly graph: Graph; readonly embedded: EmbeddedServer | undefined };

const ADMIN_TOKEN_SECONDS = 24 * 60 * 60;
const CONNECT_WITHIN_MS = 120_000;

/** A database that is still coming up is waited for, with growing pauses. */
const waitFor = async (graph: Graph, uri: string, report: Report): Promise<void> => {
  const deadline = Date.now() + CONNECT_WITHIN_MS;
  for (let attempt = 0; !(await graph.reachable()); attempt += 1) {
    if (Date.now() > deadline) {
      throw new StartupError(
        `Neo4j at ${uri} does not answer. Check NEO4J_URI, NEO4J_USER, NEO4J_PASSWORD and NEO4J_DATABASE.`,
      );
    }
    if (attempt === 1) report(`Waiting for Neo4j at ${uri}`);
    await sleep(Math.min(5000, 250 * 2 ** attempt));
  }
};

const openDatabase = async (config: Config, metrics: Metrics, report: Report): Promise<Database> => {
  const { neo4j, limits, home } = config;
  const embedded = neo4j.uri
    ? undefined
    : await startEmbedded({ home, heap: neo4j.heap, pagecache: neo4j.pagecache, report });
  const graph = openGraph({
    uri: embedded?.uri ?? neo4j.uri ?? '',
    user: embedded?.user ?? neo4j.user,
    password: embedded?.password ?? neo4j.password ?? '',
    database: neo4j.database,
    transactionMs: limits.transactionMs,
    observer: metrics,
  });
  if (neo4j.uri) await waitFor(graph, neo4j.uri, report);
  return { graph, embedded };
};

const writeAdminToken = async (config: Config, key: SigningKey): Promise<string> => {
  const path = join(config.home, 'admin.token');
  const user = { name: SYSTEM.name, email: `${SYSTEM.name}@${config.auth.principalDomain}` };
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

/** Closers run in reverse order of what they close; each runs even when another failed. */
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

/** Starts the whole service and answers when it is ready. What was started is closed again when a later part fails. */
export const start = async (config: Config, report: Report): Promise<Running> => {
  const closers = createClosers();
  try {
    const home = await holdHome(config.home);
    closers.add(() => home.release());
    const log = createLog({ level: config.logLevel });
    closers.add(async () => log.flush());
    const metrics = createMetrics();
    closers.add(async () => metrics.close());
    const [key, secrets, registry] = await Promise.all([
      loadSigningKey({ home: config.home, keyFile: config.auth.keyFile }),
      createSecretBox({ home: config.home, secretsKey: config.secretsKey }),
      loadKinds(),
    ]);
    declareWalks(registry);
    const { graph, embedded } = await openDatabase(config, metrics, report);
    if (embedded) closers.add(() => embedded.stop());
    closers.add(() => graph.close());
    await applySchema(graph, registry.kinds, documentSteps(registry.kinds));
    await agreeOn(graph, 'signing key', key.fingerprint, 'AUTH_KEY_FILE');
    await agreeOn(graph, 'secrets key', secrets.fingerprint, 'SECRETS_KEY');
    const { hono, engine, streams, runner, events, notifications, dispatcher, refresher, indexer } = createApp({
      config,
      graph,
      registry,
      key,
      secrets,
      clock: Date.now,
      metrics,
      log,
    });
    await ensureBuiltIns(engine, SYSTEM, config);
    events.start();
    closers.add(() => events.stop());
    notifications.start();
    closers.add(() => notifications.stop());
    const served = await serveApp(hono, { host: config.host, port: config.port });
    closers.add(() => served.close());
    closers.add(async () => streams.close());
    runner.start();
    closers.add(() => runner.stop());
    dispatcher.start();
    closers.add(() => dispatcher.stop());
    refresher.start();
    closers.add(() => refresher.stop());
    indexer?.start();
    closers.add(async () => indexer?.stop());
    await home.note(served.address);
    const tokenPath = await writeAdminToken(config, key);
    report(`Tributary is ready at ${served.address} (admin token for 24 hours: ${tokenPath})`);
    return { address: served.address, ended: endOf(embedded, closers.close), close: closers.close };
  } catch (failure) {
    await closers.close();
    throw failure;
  }
};

/** Without its database the process has nothing to serve, so it ends and says so. */
const endOf = async (embedded: EmbeddedServer | undefined, close: () => Promise<void>): Promise<number> => {
  if (!embedded) return new Promise(() => {});
  await embedded.exited;
  await close();
  return 1;
};
