import { type Json, type JsonObject, type MutableJsonObject, member, setMember } from '../../model/json.ts';
import { isVersionAtLeast, type OdcsVersion } from './version.ts';

/** The members of each server type; `!` marks required ones. */
const SERVER_TYPES: Readonly<Record<string, string>> = {
  api: 'location!',
  athena: 'stagingDir! schema! catalog regionName',
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
  glue: 'account! database! location format',
  hive: 'host! port database!',
  impala: 'host! port database!',
  informix: 'host! port database!',
  kafka: 'host! format',
  kinesis: 'region format',
  local: 'path! format!',
  mysql: 'host! port! database!',
  oracle: 'host! port! serviceName!',
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
  trino: 'host! port! catalog! schema!',
  vertica: 'host! port! database! schema!',
  zen: 'host! port database!',
};

/** Server types added in 3.1.0. */
const NEW_TYPES: readonly string[] = ['hive', 'impala', 'zen'];

/** Values that 3.0 restricts and 3.1 does not. */
const FILE_SERVER_TYPES: readonly string[] = ['azure', 's3', 'sftp'];
const CLOSED_VALUES: Readonly<Record<string, readonly string[]>> = {
  format: ['parquet', 'delta', 'json', 'csv'],
  delimiter: ['new_line', 'array'],
};

type ServerDetail = { readonly name: string; readonly required: boolean };

const detailsOf = (type: string): readonly ServerDetail[] =>
  (Object.hasOwn(SERVER_TYPES, type) ? (SERVER_TYPES[type] ?? '') : '')
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => ({ name: word.replace('!', ''), required: word.endsWith('!') }));

/** The names of all members of any server type. */
export const SERVER_DETAILS: ReadonlySet<string> = new Set(
  Object.keys(SERVER_TYPES).flatMap((type) => detailsOf(type).map(({ name }) => name)),
);

const isDuckdbBefore31 = (type: string, name: string, version: OdcsVersion): boolean =>
  type === 'duckdb' && name === 'schema' && !isVersionAtLeast(version, 'v3.1.0');

/** Reads a member in the form that the version requires; undefined when it is not valid. */
const readDetail = (server: JsonObject, type: string, name: string, version: OdcsVersion): Json | undefined => {
  const value = member(server, name);
  if (name === 'port') return Number.isInteger(value) ? value : undefined;
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
  detailsOf(type).every(({ name, required }) =>
    member(server, name) === undefined ? !required : readDetail(server, type, name, version) !== undefined,
  );

/** The type to write a server as: its own when it fits, or else the type without requirements. */
export const serverType = (server: JsonObject, wanted: string, version: OdcsVersion): string => {
  const known =
    Object.hasOwn(SERVER_TYPES, wanted) && (isVersionAtLeast(version, 'v3.1.0') || !NEW_TYPES.includes(wanted));
  return known && fitsType(server, wanted, version) ? wanted : 'custom';
};

/** The members of a server that its type has in the version. */
export const serverDetails = (server: JsonObject, type: string, version: OdcsVersion): JsonObject => {
  const result: MutableJsonObject = {};
  for (const { name } of detailsOf(type)) {
    const value = readDetail(server, type, name, version);
    if (value !== undefined) setMember(result, name, value);
  }
  return result;
};
