import { type JsonObject, member } from '../../../model/json.ts';
import { FOREIGN_TYPES, LOGICAL_TYPES } from '../schema/column-types.ts';
import {
  always,
  deferred,
  itemsOf,
  leaf,
  type MemberShape,
  type MemberShapes,
  needed,
  type ObjectShape,
  objectOf,
  since,
  text,
  type ValueShape,
  words,
} from './member-shapes.ts';
import { SERVER_DETAILS } from './servers.ts';
import { TYPE_OPTIONS } from './type-options.ts';

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

const definition: ObjectShape = {
  members: {
    url: always(text),
    type: always(text),
    description: since('v3.1.0', text),
    id,
  },
};
const definitions = itemsOf(() => definition);

const customProperty: ObjectShape = {
  members: {
    property: { ...text, must: { since: 'v3.1.0' } },
    value: leaf('json'),
    description: since('v3.1.0', text),
    vendor: since('v3.2.0', text),
    id,
  },
  conversion: 'customProperty',
};
const customProperties: MemberShape = { shape: { list: () => ({ object: () => customProperty }), keyed: true } };

const description: ObjectShape = {
  sole: 'purpose',
  members: {
    purpose: text,
    limitations: text,
    usage: text,
    authoritativeDefinitions: since('v3.0.1', definitions),
    customProperties: since('v3.0.1', customProperties),
  },
};

const supportItem: ObjectShape = {
  members: {
    channel: always(text),
    url: { ...text, must: { until: 'v3.1.0' } },
    description: text,
    tool: text,
    scope: text,
    invitationUrl: text,
    customProperties: since('v3.1.0', customProperties),
    id,
  },
};

const price: ObjectShape = {
  members: { priceAmount: leaf('number'), priceCurrency: text, priceUnit: text, id },
};

export const PERSON: ObjectShape = {
  members: {
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
  },
  conversion: 'person',
};
const people = itemsOf(() => PERSON);

const team: ObjectShape = {
  members: {
    name: text,
    description: text,
    members: people,
    tags: leaf('texts'),
    customProperties,
    authoritativeDefinitions: definitions,
    id,
  },
};

const role: ObjectShape = {
  members: {
    role: always(text),
    description: text,
    access: text,
    firstLevelApprovers: leaf('approvers'),
    secondLevelApprovers: leaf('approvers'),
    customProperties: since('v3.0.1', customProperties),
    id,
  },
};
const roles = itemsOf(() => role);

const slaProperty: ObjectShape = {
  members: {
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
  },
};

