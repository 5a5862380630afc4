import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { runDbtImport } from './dbt-import.ts';

/** Shows what `tributary import dbt` brings of a project of a warehouse that folds names, and what it leaves alone. */

const test = suite('cli: import of a dbt project');

const SERVICE = uniqueName('dbt');
const MART = `${SERVICE}.SHOP.MART`;
const OWNER = uniqueName('ann').toLowerCase();
const OTHER = uniqueName('ben').toLowerCase();
const TEAM = uniqueName('sales');
const PROJECT = uniqueName('project');
const BOARDS = uniqueName('boards');
const REVENUE = uniqueName('revenue');

let service: Service;
let folder: string;

const source = {
  resource_type: 'source',
  database: 'shop',
  schema: 'raw',
  name: 'orders',
  identifier: 'orders',
  description: 'Orders as they come',
  columns: { id: { name: 'id', description: 'Its number' } },
};

const model = (name: string, reads: readonly string[], compiled: string, more: object = {}) => ({
  resource_type: 'model',
  package_name: 'shop',
  database: 'shop',
  schema: 'mart',
  name,
  alias: name,
  original_file_path: `models/${name}.sql`,
  raw_code: `-- ${name}`,
  compiled_code: compiled,
  depends_on: { nodes: reads },
  config: { materialized: 'table' },
  columns: {},
  ...more,
});

const dbtTest = (name: string, kind: string, more: object) => ({
  resource_type: 'test',
  name,
  test_metadata: { name: kind },
  depends_on: { nodes: [] },
  ...more,
});

const MANIFEST = {
  metadata: {
    dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json',
    adapter_type: 'snowflake',
    project_name: PROJECT,
  },
  sources: { 'source.shop.raw.orders': source },
  groups: { 'group.shop.sales': { name: 'sales', owner: { name: TEAM } } },
  exposures: {
    'exposure.shop.board': {
      name: 'board',
      label: 'The board of sales',
      type: 'dashboard',
      url: 'https://boards.example/1',
      description: 'What was sold',
      owner: { name: 'Ann', email: `${OWNER}@example.com` },
      depends_on: { nodes: ['model.shop.weekly', 'metric.shop.revenue'] },
    },
    'exposure.shop.forecast': { name: 'forecast', type: 'ml', depends_on: { nodes: ['model.shop.weekly'] } },
    'exposure.shop.named': {
      name: 'named',
      type: 'dashboard',
      meta: { openmetadata: { fqn: `${BOARDS}.known` } },
      depends_on: { nodes: ['model.shop.daily'] },
    },
  },
  semantic_models: {
    'semantic_model.shop.days': {
      name: 'days',
      depends_on: { nodes: ['model.shop.daily'] },
      dimensions: [{ name: 'day', type: 'time', expr: 'ordered_at' }],
      measures: [{ name: 'paid', agg: 'sum', expr: 'total' }],
    },
    'semantic_model.shop.idle': { name: 'idle', depends_on: { nodes: ['model.shop.daily'] } },
  },
  metrics: {
    'metric.shop.revenue': {
      name: REVENUE,
      label: 'Revenue',
      type: 'simple',
      description: 'All that was paid',
      type_params: { measure: { name: 'paid' } },
      time_granularity: 'day',
      filter: { where_filters: [{ where_sql_template: "{{ Dimension('day') }} is not null" }] },
      depends_on: { nodes: ['semantic_model.shop.days'] },
    },
    'metric.shop.share': {
      name: `${REVENUE}_share`,
      type: 'ratio',
      type_params: { numerator: { name: REVENUE }, denominator: { name: 'all' } },
      depends_on: { nodes: ['metric.shop.revenue'] },
    },
  },
  unit_tests: { 'unit_test.shop.sums': { name: 'sums' } },
  nodes: {
    'model.shop.clean': model('clean', ['source.shop.raw.orders'], 'select id, amount from shop.raw.orders', {
      config: { materialized: 'ephemeral' },
    }),
    'model.shop.daily': model(
      'daily',
      ['model.shop.clean'],
      'with clean as (select id, amount from shop.raw.orders) select id as order_id, sum(amount) as total from clean group by 1',
      {
        description: 'Revenue of each day',
        tags: ['finance'],
        meta: { openmetadata: { owner: [OWNER, `${OTHER}@example.com`, `${OWNER}@example.com`], tier: 'Tier.Tier2' } },
        columns: { total: { name: 'total', description: 'All that was paid', tags: ['money'] } },
      },
    ),
    'model.shop.weekly': model('weekly', ['model.shop.daily'], 'select total from shop.mart.daily', {
      config: { materialized: 'view' },
      group: 'sales',
      meta: { owner: 'nobody-here' },
    }),
    'model.shop.monthly': model('monthly', ['model.shop.daily'], 'select total from shop.mart.daily', {
      group: 'sales',
    }),
    'test.shop.not_null': dbtTest('not_null_daily_total', 'not_null', {
      attached_node: 'model.shop.daily',
      column_name: 'total',
    }),
    'test.shop.rows': dbtTest('enough_rows', 'row_count', { attached_node: 'model.shop.daily' }),
    'test.shop.join': dbtTest('nothing_lost', 'singular', {
      depends_on: { nodes: ['model.shop.daily', 'model.shop.weekly'] },
    }),
  },
};

