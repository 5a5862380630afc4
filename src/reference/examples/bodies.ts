import type { Json, JsonObject } from '../../model/json.ts';

/**
 * Example bodies of requests. A test sends all of them in this order to one service, so an example may name what those
 * before it have created.
 */

const WAREHOUSE = 'example_warehouse';
const SCHEMA = `${WAREHOUSE}.shop.public`;
const ORDERS = `${SCHEMA}.orders`;
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

const COLUMNS: readonly JsonObject[] = [
  { name: 'day', dataType: 'DATE', description: 'Day of the order in UTC' },
  { name: 'amount', dataType: 'DECIMAL', precision: 12, scale: 2 },
];

const TEST_CASE = `${ORDERS}.amount.example_amount_is_given`;

export const REQUEST_EXAMPLES: Readonly<Record<string, Json>> = {
  'POST /v1/services/databaseServices': {
    name: WAREHOUSE,
    serviceType: 'Postgres',
    description: 'The warehouse of the shop',
    connection: { config: { type: 'Postgres', hostPort: 'db.example.org:5432', username: 'reader' } },
  },
  'POST /v1/databases': { name: 'shop', service: WAREHOUSE },
  'POST /v1/databaseSchemas': { name: 'public', database: `${WAREHOUSE}.shop` },
  'POST /v1/tables': { name: 'orders', databaseSchema: SCHEMA, description: 'One row per order', columns: COLUMNS },
  'PUT /v1/tables': {
    name: 'daily_revenue',
    databaseSchema: SCHEMA,
    columns: [
      { name: 'day', dataType: 'DATE' },
      { name: 'revenue', dataType: 'DECIMAL', precision: 14, scale: 2 },
    ],
  },
  'PUT /v1/tables/bulk': [{ name: 'orders', databaseSchema: SCHEMA, columns: COLUMNS }],
  'POST /v1/services/pipelineServices': { name: 'example_airflow', serviceType: 'Airflow' },
  'POST /v1/pipelines': { name: 'nightly', service: 'example_airflow', tasks: [{ name: 'daily_revenue' }] },
  'POST /v1/services/messagingServices': { name: 'example_kafka', serviceType: 'Kafka' },
  'POST /v1/topics': { name: 'orders', service: 'example_kafka', partitions: 6 },
  'POST /v1/services/dashboardServices': { name: 'example_superset', serviceType: 'Superset' },
  'POST /v1/dashboards': { name: 'sales', service: 'example_superset', displayName: 'Sales' },
  'POST /v1/domains': { name: 'example_sales', domainType: 'Aggregate', description: 'Orders, revenue and customers' },
  'POST /v1/classifications': { name: 'example_sensitivity', description: 'How far data may spread' },
  'POST /v1/tags': {
    name: 'internal',
    classification: 'example_sensitivity',
    description: 'For people of the company only',
  },
  'POST /v1/glossaries': { name: 'example_words', description: 'The words of the shop' },
  'POST /v1/glossaryTerms': {
    name: 'revenue',
    glossary: 'example_words',
    description: 'What customers paid, without tax',
  },
  'POST /v1/dataQuality/testCases': {
    name: 'example_amount_is_given',
    entityLink: `<#E::table::${ORDERS}::columns::amount>`,
    testDefinition: 'columnValuesToBeNotNull',
  },
  'POST /v1/dataQuality/testCases/testCaseResults/{fqn}': {
    timestamp: 1_769_839_500_000,
    testCaseStatus: 'Success',
    result: 'All 1,204 values are given',
  },
  'PUT /v1/lineage': { edge: EDGE },
  'PUT /v1/lineage/bulk': [EDGE],
  'PUT /v1/lineage/scope': { source: 'QueryLineage', scopeFqn: SCHEMA, edges: [EDGE], dryRun: true },
  'POST /v1/lineage/propagation/apply': { tag: 'PII.Sensitive', scope: WAREHOUSE, dryRun: true },
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
  'PUT /v1/lineage/openlineage/namespaces': {
    namespace: UNKNOWN,
    entity: { type: 'databaseService', fullyQualifiedName: WAREHOUSE },
  },
  'POST /v1/lineage/openlineage/adopt': { namespace: UNKNOWN, dryRun: true },
};

/** What the paths of examples need besides their bodies. */
export const EXAMPLE_PARAMETERS: Readonly<Record<string, string>> = { fqn: TEST_CASE, name: UNOWNED.name };
