import type { Json, JsonObject } from '../../model/json.ts';
import { ASSET_EXAMPLES, ASSET_PARAMETERS } from './assets.ts';
import { exampleIdOf, ORDER_COLUMNS, ORDERS, SCHEMA, WAREHOUSE } from './records.ts';

/**
 * Example bodies of requests that no other operation shares. A test sends all of them in this order to a service that has
 * the records of `records.ts`, so an example may name those and what others before it have created.
 */

const REVENUE = `${SCHEMA}.daily_revenue`;

const table = (fullyQualifiedName: string): JsonObject => ({ type: 'table', fullyQualifiedName });

const EDGE: JsonObject = {
  fromEntity: table(ORDERS),
  toEntity: table(REVENUE),
  lineageDetails: {
    sqlQuery: 'insert into daily_revenue select day, sum(amount) from orders group by day',
    columnsLineage: [
      { fromColumns: [`${ORDERS}.day`], toColumn: `${REVENUE}.day` },
      { fromColumns: [`${ORDERS}.amount`], toColumn: `${REVENUE}.revenue`, function: 'sum' },
    ],
  },
};

const EVENT: JsonObject = {
  eventType: 'COMPLETE',
  eventTime: '2026-01-31T06:05:00Z',
  run: { runId: '0194b9f0-6d3c-7c1e-8a55-2f6f0c6f7b11' },
  job: { namespace: 'example_airflow', name: 'nightly.daily_revenue' },
  inputs: [{ namespace: WAREHOUSE, name: 'shop.public.orders' }],
  outputs: [{ namespace: WAREHOUSE, name: 'shop.public.daily_revenue' }],
  producer: 'https://airflow.example.org',
  schemaURL: 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent',
};

const EDGE_PATCH: Json = [{ op: 'add', path: '/description', value: 'Summed every night' }];

const AGREEMENT: JsonObject = {
  edges: [{ from: exampleIdOf('tables'), to: exampleIdOf('dashboards') }],
  dryRun: true,
};

const UNKNOWN = 'postgres://warehouse.example.org:5432';

/** A query that counts the tables of a schema which nobody owns. */
const UNOWNED = {
  name: 'unowned_tables',
  description: 'Tables of a schema without an owner',
  query:
    'MATCH (t:Table) WHERE t.fullyQualifiedName STARTS WITH $schema AND NOT EXISTS { (t)<-[:OWNS]-() } RETURN count(t) AS tables',
  parameters: { schema: SCHEMA },
};

/** An event about a table of a database that the catalog does not know yet. */
const ISLAND_EVENT: JsonObject = {
  ...EVENT,
  run: { runId: '0194b9f0-6d3c-7c1e-8a55-2f6f0c6f7b12' },
  outputs: [{ namespace: UNKNOWN, name: 'shop.public.weekly_revenue' }],
};

const SIGN_IN: JsonObject = { email: 'example_sam@example.org', password: 'Books-417-002-918-330' };

