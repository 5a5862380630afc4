import { type JsonObject, member } from '../../../model/json.ts';
import { FOREIGN_TYPES, LOGICAL_TYPES } from '../schema/column-types.ts';
import {
  always,
  itemsOf,
  leaf,
  type MemberShape,
  type MemberShapes,
  needed,
  since,
  TYPE_OPTIONS,
  text,
  words,
} from './member-shapes.ts';
import { SERVER_DETAILS } from './servers.ts';

/** The members of a document, declared once for validating input and for dropping what a version does not define. */

/** The metrics of library rules since 3.1.0. */
export const LIBRARY_METRICS: readonly string[] = [
  'nullValues',
  'missingValues',
  'invalidValues',
  'duplicateValues',
  'rowCount',
];

/** The names of library rules before 3.1.0, with the equivalent metric. */
export const METRIC_BY_RULE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(LIBRARY_METRICS.map((metric) => [metric, metric])),
  nullCount: 'nullValues',
  nullCheck: 'nullValues',
  notNull: 'nullValues',
  duplicateCount: 'duplicateValues',
  unique: 'duplicateValues',
  missingCount: 'missingValues',
  countCheck: 'rowCount',
};

const id = { shape: { leaf: 'id' }, since: 'v3.1.0' } as const;

const definition: MemberShapes = {
  url: always(text),
  type: always(text),
  description: since('v3.1.0', text),
  id,
};
const definitions = itemsOf(() => definition);

export const CUSTOM_PROPERTY: MemberShapes = {
  property: { ...text, must: { since: 'v3.1.0' } },
  value: leaf('json'),
  description: since('v3.1.0', text),
  vendor: since('v3.2.0', text),
  id,
};
const customProperties: MemberShape = { shape: { list: () => ({ members: () => CUSTOM_PROPERTY }), keyed: true } };

const description: MemberShapes = {
  purpose: text,
  limitations: text,
  usage: text,
  authoritativeDefinitions: since('v3.0.1', definitions),
  customProperties: since('v3.0.1', customProperties),
};

const supportItem: MemberShapes = {
  channel: always(text),
  url: { ...text, must: { until: 'v3.1.0' } },
  description: text,
  tool: text,
  scope: text,
  invitationUrl: text,
  customProperties: since('v3.1.0', customProperties),
  id,
};

const price: MemberShapes = { priceAmount: leaf('number'), priceCurrency: text, priceUnit: text, id };

export const PERSON: MemberShapes = {
  username: { ...text, must: { since: 'v3.1.0' } },
  role: text,
  dateIn: text,
  dateOut: text,
  replacedByUsername: text,
  name: since('v3.0.2', text),
  description: since('v3.0.2', text),
  tags: since('v3.1.0', leaf('texts')),
  customProperties: since('v3.1.0', customProperties),
  authoritativeDefinitions: since('v3.1.0', definitions),
  id,
};
const people = itemsOf(() => PERSON);

const team: MemberShapes = {
  name: text,
  description: text,
  members: people,
  tags: leaf('texts'),
  customProperties,
  authoritativeDefinitions: definitions,
  id,
};

const role: MemberShapes = {
  role: always(text),
  description: text,
  access: text,
  firstLevelApprovers: leaf('approvers'),
  secondLevelApprovers: leaf('approvers'),
  customProperties: since('v3.0.1', customProperties),
  id,
};
const roles = itemsOf(() => role);

const slaProperty: MemberShapes = {
  property: always(text),
  value: always(leaf('scalar')),
  valueExt: leaf('scalar'),
  unit: text,
  element: text,
  driver: text,
  description: since('v3.1.0', text),
  scheduler: since('v3.1.0', text),
  schedule: since('v3.1.0', text),
  customProperties: since('v3.2.0', customProperties),
  authoritativeDefinitions: since('v3.2.0', definitions),
  id,
};

