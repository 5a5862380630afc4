import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { hitTotalOf } from '../../src/search/answer/hit-total.ts';
import { formatAggregations } from '../../src/search/find/aggregate.ts';
import { sortValues } from '../../src/search/request/hit-sort.ts';
import { readSearchRequest } from '../../src/search/request/search-request.ts';
import { createTypesenseClient } from '../../src/search/typesense/client.ts';
import { createTypesenseEngine, type TypesenseEngine } from '../../src/search/typesense/engine.ts';
import { updateFeeding } from '../../src/search/typesense/queries.ts';
import { createDocumentMatcher } from '../../src/search-documents/filter/match-document.ts';
import type { SearchFilter } from '../../src/search-documents/filter/search-filter.ts';
import { ok } from '../support/expect.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { clearTypesense, openTypesense, type TypesenseServer } from '../support/typesense.ts';

/** Shows that Typesense answers every search exactly as the graph does. */

const test = suite('search: parity of both engines');

const given = await openTypesense();

/** Numbers that look drawn, and are the same in every run. */
const drawer = (seed: number) => {
  let state = seed;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % below;
  };
  const of = <T>(all: readonly T[]): T => all[next(all.length)] as T;
  return { next, of };
};

const WORDS = [
  'customer',
  'order',
  'Dim',
  'fct',
  'sales',
  'größe',
  'id',
  'v2',
  'ab',
  'Zip',
  'x1',
  'Ära',
  '日本',
] as const;
const MARKS = ['_', '.', '-', ' ', ''] as const;
const TAGS = ['PII.Sensitive', 'PII.NonSensitive', 'Tier.Tier1', 'Tier.Tier2', 'Certification.Gold'] as const;
const TYPES = ['Regular', 'View', 'External', 'MaterializedView'] as const;

const { next, of } = drawer(42);

const nameOf = (count: number): string =>
  Array.from({ length: 1 + next(count) }, () => of<string>(WORDS)).reduce((name, word) => `${name}${of(MARKS)}${word}`);

const textOf = (count: number): string => Array.from({ length: next(count) }, () => nameOf(2)).join(' ');

const TABLES = 150;
const TOPICS = 60;

let service: Service;
let root: string;
let engine: TypesenseEngine;
let prefix: string;

/** Creates many at once; of two names that fell alike, the later one is what there is. */
const put = async (path: string, bodies: readonly object[]) => {
  const { status, text } = await service.admin.put(`${path}/bulk`, bodies);
  assert.is(status, 200, text);
};

const tags = (count: number) =>
  [...new Set(Array.from({ length: next(count) }, () => of(TAGS)))]
    .filter((tag, at, all) => all.findIndex((one) => one.split('.')[0] === tag.split('.')[0]) === at)
    .map((tagFQN) => ({ tagFQN, source: 'Classification' }));

const makeCatalog = async () => {
  const { admin } = service;
  root = uniqueName('twofold');
  ok(await admin.post('/v1/services/databaseServices', { name: root, serviceType: 'Mysql' }), 201);
  ok(await admin.post('/v1/services/messagingServices', { name: root, serviceType: 'Kafka' }), 201);
  ok(await admin.post('/v1/databases', { name: 'db', service: root }), 201);
  for (const name of ['one', 'two']) ok(await admin.post('/v1/databaseSchemas', { name, database: `${root}.db` }), 201);
  const tables = Array.from({ length: TABLES }, () => {
    const names = [...new Set(Array.from({ length: 1 + next(4) }, () => nameOf(2)))];
    return {
      name: nameOf(3),
      databaseSchema: `${root}.db.${of(['one', 'two'])}`,
      tableType: of(TYPES),
      ...(next(2) ? { displayName: nameOf(3) } : {}),
      ...(next(3) ? { description: textOf(8) } : {}),
      tags: tags(3),
      columns: names.map((name) => ({
        name,
        dataType: of(['INT', 'VARCHAR']),
        ...(next(3) ? {} : { displayName: nameOf(2) }),
      })),
    };
  });
  await put('/v1/tables', tables);
  const topics = Array.from({ length: TOPICS }, () => ({
    name: nameOf(3),
    service: root,
    partitions: next(5),
    ...(next(2) ? { description: textOf(8) } : {}),
    tags: tags(3),
  }));
  await put('/v1/topics', topics);
};

