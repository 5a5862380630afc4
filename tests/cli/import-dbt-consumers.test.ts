import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { runDbtImport } from './dbt-import.ts';

/** Shows which exposures and metrics of a dbt project are written, which stay out, and what is left of people's work. */

const test = suite('cli: exposures and metrics of dbt projects');

const WAREHOUSE = uniqueName('dbt');
const BOARDS = uniqueName('boards');
const ANN = uniqueName('ann').toLowerCase();
const PATCHES = { 'content-type': 'application/json-patch+json' };

let service: Service;
let folder: string;

const table = (name: string) => ({
  resource_type: 'model',
  database: 'shop',
  schema: 'mart',
  name,
  config: { materialized: 'table' },
  columns: { total: { name: 'total', data_type: 'integer' } },
  depends_on: { nodes: [] },
});

const NODES = {
  'model.shop.daily': table('daily'),
  'model.shop.weekly': table('weekly'),
  'test.shop.rows': {
    resource_type: 'test',
    name: 'enough_rows',
    test_metadata: { name: 'row_count' },
    attached_node: 'model.shop.daily',
    depends_on: { nodes: ['model.shop.daily'] },
  },
};

const DAYS = {
  name: 'days',
  depends_on: { nodes: ['model.shop.daily'] },
  dimensions: [{ name: 'day', type: 'time', expr: 'ordered_at' }],
  measures: [{ name: 'paid', agg: 'sum', expr: 'total' }],
};

const board = (name: string, reads: readonly string[], more: object = {}) => ({
  name,
  type: 'dashboard',
  depends_on: { nodes: reads.map((model) => `model.shop.${model}`) },
  ...more,
});

const revenue = (name: string, more: object = {}) => ({
  name,
  type: 'simple',
  type_params: { measure: { name: 'paid' } },
  depends_on: { nodes: ['semantic_model.shop.days'] },
  ...more,
});

type Parts = { readonly exposures?: object; readonly metrics?: object; readonly semantic_models?: object };

const runImport = (project: string, parts: Parts, user = 'admin') =>
  runDbtImport(service, {
    folder,
    warehouse: WAREHOUSE,
    user,
    files: {
      manifest: {
        metadata: {
          dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json',
          adapter_type: 'duckdb',
          project_name: project,
        },
        nodes: NODES,
        semantic_models: { 'semantic_model.shop.days': DAYS },
        ...parts,
      },
    },
  });

const read = async (path: string) => (await service.admin.get(`/v1/${path}`)).json;

const sourcesOf = async (type: string, fqn: string): Promise<readonly string[]> => {
  const { nodes } = await read(`lineage/${type}/name/${fqn}?upstreamDepth=1&downstreamDepth=0`);
  return nodes.map(({ name }: Record<string, string>) => name).sort();
};

/** What was ever said of the edges into an asset, what has ended as well; only when it was last confirmed may change. */
const saidOf = (id: string) =>
  service.graph.query(
    `MATCH (s:Assertion {toId: $id})
     RETURN s.id AS id, s.edgeId AS edge, s.since AS since, s.until AS until, s.updatedAt AS updatedAt ORDER BY id`,
    { id },
  );

const nameTag = ({ tagFQN }: Record<string, string>) => tagFQN;

test.before(async () => {
  service = await openService();
  folder = await mkdtemp(join(tmpdir(), 'tributary-dbt-'));
  await service.admin.put('/v1/users', { name: ANN, email: `${ANN}@example.com` });
  await service.admin.put('/v1/services/dashboardServices', { name: BOARDS, serviceType: 'Metabase' });
  await service.admin.put('/v1/dashboards', { name: 'shared', service: BOARDS });
});

test.after(() => rm(folder, { recursive: true, force: true }));

test('exposures of one asset add up, and a second import writes nothing', async () => {
  const meta = { openmetadata: { fqn: `${BOARDS}.shared` } };
  const parts = {
    exposures: {
      'exposure.shop.one': board('one', ['daily'], { meta }),
      'exposure.other.one': board('one', ['weekly'], { meta }),
    },
  };
  const project = uniqueName('project');
  assert.is((await runImport(project, parts)).code, 0);
  assert.equal(await sourcesOf('dashboard', `${BOARDS}.shared`), ['daily', 'weekly']);
  const { id } = await read(`dashboards/name/${BOARDS}.shared`);
  const said = await saidOf(id);
  assert.is(said.length, 2);
  assert.is((await runImport(project, parts)).code, 0);
  assert.equal(await saidOf(id), said);
});