/** The members of a server depend on its type, which servers.ts checks. */
export const SERVER: MemberShapes = {
  ...Object.fromEntries([...SERVER_DETAILS, 'staging_dir'].map((name) => [name, leaf('json')])),
  server: text,
  type: text,
  description: text,
  environment: text,
  roles,
  customProperties,
  id,
};

const DIMENSIONS = [
  'accuracy',
  'completeness',
  'conformity',
  'consistency',
  'coverage',
  'timeliness',
  'uniqueness',
] as const;

export const RULE_OPERATORS = [
  'mustBe',
  'mustNotBe',
  'mustBeGreaterThan',
  'mustBeGreaterOrEqualTo',
  'mustBeLessThan',
  'mustBeLessOrEqualTo',
  'mustBeBetween',
  'mustNotBeBetween',
] as const;

const RULE_TYPES = ['text', 'library', 'sql', 'custom'] as const;

const numbers: MemberShape = { shape: { list: () => ({ leaf: 'number' }) } };

/** The members of every rule, whatever its type. */
const RULE_COMMON: MemberShapes = {
  name: text,
  type: words(...RULE_TYPES),
  description: text,
  dimension: words(...DIMENSIONS),
  severity: text,
  businessImpact: text,
  method: text,
  unit: text,
  schedule: text,
  scheduler: text,
  tags: leaf('texts'),
  authoritativeDefinitions: definitions,
  customProperties,
  id,
};

/** The metrics of library rules that this importer understands. */
const RULE_METRICS = [
  ...LIBRARY_METRICS,
  ...Object.keys(METRIC_BY_RULE),
  'validValues',
  'regex',
  'pattern',
  'uniqueValues',
  'distinctValues',
  'completeness',
  'freshness',
  'textLength',
  'valuesBetween',
] as const;

/** The members of a rule that depend on its type. */
export const RULE_DETAILS: MemberShapes = {
  metric: words(...RULE_METRICS),
  rule: words(...RULE_METRICS),
  arguments: leaf('map'),
  query: text,
  engine: text,
  implementation: leaf('json'),
  mustBe: leaf('json'),
  mustNotBe: leaf('json'),
  mustBeGreaterThan: leaf('number'),
  mustBeGreaterOrEqualTo: leaf('number'),
  mustBeLessThan: leaf('number'),
  mustBeLessOrEqualTo: leaf('number'),
  mustBeBetween: numbers,
  mustNotBeBetween: numbers,
  // No schema defines these two, but documents contain them.
  validValues: leaf('json'),
  column: text,
};
export const RULE: MemberShapes = { ...RULE_COMMON, ...RULE_DETAILS };
const quality = itemsOf(() => RULE);

export const RELATIONSHIP: MemberShapes = {
  type: words('foreignKey'),
  from: leaf('json'),
  to: leaf('json'),
  customProperties,
  id: since('v3.2.0', text),
};
const relationships = since(
  'v3.1.0',
  itemsOf(() => RELATIONSHIP),
);

const synonym: MemberShapes = {
  synonym: always(text),
  description: text,
  locale: text,
  source: text,
  status: text,
  customProperties,
  id,
};

const element: MemberShapes = {
  physicalType: text,
  description: text,
  businessName: text,
  authoritativeDefinitions: definitions,
  tags: leaf('texts'),
  customProperties,
  physicalName: text,
  relationships,
  deprecated: since('v3.2.0', leaf('flag')),
  synonyms: since(
    'v3.2.0',
    itemsOf(() => synonym),
  ),
  id,
};

const statement: MemberShapes = {
  authoritativeDefinitions: definitions,
  tags: leaf('texts'),
  customProperties,
  id: text,
};

/** What models and query tools are told; a plain text stands for the instructions. */
const contextMembers: MemberShapes = {
  instructions: text,
  verifiedStatements: itemsOf(() => ({ ...statement, question: always(text), answer: text })),
  constraints: itemsOf(() => ({ ...statement, constraint: always(text) })),
};
const context = since('v3.2.0', { shape: { members: () => contextMembers, sole: 'instructions' } });

