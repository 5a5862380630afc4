import { type LeafType, LOGICAL_TYPE, type MemberShape, type MemberShapes } from './shape.ts';

/** The members of a document of 2.2.x, with all spellings of its releases. */

const leaf = (kind: LeafType): MemberShape => ({ shape: { leaf: kind } });
const listOf = (members: () => MemberShapes): MemberShape => ({ shape: { list: () => ({ members }) } });
const needed = (member: MemberShape): MemberShape => ({ ...member, required: true });
const text = leaf('text');
const flag = leaf('spokenFlag');
const position = leaf('integer');

const definitions = listOf(() => ({ url: text, type: text }));
const customProperties: MemberShape = {
  shape: { list: () => ({ members: () => ({ property: text, value: leaf('json') }) }), keyed: true },
};

const quality = listOf(() => ({
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

const column: MemberShapes = {
  column: needed(text),
  isPrimaryKey: flag,
  isPrimary: flag,
  primary: flag,
  primaryKeyPosition: position,
  businessName: text,
  logicalType: LOGICAL_TYPE,
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
  quality,
  customProperties,
};

const table: MemberShapes = {
  table: needed(text),
  physicalName: text,
  priorTableName: text,
  description: leaf('lines'),
  authoritativeDefinitions: definitions,
  tags: leaf('texts'),
  dataGranularity: text,
  columns: listOf(() => column),
  quality,
  customProperties,
};
const tables = listOf(() => table);

/** A document of 2.2.x. */
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
    shape: { members: () => ({ usage: text, purpose: text, limitations: text }), sole: 'purpose' },
  },
  dataset: { shape: { listOrObject: [tables.shape, { members: () => ({ tables }) }] } },
  price: {
    shape: { members: () => ({ priceAmount: leaf('spokenNumber'), priceCurrency: text, priceUnit: text }) },
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
