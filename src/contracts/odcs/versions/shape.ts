import { type JsonObject, member } from '../../../model/json.ts';
import { FOREIGN_TYPES, LOGICAL_TYPES } from '../schema/column-types.ts';
import { customProperties, customProperties2, definitions, id, tags, texts2 } from './common-shapes.ts';
import {
  always,
  deferred,
  itemsOf,
  leaf,
  type MemberShapes,
  membersOf,
  needed,
  type ObjectShape,
  objectShape,
  only2,
  shapeOf,
  since,
  text,
  type ValueShape,
  was,
  words,
} from './member-shapes.ts';
import { quality, RULE, tableQuality } from './rule-shape.ts';
import { SERVER_DETAILS } from './servers.ts';
import { TYPE_OPTIONS } from './type-options.ts';
import { NEWEST_VERSION } from './version.ts';

/**
 * The members of documents of all versions. Checking a document, upgrading it and downgrading it all read this table:
 * `since` and `until` are the versions of 3.x that define a member, and `was` says what it is in 2.2.x, where a member
 * without it does not exist.
 */

const flag = leaf('flag');
const spokenFlag = { shape: leaf('spokenFlag').shape };
const since221 = { since: 'v2.2.1' } as const;

const description = shapeOf(
  {
    purpose: was(text, 'purpose'),
    limitations: was(text, 'limitations'),
    usage: was(text, 'usage'),
    authoritativeDefinitions: since('v3.0.1', definitions),
    customProperties: since('v3.0.1', customProperties),
  },
  { sole: 'purpose' },
);

const supportItem = shapeOf({
  channel: always(text),
  url: { ...text, must: { until: 'v3.1.0' } },
  description: text,
  tool: text,
  scope: text,
  invitationUrl: text,
  customProperties: since('v3.1.0', customProperties),
  id,
});

const price = shapeOf({
  priceAmount: was(leaf('number'), 'priceAmount', { ...leaf('spokenNumber'), conversion: 'textIn221' }),
  priceCurrency: was(text, 'priceCurrency'),
  priceUnit: was(text, 'priceUnit'),
  id,
});

export const PERSON = shapeOf(
  {
    username: was({ ...text, must: { since: 'v3.1.0' } }, 'username'),
    role: was(text, 'role'),
    dateIn: was(text, 'dateIn'),
    dateOut: was(text, 'dateOut'),
    replacedByUsername: was(text, 'replacedByUsername'),
    name: since('v3.0.2', text),
    description: was(since('v3.0.2', text), 'comment'),
    tags: since('v3.1.0', leaf('texts')),
    customProperties: since('v3.1.0', customProperties),
    authoritativeDefinitions: since('v3.1.0', definitions),
    id,
  },
  { conversion: 'person', isRenamed: true },
);
const people = itemsOf(PERSON);

/** A list of people before 3.1.0. */
const team = shapeOf({
  name: since('v3.1.0', text),
  description: since('v3.1.0', text),
  members: since('v3.1.0', people),
  tags: since('v3.1.0', leaf('texts')),
  customProperties: since('v3.1.0', customProperties),
  authoritativeDefinitions: since('v3.1.0', definitions),
  id,
});

const roles = itemsOf(
  shapeOf({
    role: was(always(text), 'role'),
    description: was(text, 'description'),
    access: was(text, 'access', { fallback: 'read' }),
    firstLevelApprovers: was(leaf('approvers'), 'firstLevelApprovers'),
    secondLevelApprovers: was(leaf('approvers'), 'secondLevelApprovers'),
    customProperties: since('v3.0.1', customProperties),
    id,
  }),
);

const slaProperty = shapeOf({
  property: was(always(text), 'property'),
  value: was(always(leaf('scalar')), 'value', { conversion: 'slaValue' }),
  valueExt: was(leaf('scalar'), 'valueExt', { conversion: 'slaValue' }),
  unit: was(text, 'unit'),
  element: was(text, 'column'),
  driver: was(text, 'driver'),
  description: since('v3.1.0', text),
  scheduler: since('v3.1.0', text),
  schedule: since('v3.1.0', text),
  customProperties: since('v3.2.0', customProperties),
  authoritativeDefinitions: since('v3.2.0', definitions),
  id,
});

