import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../support/expect.ts';
import { createRightsFactory } from '../support/rights.ts';
import { type Client, openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that search finds what was just written, in the order of relevance. */

const test = suite('search: queries');

let service: Service;
/** A service with a schema below it in which all tables of these tests lie. */
let root: string;
let schema: string;

const TABLES: readonly (readonly [name: string, more?: object])[] = [
  ['dim_customer', { description: 'Who buys, one row each', tableType: 'Regular' }],
  ['customer', { description: 'The raw feed' }],
  ['customer_orders', { displayName: 'Orders of customers' }],
  ['fct_sales', { description: 'What every customer bought' }],
  ['DimProduct', { tags: [{ tagFQN: 'PII.Sensitive', source: 'Classification' }], tableType: 'View' }],
  ["it's 100% done!", { description: 'a/b:c and [draft]' }],
  ['größe', {}],
];

test.before(async () => {
  service = await openService();
  root = uniqueName('seek');
  const { admin } = service;
  ok(await admin.post('/v1/services/databaseServices', { name: root, serviceType: 'Mysql' }), 201);
  ok(await admin.post('/v1/databases', { name: 'db', service: root }), 201);
  ok(await admin.post('/v1/databaseSchemas', { name: 'sc', database: `${root}.db` }), 201);
  schema = `${root}.db.sc`;
  for (const [name, more = {}] of TABLES) {
    const columns = [
      { name: 'id', dataType: 'BIGINT' },
      { name: `${name.replace(/\W/g, '_')}_key`, dataType: 'INT', description: 'points home' },
    ];
    ok(await admin.post('/v1/tables', { name, databaseSchema: schema, columns, ...more }), 201);
  }
});

const at = (parameters: Readonly<Record<string, string | readonly string[]>>): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) for (const one of [value].flat()) query.append(name, one);
  return `/v1/search/query?${query}`;
};

const here = (): string =>
  JSON.stringify({ query: { bool: { must: [{ term: { 'databaseSchema.fullyQualifiedName': schema } }] } } });

const search = async (
  parameters: Readonly<Record<string, string | readonly string[]>>,
  client: Client = service.admin,
) => ok(await client.get(at({ query_filter: here(), ...parameters })));

// biome-ignore lint/suspicious/noExplicitAny: answers of searches are looked at in many ways.
const names = ({ hits }: any): string[] => hits.hits.map((hit: any) => hit._source.name);

const found = async (q: string, more: Readonly<Record<string, string>> = {}): Promise<string[]> =>
  names(await search({ q, ...more }));

test('a new record is found at once, and hits come in the order of relevance', async () => {
  assert.is((await found('dim_customer'))[0], 'dim_customer');
  assert.is((await found('DimCustomer'))[0], 'dim_customer');
  assert.is((await found('dimcustomer'))[0], 'dim_customer');
  assert.equal((await found('customer')).slice(0, 2), ['customer', 'customer_orders']);
  assert.ok((await found('customer')).includes('dim_customer'));
  assert.ok((await found('custmer')).includes('dim_customer'));
  assert.ok((await found('cust')).includes('dim_customer'));
  assert.equal(await found('GRÖßE'), ['größe']);
});

test('a name is found as people type it', async () => {
  for (const text of ["it's 100% done!", '"[draft]"', 'a/b:c', "it's"]) {
    assert.is((await found(text))[0], "it's 100% done!", text);
  }
});

test('simple text matches any word when no record has all of them', async () => {
  assert.ok((await found('dim_customer nonexistentword')).includes('dim_customer'));
  assert.equal(await found('+dim_customer +nonexistentword'), []);
});

test('the query grammar works', async () => {
  const sorted = async (q: string) => (await found(q, { sort_field: 'name', sort_order: 'asc' })).sort();
  assert.equal(await sorted('name:customer AND NOT description:raw'), ['customer_orders', 'dim_customer']);
  assert.equal(await sorted('tableType:View'), ['DimProduct']);
  assert.equal(await sorted('tags.tagFQN:PII.Sensitive'), ['DimProduct']);
  assert.equal(await sorted('columnNames:dim_customer_key'), ['dim_customer']);
  assert.equal(await sorted('columns.description:home AND name:fct*'), ['fct_sales']);
  assert.equal(await sorted('"every customer bought"'), ['fct_sales']);
  assert.equal(await sorted('(dim OR fct) AND -customer'), ['DimProduct']);
  assert.equal(await sorted('version:>=0.1 AND d?m*'), ['DimProduct', 'dim_customer']);
  assert.is((await found('*')).length, TABLES.length);
});

