/**
 * Routes whose responses name no hidden record even when an administrator sends the same requests. Every other route
 * must name one for the administrator, so that the walk proves something about it.
 */

/** Documentation, settings and the state of the service. */
const SERVICE = [
  '/',
  '/docs',
  '/docs/docs.css',
  '/docs/docs.js',
  '/docs/curl.js',
  '/docs/dom.js',
  '/docs/schema.js',
  '/docs/search.js',
  '/docs/try.js',
  '/metrics',
  '/openapi.json',
  '/v1/apps/name/{name}/status',
  '/v1/csv/documentation/{entityType}',
  '/v1/databaseSchemas/documentation/csv',
  '/v1/databases/documentation/csv',
  '/v1/events/subscriptions/ActivityFeed/resources',
  '/v1/events/subscriptions/Custom/resources',
  '/v1/events/subscriptions/GovernanceWorkflowChangeEvent/resources',
  '/v1/events/subscriptions/Notification/resources',
  '/v1/events/subscriptions/Observability/resources',
  '/v1/permissions',
  '/v1/permissions/{resource}',
  '/v1/search/drift',
  '/v1/search/reindex/failures',
  '/v1/search/stats',
  '/v1/services/databaseServices/documentation/csv',
  '/v1/services/testConnectionDefinitions',
  '/v1/services/testConnectionDefinitions/name/{fqn}',
  '/v1/services/testConnectionDefinitions/{id}',
  '/v1/system/config/auth',
  '/v1/system/config/authorizer',
  '/v1/system/config/jwks',
  '/v1/system/health',
  '/v1/system/live',
  '/v1/system/ready',
  '/v1/system/settings/{name}',
  '/v1/system/version',
  '/v1/tables/documentation/csv',
];

/** Numbers, times and settings without references: of lineage, usage, measurements, test results, validations and runs. */
const NUMBERS = [
  '/v1/dataContracts/{id}/results',
  '/v1/dataContracts/{id}/results/latest',
  '/v1/dataContracts/{id}/results/{result}',
  '/v1/dataQuality/testCases/testCaseResults/{fqn}',
  '/v1/dataQuality/testCases/{fqn}/testCaseResult',
  '/v1/dataQuality/testCases/{id}/failedRowsSample',
  '/v1/lineage/getPaginationInfo',
  '/v1/lineage/health',
  '/v1/lineage/openlineage/unmatched',
  '/v1/notifications/count',
  '/v1/permissions/{resource}/name/{fqn}',
  '/v1/permissions/{resource}/{id}',
  '/v1/pipelines/{fqn}/status',
  '/v1/queryCostRecord',
  '/v1/services/ingestionPipelines/logs/{fqn}/{runId}',
  '/v1/services/ingestionPipelines/progress/{fqn}/{runId}',
  '/v1/services/ingestionPipelines/{fqn}/pipelineStatus',
  '/v1/services/ingestionPipelines/{fqn}/pipelineStatus/{runId}',
  '/v1/tables/{id}/columnProfile',
  '/v1/tables/{id}/profilerConfig',
  '/v1/tables/{id}/systemProfile',
  '/v1/tables/{id}/tableProfile',
  '/v1/usage/chart/name/{fqn}',
  '/v1/usage/chart/{id}',
  '/v1/usage/dashboard/name/{fqn}',
  '/v1/usage/dashboard/{id}',
  '/v1/usage/database/name/{fqn}',
  '/v1/usage/database/{id}',
  '/v1/usage/databaseSchema/name/{fqn}',
  '/v1/usage/databaseSchema/{id}',
  '/v1/usage/directory/name/{fqn}',
  '/v1/usage/directory/{id}',
  '/v1/usage/file/name/{fqn}',
  '/v1/usage/file/{id}',
  '/v1/usage/mlmodel/name/{fqn}',
  '/v1/usage/mlmodel/{id}',
  '/v1/usage/pipeline/name/{fqn}',
  '/v1/usage/pipeline/{id}',
  '/v1/usage/table/name/{fqn}',
  '/v1/usage/table/{id}',
];

/** About whoever asks: an administrator is told of himself, and jobs of the caller hold what the caller may see. */
const OWN = [
  '/v1/csvAsyncJobs',
  '/v1/csvAsyncJobs/{jobId}',
  '/v1/csvAsyncJobs/{jobId}/result',
  '/v1/jobs',
  '/v1/jobs/{jobId}',
  '/v1/jobs/{jobId}/events',
  '/v1/jobs/{jobId}/result',
  '/v1/notifications/preferences',
  '/v1/notifications/{id}',
  '/v1/users/auth-mechanism/{id}',
  '/v1/users/loggedInUser',
  '/v1/users/security/token',
  '/v1/users/{id}/sessions',
  '/v1/users/{id}/tokens',
];

/** Only the ID of a job is answered; `jobsOf` reads what such jobs make. */
const STARTS = [
  '/v1/databaseSchemas/name/{fqn}/exportAsync',
  '/v1/databaseServices/name/{fqn}/exportAsync',
  '/v1/databases/name/{fqn}/exportAsync',
  '/v1/lineage/exportAsync',
  '/v1/lineage/exportByEntityCountAsync',
  '/v1/search/export/async',
  '/v1/services/databaseServices/name/{fqn}/exportAsync',
  '/v1/tables/name/{fqn}/exportAsync',
];

/** Always empty here: what the service does not keep, and deliveries, which `events/delivery-rights.test.ts` is about. */
const EMPTY = [
  '/v1/announcements',
  '/v1/events/subscriptions/id/{id}/diagnosticInfo',
  '/v1/events/subscriptions/id/{id}/failedEvents',
  '/v1/events/subscriptions/{id}/status/{destinationId}',
  '/v1/feed',
  '/v1/tasks',
];

export const SILENT_ROUTES: readonly string[] = [...SERVICE, ...NUMBERS, ...OWN, ...STARTS, ...EMPTY];
