import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../support/expect.ts';
import { suite } from '../support/suite.ts';
import { queryAt } from './schema-fixture.ts';
import { ORDERS, openSortingFixture, type SortedHits, type SortingFixture } from './sorting-fixture.ts';

/** Shows that hits can be sorted by every sortable field (search.md 3.3). */

const test = suite('search: sorting');

let grove: SortingFixture;

test.before(async () => {
  grove = await openSortingFixture('sorting');
});

for (const [field, ascending, descending, missing = []] of ORDERS) {
  test(`by ${field} in both directions, hits without a value come last`, async () => {
    assert.equal((await grove.sorted(field, 'asc')).names, [...ascending, ...missing]);
    assert.equal((await grove.sorted(field, 'desc')).names, [...descending, ...missing]);
  });

  test(`a hit sorted by ${field} returns its value and its tie-breaker`, async () => {
    const { names, sorts } = await grove.sorted(field, 'asc');
    const isName = field.startsWith('name');
    sorts.forEach((sort, at) => {
      assert.is(sort.length, isName ? 2 : 3, JSON.stringify(sort));
      assert.is(sort[isName ? 0 : 1], names[at]?.toLowerCase());
      assert.match(String(sort.at(-1)), /^[0-9a-f-]{36}$/);
      if (missing.includes(names[at] ?? '')) assert.is(sort[0], '');
      else assert.is.not(sort[0], '');
    });
  });
}

test('a hit sorted by id returns the id once', async () => {
  for (const field of ['id', 'id.keyword', '_id']) {
    const { sorts } = await grove.sorted(field, 'desc');
    const ids = sorts.map(([id]) => String(id));
    assert.equal(ids, [...ids].sort().reverse(), field);
    assert.equal(
      sorts.map(({ length }) => length),
      [2, 2, 2, 2],
    );
  }
});

test('the direction is read in any case and is descending by default', async () => {
  const { names } = await grove.sorted('name', 'desc');
  for (const order of ['DESC', 'Desc', '']) assert.equal((await grove.sorted('name', order)).names, names, order);
  assert.equal((await grove.sorted('name', 'ASC')).names, [...names].reverse());
});

test('hits sorted by a field have no score', async () => {
  const { hits } = await grove.search('amber', { sort_field: 'name' });
  assert.equal([hits.max_score, hits.hits[0]._score], [null, null]);
  const { hits: ranked } = await grove.search('amber', { sort_field: '_score' });
  assert.ok(ranked.max_score > 0);
  assert.is(ranked.hits[0].sort[0], ranked.hits[0]._score);
});

test('a list sorts by its least value ascending and by its greatest descending, in any case', async () => {
  const column = (name: string) => ({ name, dataType: 'INT' });
  const made = [
    await grove.table('elder', { columns: [column('b'), column('N')] }),
    await grove.table('fir', { columns: [column('M'), column('c')] }),
    await grove.table('guava', { columns: [column('D'), column('z')] }),
  ];
  for (const field of ['columns.name.keyword', 'columnNames']) {
    assert.equal((await grove.sorted(field, 'asc', { size: '3' })).names, ['elder', 'fir', 'guava'], field);
    assert.equal((await grove.sorted(field, 'desc', { size: '3' })).names, ['guava', 'elder', 'fir'], field);
  }
  for (const { id } of made) ok(await grove.admin.delete(`/v1/tables/${id}?hardDelete=true`));
});

test('deleted records come after existing ones, or before them', async () => {
  const { id } = await grove.table('ash');
  ok(await grove.admin.delete(`/v1/tables/${id}`));
  const deleted = 'true';
  assert.is((await grove.sorted('deleted', 'asc', { deleted })).names.at(-1), 'ash');
  assert.is((await grove.sorted('deleted', 'desc', { deleted })).names[0], 'ash');
  ok(await grove.admin.delete(`/v1/tables/${id}?hardDelete=true`));
});

/** In the order of their characters, which is not that of the halves that some of them are written in. */
const SCRIPTS = ['100%', '_x', 'Über', '日本', 'ｱ', '🦊'];

test('texts are sorted by code points, in any case', async () => {
  for (const name of [...SCRIPTS].reverse()) await grove.table(name, { tableType: 'SecureView' });
  for (const field of ['name', 'displayName', 'fullyQualifiedName']) {
    const only = { q: 'tableType:SecureView' };
    assert.equal((await grove.sorted(field, 'asc', only)).names, SCRIPTS, field);
    assert.equal((await grove.sorted(field, 'desc', only)).names, [...SCRIPTS].reverse(), field);
  }
});

