import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { startService } from '../support/prepared-home.ts';
import { type ServiceProcess, stopServiceProcess } from '../support/service-process.ts';
import { suite } from '../support/suite.ts';
import { ENVIRONMENTS } from './environments.ts';
import { runProgram, runScript } from './python.ts';

/** Shows that what OpenLineage's own client and its wrapper of dbt send arrives, with its facets, on the right tables. */

const test = suite('clients: published OpenLineage emitters');

const HOST = 'db.shop.example:5432';
const NAMESPACE = `postgres://${HOST}`;
const ORDERS = 'shop_db.shop.public.orders';
const DAILY = 'shop_db.shop.public.daily';
const MART = 'duck.warehouse.main_mart';
const BEGIN = Date.parse('2026-03-01T10:00:00Z');

const provided = await ENVIRONMENTS.openLineage();

let home: string;
let service: ServiceProcess;
let token: string;

const send = async (method: string, path: string, body?: JsonObject): Promise<JsonObject> => {
  const answer = await service.ask(path, { method, ...(body ? { body: JSON.stringify(body) } : {}) });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text) as JsonObject;
};

const get = (path: string): Promise<JsonObject> => send('GET', path);

const named = (path: string, fqn: string, fields = ''): Promise<JsonObject> =>
  get(`/v1/${path}/name/${encodeURIComponent(fqn)}?fields=${fields}`);

const listIn = (answer: JsonObject, name = 'data'): readonly JsonObject[] =>
  (answer[name] ?? []) as unknown as readonly JsonObject[];

const makeTable = async (schema: string, name: string, columns: readonly string[]): Promise<JsonObject> =>
  send('PUT', '/v1/tables', {
    name,
    databaseSchema: schema,
    columns: columns.map((column) => ({ name: column, dataType: 'INT' })),
  });

/** Creates the schemas of two services: a PostgreSQL server, and a DuckDB file that only its options name. */
const makeServices = async (): Promise<void> => {
  const make = (path: string, body: JsonObject) => send('PUT', `/v1/${path}`, body);
  await make('services/databaseServices', {
    name: 'shop_db',
    serviceType: 'Postgres',
    connection: { config: { type: 'Postgres', hostPort: HOST, username: 'u', authType: { password: 'hush' } } },
  });
  await make('databases', { name: 'shop', service: 'shop_db' });
  await make('databaseSchemas', { name: 'public', database: 'shop_db.shop' });
  await make('services/databaseServices', {
    name: 'duck',
    serviceType: 'CustomDatabase',
    connection: {
      config: { type: 'CustomDatabase', connectionOptions: { databaseFile: 'warehouse.duckdb' } },
    },
  });
  await make('databases', { name: 'warehouse', service: 'duck' });
  await make('databaseSchemas', { name: 'main_mart', database: 'duck.warehouse' });
};

const edgeBetween = async (from: string, to: string): Promise<JsonObject> => {
  const path = `/v1/lineage/getLineageEdge/table/name/${encodeURIComponent(from)}/table/name/${encodeURIComponent(to)}`;
  return (await get(path))['edge'] as JsonObject;
};

const testsOf = async (table: string): Promise<readonly (readonly unknown[])[]> => {
  const query = `entityFQN=${encodeURIComponent(table)}&includeAllTests=true&limit=100`;
  return listIn(await get(`/v1/dataQuality/testCases?${query}`))
    .map(({ fullyQualifiedName, testCaseStatus }) => [
      String(fullyQualifiedName).slice(table.length + 1),
      testCaseStatus,
    ])
    .sort();
};

const emit = async (python: string, transport: string): Promise<string> => {
  const runId = randomUUID();
  const args = [transport, service.address, token, NAMESPACE, runId];
  assert.match(await runScript(python, 'openlineage_events.py', args), /"done": 3/);
  return runId;
};

