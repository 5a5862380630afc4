import {
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
} from '../../../model/json.ts';
import { jsonObjects } from '../../../model/json-parts.ts';
import { textMember } from '../json-parts.ts';
import { isVersionAtLeast, NEWEST_VERSION, ODCS_VERSIONS, type OdcsVersion } from './version.ts';

/** Converts servers, whose members depend on their type: root members in 2.2.x and a list since 3.0. */

/** The members of each server type; `!` marks required ones. */
const SERVER_TYPES: Readonly<Record<string, string>> = {
  api: 'location!',
  athena: 'stagingDir schema! catalog regionName',
  btrieve: 'host! port database!',
  azure: 'location! format! delimiter',
  bigquery: 'project! dataset!',
  clickhouse: 'host! port! database!',
  cloudsql: 'host! port! database! schema!',
  custom:
    'account catalog database dataset delimiter endpointUrl format host location path port project region regionName schema serviceName stagingDir warehouse stream',
  databricks: 'host catalog! schema!',
  db2: 'host! port! database! schema',
  denodo: 'host! port! database',
  dremio: 'host! port! schema',
  duckdb: 'database! schema',
  exasol: 'host! port schema',
  fastobjects: 'host port database!',
  glue: 'account! database! location format',
  hana: 'host! port database schema',
  hive: 'host! port database!',
  iceberg: 'catalog! catalogUrl! namespace warehouse',
  impala: 'host! port database!',
  informix: 'host! port database!',
  ingres: 'host! port database!',
  kafka: 'host! format',
  kinesis: 'region format',
  local: 'path! format!',
  mysql: 'host! port! database!',
  oracle: 'host! port! serviceName!',
  poet: 'host port database!',
  postgres: 'host! port! database! schema!',
  postgresql: 'host! port! database! schema!',
  presto: 'host! catalog schema',
  pubsub: 'project!',
  redshift: 'host database! schema! region account',
  s3: 'location! endpointUrl format delimiter',
  sftp: 'location! format delimiter',
  snowflake: 'host port account! database! schema! warehouse',
  sqlserver: 'host! port database! schema!',
  synapse: 'host! port! database!',
  teradata: 'host! port database',
  trino: 'host! port! catalog! schema!',
  vectorwise: 'host! port database!',
  versant: 'host port database!',
  vertica: 'host! port! database! schema!',
  zen: 'host! port database!',
};

/** The versions that added server types to those of 3.0. */
const TYPES_SINCE: Readonly<Partial<Record<OdcsVersion, readonly string[]>>> = {
  'v3.1.0': ['hive', 'impala', 'zen'],
  'v3.2.0': [
    ...['btrieve', 'exasol', 'fastobjects', 'hana', 'iceberg'],
    ...['ingres', 'poet', 'teradata', 'vectorwise', 'versant'],
  ],
};

const isKnownType = (type: string, version: OdcsVersion): boolean =>
  Object.hasOwn(SERVER_TYPES, type) &&
  ODCS_VERSIONS.every((since) => !TYPES_SINCE[since]?.includes(type) || isVersionAtLeast(version, since));

/** The member that 3.2.0 added to these types. */
const DETAIL_SINCE_32: Readonly<Record<string, string>> = {
  athena: 'workgroup',
  azure: 'encoding',
  custom: 'encoding',
  glue: 'encoding',
  kafka: 'encoding',
  kinesis: 'encoding',
  local: 'encoding',
  s3: 'encoding',
  sftp: 'encoding',
};

/** Values that 3.0 restricts and 3.1 does not. */
const FILE_SERVER_TYPES: readonly string[] = ['azure', 's3', 'sftp'];
const CLOSED_VALUES: Readonly<Record<string, readonly string[]>> = {
  format: ['parquet', 'delta', 'json', 'csv'],
  delimiter: ['new_line', 'array'],
};

type ServerDetail = { readonly name: string; readonly required: boolean };

const detailsOf = (type: string, version: OdcsVersion): readonly ServerDetail[] => {
  const isNew = isVersionAtLeast(version, 'v3.2.0');
  const words = Object.hasOwn(SERVER_TYPES, type) ? (SERVER_TYPES[type] ?? '') : '';
  const added = isNew && Object.hasOwn(DETAIL_SINCE_32, type) ? (DETAIL_SINCE_32[type] ?? '') : '';
  return `${words} ${added}`
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => word.replace(/^stagingDir$/, isNew || type !== 'athena' ? 'stagingDir' : 'stagingDir!'))
    .map((word) => ({ name: word.replace('!', ''), required: word.endsWith('!') }));
};

/** The names of all members of any server type. */
export const SERVER_DETAILS: ReadonlySet<string> = new Set(
  Object.keys(SERVER_TYPES).flatMap((type) => detailsOf(type, NEWEST_VERSION).map(({ name }) => name)),
);

const isDuckdbBefore31 = (type: string, name: string, version: OdcsVersion): boolean =>
  type === 'duckdb' && name === 'schema' && !isVersionAtLeast(version, 'v3.1.0');

