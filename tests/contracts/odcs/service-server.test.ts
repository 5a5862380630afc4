import * as assert from 'uvu/assert';
import { buildServiceServer, type ServiceFacts } from '../../../src/contracts/odcs/service-server.ts';
import { exportAsVersion } from '../../../src/contracts/odcs/versions/convert.ts';
import { ODCS_VERSIONS } from '../../../src/contracts/odcs/versions/version.ts';
import { databaseService } from '../../../src/kinds/database-service.ts';
import { messagingService } from '../../../src/kinds/messaging-service.ts';
import { storageService } from '../../../src/kinds/storage-service.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import { maskSecrets } from '../../../src/model/secret-masking.ts';
import { suite } from '../../support/suite.ts';
import { objections, WITH_SCHEMA } from './official.ts';

/** Shows which server an export names for each type of service. */

const test = suite('contracts/odcs: servers of services');

const TABLE = [
  { entityType: 'table', name: 'orders' },
  { entityType: 'databaseSchema', name: 'sales' },
  { entityType: 'database', name: 'shop' },
];
const CONTAINER = [
  { entityType: 'container', name: 'daily files' },
  { entityType: 'container', name: 'inbox' },
];

const serverOf = (serviceType: string, config: JsonObject, more: Partial<ServiceFacts> = {}): JsonObject =>
  buildServiceServer({
    name: 'main',
    serviceType,
    config: maskSecrets({ type: serviceType, ...config }),
    path: TABLE,
    record: {},
    ...more,
  });

const HOST = { hostPort: 'db.example.com:4000' };
const AT_HOST = { host: 'db.example.com', port: 4000 };
const NAMES = { database: 'shop', schema: 'sales' };

/** The details of a table in a service of each type. */
const TABLES: Readonly<Record<string, readonly [config: JsonObject, type: string, details: JsonObject]>> = {
  Postgres: [HOST, 'postgres', { ...AT_HOST, ...NAMES }],
  Timescale: [{ hostPort: 'db' }, 'postgres', { host: 'db', port: 5432, ...NAMES }],
  Mysql: [HOST, 'mysql', { ...AT_HOST, database: 'sales' }],
  MariaDB: [{ hostPort: 'db' }, 'mysql', { host: 'db', port: 3306, database: 'sales' }],
  Mssql: [{ hostPort: 'db' }, 'sqlserver', { host: 'db', port: 1433, ...NAMES }],
  AzureSQL: [HOST, 'sqlserver', { ...AT_HOST, ...NAMES }],
  Synapse: [HOST, 'synapse', { ...AT_HOST, database: 'shop' }],
  Databricks: [
    { hostPort: 'https://x.cloud.databricks.com:443' },
    'databricks',
    { host: 'x.cloud.databricks.com', catalog: 'shop', schema: 'sales' },
  ],
  UnityCatalog: [HOST, 'databricks', { host: 'db.example.com', catalog: 'shop', schema: 'sales' }],
  Clickhouse: [HOST, 'clickhouse', { ...AT_HOST, database: 'sales' }],
  Db2: [HOST, 'db2', { ...AT_HOST, ...NAMES }],
  Dremio: [{ authType: { hostPort: 'd:9047' } }, 'dremio', { host: 'd', port: 9047, schema: 'sales' }],
  Exasol: [{ hostPort: '[2001:db8::1]' }, 'exasol', { host: '[2001:db8::1]', port: 8563, schema: 'sales' }],
  Hive: [HOST, 'hive', { ...AT_HOST, database: 'sales' }],
  Impala: [HOST, 'impala', { ...AT_HOST, database: 'sales' }],
  Informix: [HOST, 'informix', { ...AT_HOST, database: 'shop' }],
  Oracle: [
    { ...HOST, oracleConnectionType: { oracleServiceName: 'ORCL.example.com' } },
    'oracle',
    { ...AT_HOST, serviceName: 'ORCL.example.com' },
  ],
  SapHana: [
    { connection: { hostPort: 'hana:39041', database: 'T1', password: 'hush' } },
    'hana',
    { host: 'hana', port: 39041, database: 'T1', schema: 'sales' },
  ],
  Teradata: [{ hostPort: 'td' }, 'teradata', { host: 'td', port: 1025, database: 'sales' }],
  Trino: [
    { hostPort: 'https://trino.example.com' },
    'trino',
    { host: 'trino.example.com', port: 443, catalog: 'shop', schema: 'sales' },
  ],
  Presto: [HOST, 'presto', { host: 'db.example.com:4000', catalog: 'shop', schema: 'sales' }],
  Vertica: [HOST, 'vertica', { ...AT_HOST, ...NAMES }],
  Redshift: [HOST, 'redshift', { host: 'db.example.com', ...NAMES }],
  Snowflake: [
    { account: 'org-acc', warehouse: 'XS', privateKey: 'hush' },
    'snowflake',
    { account: 'org-acc', warehouse: 'XS', ...NAMES },
  ],
  BigQuery: [{ billingProjectId: 'p' }, 'bigquery', { project: 'shop', dataset: 'sales' }],
  Athena: [
    {
      s3StagingDir: 's3://staging/out',
      workgroup: 'primary',
      awsConfig: { awsRegion: 'eu-west-1', awsSecretAccessKey: 'hush' },
    },
    'athena',
    { stagingDir: 's3://staging/out', schema: 'sales', catalog: 'shop', regionName: 'eu-west-1', workgroup: 'primary' },
  ],
  Glue: [
    { awsConfig: { assumeRoleArn: 'arn:aws:iam::123456789012:role/reader' } },
    'glue',
    { account: '123456789012', database: 'sales' },
  ],
};

