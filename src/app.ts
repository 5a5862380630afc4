import type { Hono } from 'hono';
import type { Judge } from './access/authorize.ts';
import { createJudge } from './access/judge.ts';
import type { SigningKey } from './access/keys.ts';
import { createListeners } from './access/listener.ts';
import { createPrincipals, type Principal, type Principals } from './access/principal.ts';
import type { SecretBox } from './access/secrets.ts';
import { createVerifier } from './access/verify.ts';
import { openAccounts } from './accounts/accounts.ts';
import { sessionRoutes } from './accounts/session-routes.ts';
import { removeExpired } from './accounts/sweep.ts';
import { tokenRoutes } from './accounts/token-routes.ts';
import { assetRoutes } from './assets/routes.ts';
import { adoptIntents } from './catalog/below/cascade.ts';
import type { Engine } from './catalog/engine.ts';
import { type Bounds, limitsOf } from './catalog/limits.ts';
import { createFactsReader } from './catalog/read/facts.ts';
import { sightBy } from './catalog/read/sight.ts';
import { createStore } from './catalog/read/store.ts';
import type { Registry } from './catalog/registry.ts';
import { columnRoutes } from './catalog/routes/columns.ts';
import { memberRoutes } from './catalog/routes/members.ts';
import { catalogRoutes } from './catalog/routes/routes.ts';
import { noticing, tellingCommitter } from './catalog/write/committing.ts';
import { catalogOperations } from './catalog/write/operations.ts';
import type { Config } from './config.ts';
import { contextRoutes } from './context/routes.ts';
import { clearForgotten } from './contracts/forgotten.ts';
import { type Documents, openDocuments } from './contracts/odcs/documents.ts';
import { contractRoutes } from './contracts/routes.ts';
import { contractSteward } from './contracts/steward.ts';
import { suitesGone } from './contracts/suite.ts';
import { resumeJudging } from './contracts/waiting.ts';
import { csvExports, csvImport } from './csv/operations.ts';
import { csvRoutes } from './csv/routes.ts';
import { createAddressCheck } from './events/address.ts';
import { openBook } from './events/book.ts';
import { createCaller } from './events/call.ts';
import { createDispatcher, type Dispatcher } from './events/dispatcher.ts';
import { type EventOptions, type Events, openEvents } from './events/events.ts';
import { eventRoutes } from './events/routes.ts';
import { eyesBy } from './events/seen.ts';
import type { Graph } from './graph/client.ts';
import { packageRoot } from './graph/package-root.ts';
import { createSerial } from './graph/serial.ts';
import { docsRoutes } from './http/docs.ts';
import { createEventStreams, type EventStreams, type StreamOptions } from './http/event-stream.ts';
import type { Log } from './http/log.ts';
import { type Metrics, metricsRoute } from './http/metrics.ts';
import { openApiRoute } from './http/openapi.ts';
import type { Route } from './http/route.ts';
import { mountRoutes } from './http/router.ts';
import { createBreaks } from './impact/breaks.ts';
import { impactRoutes } from './impact/routes.ts';
import { exporting } from './jobs/exporting.ts';
import { type Jobs, openJobs } from './jobs/jobs.ts';
import { jobRoutes } from './jobs/routes.ts';
import { createRunner, type Runner, type RunnerOptions } from './jobs/runner.ts';
import { createColumnKeeper, createPartKeeper } from './lineage/keep.ts';
import { createUpstreamReader } from './lineage/map/upstream.ts';
import { createNearReader } from './lineage/near.ts';
import { lineageExport } from './lineage/operations.ts';
import { retellEdges } from './lineage/retell.ts';
import { lineageRoutes } from './lineage/routes.ts';
import { DAY_MS } from './model/time.ts';
import { type NotificationOptions, type Notifications, openNotifications } from './notifications/notifications.ts';
import { removeOldNotifications } from './notifications/retention.ts';
import { notificationRoutes } from './notifications/routes.ts';
import { streamRoutes } from './notifications/stream-routes.ts';
import { peopleRoutes } from './people/routes.ts';
import { createUserDirectory } from './people/user-directory.ts';
import { createRightsReader } from './permissions/rights-reader.ts';
import { permissionRoutes } from './permissions/routes.ts';
import { pipelineRoutes } from './pipelines/routes.ts';
import { profileSeries } from './profiler/retention.ts';
import { profilerRoutes } from './profiler/routes.ts';
import { clearSpent } from './profiler/spent.ts';
import { keepTests } from './quality/moves.ts';
import { resultSeries } from './quality/retention.ts';
import { qualityRoutes } from './quality/routes.ts';
import { testCaseSteward } from './quality/steward.ts';
import { createRetention } from './retention/retention.ts';
import { openSearchRoom } from './search/find/room.ts';
import { ANYTHING, searchExport } from './search/routes/export.ts';
import { searchRoutes } from './search/routes/routes.ts';
import { openBeside } from './search/typesense/beside.ts';
import type { Indexer, IndexerOptions } from './search/typesense/indexer.ts';
import { createRefresher, type Refresher, type RefresherOptions } from './search/upkeep/refresher.ts';
import { REINDEX, reindexOperation } from './search/upkeep/reindex.ts';
import { upkeepRoutes } from './search/upkeep/routes.ts';
import { createAudience } from './subscriptions/audience.ts';
import { createLookAround, createSubscriptionReader } from './subscriptions/directory.ts';
import { subscriptionRoutes } from './subscriptions/routes.ts';
import { emptyRoutes } from './system/empty-routes.ts';
import { systemRoutes } from './system/routes.ts';
import { typeRoutes } from './system/type-routes.ts';
import { usageRoutes } from './usage/routes.ts';