/** Reads a member in the form that the version requires; undefined when it is not valid. */
const readDetail = (server: JsonObject, type: string, name: string, version: OdcsVersion): Json | undefined => {
  const value = member(server, name);
  // Since 3.2.0 a port may be the reference to a variable.
  if (name === 'port' && !(isVersionAtLeast(version, 'v3.2.0') && typeof value === 'string'))
    return Number.isInteger(value) ? value : undefined;
  if (isDuckdbBefore31(type, name, version)) {
    return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
  }
  if (typeof value !== 'string') return undefined;
  const closed =
    FILE_SERVER_TYPES.includes(type) && !isVersionAtLeast(version, 'v3.1.0') ? CLOSED_VALUES[name] : undefined;
  if (closed && !closed.includes(value)) return undefined;
  return type === 'sftp' && name === 'location' && !value.startsWith('sftp://') ? undefined : value;
};

/** Whether a server fits a type: all required members exist and none would be lost. */
const fitsType = (server: JsonObject, type: string, version: OdcsVersion): boolean =>
  detailsOf(type, version).every(({ name, required }) =>
    member(server, name) === undefined ? !required : readDetail(server, type, name, version) !== undefined,
  );

/** The type to write a server as: its own when it fits, or else the type without requirements. */
export const serverType = (server: JsonObject, wanted: string, version: OdcsVersion): string =>
  isKnownType(wanted, version) && fitsType(server, wanted, version) ? wanted : 'custom';

/** The members of a server that its type has in the version. */
export const serverDetails = (server: JsonObject, type: string, version: OdcsVersion): JsonObject => {
  const result: MutableJsonObject = {};
  for (const { name } of detailsOf(type, version)) {
    const value = readDetail(server, type, name, version);
    if (value !== undefined) setMember(result, name, value);
  }
  return result;
};

/** Root members of 2.x with the equivalent member of a server. */
const DETAIL_BY_MEMBER = { server: 'host', database: 'database', project: 'project', datasetName: 'dataset' } as const;
const PROPERTY_MEMBERS = ['driver', 'driverVersion', 'sourceSystem', 'sourcePlatform'] as const;
const ROOT_MEMBERS = [...Object.keys(DETAIL_BY_MEMBER), ...PROPERTY_MEMBERS];

const readRootMember = (document: JsonObject, name: string): Json | undefined =>
  member(document, name) ?? (name === 'project' ? member(document, 'datasetProject') : undefined);

/** Builds the server from the root members of a document of 2.2.x, if there are any. */
export const upgradeServer2 = (document: JsonObject): JsonObject | undefined => {
  if (!ROOT_MEMBERS.some((name) => readRootMember(document, name) !== undefined)) return undefined;
  const details: MutableJsonObject = {};
  for (const [name, detail] of Object.entries(DETAIL_BY_MEMBER)) {
    const value = readRootMember(document, name);
    if (value !== undefined) details[detail] = value;
  }
  const type = serverType(details, textMember(document, 'sourceSystem')?.toLowerCase() ?? 'custom', NEWEST_VERSION);
  const said = serverDetails(details, type, NEWEST_VERSION);
  const rest = ROOT_MEMBERS.filter((name) => {
    const detail = (DETAIL_BY_MEMBER as Readonly<Record<string, string>>)[name];
    return detail === undefined || member(said, detail) === undefined;
  });
  const customProperties = rest.flatMap((property) => {
    const value = readRootMember(document, property);
    return value === undefined ? [] : [{ property, value }];
  });
  const server = { server: 'default', type, ...said };
  return customProperties.length > 0 ? { ...server, customProperties } : server;
};

const propertyOf = (server: JsonObject, name: string): Json | undefined =>
  jsonObjects(member(server, 'customProperties'))
    .filter((entry) => member(entry, 'property') === name)
    .map((entry) => member(entry, 'value'))[0];

/** Writes a server as root members of 2.2.x. */
export const downgradeServer2 = (server: JsonObject): JsonObject => {
  const result: MutableJsonObject = {};
  const take = (name: string, value: Json | undefined): void => {
    if (typeof value === 'string') setMember(result, name, value);
  };
  for (const name of PROPERTY_MEMBERS) take(name, propertyOf(server, name));
  for (const [name, detail] of Object.entries(DETAIL_BY_MEMBER))
    take(name, member(server, detail) ?? propertyOf(server, name));
  const type = textMember(server, 'type');
  if (result['sourceSystem'] === undefined && type !== 'custom') take('sourceSystem', type);
  if (result['datasetName'] === undefined) take('datasetName', member(server, 'schema'));
  return result;
};

const COVERED_MEMBERS: ReadonlySet<string> = new Set([
  'server',
  'type',
  'customProperties',
  ...Object.values(DETAIL_BY_MEMBER),
]);

/** Whether the root members of 2.2.x can express a list of servers completely. */
export const isWritableAsRoot2 = (servers: readonly Json[]): boolean => {
  const [only] = servers;
  if (servers.length !== 1 || only === undefined || !isObject(only)) return servers.length === 0;
  return (
    member(only, 'server') === 'default' &&
    Object.keys(only).every((name) => COVERED_MEMBERS.has(name)) &&
    jsonObjects(member(only, 'customProperties')).every((entry) =>
      ROOT_MEMBERS.includes(String(member(entry, 'property'))),
    )
  );
};