test('tables are in the server that the standard has for the type of their service', () => {
  for (const [serviceType, [config, type, details]] of Object.entries(TABLES)) {
    assert.equal(serverOf(serviceType, config), { server: 'main', type, ...details }, serviceType);
  }
});

const TOPIC: Partial<ServiceFacts> = {
  path: [{ entityType: 'topic', name: 'orders' }],
  record: { messageSchema: { schemaType: 'Avro', schemaText: '{}' } },
};

test('topics, containers, files and endpoints are in servers of their types', () => {
  const cases: readonly (readonly [string, JsonObject, Partial<ServiceFacts>, JsonObject])[] = [
    ['Kafka', { bootstrapServers: 'a:9092,b:9092' }, TOPIC, { type: 'kafka', host: 'a:9092,b:9092', format: 'avro' }],
    ['Redpanda', { bootstrapServers: 'a:1' }, { ...TOPIC, record: {} }, { type: 'kafka', host: 'a:1' }],
    [
      'Kinesis',
      { awsConfig: { awsRegion: 'eu-west-1' } },
      TOPIC,
      { type: 'kinesis', region: 'eu-west-1', format: 'avro' },
    ],
    ['PubSub', { gcpConfig: { projectId: 'p' } }, TOPIC, { type: 'pubsub', project: 'p' }],
    [
      'S3',
      { awsConfig: { endPointURL: 'https://key:hush@minio.example.com:9000/' } },
      { path: CONTAINER, record: { fileFormats: ['csv', 'gz'] } },
      {
        type: 's3',
        location: 's3://inbox/daily%20files',
        endpointUrl: 'https://minio.example.com:9000/',
        format: 'csv',
      },
    ],
    [
      'S3',
      {},
      { path: CONTAINER, record: { fullPath: 's3://inbox/a?sig=hush' } },
      { type: 's3', location: 's3://inbox/a' },
    ],
    [
      'ADLS',
      { credentials: { accountName: 'store', clientSecret: 'hush' } },
      { path: CONTAINER, record: { fileFormats: ['parquet'] } },
      { type: 'azure', location: 'az://store.blob.core.windows.net/inbox/daily%20files', format: 'parquet' },
    ],
    [
      'Sftp',
      { host: 'files.example.com', port: 22 },
      { path: [] },
      { type: 'sftp', location: 'sftp://files.example.com/' },
    ],
    [
      'Rest',
      {},
      { path: [], record: { endpointURL: 'https://u:hush@api.example.com/orders?key=hush#x' } },
      { type: 'api', location: 'https://api.example.com/orders' },
    ],
  ];
  for (const [serviceType, config, more, expected] of cases)
    assert.equal(serverOf(serviceType, config, more), { server: 'main', ...expected }, serviceType);
});

