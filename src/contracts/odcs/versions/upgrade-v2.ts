import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
} from '../../../model/json.ts';
import { jsonObjects } from '../../../model/json-parts.ts';
import { setDefined, textMember } from '../json-parts.ts';
import type { LeafType, MemberShape, MemberShapes } from './member-shapes.ts';
import { upgradeRule2 } from './rules-v2.ts';
import { upgradeServer2 } from './servers.ts';
import { DOCUMENT, PERSON, PROPERTY, SCHEMA_OBJECT } from './shape.ts';
import { removeMisfits, restoreMembers } from './structure.ts';
import { NEWEST_VERSION } from './version.ts';

/** Declares the members of documents of 2.2.x and converts such documents to the shape of 3.2.0. */

const leaf = (kind: LeafType): MemberShape => ({ shape: { leaf: kind } });
const listOf = (members: () => MemberShapes): MemberShape => ({
  shape: { list: () => ({ object: () => ({ members: members() }) }) },
});
const needed = (member: MemberShape): MemberShape => ({ ...member, required: {} });
const text = leaf('text');
const flag = leaf('spokenFlag');
const position = leaf('integer');

const definitions = listOf(() => ({ url: text, type: text }));
const customProperties: MemberShape = {
  shape: { list: () => ({ object: () => ({ members: { property: text, value: leaf('json') } }) }), keyed: true },
};

const RULES_2 = listOf(() => ({
  code: text,
  templateName: text,
  description: text,
  toolName: text,
  toolRuleName: text,
  dimension: text,
  columns: leaf('json'),
  column: text,
  type: text,
  severity: text,
  businessImpact: text,
  scheduleCronExpression: text,
  customProperties,
}));

const COLUMN_2: MemberShapes = {
  column: needed(text),
  isPrimaryKey: flag,
  isPrimary: flag,
  primary: flag,
  primaryKeyPosition: position,
  businessName: text,
  logicalType: PROPERTY.members['logicalType'] ?? text,
  physicalType: text,
  description: leaf('lines'),
  isNullable: flag,
  nullable: flag,
  isUnique: flag,
  partitionStatus: flag,
  partitionKeyPosition: position,
  clusterStatus: flag,
  clusterKeyPosition: position,
  classification: text,
  authoritativeDefinitions: definitions,
  encryptedColumnName: text,
  transformSourceTables: leaf('texts'),
  transformLogic: text,
  transformDescription: text,
  sampleValues: { shape: { list: () => ({ leaf: 'json' }) } },
  criticalDataElementStatus: flag,
  tags: leaf('texts'),
  quality: RULES_2,
  customProperties,
};

const TABLE_2: MemberShapes = {
  table: needed(text),
  physicalName: text,
  priorTableName: text,
  description: leaf('lines'),
  authoritativeDefinitions: definitions,
  tags: leaf('texts'),
  dataGranularity: text,
  columns: listOf(() => COLUMN_2),
  quality: RULES_2,
  customProperties,
};
const TABLES_2 = listOf(() => TABLE_2);

/** The members of a document of 2.2.x, with all spellings of its releases. */
export const DOCUMENT_SHAPE_2: MemberShapes = {
  apiVersion: text,
  standardVersion: text,
  templateName: text,
  version: needed(text),
  kind: text,
  uuid: needed(text),
  status: needed(text),
  type: text,
  tenant: text,
  tags: leaf('texts'),
  datasetKind: text,
  userConsumptionMode: text,
  sourceSystem: text,
  sourcePlatform: text,
  server: text,
  quantumName: text,
  productSlackChannel: text,
  productFeedbackUrl: text,
  productDl: text,
  driver: text,
  driverVersion: text,
  database: text,
  project: text,
  datasetProject: text,
  datasetName: text,
  datasetDomain: text,
  schedulerAppName: text,
  systemInstance: text,
  description: {
    shape: { object: () => ({ members: { usage: text, purpose: text, limitations: text }, sole: 'purpose' }) },
  },
  dataset: { shape: { listOrObject: [TABLES_2.shape, { object: () => ({ members: { tables: TABLES_2 } }) }] } },
  price: {
    shape: { object: () => ({ members: { priceAmount: leaf('spokenNumber'), priceCurrency: text, priceUnit: text } }) },
  },
  stakeholders: listOf(() => ({
    username: text,
    role: text,
    dateIn: text,
    dateOut: text,
    replacedByUsername: text,
    comment: text,
  })),
  roles: listOf(() => ({
    role: text,
    access: text,
    description: text,
    firstLevelApprovers: leaf('approvers'),
    secondLevelApprovers: leaf('approvers'),
  })),
  slaDefaultColumn: text,
  slaProperties: listOf(() => ({
    property: text,
    value: leaf('scalar'),
    valueExt: leaf('scalar'),
    unit: text,
    column: text,
    driver: text,
  })),
  customProperties,
  contractCreatedTs: text,
};

