import { isArray, isObject, type Json, type JsonObject, type MutableJsonObject, member } from '../../../model/json.ts';
import { jsonObjects } from '../../../model/json-parts.ts';
import { joinPath } from '../issues.ts';
import { setDefined, textMember } from '../json-parts.ts';
import { downgradeRule2 } from './rules-v2.ts';
import { downgradeServer2, isWritableAsRoot2 } from './servers.ts';
import { deferMembers, replaceCustomProperty } from './structure.ts';
import { COLUMN_NAMES, COLUMN_PROPERTIES, COLUMN_SAME, ROOT_PROPERTIES } from './upgrade-v2.ts';
import { isVersionAtLeast, type OdcsVersion } from './version.ts';

/** Converts documents in the shape of 3.2.0 to versions 2.2.x. */

type DowngradeWalk = { readonly version: OdcsVersion; readonly dropped: string[] };

/** Creates a taker that removes members of an object one by one and reports those that were never taken. */
const createMemberTaker = (source: JsonObject, path: string, { dropped }: DowngradeWalk) => {
  const taken = new Set<string>();
  return {
    take: (name: string): Json | undefined => {
      taken.add(name);
      return member(source, name);
    },
    end: (): void => {
      for (const name of Object.keys(source)) if (!taken.has(name)) dropped.push(joinPath(path, name));
    },
  };
};

const toText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Converts a value to a list of texts, the only lists in 2.x. */
const toTexts = (value: Json | undefined): readonly string[] | undefined =>
  value === undefined ? undefined : isArray(value) ? value.map(toText) : [toText(value)];

const downgradeDefinitions = (value: Json | undefined, path: string, { dropped }: DowngradeWalk): Json | undefined => {
  if (value === undefined) return undefined;
  return jsonObjects(value).flatMap((entry, index) => {
    const { url, type, ...rest } = entry;
    for (const name of Object.keys(rest)) dropped.push(joinPath(joinPath(path, index), name));
    return typeof url === 'string' && typeof type === 'string' ? [{ url, type }] : [];
  });
};

/** Takes the first custom property with a name out of a list. */
const takeCustomProperty = (list: Json[], name: string, isWanted: (value: Json) => boolean): Json | undefined => {
  const index = list.findIndex(
    (entry) => isObject(entry) && member(entry, 'property') === name && isWanted(member(entry, 'value') ?? null),
  );
  const entry = index < 0 ? undefined : list.splice(index, 1)[0];
  return entry !== undefined && isObject(entry) ? member(entry, 'value') : undefined;
};

const isText = (value: Json): boolean => typeof value === 'string';
const isScalar = (value: Json): boolean => typeof value === 'boolean' || Number.isInteger(value);

const copyList = (value: Json | undefined): Json[] => (value !== undefined && isArray(value) ? [...value] : []);

const downgradeRules = (
  value: Json | undefined,
  isStrict: boolean,
  path: string,
  { dropped }: DowngradeWalk,
): Json | undefined =>
  value === undefined
    ? undefined
    : jsonObjects(value).map((rule, index) =>
        downgradeRule2(rule, isStrict, (name) =>
          dropped.push(joinPath(joinPath(joinPath(path, 'quality'), index), name)),
        ),
      );

