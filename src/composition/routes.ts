import { createListenerOpener } from '../access/listener.ts';
import { sessionRoutes } from '../accounts/session-routes.ts';
import { signInRoutes } from '../accounts/sign-in-routes.ts';
import { tokenRoutes } from '../accounts/token-routes.ts';
import { askRoutes } from '../ask/routes.ts';
import { createQueryRunner } from '../ask/run-query.ts';
import { savedQueryRoutes } from '../ask/saved-query-routes.ts';
import { assetRoutes } from '../assets/routes.ts';
import { disclosesBelow } from '../catalog/read/disclose-secrets.ts';
import { withRedactedAnswers } from '../catalog/read/redaction.ts';
import { columnRoutes } from '../catalog/routes/columns.ts';
import { memberRoutes } from '../catalog/routes/members.ts';
import { catalogRoutes } from '../catalog/routes/routes.ts';
import { connectionRoutes } from '../connections/routes.ts';
import { contextRoutes } from '../context/routes.ts';
import { readVisibleAnnotations } from '../contracts/annotations.ts';
import { contractRoutes } from '../contracts/routes.ts';
import { reevaluatePendingContracts } from '../contracts/validate.ts';
import { csvRoutes } from '../csv/routes.ts';
import { eventRoutes } from '../events/routes.ts';
import { packageRoot } from '../graph/package-root.ts';
import { docsEntrance, docsRoutes } from '../http/docs-routes.ts';
import { explorerRoutes } from '../http/explorer-routes.ts';
import { metricsRoute } from '../http/metrics.ts';
import { openApiRoute } from '../http/openapi/openapi-route.ts';
import type { Route } from '../http/route.ts';
import { createBrokenClauseFinder } from '../impact/broken-contracts.ts';
import { contractCheckRoutes } from '../impact/routes.ts';
import { changeRoutes } from '../insight/changes/routes.ts';
import { flowRoutes } from '../insight/flows/routes.ts';
import { openLineageViews } from '../insight/graph/lineage-view.ts';
import { wholeGraphRoutes } from '../insight/graph/routes.ts';
import { createScoreReader } from '../insight/importance/importance.ts';
import { applyRoute } from '../insight/propagation/apply-route.ts';
import { sqlRoutes } from '../insight/sql/routes.ts';
import { whatIfRoutes } from '../insight/what-if/routes.ts';
import { jobRoutes } from '../jobs/routes.ts';
import { createNeighbourReader } from '../lineage/read/neighbour-reader.ts';
import { lineageRoutes } from '../lineage/routes.ts';
import type { SendToSelf } from '../mcp/catalog-api.ts';
import { mcpRoutes } from '../mcp/routes.ts';
import { JOB_RESOURCE } from '../model/schemas/access/policy.ts';
import { mailSubscriptionRoutes } from '../notifications/mail-subscription-routes.ts';
import { notificationRoutes } from '../notifications/routes.ts';
import { eventStreamRoutes } from '../notifications/stream-routes.ts';
import { peopleRoutes } from '../people/routes.ts';
import { permissionRoutes } from '../permissions/routes.ts';
import { ingestionRoutes } from '../pipelines/ingestion-routes.ts';
import { pipelineRoutes } from '../pipelines/routes.ts';
import { profilerRoutes } from '../profiler/routes.ts';
import { qualityRoutes } from '../quality/routes.ts';
import { describeMember } from '../reference/members/describe-member.ts';
import { createApiTexts } from '../reference/texts.ts';
import { searchMaintenanceRoutes } from '../search/maintenance/routes.ts';
import { searchRoutes } from '../search/routes/routes.ts';
import { subscriptionRoutes } from '../subscriptions/routes.ts';
import { emptyCollectionRoutes } from '../system/empty-routes.ts';
import { explorerConfigRoutes } from '../system/explorer-config.ts';
import { systemRoutes } from '../system/routes.ts';
import { typeRoutes } from '../system/type-routes.ts';
import { queryCostRoutes } from '../usage/query-costs.ts';
import { usageRoutes } from '../usage/routes.ts';
import type { AppDeps } from './app-deps.ts';
import type { EventDelivery } from './delivery.ts';
import { createFacetStores } from './facet-stores.ts';
import type { Identity } from './identity.ts';
import type { JobServices } from './jobs.ts';
import type { LabelServices } from './labels.ts';
import type { SearchServices } from './search.ts';
import type { SharedServices } from './shared-services.ts';

/** The services that the routes of all subjects use. */
export type AppServices = {
  readonly shared: SharedServices;
  readonly identity: Identity;
  readonly delivery: EventDelivery;
  readonly search: SearchServices;
  readonly work: JobServices;
  readonly labels: LabelServices;
};

