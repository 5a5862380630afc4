import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../support/expect.ts';
import { createRightsFactory } from '../support/rights.ts';
import type { Client } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { type DomainFixture, label, openDomainFixture } from './domain-fixture.ts';
import { namesIn, type Query, queryAt } from './schema-fixture.ts';

/** Shows that entity types are counted and values are found by their form (search.md 3.6). */

const test = suite('search: type counts and value forms');

let ground: DomainFixture;
let schema: string;

test.before(async () => {
  ground = await openDomainFixture('types');
  const { make, serve, root, admin } = ground;
  await serve('databaseServices', 'Mysql');
  await serve('messagingServices', 'Kafka');
  const database = await make('databases', { name: 'fair', service: root });
  ({ fullyQualifiedName: schema } = await make('databaseSchemas', {
    name: 'stalls',
    database: database.fullyQualifiedName,
  }));
  const table = (name: string, more: object = {}) => make('tables', { name, databaseSchema: schema, ...more });
  await table('Lantern', { columns: [{ name: 'Light', dataType: 'INT' }], description: 'Shines' });
  await table('lantern_old', { columns: [], tags: [label('Tier.Tier1')], tableType: 'View' });
  await table('wheel', { columns: [], tags: [label('PII.Sensitive')] });
  await make('topics', { name: 'lantern_lit', service: root, partitions: 1 });
  const { id } = await table('lantern_gone', { columns: [] });
  ok(await admin.delete(`/v1/tables/${id}`));
});

const counted = async (parameters: Query = {}, client: Client = ground.admin) =>
  ok(await client.get(queryAt('entityTypeCounts', { query_filter: ground.here, ...parameters })));

type Bucket = { readonly key: string; readonly doc_count: number };

const types = async (parameters: Query = {}, client?: Client): Promise<Readonly<Record<string, number>>> => {
  const { aggregations } = await counted(parameters, client);
  return Object.fromEntries(aggregations.entityType.buckets.map(({ key, doc_count }: Bucket) => [key, doc_count]));
};

const ALL = { table: 3, database: 1, databaseSchema: 1, databaseService: 1, messagingService: 1, topic: 1 };

test('every type with records is counted, most frequent first', async () => {
  const { took, hits, aggregations, timed_out, _shards, ...rest } = await counted();
  assert.equal([Number.isInteger(took), timed_out, rest], [true, false, {}]);
  assert.ok(_shards.total > 20, 'without an index everything is searched');
  assert.equal(hits, { total: { value: 8, relation: 'eq' }, max_score: null, hits: [] });
  assert.equal(Object.keys(aggregations), ['entityType']);
  assert.equal(Object.keys(aggregations.entityType), ['buckets']);
  assert.equal(
    aggregations.entityType.buckets,
    Object.entries(ALL).map(([key, doc_count]) => ({ key, doc_count })),
  );
});

test('only the named indexes are counted', async () => {
  assert.equal(await types({ index: 'topic' }), { topic: 1 });
  assert.equal(await types({ index: 'table_search_index,topic' }), { table: 3, topic: 1 });
  assert.equal(await types({ index: 'dataAsset' }), { table: 3, database: 1, databaseSchema: 1, topic: 1 });
  assert.equal(await types({ index: 'spreadsheet_search_index' }), {});
});

test('words narrow the counts', async () => {
  assert.equal(await types({ q: 'lantern' }), { table: 2, topic: 1 });
  assert.equal(await types({ q: 'name:lantern AND NOT entityType:topic' }), { table: 2 });
  assert.equal(await types({ q: '"nothing of that sort"' }), {});
});

test('a query filter narrows the counts, a post filter only the total of hits', async () => {
  const views = { term: { tableType: 'View' } };
  assert.equal(await types({ query_filter: ground.hereAnd(views) }), { table: 1 });
  const { hits, aggregations } = await counted({ post_filter: JSON.stringify(views) });
  assert.equal(hits.total, { value: 1, relation: 'eq' });
  assert.is(aggregations.entityType.buckets.length, Object.keys(ALL).length);
});

test('deleted records are counted on request only', async () => {
  assert.equal(await types({ deleted: 'false' }), ALL);
  assert.equal(await types({ deleted: 'true' }), { ...ALL, table: 4 });
  assert.equal(await types({ q: 'deleted:true' }), { table: 1 });
  assert.equal(await types({ q: 'deleted:true', deleted: 'false' }), {});
});

test('no hit is returned unless one is requested: the best', async () => {
  assert.equal((await counted({ q: 'lantern', size: '0' })).hits.hits, []);
  const { hits, aggregations } = await counted({ q: 'lantern', size: '1' });
  assert.equal(namesIn({ hits }), ['Lantern']);
  assert.equal([hits.total.value, hits.max_score], [3, hits.hits[0]._score]);
  assert.equal(aggregations.entityType.buckets[0], { key: 'table', doc_count: 2 });
});

