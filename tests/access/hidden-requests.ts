import type { Route } from '../../src/http/route.ts';
import { ok } from '../support/expect.ts';
import { waitForJobEnd } from '../support/job.ts';
import { createMailSubscription, endMailsTo, mailEndingToken } from '../support/mail-subscriptions.ts';
import type { Service } from '../support/service.ts';
import {
  allOf,
  encode,
  explorerFills,
  type Fill,
  filterFills,
  insightFills,
  isDeclared,
  lineageFills,
  listQueries,
  recordParams,
  searchFills,
} from './hidden-fills.ts';
import { get, type HiddenWorld } from './hidden-world.ts';
import { kindAt, representativeRoutes } from './routes-of-kinds.ts';

/** Builds the requests that walk every GET route with all possible parameters. */

/** A query that asks for everything, saved by an administrator. */
const SAVED_QUERY = 'all_tables';

const NO_PARAMETERS: ReadonlySet<string> = new Set([
  '/v1/users/loggedInUser',
  '/v1/users/security/token',
  '/v1/teams/hierarchy',
  '/v1/search/reindex/failures',
  '/v1/search/stats',
  '/v1/search/drift',
  '/v1/permissions',
  '/v1/csvAsyncJobs',
  '/v1/jobs',
  '/v1/feed',
  '/v1/tasks',
  '/v1/announcements',
  '/v1/conversations',
  '/v1/activity',
  '/v1/notifications/count',
  '/v1/notifications/preferences',
  '/v1/system/version',
  '/v1/system/health',
  '/v1/audit/export',
  '/v1/system/live',
  '/v1/system/ready',
  '/v1/system/config/jwks',
  '/v1/system/config/auth',
  '/v1/system/config/authorizer',
  '/v1/system/config/explorer',
  '/v1/users/signin',
  '/v1/users/signin/callback',
  '/',
  '/search',
  '/paths',
  '/catalog-health',
  '/people',
  '/changes',
  '/agreement',
  '/ask',
  '/audit',
  '/docs',
  '/docs/docs.css',
  '/docs/docs.js',
  '/docs/curl.js',
  '/docs/dom.js',
  '/docs/schema.js',
  '/docs/search.js',
  '/docs/try.js',
  '/openapi.json',
  '/metrics',
]);

const VIEWS = ['Notification', 'Observability', 'ActivityFeed', 'GovernanceWorkflowChangeEvent', 'Custom'];

/** Jobs of the caller that are over: exports of everything, whose results are read. */
const jobsOf = async (world: HiddenWorld): Promise<readonly string[]> => {
  const { caller, visible } = world;
  const table = get(visible, 'table');
  const starts = [
    `/v1/tables/name/${encode(table.fullyQualifiedName)}/exportAsync`,
    `/v1/databases/name/${encode(get(visible, 'database').fullyQualifiedName)}/exportAsync?recursive=true`,
    `/v1/search/export/async?q=${world.shown}*&index=all`,
    `/v1/lineage/exportAsync?fqn=${encode(table.fullyQualifiedName)}&type=table&upstreamDepth=3&downstreamDepth=3`,
  ];
  const ids: string[] = [];
  for (const start of starts) {
    const { json, text, status } = await caller.get(start);
    if (status !== 202) throw new Error(`${start}: ${text}`);
    await waitForJobEnd(caller, json.jobId);
    ids.push(json.jobId);
  }
  const bulk = await caller.put('/v1/databaseSchemas/bulk?async=true', []);
  const jobId = bulk.headers.get('x-job-id');
  if (jobId) ids.push(jobId);
  return ids;
};

export type WalkRequest = Pick<Fill, 'isRefused' | 'hasNoRows'> & {
  readonly route: string;
  readonly path: string;
  readonly endless: boolean;
};