const allowedValue: MemberShapes = {
  value: always(leaf('scalar')),
  label: text,
  description: text,
  customProperties,
  authoritativeDefinitions: definitions,
  tags: leaf('texts'),
  id,
};

/** What a map leads from and to. */
export const MAP: MemberShapes = {
  key: always({ shape: { members: () => ITEM } }),
  value: always({ shape: { members: () => ITEM } }),
};

/** The type of a property, in any letter case. */
export const LOGICAL_TYPE: MemberShape = {
  shape: { leaf: 'text', words: [...LOGICAL_TYPES, ...Object.keys(FOREIGN_TYPES)], anyCase: true },
};

/** The members of an array item, which needs no name. */
export const ITEM: MemberShapes = {
  ...element,
  name: text,
  physicalName: since('v3.0.2', text),
  logicalType: LOGICAL_TYPE,
  logicalTypeOptions: { shape: { members: () => TYPE_OPTIONS } },
  primaryKey: leaf('flag'),
  primaryKeyPosition: leaf('integer'),
  required: leaf('flag'),
  unique: leaf('flag'),
  partitioned: leaf('flag'),
  partitionKeyPosition: leaf('integer'),
  classification: text,
  encryptedName: text,
  transformSourceObjects: leaf('texts'),
  transformLogic: text,
  transformDescription: text,
  examples: { shape: { list: () => ({ leaf: 'json' }) } },
  criticalDataElement: leaf('flag'),
  quality,
  properties: itemsOf(() => PROPERTY),
  items: { shape: { members: () => ITEM } },
  map: since('v3.2.0', { shape: { members: () => MAP } }),
  semanticType: since('v3.2.0', words('column', 'measure', 'dimension')),
  enum: since(
    'v3.2.0',
    itemsOf(() => allowedValue),
  ),
};

export const PROPERTY: MemberShapes = { ...ITEM, name: needed(text) };

export const SCHEMA_OBJECT: MemberShapes = {
  ...element,
  name: needed(text),
  logicalType: { shape: { leaf: 'text', words: ['object', 'blob'], anyCase: true } },
  dataGranularityDescription: text,
  properties: itemsOf(() => PROPERTY),
  quality,
  context,
};

/** Whether an item of the schema is a bare column: it has members that no object has. */
export const isBareColumn = (object: JsonObject): boolean => {
  const type = member(object, 'logicalType');
  if (typeof type === 'string') return !['object', 'blob'].includes(type.toLowerCase());
  return Object.keys(object).some((name) => Object.hasOwn(PROPERTY, name) && !Object.hasOwn(SCHEMA_OBJECT, name));
};

/** A document of 3.x. */
export const DOCUMENT_SHAPE: MemberShapes = {
  apiVersion: text,
  kind: needed(text),
  id: needed(text),
  name: text,
  version: needed(text),
  status: needed(text),
  tenant: text,
  domain: text,
  dataProduct: text,
  tags: leaf('texts'),
  description: { shape: { members: () => description, sole: 'purpose' } },
  authoritativeDefinitions: since('v3.0.1', definitions),
  servers: itemsOf(() => SERVER),
  schema: { shape: { list: () => ({ members: (object) => (isBareColumn(object) ? PROPERTY : SCHEMA_OBJECT) }) } },
  support: itemsOf(() => supportItem),
  price: { shape: { members: () => price } },
  team: { shape: { listOrObject: [people.shape, { members: () => team }] } },
  roles,
  slaDefaultElement: text,
  slaProperties: itemsOf(() => slaProperty),
  customProperties,
  contractCreatedTs: text,
  context,
};

/** A root member that another catalog writes and no version defines. */
export const ROOT_QUALITY: MemberShape = quality;
