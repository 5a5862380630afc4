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

/**
 * The members of each server type; `!` marks required ones, and `@` the version that added a member or, in front, the type.
 */
const TYPE_TEXTS: Readonly<Record<string, string>> = {
  api: 'location!',
  athena: 'stagingDir schema! catalog regionName workgroup@v3.2.0',
  btrieve: '@v3.2.0 host! port database!',
  azure: 'location! format! delimiter encoding@v3.2.0',
  bigquery: 'project! dataset!',
  clickhouse: 'host! port! database!',
  cloudsql: 'host! port! database! schema!',
  custom:
    'account catalog database dataset delimiter endpointUrl format host location path port project region regionName schema serviceName stagingDir warehouse stream@v3.1.0 encoding@v3.2.0',
  databricks: 'host catalog! schema!',
  db2: 'host! port! database! schema',
  denodo: 'host! port! database',
  dremio: 'host! port! schema',
  duckdb: 'database! schema',
  exasol: '@v3.2.0 host! port schema',
  fastobjects: '@v3.2.0 host port database!',
  glue: 'account! database! location format encoding@v3.2.0',
  hana: '@v3.2.0 host! port database schema',
  hive: '@v3.1.0 host! port database!',
  iceberg: '@v3.2.0 catalog! catalogUrl! namespace warehouse',
  impala: '@v3.1.0 host! port database!',
  informix: 'host! port database!',
  ingres: '@v3.2.0 host! port database!',
  kafka: 'host! format encoding@v3.2.0',
  kinesis: 'region format encoding@v3.2.0',
  local: 'path! format! encoding@v3.2.0',
  mysql: 'host! port! database!',
  oracle: 'host! port! serviceName!',
  poet: '@v3.2.0 host port database!',
  postgres: 'host! port! database! schema!',
  postgresql: 'host! port! database! schema!',
  presto: 'host! catalog schema',
  pubsub: 'project!',
  redshift: 'host database! schema! region account',
  s3: 'location! endpointUrl format delimiter encoding@v3.2.0',
  sftp: 'location! format delimiter encoding@v3.2.0',
  snowflake: 'host port account! database! schema! warehouse',
  sqlserver: 'host! port database! schema!',
  synapse: 'host! port! database!',
  teradata: '@v3.2.0 host! port database',
  trino: 'host! port! catalog! schema!',
  vectorwise: '@v3.2.0 host! port database!',
  versant: '@v3.2.0 host port database!',
  vertica: 'host! port! database! schema!',
  zen: '@v3.1.0 host! port database!',
};

/** Values that 3.0 restricts and 3.1 does not. */
const FILE_SERVER_TYPES: readonly string[] = ['azure', 's3', 'sftp'];
const CLOSED_VALUES: Readonly<Record<string, readonly string[]>> = {
  format: ['parquet', 'delta', 'json', 'csv'],
  delimiter: ['new_line', 'array'],
};

type ServerDetail = { readonly name: string; readonly required: boolean; readonly since: OdcsVersion };

type ServerType = { readonly since: OdcsVersion; readonly details: readonly ServerDetail[] };

const parseSince = (text: string): OdcsVersion => ODCS_VERSIONS.find((version) => version === text) ?? 'v3.0.0';

const parseServerType = (text: string): ServerType => {
  const words = text.split(' ').map((word) => word.split('@'));
  const since = parseSince(words.find(([name]) => name === '')?.[1] ?? '');
  const details = words.flatMap(([word = '', added = since]) =>
    word === '' ? [] : [{ name: word.replace('!', ''), required: word.endsWith('!'), since: parseSince(added) }],
  );
  return { since, details };
};

const SERVER_TYPES: ReadonlyMap<string, ServerType> = new Map(
  Object.entries(TYPE_TEXTS).map(([type, text]) => [type, parseServerType(text)]),
);

const isKnownType = (type: string, version: OdcsVersion): boolean =>
  isVersionAtLeast(version, SERVER_TYPES.get(type)?.since ?? 'v3.0.0') && SERVER_TYPES.has(type);

/** The members of a type. Athena required its directory before 3.2.0. */
const detailsOf = (type: string, version: OdcsVersion): readonly ServerDetail[] =>
  (SERVER_TYPES.get(type)?.details ?? [])
    .filter(({ since }) => isVersionAtLeast(version, since))
    .map((detail) =>
      type === 'athena' && detail.name === 'stagingDir' && !isVersionAtLeast(version, 'v3.2.0')
        ? { ...detail, required: true }
        : detail,
    );

/** All members of any server type, with the version that first had them. */
export const SERVER_DETAILS: ReadonlyMap<string, OdcsVersion> = new Map(
  [...SERVER_TYPES.values()]
    .flatMap(({ details }) => details)
    .sort((one, other) => ODCS_VERSIONS.indexOf(other.since) - ODCS_VERSIONS.indexOf(one.since))
    .map(({ name, since }) => [name, since]),
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
