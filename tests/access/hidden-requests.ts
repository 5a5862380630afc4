import type { Route } from '../../src/http/route.ts';
import { encodeCursor, sortKeyOf } from '../../src/model/cursor.ts';
import type { Kind } from '../../src/model/kind.ts';
import { ok } from '../support/expect.ts';
import { jobDone } from '../support/job.ts';
import type { Made } from '../support/samples.ts';
import type { Service } from '../support/service.ts';
import { get, type HiddenWorld } from './hidden-world.ts';

/** The requests that walk every GET route with everything there is to fill in. */

type Params = Readonly<Record<string, string>>;

const encode = encodeURIComponent;

/** What a path is filled with, and what is asked beside it. A route that has none here fails the walk. */
type Fill = { readonly params?: Params; readonly queries?: readonly string[] };

const recordParams = ({ id, fullyQualifiedName, name }: Made): Params => ({
  id,
  fqn: fullyQualifiedName,
  name,
});

const isDeclared = (route: Route, name: string): boolean => (route.query ?? []).some((one) => one.name === name);

/** Everything that can be asked for by parameters that many routes share. */
const allOf = (route: Route): string => {
  const wanted = [
    ['fields', '*'],
    ['include', 'all'],
  ].filter(([name = '']) => isDeclared(route, name));
  return wanted.map(([name, value]) => `${name}=${value}`).join('&');
};

const kindAt = (service: Service, path: string): Kind | undefined =>
  service.registry.kinds.find((one) => path === `/v1/${one.path}` || path.startsWith(`/v1/${one.path}/`));

/** The rows of a list right behind some names, by a page and by a stream. */
const listQueries = (route: Route, { shown, marker }: HiddenWorld): string[] =>
  [shown, marker].flatMap((name) => {
    const after = encodeCursor(sortKeyOf(name, ''));
    return [5, 1001].map((limit) => `${allOf(route)}&limit=${limit}&after=${after}`);
  });

/** Fields by which hits are counted and found, and that may hold names of other records. */
const FIELDS = [
  'name.keyword',
  'owners.displayName.keyword',
  'owners.name',
  'ownerName',
  'domains.displayName.keyword',
  'domains.fullyQualifiedName',
  'dataProducts.displayName.keyword',
  'tags.tagFQN',
  'tier.tagFQN',
  'classificationTags',
  'glossaryTags',
  'service.displayName.keyword',
  'service.name.keyword',
  'database.displayName.keyword',
  'databaseSchema.name.keyword',
  'charts.displayName.keyword',
  'updatedBy',
  'columns.tags.tagFQN',
];

const searches = ({ shown, marker, visible }: HiddenWorld): string[] => [
  `q=${shown}*&index=all&size=200`,
  `q=*&index=all&size=0`,
  `q=${marker}*&index=all&size=100&track_total_hits=true`,
  `q=${shown}table&index=table&explain=true`,
  `q=${get(visible, 'table').name}&index=table&include_source_fields=owners,domains`,
  `q=${shown}*&index=glossary_term_search_index&getHierarchy=true`,
  `q=${shown}*&index=domain_search_index&getHierarchy=true`,
];

/** Around which records lineage is read. */
const lineageQueries = ({ visible, hidden, below }: HiddenWorld): string[] =>
  [get(visible, 'table'), get(below, 'table'), get(hidden, 'table')].flatMap(({ id, fullyQualifiedName: fqn }) => [
    `fqn=${encode(fqn)}&type=table&upstreamDepth=5&downstreamDepth=5&direction=Upstream&maxDepth=5`,
    `fqn=${encode(fqn)}&entityType=table&upstreamDepth=5&downstreamDepth=5&direction=Downstream&maxDepth=5&include_pagination_info=true`,
    `id=${id}&type=table&upstreamDepth=5&downstreamDepth=5&columns=true&from=1&to=${Date.now() + 1000}`,
  ]);

const FORMATS = ['mermaid', 'dot', 'graphml', 'csv'];

