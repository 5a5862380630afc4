import type { Hono } from 'hono';
import { createAuthenticator } from './access/authenticator.ts';
import { createAuthorizer } from './access/authorizer.ts';
import { impersonationCheck } from './access/impersonation.ts';
import { createListenerOpener } from './access/listener.ts';
import { createPrincipalResolver, type PrincipalResolver } from './access/principal.ts';
import type { SecretBox } from './access/secret-box.ts';
import { ISSUER, SYSTEM_PRINCIPAL } from './access/service-identity.ts';
import type { SigningKey } from './access/signing-key.ts';
import { createTokenVerifier } from './access/token-verifier.ts';
import { openAccounts } from './accounts/accounts.ts';
import { removeExpiredCredentials } from './accounts/remove-expired.ts';
import { sessionRoutes } from './accounts/session-routes.ts';
import { tokenRoutes } from './accounts/token-routes.ts';
import { assetRoutes } from './assets/routes.ts';
import { openAudit } from './audit/audit.ts';
import type { AuditLog, AuditOptions } from './audit/log.ts';
import { adoptOrphanedIntents } from './catalog/cascade/cascade.ts';
import type { Engine } from './catalog/engine.ts';
import type { LimitOverrides } from './catalog/limits.ts';
import { disclosesBelow } from './catalog/read/disclose-secrets.ts';
import { createJobVisibility } from './catalog/read/job-visibility.ts';
import { redactValues, withRedactedAnswers } from './catalog/read/redaction.ts';
import { eventVisibilityFor } from './catalog/read/visibility.ts';
import type { Registry } from './catalog/registry.ts';
import { columnRoutes } from './catalog/routes/columns.ts';
import { memberRoutes } from './catalog/routes/members.ts';
import { catalogRoutes } from './catalog/routes/routes.ts';
import { catalogOperations } from './catalog/write/job-operations.ts';
import { deleteLeftovers } from './catalog/write/leftovers.ts';
import { composeEngine } from './composition/engine.ts';
import type { Config } from './config.ts';
import { contextRoutes } from './context/routes.ts';
import { openOdcsDocuments } from './contracts/odcs/documents.ts';
import { deleteOrphanedResults } from './contracts/orphaned-results.ts';
import { reevaluatePendingContracts } from './contracts/pending-results.ts';
import { contractRoutes } from './contracts/routes.ts';
import { createCsvExports, createCsvImport } from './csv/operations.ts';
import { csvRoutes } from './csv/routes.ts';
import { createDeliveryDispatcher, type DeliveryDispatcher } from './events/dispatcher.ts';
import { type EventService, type EventServiceOptions, openEventService } from './events/event-service.ts';
import { createEventVisibility, type RedactForPrincipal } from './events/event-visibility.ts';
import { eventRoutes } from './events/routes.ts';
import { openSubscriptionCache } from './events/subscription-cache.ts';
import { createWebhookCaller } from './events/webhook-caller.ts';
import type { Graph } from './graph/client.ts';
import { removeOldCommitReceipts } from './graph/commit-receipt.ts';
import { packageRoot } from './graph/package-root.ts';
import { docsRoutes } from './http/docs-routes.ts';
import { createEventStreams, type EventStreamOptions, type EventStreams } from './http/event-stream.ts';
import type { Log } from './http/log.ts';
import { type Metrics, metricsRoute } from './http/metrics.ts';
import { openApiRoute } from './http/openapi.ts';
import type { RequestLane } from './http/request-lane.ts';
import type { Route } from './http/route.ts';
import { mountRoutes } from './http/router.ts';
import { createBrokenClauseFinder } from './impact/broken-contracts.ts';
import { contractCheckRoutes } from './impact/routes.ts';
import { createExportDispatcher } from './jobs/export-operation.ts';
import { openJobQueue } from './jobs/job-queue.ts';
import { createJobRunner, type JobRunner, type JobRunnerOptions } from './jobs/job-runner.ts';
import { recordRightsWithResults } from './jobs/job-visibility.ts';
import { jobRoutes } from './jobs/routes.ts';
import { createChangeNotices } from './lane/change-notices.ts';
import type { ChangeNotice } from './lane/messages.ts';
import { lineageExportOperation } from './lineage/export-operation.ts';
import { filterLineageEvents } from './lineage/filter-lineage-events.ts';
import { createUpstreamReader } from './lineage/read/map/upstream-reader.ts';
import { createNeighbourReader } from './lineage/read/neighbour-reader.ts';
import { lineageRoutes } from './lineage/routes.ts';
import type { JsonObject } from './model/json.ts';
import { JOB_RESOURCE } from './model/schemas/access/policy.ts';
import { DAY_MS } from './model/time.ts';
import {
  type NotificationService,
  type NotificationServiceOptions,
  openNotificationService,
} from './notifications/notification-service.ts';
import { removeOldNotifications } from './notifications/retention.ts';
import { notificationRoutes } from './notifications/routes.ts';
import { eventStreamRoutes } from './notifications/stream-routes.ts';
import { peopleRoutes } from './people/routes.ts';
import { createUserDirectory } from './people/user-directory.ts';
import { createRightsReader } from './permissions/rights-reader.ts';
import { permissionRoutes } from './permissions/routes.ts';
import { pipelineRoutes } from './pipelines/routes.ts';
import { deleteOrphanedProfiles } from './profiler/orphaned-profiles.ts';
import { profileRetention } from './profiler/retention.ts';
import { profilerRoutes } from './profiler/routes.ts';
import { testResultRetention } from './quality/retention.ts';
import { qualityRoutes } from './quality/routes.ts';
import { createRetention } from './retention/retention.ts';
import { createSearchContext } from './search/find/search-context.ts';
import { createRefresher, type Refresher, type RefresherOptions } from './search/maintenance/refresher.ts';
import { createReindexOperation, REINDEX_OPERATION } from './search/maintenance/reindex-job.ts';
import { searchMaintenanceRoutes } from './search/maintenance/routes.ts';
import { ANY_TARGET, createExportOperation } from './search/routes/export.ts';
import { searchRoutes } from './search/routes/routes.ts';
import type { Indexer, IndexerOptions } from './search/typesense/indexer.ts';
import { openTypesenseSearch } from './search/typesense/open-search.ts';
import { createDeliveryVisibility } from './subscriptions/delivery-visibility.ts';
import { createSubscriptionAudiences } from './subscriptions/notification-audience.ts';
import { subscriptionRoutes } from './subscriptions/routes.ts';
import { createEventContextReader, createSubscriptionReader } from './subscriptions/subscription-reader.ts';
import { builtInAccounts } from './system/built-ins.ts';
import { emptyCollectionRoutes } from './system/empty-routes.ts';
import { withKeyWatch } from './system/key-watch.ts';
import { resealOperations } from './system/reseal.ts';
import { systemRoutes } from './system/routes.ts';
import { typeRoutes } from './system/type-routes.ts';
import { usageRoutes } from './usage/routes.ts';