test('hits are sorted and paged', async () => {
  const all = names(await search({ sort_field: 'name', sort_order: 'asc', size: '100' }));
  assert.equal(
    all,
    [...all].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
  );
  const down = names(await search({ sort_field: 'name.keyword', sort_order: 'DESC', size: '100' }));
  assert.equal(down, [...all].reverse());
  for (const field of [
    'name',
    'displayName',
    'fullyQualifiedName',
    'updatedAt',
    'tableType',
    'version',
    '_score',
    'totalVotes',
    'owners.name',
  ]) {
    for (const order of ['asc', 'desc']) {
      const whole = names(
        await search({ q: 'customer OR dim* OR größe', sort_field: field, sort_order: order, size: '100' }),
      );
      const walked: string[] = [];
      for (let after: string[] = []; ; ) {
        const page = await search({
          q: 'customer OR dim* OR größe',
          sort_field: field,
          sort_order: order,
          size: '2',
          ...(after.length > 0 ? { search_after: after } : {}),
        });
        assert.is(page.hits.total.value, whole.length);
        if (page.hits.hits.length === 0) break;
        walked.push(...names(page));
        after = page.hits.hits.at(-1).sort.map(String);
      }
      assert.equal(walked, whole, `${field} ${order}`);
    }
  }
  assert.equal(names(await search({ sort_field: 'name', sort_order: 'asc', from: '2', size: '2' })), all.slice(2, 4));
});

test('the answer has the members of the contract', async () => {
  const reply = await service.admin.get(at({ q: 'dim_customer', query_filter: here(), explain: 'true' }));
  assert.is(reply.headers.get('x-search-engine'), 'neo4j');
  const { took, timed_out, _shards, hits } = ok(reply);
  assert.ok(Number.isInteger(took));
  assert.is(timed_out, false);
  assert.equal(_shards, { total: 1, successful: 1, skipped: 0, failed: 0 });
  const [hit] = hits.hits;
  assert.is(hit._index, 'table_search_index');
  assert.is(hit._id, hit._source.id);
  assert.is(hits.max_score, hit._score);
  assert.is(hit._source.fullyQualifiedName, `${schema}.dim_customer`);
  assert.is(hit._source.entityType, 'table');
  assert.equal(hit.sort, [hit._score, 'dim_customer', hit._id]);
  assert.match(hit.highlight.name[0], 'text-highlighter');
  const { value, description, details } = hit._explanation;
  assert.is(value, hit._score);
  assert.match(description, /^Neo4j/);
  const told = new Map(details.map((one: { description: string; value: number }) => [one.description, one.value]));
  const inFields = (name: string) => told.get(`weight of ${name}, which has dim_customer`);
  assert.equal([inFields('name'), inFields('displayName'), inFields('description')], [10, 10, undefined]);
  assert.ok(details.every((one: { details: unknown[] }) => one.details.length === 0));
  const [other] = (await search({ q: 'buys', explain: 'true' })).hits.hits;
  assert.equal(other._explanation.details, [
    { value: 2, description: 'weight of description, which has buys', details: [] },
  ]);
  const bare = await search({ q: 'dim_customer', fetch_source: 'false' });
  assert.is('_source' in bare.hits.hits[0], false);
  const some = await search({ q: 'dim_customer', include_source_fields: 'name,columns.name' });
  assert.equal(Object.keys(some.hits.hits[0]._source).sort(), ['columns', 'name']);
  const none = await search({ q: 'name:nothinglikethis' });
  assert.equal(none.hits, { total: { value: 0, relation: 'eq' }, max_score: null, hits: [] });
});

