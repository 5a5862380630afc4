import * as assert from 'uvu/assert';
import { loadKinds } from '../../src/catalog/registry.ts';
import type { Kind } from '../../src/model/kind/kind.ts';
import type { Capabilities } from '../../src/search/typesense/capabilities.ts';
import { createCircuitBreaker } from '../../src/search/typesense/circuit-breaker.ts';
import {
  collectionNameFor,
  collectionSchemaFor,
  collectionSchemaHash,
  numberFieldName,
  parseCollectionName,
  TERMS_FIELD,
} from '../../src/search/typesense/collection-schema.ts';
import {
  andConditions,
  anyHashCondition,
  betweenCondition,
  formatFilter,
  notCondition,
  orConditions,
  type ServerCondition,
} from '../../src/search/typesense/condition.ts';
import { translateToCondition } from '../../src/search/typesense/filter-condition.ts';
import { buildImportLine } from '../../src/search/typesense/import-line.ts';
import { type EngineQuery, planSearches } from '../../src/search/typesense/plan-searches.ts';
import {
  decodeFacetValue,
  encodeFacetValue,
  hashValue,
  MAX_ORDERED,
  MIN_ORDERED,
  orderedInteger,
  sortableText,
} from '../../src/search/typesense/value-encoding.ts';
import { createFieldNameTest } from '../../src/search-documents/fields.ts';
import { createDocumentMatcher } from '../../src/search-documents/filter/match-document.ts';
import { readFilter } from '../../src/search-documents/filter/read-filter.ts';
import { orFilter, type SearchFilter } from '../../src/search-documents/filter/search-filter.ts';
import { buildStoredDocument } from '../../src/search-documents/index/stored-document.ts';
import { termNumber } from '../../src/search-documents/index/terms.ts';
import { DOCUMENTS } from '../support/documents.ts';
import { suite } from '../support/suite.ts';

/** Shows that filters are translated to Typesense exactly or not at all. */

const test = suite('search: translation to Typesense');

const registry = await loadKinds();
const NOW = Date.UTC(2026, 4, 20, 12);

const kindOf = (entityType: string): Kind => {
  const kind = registry.byType.get(entityType);
  if (!kind) throw new Error(`no kind is called ${entityType}`);
  return kind;
};

const table = kindOf('table');
const isField = createFieldNameTest(registry.kinds);
const read = (query: object): SearchFilter => readFilter(JSON.stringify({ query }), { name: 'query_filter', isField });

type Row = { readonly terms: ReadonlySet<string>; readonly numbers: ReadonlyMap<string, bigint> };

/** A line of an import as a server holds it. */
const rowOf = (line: string): Row => {
  const row = JSON.parse(line) as Readonly<Record<string, unknown>>;
  // JSON has no numbers of 64 bits, the line has.
  const digits = [...line.matchAll(/"number_(\w+)":(-?\d+)/g)].map(
    ([, code = '', text = '']) => [code, BigInt(text)] as const,
  );
  return { terms: new Set(row[TERMS_FIELD] as readonly string[]), numbers: new Map(digits) };
};

const fulfils = (condition: ServerCondition, row: Row): boolean => {
  switch (condition.is) {
    case 'all':
      return true;
    case 'none':
      return false;
    case 'any':
      return condition.hashes.some((hash) => row.terms.has(hash));
    case 'lacks':
      return !condition.hashes.some((hash) => row.terms.has(hash));
    case 'between': {
      const number = row.numbers.get(condition.code);
      return number !== undefined && number >= condition.from && number <= condition.to;
    }
    case 'both':
      return condition.of.every((one) => fulfils(one, row));
    case 'either':
      return condition.of.some((one) => fulfils(one, row));
  }
};

/** What a filter finds by conditions, or why that cannot be said; compared with what the judge finds. */
const isSaidRight = (filter: SearchFilter): boolean => {
  const judge = createDocumentMatcher(filter, registry.byType, NOW);
  let isSaid = true;
  for (const document of DOCUMENTS) {
    const kind = kindOf(String(document['entityType']));
    const condition = translateToCondition(filter, kind, NOW);
    if (!condition) isSaid = false;
    else {
      const row = rowOf(buildImportLine(kind, buildStoredDocument(kind, document), 1));
      assert.is(fulfils(condition, row), judge(document), `${JSON.stringify(filter)} of ${document['name']}`);
    }
  }
  return isSaid;
};