/** The name under which this service issues tokens. It is the same on every process, whatever its address. */
export const ISSUER = 'tributary';

/** How long a user's record, and whether a token still counts, may be reused before another process's change is seen. */
const USER_GRACE_MS = 1000;

export type Deps = {
  readonly config: Config;
  readonly graph: Graph;
  readonly registry: Registry;
  readonly key: SigningKey;
  readonly secrets: SecretBox;
  readonly clock: () => number;
  readonly metrics: Metrics;
  readonly log: Log;
  /** Bounds that nobody sets from outside; tests narrow them. */
  readonly bounds?: Bounds & {
    readonly jobs?: Partial<RunnerOptions>;
    readonly events?: Partial<EventOptions>;
    readonly notifications?: Partial<NotificationOptions>;
    readonly streams?: StreamOptions;
    readonly refresher?: Partial<RefresherOptions>;
    readonly indexer?: Partial<IndexerOptions>;
    readonly patienceMs?: number;
  };
};

export type App = {
  readonly hono: Hono<never>;
  readonly engine: Engine;
  readonly routes: readonly Route[];
  /** Answers that go on for as long as somebody listens. */
  readonly streams: EventStreams;
  /** Does queued jobs from when it is started until it is stopped. */
  readonly runner: Runner;
  /** Tells of what happened, from when it is started until it is stopped. */
  readonly events: Events;
  /** Tells people of it, from when it is started until it is stopped. */
  readonly notifications: Notifications;
  /** Delivers to subscriptions from when it is started until it is stopped. */
  readonly dispatcher: Dispatcher;
  /** Keeps what records are found by true, from when it is started until it is stopped. */
  readonly refresher: Refresher;
  /** Feeds the engine beside the graph, where there is one, from when it is started until it is stopped. */
  readonly indexer: Indexer | undefined;
};

/** However long it takes, a search answers by then with what it has. */
const PATIENCE_MS = 30_000;

/** Who the service is when it writes for itself. */
export const SYSTEM: Principal = Object.freeze({
  id: '',
  name: 'admin',
  email: '',
  isAdmin: true,
  isBot: false,
  roles: [],
});

type Parts = {
  readonly jobs: Jobs;
  readonly judge: Judge;
  readonly principals: () => Principals;
  readonly dispatcher: () => Dispatcher;
  readonly documents: Documents;
  /** Told of every commit. */
  readonly committed: () => void;
};