test('deleted records are found on request only', async () => {
  const { admin } = service;
  const { id } = ok(await admin.post('/v1/tables', { name: 'gone_away', databaseSchema: schema, columns: [] }), 201);
  assert.equal(await found('gone_away'), ['gone_away']);
  ok(await admin.delete(`/v1/tables/${id}`));
  assert.equal(await found('"gone_away"'), []);
  assert.equal(await found('"gone_away"', { deleted: 'true' }), ['gone_away']);
  assert.equal(await found('"gone_away" AND deleted:true'), ['gone_away']);
  const byId = await search({ query_filter: JSON.stringify({ ids: { values: [id] } }) });
  assert.equal(names(byId), ['gone_away']);
  ok(await admin.put('/v1/tables/restore', { id }));
  assert.equal(await found('gone_away'), ['gone_away']);
  ok(await admin.delete(`/v1/tables/${id}?hardDelete=true`));
  assert.equal(await found('"gone_away"', { deleted: 'true' }), []);
});

test('a filter may have more values than one index query takes', async () => {
  const { id } = ok(await service.admin.get(`/v1/tables/name/${schema}.customer`));
  const many = Array.from({ length: 1023 }, () => crypto.randomUUID());
  const ids = JSON.stringify({ ids: { values: [...many, id] } });
  assert.equal(names(await search({ q: 'customer', query_filter: ids })), ['customer']);
  const terms = {
    bool: {
      must: [JSON.parse(here()).query, { terms: { 'name.keyword': [...many.slice(1), 'customer', 'fct_sales'] } }],
    },
  };
  const { hits, aggregations } = await search({
    query_filter: JSON.stringify(terms),
    sort_field: 'name',
    sort_order: 'asc',
  });
  assert.equal(names({ hits }), ['customer', 'fct_sales']);
  assert.is(hits.total.value, 2);
  assert.equal(aggregations['sterms#entityType'].buckets, [{ key: 'table', doc_count: 2 }]);
});

test('hidden records are neither found nor counted', async () => {
  const rights = createRightsFactory(service);
  const caller = await rights.person([
    { effect: 'deny', operations: ['ViewAll'], resources: ['table'], condition: "matchAnyTag('PII.Sensitive')" },
  ]);
  const seen = await search({ size: '100' }, caller);
  assert.is(seen.hits.total.value, TABLES.length - 1);
  assert.not(names(seen).includes('DimProduct'));
  const blind = await rights.person([{ effect: 'deny', operations: ['All'], resources: ['table'] }]);
  expectRefused(await blind.get(at({ q: 'x' })), 403);
  assert.is(
    (await search({ index: 'table,databaseSchema', query_filter: '', q: `"${root}.db.sc"` }, blind)).hits.hits[0]
      ._index,
    'database_schema_search_index',
  );
  await rights.clear();
});

test('hits are counted in facets', async () => {
  const buckets = async (parameters: Readonly<Record<string, string>>, name: string) =>
    (await search(parameters)).aggregations[`sterms#${name}`].buckets;
  assert.equal(await buckets({}, 'tableType'), [
    { key: 'regular', doc_count: 1 },
    { key: 'view', doc_count: 1 },
  ]);
  assert.equal(await buckets({}, 'entityType'), [{ key: 'table', doc_count: TABLES.length }]);
  assert.equal(await buckets({}, 'tags.tagFQN'), [{ key: 'pii.sensitive', doc_count: 1 }]);
  const [first, ...rest] = await buckets({}, 'columns.name.keyword');
  assert.equal(first, { key: 'id', doc_count: TABLES.length });
  assert.equal(
    rest.map((bucket: { key: string }) => bucket.key),
    rest.map((bucket: { key: string }) => bucket.key).sort(),
  );
  assert.equal(await buckets({ q: 'tableType:View' }, 'tableType'), [{ key: 'view', doc_count: 1 }]);
  const filtered = await search({ post_filter: JSON.stringify({ term: { tableType: 'View' } }) });
  assert.equal(names(filtered), ['DimProduct']);
  assert.is(filtered.aggregations['sterms#tableType'].buckets.length, 2);
  const { aggregations } = await search({ q: '"nothing of that sort"' });
  assert.equal(aggregations['sterms#serviceType'], {
    doc_count_error_upper_bound: 0,
    sum_other_doc_count: 0,
    buckets: [],
  });
  assert.ok('sterms#domain.displayName.keyword' in aggregations);
  assert.is('aggregations' in (await search({ include_aggregations: 'false' })), false);
});