const downgradeColumn = (property: JsonObject, name: string, path: string, walk: DowngradeWalk): JsonObject => {
  const { take, end } = createMemberTaker(property, path, walk);
  const result: MutableJsonObject = { column: name };
  take('name');
  for (const [name2, name3] of Object.entries(COLUMN_NAMES))
    if (name3 !== 'name') setDefined(result, name2, take(name3));
  for (const same of COLUMN_SAME) setDefined(result, same, take(same));
  const required = take('required');
  if (typeof required === 'boolean') result['isNullable'] = !required;
  const flag = result['isPrimaryKey'];
  if (walk.version === 'v2.2.1' && flag !== undefined) result['isPrimaryKey'] = String(flag);
  for (const list of ['transformSourceTables', 'sampleValues', 'tags']) setDefined(result, list, toTexts(result[list]));
  setDefined(
    result,
    'authoritativeDefinitions',
    downgradeDefinitions(result['authoritativeDefinitions'], joinPath(path, 'authoritativeDefinitions'), walk),
  );
  const properties = copyList(take('customProperties'));
  for (const moved of COLUMN_PROPERTIES) setDefined(result, moved, takeCustomProperty(properties, moved, isScalar));
  if (properties.length > 0) result['customProperties'] = properties;
  setDefined(result, 'quality', downgradeRules(take('quality'), false, path, walk));
  result['logicalType'] ??= 'string';
  result['physicalType'] ??= result['logicalType'];
  removeNewMembers(result, path, walk);
  take('properties');
  take('items');
  end();
  return result;
};

/** Members added after 2.2.0. */
const MEMBERS_SINCE_2_2_1 = ['isUnique', 'primaryKeyPosition', 'partitionKeyPosition', 'clusterKeyPosition'] as const;

const removeNewMembers = (result: MutableJsonObject, path: string, { version, dropped }: DowngradeWalk): void => {
  if (isVersionAtLeast(version, 'v2.2.1')) return;
  for (const name of MEMBERS_SINCE_2_2_1) {
    if (result[name] === undefined) continue;
    delete result[name];
    dropped.push(joinPath(path, COLUMN_NAMES[name] ?? name));
  }
};

/** Converts a property and appends its nested ones, because 2.x has no columns inside columns. */
const downgradeProperty = (property: JsonObject, above: string, path: string, walk: DowngradeWalk): JsonObject[] => {
  const own = textMember(property, 'name') ?? '';
  const name = above === '' ? own : `${above}.${own}`;
  const items = member(property, 'items') ?? null;
  const [held, inner] = isObject(items) ? [items, joinPath(path, 'items')] : [property, path];
  const children = jsonObjects(member(held, 'properties')).flatMap((child, index) =>
    downgradeProperty(child, name, joinPath(joinPath(inner, 'properties'), index), walk),
  );
  const hasType = member(property, 'logicalType') !== undefined;
  const parent =
    children.length === 0 || hasType ? property : { ...property, logicalType: isObject(items) ? 'array' : 'object' };
  return [downgradeColumn(parent, name, path, walk), ...children];
};

const downgradeTable = (object: JsonObject, path: string, walk: DowngradeWalk): JsonObject => {
  const shown = member(object, 'physicalType') === 'table' ? omitMember(object, 'physicalType') : object;
  const { take, end } = createMemberTaker(
    deferMembers(shown, ['relationships', 'businessName', 'physicalType', 'context', 'synonyms', 'deprecated']),
    path,
    walk,
  );
  const result: MutableJsonObject = {};
  setDefined(result, 'table', take('name'));
  take('logicalType');
  setDefined(result, 'physicalName', take('physicalName'));
  const properties = copyList(take('customProperties'));
  setDefined(result, 'priorTableName', takeCustomProperty(properties, 'priorTableName', isText));
  const description = take('description');
  setDefined(
    result,
    'description',
    walk.version === 'v2.2.1' && typeof description === 'string' ? description.split('\n') : description,
  );
  setDefined(
    result,
    'authoritativeDefinitions',
    downgradeDefinitions(take('authoritativeDefinitions'), joinPath(path, 'authoritativeDefinitions'), walk),
  );
  setDefined(result, 'tags', toTexts(take('tags')));
  setDefined(result, 'dataGranularity', take('dataGranularityDescription'));
  const found = take('properties');
  if (found !== undefined) {
    const inner = joinPath(path, 'properties');
    result['columns'] = jsonObjects(found).flatMap((property, index) =>
      downgradeProperty(property, '', joinPath(inner, index), walk),
    );
  }
  setDefined(result, 'quality', downgradeRules(take('quality'), true, path, walk));
  if (properties.length > 0) result['customProperties'] = properties;
  end();
  return result;
};

