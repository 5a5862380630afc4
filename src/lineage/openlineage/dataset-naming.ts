import type { JsonObject } from '../../model/json.ts';
import {
  cosmosCollection,
  DEFAULT_DATABASE,
  databaseSchemaTable,
  folderPath,
  glueTable,
  type NamePath,
  normalisePaths,
  objectPath,
  type PathReader,
  projectDatasetTable,
  renamedDatabaseSchemaTable,
  schemaSlashTable,
  schemaTable,
  singleName,
} from './dataset-paths.ts';
import { connectionTo, type DatasetPlace, type PlaceRelation, readConnectionText } from './dataset-place.ts';
import type { OpenLineageName } from './event.ts';

/**
 * Says what OpenLineage dataset names mean by the naming rules of OpenLineage: one row for each scheme of a namespace.
 * `dataset-place.ts` compares namespaces with connections, and `dataset-paths.ts` reads names.
 */

/** The meaning of a dataset name: what kind of service contains it, where that is, and its names there. */
export type NamedDataset = {
  /** Entity type of the service. */
  readonly serviceKind: string;
  /** Types of services that may be meant, most likely first. */
  readonly serviceTypes: readonly string[];
  /** Empty when the namespace names no place. Every service of these types may be meant then. */
  readonly place: DatasetPlace;
  /** Entity type of the dataset. */
  readonly entityType: string;
  /** Paths that the dataset may have below the service, most likely first. `listDatasetPaths` adds to them. */
  readonly paths: readonly NamePath[];
};

type Meaning = Pick<NamedDataset, 'place' | 'paths'>;

/** Reads the namespace behind its scheme, and the name. Returns undefined when they do not follow the rules. */
type MeaningReader = (rest: string, name: string) => Meaning | undefined;

type SchemeRule = Omit<NamedDataset, keyof Meaning> & { readonly read: MeaningReader };

const AUTHORITY = /^(?:[^/?;]*@)?([^/?;@]*)(?:\/([^?;]*))?/;
const DATABASE_PARAMETER = /;database(?:name)?=([^;]+)/i;

/** Splits a location into host with port and the first name of its path, without user and password. */
const splitLocation = (rest: string): { readonly hostPort: string; readonly path: string | undefined } => {
  const [, hostPort = '', path = ''] = AUTHORITY.exec(rest) ?? [];
  return { hostPort, path: path.split('/', 1)[0] || undefined };
};

const atHost =
  (readPaths: PathReader): MeaningReader =>
  (rest, name) => {
    const { hostPort, path } = splitLocation(rest);
    return hostPort === '' ? undefined : { place: { hostPort }, paths: readPaths(name, path) };
  };

const SQL_SERVER_NAME = databaseSchemaTable({ schema: 'dbo', first: 'schema' });

/** SQL Server names an instance in the path, and older producers add parameters with the database. */
const atSqlServer: MeaningReader = (rest, name) => {
  const { hostPort, path: instance } = splitLocation(rest);
  if (hostPort === '') return undefined;
  return {
    place: { hostPort: instance === undefined ? hostPort : `${hostPort}\\${instance}` },
    paths: SQL_SERVER_NAME(name, DATABASE_PARAMETER.exec(rest)?.[1]),
  };
};

/** Services of one Oracle host are databases of their own, which only the name tells apart. */
const atOracle: MeaningReader = (rest, name) => {
  const meaning = atHost(renamedDatabaseSchemaTable)(rest, name);
  const oracleService = meaning?.paths.find(([database]) => database !== DEFAULT_DATABASE)?.[0];
  return meaning && oracleService !== undefined ? { ...meaning, place: { ...meaning.place, oracleService } } : meaning;
};

const inSnowflake: MeaningReader = (rest, name) => {
  const { hostPort: account, path } = splitLocation(rest);
  const readPaths = databaseSchemaTable({ schema: 'PUBLIC', first: 'database' });
  return account === '' ? undefined : { place: { account }, paths: readPaths(name, path) };
};