const SAID: readonly object[] = [
  { match_all: {} },
  { match_none: {} },
  { term: { 'tags.tagFQN': 'pii.sensitive' } },
  { term: { 'tier.tagFQN': 'Tier.Tier1' } },
  { term: { 'tier.tagFQN': 'tier.tier1' } },
  { term: { 'tier.tagFQN': { value: 'tier.tier1', case_insensitive: true } } },
  { terms: { tableType: ['regular', 'VIEW'] } },
  { term: { name: 'customer' } },
  { term: { name: 'dim_customer' } },
  { term: { 'name.keyword': 'DIM_customer' } },
  { term: { deleted: true } },
  { term: { deleted: 'no' } },
  { term: { version: 0.3 } },
  { term: { version: '1.2' } },
  { term: { version: 'abc' } },
  { term: { updatedAt: '2026-05-17' } },
  { range: { updatedAt: { gte: 'now-7d', lt: 'now' } } },
  { range: { version: { gt: 0.3 } } },
  { range: { version: { gte: 0.3, lte: 0.3 } } },
  { range: { version: { gt: 'abc' } } },
  { range: { totalVotes: { lt: 5 } } },
  { range: { deleted: { gt: 1 } } },
  { exists: { field: 'description' } },
  { exists: { field: 'schemaDefinition' } },
  { exists: { field: 'owners' } },
  { exists: { field: 'columns.children' } },
  { exists: { field: 'nothing.at.all' } },
  { ids: { values: ['11111111-1111-4111-8111-111111111111', 'x'] } },
  { match: { description: 'night book' } },
  { match: { description: { query: 'night book', operator: 'and' } } },
  { match: { description: { query: 'night book loaded', minimum_should_match: 2 } } },
  { match: { name: 'dim_customer' } },
  { match: { name: 'DimCustomer' } },
  { match_phrase: { description: 'at night' } },
  { match_phrase: { name: 'dim customer' } },
  { multi_match: { query: 'customer', fields: ['name', 'description'] } },
  { nested: { path: 'columns', query: { term: { 'columns.tags.tagFQN': 'PII.None' } } } },
  { nested: { path: 'columns', query: { term: { tableType: 'Regular' } } } },
  { bool: { must_not: { term: { tableType: 'View' } } } },
  { bool: { must_not: { range: { version: { gte: 0.3 } } } } },
  { bool: { must_not: { range: { partitions: { gte: 1 } } } } },
  { bool: { must_not: { bool: { should: [{ term: { deleted: true } }, { term: { name: 'ada' } }] } } } },
  {
    bool: {
      should: [{ term: { deleted: true } }, { exists: { field: 'tags' } }, { term: { serviceType: 'postgres' } }],
      minimum_should_match: 2,
    },
  },
  { query_string: { query: 'customer AND NOT deleted:true' } },
  { query_string: { query: 'description:"at night" OR name:ada' } },
  { constant_score: { filter: { term: { name: 'ada' } } } },
];

test('translated filters match the same documents', () => {
  for (const query of SAID) assert.ok(isSaidRight(read(query)), JSON.stringify(query));
});

const UNSAID: readonly object[] = [
  { prefix: { name: 'dim' } },
  { prefix: { 'name.keyword': 'dim' } },
  { wildcard: { name: '*cust*' } },
  { wildcard: { 'name.keyword': 'd?m*' } },
  { match: { name: { query: 'custmer', fuzziness: 'AUTO' } } },
  { match_phrase: { description: 'everybody who ever' } },
  { query_string: { query: '"at night"' } },
  { match_phrase: { description: { query: 'at book', slop: 3 } } },
  { range: { 'name.keyword': { gte: 'a', lt: 'm' } } },
  { term: { 'displayName.actualCase': 'Customers' } },
  { match: { 'columns.description': 'number' } },
  { term: { 'extension.color': 'blue' } },
  {
    nested: {
      path: 'columns',
      query: { bool: { must: [{ term: { 'columns.name': 'id' } }, { exists: { field: 'columns.tags' } }] } },
    },
  },
];

test('a filter that cannot be translated exactly is not translated', () => {
  for (const query of UNSAID) {
    for (const wrapped of [
      query,
      { bool: { must_not: [query] } },
      { bool: { should: [query, { match_all: {} }], must: [query] } },
    ]) {
      assert.not.ok(isSaidRight(read(wrapped)), JSON.stringify(wrapped));
    }
  }
  assert.is(translateToCondition({ is: 'simple', text: 'customer' }, table, NOW), undefined);
});

