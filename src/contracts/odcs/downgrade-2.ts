import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
} from '../../model/json.ts';
import { parked, withCustomProperty } from './parking.ts';
import { at } from './problem.ts';
import { downgradedRule2 } from './rules-2.ts';
import { rootOf2, saysAll } from './servers-2.ts';
import { COLUMN_NAMES, COLUMN_PROPERTIES, COLUMN_SAME, ROOT_PROPERTIES } from './upgrade-2.ts';
import { isAtLeast, type OdcsVersion } from './version.ts';
import { objectsOf, textOf } from './walk.ts';

/** Documents in the shape of 3.1.0 as a version of 2.2.x writes them. */

type Walk = { readonly version: OdcsVersion; readonly dropped: string[] };

/** Takes members of an object one by one, and knows at the end which nobody took. */
const taker = (source: JsonObject, path: string, { dropped }: Walk) => {
  const taken = new Set<string>();
  return {
    take: (name: string): Json | undefined => {
      taken.add(name);
      return member(source, name);
    },
    end: (): void => {
      for (const name of Object.keys(source)) if (!taken.has(name)) dropped.push(at(path, name));
    },
  };
};

const set = (target: MutableJsonObject, name: string, value: Json | undefined): void => {
  if (value !== undefined) setMember(target, name, value);
};

const written = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** 2.x knows lists of texts only. */
const texts = (value: Json | undefined): readonly string[] | undefined =>
  value === undefined ? undefined : isArray(value) ? value.map(written) : [written(value)];

const definitions = (value: Json | undefined, path: string, { dropped }: Walk): Json | undefined => {
  if (value === undefined) return undefined;
  return objectsOf(value).flatMap((entry, index) => {
    const { url, type, ...rest } = entry;
    for (const name of Object.keys(rest)) dropped.push(at(at(path, index), name));
    return typeof url === 'string' && typeof type === 'string' ? [{ url, type }] : [];
  });
};

/** Takes the first custom property of a name out of a list. */
const takeProperty = (list: Json[], name: string, isWanted: (value: Json) => boolean): Json | undefined => {
  const index = list.findIndex(
    (entry) => isObject(entry) && member(entry, 'property') === name && isWanted(member(entry, 'value') ?? null),
  );
  const entry = index < 0 ? undefined : list.splice(index, 1)[0];
  return entry !== undefined && isObject(entry) ? member(entry, 'value') : undefined;
};

const isText = (value: Json): boolean => typeof value === 'string';
const isScalar = (value: Json): boolean => typeof value === 'boolean' || Number.isInteger(value);

const listed = (value: Json | undefined): Json[] => (value !== undefined && isArray(value) ? [...value] : []);

const quality = (value: Json | undefined, isStrict: boolean, path: string, { dropped }: Walk): Json | undefined =>
  value === undefined
    ? undefined
    : objectsOf(value).map((rule, index) =>
        downgradedRule2(rule, isStrict, (name) => dropped.push(at(at(at(path, 'quality'), index), name))),
      );

const column = (property: JsonObject, name: string, path: string, walk: Walk): JsonObject => {
  const { take, end } = taker(property, path, walk);
  const result: MutableJsonObject = { column: name };
  take('name');
  for (const [name2, name3] of Object.entries(COLUMN_NAMES)) if (name3 !== 'name') set(result, name2, take(name3));
  for (const same of COLUMN_SAME) set(result, same, take(same));
  const required = take('required');
  if (typeof required === 'boolean') result['isNullable'] = !required;
  const flag = result['isPrimaryKey'];
  if (walk.version === 'v2.2.1' && flag !== undefined) result['isPrimaryKey'] = String(flag);
  for (const list of ['transformSourceTables', 'sampleValues', 'tags']) set(result, list, texts(result[list]));
  set(
    result,
    'authoritativeDefinitions',
    definitions(result['authoritativeDefinitions'], at(path, 'authoritativeDefinitions'), walk),
  );
  const properties = listed(take('customProperties'));
  for (const moved of COLUMN_PROPERTIES) set(result, moved, takeProperty(properties, moved, isScalar));
  if (properties.length > 0) result['customProperties'] = properties;
  set(result, 'quality', quality(take('quality'), false, path, walk));
  result['logicalType'] ??= 'string';
  result['physicalType'] ??= result['logicalType'];
  withoutNews(result, path, walk);
  take('properties');
  take('items');
  end();
  return result;
};

/** What came after 2.2.0. */
const NEWS = ['isUnique', 'primaryKeyPosition', 'partitionKeyPosition', 'clusterKeyPosition'] as const;