const createEngine = (deps: Deps, { jobs, judge, principals, dispatcher, documents, committed }: Parts): Engine => {
  const store = createStore(deps.graph, deps.registry);
  const changed = () => {
    judge.outdate();
    principals().forgetAll();
  };
  return {
    registry: deps.registry,
    graph: deps.graph,
    store,
    commit: noticing(tellingCommitter(deps, committed), changed),
    serial: createSerial(),
    secrets: deps.secrets,
    authorize: judge.authorize,
    judge,
    facts: createFactsReader(deps.graph, store),
    clock: deps.clock,
    // A user whose rights changed is looked up again at once by this process.
    written: (record, conferrals = []) => {
      for (const { name } of [record, ...conferrals.map(({ to }) => to)]) principals().forget(name);
      if (record.kind.calls) dispatcher().wake();
    },
    columnsMoved: [createColumnKeeper(deps.graph, deps.clock), keepTests],
    partsGone: createPartKeeper(deps.graph, deps.clock),
    stewards: new Map([
      ['testCase', { ...testCaseSteward, part: suitesGone }],
      ['dataContract', contractSteward],
    ]),
    readYaml: documents.yaml,
    mayCall: createAddressCheck({ allowPrivate: deps.config.webhooks.allowPrivate }),
    jobs,
    limits: limitsOf(deps.config.limits, deps.bounds),
  };
};

/** Nobody but an administrator is let in before it is known what people may do now. */
const settled = ({ of }: Principals, judge: Judge): Pick<Principals, 'of'> => ({
  of: async (authorization, impersonate) => {
    const principal = await of(authorization, impersonate);
    if (!principal.isAdmin) await judge.settle();
    return principal;
  },
});