const custom = (serviceType: string, details: JsonObject): JsonObject => ({
  server: 'main',
  type: 'custom',
  ...details,
  customProperties: [{ property: 'serviceType', value: serviceType }],
});

test('other services, and those that lack what the standard requires, are custom', () => {
  assert.equal(serverOf('Cockroach', HOST), custom('Cockroach', { ...AT_HOST, ...NAMES }));
  assert.equal(serverOf('SQLite', {}), custom('SQLite', NAMES));
  assert.equal(serverOf('Snowflake', {}), custom('Snowflake', NAMES));
  assert.equal(
    serverOf('Postgres', HOST, { path: TABLE.slice(2) }),
    custom('Postgres', { ...AT_HOST, database: 'shop' }),
  );
  assert.equal(serverOf('GCS', {}, { path: CONTAINER }), custom('GCS', { location: 'gs://inbox/daily%20files' }));
});

const HOSTILE: readonly string[] = [
  'postgres://u:hush@db:1',
  'u:hush@db:1',
  'hush@db',
  'postgres://u:hush/more@db:1',
  'u:1/hush@db:1',
  'db:1?password=hush',
  'jdbc:sqlserver://db:1;user=u;password=hush',
  'postgres://u:hu@sh@db:1/x',
  `${'x'.repeat(2_000)}hush`,
  'hush\u0000',
];

test('no text of a connection that may hold a credential leaves it', () => {
  for (const text of HOSTILE) {
    const config = {
      hostPort: text,
      bootstrapServers: text,
      account: text,
      warehouse: text,
      s3StagingDir: text,
      workgroup: text,
      projectId: text,
      awsConfig: { awsRegion: text, endPointURL: text, assumeRoleArn: text },
      credentials: { accountName: text },
      oracleConnectionType: { oracleServiceName: text },
      password: 'hush',
    };
    for (const { members } of [databaseService, messagingService, storageService]) {
      const types = (members['serviceType'] as unknown as { schema: { options: readonly string[] } }).schema.options;
      assert.ok(types.length > 3);
      for (const serviceType of types) {
        const written = JSON.stringify(serverOf(serviceType, config, { path: [...TABLE, ...CONTAINER] }));
        assert.not.match(written, /hush|\*{9}/, `${serviceType}: ${text}`);
      }
    }
  }
});

test('a server is valid in every version', () => {
  const root = { apiVersion: 'v3.2.0', kind: 'DataContract', id: 'x', version: '1', status: 'active' };
  for (const [serviceType, [config]] of Object.entries(TABLES)) {
    for (const version of ODCS_VERSIONS) {
      const schema = [
        {
          name: 'orders',
          logicalType: 'object',
          properties: [{ name: 'id', logicalType: 'integer', physicalType: 'int' }],
        },
      ];
      const { document } = exportAsVersion(
        { ...root, schema, servers: [serverOf(serviceType, config)] },
        undefined,
        version,
      );
      if (WITH_SCHEMA.includes(version)) assert.equal(objections(document, version), [], `${serviceType} ${version}`);
      if (version.startsWith('v3')) assert.is((document['servers'] as readonly JsonObject[])[0]?.['server'], 'main');
    }
  }
});

test.run();
