import type { Hono } from 'hono';
import { impersonationCheck } from './access/impersonation.ts';
import { createJudge } from './access/judge.ts';
import type { SigningKey } from './access/keys.ts';
import { createListeners } from './access/listener.ts';
import { createPrincipals, type Principal, type Principals } from './access/principal.ts';
import type { SecretBox } from './access/secret-box.ts';
import { settled } from './access/settled.ts';
import { createVerifier } from './access/verify.ts';
import { openAccounts } from './accounts/accounts.ts';
import { sessionRoutes } from './accounts/session-routes.ts';
import { removeExpired } from './accounts/sweep.ts';
import { tokenRoutes } from './accounts/token-routes.ts';
import { assetRoutes } from './assets/routes.ts';
import { openAudit } from './audit/audit.ts';
import type { AuditLog, AuditOptions } from './audit/log.ts';
import { adoptIntents } from './catalog/below/cascade.ts';
import type { Engine } from './catalog/engine.ts';
import type { Bounds } from './catalog/limits.ts';
import { disclosesBelow } from './catalog/read/disclosure.ts';
import { createJobVisibility } from './catalog/read/job-visibility.ts';
import { sightBy } from './catalog/read/sight.ts';
import { redactAll, redactedRoute } from './catalog/read/visibility.ts';
import type { Registry } from './catalog/registry.ts';
import { columnRoutes } from './catalog/routes/columns.ts';
import { memberRoutes } from './catalog/routes/members.ts';
import { catalogRoutes } from './catalog/routes/routes.ts';
import { removeLeftovers } from './catalog/write/leftovers.ts';
import { catalogOperations } from './catalog/write/operations.ts';
import type { Config } from './config.ts';
import { contextRoutes } from './context/routes.ts';
import { clearForgotten } from './contracts/forgotten.ts';
import { openDocuments } from './contracts/odcs/documents.ts';
import { contractRoutes } from './contracts/routes.ts';
import { resumeJudging } from './contracts/waiting.ts';
import { csvExports, csvImport } from './csv/operations.ts';
import { csvRoutes } from './csv/routes.ts';
import { createEngine } from './engine.ts';
import { openBook } from './events/book.ts';
import { createCaller } from './events/call.ts';
import { createDispatcher, type Dispatcher } from './events/dispatcher.ts';
import { type EventOptions, type Events, openEvents } from './events/events.ts';
import { eventRoutes } from './events/routes.ts';
import { eyesBy, type RedactFor } from './events/seen.ts';
import type { Graph } from './graph/client.ts';
import { packageRoot } from './graph/package-root.ts';
import { removeOldReceipts } from './graph/receipt.ts';
import { docsRoutes } from './http/docs.ts';
import { createEventStreams, type EventStreams, type StreamOptions } from './http/event-stream.ts';
import type { Lane } from './http/lane.ts';
import type { Log } from './http/log.ts';
import { type Metrics, metricsRoute } from './http/metrics.ts';
import { openApiRoute } from './http/openapi.ts';
import type { Route } from './http/route.ts';
import { mountRoutes } from './http/router.ts';
import { createBreaks } from './impact/breaks.ts';
import { impactRoutes } from './impact/routes.ts';
import { exporting } from './jobs/exporting.ts';
import { openJobs } from './jobs/jobs.ts';
import { jobRoutes } from './jobs/routes.ts';
import { createRunner, type Runner, type RunnerOptions } from './jobs/runner.ts';
import { notingRights } from './jobs/visible.ts';
import type { Notice } from './lane/messages.ts';
import { createNotices } from './lane/notices.ts';
import { createUpstreamReader } from './lineage/map/upstream.ts';
import { createNearReader } from './lineage/near.ts';
import { lineageExport } from './lineage/operations.ts';
import { retellEdges } from './lineage/retell.ts';
import { lineageRoutes } from './lineage/routes.ts';
import type { JsonObject } from './model/json.ts';
import { JOB } from './model/policy-values.ts';
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
import { resultSeries } from './quality/retention.ts';
import { qualityRoutes } from './quality/routes.ts';
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
import { createDeliveryVisibility } from './subscriptions/visibility.ts';
import { builtInAccounts } from './system/builtin.ts';
import { emptyRoutes } from './system/empty-routes.ts';
import { withKeyWatch } from './system/key-watch.ts';
import { resealOperations } from './system/reseal.ts';
import { systemRoutes } from './system/routes.ts';
import { typeRoutes } from './system/type-routes.ts';
import { usageRoutes } from './usage/routes.ts';

/** The name under which this service issues tokens. It is the same on every process, whatever its address. */
export const ISSUER = 'tributary';

/** How long users and tokens may be reused before another process's change is seen. */
/** A clock that nobody sets: what is reused for a while must not be reused for longer because the time of day was changed. */
const steady = (): number => performance.now();

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
  /** Answers what would hold the event loop; without it everything is answered in this thread. */
  readonly lane?: Lane;
  /** Told of what this application changes, so that others of the process forget what they know of it. */
  readonly tell?: (notice: Notice) => void;
  /** Bounds that nobody sets from outside; tests narrow them. */
  readonly bounds?: Bounds & {
    readonly jobs?: Partial<RunnerOptions>;
    readonly events?: Partial<EventOptions>;
    readonly notifications?: Partial<NotificationOptions>;
    readonly streams?: StreamOptions;
    readonly refresher?: Partial<RefresherOptions>;
    readonly indexer?: Partial<IndexerOptions>;
    readonly audit?: Partial<AuditOptions>;
    readonly patienceMs?: number;
  };
};

