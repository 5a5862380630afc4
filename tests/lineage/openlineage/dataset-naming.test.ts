import * as assert from 'uvu/assert';
import { databaseService } from '../../../src/kinds/database-service.ts';
import { driveService } from '../../../src/kinds/drive-service.ts';
import { messagingService } from '../../../src/kinds/messaging-service.ts';
import { searchService } from '../../../src/kinds/search-service.ts';
import { storageService } from '../../../src/kinds/storage-service.ts';
import {
  isPlaceOf,
  listDatasetPaths,
  type NamedDataset,
  parseDatasetName,
} from '../../../src/lineage/openlineage/dataset-naming.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import { suite } from '../../support/suite.ts';

/** Shows what OpenLineage dataset names mean, and which connections are the place of a dataset. */

const test = suite('lineage: dataset naming');

const parse = (namespace: string, name: string): NamedDataset => {
  const named = parseDatasetName({ namespace, name });
  assert.ok(named, `${namespace} ${name}`);
  return named;
};

const pathsOf = (namespace: string, name: string): readonly string[] =>
  parse(namespace, name).paths.map((path) => path.join(' > '));

/** Namespace, name, most likely type of service, and the paths. */
type Case = readonly [namespace: string, name: string, serviceType: string, ...paths: readonly string[]];