const inBigQuery: MeaningReader = (_, name) => {
  const paths = projectDatasetTable(name, undefined);
  const project = paths[0]?.[0];
  return project === undefined ? undefined : { place: { project }, paths };
};

const inSpanner: MeaningReader = (rest, name) => {
  const [project = '', instance = '', ...more] = rest.split(':');
  if (project === '' || instance === '' || more.length > 0) return undefined;
  return { place: { project, instance }, paths: databaseSchemaTable()(name, undefined) };
};

const GLUE_ARN = /^aws[a-z-]*:glue:([a-z0-9-]+):(\d+)$/i;

const inGlue: MeaningReader = (rest, name) => {
  const [, awsRegion, awsAccount] = GLUE_ARN.exec(rest) ?? [];
  if (awsRegion === undefined || awsAccount === undefined) return undefined;
  return { place: { awsRegion, awsAccount }, paths: glueTable(name, awsAccount) };
};

const AWS_HOST = /^[a-z]+\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?$/i;

const inAwsRegion =
  (readPaths: PathReader): MeaningReader =>
  (rest, name) => {
    const awsRegion = AWS_HOST.exec(rest)?.[1];
    return awsRegion === undefined ? undefined : { place: { awsRegion }, paths: readPaths(name, undefined) };
  };

const COSMOS_DATABASE = /^([^/]+)\/dbs\/([^/]+)\/?$/;

const inCosmos: MeaningReader = (rest, name) => {
  const [, hostPort, database] = COSMOS_DATABASE.exec(rest) ?? [];
  return hostPort === undefined ? undefined : { place: { hostPort }, paths: cosmosCollection(name, database) };
};

/** The namespace names no host, so that every service of the type may contain the table. */
const anywhere =
  (readPaths: PathReader): MeaningReader =>
  (_, name) => ({ place: {}, paths: readPaths(name, undefined) });

/** A database in memory is gone with its process, so no service has it. */
const inDatabaseFile =
  (readPaths: PathReader): MeaningReader =>
  (rest, name) =>
    rest === '' || rest.endsWith(':memory:')
      ? undefined
      : { place: { databaseFile: rest }, paths: readPaths(name, undefined) };

/** A namespace may have folders behind the bucket; they start the path of the object. */
const splitFolders = (rest: string): readonly [string, string] => {
  const slash = rest.indexOf('/');
  return slash === -1 ? [rest, ''] : [rest.slice(0, slash), rest.slice(slash)];
};

const inBucket: MeaningReader = (rest, name) => {
  const [bucket, folders] = splitFolders(rest);
  return bucket === '' ? undefined : { place: { bucket }, paths: objectPath(`${folders}/${name}`, bucket) };
};

const AZURE_CONTAINER = /^([^@.]+)@([^@.]+)\.[^@]+$/;

const inAzureContainer: MeaningReader = (rest, name) => {
  const [location, folders] = splitFolders(rest);
  const [, container, storageAccount] = AZURE_CONTAINER.exec(location) ?? [];
  if (container === undefined || storageAccount === undefined) return undefined;
  return { place: { storageAccount, container }, paths: objectPath(`${folders}/${name}`, container) };
};

const inFileSystem =
  (localHost: string): MeaningReader =>
  (rest, name) => {
    const [host, folders] = splitFolders(rest);
    const hostPort = host === '' ? localHost : host;
    return hostPort === '' ? undefined : { place: { hostPort }, paths: objectPath(`${folders}/${name}`, undefined) };
  };

const onDocumentServer: MeaningReader = (rest, name) => {
  const { hostPort, path: site } = splitLocation(rest.trim());
  if (hostPort === '' || site === undefined) return undefined;
  return { place: { hostPort, site }, paths: folderPath(name, undefined) };
};