test('hidden records are not counted', async () => {
  const rights = createRightsFactory(ground.service);
  const caller = await rights.person([
    { effect: 'deny', operations: ['ViewAll'], resources: ['table'], condition: "matchAnyTag('PII.Sensitive')" },
  ]);
  assert.equal(await types({}, caller), { ...ALL, table: 2 });
  const narrow = await rights.person([{ effect: 'deny', operations: ['All'], resources: ['table'] }]);
  const { table: _table, ...others } = ALL;
  assert.equal(await types({}, narrow), others);
  expectRefused(await narrow.get(queryAt('entityTypeCounts', { index: 'table' })), 403);
  await rights.clear();
});

test('bad parameters of counts are refused with 400', async () => {
  const bad = { index: 'nowhere', q: '(a', query_filter: '{', post_filter: '[]', deleted: 'maybe', size: '-1' };
  for (const [name, value] of Object.entries(bad)) {
    expectRefused(await ground.admin.get(queryAt('entityTypeCounts', { [name]: value })), 400);
  }
});

const byForm = async (fieldName: string, fieldValue: string, more: Query = {}): Promise<string[]> => {
  const asked = { query_filter: ground.here, sort_field: 'name', sort_order: 'asc', fieldName, fieldValue };
  return namesIn(ok(await ground.admin.get(queryAt('fieldQuery', { ...asked, ...more }))));
};

test('the form matches the whole value', async () => {
  assert.equal(await byForm('name', 'lantern'), ['Lantern']);
  assert.equal(await byForm('name', 'lantern*'), ['Lantern', 'lantern_old']);
  assert.equal(await byForm('name', '*ant*'), ['Lantern', 'lantern_old']);
  assert.equal(await byForm('name', 'l?ntern'), ['Lantern']);
  assert.equal(await byForm('name', 'lantern?'), []);
  assert.equal(await byForm('name', 'lantern\\*'), [], 'a sign behind a backslash stands for itself');
  assert.equal(await byForm('name.keyword', 'LANTERN_*'), ['lantern_old']);
  assert.equal(await byForm('fullyQualifiedName', `${schema.toUpperCase()}.*`), ['Lantern', 'lantern_old', 'wheel']);
  assert.equal(await byForm('tableType', 'V*W'), ['lantern_old']);
});

test('the form is case-sensitive where the field is', async () => {
  assert.equal(await byForm('columnNames', 'Lig*'), ['Lantern']);
  assert.equal(await byForm('columnNames', 'lig*'), []);
  assert.equal(await byForm('tier.tagFQN', 'Tier.*'), ['lantern_old']);
  assert.equal(await byForm('tier.tagFQN', 'tier.*'), []);
});

test('deleted records match a form on request only', async () => {
  assert.equal(await byForm('name', 'lantern_g*'), []);
  assert.equal(await byForm('name', 'lantern_g*', { deleted: 'false' }), []);
  assert.equal(await byForm('name', 'lantern_g*', { deleted: 'true' }), ['lantern_gone']);
  assert.equal(await byForm('name', 'lantern*', { deleted: 'true' }), ['Lantern', 'lantern_gone', 'lantern_old']);
});

test('indexes and pages select the records', async () => {
  assert.equal(await byForm('name', 'lantern*', { index: 'topic' }), ['lantern_lit']);
  assert.equal(await byForm('name', 'lantern*', { index: 'dataAsset' }), ['Lantern', 'lantern_lit', 'lantern_old']);
  assert.equal(await byForm('name', '*', { size: '1' }), ['Lantern']);
  assert.equal(await byForm('name', '*', { size: '1', from: '2' }), ['wheel']);
  assert.equal(await byForm('name', '*', { from: '3' }), []);
  assert.equal(await byForm('nowhere', '*'), [], 'a field that nobody has is no field of anything');
});

test('a match of a form is returned like a search hit', async () => {
  const asked = { query_filter: ground.here, fieldName: 'name', fieldValue: 'lantern*' };
  const { hits, aggregations, _shards } = ok(await ground.admin.get(queryAt('fieldQuery', asked)));
  assert.equal([hits.total, _shards.total], [{ value: 2, relation: 'eq' }, 1]);
  assert.equal(aggregations['sterms#entityType'].buckets, [{ key: 'table', doc_count: 2 }]);
});

test('a missing or bad field or form is refused with 400', async () => {
  const good = { fieldName: 'name', fieldValue: 'x' };
  ok(await ground.admin.get(queryAt('fieldQuery', good)));
  const bad: readonly Query[] = [
    { fieldName: '' },
    { fieldValue: '' },
    { index: 'nowhere' },
    { from: '-1' },
    { size: '10001' },
    { size: '10000', from: '1' },
    { deleted: 'maybe' },
  ];
  for (const one of bad) expectRefused(await ground.admin.get(queryAt('fieldQuery', { ...good, ...one })), 400);
});

test.run();
