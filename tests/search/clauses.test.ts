import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../support/expect.ts';
import { suite } from '../support/suite.ts';
import { CLAUSE_CASES, makeTables } from './clause-cases.ts';
import { type Corpus, namesIn, openCorpus, type Query, queryAt } from './schema-fixture.ts';

/** Shows that every clause of a filter finds the right assets (search.md 4). */

const test = suite('search: filter clauses');

let corpus: Corpus;

test.before(async () => {
  corpus = await openCorpus('clauses');
  await makeTables(corpus);
});

const here = (): object => JSON.parse(corpus.here).query;
const hereAnd = (clause: object): string => JSON.stringify({ query: { bool: { filter: [here(), clause] } } });

const found = async (more: Query): Promise<{ readonly names: readonly string[]; readonly total: number }> => {
  const asked = { sort_field: 'name', sort_order: 'asc', include_source_fields: 'name', include_aggregations: 'false' };
  const answer = await corpus.search('*', { ...asked, ...more });
  return { names: namesIn(answer), total: answer.hits.total.value };
};

for (const [what, clause, ...names] of CLAUSE_CASES) {
  test(`${what}: ${names.join(', ') || 'nothing is found'}`, async () => {
    const filtered = await found({ query_filter: hereAnd(clause) });
    assert.equal(filtered, { names, total: names.length });
    assert.equal(await found({ post_filter: JSON.stringify(clause) }), filtered, 'the same as a filter of hits');
  });
}

test('records are found by their ids, also deleted ones', async () => {
  const { hits } = await corpus.search('*', { deleted: 'true', sort_field: 'name', sort_order: 'asc' });
  const ids: string[] = hits.hits.map(({ _id }: { readonly _id: string }) => _id);
  const [first = '', , gone = ''] = ids;
  const values = [first, gone, '00000000-0000-4000-8000-000000000000'];
  assert.equal((await found({ query_filter: hereAnd({ ids: { values } }) })).names, ['dim_customer', 'gone_stock']);
  assert.equal((await found({ query_filter: hereAnd({ terms: { _id: [first] } }) })).names, ['dim_customer']);
  const live = await found({ query_filter: hereAnd({ ids: { values } }), deleted: 'false' });
  assert.equal(live.names, ['dim_customer']);
});

test('a filter stands alone or in a query, and an empty one filters nothing', async () => {
  const clause = { term: { tableType: 'View' } };
  for (const post_filter of [clause, { query: clause }]) {
    assert.equal((await found({ post_filter: JSON.stringify(post_filter) })).names, ['FctOrders']);
  }
  for (const post_filter of ['', '{}', '{"query": {}}', ' ']) assert.is((await found({ post_filter })).total, 3);
});

test('filters do not count towards the score of a hit', async () => {
  const scores = async (more: Query): Promise<readonly number[]> =>
    (await corpus.search('name:customer', more)).hits.hits.map(({ _score }: { readonly _score: number }) => _score);
  const [plain = 0] = await scores({});
  const heavy = { match: { description: { query: 'book', boost: 50 } } };
  const [filtered = 0] = await scores({ query_filter: hereAnd(heavy) });
  const [postFiltered = 0] = await scores({ post_filter: JSON.stringify(heavy) });
  for (const score of [filtered, postFiltered]) {
    assert.ok(Math.abs(score - plain) < 0.05 * plain, `${score} beside ${plain}`);
  }
});

const deep = (depth: number): object => (depth === 1 ? { match_all: {} } : { bool: { must: deep(depth - 1) } });
const many = (count: number): string[] => Array.from({ length: count }, (_, at) => `v${at}`);

const BAD: readonly (readonly [what: string, filter: string | object])[] = [
  ['no JSON', '{'],
  ['a list', '[]'],
  ['a text', '"name"'],
  ['a clause that there is not', { geo_shape: {} }],
  ['two clauses in one', { term: { name: 'a' }, match_all: {} }],
  ['a text among clauses', { bool: { must: ['name'] } }],
  ['a list that is no clause', { bool: { should: [[]] } }],
  ['a member that there is not', { bool: { must_be: [] } }],
  ['a term that is a list', { term: { name: ['a'] } }],
  ['terms that are no list', { terms: { name: 'a' } }],
  ['too many terms', { terms: { name: many(1025) } }],
  ['too many words left out', { match_phrase: { name: { query: 'a b', slop: 11 } } }],
  ['an expression that is not plain', { regexp: { 'name.keyword': '[a-z]+' } }],
  ['a bound that there is not', { range: { updatedAt: { from: 1 } } }],
  ['a query that is none', { query_string: { query: '(a' } }],
  ['a list without its path', { nested: { query: { match_all: {} } } }],
  ['a share that is none', { bool: { should: [], minimum_should_match: 'most' } }],
  ['clauses in clauses in clauses', deep(21)],
];

for (const [what, filter] of BAD) {
  test(`either filter is refused with 400: ${what}`, async () => {
    const text = typeof filter === 'string' ? filter : JSON.stringify(filter);
    expectRefused(await corpus.admin.get(queryAt('query', { query_filter: text })), 400, /query_filter/);
    expectRefused(await corpus.admin.get(queryAt('query', { post_filter: text })), 400, /post_filter/);
  });
}

test('a filter just within the limits is answered', async () => {
  assert.is((await found({ post_filter: JSON.stringify(deep(20)) })).total, 3);
  const terms = { terms: { 'name.keyword': [...many(1023), 'ledger'] } };
  assert.equal((await found({ post_filter: JSON.stringify(terms) })).names, ['ledger']);
  ok(await corpus.admin.get(queryAt('query', { query_filter: JSON.stringify({ term: { 'a.b.c': 1 } }) })));
});

test.run();