const TABLES: readonly Case[] = [
  [
    'arn:aws:glue:us-east-1:123456789012',
    'table/sales/orders',
    'Glue',
    '123456789012 > sales > orders',
    'default > sales > orders',
  ],
  [
    'arn:aws-cn:glue:cn-north-1:123456789012',
    'sales.orders',
    'Glue',
    '123456789012 > sales > orders',
    'default > sales > orders',
  ],
  [
    'awsathena://athena.us-east-1.amazonaws.com',
    'awsdatacatalog.sales.orders',
    'Athena',
    'default > sales > orders',
    'awsdatacatalog > sales > orders',
  ],
  ['azurecosmos://acme.documents.azure.com/dbs/sales', 'colls/orders', 'CustomDatabase', 'default > sales > orders'],
  ['azurecosmos://acme.documents.azure.com/dbs/sales', '/colls/orders', 'CustomDatabase', 'default > sales > orders'],
  ['azurekusto://acme.kusto.windows.net', 'sales/orders', 'CustomDatabase', 'default > sales > orders'],
  ['azurekusto://acme.kusto.windows.net/sales', 'orders', 'CustomDatabase', 'default > sales > orders'],
  ['bigquery', 'acme-prod.sales.orders', 'BigQuery', 'acme-prod > sales > orders'],
  ['bigquery://', 'acme.com:prod.sales.orders', 'BigQuery', 'acme.com:prod > sales > orders'],
  ['cassandra://c:9042', 'sales.orders', 'Cassandra', 'default > sales > orders'],
  ['clickhouse://c:8123', 'sales.orders', 'Clickhouse', 'default > sales > orders'],
  ['clickhouse://c:8123', 'orders', 'Clickhouse', 'default > default > orders'],
  ['crate://c:5432', 'crate.sales.orders', 'CustomDatabase', 'crate > sales > orders'],
  ['databricks://adb.azuredatabricks.net', 'main.sales.orders', 'Databricks', 'main > sales > orders'],
  ['db2://d:50000', 'SHOP.SALES.ORDERS', 'Db2', 'SHOP > SALES > ORDERS'],
  ['db2://d:50000', 'SALES.ORDERS', 'Db2', 'default > SALES > ORDERS'],
  ['dremio://d:9047', 'space.sales.orders', 'Dremio', 'space > sales > orders'],
  ['druid://d:8082', 'orders', 'Druid', 'default > druid > orders'],
  ['duckdb:///data/shop.duckdb', 'shop.main.orders', 'CustomDatabase', 'shop > main > orders'],
  ['exa://e:8563', 'SALES.ORDERS', 'Exasol', 'default > SALES > ORDERS'],
  [
    'fabric-warehouse://x.datawarehouse.fabric.microsoft.com',
    'shop.sales.orders',
    'MicrosoftFabric',
    'shop > sales > orders',
  ],
  ['greenplum://g:5432', 'shop.sales.orders', 'Greenplum', 'shop > sales > orders'],
  ['hive://h:9083', 'sales.orders', 'Hive', 'default > sales > orders'],
  ['hive2://h:10000', 'orders', 'Hive', 'default > default > orders'],
  ['impala://h:21050', 'sales.orders', 'Impala', 'default > sales > orders'],
  ['mariadb://m:3306', 'sales.orders', 'MariaDB', 'default > sales > orders'],
  ['milvus://m:19530', 'sales.orders', 'CustomDatabase', 'default > sales > orders'],
  ['mongodb://m:27017/sales', 'orders', 'MongoDB', 'default > sales > orders'],
  ['mongodb://m:27017', 'sales.orders.eu', 'MongoDB', 'default > sales > orders.eu'],
  ['mssql://m:1433', 'shop.dbo.orders', 'Mssql', 'shop > dbo > orders'],
  ['mysql://m:3306', 'sales.orders', 'Mysql', 'default > sales > orders'],
  ['mysql://m:3306/sales', 'orders', 'Mysql', 'default > sales > orders'],
  ['mysql://user:se/cret@m:3306', 'sales.orders', 'Mysql', 'default > sales > orders'],
  ['oceanbase://o:2881', 'sales.orders', 'CustomDatabase', 'default > sales > orders'],
  ['oracle://o:1521', 'XEPDB1.SALES.ORDERS', 'Oracle', 'default > SALES > ORDERS', 'XEPDB1 > SALES > ORDERS'],
  [
    'oracle://o:1521',
    'pdb.acme.com.SALES.ORDERS',
    'Oracle',
    'default > SALES > ORDERS',
    'pdb.acme.com > SALES > ORDERS',
  ],
  ['oracle://o:1521', 'SALES.ORDERS', 'Oracle', 'default > SALES > ORDERS'],
  ['postgres://p:5432', 'shop.sales.orders', 'Postgres', 'shop > sales > orders'],
  ['POSTGRES://P:5432', 'Shop.Sales.Orders', 'Postgres', 'Shop > Sales > Orders'],
  ['postgres://p:5432', 'shop.orders', 'Postgres', 'shop > public > orders', 'default > shop > orders'],
  ['postgres://p:5432', 'shop."sales.eu"."orders"', 'Postgres', 'shop > sales.eu > orders'],
  ['postgres://p:5432', 'shop.sales.orders.v2', 'Postgres', 'shop > sales > orders.v2'],
  ['postgresql://p', 'shop.sales.orders', 'Postgres', 'shop > sales > orders'],
  ['presto://p:8080', 'hive.sales.orders', 'Presto', 'hive > sales > orders'],
  ['redshift://cluster.us-east-1:5439', 'shop.sales.orders', 'Redshift', 'shop > sales > orders'],
  ['singlestore://s:3306', 'sales.orders', 'SingleStore', 'default > sales > orders'],
  ['snowflake://acme-prod', 'SHOP.SALES.ORDERS', 'Snowflake', 'SHOP > SALES > ORDERS'],
  ['spanner://acme:main', 'shop.sales.orders', 'CustomDatabase', 'shop > sales > orders'],
  ['spark://s:10001', 'sales.orders', 'Hive', 'default > sales > orders'],
  ['sqlite:///data/shop.db', 'orders', 'SQLite', 'default > main > orders'],
  ['sqlserver://s:1433', 'sales.orders', 'Synapse', 'default > sales > orders', 'sales > dbo > orders'],
  ['sqlserver://s:1433;database=shop;encrypt=true', '[sales].[orders]', 'Synapse', 'shop > sales > orders'],
  ['sqlserver://s/instance', 'sales.orders', 'Synapse', 'default > sales > orders', 'sales > dbo > orders'],
  ['teradata://t:1025', 'sales.orders', 'Teradata', 'default > sales > orders'],
  ['trino://t:8080', 'hive.sales.orders', 'Trino', 'hive > sales > orders'],
  ['unity-catalog', 'main.sales.orders', 'UnityCatalog', 'main > sales > orders'],
  ['unitycatalog://u:8080', 'main.sales.orders', 'UnityCatalog', 'main > sales > orders'],
  ['vertica://v:5433', 'shop.sales.orders', 'Vertica', 'shop > sales > orders'],
];