/** The members of a server depend on its type, which servers.ts checks. */
const server = shapeOf(
  {
    ...Object.fromEntries([...SERVER_DETAILS].map(([name, version]) => [name, since(version, leaf('json'))])),
    staging_dir: { ...leaf('json'), until: 'v3.0.2' },
    server: always(text),
    type: text,
    description: text,
    environment: text,
    roles,
    customProperties,
    id,
  },
  { conversion: 'server' },
);

const relationship = shapeOf(
  { type: words('foreignKey'), from: leaf('json'), to: leaf('json'), customProperties, id: since('v3.2.0', text) },
  { conversion: 'relationship' },
);

const synonym = shapeOf({
  synonym: always(text),
  description: text,
  locale: text,
  source: text,
  status: text,
  customProperties,
  id,
});

const statement = { authoritativeDefinitions: definitions, tags: leaf('texts'), customProperties, id: text };

/** What models and query tools are told; a plain text stands for the instructions. */
const contextShape = shapeOf(
  {
    instructions: text,
    verifiedStatements: itemsOf(shapeOf({ ...statement, question: always(text), answer: text })),
    constraints: itemsOf(shapeOf({ ...statement, constraint: always(text) })),
  },
  { sole: 'instructions' },
);
const context = deferred(since('v3.2.0', objectShape(contextShape)));

const allowedValue = shapeOf({
  value: always(leaf('scalar')),
  label: text,
  description: text,
  customProperties,
  authoritativeDefinitions: definitions,
  tags: leaf('texts'),
  id,
});

/** What objects and properties have in common. */
const element = {
  description: was(text, 'description', leaf('lines')),
  authoritativeDefinitions: was(definitions, 'authoritativeDefinitions'),
  tags,
  customProperties: customProperties2,
  quality,
  id,
};
const physicalName = was(text, 'physicalName');
const relationships = since('v3.1.0', itemsOf(relationship));
const isDeprecated = since('v3.2.0', flag);
const synonyms = since('v3.2.0', itemsOf(synonym));

/** The members of an array item, which needs no name. */
const itemMembers: MemberShapes = {
  name: was(text, 'column'),
  businessName: was(text, 'businessName'),
  // The type is known in any letter case.
  logicalType: was(
    { shape: { leaf: 'text', words: [...LOGICAL_TYPES, ...Object.keys(FOREIGN_TYPES)], anyCase: true } },
    'logicalType',
  ),
  physicalType: was(text, 'physicalType'),
  physicalName: since('v3.0.2', text),
  relationships,
  deprecated: isDeprecated,
  synonyms,
  logicalTypeOptions: objectShape(shapeOf(TYPE_OPTIONS)),
  primaryKey: was(flag, ['isPrimaryKey', 'isPrimary', 'primary'], { ...spokenFlag, conversion: 'textIn221' }),
  primaryKeyPosition: was(leaf('integer'), 'primaryKeyPosition', since221),
  required: was(flag, ['isNullable', 'nullable'], { ...spokenFlag, conversion: 'not' }),
  unique: was(flag, 'isUnique', { ...spokenFlag, ...since221 }),
  partitioned: was(flag, 'partitionStatus', spokenFlag),
  partitionKeyPosition: was(leaf('integer'), 'partitionKeyPosition', since221),
  clusterStatus: only2(flag, spokenFlag),
  clusterKeyPosition: only2(leaf('integer'), since221),
  classification: was(text, 'classification'),
  encryptedName: was(text, 'encryptedColumnName'),
  transformSourceObjects: was(leaf('texts'), 'transformSourceTables', { conversion: 'texts' }),
  transformLogic: was(text, 'transformLogic'),
  transformDescription: was(text, 'transformDescription'),
  examples: was({ shape: { list: () => ({ leaf: 'json' }) } }, 'sampleValues', { conversion: 'texts' }),
  criticalDataElement: was(flag, 'criticalDataElementStatus', spokenFlag),
  properties: itemsOf(() => PROPERTY),
  items: objectShape(() => item),
  map: since(
    'v3.2.0',
    objectShape(shapeOf({ key: always(objectShape(() => item)), value: always(objectShape(() => item)) })),
  ),
  semanticType: since('v3.2.0', words('column measure dimension')),
  enum: since('v3.2.0', itemsOf(allowedValue)),
  ...element,
};

const item: ObjectShape = shapeOf(itemMembers, { conversion: 'item' });

