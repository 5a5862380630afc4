import * as assert from 'uvu/assert';
import { loadKinds } from '../../src/catalog/registry.ts';
import { createCustomRanking } from '../../src/search/request/custom-ranking.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { waitFor } from '../support/patience.ts';
import { createRightsFactory } from '../support/rights.ts';
import type { Client } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { type Corpus, namesIn, openCorpus } from './schema-fixture.ts';

/** Shows that a preview applies the given weights and boosts. */

const test = suite('search: previews');

let corpus: Corpus;

test.before(async () => {
  corpus = await openCorpus('preview');
  const { admin, table } = corpus;
  const column = (name: string) => ({ name, dataType: 'INT' });
  await table('harbour', { description: 'Ships of all kinds lie here' });
  await table('fleet', { description: 'The harbour that a ship is from', displayName: 'Fleet' });
  await table('quays', { columns: [column('harbour_id')] });
  await table('tolls', { tags: [{ tagFQN: 'PII.Sensitive', source: 'Classification' }], description: 'harbour dues' });
  const rare = await table('dues_old', { description: 'harbour dues' });
  const used = await table('dues_new', { description: 'harbour dues' });
  for (const [{ id }, count] of [
    [rare, 4],
    [used, 900],
  ] as const) {
    ok(await admin.put(`/v1/usage/table/${id}`, { date: new Date().toISOString().slice(0, 10), count }));
  }
});

const preview = async (searchSettings: object, more: object = {}, client?: Client) =>
  ok(
    await (client ?? corpus.admin).post('/v1/search/preview', {
      query: 'harbour',
      index: 'table_search_index',
      queryFilter: corpus.here,
      searchSettings,
      ...more,
    }),
  );

const weighing = (...searchFields: readonly object[]) => ({
  assetTypeConfigurations: [{ assetType: 'table', searchFields }],
});

const field = (name: string, boost: number, matchType?: string) => ({
  field: name,
  boost,
  ...(matchType ? { matchType } : {}),
});

/** Ranks of usage are worked out a moment after they were told, so a preview is compared only between searches that agree. */
const previewBetweenEqualSearches = () =>
  waitFor(
    async () => {
      const before = await corpus.search('harbour');
      const tried = await preview({});
      return { before, tried, plain: await corpus.search('harbour') };
    },
    ({ before, plain }) => JSON.stringify(before.hits) === JSON.stringify(plain.hits),
    'the same search gives the same answer twice',
  );

test('a preview without settings equals the plain search', async () => {
  const { plain, tried } = await previewBetweenEqualSearches();
  assert.equal(namesIn(tried), namesIn(plain));
  assert.is(namesIn(tried)[0], 'harbour');
  assert.equal(Object.keys(tried).sort(), Object.keys(plain).sort());
  assert.equal(tried.hits, plain.hits);
});

test('weights of fields change the order', async () => {
  const names = namesIn(await preview(weighing(field('name', 1), field('description', 50), field('columns.name', 1))));
  assert.ok(names.indexOf('dues_old') < names.indexOf('harbour'), names.join());
  const turned = namesIn(await preview(weighing(field('name', 1), field('description', 1), field('columns.name', 90))));
  assert.is(turned[0], 'quays');
  const tagged = weighing(field('tags.tagFQN', 200), field('description', 1));
  assert.is(namesIn(await preview(tagged, { query: 'pii OR dues' }))[0], 'tolls');
});

test('only the named fields of the named types are searched', async () => {
  assert.equal(namesIn(await preview(weighing(field('columns.name', 1)))), ['quays']);
  const ofTopics = { assetTypeConfigurations: [{ assetType: 'topic', searchFields: [field('columns.name', 1)] }] };
  assert.is(namesIn(await preview(ofTopics)).length, 6);
  const fallback = { defaultConfiguration: { assetType: 'default', searchFields: [field('columns.name', 1)] } };
  assert.equal(namesIn(await preview(fallback)), ['quays']);
  const everywhere = { index: 'all', query: 'harbour_id of all kinds', queryFilter: corpus.here };
  assert.equal(namesIn(await preview(fallback, everywhere)), ['quays']);
  const both = { index: 'table,databaseSchema' };
  assert.equal(namesIn(await preview(weighing(field('columns.name', 1)), both)), ['quays']);
});

