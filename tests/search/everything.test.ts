import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { ok } from '../support/expect.ts';
import { createSamples } from '../support/samples.ts';
import { openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that a search for everything, which other indexes answer, finds and counts what the full-text index does. */

const test = suite('search: everything');

/** Kinds of which the store of the tests holds few records, so that all of them can be compared. */
const KINDS = ['metric', 'chart', 'dataProduct'];
const INDEX = `index=${KINDS.join(',')}`;

/** A condition that everything meets, which only the full-text index decides. */
const ANYTHING = `query_filter=${encodeURIComponent(JSON.stringify({ query: { exists: { field: 'id' } } }))}`;

const OWN_STATEMENTS = ['search/find_everything', 'search/count_everything'];

let service: Service;

const get = async (path: string): Promise<JsonObject> => ok(await service.admin.get(path));

const pageOf = async (parameters: string) => {
  const { hits, aggregations } = await get(`/v1/search/query?q=*&${INDEX}&${parameters}`);
  const { total, max_score, hits: rows } = hits as { total: unknown; max_score: unknown; hits: JsonObject[] };
  return { total, max_score, rows: rows.map(({ _id, _score, sort }) => ({ _id, _score, sort })), aggregations };
};

const sentOwn = (): readonly number[] => OWN_STATEMENTS.map((name) => service.sent(name));

test.before(async () => {
  service = await openService();
  const samples = createSamples(service);
  for (const kind of KINDS) {
    for (let at = 0; at < 4; at += 1) await samples.create(kind, { displayName: `Everything ${at % 2}` });
    const { id } = await samples.create(kind);
    ok(await service.admin.delete(`/v1/${samples.kind(kind).path}/${id}`));
  }
});

test('pages, totals and counts are those of the full-text index', async () => {
  for (const page of ['size=10', 'size=1&from=5', 'size=1000', 'size=5&from=9000', 'size=0', 'size=3&sort_order=asc']) {
    const before = sentOwn();
    const found = await pageOf(`${page}&track_total_hits=true`);
    const [pages, counts] = sentOwn().map((sent, at) => sent - (before[at] ?? 0));
    assert.equal([pages, counts], [page === 'size=0' ? 0 : 1, 1], `${page} is answered by other indexes`);
    assert.equal(found, await pageOf(`${page}&track_total_hits=true&${ANYTHING}`), page);
  }
});

test('the pages after a hit are those of the full-text index', async () => {
  const seen: unknown[] = [];
  for (let after = ''; ; ) {
    const page = await pageOf(`size=4${after}`);
    assert.equal(page, await pageOf(`size=4${after}&${ANYTHING}`));
    seen.push(...page.rows.map(({ _id }) => _id));
    const last = page.rows.at(-1)?.sort as readonly unknown[] | undefined;
    if (!last) break;
    after = last.map((value) => `&search_after=${encodeURIComponent(String(value))}`).join('');
  }
  assert.is(new Set(seen).size, seen.length);
  assert.equal(
    seen,
    (await pageOf('size=1000')).rows.map(({ _id }) => _id),
  );
});

test('a new record is found at once, and a deleted one no more', async () => {
  const samples = createSamples(service);
  const all = async () => (await pageOf('size=1000&track_total_hits=true&include_aggregations=false')).rows;
  const before = (await all()).length;
  const { id } = await samples.create('metric');
  assert.is((await all()).length, before + 1);
  ok(await service.admin.delete(`/v1/metrics/${id}`));
  const after = await all();
  assert.is(after.length, before);
  assert.not.ok(after.some(({ _id }) => _id === id));
  const { rows } = await pageOf('size=1000&deleted=true');
  assert.ok(
    rows.some(({ _id }) => _id === id),
    'deleted records are found when they are asked for',
  );
});

test('the values of facets and of other fields are counted as by the full-text index', async () => {
  const byTerm = 'search/count_everything_by_term';
  for (const [field, isFacet] of [
    ['entityType', true],
    ['domains.displayName.keyword', true],
    ['displayName.keyword', false],
  ] as const) {
    const path = `/v1/search/aggregate?${INDEX}&field=${field}&size=1000`;
    const before = service.sent(byTerm);
    const { aggregations } = await get(path);
    assert.is(service.sent(byTerm) - before, isFacet ? 1 : 0, field);
    assert.equal(aggregations, (await get(`${path}&${ANYTHING}`))['aggregations'], field);
  }
});

test.run();