const below = () => ({ term: { 'service.name.keyword': root } });

const filterBelow = (): string => JSON.stringify({ query: below() });

const FIELDS = [
  'name',
  'description',
  'displayName',
  'columns.name',
  'tags.tagFQN',
  'tableType',
  'name.keyword',
  'deleted',
];

const leaf = (): object => {
  switch (next(9)) {
    case 0:
      return { term: { 'tags.tagFQN': of(TAGS) } };
    case 1:
      return { terms: { tableType: [of(TYPES), of(TYPES)] } };
    case 2:
      return { match: { [of(['name', 'description', 'displayName'])]: nameOf(2) } };
    case 3:
      return { match: { description: { query: nameOf(2), operator: 'AND' } } };
    case 4:
      return { exists: { field: of(['description', 'tags', 'tableType', 'partitions', 'nothing']) } };
    case 5:
      return { range: { [of(['updatedAt', 'version', 'partitions'])]: { [of(['gt', 'gte', 'lt', 'lte'])]: next(4) } } };
    case 6:
      return { match_phrase: { [of(['name', 'description'])]: nameOf(2) } };
    case 7:
      return { term: { [of(FIELDS)]: of([...WORDS, true, 2]) } };
    default:
      return { prefix: { name: 'cus' } };
  }
};

const clause = (depth: number): object => {
  if (depth === 0 || next(3) === 0) return leaf();
  const some = (count: number) => Array.from({ length: next(count) }, () => clause(depth - 1));
  return {
    bool: {
      must: some(3),
      should: some(4),
      must_not: some(2),
      ...(next(4) ? {} : { minimum_should_match: 1 + next(2) }),
    },
  };
};

const typed = (): string => {
  const word = () => of([...WORDS, 'nothing'] as const);
  const plain = () => of(['customer', 'order', 'Dim', 'fct', 'sales', 'id', 'ab'] as const);
  switch (next(12)) {
    case 10:
      return plain();
    case 11:
      return `${plain()} ${plain().slice(0, 4)}`;
    case 0:
    case 8:
      return `+${plain()}`;
    case 1:
    case 9:
      return `${plain()} AND ${plain()}`;
    case 2:
      return `+${plain()} -${word()}`;
    case 3:
      return `${word()} OR (${word()} AND NOT ${word()})`;
    case 4:
      return `"${word()} ${word()}"`;
    case 5:
      return `name:${word()} AND tableType:${of(TYPES)}`;
    case 6:
      return `${word()} ${word()}`;
    default:
      return '*';
  }
};

const parametersOf = (): URLSearchParams => {
  const filter = { query: { bool: { must: [below(), ...(next(3) ? [clause(2)] : [])] } } };
  const size = of([0, 1, 10, 25, 300]);
  const parameters = new URLSearchParams({
    q: typed(),
    index: of(['table', 'topic', 'table,topic', 'all', 'dataAsset']),
    from: String(of([0, 0, 0, size, 7])),
    size: String(size),
    query_filter: JSON.stringify(filter),
    track_total_hits: 'true',
  });
  if (next(4) === 0) parameters.set('post_filter', JSON.stringify({ query: clause(1) }));
  const field = of(['_score', 'name', 'displayName', 'fullyQualifiedName', 'updatedAt', 'version', 'id', '_score']);
  parameters.set('sort_field', field);
  parameters.set('sort_order', field === '_score' ? 'desc' : of(['asc', 'desc']));
  return parameters;
};

// biome-ignore lint/suspicious/noExplicitAny: answers of searches are looked at in many ways.
const idsIn = (answer: any): string[] => answer.hits.hits.map((hit: any) => hit._id);

const REQUESTS = 250;

type Document = { readonly _id: string; readonly _source: JsonObject };

