import { isObject, type Json, type JsonObject, type MutableJsonObject, member, setMember } from '../../model/json.ts';
import { serverDetails, serverType } from './servers.ts';
import { jsonObjects, textMember } from './walk.ts';

/** Converts servers, which are root members in 2.2.x and a list since 3.0. */

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
  const type = serverType(details, textMember(document, 'sourceSystem')?.toLowerCase() ?? 'custom', 'v3.1.0');
  const said = serverDetails(details, type, 'v3.1.0');
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