test('several indexes are searched at once', async () => {
  const { hits, _shards } = await search({
    index: 'all',
    q: `fullyQualifiedName:${root}*`,
    query_filter: '',
    size: '100',
  });
  assert.is(hits.total.value, TABLES.length + 3);
  assert.ok(_shards.total > 20);
  assert.equal([...new Set(hits.hits.map((hit: { _index: string }) => hit._index))].sort(), [
    'database_schema_search_index',
    'database_search_index',
    'database_service_search_index',
    'table_search_index',
  ]);
});

const get = async (path: string, parameters: Readonly<Record<string, string>> = {}) =>
  ok(await service.admin.get(`/v1/search/${path}?${new URLSearchParams({ query_filter: here(), ...parameters })}`));

test('values are found by their form, in any case', async () => {
  assert.equal(names(await get('fieldQuery', { fieldName: 'name', fieldValue: 'DIM*' })).sort(), [
    'DimProduct',
    'dim_customer',
  ]);
  assert.equal(names(await get('fieldQuery', { fieldName: 'fullyQualifiedName', fieldValue: `${schema}.CUSTOMER` })), [
    'customer',
  ]);
  expectRefused(await service.admin.get('/v1/search/fieldQuery?fieldName=name'), 400);
  expectRefused(await service.admin.get('/v1/search/fieldQuery?fieldValue=name'), 400);
});

test('records are found by their source URL', async () => {
  const sourceUrl = `https://warehouse.example/${root}/T?x=1&y=A`;
  const { id } = ok(
    await service.admin.post('/v1/tables', { name: 'sourced', databaseSchema: schema, columns: [], sourceUrl }),
    201,
  );
  assert.equal(names(await get('sourceUrl', { sourceUrl, query_filter: '' })), ['sourced']);
  assert.equal(names(await get('sourceUrl', { sourceUrl: sourceUrl.toLowerCase(), query_filter: '' })), []);
  expectRefused(await service.admin.get('/v1/search/sourceUrl'), 400);
  ok(await service.admin.delete(`/v1/tables/${id}?hardDelete=true`));
});

test('free text has no operators', async () => {
  assert.is(names(await get('nlq/query', { q: '(dim_customer' }))[0], 'dim_customer');
  assert.is(names(await get('nlq/query', { q: 'name:dim_customer' })).includes('dim_customer'), true);
});

test('records are counted by type', async () => {
  const counted = await get('entityTypeCounts', { q: `fullyQualifiedName:${root}*`, query_filter: '' });
  assert.equal(counted.hits.hits, []);
  assert.is(counted.hits.total.value, TABLES.length + 3);
  assert.equal(counted.aggregations.entityType.buckets[0], { key: 'table', doc_count: TABLES.length });
});

test('values of a field are counted', async () => {
  const q = `databaseSchema.fullyQualifiedName:"${schema}"`;
  const byName = await get('aggregate', { q, index: 'table', field: 'name.keyword', size: '3' });
  const { buckets, sum_other_doc_count } = byName.aggregations['sterms#name.keyword'];
  assert.equal([buckets.length, sum_other_doc_count], [3, TABLES.length - 3]);
  const some = await get('aggregate', { q, field: 'name.keyword', value: '.*CUSTOMER.*' });
  const keys = (answer: { aggregations: Record<string, { buckets: { key: string }[] }> }, field: string) =>
    answer.aggregations[`sterms#${field}`]?.buckets.map(({ key }) => key);
  assert.equal(keys(some, 'name.keyword'), ['customer', 'customer_orders', 'dim_customer']);
  const shown = await get('aggregate', { q, field: 'tableType', sourceFields: 'name,tableType' });
  const [first] = shown.aggregations['sterms#tableType'].buckets;
  assert.equal(first['top_hits#top'].hits.hits[0]._source, { name: 'dim_customer', tableType: 'Regular' });
  assert.equal(await get('aggregate', { q }), { aggregations: {} });
  assert.equal(keys(await get('aggregate', { q, field: 'version' }), 'version'), [0.1]);
  const post = async (body: object) => ok(await service.admin.post('/v1/search/aggregate', body));
  const asText = await post({
    query: q,
    index: 'table',
    fieldName: 'tableType',
    topHits: { size: 2, sortField: 'name' },
  });
  assert.equal(keys(asText, 'tableType'), ['regular', 'view']);
  const asJson = await post({ query: here(), fieldName: 'tags.tagFQN', fieldValue: 'sens' });
  assert.equal(keys(asJson, 'tags.tagFQN'), ['pii.sensitive']);
  expectRefused(await service.admin.post('/v1/search/aggregate', { fieldName: 'x', nope: 1 }), 400);
  expectRefused(await service.admin.post('/v1/search/aggregate', {}), 400);
  expectRefused(await service.admin.post('/v1/search/aggregate', { fieldName: 'x', size: 1001, topHits: {} }), 400);
  expectRefused(await service.admin.get('/v1/search/aggregate?field=name&size=x'), 400);
});