export const REQUEST_EXAMPLES: Readonly<Record<string, Json>> = {
  'PUT /v1/tables': {
    name: 'daily_revenue',
    databaseSchema: SCHEMA,
    columns: [
      { name: 'day', dataType: 'DATE' },
      { name: 'revenue', dataType: 'DECIMAL', precision: 14, scale: 2 },
    ],
  },
  'PUT /v1/tables/bulk': [{ name: 'orders', databaseSchema: SCHEMA, columns: ORDER_COLUMNS }],
  ...ASSET_EXAMPLES,
  'PUT /v1/lineage': { edge: EDGE },
  'PUT /v1/lineage/bulk': [
    EDGE,
    { fromEntity: table(ORDERS), toEntity: { type: 'dashboard', fullyQualifiedName: 'example_superset.sales' } },
  ],
  'PUT /v1/lineage/{fromType}/name/{fromFQN}/{toType}/name/{toFQN}': EDGE['lineageDetails'] ?? {},
  'PATCH /v1/lineage/{fromType}/name/{fromFQN}/{toType}/name/{toFQN}': EDGE_PATCH,
  'PATCH /v1/lineage/{fromType}/{fromId}/{toType}/{toId}': EDGE_PATCH,
  'POST /v1/lineage/agreement/confirm': AGREEMENT,
  'POST /v1/lineage/agreement/withdraw': AGREEMENT,
  'PUT /v1/lineage/scope': { source: 'QueryLineage', scopeFqn: SCHEMA, edges: [EDGE], dryRun: true },
  'POST /v1/lineage/hydrate': { entities: [table(ORDERS), table(REVENUE)], fields: 'owners,tags' },
  'POST /v1/lineage/propagation/apply': { tag: 'PII.Sensitive', scope: WAREHOUSE, dryRun: true },
  'POST /v1/lineage/graph': { ids: ['tables', 'dashboards', 'topics'].map(exampleIdOf) },
  'POST /v1/lineage/what-if': {
    changes: [{ op: 'removeEdge', from: table(ORDERS), to: table(REVENUE) }],
    ask: ['impact', 'diff', 'contracts'],
    type: 'table',
    fqn: ORDERS,
    downstreamDepth: 3,
  },
  'POST /v1/lineage/sql': {
    service: WAREHOUSE,
    database: 'shop',
    schema: 'public',
    statements: [
      { sql: 'insert into daily_revenue select day, sum(amount) from orders group by day', at: 1_769_846_400_000 },
      { sql: 'select day, revenue from daily_revenue where revenue > 100', user: 'mei', count: 12 },
    ],
  },
  'POST /v1/graph/query': {
    query:
      'MATCH (t:Table)-[:FEEDS*1..5]->(d:Dashboard) WHERE NOT EXISTS { (t)<-[:OWNS]-() } RETURN d.name, collect(DISTINCT t.name) AS unowned',
    limit: 100,
  },
  'POST /v1/graph/queries': UNOWNED,
  'PUT /v1/graph/queries/{name}': UNOWNED,
  'POST /v1/graph/queries/{name}/run': { parameters: { schema: SCHEMA } },
  'POST /v1/lineage/openlineage': EVENT,
  'POST /v1/openlineage/lineage': EVENT,
  'POST /v1/lineage': EVENT,
  'POST /v1/lineage/openlineage/batch': [EVENT, ISLAND_EVENT],
  'POST /v1/lineage/batch': [EVENT, ISLAND_EVENT],
  'PUT /v1/lineage/openlineage/namespaces': {
    namespace: UNKNOWN,
    entity: { type: 'databaseService', fullyQualifiedName: WAREHOUSE },
  },
  'POST /v1/lineage/openlineage/adopt': { namespace: UNKNOWN, dryRun: true },
  'POST /v1/search/aggregate': { fieldName: 'owners.displayName.keyword', index: 'table', size: 10 },
  'POST /v1/search/reindexEntities': [table(ORDERS)],
  'POST /v1/search/reindex': { entities: ['table', 'topic'] },
  'POST /v1/search/reindex/{entityType}': {},
  'PUT /v1/notifications/preferences': { enabled: true, reasons: ['follower', 'owner'], includeDescendants: true },
  'PUT /v1/notifications/read': { before: 1_769_846_400_000 },
  'POST /v1/notifications/subscriptions': { name: 'example_my_tables', resources: ['table'], reasons: ['owner'] },
  'PUT /v1/notifications/subscriptions/{id}': { name: 'example_my_tables', resources: ['table', 'topic'] },
  'POST /v1/events/subscriptions/testDestination': {
    destinations: [
      { category: 'External', type: 'Webhook', config: { endpoint: 'https://hooks.example.org/catalog' } },
    ],
  },
  'PUT /v1/users/generateToken/{id}': { JWTTokenExpiry: '30' },
  'PUT /v1/users/revokeToken': { id: exampleIdOf('users') },
  'PUT /v1/users/security/token': { tokenName: 'example_laptop', JWTTokenExpiry: '7' },
  'POST /v1/users/signup': {
    ...SIGN_IN,
    firstName: 'Sam',
    lastName: 'Rivera',
  },
  'POST /v1/users/login': SIGN_IN,
  'POST /v1/users/session': SIGN_IN,
};

/** What the paths of examples need besides the IDs and names of records. */
export const EXAMPLE_PARAMETERS: Readonly<Record<string, string>> = {
  ...ASSET_PARAMETERS,
  fromType: 'table',
  fromFQN: ORDERS,
  toType: 'table',
  toFQN: REVENUE,
  entityType: 'table',
};

/** The saved query of the examples. */
export const SAVED_QUERY = UNOWNED.name;