test('every match type works', async () => {
  assert.equal(namesIn(await preview(weighing(field('name', 5, 'exact')))), ['harbour']);
  assert.equal(namesIn(await preview(weighing(field('name.keyword', 5)))), ['harbour']);
  const inRow = weighing(field('description', 5, 'phrase'));
  assert.equal(namesIn(await preview(inRow, { query: 'ship is' })), ['fleet']);
  assert.equal(namesIn(await preview(inRow, { query: 'is ship' })), []);
  assert.is(namesIn(await preview(weighing(field('name', 5, 'fuzzy')), { query: 'harbuor' }))[0], 'harbour');
});

test('boosts of values and numbers change the order', async () => {
  const boosted = { globalSettings: { termBoosts: [{ field: 'tags.tagFQN', value: 'PII.Sensitive', boost: 9000 }] } };
  const first = async (settings: object, more: object = {}) =>
    namesIn(await preview(settings, { query: 'description:dues', ...more }))[0];
  assert.is(await first(boosted), 'tolls');
  const used = (factor: number, more: object = {}) => ({
    globalSettings: { fieldValueBoosts: [{ field: 'usageSummary.weeklyStats.count', factor, ...more }] },
  });
  const byUse = async (settings: object) =>
    namesIn(await preview(settings, { query: 'description:dues' })).filter((name) => name.startsWith('dues'));
  assert.equal(await byUse(used(4, { modifier: 'sqrt' })), ['dues_new', 'dues_old']);
  assert.equal(await byUse(used(4, { modifier: 'reciprocal' })), ['dues_old', 'dues_new']);
  assert.equal(await byUse(used(4, { condition: { range: { lt: 100 } } })), ['dues_old', 'dues_new']);
});

test('a missing number is boosted by its configured default, else not at all', async () => {
  const { byType } = await loadKinds();
  const table = byType.get('table');
  if (!table) throw new Error('there are no tables');
  const worth = (more: object) =>
    createCustomRanking({
      globalSettings: { fieldValueBoosts: [{ field: 'totalVotes', factor: 2, ...more }] },
    }).relevanceOf(table);
  const [usual] = worth({})?.numbers ?? [];
  assert.equal([usual?.without, usual?.of(3), usual?.of(-3)], [0, 6, 0]);
  const [missing] = worth({ missing: 7, modifier: 'square' })?.numbers ?? [];
  assert.equal([missing?.without, missing?.of(3)], [98, 18]);
  const [bounded] = worth({ missing: 7, condition: { range: { gte: 1, lt: 7 } } })?.numbers ?? [];
  assert.equal([bounded?.without, bounded?.of(1), bounded?.of(0.5)], [0, 2, 0]);
  assert.is(worth({ modifier: 'reciprocal' })?.numbers[0]?.of(0), 1e12);
  assert.equal(worth({ field: 'nowhere' })?.numbers, []);
  assert.is(createCustomRanking({}).relevanceOf(table), undefined);
});

test('paging, sorting, source selection, explanation and post filter work in a preview', async () => {
  const page = await preview({}, { from: 1, size: 2, sortField: 'name', sortOrder: 'asc', query: '*' });
  assert.equal(namesIn(page), ['dues_old', 'fleet']);
  const bare = await preview({}, { fetchSource: false });
  assert.is('_source' in bare.hits.hits[0], false);
  const some = await preview({}, { includeSourceFields: ['name'], explain: true });
  assert.equal(some.hits.hits[0]._source, { name: 'harbour' });
  assert.is(some.hits.hits[0]._explanation.value, some.hits.hits[0]._score);
  const filtered = await preview({}, { postFilter: JSON.stringify({ term: { 'name.keyword': 'fleet' } }) });
  assert.equal(namesIn(filtered), ['fleet']);
});

