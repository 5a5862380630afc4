import { createListenerOpener } from '../access/listener.ts';
import { sessionRoutes } from '../accounts/session-routes.ts';
import { tokenRoutes } from '../accounts/token-routes.ts';
import { assetRoutes } from '../assets/routes.ts';
import { disclosesBelow } from '../catalog/read/disclose-secrets.ts';
import { withRedactedAnswers } from '../catalog/read/redaction.ts';
import { columnRoutes } from '../catalog/routes/columns.ts';
import { memberRoutes } from '../catalog/routes/members.ts';
import { catalogRoutes } from '../catalog/routes/routes.ts';
import { connectionRoutes } from '../connections/routes.ts';
import { contextRoutes } from '../context/routes.ts';
import { contractRoutes } from '../contracts/routes.ts';
import { reevaluatePendingContracts } from '../contracts/validate.ts';
import { csvRoutes } from '../csv/routes.ts';
import { eventRoutes } from '../events/routes.ts';
import { packageRoot } from '../graph/package-root.ts';
import { docsRoutes } from '../http/docs-routes.ts';
import { metricsRoute } from '../http/metrics.ts';
import { openApiRoute } from '../http/openapi/openapi-route.ts';
import type { Route } from '../http/route.ts';
import { createBrokenClauseFinder } from '../impact/broken-contracts.ts';
import { contractCheckRoutes } from '../impact/routes.ts';
import { jobRoutes } from '../jobs/routes.ts';
import { createNeighbourReader } from '../lineage/read/neighbour-reader.ts';
import { lineageRoutes } from '../lineage/routes.ts';
import type { SendToSelf } from '../mcp/catalog-api.ts';
import { mcpRoutes } from '../mcp/routes.ts';
import { JOB_RESOURCE } from '../model/schemas/access/policy.ts';
import { notificationRoutes } from '../notifications/routes.ts';
import { eventStreamRoutes } from '../notifications/stream-routes.ts';
import { peopleRoutes } from '../people/routes.ts';
import { permissionRoutes } from '../permissions/routes.ts';
import { ingestionRoutes } from '../pipelines/ingestion-routes.ts';
import { pipelineRoutes } from '../pipelines/routes.ts';
import { profilerRoutes } from '../profiler/routes.ts';
import { qualityRoutes } from '../quality/routes.ts';
import { createApiTexts } from '../reference/texts.ts';
import { searchMaintenanceRoutes } from '../search/maintenance/routes.ts';
import { searchRoutes } from '../search/routes/routes.ts';
import { subscriptionRoutes } from '../subscriptions/routes.ts';
import { emptyCollectionRoutes } from '../system/empty-routes.ts';
import { systemRoutes } from '../system/routes.ts';
import { typeRoutes } from '../system/type-routes.ts';
import { queryCostRoutes } from '../usage/query-costs.ts';
import { usageRoutes } from '../usage/routes.ts';
import type { AppDeps } from './app-deps.ts';
import type { EventDelivery } from './delivery.ts';
import { createFacetStores } from './facet-stores.ts';
import type { Identity } from './identity.ts';
import type { JobServices } from './jobs.ts';
import type { SearchServices } from './search.ts';
import type { SharedServices } from './shared-services.ts';

/** The services that the routes of all subjects use. */
export type AppServices = {
  readonly shared: SharedServices;
  readonly identity: Identity;
  readonly delivery: EventDelivery;
  readonly search: SearchServices;
  readonly work: JobServices;
};

const serviceRoutes = ({ config, graph, key, clock }: AppDeps, { shared, work }: AppServices): readonly Route[] => [
  ...systemRoutes({ config, graph, key, clock }),
  ...jobRoutes(
    {
      jobs: shared.jobs,
      authorize: (principal, operation) => shared.judge.authorize(principal, [operation], { resource: JOB_RESOURCE }),
      visibility: work.jobVisibility,
    },
    shared.streams,
  ),
];

const changeEventRoutes = (
  { graph, registry, clock }: AppDeps,
  { shared, identity, delivery }: AppServices,
): readonly Route[] => {
  const { engine, events, streams } = shared;
  const { recordVisibilityOf, redactForPrincipal, visibilityOf } = delivery;
  const pathOf = (entityType: string) => registry.byType.get(entityType)?.path;
  return [
    ...subscriptionRoutes({ ...delivery, engine, tail: events.tail }),
    ...eventRoutes({ graph, visibilityOf, clock }),
    ...notificationRoutes({ graph, visibilityOf: recordVisibilityOf, redactForPrincipal, pathOf }),
    ...eventStreamRoutes({
      graph,
      tail: events.tail,
      watcher: delivery.notifications.watcher,
      streams,
      listeners: createListenerOpener(identity.verifier, identity.authenticator),
      visibilityOf: recordVisibilityOf,
      redactForPrincipal,
      eventVisibilityOf: visibilityOf,
      pathOf,
      clock,
    }),
  ];
};

const recordRoutes = ({ shared: { engine, judge, directory }, identity }: AppServices): readonly Route[] => [
  ...catalogRoutes(engine),
  ...memberRoutes(engine),
  ...columnRoutes(engine),
  ...assetRoutes(engine),
  ...peopleRoutes(engine),
  ...sessionRoutes(identity.accounts),
  ...tokenRoutes(identity.accounts),
  ...permissionRoutes({ engine, explainer: judge, readUser: directory.readUser }),
];

const subjectRoutes = ({ config, clock }: AppDeps, { shared, search }: AppServices): readonly Route[] => {
  const { engine, documents, onRowFailure } = shared;
  const { limits } = config;
  const breaks = createBrokenClauseFinder(engine);
  return [
    ...pipelineRoutes(engine),
    ...ingestionRoutes(engine),
    ...qualityRoutes(engine, (principal, ids) => reevaluatePendingContracts({ engine, principal }, ids)),
    ...profilerRoutes(engine),
    ...contractRoutes(engine, documents),
    ...typeRoutes(engine),
    ...connectionRoutes(engine.registry, clock()),
    ...usageRoutes(engine),
    ...queryCostRoutes(engine),
    ...lineageRoutes(
      { engine, limits, namespaces: config.openLineageNamespaces, stores: createFacetStores(engine) },
      breaks,
    ),
    ...contractCheckRoutes({ engine, limits, breaks, documents }),
    ...searchRoutes(search.searches),
    ...searchMaintenanceRoutes(engine, search.typesense),
    ...contextRoutes(engine, createNeighbourReader(engine)),
    ...csvRoutes(engine, onRowFailure),
    ...emptyCollectionRoutes(),
  ];
};

/** Composes the routes of the application. Answers are redacted for their callers, and audited routes write entries. */
export const composeRoutes = (deps: AppDeps, services: AppServices, send: SendToSelf): readonly Route[] => {
  const { config, metrics, registry, clock } = deps;
  const { audit, engine } = services.shared;
  const routes: readonly Route[] = audit.wrapRoutes(
    [
      ...serviceRoutes(deps, services),
      ...changeEventRoutes(deps, services),
      ...recordRoutes(services),
      ...subjectRoutes(deps, services),
      openApiRoute(() => routes, { version: config.compatVersion, texts: createApiTexts(engine.registry.kinds) }),
      metricsRoute(metrics, { requireToken: config.metricsAuth }),
      ...docsRoutes(packageRoot),
      ...mcpRoutes({
        paths: new Map(registry.kinds.map((kind) => [kind.entityType, kind.path])),
        publicUrl: config.publicUrl,
        version: config.compatVersion,
        clock,
        send,
      }),
    ].map(withRedactedAnswers(engine)),
    disclosesBelow(engine),
  );
  return routes;
};