const lineageFills = (world: HiddenWorld, route: Route): Fill[] => {
  const { visible, hidden, below } = world;
  const [table, secret, last] = [get(visible, 'table'), get(hidden, 'table'), get(below, 'table')];
  const topic = get(visible, 'topic');
  const pairs = [
    [secret, 'table', table, 'table'],
    [table, 'table', last, 'table'],
    [table, 'table', get(visible, 'dashboard'), 'dashboard'],
  ] as const;
  const { path } = route;
  if (path.includes('getLineageEdge'))
    return pairs.map(([from, fromType, to, toType]) => ({
      params: {
        fromId: from.id,
        toId: to.id,
        fromFQN: from.fullyQualifiedName,
        toFQN: to.fullyQualifiedName,
        fromType,
        toType,
      },
    }));
  if (path.endsWith('/paths'))
    return [
      {
        queries: [
          `from=${topic.id}&to=${table.id}`,
          `from=${topic.id}&to=${last.id}&columns=true`,
          `from=${secret.id}&to=${table.id}`,
        ],
      },
    ];
  if (path.endsWith('/health'))
    return [
      {
        queries: [
          '',
          ...['service', 'domain'].map((kind) => `scope=${kind}`),
          `scope=${encode(get(visible, 'databaseService').fullyQualifiedName)}`,
        ],
      },
    ];
  if (path.endsWith('/impact'))
    return [
      {
        queries: [
          `id=${table.id}&type=table`,
          `fqn=${encode(table.fullyQualifiedName)}&type=table&column=id&change=drop`,
          `id=${topic.id}&type=topic&maxDepth=5`,
        ],
      },
    ];
  if (path.endsWith('/graph'))
    return [
      {
        queries: [
          ...lineageQueries(world),
          ...FORMATS.map((format) => `id=${table.id}&type=table&columns=true&format=${format}`),
        ],
      },
    ];
  if (path.endsWith('/getPlatformLineage'))
    return [
      {
        queries: ['service', 'domain', 'dataProduct', 'all'].map(
          (view) => `view=${view}&upstreamDepth=3&downstreamDepth=3`,
        ),
      },
    ];
  if (path.includes('{direction}'))
    return ['Upstream', 'Downstream'].map((direction) => ({ params: { direction }, queries: lineageQueries(world) }));
  if (path.includes('{type}'))
    return [table, last, secret].map((record) => ({
      params: { type: 'table', ...recordParams(record) },
      queries: ['upstreamDepth=5&downstreamDepth=5'],
    }));
  return [{ queries: lineageQueries(world) }];
};

const searchFills = (world: HiddenWorld, service: Service, route: Route): Fill[] => {
  const { visible, shown, marker } = world;
  const { path } = route;
  if (path.endsWith('/doc/{id}'))
    return service.registry.kinds.flatMap((kind) =>
      kind.search.index === undefined
        ? []
        : [{ params: { index: kind.search.index, id: get(visible, kind.entityType).id } }],
    );
  if (path.endsWith('/aggregate'))
    return [
      {
        queries: FIELDS.flatMap((field) => [
          `index=all&field=${field}&q=${shown}*&size=1000`,
          `index=all&field=${field}&value=${marker}&size=1000`,
          `index=table&field=${field}&value=${marker}&size=1000&sourceFields=name,owners`,
        ]),
      },
    ];
  if (path.endsWith('/suggest')) return [{ queries: [`q=${shown}&index=all`, `q=${marker}&index=all`] }];
  if (path.endsWith('/fieldQuery'))
    return [
      {
        queries: [
          `fieldName=name&fieldValue=${shown}*&index=all`,
          `fieldName=owners.name&fieldValue=${marker}*&index=all`,
        ],
      },
    ];
  if (path.endsWith('/sourceUrl')) return [{ queries: ['sourceUrl=https://example.com/*&index=all'] }];
  return [{ queries: searches(world) }];
};

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
  '/v1/notifications/count',
  '/v1/notifications/preferences',
  '/v1/system/version',
  '/v1/system/health',
  '/v1/audit',
  '/v1/audit/export',
  '/v1/system/live',
  '/v1/system/ready',
  '/v1/system/config/jwks',
  '/v1/system/config/auth',
  '/v1/system/config/authorizer',
  '/',
  '/docs',
  '/docs/docs.css',
  '/docs/docs.js',
  '/docs/dom.js',
  '/docs/schema.js',
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
    await jobDone(caller, json.jobId);
    ids.push(json.jobId);
  }
  const bulk = await caller.put('/v1/databaseSchemas/bulk?async=true', []);
  const jobId = bulk.headers.get('x-job-id');
  if (jobId) ids.push(jobId);
  return ids;
};