/** Root members without an equivalent in 3.x, which move to the custom properties under their own names. */
export const ROOT_PROPERTIES = [
  'type',
  'userConsumptionMode',
  'datasetKind',
  'schedulerAppName',
  'systemInstance',
] as const;

/** Names of 2.x with their equivalents in 3.x; the first spelling that a document uses wins. */
export const COLUMN_NAMES: Readonly<Record<string, string>> = {
  column: 'name',
  isPrimaryKey: 'primaryKey',
  isUnique: 'unique',
  partitionStatus: 'partitioned',
  encryptedColumnName: 'encryptedName',
  transformSourceTables: 'transformSourceObjects',
  sampleValues: 'examples',
  criticalDataElementStatus: 'criticalDataElement',
};
const OTHER_SPELLINGS: Readonly<Record<string, string>> = { isPrimary: 'isPrimaryKey', primary: 'isPrimaryKey' };
export const COLUMN_SAME = [
  'primaryKeyPosition',
  'businessName',
  'logicalType',
  'physicalType',
  'description',
  'partitionKeyPosition',
  'classification',
  'authoritativeDefinitions',
  'transformLogic',
  'transformDescription',
  'tags',
] as const;
export const COLUMN_PROPERTIES = ['clusterStatus', 'clusterKeyPosition'] as const;

/** Keeps members that neither version defines, except under names that have another meaning in 3.x. */
const keepUnknown = (
  source: JsonObject,
  target: MutableJsonObject,
  known: ReadonlySet<string>,
  members: Readonly<Record<string, unknown>>,
): void => {
  for (const [name, value] of Object.entries(source)) {
    if (!known.has(name) && !Object.hasOwn(members, name)) setMember(target, name, value);
  }
};

const customPropertiesOf = (object: JsonObject, added: readonly string[]): readonly Json[] => {
  const written = member(object, 'customProperties') ?? null;
  const moved = added.flatMap((property) => {
    const value = member(object, property);
    return value === undefined ? [] : [{ property, value }];
  });
  return [...moved, ...(isArray(written) ? written : [])];
};

const setCustomProperties = (target: MutableJsonObject, list: readonly Json[]): void => {
  if (list.length > 0) target['customProperties'] = list;
};

const KNOWN_COLUMN: ReadonlySet<string> = new Set([
  ...Object.keys(COLUMN_NAMES),
  ...Object.keys(OTHER_SPELLINGS),
  ...COLUMN_SAME,
  ...COLUMN_PROPERTIES,
  'isNullable',
  'nullable',
  'quality',
  'customProperties',
]);

const upgradeColumn = (column: JsonObject): JsonObject => {
  const result: MutableJsonObject = {};
  for (const [name, name3] of Object.entries(COLUMN_NAMES)) setDefined(result, name3, member(column, name));
  for (const [name, usual] of Object.entries(OTHER_SPELLINGS)) {
    const name3 = COLUMN_NAMES[usual] ?? usual;
    if (member(result, name3) === undefined) setDefined(result, name3, member(column, name));
  }
  for (const name of COLUMN_SAME) setDefined(result, name, member(column, name));
  const nullable = member(column, 'isNullable') ?? member(column, 'nullable');
  if (typeof nullable === 'boolean') result['required'] = !nullable;
  const quality = member(column, 'quality') ?? null;
  if (isArray(quality)) result['quality'] = quality.map((rule) => (isObject(rule) ? upgradeRule2(rule) : rule));
  setCustomProperties(result, customPropertiesOf(column, COLUMN_PROPERTIES));
  keepUnknown(column, result, KNOWN_COLUMN, PROPERTY.members);
  return result;
};

const TABLE_SAME = ['physicalName', 'description', 'authoritativeDefinitions', 'tags'] as const;
const KNOWN_TABLE: ReadonlySet<string> = new Set([
  ...TABLE_SAME,
  'table',
  'priorTableName',
  'dataGranularity',
  'columns',
  'quality',
  'customProperties',
]);