/** Subscriptions have no records of their own, so only topics have a meaning. */
const inPubSub: MeaningReader = (_, name) => {
  const [word, project = '', topic = '', ...more] = name.split(':');
  if (word !== 'topic' || project === '' || topic === '' || more.length > 0) return undefined;
  return { place: { project }, paths: singleName(topic, undefined) };
};

const rule =
  (serviceKind: string, entityType: string) =>
  (serviceTypes: readonly string[], read: MeaningReader): SchemeRule => ({
    serviceKind,
    entityType,
    serviceTypes,
    read,
  });

const tables = rule('databaseService', 'table');
const objects = rule('storageService', 'container');
const topics = rule('messagingService', 'topic');
const indexes = rule('searchService', 'searchIndex');
const files = rule('driveService', 'file');

const PUBLIC_NAME = databaseSchemaTable({ schema: 'public', first: 'database' });
const CATALOG_NAME = databaseSchemaTable();

const HIVE = tables(['Hive', 'Impala'], atHost(schemaTable('default')));
const POSTGRES = tables(['Postgres', 'Timescale', 'Greenplum', 'Cockroach'], atHost(PUBLIC_NAME));
const S3 = objects(['S3'], inBucket);
const ADLS = objects(['ADLS'], inAzureContainer);

const RULES: ReadonlyMap<string, SchemeRule> = new Map(
  Object.entries({
    // The namespace of Glue is an ARN, and `arn` is its scheme.
    arn: tables(['Glue', 'Athena'], inGlue),
    awsathena: tables(['Athena'], inAwsRegion(renamedDatabaseSchemaTable)),
    azurecosmos: tables(['CustomDatabase'], inCosmos),
    azurekusto: tables(['CustomDatabase'], atHost(schemaSlashTable)),
    bigquery: tables(['BigQuery'], inBigQuery),
    cassandra: tables(['Cassandra'], atHost(schemaTable())),
    clickhouse: tables(['Clickhouse'], atHost(schemaTable('default'))),
    crate: tables(['CustomDatabase', 'Postgres'], atHost(databaseSchemaTable({ schema: 'doc', first: 'database' }))),
    databricks: tables(['Databricks', 'UnityCatalog'], atHost(CATALOG_NAME)),
    db2: tables(['Db2'], atHost(CATALOG_NAME)),
    dremio: tables(['Dremio'], atHost(CATALOG_NAME)),
    druid: tables(['Druid'], atHost(schemaTable('druid'))),
    duckdb: tables(['CustomDatabase'], inDatabaseFile(databaseSchemaTable({ schema: 'main', first: 'schema' }))),
    exa: tables(['Exasol'], atHost(schemaTable())),
    'fabric-warehouse': tables(['MicrosoftFabric'], atSqlServer),
    greenplum: tables(['Greenplum'], atHost(PUBLIC_NAME)),
    hive: HIVE,
    hive2: HIVE,
    impala: tables(['Impala', 'Hive'], atHost(schemaTable('default'))),
    mariadb: tables(['MariaDB', 'Mysql'], atHost(schemaTable())),
    milvus: tables(['CustomDatabase'], atHost(schemaTable('default'))),
    mongodb: tables(['MongoDB'], atHost(schemaTable())),
    mssql: tables(['Mssql', 'AzureSQL', 'Synapse', 'MicrosoftFabric'], atSqlServer),
    mysql: tables(['Mysql', 'MariaDB', 'SingleStore', 'Doris', 'StarRocks'], atHost(schemaTable())),
    oceanbase: tables(['CustomDatabase', 'Mysql'], atHost(schemaTable())),
    oracle: tables(['Oracle'], atOracle),
    postgres: POSTGRES,
    postgresql: POSTGRES,
    presto: tables(['Presto', 'Trino'], atHost(CATALOG_NAME)),
    redshift: tables(['Redshift'], atHost(PUBLIC_NAME)),
    singlestore: tables(['SingleStore'], atHost(schemaTable())),
    snowflake: tables(['Snowflake'], inSnowflake),
    spanner: tables(['CustomDatabase'], inSpanner),
    // The thrift server of Spark speaks the protocol of Hive, and dbt uses this scheme for clusters of Databricks too.
    spark: tables(['Hive', 'Databricks'], atHost(schemaTable('default'))),
    sqlite: tables(['SQLite'], inDatabaseFile(schemaTable('main'))),
    sqlserver: tables(['Synapse', 'Mssql', 'AzureSQL', 'MicrosoftFabric'], atSqlServer),
    teradata: tables(['Teradata'], atHost(schemaTable())),
    trino: tables(['Trino', 'Presto'], atHost(CATALOG_NAME)),
    'unity-catalog': tables(['UnityCatalog', 'Databricks'], anywhere(CATALOG_NAME)),
    unitycatalog: tables(['UnityCatalog', 'Databricks'], atHost(CATALOG_NAME)),
    vertica: tables(['Vertica'], atHost(PUBLIC_NAME)),

    abfs: ADLS,
    abfss: ADLS,
    dbfs: objects(['CustomStorage'], inFileSystem('')),
    file: objects(['CustomStorage'], inFileSystem('localhost')),
    gs: objects(['GCS'], inBucket),
    hdfs: objects(['CustomStorage'], inFileSystem('')),
    s3: S3,
    s3a: S3,
    s3n: S3,
    wasb: ADLS,
    wasbs: ADLS,

    kafka: topics(['Kafka', 'Redpanda'], atHost(singleName)),
    kinesis: topics(['Kinesis'], inAwsRegion(singleName)),
    pubsub: topics(['PubSub'], inPubSub),

    elasticsearch: indexes(['ElasticSearch'], atHost(singleName)),
    opensearch: indexes(['OpenSearch'], atHost(singleName)),

    box: files(['CustomDrive'], onDocumentServer),
    filenet: files(['CustomDrive'], onDocumentServer),
    mssharepoint: files(['SharePoint'], onDocumentServer),
  }),
);

