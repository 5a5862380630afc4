import { isArray, isObject, type Json, type JsonObject, member } from '../../model/json.ts';

/** Compares the place that a dataset namespace names with the connections of services. */

/** What identifies the system that contains a dataset. Absent members are no part of its namespace. */
export type DatasetPlace = {
  /** Host with its port if the namespace has one; a comma separates several. */
  readonly hostPort?: string;
  /** Snowflake account. */
  readonly account?: string;
  readonly awsAccount?: string;
  readonly awsRegion?: string;
  readonly storageAccount?: string;
  readonly project?: string;
  readonly instance?: string;
  /** Oracle service name or SID. */
  readonly oracleService?: string;
  readonly bucket?: string;
  readonly container?: string;
  /** Site, repository or enterprise on a document server. */
  readonly site?: string;
  /** File that holds a whole database. */
  readonly databaseFile?: string;
};

/**
 * The ports on which servers of a type listen unless they are told otherwise. They count as one, because one server
 * listens on several of them for several protocols, and a namespace and a connection may name different ones.
 */
const USUAL_PORTS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    AzureSQL: ['1433'],
    Cassandra: ['9042'],
    Clickhouse: ['8123', '8443', '9000', '9440'],
    Cockroach: ['26257'],
    Databricks: ['443'],
    Db2: ['50000', '6789'],
    Doris: ['9030'],
    Dremio: ['9047', '31010', '32010'],
    Druid: ['8082', '8888'],
    ElasticSearch: ['9200'],
    Exasol: ['8563'],
    Greenplum: ['5432'],
    Hive: ['10000', '10001', '9083'],
    Impala: ['21050'],
    Kafka: ['9092'],
    MariaDB: ['3306'],
    MicrosoftFabric: ['1433'],
    MongoDB: ['27017'],
    Mssql: ['1433'],
    Mysql: ['3306'],
    OpenSearch: ['9200'],
    Oracle: ['1521'],
    Postgres: ['5432'],
    Presto: ['8080', '443'],
    Redpanda: ['9092'],
    Redshift: ['5439'],
    SharePoint: ['443'],
    SingleStore: ['3306'],
    StarRocks: ['9030'],
    Synapse: ['1433'],
    Teradata: ['1025'],
    Timescale: ['5432'],
    Trino: ['8080', '443'],
    UnityCatalog: ['443'],
    Vertica: ['5433'],
  }),
);

const URL_SCHEME = /^[a-z][a-z0-9+._-]*:\/\//;
const HOST_AND_PORT = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/;
/** Namespaces name Redshift clusters and workgroups by name and region instead of by host. */
const REDSHIFT_HOST = /^([^.]+)\.[^.]+\.([^.]+)\.redshift(?:-serverless)?\.amazonaws\.com(?:\.cn)?$/;

const hostKey = (text: string, ports: readonly string[]): string => {
  const url = text.trim().toLowerCase().replace(URL_SCHEME, '');
  const [authority = ''] = url.slice(url.lastIndexOf('@') + 1).split(/[/?;]/, 1);
  const [, host = authority, port] = HOST_AND_PORT.exec(authority) ?? [];
  const plainHost = host.replace(REDSHIFT_HOST, '$1.$2');
  return port === undefined || ports.includes(port) ? plainHost : `${plainHost}:${port}`;
};

const hostKeys = (list: string, ports: readonly string[]): readonly string[] =>
  list.split(',').flatMap((text) => hostKey(text, ports) || []);

const plainKeys = (text: string): readonly string[] => [text.trim().toLowerCase()];

const fileKeys = (text: string): readonly string[] => [text.trim().replace(/^\/+/, '')];

const SNOWFLAKE_DOMAIN = /\.snowflakecomputing\.(?:com|cn)$/;

/**
 * Brings the spellings of a Snowflake account to one: the organization with the account, or the locator with region
 * and cloud. Producers write us-west-1 for a locator without a region, which Snowflake keeps in us-west-2 of AWS.
 */
const accountKeys = (text: string): readonly string[] => {
  const host = hostKey(text, ['443']).replace(SNOWFLAKE_DOMAIN, '').replaceAll('_', '-');
  const [first = '', ...rest] = host.split('.');
  if (first.includes('-')) return [first];
  const [region = 'us-west-2', ...clouds] = [...new Set(rest)].filter((part) => part !== 'privatelink');
  return [[first, region === 'us-west-1' ? 'us-west-2' : region, ...(clouds.length > 0 ? clouds : ['aws'])].join('.')];
};