const upgradeTable = (table: JsonObject): JsonObject => {
  const result: MutableJsonObject = {};
  setDefined(result, 'name', member(table, 'table'));
  result['logicalType'] = 'object';
  for (const name of TABLE_SAME) setDefined(result, name, member(table, name));
  setDefined(result, 'dataGranularityDescription', member(table, 'dataGranularity'));
  if (member(table, 'columns') !== undefined) {
    result['properties'] = jsonObjects(member(table, 'columns')).map(upgradeColumn);
  }
  if (member(table, 'quality') !== undefined)
    result['quality'] = jsonObjects(member(table, 'quality')).map(upgradeRule2);
  setCustomProperties(result, customPropertiesOf(table, ['priorTableName']));
  keepUnknown(table, result, KNOWN_TABLE, SCHEMA_OBJECT.members);
  const read = restoreMembers(result, SCHEMA_OBJECT);
  return member(read, 'physicalType') === undefined ? { ...read, physicalType: 'table' } : read;
};

const upgradePerson = (stakeholder: JsonObject): JsonObject => {
  const { comment, ...rest } = stakeholder;
  const result: MutableJsonObject = {};
  for (const [name, value] of Object.entries(rest)) {
    if (Object.hasOwn(PERSON_MEMBERS_2, name) || !Object.hasOwn(PERSON.members, name)) setMember(result, name, value);
  }
  setDefined(result, 'description', comment);
  return result;
};
const PERSON_MEMBERS_2 = { username: 0, role: 0, dateIn: 0, dateOut: 0, replacedByUsername: 0 };

const upgradeSlaProperty = (written: JsonObject): JsonObject => {
  const { column, element: _, ...rest } = written;
  return column === undefined ? rest : { ...rest, element: column };
};

/** Converts the channels of a product to the support list of 3.x. */
const upgradeSupport = (document: JsonObject): readonly JsonObject[] => {
  const slack = textMember(document, 'productSlackChannel');
  const feedback = textMember(document, 'productFeedbackUrl');
  const mail = textMember(document, 'productDl');
  return [
    ...(slack === undefined ? [] : [{ channel: slack, tool: 'slack' }]),
    ...(feedback === undefined ? [] : [{ channel: 'feedback', tool: 'other', url: feedback }]),
    ...(mail === undefined ? [] : [{ channel: mail, tool: 'email' }]),
  ];
};

const tablesOf = (document: JsonObject): readonly JsonObject[] | undefined => {
  const dataset = member(document, 'dataset') ?? null;
  if (isArray(dataset)) return jsonObjects(dataset);
  return isObject(dataset) ? jsonObjects(member(dataset, 'tables')) : undefined;
};

const KNOWN_ROOT: ReadonlySet<string> = new Set(Object.keys(DOCUMENT_SHAPE_2));

/** Converts a normalized document of 2.2.x to the shape of 3.2.0. */
export const upgradeFrom2 = (document: JsonObject): JsonObject => {
  const result: MutableJsonObject = { apiVersion: NEWEST_VERSION, kind: 'DataContract' };
  const take = (name: string, from = name) => setDefined(result, name, member(document, from));
  take('id', 'uuid');
  take('version');
  take('status');
  take('tenant');
  take('domain', 'datasetDomain');
  take('dataProduct', 'quantumName');
  take('tags');
  take('description');
  const server = upgradeServer2(document);
  if (server) result['servers'] = [server];
  const tables = tablesOf(document);
  if (tables) result['schema'] = tables.map(upgradeTable);
  const support = upgradeSupport(document);
  if (support.length > 0) result['support'] = support;
  take('price');
  if (member(document, 'stakeholders') !== undefined) {
    result['team'] = jsonObjects(member(document, 'stakeholders')).map(upgradePerson);
  }
  take('roles');
  take('slaDefaultElement', 'slaDefaultColumn');
  if (member(document, 'slaProperties') !== undefined) {
    result['slaProperties'] = jsonObjects(member(document, 'slaProperties')).map(upgradeSlaProperty);
  }
  setCustomProperties(result, customPropertiesOf(document, ROOT_PROPERTIES));
  take('contractCreatedTs');
  keepUnknown(document, result, KNOWN_ROOT, DOCUMENT.members);
  return removeMisfits(restoreMembers(result, DOCUMENT, ['servers', 'support']), DOCUMENT);
};
