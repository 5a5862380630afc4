import { createPerson, ok } from '../support/expect.ts';
import { uniqueName } from '../support/service.ts';
import { label } from './domain-fixture.ts';
import type { Corpus } from './schema-fixture.ts';

/** A few tables, small enough to know by heart, and what each clause of a filter finds among them (search.md 4). */

const O = 'dim_customer';
const F = 'FctOrders';
const L = 'ledger';
/** Deleted, so that only those find it who speak of that. */
const G = 'gone_stock';
const ALL = [O, F, L] as const;

const column = (name: string, dataType: string, more: object = {}) => ({ name, dataType, ...more });
const text = (name: string, more: object = {}) => column(name, 'VARCHAR', { dataLength: 64, ...more });

const LATE_EVENING = Date.UTC(2026, 0, 31, 23, 30);
const MAY_MORNING = Date.UTC(2026, 4, 17, 8);

/** Makes the tables; the deleted one last. */
export const makeTables = async ({ admin, service, table }: Corpus): Promise<void> => {
  const ada = await createPerson(service, uniqueName('ada'));
  ok(await admin.patch(`/v1/users/${ada.id}`, { displayName: 'Ada Lovelace' }));
  const customer = await table(O, {
    displayName: 'Customers',
    description: 'Everybody who ever bought a book, one row each',
    tableType: 'Regular',
    tags: [label('PII.Sensitive'), label('Tier.Tier1')],
    owners: [{ id: ada.id, type: 'user' }],
    tableConstraints: [{ constraintType: 'PRIMARY_KEY', columns: ['id'] }],
    columns: [
      column('id', 'INT', { description: 'Number', tags: [label('PII.None')] }),
      text('email', { tags: [label('PII.Sensitive')] }),
      column('address', 'STRUCT', { children: [text('postcode')] }),
    ],
  });
  const orders = await table(F, {
    description: 'Orders loaded at night',
    tableType: 'View',
    tags: [label('PII.None')],
    columns: [column('order_id', 'BIGINT'), column('customer', 'INT', { tags: [label('PII.Sensitive')] })],
  });
  await table(L, { columns: [column('amount', 'DOUBLE')] });
  const change = async ({ id }: { readonly id: string }, more: object) =>
    ok(await admin.patch(`/v1/tables/${id}`, more));
  const certified = (appliedDate: number) => ({
    certification: { tagLabel: label('Certification.Gold'), appliedDate, expiryDate: 2 ** 42 },
  });
  await change(customer, certified(LATE_EVENING));
  await change(orders, certified(MAY_MORNING));
  await change(orders, { displayName: 'Facts' });
  const vote = { updatedVoteType: 'votedUp' };
  for (const { id } of [customer, orders]) ok(await admin.put(`/v1/tables/${id}/vote`, vote));
  ok(await ada.put(`/v1/tables/${customer.id}/vote`, vote));
  const gone = await table(G, { description: 'A book of stock', tableType: 'Regular' });
  ok(await admin.delete(`/v1/tables/${gone.id}`));
};

export type Clause = readonly [what: string, clause: object, ...names: readonly string[]];

const REGULAR = { term: { tableType: 'Regular' } };
const VIEW = { term: { tableType: 'View' } };
const VOTED = { range: { totalVotes: { gte: 1 } } };
const anyCase = (value: string) => ({ value, case_insensitive: true });