if ('missing' in provided) {
  test.skipped('events of the client and of dbt', provided.missing);
  test('a skipped run has a reason', () => assert.ok(provided.missing.length > 0));
} else {
  test.before(async () => {
    home = await mkdtemp(join(tmpdir(), 'tributary-openlineage-'));
    service = await startService(home);
    token = (await readFile(join(home, 'admin.token'), 'utf8')).trim();
    await makeServices();
    await makeTable('shop_db.shop.public', 'orders', ['id', 'amount']);
    await makeTable(MART, 'customer_totals', ['customer_id', 'email', 'total']);
  });

  test.after(async () => {
    await stopServiceProcess(service, 'SIGTERM');
    await rm(home, { recursive: true, force: true });
  });

  for (const transport of ['http', 'async', 'composite']) {
    test(`a run that the client reports over its ${transport} transport is a run of a pipeline`, async () => {
      const runId = await emit(provided.python, transport);
      const pipeline = `openlineage.loader/${transport}_nightly`;
      const runs = await get(
        `/v1/pipelines/${encodeURIComponent(`openlineage."loader/${transport}_nightly.daily"`)}/status`,
      );
      const [run] = listIn(runs);
      assert.equal(
        [run?.['executionId'], run?.['executionStatus'], run?.['timestamp'], run?.['endTime']],
        [runId, 'Successful', BEGIN, BEGIN + 300_000],
      );
      assert.equal(listIn(run ?? {}, 'outputs'), [
        { datasetFQN: DAILY, rowCount: 2, sizeBytes: 64, mode: 'overwrite' },
      ]);
      const { tasks } = await named('pipelines', pipeline, 'tasks');
      assert.equal((tasks as unknown as readonly JsonObject[]).map(({ name }) => name).sort(), ['daily', 'mail']);
    });
  }

  test('the facets of the client reach the tables of the server', async () => {
    const daily = await named('tables', DAILY, 'columns');
    assert.equal(
      [daily['description'], listIn(daily, 'columns').map(({ name, description }) => [name, description])],
      ['Revenue of each day.', [['revenue', 'All that was paid.']]],
    );
    const { columnsLineage } = (await edgeBetween(ORDERS, DAILY)) as { columnsLineage: readonly JsonObject[] };
    assert.equal(columnsLineage, [{ fromColumns: [`${ORDERS}.amount`], toColumn: `${DAILY}.revenue` }]);
    assert.equal(await testsOf(ORDERS), [
      ['fresh', 'Failed'],
      ['id.not_null', 'Success'],
    ]);
    const { id } = await named('tables', ORDERS);
    assert.equal(listIn(await get(`/v1/tables/${id}/tableProfile`)), [
      { timestamp: BEGIN + 300_000, rowCount: 3, sizeInByte: 100 },
    ]);
  });

  test('dbt-ol describes, joins and tests the tables of the file that dbt builds', async () => {
    const folder = join(home, 'dbt');
    await cp(join(dirname(fileURLToPath(import.meta.url)), 'dbt-shop'), folder, { recursive: true });
    const env = { OPENLINEAGE_URL: service.address, OPENLINEAGE_API_KEY: token, OPENLINEAGE_NAMESPACE: 'dbt_shop' };
    const { output } = await runProgram(provided.folder, 'dbt-ol', ['build', '--profiles-dir', folder], {
      cwd: folder,
      env,
    });
    assert.match(output, /Emitted 14 OpenLineage events/);
    const totals = await named('tables', `${MART}.customer_totals`, 'columns');
    assert.equal(
      [totals['description'], listIn(totals, 'columns').map(({ description }) => description ?? '')],
      ['What each customer spent', ['Who spent it', 'Where to write to', '']],
    );
    const edge = await edgeBetween(`${MART}.known_customers`, `${MART}.customer_totals`);
    assert.ok(listIn(edge, 'columnsLineage').some(({ toColumn }) => toColumn === `${MART}.customer_totals.email`));
    assert.equal(await testsOf(`${MART}.customer_totals`), [
      ['customer_id.not_null_customer_totals_customer_id', 'Success'],
      ['customer_id.unique_customer_totals_customer_id', 'Success'],
      ['email.known_addresses', 'Failed'],
    ]);
    const [run] = listIn(await get(`/v1/pipelines/${encodeURIComponent('openlineage.dbt_shop/dbt-run-shop')}/status`));
    assert.is(run?.['executionStatus'], 'Failed');
    assert.is(listIn(run ?? {}, 'taskStatus').length, 6);
  });
}

test.run();