const withoutNews = (result: MutableJsonObject, path: string, { version, dropped }: Walk): void => {
  if (isAtLeast(version, 'v2.2.1')) return;
  for (const name of NEWS) {
    if (result[name] === undefined) continue;
    delete result[name];
    dropped.push(at(path, COLUMN_NAMES[name] ?? name));
  }
};

/** A property and, behind it, what it holds: 2.x knows no columns inside columns. */
const columns = (property: JsonObject, above: string, path: string, walk: Walk): JsonObject[] => {
  const own = textOf(property, 'name') ?? '';
  const name = above === '' ? own : `${above}.${own}`;
  const items = member(property, 'items') ?? null;
  const [held, inner] = isObject(items) ? [items, at(path, 'items')] : [property, path];
  const children = objectsOf(member(held, 'properties')).flatMap((child, index) =>
    columns(child, name, at(at(inner, 'properties'), index), walk),
  );
  const hasType = member(property, 'logicalType') !== undefined;
  const parent =
    children.length === 0 || hasType ? property : { ...property, logicalType: isObject(items) ? 'array' : 'object' };
  return [column(parent, name, path, walk), ...children];
};

const table = (object: JsonObject, path: string, walk: Walk): JsonObject => {
  const shown = member(object, 'physicalType') === 'table' ? without(object, 'physicalType') : object;
  const { take, end } = taker(parked(shown, ['relationships', 'businessName', 'physicalType']), path, walk);
  const result: MutableJsonObject = {};
  set(result, 'table', take('name'));
  take('logicalType');
  set(result, 'physicalName', take('physicalName'));
  const properties = listed(take('customProperties'));
  set(result, 'priorTableName', takeProperty(properties, 'priorTableName', isText));
  const description = take('description');
  set(
    result,
    'description',
    walk.version === 'v2.2.1' && typeof description === 'string' ? description.split('\n') : description,
  );
  set(
    result,
    'authoritativeDefinitions',
    definitions(take('authoritativeDefinitions'), at(path, 'authoritativeDefinitions'), walk),
  );
  set(result, 'tags', texts(take('tags')));
  set(result, 'dataGranularity', take('dataGranularityDescription'));
  const found = take('properties');
  if (found !== undefined) {
    const inner = at(path, 'properties');
    result['columns'] = objectsOf(found).flatMap((property, index) => columns(property, '', at(inner, index), walk));
  }
  set(result, 'quality', quality(take('quality'), true, path, walk));
  if (properties.length > 0) result['customProperties'] = properties;
  end();
  return result;
};

const without = (object: JsonObject, name: string): JsonObject => {
  const { [name]: _, ...rest } = object;
  return rest;
};

const picked = (
  object: JsonObject,
  path: string,
  names: Readonly<Record<string, string>>,
  walk: Walk,
): MutableJsonObject => {
  const { take, end } = taker(object, path, walk);
  const result: MutableJsonObject = {};
  for (const [name2, name3] of Object.entries(names)) set(result, name2, take(name3));
  end();
  return result;
};

const PERSON = {
  username: 'username',
  role: 'role',
  dateIn: 'dateIn',
  dateOut: 'dateOut',
  replacedByUsername: 'replacedByUsername',
  comment: 'description',
};
const ROLE = {
  role: 'role',
  access: 'access',
  description: 'description',
  firstLevelApprovers: 'firstLevelApprovers',
  secondLevelApprovers: 'secondLevelApprovers',
};
const SLA = {
  property: 'property',
  value: 'value',
  valueExt: 'valueExt',
  unit: 'unit',
  column: 'element',
  driver: 'driver',
};

