import { isObject, type Json, type JsonObject, type MutableJsonObject, member } from '../../model/json.ts';
import { nonBlankText } from '../../model/json-parts.ts';
import { SECRET_MASK } from '../../model/secret-mask.ts';
import { maskSecrets } from '../../model/secret-masking.ts';
import { omitEmpty } from './json-parts.ts';
import { serverDetails, serverType } from './versions/servers.ts';
import { NEWEST_VERSION } from './versions/version.ts';

/** Builds the server of a document from the service that holds the record of the contract. */

/** What a caller may see of a record and of the service that holds it. */
export type ServiceFacts = {
  readonly name: string;
  readonly serviceType: string;
  /** The `config` of the connection with its secrets masked. */
  readonly config: JsonObject;
  /** The record and its ancestors below the service, the record first. */
  readonly path: readonly { readonly entityType: string; readonly name: string }[];
  /** The members of the record. */
  readonly record: Readonly<Record<string, Json>>;
};

type DetailReader = (facts: ServiceFacts) => Json | undefined;

/** Longer texts are no places. */
const MAX_PLACE = 512;

/** Characters that names of places do not need, and credentials and parameters of drivers do. */
const SUSPECT = /[@?#;&=\p{Cc}]/u;

const isPlainPlace = (text: string): boolean =>
  text.length <= MAX_PLACE && !text.includes(SECRET_MASK) && !SUSPECT.test(text);

const textAt = (json: JsonObject, path: readonly string[]): string | undefined =>
  nonBlankText(
    path.reduce<Json | undefined>(
      (inner, name) => (isObject(inner ?? null) ? member(inner as JsonObject, name) : undefined),
      json,
    ),
  )?.trim();

/** Reads the first text that a connection states under one of the paths, unless it looks like more than a place. */
const stated =
  (...paths: readonly string[]): DetailReader =>
  ({ config }) =>
    paths.flatMap((path) => textAt(config, path.split('.')) ?? []).find(isPlainPlace);

/**
 * Removes the user-info of a URL, and everything behind its path. A text that still contains an `@` may hold a
 * password that the mask did not find, so it counts as absent.
 */
const withoutCredentials = (text: string): string | undefined => {
  const plain = maskSecrets(text).replace(`://${SECRET_MASK}@`, '://').split(/[?#;]/, 1)[0] ?? '';
  return isPlainPlace(plain) ? plain : undefined;
};

const HOST_PATHS = ['hostPort', 'bootstrapServers', 'authType.hostPort', 'connection.hostPort', 'host', 'siteUrl'];
const URL_HOST = /^(?:([a-z][a-z0-9+.:_-]*):\/\/)?(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?(?:[/\\].*)?$/i;

type Address = { readonly host: string; readonly port: number | undefined };

const addressOf = ({ config }: ServiceFacts): Address | undefined => {
  const [text] = HOST_PATHS.flatMap((path) => textAt(config, path.split('.')) ?? []);
  if (text === undefined || text.length > MAX_PLACE) return undefined;
  const [, scheme, host, written] = URL_HOST.exec(withoutCredentials(text) ?? '') ?? [];
  const stated = written ?? (scheme?.toLowerCase() === 'https' ? 443 : undefined);
  return host === undefined ? undefined : { host, port: stated === undefined ? undefined : Number(stated) };
};

const host: DetailReader = (facts) => addressOf(facts)?.host;

/** The port of the address, or else the one that drivers of the system take. */
const port =
  (usual?: number): DetailReader =>
  (facts) => {
    const address = addressOf(facts);
    return address?.port ?? (address ? usual : undefined);
  };

/** Systems whose host includes the port. */
const hostAndPort: DetailReader = (facts) => {
  const address = addressOf(facts);
  return address && (address.port === undefined ? address.host : `${address.host}:${address.port}`);
};

/** All brokers of a cluster. */
const brokers: DetailReader = ({ config }) => {
  const text = textAt(config, ['bootstrapServers']);
  return text !== undefined && isPlainPlace(text) ? text : undefined;
};

const nameOf =
  (entityType: string): DetailReader =>
  ({ path }) =>
    path.find((part) => part.entityType === entityType)?.name;

const database = nameOf('database');
const schema = nameOf('databaseSchema');

const region = stated('awsConfig.awsRegion');

/** The account is the fifth part of the ARN of a role. */
const awsAccount: DetailReader = (facts) => {
  const arn = stated('awsConfig.assumeRoleArn')(facts);
  return typeof arn === 'string' ? nonBlankText(arn.split(':')[4]) : undefined;
};

const project = stated(
  'projectId',
  'credentials.gcpConfig.projectId',
  'gcpConfig.projectId',
  'gcpConfig.gcpConfig.projectId',
);

const messageFormat: DetailReader = ({ record }) => {
  const { messageSchema = null } = record;
  const type = isObject(messageSchema) ? nonBlankText(messageSchema['schemaType']) : undefined;
  return type === undefined || type === 'None' || type === 'Other' ? undefined : type.toLowerCase();
};

const fileFormat: DetailReader = ({ record }) => {
  const { fileFormats } = record;
  const [first] = Array.isArray(fileFormats) ? (fileFormats as readonly Json[]) : [];
  return nonBlankText(first);
};

/** The path of a container in its store: the names of the containers, the outermost first. */
const objectPath = ({ path }: ServiceFacts): string | undefined =>
  nonBlankText(
    path
      .filter(({ entityType }) => entityType === 'container')
      .map(({ name }) => encodeURI(name))
      .reverse()
      .join('/'),
  );

/** The location of a container: its full path when that is a URL, or else the names below the prefix. */
const locationBelow =
  (prefix: (facts: ServiceFacts) => string | undefined): DetailReader =>
  (facts) => {
    const full = nonBlankText(facts.record['fullPath']);
    if (full !== undefined && /^[a-z][a-z0-9+.-]*:\/\//.test(full)) return withoutCredentials(full);
    const [start, path] = [prefix(facts), objectPath(facts)];
    return start === undefined || path === undefined ? undefined : `${start}${path}`;
  };

const azurePrefix = (facts: ServiceFacts): string | undefined => {
  const account = stated('credentials.accountName')(facts);
  return typeof account === 'string' ? `az://${account}.blob.core.windows.net/` : undefined;
};

const sftpLocation: DetailReader = (facts) => {
  const address = hostAndPort(facts);
  return typeof address === 'string' ? `sftp://${address}/` : undefined;
};

const endpointUrl = (...paths: readonly string[]): DetailReader => {
  return ({ config }) => {
    const [text] = paths.flatMap((path) => textAt(config, path.split('.')) ?? []);
    return text === undefined ? undefined : withoutCredentials(text);
  };
};

const apiLocation: DetailReader = ({ record }) => {
  const url = nonBlankText(record['endpointURL']);
  return url === undefined ? undefined : withoutCredentials(url);
};

type ServerRule = { readonly type: string; readonly details: Readonly<Record<string, DetailReader>> };

const at = (type: string, usualPort: number | undefined, more: ServerRule['details']): ServerRule => ({
  type,
  details: { host, port: port(usualPort), ...more },
});

const POSTGRES = at('postgres', 5432, { database, schema });
// The schemas of these systems are what their drivers and the standard call databases.
const MYSQL = at('mysql', 3306, { database: schema });
const SQL_SERVER = at('sqlserver', 1433, { database, schema });
const KAFKA: ServerRule = { type: 'kafka', details: { host: brokers, format: messageFormat } };
const DATABRICKS: ServerRule = { type: 'databricks', details: { host, catalog: database, schema } };

/** The server of each type of service that the standard knows. */
const RULES: ReadonlyMap<string, ServerRule> = new Map(
  Object.entries({
    Postgres: POSTGRES,
    Timescale: POSTGRES,
    Mysql: MYSQL,
    MariaDB: MYSQL,
    Mssql: SQL_SERVER,
    AzureSQL: SQL_SERVER,
    Databricks: DATABRICKS,
    UnityCatalog: DATABRICKS,
    Clickhouse: at('clickhouse', 8123, { database: schema }),
    Db2: at('db2', 50000, { database, schema }),
    Dremio: at('dremio', undefined, { schema }),
    Exasol: at('exasol', 8563, { schema }),
    Hive: at('hive', 10000, { database: schema }),
    Impala: at('impala', 21050, { database: schema }),
    Informix: at('informix', undefined, { database }),
    Oracle: at('oracle', 1521, { serviceName: stated('oracleConnectionType.oracleServiceName') }),
    SapHana: at('hana', undefined, { database: stated('connection.database'), schema }),
    Synapse: at('synapse', 1433, { database }),
    Teradata: at('teradata', 1025, { database: schema }),
    Trino: at('trino', 8080, { catalog: database, schema }),
    Vertica: at('vertica', 5433, { database, schema }),
    Athena: {
      type: 'athena',
      details: {
        stagingDir: stated('s3StagingDir'),
        schema,
        catalog: database,
        regionName: region,
        workgroup: stated('workgroup'),
      },
    },
    BigQuery: { type: 'bigquery', details: { project: database, dataset: schema } },
    Glue: { type: 'glue', details: { account: awsAccount, database: schema } },
    Presto: { type: 'presto', details: { host: hostAndPort, catalog: database, schema } },
    Redshift: { type: 'redshift', details: { host, database, schema } },
    Snowflake: {
      type: 'snowflake',
      details: { account: stated('account'), database, schema, warehouse: stated('warehouse') },
    },
    Kafka: KAFKA,
    Redpanda: KAFKA,
    Kinesis: { type: 'kinesis', details: { region, format: messageFormat } },
    PubSub: { type: 'pubsub', details: { project } },
    S3: {
      type: 's3',
      details: {
        location: locationBelow(() => 's3://'),
        endpointUrl: endpointUrl('awsConfig.endPointURL'),
        format: fileFormat,
      },
    },
    ADLS: { type: 'azure', details: { location: locationBelow(azurePrefix), format: fileFormat } },
    Sftp: { type: 'sftp', details: { location: sftpLocation } },
    Rest: { type: 'api', details: { location: apiLocation } },
  }),
);

/** What any other service says of its place. */
const CUSTOM: ServerRule = {
  type: 'custom',
  details: {
    host,
    port: port(),
    database,
    schema,
    region,
    project,
    location: locationBelow(({ serviceType }) => (serviceType === 'GCS' ? 'gs://' : undefined)),
  },
};

/**
 * Builds the server of a document. A service of a type that the standard does not know, or that lacks what the standard
 * requires of its type, is `custom` and names the type of the service.
 */
export const buildServiceServer = (facts: ServiceFacts): JsonObject => {
  const { type: wanted, details } = RULES.get(facts.serviceType) ?? CUSTOM;
  const found: MutableJsonObject = omitEmpty(
    Object.fromEntries(Object.entries(details).map(([name, read]) => [name, read(facts)])),
  );
  const type = serverType(found, wanted, NEWEST_VERSION);
  const kind = type === 'custom' ? [{ property: 'serviceType', value: facts.serviceType }] : [];
  return omitEmpty({
    server: facts.name,
    type,
    ...serverDetails(found, type, NEWEST_VERSION),
    customProperties: kind,
  });
};