const omitMember = (object: JsonObject, name: string): JsonObject => {
  const { [name]: _, ...rest } = object;
  return rest;
};

const pickMembers = (
  object: JsonObject,
  path: string,
  names: Readonly<Record<string, string>>,
  walk: DowngradeWalk,
): MutableJsonObject => {
  const { take, end } = createMemberTaker(object, path, walk);
  const result: MutableJsonObject = {};
  for (const [name2, name3] of Object.entries(names)) setDefined(result, name2, take(name3));
  end();
  return result;
};

const DESCRIPTION_NAMES = { usage: 'usage', purpose: 'purpose', limitations: 'limitations' };
const PERSON_NAMES = {
  username: 'username',
  role: 'role',
  dateIn: 'dateIn',
  dateOut: 'dateOut',
  replacedByUsername: 'replacedByUsername',
  comment: 'description',
};
const ROLE_NAMES = {
  role: 'role',
  access: 'access',
  description: 'description',
  firstLevelApprovers: 'firstLevelApprovers',
  secondLevelApprovers: 'secondLevelApprovers',
};
const SLA_NAMES = {
  property: 'property',
  value: 'value',
  valueExt: 'valueExt',
  unit: 'unit',
  column: 'element',
  driver: 'driver',
};

const downgradeSlaProperty = (item: JsonObject, path: string, walk: DowngradeWalk): JsonObject | undefined => {
  const result = pickMembers(item, path, SLA_NAMES, walk);
  for (const name of ['value', 'valueExt']) {
    const value = result[name];
    if (value === null) delete result[name];
    else if (typeof value === 'boolean' || (typeof value === 'number' && walk.version === 'v2.2.1'))
      result[name] = String(value);
  }
  if (result['property'] !== undefined && result['value'] !== undefined) return result;
  walk.dropped.push(path);
  return undefined;
};

const downgradeSlaProperties = (list: Json, walk: DowngradeWalk): Json =>
  jsonObjects(list).flatMap((item, index) => downgradeSlaProperty(item, joinPath('slaProperties', index), walk) ?? []);

const downgradeRoles = (list: Json, walk: DowngradeWalk): Json =>
  jsonObjects(list).map((role, index) => ({
    access: 'read',
    ...pickMembers(role, joinPath('roles', index), ROLE_NAMES, walk),
  }));

const SUPPORT_CHANNELS = [
  { name: 'productSlackChannel', tool: 'slack', detail: 'channel' },
  { name: 'productFeedbackUrl', tool: 'other', detail: 'url' },
  { name: 'productDl', tool: 'email', detail: 'channel' },
] as const;

/** Writes the support channels that 2.x has members for. Returns true when nothing about them is lost. */
const writeSupport = (result: MutableJsonObject, items: readonly JsonObject[]): boolean => {
  const said = SUPPORT_CHANNELS.map(({ name, tool, detail }) => {
    const item = items.find(
      (candidate) => member(candidate, 'tool') === tool && textMember(candidate, detail) !== undefined,
    );
    if (item) setDefined(result, name, member(item, detail));
    return item;
  });
  const isPlain = (item: JsonObject): boolean =>
    Object.keys(item).length === 2 ||
    (member(item, 'tool') === 'other' && member(item, 'channel') === 'feedback' && Object.keys(item).length === 3);
  return items.every((item) => said.includes(item) && isPlain(item));
};

/**
 * The root members that must be stored as custom properties: 2.x has only one name, which is the product's or else
 * the contract's.
 */
const deferredRootMembers = (document: JsonObject): readonly string[] =>
  member(document, 'dataProduct') === undefined
    ? ['authoritativeDefinitions', 'context']
    : ['authoritativeDefinitions', 'context', 'name'];

