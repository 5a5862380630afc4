import * as assert from 'uvu/assert';
import { CatalogError } from '../../src/errors.ts';
import type { Json } from '../../src/model/json.ts';
import { readFilter, readFilterOrQuery } from '../../src/search-documents/filter/read-filter.ts';
import { DOCUMENTS, found, isField, NAMES } from '../support/documents.ts';
import { HOSTILE_PATTERNS } from '../support/hostile-texts.ts';
import { suite } from '../support/suite.ts';

/** Shows that query filters match the right documents and invalid ones are refused. */

const test = suite('search: filters');

const OPTIONS = { name: 'query_filter', isField };
const read = (filter: string | Json) => readFilter(filter, OPTIONS);

const [CUSTOMER = '', ORDERS = '', ADA = '', LOAD = ''] = NAMES;
const NOBODY: readonly string[] = [];
const [first, second] = DOCUMENTS.map(({ id }) => id as string);

type Case = readonly [what: string, filter: Json, ...names: readonly string[]];

const TERM = { term: { tableType: 'Regular' } };
const VIEW = { term: { tableType: 'View' } };

const CASES: readonly Case[] = [
  ['no clause', {}, ...NAMES],
  ['an outer query', { query: VIEW }, ORDERS],
  ['an empty outer query', { query: {} }, ...NAMES],
  ['match_all', { match_all: {} }, ...NAMES],
  ['match_all with a boost', { match_all: { boost: 2, _name: 'x' } }, ...NAMES],
  ['match_none', { match_none: {} }],

  ['an empty bool', { bool: {} }, ...NAMES],
  ['must as a list', { bool: { must: [{ term: { serviceType: 'Postgres' } }, TERM] } }, CUSTOMER],
  ['must as an object', { bool: { must: TERM } }, CUSTOMER],
  ['filter', { bool: { filter: [TERM], must: { term: { deleted: false } } } }, CUSTOMER],
  ['should', { bool: { should: [TERM, VIEW] } }, CUSTOMER, ORDERS],
  ['should beside must', { bool: { must: TERM, should: [VIEW] } }, CUSTOMER],
  ['should beside must, one wanted', { bool: { must: TERM, should: [VIEW], minimum_should_match: 1 } }],
  ['must_not as an object', { bool: { must_not: TERM } }, ORDERS, ADA, LOAD],
  ['must_not of two', { bool: { must_not: [TERM, VIEW] } }, ADA, LOAD],
  ['must_not of an unknown field', { bool: { must_not: { term: { nothing: 1 } } } }, ...NAMES],
  [
    'two of three',
    {
      bool: {
        should: [TERM, { term: { deleted: false } }, { term: { totalVotes: 5 } }],
        minimum_should_match: 2,
      },
    },
    CUSTOMER,
  ],
  [
    'half of two',
    { bool: { should: [TERM, { term: { deleted: false } }], minimum_should_match: '50%' } },
    CUSTOMER,
    LOAD,
  ],
  ['all but one', { bool: { should: [TERM, { term: { deleted: false } }], minimum_should_match: -1 } }, CUSTOMER, LOAD],
  ['none wanted', { bool: { should: [TERM], minimum_should_match: 0 } }, ...NAMES],
  ['more than there are', { bool: { should: [TERM], minimum_should_match: 2 } }],

  ['a term of a folded field', { term: { tableType: 'REGULAR' } }, CUSTOMER],
  ['a term as an object', { term: { tableType: { value: 'view', boost: 3 } } }, ORDERS],
  ['a term of a folded field with .keyword', { term: { 'service.name.keyword': 'shop' } }, CUSTOMER, ORDERS],
  ['a term of a full name', { term: { fullyQualifiedName: 'shop.SALES.public.dim_customer' } }, CUSTOMER],
  ['a term of an exact field', { term: { columnNames: 'email' } }, CUSTOMER],
  ['a term of an exact field in another case', { term: { columnNames: 'Email' } }],
  [
    'a term of an exact field in any case',
    { term: { columnNames: { value: 'Email', case_insensitive: true } } },
    CUSTOMER,
  ],
  ['a term of a list', { term: { 'owners.displayName.keyword': 'sales eu' } }, CUSTOMER],
  ['a term is one word of a text', { term: { name: 'customer' } }, CUSTOMER],
  ['a term is a whole word of a text', { term: { name: 'DIM_Customer' } }, CUSTOMER],
  ['a term is no two words of a text', { term: { description: 'a book' } }],
  ['a term is the whole of a keyword', { term: { 'name.keyword': 'customer' } }],
  ['a term of a flag', { term: { processedLineage: true } }, CUSTOMER],
  ['a term of a flag as text', { term: { deleted: 'true' } }, ORDERS],
  ['a term of a number', { term: { totalVotes: 5 } }, CUSTOMER],
  ['a term of a number as text', { term: { version: '1.2' } }, ORDERS],
  ['a term of another type', { term: { version: 'abc' } }],
  ['a term of a date', { term: { startDate: '2026-01-01' } }, LOAD],
  ['a term of a moment', { term: { startDate: '2026-01-01T09:00:00+01:00' } }, LOAD],
  ['a term of an unknown field', { term: { nothing: 'x' } }],
  ['a term of a field of another kind', { term: { isAdmin: true } }, ADA],
  ['a term of an object', { term: { owners: 'ada' } }],
  ['a term below lists', { term: { 'columns.tags.tagFQN': 'pii.sensitive' } }, CUSTOMER, ORDERS],
  ['own tags alone', { term: { 'tags.tagFQN': 'PII.Sensitive' } }, CUSTOMER],
  ['an exact tier', { term: { 'tier.tagFQN': 'Tier.Tier1' } }, CUSTOMER],
  ['an exact tier in another case', { term: { 'tier.tagFQN': 'tier.tier1' } }],
  ['a custom text', { term: { 'extension.color': 'blue' } }, CUSTOMER],
  ['a custom text as a whole', { term: { 'extension.color.keyword': 'deep BLUE' } }, CUSTOMER],
  ['a custom number', { term: { 'extension.size': 7 } }, CUSTOMER],
  ['a custom flag', { term: { 'extension.hot': true } }, CUSTOMER],
  ['a name that everything inherits', { term: { 'extension.constructor': 'x' } }],

  ['terms', { terms: { tableType: ['view', 'Regular'] } }, CUSTOMER, ORDERS],
  ['terms with a boost', { terms: { 'name.keyword': ['ada'], boost: 1 } }, ADA],
  ['no terms', { terms: { tableType: [] } }],
  ['ids', { ids: { values: [first ?? '', 'x'] } }, CUSTOMER],
  ['no ids', { ids: { values: [] } }],
  ['an id as a term', { terms: { _id: [second ?? ''] } }, ORDERS],

  ['match of any word', { match: { description: 'Book nothing' } }, CUSTOMER],
  ['match of all words', { match: { description: { query: 'book nothing', operator: 'AND' } } }],
  ['match of all words, all there', { match: { description: { query: 'night LOADED', operator: 'and' } } }, CUSTOMER],
  ['match of parts', { match: { name: 'customer' } }, CUSTOMER],
  ['match of another spelling', { match: { name: { query: 'DimCustomer', operator: 'and' } } }, CUSTOMER],
  ['match of the joined spelling', { match: { name: 'fctorders' } }, ORDERS],
  ['match with typos', { match: { name: { query: 'custmoer', fuzziness: 'AUTO' } } }, CUSTOMER],
  ['match with too few typos allowed', { match: { name: { query: 'cstmr', fuzziness: 1 } } }],
  [
    'match of two words of three',
    { match: { description: { query: 'book row nothing', minimum_should_match: 2 } } },
    CUSTOMER,
  ],
  ['match of most words', { match: { description: { query: 'book x y', minimum_should_match: '70%' } } }],
  ['match of a keyword', { match: { 'name.keyword': 'DIM_CUSTOMER' } }, CUSTOMER],
  ['match of a part of a keyword', { match: { 'name.keyword': 'customer' } }],
  ['match of a flag', { match: { deleted: true } }, ORDERS],
  ['match of punctuation', { match: { name: '%%' } }],
  ['match of punctuation that means all', { match: { name: { query: '%%', zero_terms_query: 'all' } } }, ...NAMES],
  ['match across a list', { match: { 'columns.name': { query: 'email address', operator: 'and' } } }, CUSTOMER],

  ['match_phrase', { match_phrase: { description: 'bought a book' } }, CUSTOMER],
  ['match_phrase out of order', { match_phrase: { description: 'book a bought' } }],
  ['match_phrase with slop', { match_phrase: { description: { query: 'bought book', slop: 1 } } }, CUSTOMER],
  ['match_phrase with too little slop', { match_phrase: { description: { query: 'ever book', slop: 1 } } }],
  ['match_phrase swapped, within slop', { match_phrase: { description: { query: 'book a', slop: 2 } } }, CUSTOMER],
  ['match_phrase of one word twice', { match_phrase: { description: { query: 'book book', slop: 5 } } }],
  ['match_phrase over a list', { match_phrase: { 'columns.name': 'email address' } }],
  ['match_phrase through words', { match_phrase: { description: 'loads dim customer and' } }, LOAD],
  ['match_phrase through other spellings', { match_phrase: { description: 'Loads DimCustomer and' } }, LOAD],
  ['match_phrase of a keyword', { match_phrase: { 'name.keyword': 'Nightly Load' } }, LOAD],

  ['multi_match', { multi_match: { query: 'night', fields: ['name', 'description^2'] } }, CUSTOMER, LOAD],
  [
    'multi_match of all words in one field',
    { multi_match: { query: 'dim night', fields: ['name', 'description'], operator: 'and' } },
    LOAD,
  ],
  ['multi_match of a phrase', { multi_match: { query: 'one row', fields: ['description'], type: 'phrase' } }, CUSTOMER],
  ['multi_match everywhere', { multi_match: { query: 'airflow' } }, LOAD],
  [
    'multi_match with typos',
    { multi_match: { query: 'airflwo', fields: ['fqnParts', 'name', '*'], fuzziness: 2 } },
    LOAD,
  ],

  ['prefix of a keyword', { prefix: { 'name.keyword': 'DIM_' } }, CUSTOMER],
  ['prefix of a word', { prefix: { description: 'Load' } }, CUSTOMER, LOAD],
  ['prefix of an exact field', { prefix: { columnNames: { value: 'Add' } } }],
  [
    'prefix of an exact field in any case',
    { prefix: { columnNames: { value: 'Add', case_insensitive: true } } },
    CUSTOMER,
  ],
  ['prefix of a number', { prefix: { version: '1' } }],

  ['wildcard of a keyword', { wildcard: { 'name.keyword': '*CUST*' } }, CUSTOMER],
  ['wildcard of one character', { wildcard: { 'name.keyword': { value: 'a?a' } } }, ADA],
  ['wildcard of a word', { wildcard: { description: { wildcard: 'b?ok' } } }, CUSTOMER],
  ['wildcard of a word is no part of it', { wildcard: { description: 'oo' } }],
  ['wildcard with an escape', { wildcard: { 'name.keyword': 'dim\\_c*' } }, CUSTOMER],
  ['wildcard with an escaped star', { wildcard: { 'name.keyword': 'dim\\*' } }],
  ['wildcard of an exact field', { wildcard: { columnNames: 'ADD*' } }],
  [
    'wildcard of an exact field in any case',
    { wildcard: { columnNames: { value: 'ADD*', case_insensitive: true } } },
    CUSTOMER,
  ],

  ['regexp', { regexp: { 'name.keyword': 'dim.*er' } }, CUSTOMER],
  ['regexp of one character', { regexp: { 'name.keyword': { value: 'ad.' } } }, ADA],
  ['regexp with an escape', { regexp: { fullyQualifiedName: 'shop\\..*\\.dim_customer' } }, CUSTOMER],

  ['range of numbers', { range: { totalVotes: { gt: 2, lte: 5 } } }, CUSTOMER],
  ['range with its ends', { range: { totalVotes: { gte: 2, lte: '5' } } }, CUSTOMER, LOAD],
  ['range up to now', { range: { updatedAt: { gte: 'now-7d', lte: 'now' } } }, CUSTOMER, ADA],
  ['range of a day', { range: { updatedAt: { gte: '2026-01-31', lte: '2026-01-31' } } }, LOAD],
  ['range before a day', { range: { updatedAt: { lt: '2026-01-31' } } }],
  ['range after a day', { range: { updatedAt: { gt: '2026-01-31', lt: '2026-05-01' } } }, ORDERS],
  ['range of milliseconds', { range: { updatedAt: { gte: Date.UTC(2026, 4, 20, 12) } } }, ADA],
  ['range of seconds', { range: { updatedAt: { gte: Date.UTC(2026, 4, 20) / 1000, format: 'epoch_second' } } }, ADA],
  ['range of a rounded month', { range: { updatedAt: { gte: 'now/M' } } }, CUSTOMER, ADA],
  ['range from a sum', { range: { updatedAt: { lt: '2026-01-01||+1M' } } }, LOAD],
  ['range of texts', { range: { 'name.keyword': { gte: 'B', lt: 'E' } } }, CUSTOMER],
  ['range of names as a whole', { range: { name: { gte: 'n' } } }, LOAD],
  ['range without an end', { range: { isAdmin: { gte: null } } }, ADA],
  ['range of another type', { range: { totalVotes: { gt: 'many' } } }],
  ['range of flags', { range: { deleted: { gte: false } } }],

  ['exists', { exists: { field: 'schemaDefinition' } }, CUSTOMER],
  ['exists of a keyword', { exists: { field: 'email.keyword' } }, ADA],
  ['exists of an object', { exists: { field: 'tier' } }, CUSTOMER],
  ['exists of an empty list', { exists: { field: 'followers' } }, ORDERS],
  ['exists below a list', { exists: { field: 'tasks.description' } }, LOAD],
  ['exists of an unknown field', { exists: { field: 'nothing' } }],

  [
    'two conditions on different elements',
    { bool: { must: [{ term: { 'columns.name': 'id' } }, { term: { 'columns.dataType': 'varchar' } }] } },
    CUSTOMER,
  ],
  [
    'nested: two conditions on one element',
    {
      nested: {
        path: 'columns',
        query: { bool: { must: [{ term: { 'columns.name': 'id' } }, { term: { 'columns.dataType': 'varchar' } }] } },
      },
    },
  ],
  [
    'nested: one element that has both',
    {
      nested: {
        path: 'columns',
        query: {
          bool: { must: [{ term: { 'columns.name': 'email' } }, { term: { 'columns.tags.tagFQN': 'PII.Sensitive' } }] },
        },
        score_mode: 'none',
        ignore_unmapped: true,
      },
    },
    CUSTOMER,
  ],
  [
    'nested in nested',
    {
      nested: {
        path: 'columns',
        query: { nested: { path: 'columns.children', query: { match: { 'columns.children.name': 'postcode' } } } },
      },
    },
    CUSTOMER,
  ],
  ['nested sees nothing outside', { nested: { path: 'columns', query: TERM } }],
  ['nested sees no other list', { nested: { path: 'owners', query: { term: { 'columns.name': 'ada' } } } }],
  ['nested of an object', { nested: { path: 'service', query: { term: { 'service.id': 's1' } } } }, CUSTOMER, ORDERS],
  ['nested of an unknown path', { nested: { path: 'nothing', query: { match_all: {} } } }],
  [
    'nested with should',
    {
      nested: {
        path: 'owners',
        query: { bool: { should: [{ term: { 'owners.name': 'ada' } }, { term: { 'owners.name': 'bob' } }] } },
      },
    },
    CUSTOMER,
  ],

  ['query_string is OR by itself', { query_string: { query: 'postcode airflow' } }, CUSTOMER, LOAD],
  ['query_string with AND', { query_string: { query: 'nightly airflow', default_operator: 'AND' } }, LOAD],
  ['query_string over fields', { query_string: { query: 'customer', fields: ['name^5', 'displayName'] } }, CUSTOMER],
  ['query_string over one field', { query_string: { query: 'customer', default_field: 'description' } }, LOAD],
  [
    'query_string as clients send it',
    {
      query_string: {
        query: '*ada* AND isBot:false',
        fields: ['name^10', 'displayName'],
        default_operator: 'AND',
        fuzziness: 'AUTO',
        lenient: true,
        analyze_wildcard: true,
      },
    },
    ADA,
  ],
  ['query_string of typos', { query_string: { query: 'custmer~', fields: ['name'], fuzziness: 'AUTO' } }, CUSTOMER],
  ['query_string without a word', { query_string: { query: '' } }],
  ['simple_query_string', { simple_query_string: { query: '+customer -deleted:true' } }, CUSTOMER, LOAD],
  ['constant_score', { constant_score: { filter: TERM, boost: 2 } }, CUSTOMER],
  ['function_score', { function_score: { query: VIEW, functions: [], boost_mode: 'sum' } }, ORDERS],
  ['function_score of everything', { function_score: { boost: 5 } }, ...NAMES],
];