const WHOLE: readonly Clause[] = [
  ['everything', { match_all: {} }, ...ALL],
  ['everything with a boost', { match_all: { boost: 2, _name: 'all' } }, ...ALL],
  ['nothing', { match_none: {} }],

  ['a term in any case', { term: { tableType: 'REGULAR' } }, O],
  ['a term as an object', { term: { tableType: { value: 'view', boost: 2 } } }, F],
  ['a term by the whole value', { term: { 'owners.displayName.keyword': 'ada lovelace' } }, O],
  ['a term by a part of a whole value', { term: { 'name.keyword': 'customer' } }],
  ['a term that is a word of a text', { term: { name: 'customer' } }, O],
  ['a term that is two words of a text', { term: { description: 'a book' } }],
  ['a term whose case counts', { term: { columnNames: 'email' } }, O],
  ['a term whose case counts, in another', { term: { columnNames: 'Email' } }],
  ['a term whose case counts, in any', { term: { columnNames: anyCase('Email') } }, O],
  ['a tier', { term: { 'tier.tagFQN': 'Tier.Tier1' } }, O],
  ['a tier in another case', { term: { 'tier.tagFQN': 'tier.tier1' } }],
  ['a tag in any case', { term: { 'tags.tagFQN': 'pii.sensitive' } }, O],
  ['a tag of columns', { term: { 'columns.tags.tagFQN': 'PII.Sensitive' } }, O, F],
  ['a type of columns', { term: { 'columns.dataType': 'varchar' } }, O],
  ['a number', { term: { totalVotes: 2 } }, O],
  ['a number as text', { term: { version: '0.3' } }, F],
  ['a number that is none', { term: { version: 'abc' } }],
  ['a flag', { term: { deleted: true } }, G],
  ['a flag as text', { term: { deleted: 'false' } }, ...ALL],
  ['a date by its day', { term: { 'certification.appliedDate': '2026-05-17' } }, F],
  ['a field that nobody has', { term: { nowhere: 'x' } }],
  ['a field of other kinds', { term: { partitions: 1 } }],
  ['any of some terms', { terms: { tableType: ['view', 'Regular'] } }, O, F],
  ['any of some terms whose case counts', { terms: { 'tier.tagFQN': ['Tier.Tier1', 'tier.tier2'] } }, O],
  ['any of no terms', { terms: { tableType: [] } }],
  ['no ids', { ids: { values: [] } }],
];

const WORDS: readonly Clause[] = [
  ['any of some words', { match: { description: 'book nothing' } }, O],
  [
    'all of some words, of which one is missing',
    { match: { description: { query: 'book nothing', operator: 'and' } } },
  ],
  ['all of some words', { match: { description: { query: 'night ORDERS', operator: 'AND' } } }, F],
  ['some of the words', { match: { description: { query: 'book row night', minimum_should_match: 2 } } }, O],
  ['words however they are spelled together', { match: { name: { query: 'fct_orders', operator: 'and' } } }, F],
  ['a word but for its letters', { match: { name: { query: 'custmoer', fuzziness: 'AUTO' } } }, O],
  ['a word but for too many letters', { match: { name: { query: 'cstmr', fuzziness: 1 } } }],
  ['a whole value as words', { match: { 'name.keyword': 'DIM_CUSTOMER' } }, O],
  ['a part of a whole value as words', { match: { 'name.keyword': 'customer' } }],
  ['a flag as words', { match: { deleted: true } }, G],
  ['a row of words', { match_phrase: { description: 'bought a book' } }, O],
  ['a row of words the other way', { match_phrase: { description: 'book a bought' } }],
  ['a row with a word left out', { match_phrase: { description: { query: 'bought book', slop: 1 } } }, O],
  ['a row with a word left out that may not be', { match_phrase: { description: { query: 'bought book', slop: 0 } } }],
  ['words in any of some fields', { multi_match: { query: 'orders', fields: ['name', 'description^2'] } }, F],
  [
    'all words in one of some fields',
    { multi_match: { query: 'customer book', fields: ['name', 'description'], operator: 'and' } },
  ],
  ['a row in any field', { multi_match: { query: 'everybody who', fields: ['description'], type: 'phrase' } }, O],
  ['how a whole value begins', { prefix: { 'name.keyword': 'DIM_' } }, O],
  ['how a word begins', { prefix: { description: 'Load' } }, F],
  ['how a value begins whose case counts', { prefix: { columnNames: 'em' } }, O],
  ['how a value begins whose case counts, in another', { prefix: { columnNames: { value: 'Em' } } }],
  ['how a value begins whose case counts, in any', { prefix: { columnNames: anyCase('Em') } }, O],
  ['a form of a whole value', { wildcard: { 'name.keyword': '*ORD*' } }, F],
  ['a form with one letter open', { wildcard: { 'name.keyword': { value: 'l?dger' } } }, L],
  ['a form of a word', { wildcard: { description: { wildcard: 'b?ok' } } }, O],
  ['a form of a part of a word', { wildcard: { description: 'oo' } }],
  ['a form with a sign behind a backslash', { wildcard: { 'name.keyword': 'dim\\_c*' } }, O],
  ['a form with a star behind a backslash', { wildcard: { 'name.keyword': 'dim\\*' } }],
  ['a form whose case counts', { wildcard: { columnNames: 'EM*' } }],
  ['a form whose case counts, in any', { wildcard: { columnNames: anyCase('EM*') } }, O],
  ['a plain expression', { regexp: { 'name.keyword': 'dim.*er' } }, O],
  ['a plain expression with one letter open', { regexp: { 'name.keyword': { value: 'ledge.' } } }, L],
];

