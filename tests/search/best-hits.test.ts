import { isDeepStrictEqual } from 'node:util';
import * as assert from 'uvu/assert';
import { findBest, findDescending, type PageParams } from '../../src/search/find/queries.ts';
import { readSearchRequest } from '../../src/search/request/search-request.ts';
import { documentIndexName } from '../../src/search-documents/index/fulltext-index.ts';
import { translateFilter } from '../../src/search-documents/index/translate-filter.ts';
import { waitFor } from '../support/patience.ts';
import { suite } from '../support/suite.ts';
import { ownWord } from './domain-fixture.ts';
import { type Corpus, openCorpus } from './schema-fixture.ts';

/** Shows that a page of the best hits is the same as when all hits are read and ranked. */

const test = suite('search: best hits');

const DOCUMENTS = 300;
const PAGES = [
  [0, 1],
  [0, 10],
  [7, 5],
  [290, 25],
  [400, 10],
] as const;

let corpus: Corpus;
/** Words that only these documents contain, from frequent to rare. */
const words = ['common', 'frequent', 'usual', 'rare'].map((start) => `${start}${ownWord()}`);
let index = '';

const random = (below: number): number => Math.floor(Math.random() * below);

/** A text that contains each word less often than the one before it, among others that make it longer. */
const randomText = (): string =>
  [
    ...words.flatMap((word, at) => (random(2 ** at) === 0 ? Array<string>(1 + random(3)).fill(word) : [])),
    ...Array.from({ length: random(12) }, (_, at) => `filler${at}`),
  ].join(' ');

/** Most records are not popular at all, some are a little, and few are so much that it outweighs their words. */
const randomPopularity = (): number => [0, 0, 0, random(5), random(50), 10 ** random(7)][random(6)] ?? 0;

const graph = () => corpus.service.graph;

const queryOf = (q: string) => {
  const { kinds } = corpus.service.registry;
  const asked = readSearchRequest(kinds, { query: new URLSearchParams({ q, index: 'table' }) });
  return translateFilter(asked.q, kinds, Date.now()).possible;
};

/** Documents that others leave to be refreshed change how much a word is worth: both ways are read while none does. */
const readBoth = (query: string, from: number, size: number) =>
  waitFor(
    () => readOnce(query, from, size),
    ({ best, again }) => isDeepStrictEqual(best, again),
    'the index rests while both are read',
  );

const readOnce = async (query: string, from: number, size: number) => {
  const whole: PageParams = {
    ...{ index, query, from, size, only: null, by: 'score', member: '', folds: false },
    ...{ flat: false, worth: null, behind: null },
  };
  const readBest = () => graph().read(findBest, { index, query, from, size });
  const best = await readBest();
  const all = await graph().read(findDescending, whole);
  return { best, again: await readBest(), all };
};

test.before(async () => {
  corpus = await openCorpus('best_hits');
  index = documentIndexName(corpus.service.registry.kinds);
  const rows = Array.from({ length: DOCUMENTS }, (_, at) => ({
    name: `t${at}`,
    databaseSchema: corpus.schema,
    description: randomText(),
    columns: [{ name: `c${random(4)}`, dataType: 'INT' }],
  }));
  const reply = await corpus.admin.put('/v1/tables/bulk', rows);
  assert.is(reply.json.numberOfRowsPassed, DOCUMENTS, reply.text);
  const popular = reply.json.successRequest.map(({ request }: { readonly request: string }) => ({
    name: request,
    popularity: randomPopularity(),
  }));
  await graph().query(
    `UNWIND $popular AS row
     MATCH (n:Entity {fullyQualifiedName: row.name})
     MATCH (doc:SearchDoc {id: n.id})
     SET doc.popularity = row.popularity`,
    { popular },
  );
});

for (const [from, size] of PAGES) {
  test(`${size} hits from ${from} on are the same, in the same order`, async () => {
    for (const q of [...words, `${words[0]} ${words[2]}`, words.join(' '), `${words[0]} OR ${words[1]}^3`, 'no hit']) {
      const { best, all } = await readBoth(queryOf(q), from, size);
      assert.equal(best, all, q);
    }
  });
}

test('the total and the facets of an answer are those of all hits, whatever its page and order', async () => {
  const q = words[0] ?? '';
  const counted = { index: 'table', q, track_total_hits: 'true' };
  const { json: whole } = await corpus.admin.get(
    `/v1/search/query?${new URLSearchParams({ ...counted, size: '300' })}`,
  );
  const tables = whole.hits.hits.length;
  assert.ok(tables > 10);
  for (const more of [
    { from: '0' },
    { from: '7' },
    { sort_field: 'name.keyword' },
    { include_aggregations: 'false' },
  ]) {
    const asked = new URLSearchParams({ ...counted, size: '3', ...more });
    const { json } = await corpus.admin.get(`/v1/search/query?${asked}`);
    assert.equal(json.hits.total, { value: tables, relation: 'eq' }, `${asked}`);
    assert.equal(json.aggregations, 'include_aggregations' in more ? undefined : whole.aggregations, `${asked}`);
  }
});

test.run();
