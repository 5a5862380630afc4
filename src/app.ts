import type { Hono } from 'hono';
import { demandAnyRight } from './access/authorization.ts';
import { SYSTEM_PRINCIPAL } from './access/service-identity.ts';
import type { AuditLog } from './audit/log.ts';
import type { Engine } from './catalog/engine.ts';
import { findNameHint } from './catalog/read/name-hint.ts';
import type { AppDeps } from './composition/app-deps.ts';
import { composeDelivery, type EventDelivery } from './composition/delivery.ts';
import { composeIdentity, type Identity } from './composition/identity.ts';
import { composeJobs } from './composition/jobs.ts';
import { composeLabels } from './composition/labels.ts';
import { type AppServices, composeRoutes } from './composition/routes.ts';
import { composeSearch, type SearchServices } from './composition/search.ts';
import { composeSharedServices } from './composition/shared-services.ts';
import type { DeliveryDispatcher } from './events/dispatcher.ts';
import type { EventService } from './events/event-service.ts';
import { packageRoot } from './graph/package-root.ts';
import type { EventStreams } from './http/event-stream.ts';
import { createStrayAnswer } from './http/explorer-routes.ts';
import { createPageFinder } from './http/other-addresses.ts';
import type { RequestBindings } from './http/request-context.ts';
import type { Route } from './http/route.ts';
import { mountRoutes } from './http/router.ts';
import type { LabelFollower } from './insight/propagation/label-follower.ts';
import type { JobRunner } from './jobs/job-runner.ts';
import type { ChangeNotice } from './lane/messages.ts';
import type { JsonObject } from './model/json.ts';
import type { NotificationService } from './notifications/notification-service.ts';
import type { Refresher } from './search/maintenance/refresher.ts';
import type { Indexer } from './search/typesense/indexer.ts';
import { withKeyWatch } from './system/key-watch.ts';

export type { AppDeps } from './composition/app-deps.ts';

export type App = {
  readonly hono: Hono<never>;
  /** Answers a GET of the service itself. Logs, metrics and the audit log, which are about callers, do not tell of it. */
  readonly askAsSystem: (path: string) => Promise<Response>;
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
  /** Keeps labels by lineage true between its start and its stop. */
  readonly labelFollower: LabelFollower;
  /** Writes the audit log. Buffered entries are written soon after its start, and when it stops. */
  readonly audit: AuditLog;
  /** Records a key rotation in the audit log. */
  readonly recordRotation: (details: JsonObject) => Promise<void>;
  /** Sends documents to the second search engine, if one is configured, between its start and its stop. */
  readonly indexer: Indexer | undefined;
};

/** Composes the services of the application, each after those that it needs. */
const composeServices = (deps: AppDeps): AppServices => {
  const shared = composeSharedServices(deps, () => ({
    principals: identity.principals,
    dispatcher: delivery.dispatcher,
    refresher: search.refresher,
  }));
  const identity: Identity = composeIdentity(deps, shared);
  const delivery: EventDelivery = composeDelivery(deps, shared, identity.principals);
  const search: SearchServices = composeSearch(deps, shared.engine);
  const [work, labels] = [composeJobs(deps, shared, search), composeLabels(deps, shared)];
  return { shared, identity, delivery, search, work, labels };
};

/** What answers callers and the service itself alike. */
const sharedRouterDeps = ({ config: { limits, publicUrl }, bounds: { publicBodyMs } = {}, lane }: AppDeps) => ({
  limits: { ...limits, ...(publicBodyMs === undefined ? {} : { publicBodyMs }) },
  publicUrl,
  lane,
});

const mountApp = (
  deps: AppDeps,
  { shared: { audit, engine, judge }, identity }: AppServices,
  routes: readonly Route[],
): App['hono'] => {
  const { config, metrics, log } = deps;
  const hono = mountRoutes(routes, {
    ...sharedRouterDeps(deps),
    principals: identity.authenticator,
    demandAnyRight: (principal, needs) => demandAnyRight(judge, principal, needs),
    findNameHint: (principal, missing) => findNameHint(engine, principal, missing),
    ownHosts: config.ownHosts,
    compression: config.compression,
    trustedProxies: config.trustedProxies,
    tracing: deps.graph.observer.tracing,
    answerStray: config.explorer ? createStrayAnswer(packageRoot, createPageFinder(engine.registry.kinds)) : undefined,
    observe: (facts) => {
      metrics.request(facts);
      log.request(facts);
      audit.onRequest(facts);
    },
  });
  return hono as unknown as Hono<never>;
};

/** Mounts the routes for the service itself when it first asks: most threads of a process never do. */
const mountForSystem = (deps: AppDeps, routes: readonly Route[]): App['askAsSystem'] => {
  let hono: ReturnType<typeof mountRoutes> | undefined;
  return async (path) => {
    hono ??= mountRoutes(routes, {
      ...sharedRouterDeps(deps),
      principals: { authenticate: async () => SYSTEM_PRINCIPAL },
    });
    return hono.request(path);
  };
};

/**
 * Builds the application: every service and route of the process. The files of `composition/` join the rooms; read
 * `shared-services.ts` first and `routes.ts` last.
 */
export const createApp = (deps: AppDeps): App => {
  const services = composeServices(deps);
  const { shared, delivery, search, work, labels } = services;
  const routes = composeRoutes(deps, services, async (target, init, askedBy) =>
    hono.request(target, init, { askedBy } satisfies RequestBindings),
  );
  const hono = mountApp(deps, services, routes);
  const recordRotation: App['recordRotation'] = (details) =>
    shared.audit.log.record({ actor: SYSTEM_PRINCIPAL.name, action: 'keysRotated', details });
  return {
    hono,
    askAsSystem: mountForSystem(deps, routes),
    engine: shared.engine,
    routes,
    hear: shared.applyNotice,
    streams: shared.streams,
    runner: withKeyWatch(work.runner, { ...deps, jobs: shared.jobs, recordRotation, system: SYSTEM_PRINCIPAL }),
    events: shared.events,
    notifications: delivery.notifications,
    dispatcher: delivery.dispatcher,
    refresher: search.refresher,
    labelFollower: labels.follower,
    audit: shared.audit.log,
    recordRotation,
    indexer: search.indexer,
  };
};
