import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../support/expect.ts';
import { createRightsFactory } from '../support/rights.ts';
import type { Client } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { label } from './domain-fixture.ts';
import { type Corpus, openCorpus, type Query, queryAt } from './schema-fixture.ts';

/** Shows that both forms of the aggregate operation count the values of a field (search.md 3.6). */

const test = suite('search: value counts of a field');

let corpus: Corpus;

test.before(async () => {
  corpus = await openCorpus('counts');
  const { admin, table } = corpus;
  const column = (name: string) => ({ name, dataType: 'INT' });
  await table('Anchor', { tableType: 'View', columns: [column('iron'), column('Rope')], description: 'Holds ships' });
  await table('buoy', { tableType: 'View', columns: [column('cork')], description: 'Warns ships' });
  await table('crane', { tableType: 'Regular', columns: [column('iron')], tags: [label('PII.Sensitive')] });
  await table('dock', { tableType: 'Regular', columns: [column('iron')], description: 'Ships rest here' });
  await table('eddy', { columns: [column('water')] });
  const { id } = await table('ferry', { tableType: 'External', columns: [column('iron')] });
  ok(await admin.delete(`/v1/tables/${id}`));
});

type Source = Readonly<Record<string, unknown>>;
type Hit = { readonly _index: string; readonly _id: string; readonly _source: Source };
type Top = { readonly hits: { readonly total: object; readonly hits: readonly Hit[] } };
type Bucket = { readonly key: string; readonly doc_count: number; readonly 'top_hits#top'?: Top };
type Counted = {
  readonly aggregations: Readonly<Record<string, { readonly sum_other_doc_count: number; readonly buckets: Bucket[] }>>;
};

const get = async (parameters: Query, client: Client = corpus.admin): Promise<Counted> =>
  ok(await client.get(queryAt('aggregate', { query_filter: corpus.here, ...parameters })));

const post = async (body: object, client: Client = corpus.admin): Promise<Counted> =>
  ok(await client.post('/v1/search/aggregate', { query: corpus.here, ...body }));