test('alternatives are expanded up to 64', () => {
  const one = (name: string): SearchFilter => ({ is: 'term', field: 'name', values: [name], anyCase: false });
  const all = [...'abcdefgh'].map(one);
  assert.ok(translateToCondition(orFilter(all.slice(0, 7), 3), table, NOW), '35 choices');
  assert.is(translateToCondition(orFilter(all, 4), table, NOW), undefined, '70 choices');
});

test('only single conditions are negated', () => {
  const there = (code: string) => `there-${code}`;
  const inner = andConditions([
    anyHashCondition(['a']),
    orConditions([betweenCondition('n', 3n, 5n), anyHashCondition(['b'])]),
  ]);
  const negated = notCondition(inner, there);
  assert.is(
    formatFilter(negated as Exclude<ServerCondition, { is: 'none' }>),
    `(${TERMS_FIELD}:!=[a] || ((number_n:[${MIN_ORDERED}..2] || number_n:[6..${MAX_ORDERED}] || ${TERMS_FIELD}:!=[there-n]) && ${TERMS_FIELD}:!=[b]))`,
  );
  assert.equal(notCondition(notCondition(anyHashCondition(['a']), there), there), anyHashCondition(['a']));
});

test('a filter that the server cannot parse is not sent', () => {
  const many = Array.from({ length: 60 }, (_, at) => betweenCondition(`n${at}`, 0n, 1n));
  assert.is(formatFilter({ is: 'both', of: many }), undefined, 'more than a hundred operations');
  assert.ok(formatFilter({ is: 'both', of: many.slice(0, 40) }));
  assert.is(formatFilter({ is: 'any', hashes: Array.from({ length: 5000 }, (_, at) => String(at)) }), undefined);
});

test('numbers are in order to the last digit', () => {
  const numbers = [Number.NEGATIVE_INFINITY, -1e300, -1.5, -1, -0.1, 0, 5e-324, 0.1, 0.3, 1, 1.5, 2 ** 53, 1e300];
  const ordered = numbers.map((number) => orderedInteger(termNumber.write(number)));
  for (const [at, number] of ordered.entries()) {
    assert.ok(number > MIN_ORDERED && number < MAX_ORDERED);
    if (at > 0) assert.ok((ordered[at - 1] ?? MAX_ORDERED) < number, `${numbers[at]}`);
  }
});

test('counted values are mapped back to their original text', () => {
  for (const text of ['', 'a', 'a-b', 'A-b', 'größe 日本', '\0', 'x'.repeat(150), '"quoted".`and`, listed']) {
    const counted = encodeFacetValue(text) ?? '';
    assert.match(counted, /^[a-z0-9 ]+$/);
    assert.ok(counted.length <= 255 && counted.split(' ').every((word) => word.length <= 100));
    assert.is(decodeFacetValue(counted), text);
  }
  assert.is(encodeFacetValue('x'.repeat(151)), undefined);
});

test('texts are sorted by their code points', () => {
  const texts = ['', 'Z', 'a', 'a b', 'a-b', 'ab', 'é', '日', '\uffee', '😀'];
  assert.equal(
    [...texts].sort((a, b) => (sortableText(a) < sortableText(b) ? -1 : 1)),
    texts,
  );
});

test('a collection has the fields of its kind, and its name identifies them', () => {
  const name = collectionNameFor('x_', table, 1_700_000_000_000);
  assert.match(name, /^x_table_search_index__[0-9a-f]{8}_1700000000000$/);
  assert.equal(parseCollectionName('x_', name), {
    alias: 'x_table_search_index',
    hash: collectionSchemaHash(table),
    made: 1_700_000_000_000,
  });
  for (const other of ['x_table_search_index', 'y_table__12345678_1700000000000', 'x_t__123_1700000000000']) {
    assert.is(parseCollectionName('x_', other), undefined, other);
  }
  const { fields } = collectionSchemaFor(table, name);
  assert.ok(fields.length > 30);
  assert.is(new Set(fields.map((field) => field.name)).size, fields.length);
  assert.ok(fields.every((field) => field.optional || field.name === 'popularity'));
  const hashes = registry.kinds.filter(({ search }) => search.index).map(collectionSchemaHash);
  assert.ok(new Set(hashes).size > 5, 'kinds with other fields have another hash');
});