/** Those of some records that a filter describes. */
const fulfilling = async (filter: SearchFilter, ids: readonly string[]): Promise<string[]> => {
  const query = new URLSearchParams({
    index: 'all',
    size: '1000',
    query_filter: JSON.stringify({ ids: { values: ids } }),
  });
  const { hits } = ok(await service.admin.get(`/v1/search/query?${query}`));
  const documents = new Map(hits.hits.map(({ _id, _source }: Document) => [_id, _source]));
  const judge = createDocumentMatcher(filter, service.registry.byType, Date.now());
  return ids.filter((id) => judge((documents.get(id) ?? {}) as JsonObject));
};

/**
 * Of what people type, either finds all that has the words as they are spelled, and the last from its beginning. What else
 * may be meant each guesses by itself, within the same margin of letters.
 */
const compareTyped = async (parameters: URLSearchParams): Promise<string> => {
  const whole = new URLSearchParams([...parameters].filter(([name]) => name !== 'from' && name !== 'size'));
  whole.set('size', '1000');
  const asked = readSearchRequest(service.registry.kinds, { query: whole });
  const { q } = asked;
  if (q.is !== 'simple') throw new Error(`${parameters} is no plain text`);
  const answer = await engine.answer(asked, asked.searched.kinds, Date.now());
  const ids = answer?.rows.map(({ id }) => id) ?? [];
  assert.equal([ids.length, new Set(ids).size], [answer?.total, ids.length], `${whole}`);
  assert.equal(await fulfilling({ ...q, isRough: true }, ids), ids, `${whole}`);
  const graph = idsIn(ok(await service.admin.get(`/v1/search/query?${whole}`)));
  // Where the graph finds nothing that has all words, it shows what has any of them.
  const sure = await fulfilling({ ...q, isSpelledRight: true }, graph);
  assert.equal(
    sure.filter((id) => !ids.includes(id)),
    [],
    `${whole}`,
  );
  return 'typed';
};

/** What both answer to one request; undefined where the engine leaves it to the graph. */
const compareOne = async (parameters: URLSearchParams): Promise<string | undefined> => {
  const asked = readSearchRequest(service.registry.kinds, { query: parameters });
  const answer = await engine.answer(asked, asked.searched.kinds, Date.now());
  if (!answer) return undefined;
  const said = `${parameters}`;
  if (asked.q.is === 'simple') return compareTyped(parameters);
  const graph = ok(await service.admin.get(`/v1/search/query?${said}`));
  assert.equal(hitTotalOf(answer.total, true), graph.hits.total, said);
  assert.equal(formatAggregations(asked.searched.kinds, answer.counts), graph.aggregations, said);
  const ids = answer.rows.map(({ id }) => id);
  const isRanked = parameters.get('sort_field') === '_score' && asked.q.is !== 'all';
  if (!isRanked) {
    assert.equal(ids, idsIn(graph), said);
    const sorts = graph.hits.hits.map(({ sort }: { sort: unknown[] }) => sort);
    assert.equal(
      answer.rows.map((row) => [
        row.key === '' ? '' : asked.sort.show(row.key),
        ...asked.sort.tieBreakers.map((tie) => row[tie]),
      ]),
      sorts,
      said,
    );
  } else if (answer.total <= Number(parameters.get('size')) && parameters.get('from') === '0') {
    assert.equal([...ids].sort(), idsIn(graph).sort(), said);
  } else assert.is(ids.length, idsIn(graph).length, said);
  return isRanked ? 'ranked' : 'ordered';
};