test('hits of indexes without the sort field come last', async () => {
  const asked = { index: 'table,databaseSchema', query_filter: '', q: `fullyQualifiedName:${grove.schema}*` };
  for (const order of ['asc', 'desc']) {
    const { names, sorts } = await grove.sorted('tableType', order, { ...asked, size: '100' });
    assert.is(names.length, 11);
    assert.equal(sorts[names.indexOf('sc')]?.[0], '');
    assert.ok(names.indexOf('sc') > names.indexOf('amber'));
  }
});

/** By what every index is to be sorted, whatever its records are. */
const EVERYWHERE = [
  ...['name', 'displayName', 'fullyQualifiedName', 'updatedAt', 'version', 'deleted', 'totalVotes', 'entityType'],
];

/** And by what some kinds alone have. */
const OF_KINDS: Readonly<Record<string, readonly string[]>> = {
  table: ['tableType', 'processedLineage', 'columnNames', 'database.name.keyword', 'databaseSchema.name.keyword'],
  topic: ['partitions', 'retentionTime', 'fieldNames'],
  dashboard: ['charts.displayName.keyword', 'dataModels.displayName.keyword'],
  chart: ['chartType'],
  dashboardDataModel: ['dataModelType', 'columnNames'],
  pipeline: ['state', 'tasks.displayName.keyword'],
  container: ['numberOfObjects', 'size', 'fullPath', 'fileFormats'],
  searchIndex: ['fieldNames'],
  glossaryTerm: ['entityStatus', 'glossary.name.keyword'],
  tag: ['disabled', 'usageCount', 'classification.name.keyword'],
  user: ['isAdmin', 'isBot', 'email.keyword'],
  team: ['teamType', 'isJoinable', 'isBot'],
  domain: ['domainType'],
  apiEndpoint: ['requestMethod'],
  query: ['queryType.keyword', 'checksum', 'checksum.keyword', 'processedLineage'],
  testCase: ['testCaseStatus', 'originEntityFQN'],
  testSuite: ['basic', 'summary.total'],
};

const comparable = (value: string | number | boolean | undefined): number | Buffer =>
  typeof value === 'string' ? Buffer.from(value) : Number(value);

const compare = (one: number | Buffer, other: number | Buffer): number =>
  typeof one === 'number' || typeof other === 'number' ? Number(one) - Number(other) : Buffer.compare(one, other);

/** Hits stand as they are to, whichever they are. */
const isInOrder = (sorts: SortedHits['sorts'], isAscending: boolean, what: string): void => {
  sorts.slice(1).forEach((sort, at) => {
    const [key, ...ties] = sort;
    const [before, ...tiesBefore] = sorts[at] ?? [];
    if (key === '' || before === '') assert.ok(key === '', `${what}: ${key} is behind what has none`);
    const step = compare(comparable(before), comparable(key));
    assert.ok(isAscending ? step <= 0 : step >= 0, `${what}: ${key} comes after ${before}`);
    if (step !== 0) return;
    const tie = ties.findIndex((value, index) => value !== tiesBefore[index]);
    assert.ok(compare(comparable(tiesBefore[tie]), comparable(ties[tie])) < 0, `${what}: ${ties} after ${tiesBefore}`);
  });
};

const anywhere = { query_filter: '', deleted: 'true' };

test('every index is sorted by the common fields and by those of its type', async () => {
  for (const { entityType, search } of grove.service.registry.kinds) {
    const { index } = search;
    if (index === undefined) continue;
    for (const field of [...EVERYWHERE, ...(OF_KINDS[entityType] ?? [])]) {
      const { sorts } = await grove.sorted(field, 'desc', { ...anywhere, index, size: '20' });
      isInOrder(sorts, false, `${index} ${field}`);
    }
  }
});

test('all indexes together are sorted by the common fields', async () => {
  for (const field of EVERYWHERE) {
    for (const order of ['asc', 'desc']) {
      const { sorts } = await grove.sorted(field, order, { ...anywhere, index: 'all', size: '200' });
      assert.ok(sorts.length > 20);
      isInOrder(sorts, order === 'asc', `${field} ${order}`);
    }
  }
});

test('an empty index is sorted by the common fields', async () => {
  for (const field of EVERYWHERE) {
    assert.equal((await grove.sorted(field, 'asc', { ...anywhere, index: 'spreadsheet_search_index' })).names, []);
  }
});

test('an unknown field and a plain text field are refused with 400', async () => {
  const bad = { table: ['partitions', 'nowhere', 'columns', 'description', 'owners'], topic: ['tableType'] };
  for (const [index, fields] of Object.entries(bad)) {
    for (const sort_field of fields) expectRefused(await grove.admin.get(queryAt('query', { index, sort_field })), 400);
  }
  expectRefused(await grove.admin.get(queryAt('query', { sort_field: 'name', sort_order: 'ascending' })), 400);
});

test.run();
