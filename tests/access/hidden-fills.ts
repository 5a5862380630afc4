import { readdirSync } from 'node:fs';
import type { Route } from '../../src/http/route.ts';
import { encodeCursor, sortKeyOf } from '../../src/model/cursor.ts';
import type { Kind } from '../../src/model/kind/kind.ts';
import { fqnPrefixes } from '../../src/model/name.ts';
import type { CreatedRecord } from '../support/samples.ts';
import type { Service } from '../support/service.ts';
import { get, type HiddenWorld } from './hidden-world.ts';

/** Values that fill the paths and queries of lists, searches and lineage. */

type Params = Readonly<Record<string, string>>;

export const encode = encodeURIComponent;

/** What a path is filled with, and what is asked beside it. A route that has none here fails the walk. */
export type Fill = {
  readonly params?: Params;
  readonly queries?: readonly string[];
  /** The path names a hidden record, so that the answer must be a refusal. */
  readonly isRefused?: boolean;
  /** The list is filtered by an edge to a hidden record, so that it must be empty. */
  readonly hasNoRows?: boolean;
};

export const recordParams = ({ id, fullyQualifiedName, name }: CreatedRecord): Params => ({
  id,
  fqn: fullyQualifiedName,
  name,
});

/** The explorer has one page for all records, and files that are named by their content. */
export const explorerFills = ({ visible, hidden }: HiddenWorld, path: string): Fill[] | undefined => {
  if (path === '/explorer/assets/{file}')
    return readdirSync('dist/explorer/assets').map((file) => ({ params: { file } }));
  if (!path.endsWith('/{type}/{fqn}')) return undefined;
  return [visible, hidden].map((some) => ({ params: { type: 'table', ...recordParams(get(some, 'table')) } }));
};

export const isDeclared = (route: Route, name: string): boolean => (route.query ?? []).some((one) => one.name === name);

/** Everything that can be asked for by parameters that many routes share. */
export const allOf = (route: Route): string => {
  const wanted = [
    ['fields', '*'],
    ['include', 'all'],
  ].filter(([name = '']) => isDeclared(route, name));
  return wanted.map(([name, value]) => `${name}=${value}`).join('&');
};

/** The rows of a list right behind some names, by a page and by a stream. */
export const listQueries = (route: Route, { shown, marker }: HiddenWorld): string[] =>
  [shown, marker].flatMap((name) => {
    const after = encodeCursor(sortKeyOf(name, ''));
    return [5, 1001].map((limit) => `${allOf(route)}&limit=${limit}&after=${after}`);
  });

/** The kind of service that records of a kind lie below. */
const serviceAbove = ({ registry }: Service, kind: Kind): string => {
  for (let above: Kind | undefined = kind; above; above = registry.byType.get(above.parents.at(-1)?.kind ?? '')) {
    if (above.entityType.endsWith('Service')) return above.entityType;
  }
  return 'databaseService';
};

/** Filters whose value is the ID of a record. */
const BY_ID: Readonly<Record<string, string>> = { entity: 'table', entityId: 'table', testSuiteId: 'testSuite' };
/** Filters that are not called like the kind of record that they name. */
const BY_NAME: Readonly<Record<string, string>> = { parentTeam: 'team', entityFQN: 'table' };

/** Filters by an edge to the named record: an answer with rows would tell of that edge. */
const RELATIONS: ReadonlySet<string> = new Set(['domain', 'edge', 'target']);