const serviceRoutes = (
  { config, graph, key, clock }: AppDeps,
  { shared, identity, work }: AppServices,
): readonly Route[] => [
  ...systemRoutes({ config, graph, key, clock }),
  ...jobRoutes(
    {
      jobs: shared.jobs,
      authorize: (principal, operation) => shared.judge.authorize(principal, [operation], { resource: JOB_RESOURCE }),
      visibility: work.jobVisibility,
    },
    { streams: shared.streams, listeners: createListenerOpener(identity.verifier, identity.authenticator), clock },
  ),
];

const changeEventRoutes = (
  { graph, registry, secrets, clock }: AppDeps,
  { shared, identity, delivery }: AppServices,
): readonly Route[] => {
  const { engine, events, streams } = shared;
  const { recordVisibilityOf, redactForPrincipal, visibilityOf } = delivery;
  const pathOf = (entityType: string) => registry.byType.get(entityType)?.path;
  return [
    ...subscriptionRoutes({ ...delivery, engine, tail: events.tail }),
    ...eventRoutes({ graph, visibilityOf, clock }),
    ...mailSubscriptionRoutes({ graph, secrets, clock, checkCallable: engine.checkCallable }),
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

const recordRoutes = (
  { secrets, log }: AppDeps,
  { shared: { engine, judge, directory }, identity }: AppServices,
): readonly Route[] => [
  ...catalogRoutes(engine),
  ...memberRoutes(engine),
  ...columnRoutes(engine),
  ...assetRoutes(engine),
  ...peopleRoutes(engine),
  ...sessionRoutes(identity.accounts),
  ...signInRoutes({ accounts: identity.accounts, secrets, log }),
  ...tokenRoutes(identity.accounts),
  ...permissionRoutes({ engine, explainer: judge, readUser: directory.readUser }),
];

const subjectRoutes = ({ config, clock }: AppDeps, { shared, search, labels }: AppServices): readonly Route[] => {
  const { engine, documents, onRowFailure } = shared;
  const { limits } = config;
  const breaks = createBrokenClauseFinder(engine);
  const runner = createQueryRunner(engine);
  const views = openLineageViews(engine);
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
      {
        engine,
        limits,
        namespaces: config.openLineageNamespaces,
        openScores: createScoreReader(views),
        stores: createFacetStores(engine),
      },
      breaks,
    ),
    applyRoute(labels.propagation),
    ...flowRoutes(labels.propagation),
    ...sqlRoutes(engine),
    ...wholeGraphRoutes({ engine, views }, labels.propagation),
    ...askRoutes(runner, describeMember),
    ...savedQueryRoutes({ engine, runner }),
    ...whatIfRoutes({ engine, limits, breaks, documents, propagation: labels.propagation }),
    ...contractCheckRoutes({ engine, limits, breaks, documents }),
    ...searchRoutes(search.searches),
    ...searchMaintenanceRoutes(engine, search.typesense),
    ...changeRoutes(engine),
    ...contextRoutes(engine, {
      readNeighbours: createNeighbourReader(engine),
      readAnnotations: (principal, id) => readVisibleAnnotations(engine, principal, id),
    }),
    ...csvRoutes(engine, onRowFailure),
    ...emptyCollectionRoutes(),
  ];
};

/** Composes the routes of the application. Answers are redacted for their callers, and audited routes write entries. */
export const composeRoutes = (deps: AppDeps, services: AppServices, send: SendToSelf): readonly Route[] => {
  const { config, metrics, registry, clock, log } = deps;
  const { audit, engine } = services.shared;
  const routes: readonly Route[] = audit.wrapRoutes(
    [
      ...serviceRoutes(deps, services),
      ...changeEventRoutes(deps, services),
      ...recordRoutes(deps, services),
      ...subjectRoutes(deps, services),
      openApiRoute(() => routes, { version: config.compatVersion, texts: createApiTexts(engine.registry.kinds) }),
      metricsRoute(metrics, { requireToken: config.metricsAuth }),
      ...docsRoutes(packageRoot),
      ...(config.explorer ? [...explorerRoutes(packageRoot), ...explorerConfigRoutes(config)] : [docsEntrance()]),
      ...mcpRoutes({
        paths: new Map(registry.kinds.map((kind) => [kind.entityType, kind.path])),
        publicUrl: config.publicUrl,
        version: config.compatVersion,
        clock,
        log,
        maxNodes: config.limits.lineageNodes,
        send,
      }),
    ].map(withRedactedAnswers(engine)),
    disclosesBelow(engine),
  );
  return routes;
};