export const PROPERTY: ObjectShape = shapeOf(
  { ...itemMembers, name: was(needed(text), 'column', { required: {} }) },
  { conversion: 'property', isRenamed: true },
);

/** Objects have room for custom properties that stand for members; in columns these would clutter documents. */
export const SCHEMA_OBJECT: ObjectShape = shapeOf(
  {
    name: was(needed(text), 'table', { required: {} }),
    ...element,
    description: was(text, 'description', { ...leaf('lines'), conversion: 'linesIn221' }),
    quality: tableQuality,
    physicalName,
    priorTableName: only2(text),
    dataGranularityDescription: was(text, 'dataGranularity'),
    properties: was(
      itemsOf(() => PROPERTY),
      'columns',
      { conversion: 'columns' },
    ),
    logicalType: { shape: { leaf: 'text', words: ['object', 'blob'], anyCase: true } },
    physicalType: deferred(text),
    businessName: deferred(text),
    relationships: deferred(relationships),
    deprecated: deferred(isDeprecated),
    synonyms: deferred(synonyms),
    context,
  },
  { conversion: 'schemaObject', isRenamed: true },
);

const isMemberOf = (shape: ObjectShape, name: string): boolean => Object.hasOwn(membersOf(shape, NEWEST_VERSION), name);

/** Whether an item of the schema is a bare column: it has members that no object has. */
export const isBareColumn = (object: JsonObject): boolean => {
  const type = member(object, 'logicalType');
  if (typeof type === 'string') return !['object', 'blob'].includes(type.toLowerCase());
  return Object.keys(object).some((name) => isMemberOf(PROPERTY, name) && !isMemberOf(SCHEMA_OBJECT, name));
};

const tables = itemsOf(SCHEMA_OBJECT);

const documentMembers: MemberShapes = {
  apiVersion: was(text, ['apiVersion', 'standardVersion', 'templateName']),
  kind: was(needed(text), 'kind', { required: since221 }),
  id: was(needed(text), 'uuid', { required: {} }),
  name: deferred(text),
  version: was(needed(text), 'version', { required: {} }),
  status: was({ ...text, required: { until: 'v3.2.0' } }, 'status', { required: {}, fallback: 'draft' }),
  type: only2(text),
  tenant: was(text, 'tenant'),
  domain: was(text, 'datasetDomain'),
  dataProduct: was(text, 'quantumName'),
  tags,
  ...texts2('userConsumptionMode', 'datasetKind', 'schedulerAppName', 'systemInstance'),
  description: was(objectShape(description), 'description'),
  authoritativeDefinitions: deferred(since('v3.0.1', definitions)),
  servers: was(deferred(itemsOf(server)), [], {
    conversion: 'servers',
    spread: texts2(
      ...['server', 'driver', 'driverVersion', 'database', 'project', 'datasetProject', 'datasetName'],
      ...['sourceSystem', 'sourcePlatform'],
    ),
  }),
  schema: was(
    { shape: { list: () => ({ object: (object) => (isBareColumn(object) ? PROPERTY : SCHEMA_OBJECT) }) } },
    'dataset',
    {
      shape: { listOrObject: [tables.shape, objectShape(shapeOf({ tables: only2(tables) })).shape] },
      conversion: 'tables',
    },
  ),
  support: was(deferred(itemsOf(supportItem)), [], {
    conversion: 'support',
    spread: texts2('productSlackChannel', 'productFeedbackUrl', 'productDl'),
  }),
  price: was(objectShape(price), 'price'),
  team: was({ shape: { listOrObject: [people.shape, objectShape(team).shape] } }, 'stakeholders', {
    ...people,
    conversion: 'stakeholders',
  }),
  roles: was(roles, 'roles'),
  slaDefaultElement: was(text, 'slaDefaultColumn'),
  slaProperties: was(itemsOf(slaProperty), 'slaProperties'),
  customProperties: customProperties2,
  contractCreatedTs: was(text, 'contractCreatedTs'),
  context,
};

export const DOCUMENT: ObjectShape = shapeOf(documentMembers, { conversion: 'document', isRenamed: true });

/** The same with the rules that another catalog writes at the root, where no version defines them. */
export const DOCUMENT_WITH_RULES: ObjectShape = {
  ...DOCUMENT,
  members: { ...documentMembers, quality: itemsOf(RULE) },
};

export const toValueShape = (shape: ObjectShape): ValueShape => ({ object: () => shape });
