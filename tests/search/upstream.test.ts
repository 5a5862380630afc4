import * as assert from 'uvu/assert';
import { ok } from '../support/expect.ts';
import { createRightsFactory } from '../support/rights.ts';
import type { Client } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { type Corpus, type Made, openCorpus, queryAt } from './schema-fixture.ts';

/** Shows that documents contain the upstream assets that the caller may see. */

const test = suite('search: upstream assets');

let corpus: Corpus;
let raw: Made;
let hidden: Made;
let clean: Made;
let wide: Made;
let etl: Made;

const ref = ({ id }: Made, type = 'table') => ({ id, type });

const feed = async (from: Made, to: Made, lineageDetails: object = {}) =>
  ok(await corpus.admin.put('/v1/lineage', { edge: { fromEntity: ref(from), toEntity: ref(to), lineageDetails } }));

test.before(async () => {
  corpus = await openCorpus('upstream');
  const { admin, table, root } = corpus;
  const columns = [{ name: 'id', dataType: 'INT' }];
  [raw, clean, wide] = [
    await table('raw_brook', { columns }),
    await table('clean_brook', { columns }),
    await table('wide_brook', { columns }),
  ];
  hidden = await table('hidden_brook', { tags: [{ tagFQN: 'PII.Sensitive', source: 'Classification' }] });
  const service = ok(
    await admin.post('/v1/services/pipelineServices', { name: `${root}_etl`, serviceType: 'Airflow' }),
    201,
  );
  etl = ok(await admin.post('/v1/pipelines', { name: 'nightly', service: service.fullyQualifiedName }), 201);
  await feed(raw, clean, {
    sqlQuery: 'insert into clean select id from raw',
    description: 'cleans',
    columnsLineage: [{ fromColumns: [`${raw.fullyQualifiedName}.id`], toColumn: `${clean.fullyQualifiedName}.id` }],
    pipeline: ref(etl, 'pipeline'),
  });
  await feed(hidden, clean);
  await feed(clean, wide);
});

// biome-ignore lint/suspicious/noExplicitAny: answers of searches are looked at in many ways.
type Any = any;

const upstream = async (more: Readonly<Record<string, string>> = {}, client: Client = corpus.admin) => {
  const { hits } = await corpus.search('brook', more, client);
  const shown = new Map<string, Any>();
  for (const { _id, _source } of hits.hits) shown.set(_id, _source.upstreamLineage);
  return shown;
};

test('every document contains the upstream assets', async () => {
  const shown = await upstream();
  assert.is(shown.size, 4);
  assert.equal(shown.get(raw.id), []);
  assert.is(shown.get(wide.id)[0].fromEntity.id, clean.id);
  assert.equal(
    shown.get(clean.id).map(({ fromEntity }: Any) => fromEntity.id),
    [hidden.id, raw.id],
  );
  const [, told] = shown.get(clean.id);
  assert.is('toEntity' in told, false);
  assert.equal(Object.keys(told.fromEntity).sort(), ['fqnHash', 'fullyQualifiedName', 'id', 'type']);
  assert.equal([told.sqlQuery, told.description], ['insert into clean select id from raw', 'cleans']);
  assert.equal([told.pipelineEntityType, told.pipeline.id], ['pipeline', etl.id]);
  assert.is(told.docId, `${raw.fullyQualifiedName}--->pipeline:${etl.id}--->${clean.fullyQualifiedName}`);
  assert.is(told.docUniqueId, `${raw.id}--->${clean.id}`);
  assert.equal(told.columns, [
    { fromColumns: [`${raw.fullyQualifiedName}.id`], toColumn: `${clean.fullyQualifiedName}.id` },
  ]);
});

test('upstream assets are read by one statement, and only on request', async () => {
  const { service } = corpus;
  const sent = async (more: Readonly<Record<string, string>>) => {
    const before = service.sent('lineage/walk:upstream:0');
    await corpus.search('brook', { include_aggregations: 'false', ...more });
    return service.sent('lineage/walk:upstream:0') - before;
  };
  assert.is(await sent({}), 1);
  assert.is(await sent({ include_source_fields: 'name,upstreamLineage.fromEntity.id' }), 1);
  for (const more of [
    { include_source_fields: 'name' },
    { exclude_source_fields: 'upstreamLineage' },
    { exclude_source_fields: 'upstream*' },
    { fetch_source: 'false' },
    { size: '0' },
  ]) {
    assert.is(await sent(more), 0, JSON.stringify(more));
  }
  const some = await upstream({ include_source_fields: 'upstreamLineage.fromEntity.id' });
  assert.equal(some.get(wide.id), [{ fromEntity: { id: clean.id } }]);
});

test('a single document contains the upstream assets too', async () => {
  const { _source } = ok(await corpus.admin.get(`/v1/search/get/table_search_index/doc/${wide.id}`));
  assert.equal(_source.upstreamLineage, (await upstream()).get(wide.id));
});

test('hidden and deleted assets are left out', async () => {
  const rights = createRightsFactory(corpus.service);
  const caller = await rights.person([
    { effect: 'deny', operations: ['ViewAll'], resources: ['table'], condition: "matchAnyTag('PII.Sensitive')" },
    { effect: 'deny', operations: ['ViewAll'], resources: ['pipeline'] },
  ]);
  const reply = await caller.get(queryAt('query', { q: 'brook', query_filter: corpus.here }));
  assert.not.match(reply.text, hidden.id);
  assert.not.match(reply.text, etl.id);
  const shown = await upstream({}, caller);
  assert.equal(
    shown.get(clean.id).map(({ fromEntity }: Any) => fromEntity.id),
    [raw.id],
  );
  await rights.clear();
  ok(await corpus.admin.delete(`/v1/tables/${raw.id}`));
  assert.equal(
    (await upstream()).get(clean.id).map(({ fromEntity }: Any) => fromEntity.id),
    [hidden.id],
  );
  ok(await corpus.admin.put('/v1/tables/restore', { id: raw.id }));
});

test.run();