const withServer = (server: TypesenseServer) => {
  test.before(async () => {
    service = await openService();
    prefix = `${uniqueName('same')}_`;
    engine = createTypesenseEngine({
      typesense: createTypesenseClient({ url: server.url, apiKey: server.apiKey }),
      graph: service.graph,
      kinds: service.registry.kinds,
      prefix,
      server: prefix,
      log: { warn: (message, more, failure) => console.log(message, more, failure) },
      // What other tests have left unsent is no business of this one.
      options: { surveyTtlMs: 600_000, lagMs: 600_000 },
    });
    await service.graph.write((transaction) => transaction.run(updateFeeding, { rows: [{ server: prefix }] }));
    await makeCatalog();
    const done = await engine.rebuild(service.registry.kinds.filter(({ search }) => search.index !== undefined));
    assert.ok(done.some(({ kind, documents }) => kind.entityType === 'table' && documents > 100));
  });

  test('random requests have equal answers', async () => {
    const counts = new Map<string | undefined, number>();
    for (let at = 0; at < REQUESTS; at += 1) {
      const how = await compareOne(parametersOf());
      counts.set(how, (counts.get(how) ?? 0) + 1);
    }
    console.log(`  of ${REQUESTS} requests`, Object.fromEntries(counts));
    assert.ok((counts.get('ordered') ?? 0) > REQUESTS / 4, 'many requests are answered beside the graph');
    assert.ok((counts.get('ranked') ?? 0) > 20, 'so are some that are put in order by what was typed');
    assert.ok((counts.get('typed') ?? 0) > 3, 'and plain text');
  });

  test('plain text, typos and prefixes have equal answers', async () => {
    const ways = [(word: string) => word, (word: string) => word.slice(0, 4), (word: string) => word.replace('e', 'x')];
    const beside: string[] = [];
    for (const first of ['', 'sales ', 'custome '])
      for (const word of ['customer', 'order', 'sales', 'fct'])
        for (const way of ways) {
          const q = first + way(word);
          const parameters = new URLSearchParams({ q, index: 'table,topic', query_filter: filterBelow() });
          if ((await compareOne(parameters)) === 'typed') beside.push(q);
        }
    assert.ok(beside.length > 20, beside.join(', '));
  });

  const page = async (parameters: Readonly<Record<string, string>>, after: readonly string[] = []) => {
    const query = new URLSearchParams({ query_filter: JSON.stringify({ query: below() }), ...parameters });
    for (const value of after) query.append('search_after', value);
    const asked = readSearchRequest(service.registry.kinds, { query });
    const answer = await engine.answer(asked, asked.searched.kinds, Date.now());
    const sort = answer?.rows.map((row) => sortValues(asked.sort, row).map(String));
    return { total: answer?.total, ids: answer?.rows.map(({ id }) => id) ?? [], last: sort?.at(-1) };
  };

  /** All hits, page behind page; every page must be answered beside the graph. */
  const leafThrough = async (parameters: Readonly<Record<string, string>>, total: number | undefined) => {
    const ids: string[] = [];
    for (let after: readonly string[] = []; ; ) {
      const { ids: some, last, total: counted } = await page({ ...parameters, size: '7' }, after);
      assert.is(counted, total, 'every page knows how many there are');
      ids.push(...some);
      if (!last) return ids;
      after = last;
    }
  };

  for (const q of ['+customer', 'customer', 'order AND sales', 'name:customer', 'tableType:View OR name:fct'])
    for (const index of ['table', 'table,topic'])
      test(`pages of ${q} in ${index} join in the order of the whole`, async () => {
        const whole = await page({ q, index, size: '1000' });
        assert.ok(whole.ids.length > 7, `${whole.ids.length} hits`);
        assert.equal(await leafThrough({ q, index }, whole.total), whole.ids);
      });

  test('the graph continues after a hit that the graph has sorted', async () => {
    const query = new URLSearchParams({ q: '+customer', index: 'table', size: '7' });
    query.set('query_filter', JSON.stringify({ query: below() }));
    const hits = ok(await service.admin.get(`/v1/search/query?${query}`)).hits.hits;
    assert.is((await page({ q: '+customer', index: 'table' }, hits.at(-1).sort.map(String))).total, undefined);
    const nobody = ['1', 'x', '00000000-0000-4000-8000-000000000000'];
    assert.is((await page({ q: '+customer', index: 'table' }, nobody)).total, undefined, 'behind nobody as well');
    const odd = ['1', 'x', '00000000] || id:=[x'];
    assert.is((await page({ q: '+customer', index: 'table' }, odd)).total, undefined);
  });

  test.after(async () => {
    await clearTypesense(service.graph, server, [prefix]);
    engine.close();
  });
  test.after(() => server.close());
};

if ('missing' in given) test.skipped('all of it', given.missing);
else withServer(given);

test.run();