/** Lists whose filters name hidden records. */
export const filterFills = (service: Service, kind: Kind, route: Route, { hidden }: HiddenWorld): Fill[] =>
  Object.entries(kind.filters).flatMap(([name, filter]): Fill[] => {
    const idType = BY_ID[name];
    const type =
      name === 'service'
        ? serviceAbove(service, kind)
        : name === 'parent'
          ? kind.entityType
          : (BY_NAME[name] ?? idType ?? name);
    const record = hidden.get(name === 'entityLink' ? 'table' : type);
    if (!record) return [];
    const { id, fullyQualifiedName } = record;
    const value = name === 'entityLink' ? `<#E::table::${fullyQualifiedName}>` : idType ? id : fullyQualifiedName;
    const queries = [`${name}=${encode(value)}&limit=100&${allOf(route)}`];
    return [{ queries, ...(RELATIONS.has(filter.by) ? { hasNoRows: true } : {}) }];
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
  [get(visible, 'table'), get(below, 'table'), get(hidden, 'table')].flatMap(({ fullyQualifiedName: fqn }) => [
    `fqn=${encode(fqn)}&type=table&upstreamDepth=5&downstreamDepth=5&direction=Upstream&maxDepth=5`,
    `fqn=${encode(fqn)}&entityType=table&upstreamDepth=5&downstreamDepth=5&direction=Downstream&maxDepth=5&include_pagination_info=true`,
  ]);

/** Members of nodes that come only where they are named. */
const NAMED = 'fields=name,owners,domains,service,serviceType,tags,certification,failingTests,importance';

const FORMATS = ['mermaid', 'dot', 'graphml', 'csv'];

/** Lists about the whole catalog, and below a service. */
export const insightFills = ({ visible }: HiddenWorld, path: string): Fill[] => {
  const scope = `scope=${encode(get(visible, 'databaseService').fullyQualifiedName)}`;
  const all = path.endsWith('/importance') ? ['type=table&limit=1000', 'type=topic'] : [];
  return [{ queries: ['limit=1000', scope, ...all] }];
};

export const lineageFills = (world: HiddenWorld, route: Route): Fill[] => {
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
  if (path.endsWith('/namespaces') || path.endsWith('/unmatched')) return [{}];
  const around = `type=table&upstreamDepth=5&downstreamDepth=5`;
  if (path.endsWith('/diff')) return [{ queries: [`id=${table.id}&${around}&from=1&to=${Date.now() + 1000}`] }];
  if (path.endsWith('/graph'))
    return [
      {
        queries: [
          `id=${table.id}&${around}&columns=true`,
          `fqn=${encode(table.fullyQualifiedName)}&${around}`,
          `id=${table.id},${last.id}&upstreamDepth=5&downstreamDepth=5&${NAMED}`,
          ...FORMATS.map((format) => `id=${table.id}&type=table&columns=true&format=${format}`),
        ],
      },
    ];
  if (path.endsWith('/neighbours')) {
    const sides = [table, topic, last].flatMap(({ id }) => [`id=${id}&side=upstream`, `id=${id}&side=downstream`]);
    return [{ queries: sides.flatMap((side) => [side, `${side}&order=importance&assertions=true&${NAMED}`]) }];
  }
  if (path.endsWith('/agreement')) return insightFills(world, path);
  if (path.endsWith('/root-cause'))
    return [{ queries: [table, secret, last].flatMap(({ id }) => [`id=${id}`, `id=${id}&column=id&window=400d`]) }];
  if (path.endsWith('/flows')) return [{ queries: ['tag=PII&toTypes=table,topic,dashboard&groupBy=owner'] }];
  if (path.endsWith('/propagation')) {
    const properties = ['owners', 'domains', 'tier', 'description', 'glossaryTerms'].map((one) => `property=${one}`);
    return [{ queries: ['tag=PII.Sensitive', 'tag=PII.Sensitive&state=missing', ...properties] }];
  }
  if (path.endsWith('/getPlatformLineage'))
    return [
      {
        queries: ['service', 'domain', 'dataProduct', 'all'].map(
          (view) => `view=${view}&upstreamDepth=3&downstreamDepth=3`,
        ),
      },
    ];
  if (path.endsWith('/scene')) {
    const holders = fqnPrefixes(table.fullyQualifiedName);
    const names = [...holders, ...[table, topic, last].map((one) => one.fullyQualifiedName)];
    const focuses = ['', ...names.map((name) => `focusFqn=${encodeURIComponent(name)}&`)];
    const shapes = ['service', 'domain', 'dataProduct'].flatMap((lens) =>
      ['LAYER', 'ASSET', 'FIELD'].map(
        (band) => `lens=${lens}&band=${band}&size=1000&upstreamDepth=3&downstreamDepth=3`,
      ),
    );
    return [{ queries: focuses.flatMap((focus) => shapes.map((shape) => `${focus}${shape}`)) }];
  }
  if (path.includes('{direction}'))
    return ['Upstream', 'Downstream'].map((direction) => ({ params: { direction }, queries: lineageQueries(world) }));
  if (path.includes('{type}'))
    return [table, last, secret].map((record) => ({
      params: { type: 'table', ...recordParams(record) },
      queries: ['upstreamDepth=5&downstreamDepth=5'],
    }));
  return [{ queries: lineageQueries(world) }];
};

export const searchFills = (world: HiddenWorld, service: Service, route: Route): Fill[] => {
  const { visible, hidden, shown, marker } = world;
  const { path } = route;
  if (path.endsWith('/doc/{id}'))
    return service.registry.kinds.flatMap(({ entityType, search: { index } }) =>
      index === undefined
        ? []
        : [
            { params: { index, id: get(visible, entityType).id } },
            { params: { index, id: get(hidden, entityType).id }, isRefused: true },
          ],
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
  if (path.endsWith('/sourceUrl')) return [{ queries: ['sourceUrl=https://example.com/x&index=all'] }];
  return [{ queries: searches(world) }];
};