const RANGES: readonly Clause[] = [
  ['more than a number', { range: { totalVotes: { gt: 0 } } }, O, F],
  ['from one number to below another', { range: { totalVotes: { gte: 1, lt: 2 } } }, F],
  ['up to a number', { range: { totalVotes: { lte: 0 } } }, L],
  ['between numbers as text', { range: { version: { gt: '0.1', lte: '0.2' } } }, O],
  ['beyond what is no number', { range: { version: { gt: 'many' } } }],
  ['a day', { range: { 'certification.appliedDate': { gte: '2026-01-31', lte: '2026-01-31' } } }, O],
  ['after a day', { range: { 'certification.appliedDate': { gt: '2026-01-31' } } }, F],
  ['before a day', { range: { 'certification.appliedDate': { lt: '2026-01-31' } } }],
  ['from a moment on', { range: { 'certification.appliedDate': { gte: MAY_MORNING } } }, F],
  ['after a moment', { range: { 'certification.appliedDate': { gt: MAY_MORNING } } }],
  ['until a moment', { range: { 'certification.appliedDate': { lte: '2026-01-31T23:30:00Z' } } }, O],
  [
    'until the same moment elsewhere',
    { range: { 'certification.appliedDate': { lte: '2026-02-01T00:30:00+01:00' } } },
    O,
  ],
  [
    'from a second on',
    { range: { 'certification.appliedDate': { gte: MAY_MORNING / 1000, format: 'epoch_second' } } },
    F,
  ],
  ['before a day and a month', { range: { 'certification.appliedDate': { lt: '2026-01-01||+1M' } } }, O],
  ['since yesterday', { range: { updatedAt: { gte: 'now-1d', lte: 'now' } } }, ...ALL],
  ['since a week ago, by the day', { range: { updatedAt: { gte: 'now-7d/d' } } }, ...ALL],
  ['before yesterday', { range: { updatedAt: { lt: 'now-1d' } } }],
  ['between texts', { range: { 'name.keyword': { gte: 'E', lt: 'M' } } }, F, L],
  ['without an end', { range: { totalVotes: { gte: null } } }, ...ALL],

  ['what has a description', { exists: { field: 'description' } }, O, F],
  ['what has a tier', { exists: { field: 'tier' } }, O],
  ['what has a type', { exists: { field: 'tableType.keyword' } }, O, F],
  ['what has columns in columns', { exists: { field: 'columns.children' } }, O],
  ['what has an empty list', { exists: { field: 'followers' } }],
  ['what has what nobody has', { exists: { field: 'nowhere' } }],
];

const both = (path: string, ...must: readonly object[]) => ({ nested: { path, query: { bool: { must } } } });
const ID = { term: { 'columns.name': 'id' } };
const VARCHAR = { term: { 'columns.dataType': 'varchar' } };