const OTHERS: readonly Case[] = [
  ['abfss://raw@acme.dfs.core.windows.net', 'orders', 'ADLS', 'raw > orders', 'raw'],
  ['wasbs://raw@acme.blob.core.windows.net', '/orders', 'ADLS', 'raw > orders', 'raw'],
  ['dbfs://workspace', '/disk/raw', 'CustomStorage', 'disk/raw', 'disk > raw', 'disk'],
  ['file', '/data', 'CustomStorage', 'data'],
  ['file:/warehouse', 'orders', 'CustomStorage', 'warehouse/orders', 'warehouse > orders', 'warehouse'],
  ['file://host', '/data', 'CustomStorage', 'data'],
  ['gs://raw', 'orders', 'GCS', 'raw > orders', 'raw'],
  ['hdfs://namenode:8020', '/data', 'CustomStorage', 'data'],
  ['s3://raw', '/', 'S3', 'raw'],
  ['s3a://raw', 'sales/orders/', 'S3', 'raw > sales/orders', 'raw > sales > orders', 'raw > sales', 'raw'],
  ['s3://raw/sales', 'orders', 'S3', 'raw > sales/orders', 'raw > sales > orders', 'raw > sales', 'raw'],
  ['kafka://k:9092', 'shop.public.orders', 'Kafka', 'shop.public.orders'],
  ['kinesis://kinesis.us-east-1.amazonaws.com', 'orders', 'Kinesis', 'orders'],
  ['pubsub', 'topic:acme:orders', 'PubSub', 'orders'],
  ['elasticsearch://e:9200', 'orders-2025', 'ElasticSearch', 'orders-2025'],
  ['opensearch://e:9200', 'orders-2025', 'OpenSearch', 'orders-2025'],
  ['box://box.com:443/4711', 'reports/2025.pdf', 'CustomDrive', 'reports > 2025.pdf'],
  ['filenet://f:9443/repository ', 'reports/2025.pdf', 'CustomDrive', 'reports > 2025.pdf'],
  ['mssharepoint://acme.sharepoint.com:443/sales', 'reports/2025.pdf', 'SharePoint', 'reports > 2025.pdf'],
];

test('each scheme of the naming rules has a meaning', () => {
  for (const [namespace, name, serviceType, ...paths] of [...TABLES, ...OTHERS]) {
    assert.is(parse(namespace, name).serviceTypes[0], serviceType, namespace);
    assert.equal(pathsOf(namespace, name), paths, `${namespace} ${name}`);
  }
});

test('all types of services are those that the catalog offers', () => {
  const kinds = [databaseService, driveService, messagingService, searchService, storageService];
  for (const [namespace, name] of [...TABLES, ...OTHERS]) {
    const { serviceKind, serviceTypes } = parse(namespace, name);
    const offered = kinds.find(({ entityType }) => entityType === serviceKind)?.connectionSteps ?? {};
    assert.equal(
      serviceTypes.filter((type) => !Object.hasOwn(offered, type)),
      [],
      namespace,
    );
  }
});

test('the kind of service and the type of the dataset belong together', () => {
  const kindsOf = (namespace: string, name: string) => {
    const { serviceKind, entityType } = parse(namespace, name);
    return [serviceKind, entityType];
  };
  assert.equal(kindsOf('postgres://p', 'a.b.c'), ['databaseService', 'table']);
  assert.equal(kindsOf('s3://raw', 'a'), ['storageService', 'container']);
  assert.equal(kindsOf('kafka://k', 'a'), ['messagingService', 'topic']);
  assert.equal(kindsOf('elasticsearch://e', 'a'), ['searchService', 'searchIndex']);
  assert.equal(kindsOf('box://b/1', 'a'), ['driveService', 'file']);
});