const slaProperty = (item: JsonObject, path: string, walk: Walk): JsonObject | undefined => {
  const result = picked(item, path, SLA, walk);
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

const SUPPORT = [
  { name: 'productSlackChannel', tool: 'slack', detail: 'channel' },
  { name: 'productFeedbackUrl', tool: 'other', detail: 'url' },
  { name: 'productDl', tool: 'email', detail: 'channel' },
] as const;

/** The channels that 2.x has a word for; true when it has one for everything that is said of them. */
const putSupport = (result: MutableJsonObject, items: readonly JsonObject[]): boolean => {
  const said = SUPPORT.map(({ name, tool, detail }) => {
    const item = items.find(
      (candidate) => member(candidate, 'tool') === tool && textOf(candidate, detail) !== undefined,
    );
    if (item) set(result, name, member(item, detail));
    return item;
  });
  const isPlain = (item: JsonObject): boolean =>
    Object.keys(item).length === 2 ||
    (member(item, 'tool') === 'other' && member(item, 'channel') === 'feedback' && Object.keys(item).length === 3);
  return items.every((item) => said.includes(item) && isPlain(item));
};

/** 2.x has one name only: that of the product, which may be the contract's. */
const parkedAtRoot = (document: JsonObject): readonly string[] =>
  member(document, 'dataProduct') === undefined ? ['authoritativeDefinitions'] : ['authoritativeDefinitions', 'name'];

/** The document in a version of 2.2.x; `dropped` gets the paths of what that version has no place for. */
export const downgraded2 = (document: JsonObject, version: OdcsVersion, dropped: string[]): JsonObject => {
  const walk: Walk = { version, dropped };
  const { take, end } = taker(parked(document, parkedAtRoot(document)), '', walk);
  const result: MutableJsonObject = {};
  take('apiVersion');
  if (version === 'v2.2.0') result['standardVersion'] = '2.2.0';
  else result['apiVersion'] = version;
  take('kind');
  result['kind'] = 'DataContract';
  set(result, 'uuid', take('id'));
  set(result, 'version', take('version'));
  set(result, 'status', take('status'));
  let properties: readonly Json[] = listed(take('customProperties'));
  const list = [...properties];
  for (const name of ROOT_PROPERTIES) set(result, name, takeProperty(list, name, isText));
  properties = list;
  result['type'] ??= 'tables';
  set(result, 'tenant', take('tenant'));
  set(result, 'datasetDomain', take('domain'));
  const product = take('dataProduct');
  const name = take('name');
  const objects = objectsOf(take('schema'));
  set(result, 'quantumName', product ?? name);
  set(result, 'tags', texts(take('tags')));
  const description = take('description') ?? null;
  if (isObject(description)) {
    result['description'] = picked(
      description,
      'description',
      { usage: 'usage', purpose: 'purpose', limitations: 'limitations' },
      walk,
    );
  }
  const servers = take('servers') ?? [];
  if (isArray(servers)) {
    const [first] = servers;
    if (first !== undefined && isObject(first)) Object.assign(result, rootOf2(first));
    if (!saysAll(servers)) properties = withCustomProperty(properties, 'odcsServers', servers);
  }
  const [object] = objects;
  result['datasetName'] ??=
    result['database'] ?? (object && textOf(object, 'name')) ?? result['quantumName'] ?? 'default';
  set(result, 'quantumName', result['quantumName'] ?? result['datasetName']);
  result['dataset'] = objects.map((inner, index) => table(inner, at('schema', index), walk));
  const support = objectsOf(take('support'));
  if (!putSupport(result, support)) properties = withCustomProperty(properties, 'odcsSupport', support);
  const price = take('price') ?? null;
  if (isObject(price)) result['price'] = priceOf(price, walk);
  putPeople(result, take('team') ?? null, walk);
  const roles = take('roles');
  if (roles !== undefined) {
    result['roles'] = objectsOf(roles).map((role, index) => ({
      access: 'read',
      ...picked(role, at('roles', index), ROLE, walk),
    }));
  }
  set(result, 'slaDefaultColumn', take('slaDefaultElement'));
  const sla = take('slaProperties');
  if (sla !== undefined) {
    result['slaProperties'] = objectsOf(sla).flatMap(
      (item, index) => slaProperty(item, at('slaProperties', index), walk) ?? [],
    );
  }
  if (properties.length > 0) result['customProperties'] = properties;
  set(result, 'contractCreatedTs', take('contractCreatedTs'));
  end();
  return result;
};

const PRICE = { priceAmount: 'priceAmount', priceCurrency: 'priceCurrency', priceUnit: 'priceUnit' };

const priceOf = (price: JsonObject, walk: Walk): JsonObject => {
  const result = picked(price, 'price', PRICE, walk);
  const amount = result['priceAmount'];
  return walk.version === 'v2.2.1' && typeof amount === 'number' ? { ...result, priceAmount: String(amount) } : result;
};

const putPeople = (result: MutableJsonObject, team: Json, walk: Walk): void => {
  const members = isObject(team) ? (member(team, 'members') ?? []) : team;
  if (isObject(team)) for (const name of Object.keys(team)) if (name !== 'members') walk.dropped.push(at('team', name));
  const path = isObject(team) ? 'team.members' : 'team';
  if (isArray(members)) {
    result['stakeholders'] = objectsOf(members).map((person, index) => picked(person, at(path, index), PERSON, walk));
  }
};