test('of two packages that give one name, one has the place and the other is told', async () => {
  const [project, metric] = [uniqueName('project'), uniqueName('paid')];
  const parts = {
    exposures: {
      'exposure.shop.one': board('one', ['daily']),
      'exposure.other.one': board('one', ['weekly']),
    },
    metrics: { 'metric.shop.paid': revenue(metric), 'metric.other.paid': revenue(metric, { label: 'Other' }) },
  };
  for (let times = 0; times < 2; times += 1) {
    const { code, printed } = await runImport(project, parts);
    assert.is(code, 0, printed);
    assert.match(printed, /the exposure exposure\.other\.one: exposure\.shop\.one has the same name/);
    assert.match(printed, /the metric metric\.other\.paid: metric\.shop\.paid has the same name/);
    assert.equal(await sourcesOf('dashboard', `dbt_${project}.one`), ['daily']);
  }
  const { id, displayName } = await read(`dashboards/name/dbt_${project}.one`);
  assert.is(displayName, undefined);
  assert.is((await saidOf(id)).length, 1);
});

test('without its service an exposure stays out, and all else comes', async () => {
  const [project, metric] = [uniqueName('project'), uniqueName('paid')];
  const parts = {
    exposures: {
      'exposure.shop.own': board('own', ['daily']),
      'exposure.shop.shared': board('shared', ['daily', 'weekly'], {
        meta: { openmetadata: { fqn: `${BOARDS}.shared` } },
      }),
    },
    metrics: { 'metric.shop.paid': revenue(metric) },
  };
  await service.admin.put('/v1/services/dashboardServices', { name: `dbt_${project}`, serviceType: 'Metabase' });
  const { id } = await read(`services/dashboardServices/name/dbt_${project}`);
  await service.admin.delete(`/v1/services/dashboardServices/${id}?recursive=true`);
  const { code, printed } = await runImport(project, parts);
  assert.is(code, 0, printed);
  assert.match(printed, new RegExp(`the exposure own: its service dbt_${project} is deleted or refused`));
  assert.match(printed, /1 exposures, 1 metrics, .* 1 tests/);
  assert.is((await read(`metrics/name/${metric}`)).name, metric);
});

test('a service that is refused is named, and metrics and tests still come', async () => {
  const metric = uniqueName('paid');
  // No service has a name of this length.
  const project = 'p'.repeat(300);
  const parts = {
    exposures: { 'exposure.shop.own': board('own', ['daily']) },
    metrics: { 'metric.shop.paid': revenue(metric) },
  };
  const { code, printed } = await runImport(project, parts);
  assert.is(code, 1);
  assert.match(printed, /Refused[\s\S]*service dbt_ppp/);
  assert.match(printed, /the exposure own: its service dbt_p+ is deleted or refused/);
  assert.match(printed, /0 exposures, 1 metrics, .* 1 tests/);
});

test('a metric that people defined stays as it is', async () => {
  const metric = uniqueName('paid');
  const metricExpression = { language: 'SQL', code: 'SUM(by_hand)' };
  await service.admin.post('/v1/metrics', { name: metric, metricExpression, granularity: 'YEAR' });
  const before = await read(`metrics/name/${metric}?fields=owners,tags`);
  const { code, printed } = await runImport(uniqueName('project'), {
    metrics: { 'metric.shop.paid': revenue(metric, { tags: ['finance'] }) },
  });
  assert.is(code, 0, printed);
  assert.match(printed, new RegExp(`the metric ${metric}: people defined one of this name`));
  assert.equal(await read(`metrics/name/${metric}?fields=owners,tags`), before);
  assert.equal(await saidOf(before.id), []);
});

