import * as assert from 'uvu/assert';
import { createAnswerCache } from '../../src/search/find/answer-cache.ts';
import { withTimeBudget } from '../../src/search/find/time-budget.ts';
import { createEndlessStatement, openPatientGraph, waitForRunning } from '../support/endless-statement.ts';
import { ok } from '../support/expect.ts';
import { waitUntil } from '../support/patience.ts';
import { createRightsFactory } from '../support/rights.ts';
import { closeServiceAt, openServiceAt, placeOfRun, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { type Corpus, namesIn, openCorpus, queryAt } from './schema-fixture.ts';

/** Shows that a search beyond its time budget answers with partial results or an error. */

const test = suite('search: time budget and cache');

let corpus: Corpus;
let hasty: Service;

test.before(async () => {
  corpus = await openCorpus('patience');
  for (const name of ['slow_snail', 'slow_sloth']) await corpus.table(name);
  hasty = await openServiceAt(placeOfRun(), { patienceMs: 0 });
});

const graph = openPatientGraph();

test.after(async () => {
  await closeServiceAt(hasty);
  await graph.close();
});

test('a search beyond its budget returns what it has', async () => {
  for (const parameters of [
    { q: 'slow' },
    { q: '*', index: 'all' },
    { q: 'slow', query_filter: JSON.stringify({ term: { 'columns.description': 'x' } }) },
    { q: 'slow', sort_field: 'name', track_total_hits: 'true' },
  ]) {
    const answer = ok(await hasty.admin.get(queryAt('query', parameters)));
    assert.is(answer.timed_out, true, JSON.stringify(parameters));
    assert.equal(answer.hits, { total: { value: 0, relation: 'gte' }, max_score: null, hits: [] });
    assert.equal(answer.aggregations['sterms#entityType'].buckets, []);
  }
  assert.is((await corpus.search('slow')).timed_out, false);
});

test('an operation without partial results answers 503', async () => {
  for (const path of ['export', 'export/async', 'aggregate']) {
    // What stands in columns is looked at record by record.
    const parameters = { q: 'columns.description:slow', field: 'name.keyword' };
    const { status, json } = await hasty.admin.get(queryAt(path, parameters));
    assert.equal([status, json.errorType], [503, 'SERVICE_UNAVAILABLE']);
  }
});

test('a running statement is ended in the database when the budget is spent', async () => {
  const { mark, statement } = createEndlessStatement();
  const found: unknown[] = [];
  void withTimeBudget(200, async ({ orElse, signal, hasCut }) => {
    found.push(await orElse<readonly object[]>(() => graph.read(statement, {}, { signal }), []), hasCut());
  });
  // The statement's own time is over only long after this wait.
  await waitUntil(() => found.length > 0, 'the budget is spent');
  assert.equal(found, [[], true]);
  await waitForRunning(graph, mark, 0);
  const failing = withTimeBudget(10_000, ({ orElse }) => orElse(() => Promise.reject(new Error('of its own')), 1));
  assert.is(await failing.catch((failure: Error) => failure.message), 'of its own');
});

test('facets of a whole index may be a moment old, and hits are not', async () => {
  const { admin, service } = corpus;
  const ask = async (more: Readonly<Record<string, string>> = {}, client = admin) =>
    ok(await client.get(queryAt('query', { q: '*', index: 'table', size: '1', track_total_hits: 'true', ...more })));
  const counted = service.sent('search/count_facet_keys');
  const first = await ask();
  const made = await corpus.table('slow_slug');
  const second = await ask();
  assert.equal(second.aggregations, first.aggregations);
  assert.ok(service.sent('search/count_facet_keys') - counted <= 2);
  assert.equal(namesIn(await corpus.search('slow_slug')).slice(0, 1), ['slow_slug']);
  const filtered = await ask({ query_filter: corpus.here });
  assert.equal(filtered.aggregations['sterms#entityType'].buckets, [{ key: 'table', doc_count: 3 }]);
  const types = ok(await admin.get(queryAt('entityTypeCounts', { index: 'table' })));
  assert.is(types.aggregations.entityType.buckets[0].doc_count, types.hits.total.value);
  ok(await admin.delete(`/v1/tables/${made.id}?hardDelete=true`));
});

test('facets of one caller are not shown to a caller who may see less', async () => {
  const rights = createRightsFactory(corpus.service);
  const label = { tagFQN: 'PII.Sensitive', source: 'Classification' };
  const { id } = await corpus.table('slow_secret', { tags: [label] });
  const caller = await rights.person([
    { effect: 'deny', operations: ['ViewAll'], resources: ['table'], condition: "matchAnyTag('PII.Sensitive')" },
  ]);
  const path = queryAt('query', { q: '*', index: 'table,databaseSchema', size: '0' });
  const tags = (answer: { readonly aggregations: Record<string, { buckets: { key: string }[] }> }) =>
    answer.aggregations['sterms#tags.tagFQN']?.buckets.map(({ key }) => key);
  assert.ok(tags(ok(await corpus.admin.get(path)))?.includes('pii.sensitive'));
  assert.not(tags(ok(await caller.get(path)))?.includes('pii.sensitive'));
  const blind = await rights.person([{ effect: 'deny', operations: ['All'], resources: ['table'] }]);
  const seen = ok(await blind.get(path)).aggregations['sterms#entityType'].buckets;
  const types = seen.map(({ key }: { readonly key: string }) => key);
  // The alias covers procedures as well, of which others may have made some.
  assert.equal([types.includes('databaseSchema'), types.includes('table')], [true, false]);
  await rights.clear();
  ok(await corpus.admin.delete(`/v1/tables/${id}?hardDelete=true`));
});

test('cached answers have a lifetime and a maximum number', async () => {
  let now = 0;
  let made = 0;
  const recent = createAnswerCache<number>({ ttlMs: 10, maxEntries: 2, now: () => now });
  const make = async () => {
    made += 1;
    return made;
  };
  assert.equal(await Promise.all([recent('a', make), recent('a', make)]), [1, 1]);
  now = 9;
  assert.is(await recent('a', make), 1);
  now = 10;
  assert.is(await recent('a', make), 2);
  await recent('b', make);
  await recent('c', make);
  assert.is(await recent('a', make), 5);
  const failed = recent('d', () => Promise.reject(new Error('cut')));
  const shared = recent('d', make);
  assert.is(await failed.catch((failure: Error) => failure.message), 'cut');
  assert.is(await shared, 6);
  assert.is(await recent('d', make), 6);
});

test('a document that costs too much to check is left out, and the answer says that it is incomplete', async () => {
  const column = (description: string) => ({ columns: [{ name: 'id', dataType: 'INT', description }] });
  await corpus.table('slow_worm', column('a'.repeat(50_000)));
  await corpus.table('slow_loris', column('abba'));
  const look = (pattern: string) => {
    const columns = { wildcard: { 'columns.description': { value: pattern } } };
    const inSchema = { term: { 'databaseSchema.fullyQualifiedName': corpus.schema } };
    const query_filter = JSON.stringify({ query: { bool: { must: [inSchema, columns] } } });
    return corpus.search('*', { query_filter });
  };
  const whole = await look('*bb*');
  assert.equal([whole.timed_out, namesIn(whole)], [false, ['slow_loris']]);
  const cut = await look(`*${'a'.repeat(3000)}b*`);
  assert.equal([cut.timed_out, namesIn(cut)], [true, []]);
});

test.run();
