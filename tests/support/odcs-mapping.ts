import { EXPORT_SECTIONS, exportContract, type OdcsExportContext } from '../../src/contracts/odcs/export.ts';
import { type ImportedContract, type ImportOptions, importDocument } from '../../src/contracts/odcs/import.ts';
import type { DocumentLookup, DocumentPerson } from '../../src/contracts/odcs/people.ts';
import type { ImportTarget } from '../../src/contracts/odcs/schema/read-schema.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';

/** Sample data for tests of ODCS imports: a table, some people, some tags. */

/** The current time for these tests. */
const NOW = Date.parse('2026-03-01T12:00:00Z');

export const column = (name: string, dataType = 'STRING', more: JsonObject = {}): JsonObject => ({
  name,
  dataType,
  ...more,
});

/** A table of orders with some columns, one of them nested. */
export const ordersTable: ImportTarget = {
  entityType: 'table',
  name: 'orders',
  description: 'What was ordered.',
  fullyQualifiedName: 'shop.pg.public.orders',
  columns: [
    column('id', 'INT'),
    column('amount', 'DECIMAL'),
    column('status', 'VARCHAR'),
    column('updated_at', 'TIMESTAMP'),
    column('address', 'STRUCT', { children: [column('zip'), column('street')] }),
    column('lines', 'ARRAY', { arrayDataType: 'STRUCT', children: [column('sku'), column('count', 'INT')] }),
  ],
  hasSchema: true,
  domains: ['Sales', 'Finance'],
  dataProducts: ['Orders'],
};

/** A table with the columns that are named. */
export const tableOf = (name: string, columns: readonly JsonObject[]): ImportTarget => ({
  ...ordersTable,
  name,
  columns,
});

const PEOPLE: readonly (DocumentPerson & { readonly also?: string })[] = [
  { id: 'user-ada', type: 'user', name: 'ada', also: 'ada@example.com' },
  { id: 'user-bob', type: 'user', name: 'bob' },
  { id: 'team-shop', type: 'team', name: 'shop' },
  { id: 'team-data', type: 'team', name: 'data' },
];

const TAGS: Readonly<Record<string, 'Classification' | 'Glossary'>> = {
  'PII.Sensitive': 'Classification',
  'Tier.Tier1': 'Classification',
  'Business.Order': 'Glossary',
};

/** Knows ada, bob, two teams and three tags. */
export const lookup: DocumentLookup = {
  person: (text) => PEOPLE.find(({ name, also }) => name === text || also === text),
  tag: (fqn) => (Object.hasOwn(TAGS, fqn) ? TAGS[fqn] : undefined),
};

/** A document that says nothing but what it must. */
export const document = (more: JsonObject = {}): JsonObject => ({
  apiVersion: 'v3.1.0',
  kind: 'DataContract',
  id: 'orders-contract',
  version: '1.0.0',
  status: 'active',
  ...more,
});

/** A document that describes the properties of the orders. */
export const withProperties = (properties: readonly Json[], more: JsonObject = {}): JsonObject =>
  document({ schema: [{ name: 'orders', logicalType: 'object', properties, ...more }] });

export const imported = (
  from: JsonObject,
  { target = ordersTable, ...options }: Partial<ImportOptions> & { target?: ImportTarget } = {},
): ImportedContract => importDocument(from, target, lookup, { createTestCases: false, now: NOW, ...options });

/** The contract that a document makes, as a record has it. */
export const contractOf = (from: JsonObject, target = ordersTable): JsonObject => ({
  ...imported(from, { target }).contract,
  updatedAt: NOW,
});

/** The document of a contract, with all of its sections unless it is said otherwise. */
export const exported = (
  contract: JsonObject,
  source?: JsonObject,
  { target = ordersTable, ...context }: Partial<OdcsExportContext> & { target?: ImportTarget } = {},
): JsonObject =>
  exportContract(contract, source, target, { sections: new Set(EXPORT_SECTIONS), testCases: [], lookup, ...context });

/** The document after the contract it makes was changed. */
export const edited = (
  source: JsonObject,
  change: (contract: JsonObject) => JsonObject,
  context: Partial<OdcsExportContext> & { target?: ImportTarget } = {},
): JsonObject => exported(change(contractOf(source, context.target)), source, context);

/** What is said of a document in its import: severity, category and path of each finding. */
export const findings = ({ issues }: ImportedContract): readonly string[] =>
  issues.map(({ severity, category, path }) => `${severity} ${category} ${path}`);

/** The first object of a document. */
export const firstObject = (from: JsonObject): JsonObject => ((from['schema'] ?? []) as readonly JsonObject[])[0] ?? {};

/** The properties of the first object of a document. */
export const propertiesOf = (from: JsonObject): readonly JsonObject[] =>
  (firstObject(from)['properties'] ?? []) as readonly JsonObject[];

/** The first property of a document. */
export const firstProperty = (from: JsonObject): JsonObject => propertiesOf(from)[0] ?? {};

/** The first column of a contract. */
export const firstColumn = (contract: JsonObject): JsonObject =>
  ((contract['schema'] ?? []) as readonly JsonObject[])[0] ?? {};