test('names that follow no rule have no meaning', () => {
  const malformed: readonly (readonly [string, string])[] = [
    ['', 'a.b.c'],
    ['my-airflow', 'a.b.c'],
    ['constructor', 'a.b.c'],
    ['https://host', 'a.b.c'],
    ['inmemory://', 'a'],
    ['postgres', 'a.b.c'],
    ['postgres://', 'a.b.c'],
    ['postgres://user@', 'a.b.c'],
    ['postgres://p', 'a'],
    ['postgres://p', 'a..c'],
    ['postgres://p', '.b.c'],
    ['postgres://p', 'a.b.'],
    ['postgres://p', '.'],
    ['postgres://p', ''],
    ['postgres://p', 'a.b."c'],
    ['postgres://p', 'a.b.c::d'],
    ['postgres://p', 'a.b.c\u0000'],
    ['postgres://p', `a.b.${'c'.repeat(257)}`],
    ['mysql://m', 'a'],
    ['bigquery', 'sales.orders'],
    ['arn:aws:s3:us-east-1:123456789012', 'table/a/b'],
    ['arn:aws:glue:us-east-1', 'table/a/b'],
    ['arn:aws:glue:us-east-1:123456789012', 'table/a'],
    ['awsathena://athena', 'a.b.c'],
    ['azurecosmos://host', 'colls/a'],
    ['azurecosmos://host/dbs/a', 'docs/a'],
    ['azurekusto://host', 'a/b/c'],
    ['abfss://acme.dfs.core.windows.net', 'a'],
    ['duckdb://:memory:', 'memory.main.orders'],
    ['sqlite:///:memory:', 'orders'],
    ['spanner://acme', 'a.b.c'],
    ['snowflake://', 'a.b.c'],
    ['s3://', 'a'],
    ['dbfs', '/a'],
    ['hdfs://namenode', '/'],
    ['kafka://', 'a'],
    ['kinesis://localhost:4566', 'a'],
    ['pubsub', 'subscription:acme:orders'],
    ['pubsub', 'topic:acme'],
    ['box://box.com', 'a'],
  ];
  for (const [namespace, name] of malformed) {
    assert.is(parseDatasetName({ namespace, name }), undefined, `${namespace} ${name}`);
  }
});

const gcp = (projectId: string | readonly string[]): JsonObject => ({ credentials: { gcpConfig: { projectId } } });
const aws = (awsRegion: string, assumeRoleArn?: string): JsonObject => ({
  awsConfig: { awsRegion, ...(assumeRoleArn === undefined ? {} : { assumeRoleArn }) },
});

/** Namespace, name, type of service, and connections that are the place and that are not. */
type PlaceCase = readonly [string, string, string, readonly JsonObject[], readonly JsonObject[]];