export type WalkRequest = { readonly route: string; readonly path: string; readonly endless: boolean };

/** All requests of the walk, and the routes for which there is nothing to fill in. */
export const requestsFor = async (service: Service, world: HiddenWorld) => {
  const { visible, hidden, below, since, caller } = world;
  const jobIds = await jobsOf(world);
  const notifications: readonly { id: string }[] = (await caller.get('/v1/notifications?limit=50')).json.data;

  const latest = `/v1/dataContracts/${get(visible, 'dataContract').id}/results/latest`;
  const resultId: string = ok(await service.admin.get(latest)).id;

  const fillsFor = (route: Route): Fill[] | undefined => {
    const { path } = route;
    if (NO_PARAMETERS.has(path)) return [{}];
    if (path.startsWith('/v1/lineage/')) return lineageFills(world, route);
    if (path.startsWith('/v1/search/')) return searchFills(world, service, route);
    if (path === '/v1/events') return [{ queries: [`timestamp=${since}&limit=1000`] }];
    if (path === '/v1/events/stream')
      return [{ queries: ['scope=events&lastEventId=1', 'scope=notifications&lastEventId=1'] }];
    if (path === '/v1/notifications') return [{ queries: ['limit=500', 'limit=1000000'] }];
    if (path === '/v1/notifications/{id}') return notifications.map(({ id }) => ({ params: { id } }));
    if (path.includes('{jobId}')) return jobIds.map((jobId) => ({ params: { jobId } }));
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
      return [visible, hidden].map((some) => ({ params: recordParams(get(some, type)) }));
    }
    if (/^\/v1\/events\/subscriptions\/\w+\/resources$/.test(path) && VIEWS.some((view) => path.includes(view)))
      return [{}];
    if (path.startsWith('/v1/databaseServices/'))
      return [visible, hidden].map((some) => ({
        params: recordParams(get(some, 'databaseService')),
        queries: ['', 'recursive=true'],
      }));
    const kind = kindAt(service, path);
    if (!kind) return undefined;
    const tail = path.slice(`/v1/${kind.path}`.length);
    if (tail === '') return [{ queries: listQueries(route, world) }];
    if (tail === '/history') return [{ queries: [`startTs=${since}&limit=500`] }];
    if (tail === '/documentation/csv') return [{}];
    if (tail === '/entity')
      return (['table', 'topic', 'dashboard'] as const).map((type) => ({
        queries: [`entityId=${get(visible, type).id}&entityType=${type}&${allOf(route)}`],
      }));
    const isPlainRead = tail === '/{id}' || tail === '/name/{fqn}';
    const records = (isPlainRead ? [visible, below, hidden] : [visible, below]).flatMap(
      (some) => some.get(kind.entityType) ?? [],
    );
    return records.flatMap((record): Fill[] => {
      const queries = [
        isDeclared(route, 'limit') ? `limit=1000&${allOf(route)}` : allOf(route),
        ...(tail.endsWith('/export') ? ['recursive=true'] : []),
        ...(tail.endsWith('/columns/search') ? ['q=id'] : []),
      ];
      if (path.includes('{version}')) {
        const versions = record === visible.get(kind.entityType) ? ['0.1', '0.2', '0.4'] : ['0.1'];
        return versions.map((version) => ({ params: { ...recordParams(record), version } }));
      }
      const destinations = (record['destinations'] ?? [{ id: 'none' }]) as readonly { id: string }[];
      const more = { destinationId: destinations[0]?.id ?? '', resultId };
      return [{ params: { ...recordParams(record), ...more }, queries }];
    });
  };

  const requests: WalkRequest[] = [];
  const unfilled: string[] = [];
  for (const route of service.app.routes) {
    if (route.method !== 'GET') continue;
    const fills = fillsFor(route);
    if (fills === undefined || fills.length === 0) {
      unfilled.push(route.path);
      continue;
    }
    for (const { params = {}, queries = [''] } of fills) {
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
        });
      }
    }
  }
  return { requests, unfilled: [...new Set(unfilled)] };
};