/** Reads a monotonic clock, so that a change of the system time does not extend the life of cached values. */
const monotonicNow = (): number => performance.now();

/** How long a cached user or token check may be reused before a change made by another process takes effect. */
const USER_GRACE_MS = 1000;

export type AppDeps = {
  readonly config: Config;
  readonly graph: Graph;
  readonly registry: Registry;
  readonly key: SigningKey;
  readonly secrets: SecretBox;
  readonly clock: () => number;
  readonly metrics: Metrics;
  readonly log: Log;
  /** Answers the requests that would block the event loop. Without it, this thread answers every request. */
  readonly lane?: RequestLane;
  /** Receives each change that this application makes, so that other threads of the process drop what they cached. */
  readonly tell?: (notice: ChangeNotice) => void;
  /** Limits that have no setting. Tests narrow them. */
  readonly bounds?: LimitOverrides & {
    readonly jobs?: Partial<JobRunnerOptions>;
    readonly events?: Partial<EventServiceOptions>;
    readonly notifications?: Partial<NotificationServiceOptions>;
    readonly streams?: EventStreamOptions;
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
  /** Applies a change that another application of the process made. */
  readonly hear: (notice: ChangeNotice) => void;
  /** The open event streams, which last as long as a client listens. */
  readonly streams: EventStreams;
  /** Runs queued jobs between its start and its stop. */
  readonly runner: JobRunner;
  /** Publishes change events between its start and its stop. */
  readonly events: EventService;
  /** Notifies people of change events between its start and its stop. */
  readonly notifications: NotificationService;
  /** Delivers change events to subscriptions between its start and its stop. */
  readonly dispatcher: DeliveryDispatcher;
  /** Keeps the search documents up to date between its start and its stop. */
  readonly refresher: Refresher;
  /** Writes the audit log. Buffered entries are written soon after its start, and when it stops. */
  readonly audit: AuditLog;
  /** Records a key rotation in the audit log. */
  readonly recordRotation: (details: JsonObject) => Promise<void>;
  /** Sends documents to the second search engine, if one is configured, between its start and its stop. */
  readonly indexer: Indexer | undefined;
};

/** After this time, a search answers with the results it has so far. */
const PATIENCE_MS = 30_000;

/** Builds the application: every service and route of the process, in order of dependency. */
export const createApp = (deps: AppDeps): App => {
  const { config, metrics, log } = deps;
  const jobs = openJobQueue(deps.graph);
  const audit = openAudit({ ...deps, options: deps.bounds?.audit });
  const streams = createEventStreams(deps.bounds?.streams);
  const events = openEventService({
    graph: deps.graph,
    log,
    clock: deps.clock,
    retentionMs: config.eventRetentionDays * DAY_MS,
    sweepMore: () => removeOldNotifications(deps.graph, deps.clock()),
    options: deps.bounds?.events ?? {},
  });
  const notifications = openNotificationService({
    graph: deps.graph,
    log,
    tail: events.tail,
    subscriptionAudiences: (some) => alsoTold(some),
    options: deps.bounds?.notifications ?? {},
  });
  const judge = createAuthorizer({
    ...createRightsReader(deps.graph),
    assets: new Set(deps.registry.kinds.filter(({ isAsset }) => isAsset).map(({ entityType }) => entityType)),
    clock: monotonicNow,
  });
  const documents = openOdcsDocuments({ report: (cause) => log.error('the thread of documents failed', {}, cause) });
  const later = () => ({ principals, dispatcher, refresher });
  const { applyNotice, notify } = createChangeNotices({ judge, jobs, events, later }, deps.tell);
  const engine: Engine = composeEngine(deps, { jobs, judge, documents, notify });
  const readSubscriptions = createSubscriptionReader(engine);
  const readEventContexts = createEventContextReader(engine);
  const alsoTold = createSubscriptionAudiences(
    openSubscriptionCache(deps.graph, readSubscriptions),
    readEventContexts,
    (one) => deliveryVisibilityOf(one),
  );
  const caller = createWebhookCaller({ allowPrivate: config.webhooks.allowPrivate, userAgent: 'Tributary' });
  const refresher = createRefresher({ engine, log, options: deps.bounds?.refresher ?? {} });
  const typesenseEngine =
    config.typesense &&
    openTypesenseSearch({
      ...config.typesense,
      graph: deps.graph,
      kinds: deps.registry.kinds,
      log,
      options: deps.bounds?.indexer ?? {},
    });
  const dispatcher = createDeliveryDispatcher({
    graph: deps.graph,
    tail: events.tail,
    caller,
    readSubscriptions,
    readEventContexts,
    visibility: (one) => deliveryVisibilityOf(one),
    log,
    clock: deps.clock,
    options: deps.bounds?.events?.dispatcher ?? {},
  });
  const directory = createUserDirectory(engine, SYSTEM_PRINCIPAL);
  const searches = createSearchContext(engine, {
    typesense: typesenseEngine?.typesense,
    upstreamOf: createUpstreamReader(engine),
    patienceMs: deps.bounds?.patienceMs ?? Math.min(PATIENCE_MS, config.limits.transactionMs),
  });
  const onRowFailure = (failure: unknown) => log.error('a row of a file failed', {}, failure);
  const { visibility: jobVisibility, rightsOf } = createJobVisibility({ engine, ...judge, ...directory });
  const withResults = {
    ...catalogOperations(engine, directory.refreshPrincipal),
    EXPORT: createExportDispatcher({
      lineage: lineageExportOperation({ engine, limits: config.limits }, directory.refreshPrincipal),
      [ANY_TARGET]: createExportOperation(searches, directory.refreshPrincipal),
      ...createCsvExports(engine, directory.refreshPrincipal),
    }),
    IMPORT: createCsvImport(engine, directory.refreshPrincipal, onRowFailure),
  };
  const operations = audit.watchJobs({
    ...recordRightsWithResults(withResults, rightsOf),
    [REINDEX_OPERATION]: createReindexOperation(engine, typesenseEngine?.typesense),
    ...resealOperations(deps),
  });
  const removeOldSeries = createRetention(deps.graph, [
    ...profileRetention(config.profileRetention),
    testResultRetention(config.resultRetention),
  ]);
  const runner = createJobRunner({
    graph: deps.graph,
    jobs,
    operations,
    log,
    sweepMore: async () => {
      await adoptOrphanedIntents(engine);
      // The day's margin covers a clock that runs ahead: removing a logout record too early would make its token valid
      // again.
      await removeExpiredCredentials(deps.graph, deps.clock() - DAY_MS);
      await deleteOrphanedProfiles(deps.graph);
      await deleteOrphanedResults(deps.graph);
      await removeOldCommitReceipts(deps.graph);
      await deleteLeftovers(deps.graph, deps.clock());
      await removeOldSeries(deps.clock());
      await audit.removeExpired();
    },
    options: deps.bounds?.jobs ?? {},
  });
  const verifier = createTokenVerifier({ key: deps.key, auth: config.auth, publicIssuer: ISSUER, clock: deps.clock });
  const accounts = openAccounts({
    engine,
    config: config.auth,
    key: deps.key,
    issuer: ISSUER,
    verifier,
    system: SYSTEM_PRINCIPAL,
    builtIn: builtInAccounts(SYSTEM_PRINCIPAL),
    graceMs: USER_GRACE_MS,
    forgetUser: (name) => principals.forget(name),
    log,
  });
  const principals: PrincipalResolver = createPrincipalResolver({
    verifier,
    ...directory,
    config: config.auth,
    builtIn: builtInAccounts(SYSTEM_PRINCIPAL),
    clock: monotonicNow,
    graceMs: USER_GRACE_MS,
    assertMayImpersonate: impersonationCheck(judge, engine.facts.read),
    isTokenAccepted: audit.wrapTokenCheck(accounts.accepts),
  });
  const authenticator = createAuthenticator(principals, judge, audit.onAuthenticated);
  const sightOf = eventVisibilityFor(engine);
  const redactForPrincipal: RedactForPrincipal = (principal, values) => redactValues(engine, principal, values);
  const visibilityOf = createEventVisibility(sightOf, filterLineageEvents(engine), redactForPrincipal);
  const deliveryVisibilityOf = createDeliveryVisibility({
    engine,
    principalNamed: principals.findByName,
    visibilityOf,
  });
  const breaks = createBrokenClauseFinder(engine);
  const pathOf = (entityType: string) => deps.registry.byType.get(entityType)?.path;
  const routes: readonly Route[] = audit.wrapRoutes(
    [
      ...systemRoutes({ config, graph: deps.graph, key: deps.key, clock: deps.clock }),
      ...jobRoutes(
        {
          jobs,
          authorize: (principal, operation) => judge.authorize(principal, [operation], { resource: JOB_RESOURCE }),
          visibility: jobVisibility,
        },
        streams,
      ),
      ...subscriptionRoutes({ engine, tail: events.tail, caller, dispatcher, visibilityOf, deliveryVisibilityOf }),
      ...eventRoutes({ graph: deps.graph, visibilityOf, clock: deps.clock }),
      ...notificationRoutes({ graph: deps.graph, visibilityOf: sightOf, redactForPrincipal, pathOf }),
      ...eventStreamRoutes({
        graph: deps.graph,
        tail: events.tail,
        watcher: notifications.watcher,
        streams,
        listeners: createListenerOpener(verifier, authenticator),
        visibilityOf: sightOf,
        redactForPrincipal,
        eventVisibilityOf: visibilityOf,
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
      ...qualityRoutes(engine, (principal, ids) => reevaluatePendingContracts({ engine, principal }, ids)),
      ...profilerRoutes(engine),
      ...contractRoutes(engine, documents),
      ...typeRoutes(engine),
      ...usageRoutes(engine),
      ...lineageRoutes({ engine, limits: config.limits }, breaks),
      ...contractCheckRoutes({ engine, limits: config.limits, breaks, documents }),
      ...searchRoutes(searches),
      ...searchMaintenanceRoutes(engine, typesenseEngine?.typesense),
      ...contextRoutes(engine, createNeighbourReader(engine)),
      ...csvRoutes(engine, onRowFailure),
      ...emptyCollectionRoutes(),
      openApiRoute(() => routes, { version: config.compatVersion }),
      metricsRoute(metrics, { requireToken: config.metricsAuth }),
      ...docsRoutes(packageRoot),
    ].map(withRedactedAnswers(engine)),
    disclosesBelow(engine),
  );
  const hono = mountRoutes(routes, {
    principals: authenticator,
    limits: config.limits,
    publicUrl: config.publicUrl,
    lane: deps.lane,
    trustedProxies: config.trustedProxies,
    observe: (facts) => {
      metrics.request(facts);
      log.request(facts);
      audit.onRequest(facts);
    },
  });
  const recordRotation: App['recordRotation'] = (details) =>
    audit.log.record({ actor: SYSTEM_PRINCIPAL.name, action: 'keysRotated', details });
  return {
    hono: hono as unknown as Hono<never>,
    engine,
    routes,
    hear: applyNotice,
    streams,
    runner: withKeyWatch(runner, { ...deps, jobs, recordRotation, system: SYSTEM_PRINCIPAL }),
    events,
    notifications,
    dispatcher,
    refresher,
    audit: audit.log,
    recordRotation,
    indexer: typesenseEngine?.indexer,
  };
};