for (const [what, filter, ...names] of CASES) {
  test(`${what} finds ${names.length === NAMES.length ? 'everything' : names.join(', ') || 'nothing'}`, () => {
    assert.equal(found(read(filter)), names.length === 0 ? NOBODY : names);
    assert.equal(found(read(JSON.stringify(filter))), names.length === 0 ? NOBODY : names, 'as text');
  });
}

const deep = (depth: number): Json => (depth === 1 ? { match_all: {} } : { bool: { must: deep(depth - 1) } });
const many = (count: number, one: Json): Json[] => new Array<Json>(count).fill(one);

type Refused = readonly [what: string, filter: string | Json, message: RegExp];

const REFUSED: readonly Refused[] = [
  ['no JSON', '{"term":', /^\[query_filter must be JSON\]$/],
  ['a list', '[]', /^\[query_filter must be a JSON object\]$/],
  ['a number', '5', /must be a JSON object/],
  ['null', 'null', /must be a JSON object/],
  ['text nested without end', '['.repeat(5000), /nested more than 100 levels/],
  ['an unknown clause', { geo_shape: {} }, /^\[query_filter at geo_shape: is no clause that is understood\]$/],
  ['a name that everything inherits', { constructor: {} }, /at constructor: is no clause/],
  ['two clauses in one', { term: { a: 1 }, match_all: {} }, /must have exactly one clause/],
  ['a clause of null', { bool: null }, /at bool: must be an object/],
  ['a list as a clause', { bool: [] }, /at bool: must be an object/],
  ['an unknown member', { bool: { musst: [] } }, /at bool\.musst: is not understood/],
  ['a text among the clauses', { bool: { must: [{ match_all: {} }, 'x'] } }, /at bool\.must\[1\]: must be an object/],
  ['a text instead of clauses', { bool: { must_not: 'x' } }, /at bool\.must_not: must be an object/],
  ['an empty clause inside', { bool: { should: [{}] } }, /at bool\.should\[0\]: must have exactly one clause/],
  [
    'a share that is none',
    { bool: { should: [], minimum_should_match: 'most' } },
    /minimum_should_match: must be a whole number or a percentage/,
  ],
  ['a fraction', { bool: { should: [], minimum_should_match: 1.5 } }, /minimum_should_match/],
  ['a term without a field', { term: {} }, /at term: must name exactly one field/],
  ['a term of two fields', { term: { a: 1, b: 2 } }, /at term: must name exactly one field/],
  ['a term without a value', { term: { name: { boost: 1 } } }, /at term\.name\.value: is missing/],
  ['a term of null', { term: { name: null } }, /at term\.name: must be a string, a number or a boolean/],
  ['a term of a list', { term: { name: ['a'] } }, /at term\.name: must be a string/],
  [
    'a term with an unknown option',
    { term: { name: { value: 'a', fuzz: 1 } } },
    /at term\.name\.fuzz: is not understood/,
  ],
  ['a term with a flag that is none', { term: { name: { value: 'a', case_insensitive: 1 } } }, /must be true or false/],
  ['a term without a name', { term: { '': 'x' } }, /must name a field/],
  ['terms that are no list', { terms: { name: 'a' } }, /at terms\.name: must be a list/],
  ['terms of objects', { terms: { name: ['a', {}] } }, /at terms\.name\[1\]: must be a string/],
  ['too many terms', { terms: { name: many(1025, 'a') } }, /must have at most 1024 values/],
  ['too many ids', { ids: { values: many(1025, 'a') } }, /must have at most 1024 values/],
  ['ids without values', { ids: {} }, /at ids\.values: is missing/],
  ['ids of numbers', { ids: { values: [1] } }, /at ids\.values\[0\]: must be a string/],
  ['match without a query', { match: { name: {} } }, /at match\.name\.query: is missing/],
  ['match with a strange operator', { match: { name: { query: 'a', operator: 'xor' } } }, /must be AND or OR/],
  ['match with much fuzziness', { match: { name: { query: 'a', fuzziness: 3 } } }, /must be 0, 1, 2 or AUTO/],
  ['match of very many words', { match: { name: 'a '.repeat(1025) } }, /more than 1024 words/],
  [
    'match_phrase with much slop',
    { match_phrase: { name: { query: 'a', slop: 11 } } },
    /slop: must be a whole number from 0 to 10/,
  ],
  [
    'match_phrase with slop of many words',
    { match_phrase: { name: { query: 'a '.repeat(33), slop: 1 } } },
    /more than 32 words/,
  ],
  ['multi_match of an unknown type', { multi_match: { query: 'a', type: 'worst' } }, /must be one of best_fields/],
  [
    'multi_match of fields that are none',
    { multi_match: { query: 'a', fields: [1] } },
    /fields\[0\]: must be a string/,
  ],
  [
    'multi_match of a weight that is none',
    { multi_match: { query: 'a', fields: ['a^b'] } },
    /fields\[0\]: must name a field/,
  ],
  ['prefix of a number', { prefix: { name: 1 } }, /at prefix\.name: must be a string/],
  ['wildcard without a pattern', { wildcard: { name: {} } }, /is missing/],
  ['a long wildcard', { wildcard: { name: '*'.repeat(4097) } }, /at most 4096 characters/],
  ['regexp with a class', { regexp: { name: '[a-z]+' } }, /only plain characters, \. and \.\* are understood/],
  ['regexp with a choice', { regexp: { name: 'a|b' } }, /only plain/],
  ['regexp with a class behind a backslash', { regexp: { name: '\\d' } }, /only plain/],
  ['regexp that repeats', { regexp: { name: 'a*' } }, /only plain/],
  ['range of no bounds', { range: { updatedAt: 5 } }, /at range\.updatedAt: must be an object/],
  ['range of an unknown bound', { range: { updatedAt: { from: 5 } } }, /from: is not understood/],
  ['range of a list', { range: { updatedAt: { gt: [] } } }, /at range\.updatedAt\.gt: must be a string/],
  ['range of an unknown format', { range: { updatedAt: { gt: 5, format: 'QQ' } } }, /format: is not understood/],
  ['exists without a field', { exists: {} }, /at exists\.field: is missing/],
  ['exists of a number', { exists: { field: 5 } }, /at exists\.field: must be a string/],
  ['nested without a path', { nested: { query: { match_all: {} } } }, /at nested\.path: is missing/],
  ['nested without a query', { nested: { path: 'columns' } }, /at nested\.query: is missing/],
  ['constant_score without a filter', { constant_score: {} }, /at constant_score\.filter: is missing/],
  ['query_string without a query', { query_string: {} }, /at query_string\.query: is missing/],
  [
    'query_string of bad grammar',
    { bool: { must: [{ query_string: { query: 'a AND (b' } }] } },
    /^\[query_filter at bool\.must\[0\]\.query_string\.query: unclosed \( at character 7\]$/,
  ],
  ['a long query_string', { query_string: { query: 'a'.repeat(4097) } }, /at most 4096 characters/],
  ['clauses inside each other', deep(21), /more than 20 clauses inside each other/],
  ['very many clauses', { bool: { should: many(1024, { match_all: {} }) } }, /more than 1024 clauses/],
  [
    'very many clauses together with words',
    { bool: { should: many(600, { query_string: { query: 'a b' } }) } },
    /more than 1024 clauses/,
  ],
  ['a very long value', { term: { name: 'a'.repeat(40_000) } }, /at most 32766 characters/],
];

for (const [what, filter, message] of REFUSED) {
  test(`a filter is refused: ${what}`, () => {
    assert.throws(
      () => read(filter),
      (failure: unknown) => {
        assert.instance(failure, CatalogError);
        const { code, message: told } = failure as CatalogError;
        assert.is(code, 'bad_request');
        assert.match(told, message);
        return true;
      },
    );
  });
}

test('a filter within the limits is read', () => {
  assert.equal(found(read(deep(20))), NAMES);
  assert.equal(found(read({ bool: { should: many(1023, { match_none: {} }) } })), []);
  assert.equal(found(read({ terms: { 'name.keyword': [...many(1023, 'x'), 'ada'] } })), [ADA]);
});

test('a blank text is no filter', () => {
  assert.equal(found(read('')), NAMES);
  assert.equal(found(read('  ')), NAMES);
});

test('a filter may be written as a query', () => {
  const either = (text: string) => found(readFilterOrQuery(text, OPTIONS));
  assert.equal(either(' {"term": {"tableType": "View"}} '), [ORDERS]);
  assert.equal(either('tableType:View OR name:ada'), [ORDERS, ADA]);
  assert.equal(either('custmer'), [CUSTOMER, ORDERS, LOAD]);
  assert.equal(either(''), NAMES);
  assert.throws(() => either('{"term"'), /must be JSON/);
  assert.throws(() => either('a AND'), /^\[query_filter: operator without an operand at character 3\]$/);
});

test('patterns that invite backtracking are matched', () => {
  for (const text of HOSTILE_PATTERNS.texts) assert.equal(HOSTILE_PATTERNS.read(text), []);
});

test.run();