test('terms and domains are returned as a tree', async () => {
  const { admin } = service;
  const glossary = uniqueName('glo');
  ok(await admin.post('/v1/glossaries', { name: glossary, description: 'words' }), 201);
  ok(await admin.post('/v1/glossaryTerms', { name: 'outer', glossary, description: 'x' }), 201);
  ok(
    await admin.post('/v1/glossaryTerms', { name: 'inner', glossary, parent: `${glossary}.outer`, description: 'x' }),
    201,
  );
  const reviewers = [{ id: ok(await admin.get('/v1/users/loggedInUser')).id, type: 'user' }];
  ok(await admin.post('/v1/glossaryTerms', { name: 'drafted', glossary, description: 'x', reviewers }), 201);
  const q = `fullyQualifiedName:${glossary}.*`;
  const asked = { q, index: 'glossary_term_search_index', getHierarchy: 'true', query_filter: '' };
  const [root, ...others] = await search(asked);
  assert.equal([root.name, others.length, root.children.length], [glossary, 0, 1]);
  assert.equal(Object.keys(root).sort(), [
    'children',
    'description',
    'displayName',
    'fullyQualifiedName',
    'id',
    'name',
  ]);
  const [outer] = root.children;
  assert.equal([outer.name, outer.children.map(({ name }: { name: string }) => name)], ['outer', ['inner']]);
  const [alone] = await search({ ...asked, q: `fullyQualifiedName:${glossary}.outer.inner` });
  assert.is(alone.children[0].children[0].fullyQualifiedName, `${glossary}.outer.inner`);
  assert.ok('hits' in (await search({ ...asked, index: 'table' })));
});

test('one document is returned', async () => {
  const { id } = ok(await service.admin.get(`/v1/tables/name/${schema}.customer`));
  const found = ok(await service.admin.get(`/v1/search/get/table_search_index/doc/${id}`));
  assert.equal(
    [found._index, found._id, found.found, found._source.name],
    ['table_search_index', id, true, 'customer'],
  );
  expectRefused(await service.admin.get(`/v1/search/get/topic_search_index/doc/${id}`), 404);
  expectRefused(await service.admin.get(`/v1/search/get/table_search_index/doc/${crypto.randomUUID()}`), 404);
  expectRefused(await service.admin.get(`/v1/search/get/nowhere/doc/${id}`), 400);
});

const BAD: readonly (readonly [string, string])[] = [
  ['from', '-1'],
  ['from', 'x'],
  ['size', '10001'],
  ['size', '1.5'],
  ['deleted', 'maybe'],
  ['index', 'nowhere'],
  ['sort_order', 'up'],
  ['sort_field', 'nothing'],
  ['sort_field', 'description'],
  ['q', 'name:"a'],
  ['q', '(a'],
  ['q', 'a AND'],
  ['q', 'version:[1 TO'],
  ['q', 'x'.repeat(4097)],
  ['query_filter', '{'],
  ['query_filter', '[]'],
  ['query_filter', '{"nope":{}}'],
  ['post_filter', '{"term":1}'],
  ['search_after', 'a'],
  ['track_total_hits', 'x'],
];

test('bad input is refused with 400', async () => {
  for (const [name, value] of BAD) expectRefused(await service.admin.get(at({ [name]: value })), 400);
  expectRefused(await service.admin.get(at({ from: '9995', size: '10' })), 400);
  expectRefused(await service.admin.get(at({ from: '1', search_after: ['1', 'a', 'b'] })), 400);
});

test.run();
