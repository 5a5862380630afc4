import { readFile } from 'node:fs/promises';
import * as assert from 'uvu/assert';
import type { Json, JsonObject } from '../../../src/model/json.ts';
import { ok } from '../../support/expect.ts';
import { uniqueName } from '../../support/service.ts';
import { suite } from '../../support/suite.ts';
import { detailsOf, type Made, mapping, openWorld, type World } from '../fixture.ts';

/**
 * Shows what comes of events that others' producers wrote. `spark-listener-*.jsonl` holds all events of a Spark 3.5
 * session, with its SQL, by OpenLineage's listener; `airflow-provider-*.jsonl` those of a run of an Airflow 3 DAG, by
 * its OpenLineage provider. Only paths, host and user of the machine were replaced.
 */

const test = suite('lineage: recorded OpenLineage events');

let world: World;

test.before(async () => {
  world = await openWorld();
});

const read = async (name: string): Promise<readonly Json[]> => {
  const text = await readFile(new URL(`../../fixtures/openlineage/${name}`, import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);
};

const send = async (events: readonly Json[]): Promise<void> => {
  const answer = ok(await world.admin.post('/v1/lineage/openlineage/batch', events as unknown as JsonObject));
  assert.equal(answer['failedRequest'] ?? [], []);
};

const named = async (path: string, fqn: string, fields = ''): Promise<JsonObject & Made> =>
  ok(await world.admin.get(`/v1/${path}/name/${encodeURIComponent(fqn)}?fields=${fields}`)) as JsonObject & Made;

const newTable = (schema: string, name: string, columns: readonly string[]): Promise<Made> =>
  world.make('tables', {
    name,
    databaseSchema: schema,
    columns: columns.map((column) => ({ name: column, dataType: 'INT' })),
  });

const listOf = (record: JsonObject, name: string): readonly JsonObject[] =>
  (record[name] ?? []) as unknown as readonly JsonObject[];

const runsOf = async (fqn: string): Promise<readonly JsonObject[]> =>
  ok(await world.admin.get(`/v1/pipelines/${encodeURIComponent(fqn)}/status`))['data'];

const mappings = (details: JsonObject): readonly string[] =>
  listOf(details, 'columnsLineage')
    .map(({ fromColumns, toColumn }) => `${String(fromColumns)} ${String(toColumn)}`)
    .sort();

test('a Spark session is one graph of the tables of its warehouse, column by column', async () => {
  const service = await world.make('services/databaseServices', { name: uniqueName('lake'), serviceType: 'Hive' });
  const database = await world.make('databases', { name: 'warehouse', service: service.fullyQualifiedName });
  const schema = await world.make('databaseSchemas', { name: 'default', database: database.fullyQualifiedName });
  const orders = await newTable(schema.fullyQualifiedName, 'raw_orders', ['id', 'customer_id', 'amount']);
  const customers = await newTable(schema.fullyQualifiedName, 'customers', ['id', 'name', 'country']);
  ok(
    await world.admin.put('/v1/lineage/openlineage/namespaces', {
      namespace: 'file:/data/warehouse',
      entity: { type: 'database', fullyQualifiedName: database.fullyQualifiedName },
    }),
  );
  const events = await read('spark-listener-1.37.0.jsonl');
  await send(events);
  const [revenue, byCountry] = await Promise.all(
    ['revenue', 'by_country'].map((name) => named('tables', `${schema.fullyQualifiedName}.${name}`)),
  );
  assert.ok(revenue && byCountry);
  const expected = (
    from: Made,
    to: Made,
    pairs: readonly (readonly [from: string, to: string])[],
  ): readonly JsonObject[] => pairs.map(([source, target]) => mapping(from, [source], to, target));
  const fromOrders = await detailsOf(world.admin, orders, revenue);
  assert.equal(
    mappings(fromOrders),
    mappings({ columnsLineage: expected(orders, revenue, [['amount', 'revenue']]) as unknown as Json }),
  );
  const fromCustomers = await detailsOf(world.admin, customers, revenue);
  assert.equal(
    mappings(fromCustomers),
    mappings({
      columnsLineage: expected(customers, revenue, [
        ['country', 'country'],
        ['id', 'customer_id'],
      ]) as unknown as Json,
    }),
  );
  const toCountry = await detailsOf(world.admin, revenue, byCountry);
  assert.equal(
    mappings(toCountry),
    mappings({
      columnsLineage: expected(revenue, byCountry, [
        ['country', 'country'],
        ['revenue', 'revenue'],
      ]) as unknown as Json,
    }),
  );
  assert.match(String(fromOrders.sqlQuery), /CREATE TABLE revenue/);
  const application = await named('pipelines', 'openlineage.spark_shop/shop_nightly', 'tasks');
  assert.equal(
    listOf(application, 'tasks')
      .map(({ name }) => name)
      .filter((name) => String(name).startsWith('adaptive')),
    ['adaptive_spark_plan.wh_revenue', 'adaptive_spark_plan.wh_by_country'],
  );
  const [run] = await runsOf('openlineage.spark_shop/shop_nightly');
  assert.is(run?.['executionStatus'], 'Successful');
  const versions = async () => [(await named('tables', revenue.fullyQualifiedName))['version'], application['version']];
  const before = await versions();
  await send(events);
  assert.equal(await versions(), before, 'a replay changes nothing');
});

test('an Airflow DAG is a pipeline with its tasks, between the tables of the database', async () => {
  const service = await world.make('services/databaseServices', {
    name: uniqueName('pg'),
    serviceType: 'Postgres',
    connection: {
      config: {
        type: 'Postgres',
        hostPort: 'db.shop.example:5432',
        username: 'u',
        authType: { password: 'hush' },
        database: 'shop',
      },
    },
  });
  const database = await world.make('databases', { name: 'shop', service: service.fullyQualifiedName });
  const schemaOf = async (name: string) =>
    (await world.make('databaseSchemas', { name, database: database.fullyQualifiedName })).fullyQualifiedName;
  const orders = await newTable(await schemaOf('public'), 'orders', ['day', 'amount']);
  const daily = await newTable(await schemaOf('reporting'), 'daily_revenue', ['day', 'revenue']);
  await send(await read('airflow-provider-2.20.3.jsonl'));
  const details = await detailsOf(world.admin, orders, daily);
  const task = await named('pipelines', 'openlineage."airflow_shop/shop_daily.revenue"');
  assert.equal(
    mappings(details),
    mappings({
      columnsLineage: [
        mapping(orders, ['amount'], daily, 'revenue'),
        mapping(orders, ['day'], daily, 'day'),
      ] as unknown as Json,
    }),
  );
  assert.is(details.pipeline.id, task.id);
  assert.is(task['description'], 'Revenue of each day, from the orders of the shop.');
  const dag = await named('pipelines', 'openlineage.airflow_shop/shop_daily', 'tasks');
  assert.equal(
    listOf(dag, 'tasks').map(({ name, taskType }) => [name, taskType]),
    [
      ['revenue', 'TASK'],
      ['mail', 'TASK'],
    ],
  );
  const [run] = await runsOf('openlineage.airflow_shop/shop_daily');
  assert.equal(
    [run?.['executionStatus'], run?.['timestamp'], run?.['error']],
    ['Failed', Date.parse('2026-03-02T00:01:00Z'), { errorMessage: 'One task failed.' }],
  );
  assert.equal(
    listOf(run as JsonObject, 'taskStatus')
      .map(({ name, executionStatus }) => [name, executionStatus])
      .sort(),
    [
      ['mail', 'Failed'],
      ['revenue', 'Successful'],
    ],
  );
});

test.run();