export type App = {
  readonly hono: Hono<never>;
  readonly engine: Engine;
  readonly routes: readonly Route[];
  /** Learns what another application of the process has changed. */
  readonly hear: (notice: Notice) => void;
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
  /** Writes the audit log; what is only noted is written soon after it is started, and when it is stopped. */
  readonly audit: AuditLog;
  /** Records in the audit log that keys were rotated. */
  readonly recordRotation: (details: JsonObject) => Promise<void>;
  /** Feeds the engine beside the graph, where there is one, from when it is started until it is stopped. */
  readonly indexer: Indexer | undefined;
};

/** When a search answers with what it has. */
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

/** The map: what the process serves, in order. */
export const createApp = (deps: Deps): App => {
  const { config, metrics, log } = deps;
  const jobs = openJobs(deps.graph);
  const audit = openAudit({ ...deps, options: deps.bounds?.audit });
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
    assets: new Set(deps.registry.kinds.filter(({ isAsset }) => isAsset).map(({ entityType }) => entityType)),
    clock: steady,
  });
  const documents = openDocuments({ report: (cause) => log.error('the thread of documents failed', {}, cause) });
  const later = () => ({ principals, dispatcher, refresher });
  const { hear, notify } = createNotices({ judge, jobs, events, later }, deps.tell);
  const engine: Engine = createEngine(deps, { jobs, judge, documents, notify });
  const readSubscriptions = createSubscriptionReader(engine);
  const lookAround = createLookAround(engine);
  const alsoTold = createAudience(openBook(deps.graph, readSubscriptions), lookAround, (one) => visibility(one));
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
    visibility: (one) => visibility(one),
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
  const { visibility: jobVisibility, rightsOf } = createJobVisibility({ engine, ...judge, ...directory });
  const withResults = {
    ...catalogOperations(engine, directory.renew),
    EXPORT: exporting({
      lineage: lineageExport({ engine, limits: config.limits }, directory.renew),
      [ANYTHING]: searchExport(searches, directory.renew),
      ...csvExports(engine, directory.renew),
    }),
    IMPORT: csvImport(engine, directory.renew, wonder),
  };
  const operations = audit.watchJobs({
    ...notingRights(withResults, rightsOf),
    [REINDEX]: reindexOperation(engine, beside?.typesense),
    ...resealOperations(deps),
  });
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
      // A clock that is ahead for a while must not remove the note that a token was logged out: it would count again.
      await removeExpired(deps.graph, deps.clock() - DAY_MS);
      await clearSpent(deps.graph);
      await clearForgotten(deps.graph);
      await removeOldReceipts(deps.graph);
      await removeLeftovers(deps.graph, deps.clock());
      await forget(deps.clock());
      await audit.removeExpired();
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
    builtIn: builtInAccounts(SYSTEM),
    graceMs: USER_GRACE_MS,
    forgetUser: (name) => principals.forget(name),
    log,
  });
  const principals: Principals = createPrincipals({
    verifier,
    ...directory,
    config: config.auth,
    builtIn: builtInAccounts(SYSTEM),
    clock: steady,
    graceMs: USER_GRACE_MS,
    mayImpersonate: impersonationCheck(judge, engine.facts.one),
    tokenAccepted: audit.accepting(accounts.accepts),
  });
  const admitted = settled(principals, judge, audit.admitted);
  const sightOf = sightBy(engine);
  const redactFor: RedactFor = (principal, values) => redactAll(engine, principal, values);
  const eyesOf = eyesBy(sightOf, retellEdges(engine), redactFor);
  const visibility = createDeliveryVisibility({ engine, named: principals.named, eyesOf });
  const breaks = createBreaks(engine);
  const pathOf = (entityType: string) => deps.registry.byType.get(entityType)?.path;
  const routes: readonly Route[] = audit.watch(
    [
      ...systemRoutes({ config, graph: deps.graph, key: deps.key, clock: deps.clock }),
      ...jobRoutes(
        {
          jobs,
          authorize: (principal, operation) => judge.authorize(principal, [operation], { resource: JOB }),
          visibility: jobVisibility,
        },
        streams,
      ),
      ...subscriptionRoutes({ engine, tail: events.tail, caller, dispatcher, eyesOf, visibility }),
      ...eventRoutes({ graph: deps.graph, eyesOf, clock: deps.clock }),
      ...notificationRoutes({ graph: deps.graph, sightOf, redactFor, pathOf }),
      ...streamRoutes({
        graph: deps.graph,
        tail: events.tail,
        news: notifications.news,
        streams,
        listeners: createListeners(verifier, admitted),
        sightOf,
        redactFor,
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
    ].map(redactedRoute(engine)),
    disclosesBelow(engine),
  );
  const hono = mountRoutes(routes, {
    principals: admitted,
    limits: config.limits,
    publicUrl: config.publicUrl,
    lane: deps.lane,
    trustedProxies: config.trustedProxies,
    observe: (facts) => {
      metrics.request(facts);
      log.request(facts);
      audit.requested(facts);
    },
  });
  const recordRotation: App['recordRotation'] = (details) =>
    audit.log.record({ actor: SYSTEM.name, action: 'keysRotated', details });
  return {
    hono: hono as unknown as Hono<never>,
    engine,
    routes,
    hear,
    streams,
    runner: withKeyWatch(runner, { ...deps, jobs, recordRotation, system: SYSTEM }),
    events,
    notifications,
    dispatcher,
    refresher,
    audit: audit.log,
    recordRotation,
    indexer: beside?.indexer,
  };
};