const NAMESPACE = /^([a-z][a-z0-9-]*)(?::(?:\/\/)?(.*))?$/is;

/** Parses a dataset name. Returns undefined when its namespace or name follows none of the rules. */
export const parseDatasetName = ({ namespace, name }: OpenLineageName): NamedDataset | undefined => {
  const [, scheme = '', rest = ''] = NAMESPACE.exec(namespace) ?? [];
  const found = RULES.get(scheme.toLowerCase());
  const meaning = found?.read(rest, name);
  if (found === undefined || meaning === undefined) return undefined;
  const { serviceKind, serviceTypes, entityType } = found;
  const paths = normalisePaths(meaning.paths);
  return paths.length === 0 ? undefined : { serviceKind, serviceTypes, place: meaning.place, entityType, paths };
};

/** How a stored service of that type, with that `config` of its connection, stands to the place of the dataset. */
export const placeRelationOf = (
  named: NamedDataset,
  serviceType: string,
  config: JsonObject,
): PlaceRelation | undefined =>
  named.serviceTypes.includes(serviceType) ? connectionTo(named.place, serviceType, config) : undefined;

/** Whether a stored service may have the dataset. */
export const isPlaceOf = (named: NamedDataset, serviceType: string, config: JsonObject): boolean =>
  placeRelationOf(named, serviceType, config) !== undefined;

/**
 * Lists the paths that the dataset may have below a service, most likely first. Where a name has no database that the
 * catalog could use, connectors take the one that their connection names.
 */
export const listDatasetPaths = ({ entityType, paths }: NamedDataset, config: JsonObject): readonly NamePath[] => {
  const database = readConnectionText(config, 'databaseName', 'database', 'catalog');
  if (entityType !== 'table' || database === undefined) return paths;
  return normalisePaths(
    paths.flatMap((path) => (path[0] === DEFAULT_DATABASE ? [[database, ...path.slice(1)], path] : [path])),
  );
};