test('what the project no longer says goes, and what people added stays', async () => {
  const [project, metric] = [uniqueName('project'), uniqueName('paid')];
  const filter = { where_filters: [{ where_sql_template: 'total > 0' }] };
  const full = {
    exposures: { 'exposure.shop.own': board('own', ['daily'], { url: 'https://boards.example/1', tags: ['finance'] }) },
    metrics: { 'metric.shop.paid': revenue(metric, { time_granularity: 'day', filter, tags: ['finance', 'money'] }) },
  };
  assert.is((await runImport(project, full)).code, 0);
  const [own, paid] = [`dashboards/name/dbt_${project}.own?fields=tags`, `metrics/name/${metric}?fields=tags`];
  const before = await read(paid);
  assert.equal([before.granularity, before.filters], ['DAY', [{ where: 'total > 0' }]]);
  assert.equal(before.tags.map(nameTag).sort(), ['dbtTags.finance', 'dbtTags.money']);
  const byHand = { op: 'add', path: '/tags/-', value: { tagFQN: 'Tier.Tier1', source: 'Classification' } };
  assert.is((await service.admin.patch(`/v1/metrics/${before.id}`, [byHand], PATCHES)).status, 200);
  const { code, printed } = await runImport(project, {
    exposures: { 'exposure.shop.own': board('own', ['daily']) },
    metrics: { 'metric.shop.paid': revenue(metric, { tags: ['money'] }) },
    semantic_models: { 'semantic_model.shop.days': { ...DAYS, dimensions: [] } },
  });
  assert.is(code, 0, printed);
  const [dashboard, after] = [await read(own), await read(paid)];
  assert.equal([dashboard.sourceUrl, dashboard.tags], [undefined, []]);
  assert.equal(
    [after.granularity, after.dimensions ?? [], after.filters ?? [], after.metricExpression.code],
    [undefined, [], [], 'SUM(total)'],
  );
  assert.equal(after.tags.map(nameTag).sort(), ['Tier.Tier1', 'dbtTags.money']);
});

test('a deleted dashboard or metric is told and refuses nothing', async () => {
  const [project, metric] = [uniqueName('project'), uniqueName('paid')];
  const named = uniqueName('named');
  await service.admin.put('/v1/dashboards', { name: named, service: BOARDS });
  const parts = {
    exposures: {
      'exposure.shop.own': board('own', ['daily']),
      'exposure.shop.named': board('named', ['daily'], { meta: { openmetadata: { fqn: `${BOARDS}.${named}` } } }),
    },
    metrics: { 'metric.shop.paid': revenue(metric) },
  };
  assert.is((await runImport(project, parts)).code, 0);
  for (const path of [`dashboards/name/dbt_${project}.own`, `dashboards/name/${BOARDS}.${named}`]) {
    assert.is((await service.admin.delete(`/v1/${path}`)).status, 200);
  }
  assert.is((await service.admin.delete(`/v1/metrics/name/${metric}`)).status, 200);
  const { code, printed } = await runImport(project, parts);
  assert.is(code, 0, printed);
  assert.match(printed, /the exposure own: its dashboard was deleted in the catalog/);
  assert.match(printed, /the exposure named: its dashboard .* was deleted in the catalog/);
  assert.match(printed, new RegExp(`the metric ${metric}: it was deleted in the catalog`));
});

test('tags and owners come, by one of several addresses or by the name beside them', async () => {
  const [project, metric] = [uniqueName('project'), uniqueName('paid')];
  const unknown = `${uniqueName('nobody').toLowerCase()}@example.com`;
  const { code, printed } = await runImport(project, {
    exposures: {
      'exposure.shop.several': board('several', ['daily'], {
        owner: { name: 'Nobody here', email: [unknown, `${ANN}@example.com`] },
        config: { tags: ['finance'] },
        maturity: 'high',
      }),
      'exposure.shop.fallback': board('fallback', ['daily'], { owner: { name: ANN, email: `no-${unknown}` } }),
    },
    metrics: { 'metric.shop.paid': revenue(metric, { tags: ['finance'], meta: { owner: ANN } }) },
  });
  assert.is(code, 0, printed);
  for (const path of [
    `dashboards/name/dbt_${project}.several`,
    `dashboards/name/dbt_${project}.fallback`,
    `metrics/name/${metric}`,
  ]) {
    const { owners } = await read(`${path}?fields=owners`);
    assert.equal(
      owners.map(({ name }: Record<string, string>) => name),
      [ANN],
    );
  }
  for (const path of [`dashboards/name/dbt_${project}.several`, `metrics/name/${metric}`]) {
    assert.equal((await read(`${path}?fields=tags`)).tags.map(nameTag), ['dbtTags.finance']);
  }
  assert.match(printed, new RegExp(`the owner ${unknown}: nobody and no team is called so`));
  assert.not.match(printed, new RegExp(`the owner no-${unknown}`));
  assert.match(printed, /the maturity of exposures \(1\): the catalog has no place for it/);
});

test('an expression that only dbt can say is left out with the reason', async () => {
  const metric = uniqueName('paid');
  const { code, printed } = await runImport(uniqueName('project'), {
    metrics: { 'metric.shop.paid': { ...revenue(metric), type: 'cumulative' } },
  });
  assert.is(code, 0, printed);
  const { metricExpression, metricType } = await read(`metrics/name/${metric}`);
  assert.equal([metricExpression, metricType], [undefined, 'CUMULATIVE']);
  assert.match(printed, new RegExp(`the expression of the metric ${metric}: dbt computes it by a rule of its own`));
});

test.run();