/** The counts of the one field that is answered. */
const counts = ({ aggregations }: Counted): (readonly [string, number])[] => {
  const [[name = '', counted] = []] = Object.entries(aggregations);
  assert.match(name, /^sterms#/);
  return counted?.buckets.map(({ key, doc_count }) => [key, doc_count]) ?? [];
};

const OF_TYPES: readonly (readonly [string, number])[] = [
  ['regular', 2],
  ['view', 2],
];

test('the most frequent values come first, equally frequent ones by name', async () => {
  const columns: readonly (readonly [string, number])[] = [
    ['iron', 3],
    ['cork', 1],
    ['rope', 1],
    ['water', 1],
  ];
  assert.equal(counts(await get({ field: 'columns.name.keyword' })), columns);
  assert.equal(counts(await post({ fieldName: 'columns.name.keyword' })), columns);
  assert.equal(counts(await get({ field: 'tableType', index: 'table' })), OF_TYPES);
  assert.equal(counts(await post({ fieldName: 'tableType', index: 'table_search_index' })), OF_TYPES);
});

test('values are returned as stored, in lower case where case does not matter', async () => {
  assert.equal(counts(await get({ field: 'name.keyword', value: 'anchor' })), [['anchor', 1]]);
  assert.equal(counts(await get({ field: 'columnNames', value: 'rope' })), [['Rope', 1]]);
  assert.equal(counts(await get({ field: 'entityType' })), [['table', 5]]);
});

test('the answer names its field and the number of omitted values', async () => {
  const { aggregations, ...rest } = await get({ field: 'name.keyword', size: '2' });
  assert.equal(rest, {});
  assert.equal(aggregations, {
    'sterms#name.keyword': {
      doc_count_error_upper_bound: 0,
      sum_other_doc_count: 3,
      buckets: [
        { key: 'anchor', doc_count: 1 },
        { key: 'buoy', doc_count: 1 },
      ],
    },
  });
});

test('size limits the number of values', async () => {
  for (const size of [0, 1, 2, 5, 10_000]) {
    for (const answer of [
      await get({ field: 'name.keyword', size: String(size) }),
      await post({ fieldName: 'name.keyword', size }),
    ]) {
      const { buckets, sum_other_doc_count } = answer.aggregations['sterms#name.keyword'] ?? {};
      assert.equal([buckets?.length, sum_other_doc_count], [Math.min(size, 5), Math.max(0, 5 - size)], `${size}`);
    }
  }
});

test('ten values are returned by default', async () => {
  for (let at = 0; at < 7; at += 1) await corpus.table(`zone_${at}`);
  for (const answer of [await get({ field: 'name.keyword' }), await post({ fieldName: 'name.keyword' })]) {
    const { buckets, sum_other_doc_count } = answer.aggregations['sterms#name.keyword'] ?? {};
    assert.equal([buckets?.length, sum_other_doc_count], [10, 2]);
  }
  for (let at = 0; at < 7; at += 1) {
    const { id } = ok(await corpus.admin.get(`/v1/tables/name/${corpus.schema}.zone_${at}`));
    ok(await corpus.admin.delete(`/v1/tables/${id}?hardDelete=true`));
  }
});

test('a text selects the values that contain it, in any case, with or without wildcards', async () => {
  for (const value of ['ro', 'RO', '.*ro.*', '.*ro', 'ro.*']) {
    assert.equal(counts(await get({ field: 'columns.name.keyword', value, size: '2' })), [
      ['iron', 3],
      ['rope', 1],
    ]);
    assert.equal(counts(await post({ fieldName: 'columns.name.keyword', fieldValue: value, size: 1 })), [['iron', 3]]);
  }
  assert.equal(counts(await get({ field: 'columns.name.keyword', value: 'nothing' })), []);
  assert.equal(counts(await get({ field: 'columns.name.keyword', value: '.*' })).length, 4);
});

test('deleted records are counted on request only', async () => {
  assert.equal(counts(await get({ field: 'tableType' })), OF_TYPES);
  assert.equal(counts(await get({ field: 'tableType', deleted: 'false' })), OF_TYPES);
  assert.equal(counts(await get({ field: 'tableType', deleted: 'true' })), [...OF_TYPES, ['external', 1]]);
  assert.equal(counts(await post({ fieldName: 'tableType' })), OF_TYPES);
  assert.equal(counts(await post({ fieldName: 'tableType', deleted: false })), OF_TYPES);
  assert.equal(counts(await post({ fieldName: 'tableType', deleted: true })), [...OF_TYPES, ['external', 1]]);
});

test('words narrow the counts, in a query or as typed text', async () => {
  const views: readonly (readonly [string, number])[] = [['view', 2]];
  assert.equal(counts(await get({ field: 'tableType', q: 'description:ships AND NOT name:dock' })), views);
  assert.equal(counts(await post({ fieldName: 'tableType', queryText: 'description:ships AND NOT name:dock' })), views);
  const typed = `databaseSchema.fullyQualifiedName:"${corpus.schema}" AND tableType:View`;
  assert.equal(counts(await post({ fieldName: 'tableType', query: typed })), views);
  const clause = { term: { 'databaseSchema.fullyQualifiedName': corpus.schema } };
  const must = [clause, { term: { tableType: 'view' } }];
  assert.equal(counts(await post({ fieldName: 'tableType', query: JSON.stringify({ bool: { must } }) })), views);
  const both = { query: JSON.stringify({ query: { bool: { must } } }), queryText: 'buoy' };
  assert.equal(counts(await post({ fieldName: 'tableType', ...both })), [['view', 1]]);
});

test('an empty query narrows nothing', async () => {
  const queryText = `databaseSchema.fullyQualifiedName:"${corpus.schema}"`;
  for (const query of ['', '{}', '{"query": {}}', '*']) {
    assert.equal(counts(await post({ query, queryText, fieldName: 'tableType' })), OF_TYPES, query);
  }
});

test('an unknown field counts nothing, and a missing one is refused', async () => {
  for (const field of ['nowhere', 'partitions']) {
    assert.equal(counts(await get({ field, index: 'table' })), []);
    assert.equal(counts(await post({ fieldName: field, index: 'table' })), []);
  }
  assert.equal(await get({}), { aggregations: {} });
});

test('all indexes are counted by default, and only the named ones otherwise', async () => {
  const everything = { query_filter: '', q: `fullyQualifiedName:${corpus.root}*`, field: 'entityType' };
  assert.equal(counts(await get(everything)), [
    ['table', 5],
    ['database', 1],
    ['databaseSchema', 1],
    ['databaseService', 1],
  ]);
  assert.equal(counts(await get({ ...everything, index: 'database_search_index' })), [['database', 1]]);
  const body = { query: everything.q, fieldName: 'entityType' };
  assert.is(counts(await post(body)).length, 4);
  assert.equal(counts(await post({ ...body, index: 'databaseSchema' })), [
    ['table', 5],
    ['databaseSchema', 1],
  ]);
});

/** What is shown of each value. */
const shown = ({ aggregations }: Counted): (readonly [string, readonly Source[]])[] => {
  const [counted] = Object.values(aggregations);
  return (counted?.buckets ?? []).map((bucket) => [
    bucket.key,
    (bucket['top_hits#top']?.hits.hits ?? []).map(({ _source }) => _source),
  ]);
};

test('source members return one hit of each value with them', async () => {
  const views = { field: 'tableType', value: 'view', q: 'anchor' };
  assert.equal(shown(await get({ ...views, sourceFields: 'name, columns.name' })), [
    ['view', [{ name: 'Anchor', columns: [{ name: 'iron' }, { name: 'Rope' }] }]],
  ]);
  const body = { fieldName: 'tableType', fieldValue: 'view', queryText: 'anchor' };
  assert.equal(shown(await post({ ...body, sourceFields: ['name', 'tableType'] })), [
    ['view', [{ name: 'Anchor', tableType: 'View' }]],
  ]);
  const [bucket] = Object.values((await get(views)).aggregations)[0]?.buckets ?? [];
  assert.equal(bucket, { key: 'view', doc_count: 1 }, 'otherwise none is shown');
});

test('each value has as many hits as requested, in the requested order', async () => {
  const top = async (topHits: object) =>
    shown(await post({ fieldName: 'tableType', sourceFields: ['name'], topHits })).map(([, hits]) => hits);
  const [anchor, buoy, crane, dock] = ['Anchor', 'buoy', 'crane', 'dock'].map((name) => ({ name }));
  const upwards = { sortField: 'name', sortOrder: 'asc' };
  assert.equal(await top({ size: 2, ...upwards }), [
    [crane, dock],
    [anchor, buoy],
  ]);
  assert.equal(await top({ size: 1, sortField: 'name', sortOrder: 'desc' }), [[dock], [buoy]]);
  assert.equal(await top(upwards), [[crane], [anchor]], 'one where no number is said');
  assert.equal(await top({ size: 10, ...upwards }), [
    [crane, dock],
    [anchor, buoy],
  ]);
});

test('hits without named members are whole documents with their total', async () => {
  const topHits = { size: 1, sortField: 'name', sortOrder: 'asc' };
  const answer = await post({ fieldName: 'tableType', fieldValue: 'view', topHits });
  const [bucket] = answer.aggregations['sterms#tableType']?.buckets ?? [];
  const top = bucket?.['top_hits#top']?.hits;
  assert.equal(top?.total, { value: 2, relation: 'eq' });
  const told = top?.hits.map(({ _index, _id, _source }) => [
    _index,
    _source['name'],
    _source['entityType'],
    _source['id'] === _id,
  ]);
  assert.equal(told, [['table_search_index', 'Anchor', 'table', true]]);
});

test('hidden records are neither counted nor shown', async () => {
  const rights = createRightsFactory(corpus.service);
  const caller = await rights.person([
    { effect: 'deny', operations: ['ViewAll'], resources: ['table'], condition: "matchAnyTag('PII.Sensitive')" },
  ]);
  const seen: readonly (readonly [string, number])[] = [
    ['view', 2],
    ['regular', 1],
  ];
  assert.equal(counts(await get({ field: 'tableType' }, caller)), seen);
  assert.equal(counts(await post({ fieldName: 'tableType' }, caller)), seen);
  const topHits = { size: 5, sortField: 'name' };
  const top = shown(await post({ fieldName: 'tableType', sourceFields: ['name'], topHits }, caller));
  assert.equal(top[1], ['regular', [{ name: 'dock' }]]);
  await rights.clear();
});

const BAD_QUERIES: readonly Readonly<Record<string, string>>[] = [
  { size: 'x' },
  { size: '-1' },
  { size: '1.5' },
  { size: '10001' },
  { size: '1001', sourceFields: 'name' },
  { deleted: 'maybe' },
  { index: 'nowhere' },
  { q: '(a' },
  { q: 'x'.repeat(4097) },
];

test('bad parameters are refused with 400', async () => {
  for (const bad of BAD_QUERIES)
    expectRefused(await corpus.admin.get(queryAt('aggregate', { field: 'name', ...bad })), 400);
});

const BAD_BODIES: readonly object[] = [
  { fieldName: undefined },
  { fieldName: null },
  { fieldName: 1 },
  { size: '5' },
  { size: -1 },
  { size: 1.5 },
  { size: 10_001 },
  { deleted: 'true' },
  { index: 'nowhere' },
  { sourceFields: 'name' },
  { sourceFields: [1] },
  { queryText: '(a' },
  { query: '{"nope": {}}' },
  { query: '{"term": {}}' },
  { query: '(a' },
  { query: {} },
  { topHits: { size: -1 } },
  { topHits: { size: 'x' } },
  { topHits: { sortField: 'nowhere' } },
  { topHits: { sortField: 'name', sortOrder: 'up' } },
  { topHits: { nope: 1 } },
  { field: 'name' },
];

test('bad bodies are refused with 400', async () => {
  const send = (body: unknown) => corpus.admin.post('/v1/search/aggregate', body);
  ok(await send({ fieldName: 'name.keyword' }));
  for (const bad of BAD_BODIES) {
    const reply = await send({ fieldName: 'name.keyword', ...bad });
    if (reply.status !== 400) assert.unreachable(`${JSON.stringify(bad)}: ${reply.status} ${reply.text.slice(0, 200)}`);
    expectRefused(reply, 400);
  }
  for (const body of [[], 'name', 1]) expectRefused(await send(body), 400);
  expectRefused(await corpus.admin.raw('POST', '/v1/search/aggregate', '{'), 400);
});

test.run();