const TOGETHER: readonly Clause[] = [
  ['all of some clauses', { bool: { must: [REGULAR, VOTED] } }, O],
  ['one clause that must hold', { bool: { must: VIEW } }, F],
  ['clauses that must hold in both ways', { bool: { must: [VOTED], filter: VIEW } }, F],
  ['any of some clauses', { bool: { should: [REGULAR, VIEW] } }, O, F],
  ['what should hold beside what must', { bool: { must: VOTED, should: [VIEW] } }, O, F],
  [
    'what should hold beside what must, and has to',
    { bool: { must: VOTED, should: [VIEW], minimum_should_match: 1 } },
    F,
  ],
  ['what must not hold', { bool: { must_not: REGULAR } }, F, L],
  ['neither of two', { bool: { must_not: [REGULAR, VIEW] } }, L],
  ['what must not hold of what nobody has', { bool: { must_not: { term: { nowhere: 'x' } } } }, ...ALL],
  ['two of three', { bool: { should: [REGULAR, VIEW, VOTED], minimum_should_match: 2 } }, O, F],
  ['half of two', { bool: { should: [REGULAR, VOTED], minimum_should_match: '50%' } }, O, F],
  ['more than there are', { bool: { should: [REGULAR, VOTED], minimum_should_match: 3 } }],
  ['nothing at all', { bool: {} }, ...ALL],
  ['not one of some', { bool: { must_not: { bool: { should: [VIEW, { match: { name: 'ledger' } }] } } } }, O],
  ['not both of two', { bool: { must_not: { bool: { must: [VOTED, VIEW] } } } }, O, L],
  [
    'what is live or not',
    { bool: { should: [{ term: { deleted: true } }, { term: { deleted: false } }] } },
    O,
    F,
    G,
    L,
  ],

  ['two conditions on different columns', { bool: { must: [ID, VARCHAR] } }, O],
  ['two conditions on one column', both('columns', ID, VARCHAR)],
  [
    'two conditions that one column fulfils',
    both('columns', { term: { 'columns.name': 'email' } }, { term: { 'columns.tags.tagFQN': 'PII.Sensitive' } }),
    O,
  ],
  ['one condition on a column', { nested: { path: 'columns', query: { match: { 'columns.name': 'order' } } } }, F],
  [
    'a column in a column',
    {
      nested: {
        path: 'columns',
        query: { nested: { path: 'columns.children', query: { term: { 'columns.children.name': 'postcode' } } } },
      },
    },
    O,
  ],
  [
    'any condition on an owner',
    {
      nested: {
        path: 'owners',
        query: {
          bool: { should: [{ term: { 'owners.displayName': 'ada lovelace' } }, { term: { 'owners.name': 'x' } }] },
        },
      },
    },
    O,
  ],
  ['no column that fulfils both', { bool: { must_not: both('columns', ID, VARCHAR) } }, ...ALL],
  ['a condition that is none of columns', both('columns', REGULAR)],
  ['elements of what nobody has', { nested: { path: 'nowhere', query: { match_all: {} } } }],

  ['words of a query, any of them', { query_string: { query: 'postcode night' } }, O, F],
  ['words of a query, all of them', { query_string: { query: 'postcode night', default_operator: 'AND' } }],
  ['words of a query in some fields', { query_string: { query: 'orders', fields: ['name^5', 'displayName'] } }, F],
  ['words of a query in one field', { query_string: { query: 'customer OR book', default_field: 'description' } }, O],
  [
    'a query as clients send it',
    {
      query_string: {
        query: '*cust* AND deleted:false',
        fields: ['name^10', 'displayName'],
        default_operator: 'AND',
        fuzziness: 'AUTO',
        lenient: true,
        analyze_wildcard: true,
      },
    },
    O,
  ],
  ['a simple query', { simple_query_string: { query: '+orders -deleted:true' } }, F],
  ['a clause of constant score', { constant_score: { filter: VIEW, boost: 2 } }, F],
  ['a clause with functions of score', { function_score: { query: VIEW, functions: [], boost_mode: 'sum' } }, F],
];

export const CLAUSE_CASES: readonly Clause[] = [...WHOLE, ...WORDS, ...RANGES, ...TOGETHER];