test('a line contains 64-bit numbers, normalized words and its revision', () => {
  const [document] = DOCUMENTS;
  if (!document) throw new Error('there are no documents');
  const line = buildImportLine(table, buildStoredDocument(table, document), 7);
  const row = JSON.parse(line) as Readonly<Record<string, unknown>>;
  assert.is(row['id'], document['id']);
  assert.is(row['revision'], 7);
  assert.is(row['words_name'], 'dim customer dimcustomer');
  assert.ok((row[TERMS_FIELD] as readonly string[]).every((hash) => /^[0-9a-f]{16}$/.test(hash)));
  assert.match(line, new RegExp(`"${numberFieldName('\\w+')}":4\\d{18}\\b`));
  assert.not.ok(line.includes('Everybody'), 'nothing is kept as it was written');
  assert.is(hashValue('a'), hashValue('a'));
});

const CAN: Capabilities = {
  version: '',
  filters: true,
  sorting: true,
  facets: true,
  ranking: true,
  typing: true,
  sumScore: false,
};
const ALL: SearchFilter = { is: 'all' };
const plain: EngineQuery = {
  q: ALL,
  filter: ALL,
  postFilter: ALL,
  sort: { by: 'score', member: '', isAscending: false },
  behind: null,
  from: 0,
  size: 10,
  aggregates: true,
};
const plan = (question: Partial<EngineQuery>, kinds: readonly Kind[] = [table], can: Partial<Capabilities> = {}) =>
  planSearches({ ...plain, ...question }, kinds, {
    now: NOW,
    can: { ...CAN, ...can },
    aliasFor: ({ entityType }) => entityType,
  });
const phrase = (text: string): SearchFilter => ({ is: 'phrase', field: undefined, text, slop: 0 });

test('one search returns all hits with their counts', () => {
  const { searches = [] } = plan({}) ?? {};
  assert.is(searches.length, 1);
  assert.is(searches[0]?.['sort_by'], 'tieSort:asc');
  assert.is(searches[0]?.['facet_strategy'], 'exhaustive');
  assert.not.ok(searches[0] && 'filter_by' in searches[0]);
});

test('typed words are searched, and counted by equality too', () => {
  const { searches = [], kinds } = plan({ q: { is: 'every', of: [phrase('customer'), phrase('orders')] } }) ?? {};
  assert.is(searches.length, 3, 'hits, counts, and how many there must be');
  assert.is(searches[0]?.q, 'customer orders');
  assert.is(searches[0]?.['num_typos'], 0);
  assert.is(searches[0]?.['prefix'], false);
  assert.match(String(searches[0]?.['query_by']), /^words_(name|displayName),/);
  assert.match(String(searches[0]?.['query_by_weights']), /^100,100,50,/);
  assert.ok(String(searches[0]?.['filter_by']).includes(TERMS_FIELD));
  assert.equal(kinds?.[0]?.check, [0, 2]);
});

const simple = (text: string): SearchFilter => ({ is: 'simple', text });

test('typed text is searched and counted with typos, in the fields that tolerate them', () => {
  const { searches = [], kinds } = plan({ q: simple('Customer ord') }) ?? {};
  assert.is(searches.length, 3, 'hits, counts, and the counts with more candidates');
  for (const search of searches) {
    assert.is(search.q, 'customer ord');
    assert.is(search['prefix'], true);
    assert.is(search['drop_tokens_threshold'], 0);
    assert.equal([search['min_len_1typo'], search['min_len_2typo']], [4, 7]);
    assert.not.ok('filter_by' in search, 'the words are no condition');
    const typos = new Map(
      String(search['query_by'])
        .split(',')
        .map((name, at) => [name, String(search['num_typos']).split(',')[at]]),
    );
    const wanted = ['name', 'description', 'fullyQualifiedName'].map((name) => typos.get(`words_${name}`));
    assert.equal(wanted, ['2', '1', '0']);
  }
  assert.equal(kinds?.[0]?.check, [1, 2]);
  assert.ok(Number(searches[2]?.['max_candidates']) > Number(searches[1]?.['max_candidates']));
  assert.is(searches[0]?.['sort_by'], '_text_match:desc,popularity:desc,tieSort:asc');
});

