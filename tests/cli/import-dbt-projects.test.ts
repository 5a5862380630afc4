import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { runDbtImport } from './dbt-import.ts';

/** Shows that imports of dbt projects on one warehouse leave what the others stated. */

const test = suite('cli: several dbt projects on one warehouse');

const WAREHOUSE = uniqueName('dbt');
const BOARDS = uniqueName('boards');
const MART = `${WAREHOUSE}.shop.mart`;

let service: Service;
let folder: string;

const COLUMNS = { total: { name: 'total', data_type: 'integer' } };

const model = (name: string, reads: readonly string[] = []) => ({
  resource_type: 'model',
  database: 'shop',
  schema: 'mart',
  name,
  config: { materialized: 'table' },
  columns: COLUMNS,
  compiled_code:
    reads.length === 0 ? 'select 1 as total' : `select total from shop.mart.${reads[0]?.split('.').at(-1)}`,
  depends_on: { nodes: reads },
});

/** A model of another project. */
const source = (name: string) => ({
  resource_type: 'source',
  database: 'shop',
  schema: 'mart',
  name,
  identifier: name,
  columns: COLUMNS,
});

const shared = (...reads: string[]) => ({
  'exposure.shared': {
    name: 'shared',
    type: 'dashboard',
    meta: { openmetadata: { fqn: `${BOARDS}.shared` } },
    depends_on: { nodes: reads },
  },
});

const runImport = async (project: string, parts: object): Promise<string> => {
  const metadata = {
    dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json',
    adapter_type: 'duckdb',
    project_name: project,
  };
  const files = { manifest: { metadata, ...parts } };
  const { code, printed } = await runDbtImport(service, { folder, warehouse: WAREHOUSE, files });
  assert.is(code, 0, printed);
  return printed;
};

const read = async (path: string) => (await service.admin.get(`/v1/${path}`)).json;

const sourcesOf = async (type: string, fqn: string): Promise<readonly string[]> => {
  const { nodes } = await read(`lineage/${type}/name/${fqn}?upstreamDepth=1&downstreamDepth=0`);
  return nodes.map(({ name }: Record<string, string>) => name).sort();
};

/** What holds of the edges into an asset, with the project that says so, by the time of its writing. */
const heldOf = (id: string) =>
  service.graph.query(
    `MATCH (s:Assertion {toId: $id}) WHERE s.until IS NULL
     RETURN s.id AS id, s.sourceName AS project, s.since AS since ORDER BY since, id`,
    { id },
  );

const SALES = {
  sources: { 'source.sales.stock': source('stock') },
  nodes: { 'model.sales.daily': model('daily'), 'model.sales.merged': model('merged', ['model.sales.daily']) },
  exposures: shared('model.sales.daily'),
};
/** It reads a model of the other project, and makes one table as well. */
const STOCK = {
  sources: { 'source.stock.daily': source('daily') },
  nodes: { 'model.stock.stock': model('stock'), 'model.stock.merged': model('merged', ['model.stock.stock']) },
  exposures: shared('source.stock.daily', 'model.stock.stock'),
};

test.before(async () => {
  service = await openService();
  folder = await mkdtemp(join(tmpdir(), 'tributary-dbt-'));
  await service.admin.put('/v1/services/dashboardServices', { name: BOARDS, serviceType: 'Metabase' });
  await service.admin.put('/v1/dashboards', { name: 'shared', service: BOARDS });
});

test.after(() => rm(folder, { recursive: true, force: true }));

test('imports in turn keep the edges of each other, and change nothing when repeated', async () => {
  const [sales, stock] = [uniqueName('sales'), uniqueName('stock')];
  await runImport(sales, SALES);
  await runImport(stock, STOCK);
  const { id } = await read(`dashboards/name/${BOARDS}.shared`);
  const held = await heldOf(id);
  assert.equal(held.map(({ project }) => project).sort(), [sales, stock, stock].sort());
  for (const [project, parts] of [
    [sales, SALES],
    [stock, STOCK],
  ] as const) {
    await runImport(project, parts);
    assert.equal(await sourcesOf('table', `${MART}.merged`), ['daily', 'stock']);
    assert.equal(await sourcesOf('dashboard', `${BOARDS}.shared`), ['daily', 'stock']);
    assert.equal(await heldOf(id), held);
  }
});

test('an edge that one project drops stays while another states it, and ends with the last', async () => {
  const [sales, stock] = [uniqueName('sales'), uniqueName('stock')];
  const board = uniqueName('board');
  const { id } = (await service.admin.put('/v1/dashboards', { name: board, service: BOARDS })).json;
  const meta = { openmetadata: { fqn: `${BOARDS}.${board}` } };
  const importWith = (project: string, nodes: readonly string[]) =>
    runImport(project, {
      nodes: { 'model.x.daily': model('daily'), 'model.x.stock': model('stock') },
      exposures: { 'exposure.x': { name: 'x', type: 'dashboard', meta, depends_on: { nodes } } },
    });
  await importWith(sales, ['model.x.daily', 'model.x.stock']);
  await importWith(stock, ['model.x.daily', 'model.x.stock']);
  // Whoever spoke last does not hide what the first one withdraws.
  await importWith(sales, ['model.x.stock']);
  assert.equal(await sourcesOf('dashboard', `${BOARDS}.${board}`), ['daily', 'stock']);
  assert.equal((await heldOf(id)).map(({ project }) => project).sort(), [sales, stock, stock].sort());
  await importWith(stock, ['model.x.stock']);
  assert.equal(await sourcesOf('dashboard', `${BOARDS}.${board}`), ['stock']);
});

const metrics = (name: string, agg: string, model: string) => ({
  nodes: { [`model.x.${model}`]: { ...SALES.nodes['model.sales.daily'], name: model } },
  semantic_models: {
    'semantic_model.x.days': {
      name: 'days',
      depends_on: { nodes: [`model.x.${model}`] },
      measures: [{ name: 'paid', agg, expr: 'total' }],
    },
  },
  metrics: {
    'metric.x.revenue': {
      name,
      type: 'simple',
      type_params: { measure: { name: 'paid' } },
      depends_on: { nodes: ['semantic_model.x.days'] },
    },
  },
});

test('a metric of another project stays as it is, and that is told', async () => {
  const [sales, stock, name] = [uniqueName('sales'), uniqueName('stock'), uniqueName('revenue')];
  await runImport(sales, metrics(name, 'sum', 'daily'));
  const before = await read(`metrics/name/${name}`);
  const printed = await runImport(stock, metrics(name, 'max', 'stock'));
  assert.match(printed, new RegExp(`the metric ${name}: the dbt project ${sales} defines one of this name`));
  assert.match(printed, /0 metrics/);
  assert.equal(await read(`metrics/name/${name}`), before);
  assert.equal(await sourcesOf('metric', name), ['daily']);
  await runImport(sales, metrics(name, 'min', 'daily'));
  assert.is((await read(`metrics/name/${name}`)).metricExpression.code, 'MIN(total)');
});

test.run();