const columns = (...names: string[]) =>
  Object.fromEntries(names.map((name, at) => [name, { name, index: at + 1, type: 'NUMBER(38,2)' }]));

const found = (schema: string, name: string, type: string, ...names: string[]) => ({
  metadata: { database: 'SHOP', schema, name, type },
  columns: columns(...names),
});

const CATALOG = {
  sources: { 'source.shop.raw.orders': found('RAW', 'ORDERS', 'BASE TABLE', 'ID', 'AMOUNT') },
  nodes: {
    'model.shop.daily': found('MART', 'DAILY', 'BASE TABLE', 'ORDER_ID', 'TOTAL'),
    'model.shop.weekly': found('MART', 'WEEKLY', 'VIEW', 'TOTAL'),
    'model.shop.monthly': found('MART', 'MONTHLY', 'BASE TABLE', 'TOTAL'),
  },
};

const timing = [{ name: 'execute', completed_at: '2026-03-01T10:00:00Z' }];

const RESULTS = {
  metadata: { generated_at: '2026-03-01T10:00:00Z' },
  results: [
    { unique_id: 'test.shop.not_null', status: 'fail', failures: 3, message: 'Got 3 results', timing },
    { unique_id: 'test.shop.rows', status: 'pass', failures: 0, message: null, timing },
  ],
};

const runImport = (manifest: object = MANIFEST) =>
  runDbtImport(service, {
    folder,
    warehouse: SERVICE,
    files: { manifest, catalog: CATALOG, run_results: RESULTS },
  });

const readTable = async (fqn: string) =>
  (await service.admin.get(`/v1/tables/name/${fqn}?fields=columns,owners,tags,dataModel`)).json;

test.before(async () => {
  service = await openService();
  folder = await mkdtemp(join(tmpdir(), 'tributary-dbt-'));
  for (const name of [OWNER, OTHER]) await service.admin.put('/v1/users', { name, email: `${name}@example.com` });
  await service.admin.put('/v1/teams', { name: TEAM, teamType: 'Group' });
  await service.admin.put('/v1/services/dashboardServices', { name: BOARDS, serviceType: 'Metabase' });
  await service.admin.put('/v1/dashboards', { name: 'known', service: BOARDS });
});

test.after(() => rm(folder, { recursive: true, force: true }));