test('typed text that the server may read differently is left to the graph', () => {
  assert.is(plan({ q: simple('dim_customer') }), undefined, 'a word of several parts may be there as one');
  assert.is(plan({ q: simple('DimCustomer') }), undefined);
  assert.is(plan({ q: simple('größe') }), undefined);
  assert.is(plan({ q: simple('order order') }), undefined, 'finished, and perhaps not');
  assert.is(plan({ q: simple('a b c d e f g h i') }), undefined);
  assert.is(plan({ q: simple('customer') }, [table], { typing: false }), undefined);
  assert.is(plan({ q: simple('customer') }, [table], { ranking: false }), undefined);
  assert.is(plan({ q: simple('customer'), customRanking: {} }), undefined);
  assert.is(plan({ q: simple('customer'), sort: { by: 'score', member: '', isAscending: true } }), undefined);
  assert.is(plan({ q: simple('customer'), sort: { by: 'property', member: 'fqnSort', isAscending: true } }), undefined);
});

test('a post filter does not change the counts', () => {
  const deleted: SearchFilter = { is: 'term', field: 'deleted', values: [true], anyCase: false };
  const { searches = [] } = plan({ postFilter: deleted }) ?? {};
  assert.is(searches.length, 2);
  assert.ok(searches[0] && 'filter_by' in searches[0] && !('facet_by' in searches[0]));
  assert.ok(searches[1] && !('filter_by' in searches[1]) && 'facet_by' in searches[1]);
});

test('a page of more than 250 hits is several concurrent searches', () => {
  const { searches = [], kinds = [] } = plan({ from: 700, size: 400, aggregates: false }) ?? {};
  assert.equal(
    searches.map(({ page, per_page }) => [page, per_page]),
    [
      [3, 250],
      [4, 250],
      [5, 250],
    ],
  );
  assert.equal(
    kinds.map(({ skip }) => skip),
    [200],
  );
  assert.equal(
    plan({ from: 20, size: 10 })?.searches.map(({ page, per_page }) => [page, per_page]),
    [[3, 10]],
  );
});

test('pages that take a server long are left to the graph', () => {
  const topic = kindOf('topic');
  const pages = (from: number, size: number, kinds = [table]) =>
    plan({ from, size, aggregates: false }, kinds)?.searches.length;
  assert.is(pages(9000, 1000), 4, 'one kind begins where its page does');
  assert.is(pages(0, 2000), undefined);
  assert.is(pages(1000, 250, [table, topic]), 10, 'two kinds are merged from their beginning');
  assert.is(pages(1000, 251, [table, topic]), undefined);
  const indexed = registry.kinds.filter(({ search }) => search.index);
  assert.ok(plan({ q: phrase('customer'), size: 250 }, indexed));
  assert.is(plan({ q: phrase('customer'), size: 1250 }, indexed), undefined, 'many kinds are too many searches');
});

test('unsupported requests are not sent to the server', () => {
  assert.is(plan({}, [table], { filters: false }), undefined);
  assert.is(plan({}, [table], { facets: false }), undefined);
  assert.ok(plan({ aggregates: false }, [table], { facets: false }));
  assert.is(plan({ q: phrase('customer') }, [table], { ranking: false }), undefined);
  const byName = { by: 'property', member: 'nameSort', isAscending: true } as const;
  assert.ok(plan({ sort: byName }));
  assert.is(plan({ sort: byName }, [table], { sorting: false }), undefined);
});

test('other sort orders and search_after are left to the graph', () => {
  const or: SearchFilter = { is: 'some', of: [phrase('a'), phrase('b')], least: 1 };
  assert.is(plan({ q: or }), undefined);
  assert.ok(plan({ q: or, sort: { by: 'property', member: 'fqnSort', isAscending: true } }), 'but for its order');
  assert.is(plan({ q: { is: 'boosted', of: phrase('a'), by: 2 } }), undefined);
  assert.is(plan({ q: phrase('dim_customer') }), undefined, 'a word of several parts may be there as one');
  assert.is(plan({ q: phrase('größe') }), undefined);
  assert.is(plan({ q: phrase('customer'), sort: { by: 'score', member: '', isAscending: true } }), undefined);
  assert.is(plan({ behind: { isMissing: false, key: 'a', name: 'a', id: 'a' } }), undefined);
  assert.is(plan({ sort: { by: 'term', member: 'abc123=', isAscending: true } }), undefined);
});

test('the circuit breaker stays open for a while', () => {
  let now = 0;
  const breaker = createCircuitBreaker(() => now, 30_000);
  assert.ok(breaker.isClosed());
  breaker.trip();
  now = 29_999;
  assert.not.ok(breaker.isClosed());
  now = 30_000;
  assert.ok(breaker.isClosed());
  breaker.trip();
  breaker.reset();
  assert.ok(breaker.isClosed());
});

test.run();