/** Service names of Oracle may carry the domain of the database. */
const oracleServiceKeys = (text: string): readonly string[] => text.trim().toLowerCase().split('.', 1);

/** The account is the fifth part of the ARN of a role. */
const roleAccountKeys = (text: string): readonly string[] => [text.split(':', 5)[4] ?? text];

type PlaceMember = {
  /** Where connections state it. */
  readonly at: readonly (readonly string[])[];
  /** Whether a connection that does not state it is no match. Otherwise, the connection reaches all of them. */
  readonly isRequired: boolean;
  readonly toKeys: (text: string, ports: readonly string[]) => readonly string[];
};

const PLACE_MEMBERS: Readonly<Record<keyof DatasetPlace, PlaceMember>> = {
  hostPort: {
    at: [['hostPort'], ['bootstrapServers'], ['authType', 'hostPort'], ['siteUrl']],
    isRequired: true,
    toKeys: hostKeys,
  },
  account: { at: [['account']], isRequired: true, toKeys: accountKeys },
  awsAccount: { at: [['awsConfig', 'assumeRoleArn']], isRequired: false, toKeys: roleAccountKeys },
  awsRegion: { at: [['awsConfig', 'awsRegion']], isRequired: true, toKeys: plainKeys },
  storageAccount: { at: [['credentials', 'accountName']], isRequired: true, toKeys: plainKeys },
  project: {
    at: [
      ['projectId'],
      ['credentials', 'gcpConfig', 'projectId'],
      ['gcpConfig', 'gcpConfig', 'projectId'],
      ['gcpConfig', 'projectId'],
    ],
    isRequired: false,
    toKeys: plainKeys,
  },
  instance: { at: [], isRequired: true, toKeys: plainKeys },
  oracleService: { at: [['oracleConnectionType', 'oracleServiceName']], isRequired: false, toKeys: oracleServiceKeys },
  bucket: { at: [['bucketNames']], isRequired: false, toKeys: plainKeys },
  container: { at: [['containerName']], isRequired: false, toKeys: plainKeys },
  site: { at: [['siteName']], isRequired: false, toKeys: plainKeys },
  databaseFile: { at: [['databaseMode']], isRequired: true, toKeys: fileKeys },
};

const textsAt = (config: JsonObject, path: readonly string[]): readonly string[] => {
  const value = path.reduce<Json | undefined>(
    (json, name) => (isObject(json) ? member(json, name) : undefined),
    config,
  );
  const values = isArray(value) ? value : [value];
  return values.filter((text): text is string => typeof text === 'string' && text !== '');
};

/** Reads the first text that a connection states under one of the names. */
export const readConnectionText = (config: JsonObject, ...names: readonly string[]): string | undefined =>
  names.flatMap((name) => textsAt(config, [name]))[0];

/** Custom connections state their place in their options, by the names of the members of a place. */
const readStated = (name: keyof DatasetPlace, isCustom: boolean, config: JsonObject): readonly string[] =>
  (isCustom ? [['connectionOptions', name]] : PLACE_MEMBERS[name].at).flatMap((path) => textsAt(config, path));

/** How a connection stands to a place: it states the place, or it reaches the place because it excludes none. */
export type PlaceRelation = 'states' | 'reaches';

/** How a connection of that service type stands to the place; undefined when it leads elsewhere. */
export const connectionTo = (
  place: DatasetPlace,
  serviceType: string,
  config: JsonObject,
): PlaceRelation | undefined => {
  const isCustom = serviceType.startsWith('Custom');
  const ports = USUAL_PORTS.get(serviceType) ?? [];
  let isStated = true;
  for (const [key, text] of Object.entries(place)) {
    const name = key as keyof DatasetPlace;
    const { isRequired, toKeys } = PLACE_MEMBERS[name];
    const stated = readStated(name, isCustom, config);
    if (stated.length === 0) {
      if (isRequired || isCustom) return undefined;
      isStated = false;
      continue;
    }
    const keys = new Set(stated.flatMap((one) => toKeys(one, ports)));
    if (!toKeys(text, ports).some((one) => keys.has(one))) return undefined;
  }
  return isStated ? 'states' : 'reaches';
};
