import * as assert from 'uvu/assert';
import { ok } from '../support/expect.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that misspelled words are found among many similar ones. */

const test = suite('search: misspelled words');

const BASE = 'quvwxzjk';

/** Words that all are at most two letters off each other. */
const WORDS = [...BASE].flatMap((_, at) =>
  [...'abcdefghilmnoprst'].map((letter) => BASE.slice(0, at) + letter + BASE.slice(at + 1)),
);

let service: Service;

test.before(async () => {
  service = await openService();
  const make = async (path: string, body: object) => ok(await service.admin.post(`/v1/${path}`, body), 201);
  const root = await make('services/databaseServices', { name: uniqueName('alike'), serviceType: 'Mysql' });
  const database = await make('databases', { name: 'db', service: root.fullyQualifiedName });
  const schema = await make('databaseSchemas', { name: 'public', database: database.fullyQualifiedName });
  const rows = WORDS.map((name) => ({
    name,
    displayName: name,
    tableType: 'View',
    description: name,
    databaseSchema: schema.fullyQualifiedName,
    columns: [{ name, dataType: 'INT', description: name }],
  }));
  assert.is(ok(await service.admin.put('/v1/tables/bulk', rows)).numberOfRowsPassed, rows.length);
});

const some = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => WORDS[at * 9] ?? '');

const search = (parameters: Readonly<Record<string, string>>, path = 'query') =>
  service.admin.get(`/v1/search/${path}?${new URLSearchParams({ index: 'table', size: '20', ...parameters })}`);

test('few words are found with typos', async () => {
  const { hits } = ok(await search({ q: `${BASE} ${WORDS[3]}` }));
  assert.ok(hits.total.value > 10);
});

test('many words with many similar ones are found by their exact spelling', async () => {
  for (const index of ['table', 'all']) {
    const words = some(12);
    const { hits, aggregations } = ok(await search({ q: words.join(' '), index, include_aggregations: 'true' }));
    const names: string[] = hits.hits.map(({ _source }: { _source: { name: string } }) => _source.name);
    assert.equal([...names].sort(), [...words].sort());
    const { buckets } = aggregations['sterms#entityType'];
    assert.equal(buckets, [{ key: 'table', doc_count: words.length }]);
  }
});

test('values of their fields are counted, and a post filter applies after counting', async () => {
  const q = some(12).join(' ');
  const counted = ok(await search({ q, field: 'tableType' }, 'aggregate'));
  assert.is(counted.aggregations['sterms#tableType'].buckets[0].doc_count, 12);
  const post_filter = JSON.stringify({ query: { term: { 'name.keyword': WORDS[0] } } });
  const { hits, aggregations } = ok(await search({ q, post_filter, include_aggregations: 'true' }));
  assert.is(hits.total.value, 1);
  assert.is(aggregations['sterms#entityType'].buckets[0].doc_count, 12);
});

test('a post filter that excludes every full match leaves no partial matches', async () => {
  const [first = '', second = ''] = WORDS;
  const post_filter = JSON.stringify({ query: { term: { 'name.keyword': 'nothing is called so' } } });
  const q = `description ${first}`;
  const other = JSON.stringify({ query: { term: { 'name.keyword': second } } });
  assert.is(ok(await search({ q: first, post_filter })).hits.total.value, 0);
  const { hits, aggregations } = ok(await search({ q, post_filter: other, include_aggregations: 'true' }));
  assert.equal([hits.total.value, aggregations['sterms#entityType'].buckets[0].doc_count > 1], [1, true]);
});

test('many fuzzy words are searched in several queries', async () => {
  const words = some(15);
  const q = words.flatMap((word) => [`name:${word}~2`, `displayName:${word}~2`]).join(' OR ');
  const { hits } = ok(await search({ q, size: '200' }));
  const names = new Set(hits.hits.map(({ _source }: { _source: { name: string } }) => _source.name));
  assert.equal(
    words.filter((word) => !names.has(word)),
    [],
    `among ${hits.total.value}`,
  );
});

test.run();
