import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../support/expect.ts';
import { suite } from '../support/suite.ts';
import { ownWord } from './domain-fixture.ts';
import { type Corpus, openCorpus, type Query, queryAt } from './schema-fixture.ts';

/** Shows that totals are exact up to 10,000, and beyond on request (search.md 1, 3.1). */

const test = suite('search: totals of hits');

const COUNTED = 10_000;

let corpus: Corpus;
let word: string;
let id: string;

/** Makes more documents like that of the record, with numbers from one to another. Ten thousand records would take minutes. */
const multiply = (from: number, to: number) =>
  corpus.service.graph.query(
    `MATCH (doc:SearchDoc {id: $id})
     UNWIND range($from, $to) AS at
     WITH doc{.*, id: $word + at} AS other
     CREATE (copy:SearchDoc) SET copy = other`,
    { id, word, from, to },
  );

const forget = async (): Promise<void> => {
  await corpus.service.graph.query('MATCH (doc:SearchDoc) WHERE doc.id STARTS WITH $word DETACH DELETE doc', { word });
};

const totalOf = async (more: Query, path = 'query') =>
  ok(await corpus.admin.get(queryAt(path, { q: `name:${word}`, size: '0', ...more }))).hits.total;

test.before(async () => {
  corpus = await openCorpus('totals');
  word = ownWord();
  ({ id } = await corpus.table(word));
});

test('a few hits are always counted exactly', async () => {
  for (const more of [{}, { track_total_hits: 'false' }, { track_total_hits: 'true' }, { track_total_hits: '' }]) {
    assert.equal(await totalOf(more), { value: 1, relation: 'eq' });
    assert.equal(await totalOf({ ...more, size: '10' }), { value: 1, relation: 'eq' });
  }
});

test('a search without hits has the total zero, also on an empty page', async () => {
  for (const more of [{ q: 'name:nothinglikethis' }, { q: 'name:nothinglikethis', track_total_hits: 'true' }]) {
    assert.equal(await totalOf(more), { value: 0, relation: 'eq' });
  }
  assert.equal(await totalOf({ from: '5', size: '5' }), { value: 1, relation: 'eq' });
});

test('track_total_hits must be a boolean: 400', async () => {
  for (const track_total_hits of ['100', '0', '-1', 'yes', 'null']) {
    expectRefused(await corpus.admin.get(queryAt('query', { track_total_hits })), 400);
  }
  for (const track_total_hits of ['True', 'FALSE']) {
    assert.equal(await totalOf({ track_total_hits }), { value: 1, relation: 'eq' });
  }
});

test('a total of exactly ten thousand is exact', async () => {
  await multiply(2, COUNTED);
  for (const more of [{}, { track_total_hits: 'true' }, { size: '1' }]) {
    assert.equal(await totalOf(more), { value: COUNTED, relation: 'eq' }, JSON.stringify(more));
  }
});

test('a total above ten thousand is a lower bound, and exact on request', async () => {
  await multiply(COUNTED + 1, COUNTED + 1);
  const asked: readonly Query[] = [
    {},
    { size: '1' },
    { sort_field: 'name' },
    { sort_field: 'name', size: '1', search_after: ['a', 'x'] },
    { q: `"${word}"` },
    { q: '*', query_filter: JSON.stringify({ term: { name: word } }) },
    { q: '*', post_filter: JSON.stringify({ term: { name: word } }) },
  ];
  for (const more of asked) {
    const what = JSON.stringify(more);
    assert.equal(await totalOf(more), { value: COUNTED, relation: 'gte' }, what);
    assert.equal(await totalOf({ ...more, track_total_hits: 'false' }), { value: COUNTED, relation: 'gte' }, what);
    assert.equal(await totalOf({ ...more, track_total_hits: 'true' }), { value: COUNTED + 1, relation: 'eq' }, what);
  }
});

test('a preview returns the same total', async () => {
  const body = { query: `name:${word}`, index: 'table', searchSettings: {}, size: 0 };
  const total = async (more: object) =>
    ok(await corpus.admin.post('/v1/search/preview', { ...body, ...more })).hits.total;
  assert.equal(await total({}), { value: COUNTED, relation: 'gte' });
  assert.equal(await total({ trackTotalHits: true }), { value: COUNTED + 1, relation: 'eq' });
});

test('counts of types and fields are exact at any size', async () => {
  const exact = { value: COUNTED + 1, relation: 'eq' };
  assert.equal(await totalOf({ track_total_hits: 'false' }, 'entityTypeCounts'), exact);
  const { aggregations } = ok(await corpus.admin.get(queryAt('query', { q: `name:${word}`, size: '0' })));
  const all = [{ key: 'table', doc_count: COUNTED + 1 }];
  assert.equal(aggregations['sterms#entityType'].buckets, all);
  const counted = ok(await corpus.admin.get(queryAt('aggregate', { q: `name:${word}`, field: 'entityType' })));
  assert.equal(counted.aggregations['sterms#entityType'].buckets, all);
});

test('pages end at hit ten thousand unless they use search_after: 400', async () => {
  expectRefused(await corpus.admin.get(queryAt('query', { from: '10000', size: '1' })), 400);
  expectRefused(await corpus.admin.get(queryAt('query', { from: '1', size: '10000' })), 400);
  for (const page of [{ from: '10000', size: '0' }, { size: '10000' }]) {
    ok(await corpus.admin.get(queryAt('query', { ...page, q: 'name:nothinglikethis' })));
  }
});

test.after(forget);

test.run();
