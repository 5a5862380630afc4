import { loadKinds } from '../../src/catalog/registry.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { createFieldNameTest } from '../../src/search-documents/fields.ts';
import { createDocumentMatcher } from '../../src/search-documents/filter/match-document.ts';
import type { SearchFilter } from '../../src/search-documents/filter/search-filter.ts';

/** A small set of search documents for tests of filters and queries. */

/** The current time for these tests. */
const NOW = Date.UTC(2026, 4, 20, 12);

const registry = await loadKinds();

const label = (tagFQN: string) => ({ tagFQN, source: 'Classification', labelType: 'Manual', state: 'Confirmed' });

const column = (name: string, dataType: string, more: JsonObject = {}) => ({
  name,
  dataType,
  fullyQualifiedName: `shop.sales.public.${name}`,
  tags: [],
  ...more,
});

export const DOCUMENTS: readonly JsonObject[] = [
  {
    id: '11111111-1111-4111-8111-111111111111',
    entityType: 'table',
    name: 'dim_customer',
    displayName: 'Customers',
    fullyQualifiedName: 'Shop.sales.public.dim_customer',
    fqnParts: ['Shop', 'sales', 'public', 'dim_customer'],
    description: 'Everybody who ever bought a book, one row per person. Loaded at night.',
    version: 0.3,
    updatedAt: NOW - 3 * 86_400_000,
    deleted: false,
    tableType: 'Regular',
    serviceType: 'Postgres',
    service: { id: 's1', type: 'databaseService', name: 'Shop', displayName: 'The shop' },
    processedLineage: true,
    totalVotes: 5,
    schemaDefinition: '',
    owners: [
      { id: 'o1', type: 'user', name: 'ada', displayName: 'Ada Lovelace' },
      { id: 'o2', type: 'team', name: 'sales', displayName: 'Sales EU' },
    ],
    tags: [label('PII.Sensitive')],
    tier: label('Tier.Tier1'),
    columns: [
      column('id', 'INT', { description: 'Number', tags: [label('PII.None')] }),
      column('email', 'VARCHAR', { tags: [label('PII.Sensitive')] }),
      column('address', 'STRUCT', { children: [column('postcode', 'VARCHAR')] }),
    ],
    columnNames: ['id', 'email', 'address', 'address.postcode'],
    columnNamesFuzzy: 'id email address address.postcode',
    tableConstraints: [{ constraintType: 'PRIMARY_KEY', columns: ['id'] }],
    extension: { color: 'Deep blue', size: 7, hot: true },
    aliases: ['Clients'],
    followers: [],
  },
  {
    id: '22222222-2222-4222-8222-222222222222',
    entityType: 'table',
    name: 'FctOrders',
    displayName: 'FctOrders',
    fullyQualifiedName: 'Shop.sales.public.FctOrders',
    fqnParts: ['Shop', 'sales', 'public', 'FctOrders'],
    version: 1.2,
    updatedAt: NOW - 30 * 86_400_000,
    deleted: true,
    tableType: 'View',
    serviceType: 'Postgres',
    service: { id: 's1', type: 'databaseService', name: 'Shop', displayName: 'The shop' },
    processedLineage: false,
    totalVotes: 0,
    tags: [],
    columns: [column('order_id', 'BIGINT'), column('customer', 'INT', { tags: [label('PII.Sensitive')] })],
    columnNames: ['order_id', 'customer'],
    columnNamesFuzzy: 'order_id customer',
    followers: ['u1'],
  },
  {
    id: '33333333-3333-4333-8333-333333333333',
    entityType: 'user',
    name: 'ada',
    displayName: 'Ada Lovelace',
    fullyQualifiedName: 'ada',
    fqnParts: ['ada'],
    email: 'ada+books@example.com',
    isBot: false,
    isAdmin: true,
    version: 0.1,
    updatedAt: NOW,
    totalVotes: 0,
  },
  {
    id: '44444444-4444-4444-8444-444444444444',
    entityType: 'pipeline',
    name: 'nightly load',
    displayName: 'Nightly load',
    fullyQualifiedName: 'airflow.nightly load',
    fqnParts: ['airflow', 'nightly load'],
    description: 'Loads dim_customer and then the orders, at night.',
    version: 0.2,
    updatedAt: Date.UTC(2026, 0, 31, 23, 30),
    deleted: false,
    startDate: '2026-01-01T08:00:00Z',
    tasks: [{ name: 'extract_customers', description: 'Reads' }, { name: 'publish' }],
    serviceType: 'Airflow',
    totalVotes: 2,
    owners: [],
  },
];

export const NAMES = DOCUMENTS.map(({ name }) => String(name));

/** Whether a name is that of a field of any kind. */
export const isField = createFieldNameTest(registry.kinds);

/** The names of the documents that a filter describes. */
export const found = (filter: SearchFilter, among: readonly JsonObject[] = DOCUMENTS): string[] =>
  among.filter(createDocumentMatcher(filter, registry.byType, NOW)).map(({ name }) => String(name));