test('tables, columns, tags, owners and tiers come in as the database spells them', async () => {
  const { code, printed } = await runImport();
  assert.is(code, 0, printed);
  const daily = await readTable(`${MART}.DAILY`);
  assert.is(daily.serviceType, 'Snowflake');
  assert.is(daily.description, 'Revenue of each day');
  assert.equal(
    daily.columns.map(({ name, dataType, dataTypeDisplay, description }: Record<string, unknown>) => [
      name,
      dataType,
      dataTypeDisplay,
      description,
    ]),
    [
      ['ORDER_ID', 'NUMBER', 'NUMBER(38,2)', undefined],
      ['TOTAL', 'NUMBER', 'NUMBER(38,2)', 'All that was paid'],
    ],
  );
  assert.equal(daily.tags.map(({ tagFQN }: { tagFQN: string }) => tagFQN).sort(), ['Tier.Tier2', 'dbtTags.finance']);
  assert.is(daily.columns[1].tags[0].tagFQN, 'dbtTags.money');
  assert.equal(daily.owners.map(({ name }: { name: string }) => name).sort(), [OWNER, OTHER].sort());
  assert.equal(daily.dataModel.upstream, [`${SERVICE}.SHOP.RAW.ORDERS`]);
  const monthly = await readTable(`${MART}.MONTHLY`);
  assert.is(monthly.owners[0].name, TEAM);
  assert.is((await readTable(`${MART}.WEEKLY`)).tableType, 'View');
});

test('lineage by column goes through ephemeral models', async () => {
  const path = `/v1/lineage/getLineageEdge/table/name/${SERVICE}.SHOP.RAW.ORDERS/table/name/${MART}.DAILY`;
  const { edge } = (await service.admin.get(path)).json;
  assert.is(edge.source, 'DbtLineage');
  assert.equal(
    edge.columnsLineage.map(({ fromColumns, toColumn }: { fromColumns: string[]; toColumn: string }) => [
      ...fromColumns,
      toColumn,
    ]),
    [
      [`${SERVICE}.SHOP.RAW.ORDERS.ID`, `${MART}.DAILY.ORDER_ID`],
      [`${SERVICE}.SHOP.RAW.ORDERS.AMOUNT`, `${MART}.DAILY.TOTAL`],
    ],
  );
});

test('tests are test cases with their results', async () => {
  const link = encodeURIComponent(`<#E::table::${MART}.DAILY>`);
  const { data } = (await service.admin.get(`/v1/dataQuality/testCases?entityLink=${link}&includeAllTests=true`)).json;
  assert.equal(
    data
      .map((one: Record<string, { name?: string }>) => [
        one['name'],
        one['testDefinition']?.name,
        one['testCaseStatus'],
      ])
      .sort(),
    [
      ['enough_rows', 'dbtTableTest', 'Success'],
      ['not_null_daily_total', 'columnValuesToBeNotNull', 'Failed'],
      ['nothing_lost', 'dbtTableTest', undefined],
    ],
  );
  const several = data.find(({ name }: { name: string }) => name === 'nothing_lost');
  assert.is(several.description, 'The test also reads SHOP.MART.WEEKLY.');
});

const sourcesOf = async (type: string, fqn: string): Promise<readonly string[]> => {
  const path = `/v1/lineage/${type}/name/${fqn}?upstreamDepth=1&downstreamDepth=0`;
  const { nodes, upstreamEdges } = (await service.admin.get(path)).json;
  assert.ok(
    upstreamEdges.every(
      ({ lineageDetails }: Record<string, { source: string }>) => lineageDetails?.source === 'DbtLineage',
    ),
  );
  return nodes.map(({ fullyQualifiedName }: Record<string, string>) => fullyQualifiedName).sort();
};

test('exposures are dashboards with owners and lineage, or the asset that the project names', async () => {
  const { json: board } = await service.admin.get(`/v1/dashboards/name/dbt_${PROJECT}.board?fields=owners`);
  assert.equal(
    [board.displayName, board.description, board.sourceUrl, board.dashboardType, board.owners[0].name],
    ['The board of sales', 'What was sold', 'https://boards.example/1', 'Dashboard', OWNER],
  );
  assert.equal(await sourcesOf('dashboard', `dbt_${PROJECT}.board`), [`${MART}.DAILY`, `${MART}.WEEKLY`]);
  assert.equal(await sourcesOf('dashboard', `${BOARDS}.known`), [`${MART}.DAILY`]);
});

