import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
} from '../../model/json.ts';
import { withUnparkedObject, withUnparkedRoot2 } from './parking.ts';
import { upgradedRule2 } from './rules-2.ts';
import { serverOf2 } from './servers-2.ts';
import { DOCUMENT, PERSON, PROPERTY, SCHEMA_OBJECT } from './shape.ts';
import { DOCUMENT_2 } from './shape-2.ts';
import { withoutMisfits } from './structure.ts';
import { objectsOf, textOf } from './walk.ts';

/** Documents of 2.2.x in the shape of 3.1.0. */

/** Root members that 3.x has no name for; they keep theirs among the custom properties. */
export const ROOT_PROPERTIES = [
  'type',
  'userConsumptionMode',
  'datasetKind',
  'schedulerAppName',
  'systemInstance',
] as const;

/** Names of 2.x with those of 3.x; of several spellings the first one that is written counts. */
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

const set = (target: MutableJsonObject, name: string, value: Json | undefined): void => {
  if (value !== undefined) setMember(target, name, value);
};

/** Members that neither version knows stay; a name that means something else in 3.x must not get there. */
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

const property = (column: JsonObject): JsonObject => {
  const result: MutableJsonObject = {};
  for (const [name, name3] of Object.entries(COLUMN_NAMES)) set(result, name3, member(column, name));
  for (const [name, usual] of Object.entries(OTHER_SPELLINGS)) {
    const name3 = COLUMN_NAMES[usual] ?? usual;
    if (member(result, name3) === undefined) set(result, name3, member(column, name));
  }
  for (const name of COLUMN_SAME) set(result, name, member(column, name));
  const nullable = member(column, 'isNullable') ?? member(column, 'nullable');
  if (typeof nullable === 'boolean') result['required'] = !nullable;
  const quality = member(column, 'quality') ?? null;
  if (isArray(quality)) result['quality'] = quality.map((rule) => (isObject(rule) ? upgradedRule2(rule) : rule));
  setCustomProperties(result, customPropertiesOf(column, COLUMN_PROPERTIES));
  keepUnknown(column, result, KNOWN_COLUMN, PROPERTY);
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

const schemaObject = (table: JsonObject): JsonObject => {
  const result: MutableJsonObject = {};
  set(result, 'name', member(table, 'table'));
  result['logicalType'] = 'object';
  for (const name of TABLE_SAME) set(result, name, member(table, name));
  set(result, 'dataGranularityDescription', member(table, 'dataGranularity'));
  if (member(table, 'columns') !== undefined) {
    result['properties'] = objectsOf(member(table, 'columns')).map(property);
  }
  if (member(table, 'quality') !== undefined)
    result['quality'] = objectsOf(member(table, 'quality')).map(upgradedRule2);
  setCustomProperties(result, customPropertiesOf(table, ['priorTableName']));
  keepUnknown(table, result, KNOWN_TABLE, SCHEMA_OBJECT);
  const read = withUnparkedObject(result);
  return member(read, 'physicalType') === undefined ? { ...read, physicalType: 'table' } : read;
};

const person = (stakeholder: JsonObject): JsonObject => {
  const { comment, ...rest } = stakeholder;
  const result: MutableJsonObject = {};
  for (const [name, value] of Object.entries(rest)) {
    if (Object.hasOwn(DOCUMENT_PERSON, name) || !Object.hasOwn(PERSON, name)) setMember(result, name, value);
  }
  set(result, 'description', comment);
  return result;
};
const DOCUMENT_PERSON = { username: 0, role: 0, dateIn: 0, dateOut: 0, replacedByUsername: 0 };

const slaProperty = (written: JsonObject): JsonObject => {
  const { column, element: _, ...rest } = written;
  return column === undefined ? rest : { ...rest, element: column };
};

/** The channels of a product, in the words that 3.x tells them apart by. */
const supportOf = (document: JsonObject): readonly JsonObject[] => {
  const slack = textOf(document, 'productSlackChannel');
  const feedback = textOf(document, 'productFeedbackUrl');
  const mail = textOf(document, 'productDl');
  return [
    ...(slack === undefined ? [] : [{ channel: slack, tool: 'slack' }]),
    ...(feedback === undefined ? [] : [{ channel: 'feedback', tool: 'other', url: feedback }]),
    ...(mail === undefined ? [] : [{ channel: mail, tool: 'email' }]),
  ];
};

const tablesOf = (document: JsonObject): readonly JsonObject[] | undefined => {
  const dataset = member(document, 'dataset') ?? null;
  if (isArray(dataset)) return objectsOf(dataset);
  return isObject(dataset) ? objectsOf(member(dataset, 'tables')) : undefined;
};

const KNOWN_ROOT: ReadonlySet<string> = new Set(Object.keys(DOCUMENT_2));

/** A document of 2.2.x, straightened already, in the shape of 3.1.0. */
export const upgraded2 = (document: JsonObject): JsonObject => {
  const result: MutableJsonObject = { apiVersion: 'v3.1.0', kind: 'DataContract' };
  const take = (name: string, from = name) => set(result, name, member(document, from));
  take('id', 'uuid');
  take('version');
  take('status');
  take('tenant');
  take('domain', 'datasetDomain');
  take('dataProduct', 'quantumName');
  take('tags');
  take('description');
  const server = serverOf2(document);
  if (server) result['servers'] = [server];
  const tables = tablesOf(document);
  if (tables) result['schema'] = tables.map(schemaObject);
  const support = supportOf(document);
  if (support.length > 0) result['support'] = support;
  take('price');
  if (member(document, 'stakeholders') !== undefined) {
    result['team'] = objectsOf(member(document, 'stakeholders')).map(person);
  }
  take('roles');
  take('slaDefaultElement', 'slaDefaultColumn');
  if (member(document, 'slaProperties') !== undefined) {
    result['slaProperties'] = objectsOf(member(document, 'slaProperties')).map(slaProperty);
  }
  setCustomProperties(result, customPropertiesOf(document, ROOT_PROPERTIES));
  take('contractCreatedTs');
  keepUnknown(document, result, KNOWN_ROOT, DOCUMENT);
  return withoutMisfits(withUnparkedRoot2(result), DOCUMENT);
};
