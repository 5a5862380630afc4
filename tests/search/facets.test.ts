import * as assert from 'uvu/assert';
import { createPerson, ok } from '../support/expect.ts';
import { uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { type DomainFixture, label, openDomainFixture } from './domain-fixture.ts';
import { type Made, type Query, queryAt } from './schema-fixture.ts';

/** Shows that searches return the aggregations of their indexes (search.md 3.2). */

const test = suite('search: facets');

const ALWAYS = [
  'serviceType',
  'service.displayName.keyword',
  'entityType',
  'tier.tagFQN',
  'owners.displayName.keyword',
  'domains.displayName.keyword',
  'domain.displayName.keyword',
  'tags.tagFQN',
  'certification.tagLabel.tagFQN',
  'database.name.keyword',
  'databaseSchema.name.keyword',
  'database.displayName',
  'databaseSchema.displayName',
];

const OWN: Readonly<Record<string, readonly string[]>> = {
  table: ['tableType', 'columns.name.keyword', 'database.displayName.keyword', 'databaseSchema.displayName.keyword'],
  dashboard: ['dataModels.displayName.keyword', 'charts.displayName.keyword'],
  pipeline: ['tasks.displayName.keyword'],
  topic: ['messageSchema.schemaFields.name.keyword'],
  dashboardDataModel: ['dataModelType', 'columns.name.keyword'],
  query: ['queryType'],
};

/** Types whose indexes are known although no record of theirs is stored. */
const EMPTY = ['spreadsheet_search_index', 'test_case_result_search_index', 'worksheet_search_index'];

let ground: DomainFixture;
let owner: Made;
let schema: string;

const column = (name: string) => ({ name, dataType: 'INT' });

const makeTables = async (): Promise<void> => {
  const { make, root, admin } = ground;
  const database = await make('databases', { name: 'Vault', displayName: 'The Vault', service: root });
  ({ fullyQualifiedName: schema } = await make('databaseSchemas', {
    name: 'Shelf',
    displayName: 'Upper Shelf',
    database: database.fullyQualifiedName,
  }));
  const owners = [{ id: owner.id, type: 'user' }];
  const table = (name: string, more: object) => make('tables', { name, databaseSchema: schema, ...more });
  const { id } = await table('amphora', {
    tableType: 'Regular',
    columns: [column('Clay'), column('handle')],
    tags: [label('PII.Sensitive'), label('Tier.Tier1')],
    owners,
  });
  const certification = { tagLabel: label('Certification.Gold'), appliedDate: 1, expiryDate: 2 ** 42 };
  ok(await admin.patch(`/v1/tables/${id}`, { certification }));
  await table('beaker', { tableType: 'View', columns: [column('Clay')], tags: [label('Tier.Tier1')], owners });
  await table('carafe', { tableType: 'View', columns: [column('neck'), column('Clay')] });
};

const makeDashboards = async (): Promise<void> => {
  const { make, root } = ground;
  const chart = await make('charts', { name: 'kiln_heat', displayName: 'Kiln Heat', service: root });
  const model = await make('dashboard/datamodels', {
    name: 'kiln',
    displayName: 'Kiln Model',
    service: root,
    dataModelType: 'LookMlView',
    columns: [column('Degrees')],
  });
  const shown = { charts: [chart.fullyQualifiedName], dataModels: [model.fullyQualifiedName] };
  await make('dashboards', { name: 'kilns', service: root, ...shown });
  await make('dashboards', { name: 'kilns_old', service: root, charts: shown.charts });
};

test.before(async () => {
  ground = await openDomainFixture('facets', { displayName: 'The Pottery' });
  const { service, make, root, serve } = ground;
  owner = { ...(await createPerson(service, uniqueName('Potter'))), fullyQualifiedName: '' };
  await serve('databaseServices', 'Mysql', { displayName: 'The Warehouse' });
  await serve('messagingServices', 'Kafka', { displayName: 'The Warehouse' });
  await serve('dashboardServices', 'Looker');
  await serve('pipelineServices', 'Airflow');
  await makeTables();
  await makeDashboards();
  const topic = (name: string, fields: readonly string[]) =>
    make('topics', {
      name,
      service: root,
      partitions: 1,
      messageSchema: { schemaType: 'JSON', schemaFields: fields.map(column) },
    });
  await topic('orders', ['Vase', 'price']);
  await topic('returns', ['Vase']);
  await make('pipelines', {
    name: 'firing',
    service: root,
    tasks: [{ name: 'heat', displayName: 'Heat Up' }, { name: 'cool' }],
  });
  const ask = (name: string, query_type: string) =>
    make('queries', { name, query: `SELECT '${root}' AS ${name}`, query_type, service: root });
  await ask('one', 'SELECT');
  await ask('two', 'SELECT');
  await ask('three', 'UPDATE');
});

type Bucket = { readonly key: string; readonly doc_count: number };

const counted = async (name: string, parameters: Query): Promise<(readonly [string, number])[]> => {
  const { aggregations } = await ground.search({ size: '0', ...parameters });
  const { buckets, ...rest } = aggregations[`sterms#${name}`];
  assert.equal(rest, { doc_count_error_upper_bound: 0, sum_other_doc_count: 0 }, name);
  return buckets.map(({ key, doc_count }: Bucket) => [key, doc_count]);
};

const namesOf = ({ aggregations }: { readonly aggregations: object }): string[] => Object.keys(aggregations).sort();

const wanted = (...own: readonly string[]): string[] =>
  [...new Set([...ALWAYS, ...own])].map((name) => `sterms#${name}`).sort();

test('every index has the common facets and those of its type', async () => {
  const { service, search } = ground;
  for (const { entityType, search: found } of service.registry.kinds) {
    const { index } = found;
    if (index === undefined) continue;
    assert.equal(namesOf(await search({ index, size: '0' })), wanted(...(OWN[entityType] ?? [])), index);
  }
});

test('the index of a type that is not stored has the common facets, all empty', async () => {
  for (const index of EMPTY) {
    const { hits, aggregations } = await ground.search({ index });
    assert.is(hits.total.value, 0);
    for (const name of wanted()) assert.equal(aggregations[name].buckets, [], `${index} ${name}`);
  }
});

test('several indexes have the facets of each of them', async () => {
  const { search } = ground;
  const { table = [], topic = [] } = OWN;
  assert.equal(namesOf(await search({ index: 'table,topic', size: '0' })), wanted(...table, ...topic));
  assert.equal(namesOf(await search({ index: 'all', size: '0' })), wanted(...Object.values(OWN).flat()));
});

/** The counts of the tables of this suite by everything that tables are counted by. */
const OF_TABLES: readonly (readonly [name: string, ...counts: readonly (readonly [string, number])[]])[] = [
  ['entityType', ['table', 3]],
  ['serviceType', ['mysql', 3]],
  ['service.displayName.keyword', ['the warehouse', 3]],
  ['tier.tagFQN', ['Tier.Tier1', 2]],
  ['tags.tagFQN', ['pii.sensitive', 1]],
  ['certification.tagLabel.tagFQN', ['certification.gold', 1]],
  ['domains.displayName.keyword', ['the pottery', 3]],
  ['domain.displayName.keyword', ['the pottery', 3]],
  ['database.name.keyword', ['vault', 3]],
  ['database.displayName', ['the vault', 3]],
  ['database.displayName.keyword', ['the vault', 3]],
  ['databaseSchema.name.keyword', ['shelf', 3]],
  ['databaseSchema.displayName', ['upper shelf', 3]],
  ['databaseSchema.displayName.keyword', ['upper shelf', 3]],
  ['tableType', ['view', 2], ['regular', 1]],
  ['columns.name.keyword', ['clay', 3], ['handle', 1], ['neck', 1]],
];

for (const [name, ...counts] of OF_TABLES) {
  test(`tables have the facet ${name}`, async () => {
    assert.equal(await counted(name, { index: 'table' }), counts);
  });
}

test('tables have a facet of their owners', async () => {
  assert.equal(await counted('owners.displayName.keyword', { index: 'table' }), [[owner.name.toLowerCase(), 2]]);
});

const OF_OTHERS: readonly (readonly [
  index: string,
  name: string,
  ...counts: readonly (readonly [string, number])[],
])[] = [
  ['dashboard_search_index', 'charts.displayName.keyword', ['kiln heat', 2]],
  ['dashboard_search_index', 'dataModels.displayName.keyword', ['kiln model', 1]],
  ['dashboardDataModel', 'dataModelType', ['lookmlview', 1]],
  ['dashboardDataModel', 'columns.name.keyword', ['degrees', 1]],
  ['pipeline', 'tasks.displayName.keyword', ['heat up', 1]],
  ['topic', 'messageSchema.schemaFields.name.keyword', ['vase', 2], ['price', 1]],
  ['query', 'queryType', ['select', 2], ['update', 1]],
  ['table,topic', 'service.displayName.keyword', ['the warehouse', 5]],
  ['table,topic,query', 'entityType', ['query', 3], ['table', 3], ['topic', 2]],
  ['table,pipeline', 'serviceType', ['mysql', 3], ['airflow', 1]],
];

for (const [index, name, ...counts] of OF_OTHERS) {
  test(`${index} has the facet ${name}`, async () => {
    assert.equal(await counted(name, { index }), counts);
  });
}

test('facets do not depend on size and page', async () => {
  for (const page of [{ size: '0' }, { size: '1' }, { size: '1', from: '2' }]) {
    assert.equal(await counted('tableType', { index: 'table', ...page }), [
      ['view', 2],
      ['regular', 1],
    ]);
  }
});

test('queries and filters narrow the facets, and a post filter does not', async () => {
  const beaker = { term: { 'name.keyword': 'beaker' } };
  const index = 'table';
  assert.equal(await counted('tableType', { index, q: 'amphora' }), [['regular', 1]]);
  assert.equal(await counted('tableType', { index, query_filter: ground.hereAnd(beaker) }), [['view', 1]]);
  const post_filter = JSON.stringify(beaker);
  const { hits, aggregations } = await ground.search({ index, post_filter });
  assert.equal([hits.total.value, aggregations['sterms#entityType'].buckets], [1, [{ key: 'table', doc_count: 3 }]]);
});

test('deleted records are counted on request only', async () => {
  const { admin, make } = ground;
  const { id } = await make('tables', { name: 'shard', databaseSchema: schema, tableType: 'External', columns: [] });
  ok(await admin.delete(`/v1/tables/${id}`));
  const index = 'table';
  assert.is((await counted('tableType', { index })).length, 2);
  assert.equal((await counted('tableType', { index, deleted: 'true' })).at(-1), ['regular', 1]);
  assert.equal(await counted('tableType', { index, deleted: 'true', q: 'shard' }), [['external', 1]]);
  ok(await admin.delete(`/v1/tables/${id}?hardDelete=true`));
});

test('the thousand most frequent values are returned, with the count of the others', async () => {
  const { make, hereAnd, admin } = ground;
  const columns = Array.from({ length: 1003 }, (_, at) => column(`c${String(at).padStart(4, '0')}`));
  const wide = await make('tables', { name: 'wide_plate', databaseSchema: schema, columns });
  const other = await make('tables', { name: 'plate', databaseSchema: schema, columns: columns.slice(-2) });
  const query_filter = hereAnd({ terms: { 'name.keyword': ['wide_plate', 'plate'] } });
  const { aggregations } = ok(await admin.get(queryAt('query', { index: 'table', query_filter, size: '0' })));
  const { buckets, sum_other_doc_count } = aggregations['sterms#columns.name.keyword'];
  assert.equal([buckets.length, sum_other_doc_count], [1000, 3]);
  assert.equal(buckets.slice(0, 3), [
    { key: 'c1001', doc_count: 2 },
    { key: 'c1002', doc_count: 2 },
    { key: 'c0000', doc_count: 1 },
  ]);
  for (const { id } of [wide, other]) ok(await admin.delete(`/v1/tables/${id}?hardDelete=true`));
});

test('an overlong value is returned by its beginning', async () => {
  const { make, admin } = ground;
  const columns = [column(`q${'long'.repeat(60)}`)];
  const { id } = await make('tables', { name: 'tall_vase', databaseSchema: schema, columns });
  const counts = await counted('columns.name.keyword', { index: 'table', q: 'tall_vase' });
  assert.equal(counts, [[`q${'long'.repeat(60)}`.slice(0, 200).concat('…'), 1]]);
  ok(await admin.delete(`/v1/tables/${id}?hardDelete=true`));
});

test.run();