/** The members of a server depend on its type, which servers.ts checks. */
const server: ObjectShape = {
  members: {
    ...Object.fromEntries([...SERVER_DETAILS, 'staging_dir'].map((name) => [name, leaf('json')])),
    server: always(text),
    type: text,
    description: text,
    environment: text,
    roles,
    customProperties,
    id,
  },
  conversion: 'server',
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
const ruleCommon: MemberShapes = {
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

const metric: MemberShape = { shape: { leaf: 'text', words: RULE_METRICS, open: true } };

/** The members of a rule that depend on its type. */
const ruleDetails: MemberShapes = {
  metric,
  rule: metric,
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
export const RULE: ObjectShape = { members: { ...ruleCommon, ...ruleDetails }, conversion: 'rule' };
const quality = itemsOf(() => RULE);

const relationship: ObjectShape = {
  members: {
    type: words('foreignKey'),
    from: leaf('json'),
    to: leaf('json'),
    customProperties,
    id: since('v3.2.0', text),
  },
  conversion: 'relationship',
};
const relationships = since(
  'v3.1.0',
  itemsOf(() => relationship),
);

const synonym: ObjectShape = {
  members: {
    synonym: always(text),
    description: text,
    locale: text,
    source: text,
    status: text,
    customProperties,
    id,
  },
};

const element = {
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
} satisfies MemberShapes;

const statement: MemberShapes = {
  authoritativeDefinitions: definitions,
  tags: leaf('texts'),
  customProperties,
  id: text,
};

/** What models and query tools are told; a plain text stands for the instructions. */
const contextShape: ObjectShape = {
  sole: 'instructions',
  members: {
    instructions: text,
    verifiedStatements: itemsOf(() => ({ members: { ...statement, question: always(text), answer: text } })),
    constraints: itemsOf(() => ({ members: { ...statement, constraint: always(text) } })),
  },
};
const context = deferred(
  since(
    'v3.2.0',
    objectOf(() => contextShape),
  ),
);

const allowedValue: ObjectShape = {
  members: {
    value: always(leaf('scalar')),
    label: text,
    description: text,
    customProperties,
    authoritativeDefinitions: definitions,
    tags: leaf('texts'),
    id,
  },
};

/** What a map leads from and to. */
const map: ObjectShape = { members: { key: always(objectOf(() => item)), value: always(objectOf(() => item)) } };

/** The type of a property, in any letter case. */
const logicalType: MemberShape = {
  shape: { leaf: 'text', words: [...LOGICAL_TYPES, ...Object.keys(FOREIGN_TYPES)], anyCase: true },
};

/** The members of an array item, which needs no name. */
const itemMembers: MemberShapes = {
  ...element,
  name: text,
  physicalName: since('v3.0.2', text),
  logicalType,
  logicalTypeOptions: objectOf(() => ({ members: TYPE_OPTIONS })),
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
  items: objectOf(() => item),
  map: since(
    'v3.2.0',
    objectOf(() => map),
  ),
  semanticType: since('v3.2.0', words('column', 'measure', 'dimension')),
  enum: since(
    'v3.2.0',
    itemsOf(() => allowedValue),
  ),
};

const item: ObjectShape = { members: itemMembers, conversion: 'item' };

export const PROPERTY: ObjectShape = { members: { ...itemMembers, name: needed(text) }, conversion: 'property' };

/** Objects have room for custom properties that stand for members; in columns these would clutter documents. */
const deferredElement = Object.fromEntries(
  (['relationships', 'businessName', 'physicalType', 'deprecated', 'synonyms'] as const).map((name) => [
    name,
    deferred(element[name]),
  ]),
);

export const SCHEMA_OBJECT: ObjectShape = {
  members: {
    ...element,
    ...deferredElement,
    name: needed(text),
    logicalType: { shape: { leaf: 'text', words: ['object', 'blob'], anyCase: true } },
    dataGranularityDescription: text,
    properties: itemsOf(() => PROPERTY),
    quality,
    context,
  },
  conversion: 'schemaObject',
};

/** Whether an item of the schema is a bare column: it has members that no object has. */
export const isBareColumn = (object: JsonObject): boolean => {
  const type = member(object, 'logicalType');
  if (typeof type === 'string') return !['object', 'blob'].includes(type.toLowerCase());
  return Object.keys(object).some(
    (name) => Object.hasOwn(PROPERTY.members, name) && !Object.hasOwn(SCHEMA_OBJECT.members, name),
  );
};

/** A document of 3.x. */
const documentMembers: MemberShapes = {
  apiVersion: text,
  kind: needed(text),
  id: needed(text),
  name: deferred(text),
  version: needed(text),
  status: { ...text, required: { until: 'v3.2.0' } },
  tenant: text,
  domain: text,
  dataProduct: text,
  tags: leaf('texts'),
  description: objectOf(() => description),
  authoritativeDefinitions: deferred(since('v3.0.1', definitions)),
  servers: deferred(itemsOf(() => server)),
  schema: { shape: { list: () => ({ object: (object) => (isBareColumn(object) ? PROPERTY : SCHEMA_OBJECT) }) } },
  support: deferred(itemsOf(() => supportItem)),
  price: objectOf(() => price),
  team: { shape: { listOrObject: [people.shape, { object: () => team }] } },
  roles,
  slaDefaultElement: text,
  slaProperties: itemsOf(() => slaProperty),
  customProperties,
  contractCreatedTs: text,
  context,
};

export const DOCUMENT: ObjectShape = { members: documentMembers, conversion: 'document' };

/** The same with the rules that another catalog writes at the root, where no version defines them. */
export const DOCUMENT_WITH_RULES: ObjectShape = { ...DOCUMENT, members: { ...documentMembers, quality } };

export const toValueShape = (shape: ObjectShape): ValueShape => ({ object: () => shape });