const PLACES: readonly PlaceCase[] = [
  [
    'postgres://Db.acme.com:5432',
    'a.b.c',
    'Postgres',
    [{ hostPort: 'db.acme.com' }, { hostPort: 'DB.acme.com:5432' }, { hostPort: 'postgresql://u:p@db.acme.com/x' }],
    [{ hostPort: 'db.acme.com:5433' }, { hostPort: 'db2.acme.com' }, { hostPort: 5432 }, { hostPort: '' }, {}],
  ],
  ['postgres://db', 'a.b.c', 'Postgres', [{ hostPort: 'db:5432' }], [{ hostPort: 'db:5433' }]],
  ['postgres://a:5432,b:5433', 'a.b.c', 'Postgres', [{ hostPort: 'b:5433' }], [{ hostPort: 'b' }]],
  ['postgres://[::1]:5432', 'a.b.c', 'Postgres', [{ hostPort: '[::1]' }], [{ hostPort: '[::2]' }]],
  ['mysql://m:9030', 'a.b', 'Doris', [{ hostPort: 'm:9030' }, { hostPort: 'm' }], [{ hostPort: 'm:3306' }]],
  ['clickhouse://c:9000', 'a.b', 'Clickhouse', [{ hostPort: 'c:8123' }], [{ hostPort: 'c:8124' }]],
  ['hive://h:9083', 'a.b', 'Hive', [{ hostPort: 'h:10000' }], [{ hostPort: 'g:10000' }]],
  ['sqlserver://s/One', 'a.b', 'Mssql', [{ hostPort: 'S\\ONE' }], [{ hostPort: 's' }, { hostPort: 's\\two' }]],
  ['databricks://adb.net', 'a.b.c', 'Databricks', [{ hostPort: 'adb.net:443' }], [{ hostPort: 'adc.net:443' }]],
  ['dremio://d:9047', 'a.b.c', 'Dremio', [{ authType: { hostPort: 'http://d:9047' } }], [{ authType: {} }]],
  [
    'redshift://cluster.us-east-1:5439',
    'a.b.c',
    'Redshift',
    [{ hostPort: 'cluster.abc123.us-east-1.redshift.amazonaws.com:5439' }],
    [{ hostPort: 'cluster.abc123.us-east-2.redshift.amazonaws.com:5439' }],
  ],
  [
    'redshift://group.123456789012.us-east-1.redshift-serverless.amazonaws.com:5439',
    'a.b.c',
    'Redshift',
    [{ hostPort: 'group.123456789012.us-east-1.redshift-serverless.amazonaws.com' }],
    [{ hostPort: 'other.123456789012.us-east-1.redshift-serverless.amazonaws.com' }],
  ],
  [
    'snowflake://acme-my_prod',
    'a.b.c',
    'Snowflake',
    [{ account: 'ACME-MY_PROD' }, { account: 'https://acme-my-prod.snowflakecomputing.com' }],
    [{ account: 'acme-test' }, { account: 'acme' }, {}],
  ],
  [
    'snowflake://xy12345.us-west-1.aws',
    'a.b.c',
    'Snowflake',
    [{ account: 'xy12345' }, { account: 'xy12345.us-west-2' }, { account: 'xy12345.us-west-2.privatelink' }],
    [{ account: 'xy12345.us-east-1' }, { account: 'xy12346' }],
  ],
  [
    'snowflake://xy12345.europe-west3.gcp',
    'a.b.c',
    'Snowflake',
    [{ account: 'xy12345.europe-west3.gcp' }, { account: 'xy12345.europe-west3.gcp.europe-west3.gcp' }],
    [{ account: 'xy12345.europe-west3' }],
  ],
  [
    'oracle://o:1521',
    'pdb1.acme.com.s.t',
    'Oracle',
    [{ hostPort: 'o' }, { hostPort: 'o', oracleConnectionType: { oracleServiceName: 'PDB1' } }],
    [{ hostPort: 'o', oracleConnectionType: { oracleServiceName: 'PDB2' } }],
  ],
  ['bigquery', 'p.d.t', 'BigQuery', [gcp('p'), gcp(['o', 'P']), {}], [gcp('o'), gcp(['o'])]],
  ['unity-catalog', 'a.b.c', 'Databricks', [{}, { hostPort: 'anywhere' }], []],
  [
    'arn:aws:glue:us-east-1:123456789012',
    'table/a/b',
    'Glue',
    [aws('us-east-1'), aws('US-EAST-1', 'arn:aws:iam::123456789012:role/r')],
    [aws('us-east-2'), aws('us-east-1', 'arn:aws:iam::210987654321:role/r'), {}],
  ],
  ['awsathena://athena.us-east-1.amazonaws.com', 'a.b.c', 'Athena', [aws('us-east-1')], [aws('us-east-2')]],
  ['sqlite:////data/shop.db', 'a', 'SQLite', [{ databaseMode: '/data/shop.db' }], [{ databaseMode: ':memory:' }]],
  ['s3://raw', 'a', 'S3', [{}, { bucketNames: [] }, { bucketNames: ['cooked', 'raw'] }], [{ bucketNames: ['cooked'] }]],
  ['gs://raw', 'a', 'GCS', [{ bucketNames: ['raw'] }], [{ bucketNames: ['cooked'] }]],
  [
    'abfss://raw@acme.dfs.core.windows.net',
    'a',
    'ADLS',
    [{ credentials: { accountName: 'acme' } }, { credentials: { accountName: 'acme' }, containerName: 'raw' }],
    [{ credentials: { accountName: 'acme' }, containerName: 'cooked' }, { credentials: {} }, {}],
  ],
  [
    'kafka://b:9092',
    'a',
    'Kafka',
    [{ bootstrapServers: 'a:9092, b:9092' }, { bootstrapServers: 'SASL_SSL://b' }],
    [{ bootstrapServers: 'a:9092,c:9092' }, { bootstrapServers: 'b:9093' }],
  ],
  [
    'pubsub',
    'topic:p:t',
    'PubSub',
    [{ projectId: 'p' }, { gcpConfig: { gcpConfig: { projectId: 'p' } } }],
    [{ projectId: 'o' }],
  ],
  ['elasticsearch://e:9200', 'a', 'ElasticSearch', [{ hostPort: 'http://e:9200' }], [{ hostPort: 'http://f:9200' }]],
  [
    'mssharepoint://acme.sharepoint.com:443/sales',
    'a',
    'SharePoint',
    [{ siteUrl: 'https://acme.sharepoint.com/sites/sales', siteName: 'Sales' }],
    [{ siteUrl: 'https://acme.sharepoint.com', siteName: 'hr' }],
  ],
  [
    'hdfs://n:8020',
    '/a',
    'CustomStorage',
    [{ connectionOptions: { hostPort: 'n:8020' } }],
    [{ connectionOptions: { hostPort: 'm:8020' } }, { hostPort: 'n:8020' }, {}],
  ],
  [
    'spanner://p:i',
    'a.b.c',
    'CustomDatabase',
    [{ connectionOptions: { project: 'p', instance: 'i' } }],
    [{ connectionOptions: { project: 'p' } }, { connectionOptions: { project: 'p', instance: 'j' } }],
  ],
];

