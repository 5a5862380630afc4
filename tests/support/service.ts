import { randomUUID } from 'node:crypto';
import { createSecretBox } from '../../src/access/secret-box.ts';
import { ISSUER, SYSTEM_PRINCIPAL } from '../../src/access/service-identity.ts';
import { loadSigningKey } from '../../src/access/signing-key.ts';
import { issueToken } from '../../src/access/token.ts';
import { type App, type AppDeps, createApp } from '../../src/app.ts';
import { declareKindStatements } from '../../src/catalog/read/store.ts';
import { loadKinds, type Registry } from '../../src/catalog/registry.ts';
import { readConfig } from '../../src/config.ts';
import { applySchema } from '../../src/graph/apply-schema.ts';
import { type Graph, openGraph } from '../../src/graph/client.ts';
import { createLog } from '../../src/http/log.ts';
import { createMetrics, type Metrics } from '../../src/http/metrics.ts';
import { openThreads, type Threads } from '../../src/lane/threads.ts';
import { documentIndexSteps } from '../../src/search-documents/index/fulltext-index.ts';
import { ensureBuiltIns } from '../../src/system/built-ins.ts';
import { openTracing } from '../../src/tracing/open-tracing.ts';
import type { Tracing } from '../../src/tracing/tracing.ts';
import { checkAfterFile } from './after-file.ts';
import { atEnd } from './at-end.ts';
import { GENEROUS_BOUNDS, GENEROUS_SETTINGS } from './generous-limits.ts';
import { createOpenJobCheck } from './open-jobs.ts';
import { watchSharedLoops } from './shared-loops.ts';

/** The service under test: the real application on this run's database, called without a socket. */
export type Service = {
  readonly app: App;
  readonly graph: Graph;
  readonly registry: Registry;
  /** The threads of the heavy lane and of background work, when the service was opened with them. */
  readonly threads: Threads | undefined;
  /** Records traces, where the environment names a collector. */
  readonly tracing: Tracing | undefined;
  readonly metrics: Metrics;
  /** Lines the service logged since it was opened. */
  readonly logged: readonly string[];
  /** How often a statement was sent to the database since the service was opened. */
  sent(statement: string): number;
  /** How often each statement was sent, by its name. */
  allSent(): ReadonlyMap<string, number>;
  token(name: string, options?: { readonly isBot?: boolean; readonly ttlSeconds?: number }): Promise<string>;
  /** A client that calls as the named user; the user must exist. */
  as(name: string, options?: { readonly isBot?: boolean }): Promise<Client>;
  readonly admin: Client;
};

export type Reply = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON. Any member may be read; what is not there is undefined. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at answers of every shape, and an absent member must fail the assertion, not the compiler.
  readonly json: any;
};