/** All requests of the walk, and the routes for which there is nothing to fill in. */
export const requestsFor = async (service: Service, world: HiddenWorld) => {
  const { visible, hidden, below, about, since, caller } = world;
  const jobIds = await jobsOf(world);
  const notifications: readonly { id: string }[] = (await caller.get('/v1/notifications?limit=50')).json.data;

  const { id: callerId } = ok(await caller.get('/v1/users/loggedInUser'));
  const mailSubscriptionIds = [await createMailSubscription(service, callerId)];
  await endMailsTo(service, callerId, get(visible, 'eventsubscription').id);

  const latest = `/v1/dataContracts/${get(visible, 'dataContract').id}/results/latest`;
  const resultId: string = ok(await service.admin.get(latest)).id;

  const [{ id: definitionId }] = ok(await caller.get('/v1/services/testConnectionDefinitions?limit=1')).data;
  for (const query of [get(visible, 'query'), get(hidden, 'query')]) {
    const queryReference = { id: query.id, type: 'query' };
    ok(await service.admin.post('/v1/queryCostRecord', { timestamp: 1, queryReference, cost: 1, count: 1 }));
  }

  for (const [namespace, { id }] of [
    ['shown', get(visible, 'databaseService')],
    ['hidden', get(hidden, 'databaseService')],
  ] as const) {
    const entity = { id, type: 'databaseService' };
    ok(await service.admin.put('/v1/lineage/openlineage/namespaces', { namespace, entity }));
  }
  for (const { fullyQualifiedName } of [get(visible, 'ingestionPipeline'), get(hidden, 'ingestionPipeline')]) {
    const at = '/v1/services/ingestionPipelines';
    const run = `${encode(fullyQualifiedName)}/run`;
    const [status, progress] = [
      { runId: 'run', timestamp: 1 },
      { runId: 'run', timestamp: 1, updateType: 'PROCESSING' },
    ];
    ok(await service.admin.put(`${at}/${encode(fullyQualifiedName)}/pipelineStatus`, status));
    ok(await service.admin.put(`${at}/progress/${run}`, progress));
    ok(await service.admin.post(`${at}/logs/${run}`, { logs: 'done' }));
  }

  await service.admin.post('/v1/graph/queries', { name: SAVED_QUERY, query: 'MATCH (t:Table) RETURN t.name' });

  const fillsFor = (route: Route): Fill[] | undefined => {
    const { path } = route;
    if (NO_PARAMETERS.has(path)) return [{}];
    if (!path.startsWith('/v1/')) return explorerFills(world, path);
    if (path.startsWith('/v1/lineage/')) return lineageFills(world, route);
    if (path === '/v1/insight/promises')
      return [
        { queries: [`id=${get(visible, 'table').id}`, `id=${get(visible, 'dataProduct').id}&limit=1000`] },
        { queries: [`id=${get(hidden, 'table').id}`], isRefused: true },
      ];
    if (path.startsWith('/v1/insight/')) return insightFills(world, path);
    if (path.startsWith('/v1/graph/')) return [{ params: { name: SAVED_QUERY } }];
    if (path.startsWith('/v1/search/')) return searchFills(world, service, route);
    if (path === '/v1/changes')
      return [
        {
          queries: [
            `from=${since}&limit=1000`,
            `scope=${encode(get(visible, 'databaseService').fullyQualifiedName)}&limit=1000`,
            `id=${get(visible, 'table').id}&limit=1000`,
          ],
        },
        { queries: [`id=${get(hidden, 'table').id}`], isRefused: true },
      ];
    if (path === '/v1/events')
      return [{ queries: [`timestamp=${since}&limit=1000`, `entityId=${get(hidden, 'table').id}&limit=1000`] }];
    if (path === '/v1/events/stream')
      return [{ queries: ['scope=events&lastEventId=1', 'scope=notifications&lastEventId=1'] }];
    // The newest hundred entries may be about anything; the newest thousand hold what was refused to the caller.
    if (path === '/v1/audit') return [{ queries: ['limit=1000'] }];
    if (path === '/v1/notifications') return [{ queries: ['limit=500', 'limit=1000000'] }];
    if (path === '/v1/notifications/{id}') return notifications.map(({ id }) => ({ params: { id } }));
    if (path === '/v1/notifications/mailOptOuts') return [{ queries: ['', 'limit=1'] }];
    if (path === '/v1/notifications/subscriptions') return [{ queries: ['', 'all=true'] }];
    if (path === '/v1/notifications/subscriptions/{id}') return mailSubscriptionIds.map((id) => ({ params: { id } }));
    if (path === '/v1/notifications/unsubscribe') return [{ queries: [`token=${mailEndingToken(service)}`] }];
    if (path.includes('{jobId}')) return jobIds.map((jobId) => ({ params: { jobId } }));
    if (path === '/v1/services/testConnectionDefinitions/{id}') return [{ params: { id: definitionId } }];
    if (path.startsWith('/v1/services/testConnectionDefinitions')) return [{ params: { fqn: 'Postgres' } }];
    if (path.includes('{runId}'))
      return [visible, hidden].map((some) => ({
        params: { ...recordParams(get(some, 'ingestionPipeline')), runId: 'run' },
        isRefused: some === hidden,
      }));
    if (path === '/v1/queryCostRecord')
      return [visible, hidden].map((some) => ({
        queries: [`queryId=${get(some, 'query').id}`],
        isRefused: some === hidden,
      }));
    if (path.startsWith('/v1/system/settings/')) return [{ params: { name: 'searchSettings' } }];
    if (path.startsWith('/v1/apps/')) return [{ params: { name: 'SearchIndexingApplication' } }];
    if (path === '/v1/csv/documentation/{entityType}') return [{ params: { entityType: 'table' } }];
    if (path === '/v1/entity/profiles/{entityType}')
      return [{ params: { entityType: 'table' }, queries: ['limit=100', `startTs=${since}`] }];
    if (path === '/v1/permissions/policies')
      return [{ queries: [visible, hidden].map((some) => `ids=${get(some, 'policy').id}`) }];
    if (path.startsWith('/v1/permissions/'))
      return [visible, hidden].map((some) => ({ params: { resource: 'table', ...recordParams(get(some, 'table')) } }));
    if (path.startsWith('/v1/usage/')) {
      const type = path.split('/').find((part) => service.registry.byType.has(part)) ?? '';
      return [visible, hidden].map((some) => ({
        params: recordParams(get(some, type)),
        isRefused: some === hidden,
      }));
    }
    if (/^\/v1\/events\/subscriptions\/\w+\/resources$/.test(path) && VIEWS.some((view) => path.includes(view)))
      return [{}];
    if (path.startsWith('/v1/databaseServices/'))
      return [visible, hidden].map((some) => ({
        params: recordParams(get(some, 'databaseService')),
        queries: ['', 'recursive=true'],
        isRefused: some === hidden,
      }));
    const kind = kindAt(service, path);
    if (!kind) return undefined;
    const tail = path.slice(`/v1/${kind.path}`.length);
    if (tail === '') return [{ queries: listQueries(route, world) }, ...filterFills(service, kind, route, world)];
    if (tail === '/history') return [{ queries: [`startTs=${since}&limit=500`] }];
    if (tail === '/documentation/csv') return [{}];
    if (tail === '/entity')
      return (['table', 'topic', 'dashboard'] as const).map((type) => ({
        queries: [visible, hidden].map((some) => `entityId=${get(some, type).id}&entityType=${type}&${allOf(route)}`),
      }));
    const records = [visible, below, about, hidden].flatMap((some) => some.get(kind.entityType) ?? []);
    return records.flatMap((record): Fill[] => {
      const isRefused = [hidden, about].some((some) => some.get(kind.entityType) === record);
      const queries = [
        isDeclared(route, 'limit') ? `limit=1000&${allOf(route)}` : allOf(route),
        ...(tail.endsWith('/export') ? ['recursive=true'] : []),
        ...(tail.endsWith('/columns/search') ? ['q=id'] : []),
      ];
      if (path.includes('{version}')) {
        const versions = record === visible.get(kind.entityType) ? ['0.1', '0.2', '0.4'] : ['0.1'];
        return versions.map((version) => ({ params: { ...recordParams(record), version }, isRefused }));
      }
      const destinations = (record['destinations'] ?? [{ id: 'none' }]) as readonly { id: string }[];
      const more = { destinationId: destinations[0]?.id ?? '', result: resultId };
      return [{ params: { ...recordParams(record), ...more }, queries, isRefused }];
    });
  };

  const requests: WalkRequest[] = [];
  const unfilled: string[] = [];
  const reading = service.app.routes.filter(({ method }) => method === 'GET');
  for (const route of representativeRoutes(service, reading)) {
    const fills = fillsFor(route);
    if (fills === undefined || fills.length === 0) {
      unfilled.push(route.path);
      continue;
    }
    for (const { params = {}, queries = [''], isRefused = false, hasNoRows = false } of fills) {
      const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
      if (names.some((name) => params[name] === undefined)) {
        unfilled.push(`${route.path}: ${names}`);
        continue;
      }
      const filled = route.path.replace(/\{(\w+)\}/g, (_, name: string) => encode(params[name] ?? ''));
      for (const query of queries) {
        requests.push({
          route: route.path,
          path: query === '' ? filled : `${filled}?${query}`,
          endless: route.path.endsWith('/stream') || (route.path.endsWith('/events') && route.path.includes('jobId')),
          isRefused,
          hasNoRows,
        });
      }
    }
  }
  return { requests, unfilled: [...new Set(unfilled)] };
};