test('a connection is the place of a dataset when it states what the namespace names', () => {
  for (const [namespace, name, serviceType, same, others] of PLACES) {
    const named = parse(namespace, name);
    for (const config of same)
      assert.ok(isPlaceOf(named, serviceType, config), `${namespace} ${JSON.stringify(config)}`);
    for (const config of others)
      assert.not.ok(isPlaceOf(named, serviceType, config), `${namespace} ${JSON.stringify(config)}`);
  }
});

test('a connection of another type is never the place', () => {
  assert.not.ok(isPlaceOf(parse('postgres://p', 'a.b.c'), 'Mysql', { hostPort: 'p' }));
  assert.not.ok(isPlaceOf(parse('unity-catalog', 'a.b.c'), 'Snowflake', {}));
});

test('the database of a connection stands for the one that a name lacks', () => {
  const list = (namespace: string, name: string, config: JsonObject) =>
    listDatasetPaths(parse(namespace, name), config).map((path) => path.join(' > '));
  assert.equal(list('mysql://m', 'a.b', {}), ['default > a > b']);
  assert.equal(list('mysql://m', 'a.b', { databaseName: 'shop' }), ['shop > a > b', 'default > a > b']);
  assert.equal(list('sqlserver://s', 'a.b', { database: 'shop' })[0], 'shop > a > b');
  assert.equal(list('postgres://p', 'a.b.c', { database: 'shop' }), ['a > b > c']);
  assert.equal(list('postgres://p', 'a.b', { database: 'shop' }), [
    'a > public > b',
    'shop > a > b',
    'default > a > b',
  ]);
  assert.equal(list('trino://t', 'a.b', { catalog: 'hive' }), ['hive > a > b', 'default > a > b']);
  assert.equal(list('oracle://o', 'x.a.b', { databaseName: 'shop' }), ['shop > a > b', 'default > a > b', 'x > a > b']);
  assert.equal(list('s3://default', 'a', { databaseName: 'shop' }), ['default > a', 'default']);
  assert.equal(list('mysql://m', 'a.b', { databaseName: 'x::y' }), ['default > a > b']);
});

test('of a deep path, only the outer folders are candidates', () => {
  const name = Array.from({ length: 40 }, (_, index) => `f${index}`).join('/');
  const { paths } = parse('s3://raw', name);
  assert.equal(paths[0], ['raw', name]);
  assert.is(paths[1]?.length, 41);
  assert.is(paths[3]?.length, 17);
  assert.equal(paths.at(-1), ['raw']);
  assert.ok(paths.length < 40);
});

/** One namespace for each way to read a name. */
const EVERY_WAY_TO_NAME = [
  'arn:aws:glue:eu-west-1:123',
  'awsathena://athena.eu-west-1.amazonaws.com',
  'azurecosmos://h/dbs/d',
  'azurekusto://h',
  'bigquery',
  'box://h/s',
  'kafka://h',
  'mysql://h',
  'oracle://h',
  'postgres://h',
  'pubsub',
  's3://b',
  'spanner://p:i',
];

test('hostile names throw nothing and are read without going back over them, which would take hours', () => {
  const texts = [
    '"',
    '`',
    '[',
    '[a]',
    '".',
    '[.',
    '`."[.',
    '.',
    '/',
    '@',
    ':',
    ';',
    ',',
    '\\',
    '%',
    '\u{1f600}',
    '\ud800',
  ];
  for (const text of texts) {
    // The square of a million steps is a quarter of an hour for each of these namespaces, at a billion steps a second.
    const long = text.repeat(1_000_000 / text.length);
    for (const namespace of EVERY_WAY_TO_NAME) parseDatasetName({ namespace, name: long });
    for (const namespace of [`postgres://${long}`, `sqlserver://h${long}`, `abfss://${long}`, long]) {
      const named = parseDatasetName({ namespace, name: 'a.b.c' });
      if (named) isPlaceOf(named, named.serviceTypes[0] ?? '', { hostPort: long, credentials: { accountName: long } });
    }
  }
  const config: JsonObject = {
    hostPort: ['p', null, { host: 'p' }],
    authType: 'x',
    awsConfig: [],
    bootstrapServers: 1,
  };
  for (const [namespace, name] of [...TABLES, ...OTHERS]) {
    const named = parse(namespace, name);
    for (const type of named.serviceTypes) isPlaceOf(named, type, config);
    listDatasetPaths(named, config);
  }
});

test.run();