test('settings of clients are accepted in full', async () => {
  const aggregation = { name: 'serviceType', type: 'terms', field: 'serviceType' };
  const whole = {
    globalSettings: {
      enableAccessControl: true,
      maxAggregateSize: 10000,
      maxResultHits: 10000,
      maxAnalyzedOffset: 1000,
      aggregations: [aggregation],
      highlightFields: ['name'],
      termBoosts: [{ field: 'tier.tagFQN', value: 'Tier.Tier1', boost: 50 }],
      fieldValueBoosts: [{ field: 'totalVotes', factor: 2, modifier: 'sqrt', missing: 0, condition: { range: {} } }],
    },
    assetTypeConfigurations: [
      {
        assetType: 'table',
        searchFields: [field('displayName.keyword', 20, 'exact'), field('name', 10, 'phrase'), field('nowhere', 3)],
        aggregations: [],
        highlightFields: [],
        scoreMode: 'sum',
        boostMode: 'sum',
        additionalSettings: { any: { thing: 1 } },
        matchTypeBoostMultipliers: { exactMatchMultiplier: 2, phraseMatchMultiplier: 1.5, fuzzyMatchMultiplier: 1 },
      },
    ],
    allowedFields: [{ entityType: 'table', fields: [{ name: 'name', description: 'The name' }] }],
    nlqConfiguration: { promptTemplate: '' },
  };
  assert.is(namesIn(await preview(whole))[0], 'harbour');
});

test('hidden records are not found', async () => {
  const rights = createRightsFactory(corpus.service);
  const caller = await rights.person([
    { effect: 'deny', operations: ['ViewAll'], resources: ['table'], condition: "matchAnyTag('PII.Sensitive')" },
  ]);
  const settings = weighing(field('description', 1));
  assert.ok(namesIn(await preview(settings)).includes('tolls'));
  assert.not(namesIn(await preview(settings, {}, caller)).includes('tolls'));
  await rights.clear();
});

test('bad input is refused with 400', async () => {
  const post = (body: unknown) => corpus.admin.post('/v1/search/preview', body);
  const good = { query: 'x', index: 'table', searchSettings: {} };
  ok(await post(good));
  expectRefused(await post({}), 400);
  expectRefused(await post({ ...good, query: undefined }), 400);
  expectRefused(await post({ ...good, index: 'nowhere' }), 400);
  expectRefused(await post({ ...good, searchSettings: undefined }), 400);
  expectRefused(await post({ ...good, searchSettings: [] }), 400);
  expectRefused(await post({ ...good, nope: 1 }), 400, /nope/);
  expectRefused(await post({ ...good, size: 10_001 }), 400);
  expectRefused(await post({ ...good, from: -1 }), 400);
  expectRefused(await post({ ...good, sortOrder: 'up' }), 400);
  expectRefused(await post({ ...good, sortField: 'nothing' }), 400);
  expectRefused(await post({ ...good, queryFilter: '{"nope":{}}' }), 400);
  expectRefused(await post({ ...good, query: '(a' }), 400);
  for (const settings of [
    { nope: {} },
    { globalSettings: { nope: 1 } },
    { assetTypeConfigurations: {} },
    { assetTypeConfigurations: [{}] },
    weighing({}),
    weighing(field('name', -1)),
    weighing(field('name', 1e9)),
    weighing({ field: 'name', boost: 'much' }),
    weighing(field('name', 1, 'guessed')),
    weighing(...Array.from({ length: 201 }, () => field('name', 1))),
    { globalSettings: { termBoosts: [{ field: 'name' }] } },
    { globalSettings: { fieldValueBoosts: [{ field: 'totalVotes', factor: 1, modifier: 'cube' }] } },
  ]) {
    expectRefused(await post({ ...good, searchSettings: settings }), 400);
  }
});

test.run();
