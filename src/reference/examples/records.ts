import type { JsonObject } from '../../model/json.ts';

/**
 * One record of every collection, as a request creates it. They stand in the order in which they can be created, so that each
 * may name those before it.
 */

export const WAREHOUSE = 'example_warehouse';
export const SCHEMA = `${WAREHOUSE}.shop.public`;
export const ORDERS = `${SCHEMA}.orders`;

export const ORDER_COLUMNS: readonly JsonObject[] = [
  { name: 'day', dataType: 'DATE', description: 'Day of the order in UTC' },
  { name: 'amount', dataType: 'DECIMAL', precision: 12, scale: 2 },
];

const FIRST: Readonly<Record<string, JsonObject>> = {
  domains: { name: 'example_sales', domainType: 'Aggregate', description: 'Orders, revenue and customers' },
  'services/databaseServices': {
    name: WAREHOUSE,
    serviceType: 'Postgres',
    description: 'The warehouse of the shop',
    connection: { config: { type: 'Postgres', hostPort: 'db.example.org:5432', username: 'reader' } },
  },
  'services/pipelineServices': { name: 'example_airflow', serviceType: 'Airflow' },
  'services/messagingServices': { name: 'example_kafka', serviceType: 'Kafka' },
  'services/dashboardServices': { name: 'example_superset', serviceType: 'Superset' },
  'services/mlmodelServices': { name: 'example_mlflow', serviceType: 'Mlflow' },
  'services/storageServices': { name: 'example_lake', serviceType: 'S3' },
  'services/searchServices': { name: 'example_opensearch', serviceType: 'OpenSearch' },
  'services/apiServices': { name: 'example_shop_api', serviceType: 'Rest' },
  'services/driveServices': { name: 'example_drive', serviceType: 'GoogleDrive' },
};

const ASSETS: Readonly<Record<string, JsonObject>> = {
  databases: { name: 'shop', service: WAREHOUSE },
  databaseSchemas: { name: 'public', database: `${WAREHOUSE}.shop` },
  tables: {
    name: 'orders',
    databaseSchema: SCHEMA,
    description: 'One row per order',
    domains: ['example_sales'],
    columns: ORDER_COLUMNS,
  },
  storedProcedures: {
    name: 'load_daily_revenue',
    databaseSchema: SCHEMA,
    description: 'Sums the orders of each day',
    storedProcedureCode: {
      language: 'SQL',
      code: 'insert into daily_revenue select day, sum(amount) from orders group by day',
    },
  },
  queries: {
    name: 'example_orders_of_today',
    service: WAREHOUSE,
    query: 'select count(*) from shop.public.orders where day = current_date',
    queryUsedIn: [{ type: 'table', fullyQualifiedName: ORDERS }],
  },
  pipelines: { name: 'nightly', service: 'example_airflow', tasks: [{ name: 'daily_revenue' }] },
  'services/ingestionPipelines': {
    name: 'metadata_of_the_warehouse',
    service: { type: 'databaseService', fullyQualifiedName: WAREHOUSE },
    pipelineType: 'metadata',
    sourceConfig: { config: { type: 'DatabaseMetadata' } },
    airflowConfig: { scheduleInterval: '0 6 * * *' },
  },
  topics: { name: 'orders', service: 'example_kafka', partitions: 6 },
  charts: { name: 'revenue_by_day', service: 'example_superset', chartType: 'Line' },
  dashboards: {
    name: 'sales',
    service: 'example_superset',
    displayName: 'Sales',
    charts: ['example_superset.revenue_by_day'],
  },
  'dashboard/datamodels': {
    name: 'revenue',
    service: 'example_superset',
    dataModelType: 'SupersetDataModel',
    columns: [{ name: 'revenue', dataType: 'DECIMAL' }],
  },
  mlmodels: { name: 'demand', service: 'example_mlflow', algorithm: 'Gradient boosting', target: 'orders' },
  containers: { name: 'raw', service: 'example_lake', description: 'Files as they come in', prefix: '/raw' },
  searchIndexes: {
    name: 'products',
    service: 'example_opensearch',
    fields: [{ name: 'title', dataType: 'TEXT' }],
  },
  apiCollections: { name: 'orders', service: 'example_shop_api', endpointURL: 'https://shop.example.org/orders' },
  apiEndpoints: {
    name: 'list_orders',
    apiCollection: 'example_shop_api.orders',
    requestMethod: 'GET',
    endpointURL: 'https://shop.example.org/orders',
  },
  'drives/directories': { name: 'reports', service: 'example_drive', description: 'Reports of the sales team' },
  'drives/files': { name: 'targets.xlsx', service: 'example_drive', description: 'Targets of each quarter' },
};