/** The map: what the process serves, in order. */
export const createApp = (deps: Deps): App => {
  const { config, metrics, log } = deps;
  const jobs = openJobs(deps.graph);
  const streams = createEventStreams(deps.bounds?.streams);
  const events = openEvents({
    graph: deps.graph,
    log,
    clock: deps.clock,
    keptMs: config.eventRetentionDays * DAY_MS,
    care: () => removeOldNotifications(deps.graph, deps.clock()),
    options: deps.bounds?.events ?? {},
  });
  const notifications = openNotifications({
    graph: deps.graph,
    log,
    tail: events.tail,
    alsoTold: (some) => alsoTold(some),
    options: deps.bounds?.notifications ?? {},
  });
  const judge = createJudge({
    ...createRightsReader(deps.graph),
    governing: new Set(deps.registry.kinds.filter((kind) => kind.governsAccess).map((kind) => kind.entityType)),
    clock: deps.clock,
  });
  const documents = openDocuments({ report: (cause) => log.error('the thread of documents failed', {}, cause) });
  const engine: Engine = createEngine(deps, {
    jobs,
    judge,
    principals: () => principals,
    dispatcher: () => dispatcher,
    documents,
    committed: () => {
      events.committed();
      refresher.wake();
    },
  });
  const readSubscriptions = createSubscriptionReader(engine);
  const lookAround = createLookAround(engine);
  const alsoTold = createAudience(openBook(deps.graph, readSubscriptions), lookAround);
  const caller = createCaller({ allowPrivate: config.webhooks.allowPrivate, userAgent: 'Tributary' });
  const refresher = createRefresher({ engine, log, options: deps.bounds?.refresher ?? {} });
  const beside =
    config.typesense &&
    openBeside({
      ...config.typesense,
      graph: deps.graph,
      kinds: deps.registry.kinds,
      log,
      options: deps.bounds?.indexer ?? {},
    });
  const dispatcher = createDispatcher({
    graph: deps.graph,
    tail: events.tail,
    caller,
    readSubscriptions,
    lookAround,
    log,
    clock: deps.clock,
    options: deps.bounds?.events?.dispatcher ?? {},
  });
  const directory = createUserDirectory(engine, SYSTEM);
  const searches = openSearchRoom(engine, {
    typesense: beside?.typesense,
    upstreamOf: createUpstreamReader(engine),
    patienceMs: deps.bounds?.patienceMs ?? Math.min(PATIENCE_MS, config.limits.transactionMs),
  });
  const wonder = (failure: unknown) => log.error('a row of a file failed', {}, failure);
  const operations = {
    ...catalogOperations(engine, directory.renew),
    EXPORT: exporting({
      lineage: lineageExport({ engine, limits: config.limits }, directory.renew),
      [ANYTHING]: searchExport(searches, directory.renew),
      ...csvExports(engine, directory.renew),
    }),
    IMPORT: csvImport(engine, directory.renew, wonder),
    [REINDEX]: reindexOperation(engine, beside?.typesense),
  };
  const forget = createRetention(deps.graph, [
    ...profileSeries(config.profileRetention),
    resultSeries(config.resultRetention),
  ]);
  const runner = createRunner({
    graph: deps.graph,
    jobs,
    operations,
    log,
    care: async () => {
      await adoptIntents(engine);
      await removeExpired(deps.graph, deps.clock());
      await clearSpent(deps.graph);
      await clearForgotten(deps.graph);
      await forget(deps.clock());
    },
    options: deps.bounds?.jobs ?? {},
  });
  const verifier = createVerifier({ key: deps.key, auth: config.auth, publicIssuer: ISSUER, clock: deps.clock });
  const accounts = openAccounts({
    engine,
    config: config.auth,
    key: deps.key,
    issuer: ISSUER,
    verifier,
    system: SYSTEM,
    graceMs: USER_GRACE_MS,
  });
  const principals = createPrincipals({
    verifier,
    ...directory,
    config: config.auth,
    clock: deps.clock,
    graceMs: USER_GRACE_MS,
    tokenAccepted: accounts.standings.accepts,
  });
  const admitted = settled(principals, judge);
  const sightOf = sightBy(engine);
  const eyesOf = eyesBy(sightOf, retellEdges(engine));
  const breaks = createBreaks(engine);
  const pathOf = (entityType: string) => deps.registry.byType.get(entityType)?.path;
  const routes: Route[] = [
    ...systemRoutes({ config, graph: deps.graph, key: deps.key, clock: deps.clock }),
    ...jobRoutes(jobs, streams),
    ...subscriptionRoutes({ engine, tail: events.tail, caller, dispatcher }),
    ...eventRoutes({ graph: deps.graph, eyesOf, clock: deps.clock }),
    ...notificationRoutes({ graph: deps.graph, sightOf, pathOf }),
    ...streamRoutes({
      graph: deps.graph,
      tail: events.tail,
      news: notifications.news,
      streams,
      listeners: createListeners(verifier, admitted),
      sightOf,
      eyesOf,
      pathOf,
      clock: deps.clock,
    }),
    ...catalogRoutes(engine),
    ...memberRoutes(engine),
    ...columnRoutes(engine),
    ...assetRoutes(engine),
    ...peopleRoutes(engine),
    ...sessionRoutes(accounts),
    ...tokenRoutes(accounts),
    ...permissionRoutes({ engine, explainer: judge, readUser: directory.readUser }),
    ...pipelineRoutes(engine),
    ...qualityRoutes(engine, (principal, ids) => resumeJudging({ engine, principal }, ids)),
    ...profilerRoutes(engine),
    ...contractRoutes(engine, documents),
    ...typeRoutes(engine),
    ...usageRoutes(engine),
    ...lineageRoutes({ engine, limits: config.limits }, breaks),
    ...impactRoutes({ engine, limits: config.limits, breaks, documents }),
    ...searchRoutes(searches),
    ...upkeepRoutes(engine, beside?.typesense),
    ...contextRoutes(engine, createNearReader(engine)),
    ...csvRoutes(engine, wonder),
    ...emptyRoutes(),
    openApiRoute(() => routes, { version: config.compatVersion }),
    metricsRoute(metrics, { requireToken: config.metricsAuth }),
    ...docsRoutes(packageRoot),
  ];
  const hono = mountRoutes(routes, {
    principals: admitted,
    limits: config.limits,
    publicUrl: config.publicUrl,
    observe: (facts) => {
      metrics.request(facts);
      log.request(facts);
    },
  });
  return {
    hono: hono as unknown as Hono<never>,
    engine,
    routes,
    streams,
    runner,
    events,
    notifications,
    dispatcher,
    refresher,
    indexer: beside?.indexer,
  };
};