/** Converts a document to a version of 2.2.x; `dropped` receives the paths that the version cannot represent. */
export const downgradeTo2 = (document: JsonObject, version: OdcsVersion, dropped: string[]): JsonObject => {
  const walk: DowngradeWalk = { version, dropped };
  const { take, end } = createMemberTaker(deferMembers(document, deferredRootMembers(document)), '', walk);
  const result: MutableJsonObject = {};
  take('apiVersion');
  if (version === 'v2.2.0') result['standardVersion'] = '2.2.0';
  else result['apiVersion'] = version;
  take('kind');
  result['kind'] = 'DataContract';
  setDefined(result, 'uuid', take('id'));
  setDefined(result, 'version', take('version'));
  setDefined(result, 'status', take('status') ?? 'draft');
  let properties: readonly Json[] = copyList(take('customProperties'));
  const list = [...properties];
  for (const name of ROOT_PROPERTIES) setDefined(result, name, takeCustomProperty(list, name, isText));
  properties = list;
  result['type'] ??= 'tables';
  setDefined(result, 'tenant', take('tenant'));
  setDefined(result, 'datasetDomain', take('domain'));
  const product = take('dataProduct');
  const name = take('name');
  const objects = jsonObjects(take('schema'));
  setDefined(result, 'quantumName', product ?? name);
  setDefined(result, 'tags', toTexts(take('tags')));
  const description = take('description') ?? null;
  if (isObject(description)) result['description'] = pickMembers(description, 'description', DESCRIPTION_NAMES, walk);
  const servers = take('servers') ?? [];
  if (isArray(servers)) {
    const [first] = servers;
    if (first !== undefined && isObject(first)) Object.assign(result, downgradeServer2(first));
    if (!isWritableAsRoot2(servers)) properties = replaceCustomProperty(properties, 'odcsServers', servers);
  }
  const [object] = objects;
  result['datasetName'] ??=
    result['database'] ?? (object && textMember(object, 'name')) ?? result['quantumName'] ?? 'default';
  setDefined(result, 'quantumName', result['quantumName'] ?? result['datasetName']);
  result['dataset'] = objects.map((inner, index) => downgradeTable(inner, joinPath('schema', index), walk));
  const support = jsonObjects(take('support'));
  if (!writeSupport(result, support)) properties = replaceCustomProperty(properties, 'odcsSupport', support);
  const price = take('price') ?? null;
  if (isObject(price)) result['price'] = downgradePrice(price, walk);
  writePeople(result, take('team') ?? null, walk);
  const roles = take('roles');
  if (roles !== undefined) result['roles'] = downgradeRoles(roles, walk);
  setDefined(result, 'slaDefaultColumn', take('slaDefaultElement'));
  const sla = take('slaProperties');
  if (sla !== undefined) result['slaProperties'] = downgradeSlaProperties(sla, walk);
  if (properties.length > 0) result['customProperties'] = properties;
  setDefined(result, 'contractCreatedTs', take('contractCreatedTs'));
  end();
  return result;
};

const PRICE_NAMES = { priceAmount: 'priceAmount', priceCurrency: 'priceCurrency', priceUnit: 'priceUnit' };

const downgradePrice = (price: JsonObject, walk: DowngradeWalk): JsonObject => {
  const result = pickMembers(price, 'price', PRICE_NAMES, walk);
  const amount = result['priceAmount'];
  return walk.version === 'v2.2.1' && typeof amount === 'number' ? { ...result, priceAmount: String(amount) } : result;
};

const writePeople = (result: MutableJsonObject, team: Json, walk: DowngradeWalk): void => {
  const members = isObject(team) ? (member(team, 'members') ?? []) : team;
  if (isObject(team))
    for (const name of Object.keys(team)) if (name !== 'members') walk.dropped.push(joinPath('team', name));
  const path = isObject(team) ? 'team.members' : 'team';
  if (isArray(members)) {
    result['stakeholders'] = jsonObjects(members).map((person, index) =>
      pickMembers(person, joinPath(path, index), PERSON_NAMES, walk),
    );
  }
};