test('metrics come with expressions, dimensions, measures and lineage from the tables of their models', async () => {
  const { json: revenue } = await service.admin.get(`/v1/metrics/name/${REVENUE}`);
  assert.equal(
    [revenue.displayName, revenue.metricExpression, revenue.metricType, revenue.granularity],
    ['Revenue', { language: 'SQL', code: 'SUM(total)' }, 'SUM', 'DAY'],
  );
  assert.equal(revenue.dimensions, [{ name: 'day', type: 'TIME', expression: 'ordered_at' }]);
  assert.equal(revenue.measures, [{ name: 'paid', aggregation: 'sum', expression: 'total' }]);
  assert.is(revenue.filters[0].where, "{{ Dimension('day') }} is not null");
  assert.equal(await sourcesOf('metric', REVENUE), [`${MART}.DAILY`]);
  const { json: share } = await service.admin.get(`/v1/metrics/name/${REVENUE}_share`);
  assert.equal(
    [share.metricExpression, share.metricType],
    [{ language: 'External', code: `${REVENUE} / all` }, 'RATIO'],
  );
  assert.equal(await sourcesOf('metric', `${REVENUE}_share`), [`${MART}.DAILY`]);
});

test('what the catalog has no place for is told', async () => {
  const { code, printed } = await runImport();
  assert.is(code, 0);
  assert.match(printed, /the owner nobody-here: nobody and no team is called so/);
  assert.match(printed, /the exposure forecast: name the mlmodel that it is in meta\.openmetadata\.fqn/);
  assert.match(printed, /the semantic model idle: no metric uses it/);
  assert.match(printed, /unit tests \(1\): they are not read/);
});

test('a second import changes nothing, and what people wrote stays', async () => {
  const before = await readTable(`${MART}.DAILY`);
  await service.admin.patch(`/v1/tables/${before.id}`, [{ op: 'add', path: '/description', value: 'By hand' }], {
    'content-type': 'application/json-patch+json',
  });
  const written = await readTable(`${MART}.DAILY`);
  const readOthers = async () =>
    Promise.all(
      [`dashboards/name/dbt_${PROJECT}.board`, `metrics/name/${REVENUE}`, `metrics/name/${REVENUE}_share`].map(
        async (path) => (await service.admin.get(`/v1/${path}`)).json,
      ),
    );
  const others = await readOthers();
  const { code, printed } = await runImport();
  assert.is(code, 0);
  assert.match(printed, / 0 records created/);
  assert.equal(await readTable(`${MART}.DAILY`), written);
  assert.equal(await readOthers(), others);
});

test('an edge that the project no longer has ends', async () => {
  const { 'exposure.shop.board': board, ...exposures } = MANIFEST.exposures;
  const alone = { ...board, depends_on: { nodes: ['model.shop.weekly'] } };
  assert.is((await runImport({ ...MANIFEST, exposures: { ...exposures, 'exposure.shop.board': alone } })).code, 0);
  assert.equal(await sourcesOf('dashboard', `dbt_${PROJECT}.board`), [`${MART}.WEEKLY`]);
  const nodes = { ...MANIFEST.nodes, 'model.shop.monthly': model('monthly', [], 'select 1 as total') };
  assert.is((await runImport({ ...MANIFEST, nodes })).code, 0);
  const { upstreamEdges } = (await service.admin.get(`/v1/lineage/table/name/${MART}.MONTHLY?upstreamDepth=1`)).json;
  assert.equal(upstreamEdges, []);
});

test('a file that is no manifest, or an old one, is refused before anything is written', async () => {
  for (const [metadata, why] of [
    [{}, /it is no manifest of dbt/],
    [{ dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v4.json' }, /versions from 7 are read/],
  ] as const) {
    try {
      await runImport({ metadata });
      assert.unreachable();
    } catch (failure) {
      assert.match(String(failure), why);
    }
  }
});

test.run();