const GOVERNANCE: Readonly<Record<string, JsonObject>> = {
  teams: { name: 'example_sales', teamType: 'Group', description: 'Sells' },
  users: { name: 'example_loader', email: 'example_loader@example.org', displayName: 'Loader', isBot: true },
  bots: { name: 'example_loader', botUser: 'example_loader', description: 'Brings the tables of the warehouse' },
  policies: {
    name: 'example_readers',
    description: 'Everybody may see what is in the warehouse',
    rules: [{ name: 'look', effect: 'allow', operations: ['ViewAll'], resources: ['table', 'databaseSchema'] }],
  },
  roles: { name: 'example_reader', policies: ['example_readers'], description: 'Reads and changes nothing' },
  dataProducts: { name: 'example_daily_figures', domains: ['example_sales'], description: 'Revenue of each day' },
  classifications: { name: 'example_sensitivity', description: 'How far data may spread' },
  tags: {
    name: 'internal',
    classification: 'example_sensitivity',
    description: 'For people of the company only',
  },
  glossaries: { name: 'example_words', description: 'The words of the shop' },
  glossaryTerms: {
    name: 'revenue',
    glossary: 'example_words',
    description: 'What customers paid, without tax',
  },
  metrics: {
    name: 'example_revenue',
    description: 'What customers paid on a day, without tax',
    metricType: 'SUM',
    unitOfMeasurement: 'DOLLARS',
    metricExpression: { language: 'SQL', code: 'select sum(amount) from orders' },
  },
  'metadata/types': {
    name: 'example_iban',
    displayName: 'IBAN',
    description: 'Number of a bank account',
    nameSpace: 'custom',
    category: 'field',
    schema: '{"type": "string", "maxLength": 34}',
  },
  'dataQuality/testDefinitions': {
    name: 'exampleValuesArePositive',
    description: 'Every value is above zero',
    entityType: 'COLUMN',
    testPlatforms: ['Other'],
    supportedDataTypes: ['DECIMAL', 'INT'],
  },
  'dataQuality/testSuites': { name: 'example_before_release', description: 'Tests that run before each release' },
  'dataQuality/testCases': {
    name: 'example_amount_is_given',
    entityLink: `<#E::table::${ORDERS}::columns::amount>`,
    testDefinition: 'columnValuesToBeNotNull',
  },
  dataContracts: {
    name: 'example_orders',
    entity: { type: 'table', fullyQualifiedName: ORDERS },
    description: 'What those who read orders can rely on',
    schema: ORDER_COLUMNS,
  },
  'events/subscriptions': {
    name: 'example_changed_tables',
    alertType: 'Notification',
    resources: ['table'],
    enabled: false,
    destinations: [
      { category: 'External', type: 'Webhook', config: { endpoint: 'https://hooks.example.org/catalog' } },
    ],
  },
};

export const RECORD_EXAMPLES: Readonly<Record<string, JsonObject>> = { ...FIRST, ...ASSETS, ...GOVERNANCE };

const COLLECTIONS = Object.keys(RECORD_EXAMPLES);

/** Stands for the ID of the record of a collection, which only the service knows. */
export const exampleIdOf = (collection: string): string =>
  `3f9d2c1e-6b0a-4c7d-9e55-${String(COLLECTIONS.indexOf(collection) + 1).padStart(12, '0')}`;