export type Client = {
  get(path: string, headers?: Record<string, string>): Promise<Reply>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>;
  put(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>;
  patch(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>;
  delete(path: string, headers?: Record<string, string>): Promise<Reply>;
  /** Sends a body as it is. */
  raw(
    method: string,
    path: string,
    body: string | Uint8Array | undefined,
    headers?: Record<string, string>,
  ): Promise<Reply>;
  /** Asks for what never ends, and hangs up as soon as it is clear what the answer is. */
  begin(path: string): Promise<Reply>;
};

const environment = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: run the tests with npm test`);
  return value;
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const said = async (response: Response): Promise<Pick<Reply, 'text' | 'json'>> => {
  const text = await response.text();
  return { text, json: parse(text) as Reply['json'] };
};

const clientFor = (app: App, token: string | undefined): Client => {
  const raw: Client['raw'] = async (method, path, body, headers = {}) => {
    const init: RequestInit = {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    };
    const response = await app.hono.request(path, init);
    return { status: response.status, headers: response.headers, ...(await said(response)) };
  };
  const send = (method: string) => (path: string, body: unknown, headers?: Record<string, string>) =>
    raw(method, path, JSON.stringify(body), headers);
  const begin: Client['begin'] = async (path) => {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await app.hono.request(path, { headers });
    if (!response.ok) return { status: response.status, headers: response.headers, ...(await said(response)) };
    await response.body?.cancel();
    return { status: response.status, headers: response.headers, text: '', json: undefined };
  };
  return {
    raw,
    begin,
    get: (path, headers) => raw('GET', path, undefined, headers),
    post: send('POST'),
    put: send('PUT'),
    patch: send('PATCH'),
    delete: (path, headers) => raw('DELETE', path, undefined, headers),
  };
};

/** A caller without a token. */
export const anonymous = (service: Service): Client => clientFor(service.app, undefined);

export const withToken = (service: Service, token: string): Client => clientFor(service.app, token);

export type Place = {
  readonly home: string;
  readonly uri: string;
  readonly user: string;
  readonly password: string;
  /** Further variables of the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** The time of day as the service knows it; the real one unless given. */
  readonly clock?: () => number;
  /** Lets a test see or hold what the service asks of the database. */
  readonly wrapGraph?: (graph: Graph) => Graph;
};

/** Ends what runs by itself, and then the connections. */
export const closeServiceAt = async ({ app, graph, threads, tracing }: Service): Promise<void> => {
  await threads?.lane.close();
  await threads?.stopBackground();
  app.streams.close();
  await app.runner.stop();
  await app.dispatcher.stop();
  await app.refresher.stop();
  await app.labelFollower.stop();
  await app.indexer?.stop();
  await app.notifications.stop();
  await app.events.stop();
  await app.audit.stop();
  await graph.close();
  await tracing?.close();
};

/** The token of a bot must be known to the service: the one there is, or else a new one. Whoever is no bot has none. */
const botToken = async (admin: Client, name: string): Promise<string | undefined> => {
  const { id } = (await admin.get(`/v1/users/name/${encodeURIComponent(name)}`)).json;
  const kept = await admin.get(`/v1/users/auth-mechanism/${id}`);
  return kept.json.config?.JWTToken ?? (await admin.put(`/v1/users/generateToken/${id}`, {})).json.JWTToken;
};

/** Everything that goes on by itself, in this thread. */
const startHere = (app: App, bounds: NonNullable<AppDeps['bounds']>): void => {
  app.runner.start();
  app.events.start();
  app.notifications.start();
  app.dispatcher.start();
  // What tells of other records is looked after only where a test is about that: everywhere else, marks stay to be seen.
  if (bounds.refresher) app.refresher.start();
  if (bounds.labels) app.labelFollower.start();
};

/** The same as the process has it: all of that in a thread of its own. */
const startBeside = (app: App, threads: Threads): void => {
  app.events.tail.start();
  app.notifications.watcher.start();
  threads.startBackground(app);
};

/** The tokens of the tests outlive the run, however slow its machine. */
const RUN_SECONDS = 86_400;

/** The service on a database of the caller's choosing, who closes it with `closeServiceAt`. */
export const openServiceAt = async (
  { home, uri, user, password, env = {}, clock = Date.now, wrapGraph = (graph) => graph }: Place,
  bounds: NonNullable<AppDeps['bounds']> = {},
  hasThreads = false,
): Promise<Service> => {
  const config = readConfig({ ...GENEROUS_SETTINGS, ...env, TRIBUTARY_HOME: home });
  const calls = new Map<string, number>();
  const logged: string[] = [];
  const metrics = createMetrics();
  metrics.close();
  const tracing = await openTracing(config.tracing, {
    count: metrics.spans,
    onLoss: (reason) => log.warn('spans of traces are lost', { reason }),
    onRecovery: () => log.info('the collector takes spans again'),
  });
  const log = createLog({ level: 'info', to: { write: (line) => logged.push(line) }, traceIds: tracing?.ids });
  const graph = wrapGraph(
    openGraph({
      tracing,
      uri,
      user,
      password,
      database: config.neo4j.database,
      transactionMs: config.limits.transactionMs,
      observer: {
        databaseCall: (statement) => calls.set(statement, (calls.get(statement) ?? 0) + 1),
        batch: () => {},
        queueDepth: () => {},
        connections: () => {},
      },
    }),
  );
  const [key, secrets, registry] = await Promise.all([
    loadSigningKey({ home, keyFile: undefined }),
    createSecretBox({ home, secretsKey: undefined }),
    loadKinds(),
  ]);
  declareKindStatements(registry);
  await applySchema(graph, registry.kinds, documentIndexSteps(registry.kinds));
  const threads = hasThreads ? openThreads({ config, database: { uri, user, password } }, log, tracing) : undefined;
  const beside = threads ? { lane: threads.lane, tell: threads.notify } : {};
  const generous = { ...GENEROUS_BOUNDS, ...bounds };
  const app = createApp({ config, graph, registry, key, secrets, clock, metrics, log, bounds: generous, ...beside });
  await ensureBuiltIns(app.engine, SYSTEM_PRINCIPAL, config);
  app.audit.start();
  if (threads) startBeside(app, threads);
  else startHere(app, bounds);
  const issue: Service['token'] = (name, { isBot = false, ttlSeconds = RUN_SECONDS } = {}) =>
    issueToken(key, {
      issuer: ISSUER,
      user: { name, email: `${name}@${config.auth.principalDomain}` },
      isBot,
      tokenType: isBot ? 'BOT' : 'OM_USER',
      ttlSeconds,
      now: Date.now(),
    });
  const admin = clientFor(app, await issue(SYSTEM_PRINCIPAL.name));
  const token: Service['token'] = async (name, options) =>
    (options?.isBot ? await botToken(admin, name) : undefined) ?? issue(name, options);
  const as: Service['as'] = async (name, options) => clientFor(app, await token(name, options));
  const sent: Service['sent'] = (statement) => calls.get(statement) ?? 0;
  const allSent: Service['allSent'] = () => new Map(calls);
  return { app, graph, registry, threads, tracing, metrics, logged, sent, allSent, token, as, admin };
};

let opened: Promise<Service> | undefined;

/** The database and the home that this run of the tests has been given. */
export const placeOfRun = (): Place => ({
  home: environment('TEST_HOME'),
  uri: environment('TEST_NEO4J_URI'),
  user: environment('TEST_NEO4J_USER'),
  password: environment('TEST_NEO4J_PASSWORD'),
});

/** Opens the service that the files of this process share, and has the process look at what each of them leaves behind. */
const openSharedService = async (): Promise<Service> => {
  const service = await openServiceAt(placeOfRun());
  const { app, restart } = watchSharedLoops(service.app);
  const findOpenJobs = createOpenJobCheck(service.graph);
  checkAfterFile(async () => {
    const stopped = restart().map((name) => `left app.${name} stopped`);
    const open = await findOpenJobs();
    const operations = [...new Set(open.map(({ operation }) => operation))].join(', ');
    return open.length === 0 ? stopped : [...stopped, `left ${open.length} jobs open: ${operations}`];
  });
  return { ...service, app };
};

/** The one service of this process. Opened by the first suite that asks; closed with the process. */
export const openService = (): Promise<Service> => {
  if (opened === undefined) {
    const opening = openSharedService();
    opened = opening;
    atEnd(async () => closeServiceAt(await opening));
  }
  return opened;
};

/** A name nobody else uses: every suite builds and looks only below its own. */
export const uniqueName = (prefix: string): string => `${prefix}_${randomUUID().slice(0, 8)}`;
