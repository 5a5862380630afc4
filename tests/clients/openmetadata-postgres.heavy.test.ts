import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { suite } from '../support/suite.ts';
import { ENVIRONMENTS } from './environments.ts';
import {
  type Answer,
  expectSuccess,
  type IngestionFramework,
  namesOf,
  SINK,
  startIngestionFramework,
  versionsOf,
  waitUntilFound,
} from './ingestion-framework.ts';
import { type PostgresServer, startPostgresServer } from './postgres-server.ts';

/** Shows that OpenMetadata's ingestion framework brings a PostgreSQL database, with the token of a bot. */

const test = suite('clients: PostgreSQL through the ingestion framework');

const SERVICE = 'shop_postgres';
const DATABASE = `${SERVICE}.shop`;
const SALES = `${DATABASE}.sales`;
const STOCK = `${DATABASE}.stock`;

const provided = await ENVIRONMENTS.openMetadata();
const programs = await ENVIRONMENTS.postgresql();

let framework: IngestionFramework;
let postgres: PostgresServer;

const ingest = () =>
  framework.metadata('ingest', {
    source: {
      type: 'postgres',
      serviceName: SERVICE,
      serviceConnection: {
        config: {
          type: 'Postgres',
          username: 'postgres',
          authType: { password: 'unused' },
          hostPort: `127.0.0.1:${postgres.port}`,
          database: 'shop',
        },
      },
      sourceConfig: {
        config: {
          type: 'DatabaseMetadata',
          schemaFilterPattern: { includes: ['^sales$', '^stock$'] },
          includeStoredProcedures: true,
          includeTags: true,
        },
      },
    },
    ...SINK,
  });

const tables = async (query = ''): Promise<readonly Answer[]> =>
  (await framework.ask(`/v1/tables?database=${DATABASE}&fields=columns,tableConstraints,tags&limit=100${query}`)).data;

const readProcedures = async (): Promise<readonly Answer[]> =>
  (await framework.ask(`/v1/storedProcedures?database=${DATABASE}&limit=100`)).data;

const columnOf = (table: Answer, column: string): Answer => table.columns.find(({ name }: Answer) => name === column);

const tableOf = (found: readonly Answer[], name: string): Answer => found.find((table) => table.name === name);

const [missing] = [provided, programs].flatMap((one) => ('missing' in one ? [one.missing] : []));

if ('missing' in provided || 'missing' in programs) {
  test.skipped('ingest, profile, usage and lineage of a PostgreSQL database', missing ?? '');
  test('a skipped run has a reason', () => assert.ok(missing));
} else {
  test.before(async () => {
    postgres = await startPostgresServer(programs.folder);
    await postgres.execute('postgres', 'create database shop');
    await postgres.execute('shop', await readFile(new URL('postgres-shop.sql', import.meta.url), 'utf8'));
    framework = await startIngestionFramework(provided.python);
  });

  test.after(() => framework.stop());
  test.after(() => postgres.stop());

  test('ingest brings the schemas that its filter includes, with their tables and views', async () => {
    expectSuccess(await ingest());
    const { data: schemas } = await framework.ask(`/v1/databaseSchemas?database=${DATABASE}`);
    assert.equal(
      schemas.map(({ name, description }: Answer) => [name, description]),
      [
        ['sales', 'What customers bought'],
        ['stock', undefined],
      ],
    );
    const found = await tables();
    const types = found.map(({ name, tableType }) => [name, tableType]).sort();
    assert.equal(types, [
      ['customer_totals', 'View'],
      ['customers', 'Regular'],
      ['heavy_items', 'MaterializedView'],
      ['movements', 'Partitioned'],
      ['order_items', 'Regular'],
      ['orders', 'Regular'],
    ]);
  });

  test('ingest brings columns with their types, comments and keys', async () => {
    const found = await tables();
    const customers = tableOf(found, 'customers');
    assert.is(customers.description, 'Who buys');
    assert.equal(
      customers.columns.map(({ name, dataTypeDisplay, constraint }: Answer) => [name, dataTypeDisplay, constraint]),
      [
        ['id', 'integer', 'PRIMARY_KEY'],
        ['email', 'character varying(100)', 'UNIQUE'],
        ['name', 'text', 'NULL'],
        ['labels', 'text[]', 'NULL'],
        ['extra', 'jsonb', 'NULL'],
        ['created', 'timestamp with time zone', 'NULL'],
      ],
    );
    assert.is(columnOf(customers, 'email').description, 'Where to write to');
    assert.is(columnOf(customers, 'labels').arrayDataType, 'TEXT');
    const { precision, scale } = columnOf(tableOf(found, 'orders'), 'total');
    assert.equal([precision, scale], [10, 2]);
    assert.equal(
      tableOf(found, 'order_items').tableConstraints.map(({ constraintType, columns, referredColumns }: Answer) => [
        constraintType,
        columns,
        referredColumns,
      ]),
      [
        ['PRIMARY_KEY', ['order_id', 'position'], undefined],
        ['FOREIGN_KEY', ['order_id'], [`${SALES}.orders.id`]],
      ],
    );
  });

  test('ingest brings functions, procedures and the policies of rows', async () => {
    const procedures = (await readProcedures()).map(
      ({ fullyQualifiedName, storedProcedureType, storedProcedureCode }) => [
        fullyQualifiedName,
        storedProcedureType,
        storedProcedureCode.code.split(' ').slice(0, 2).join(' '),
      ],
    );
    assert.equal(procedures.sort(), [
      [`${SALES}.total_of`, 'Function', 'select sum(total)'],
      [`${STOCK}.forget`, 'StoredProcedure', 'begin delete'],
    ]);
    const [label] = tableOf(await tables(), 'customers').tags;
    assert.is(label.tagFQN, 'PostgresPolicyTags.own_rows');
  });

  test('a second ingest changes nothing', async () => {
    const read = async () => versionsOf([...(await tables()), ...(await readProcedures())]);
    const before = await read();
    expectSuccess(await ingest());
    assert.equal(await read(), before);
  });

  test('profile measures what its filters include', async () => {
    const filters = { schemaFilterPattern: { includes: ['^sales$'] }, tableFilterPattern: { excludes: ['^orders$'] } };
    expectSuccess(
      await framework.metadata('profile', {
        source: { type: 'postgres', serviceName: SERVICE, sourceConfig: { config: { type: 'Profiler', ...filters } } },
        processor: { type: 'orm-profiler', config: {} },
        ...SINK,
      }),
    );
    const latest = (table: string) => framework.ask(`/v1/tables/${table}/tableProfile/latest`);
    const { profile, columns } = await latest(`${SALES}.customers`);
    assert.is(profile.rowCount, 2);
    assert.is(columns.find(({ name }: Answer) => name === 'name').profile.nullCount, 1);
    for (const table of [`${SALES}.orders`, `${STOCK}.order_items`])
      assert.is((await latest(table)).profile, undefined);
  });

  test('usage counts the queries that the server remembers', async () => {
    const query = 'select email, total from sales.customers c join sales.orders o on c.id = o.customer_id';
    await postgres.execute('shop', query);
    const stage = { config: { filename: join(framework.home, 'usage') } };
    const sourceConfig = { config: { type: 'DatabaseUsage', filterCondition: "query ILIKE 'select email%'" } };
    expectSuccess(
      await framework.metadata('usage', {
        source: { type: 'postgres-usage', serviceName: SERVICE, sourceConfig },
        processor: { type: 'query-parser', config: {} },
        stage: { type: 'table-usage', ...stage },
        bulkSink: { type: 'metadata-usage', ...stage },
      }),
    );
    const { usage } = await framework.ask(`/v1/usage/table/name/${SALES}.orders?days=2`);
    assert.is(usage.at(-1).weeklyStats.count, 1);
    const { id } = await framework.ask(`/v1/tables/name/${SALES}.orders`);
    const { data } = await framework.ask(`/v1/queries?entityId=${id}`);
    assert.equal(
      data.map((one: Answer) => [one.query, one.usedBy]),
      [[query, ['postgres']]],
    );
  });

  /** The tables above a table, and where the edges come from. */
  const upstreamOf = async (table: string) => {
    const graph = await framework.ask(`/v1/lineage/table/name/${table}?upstreamDepth=1&downstreamDepth=0`);
    const sources = graph.upstreamEdges.map(({ lineageDetails }: Answer) => lineageDetails.source);
    return [namesOf(graph.nodes), [...new Set(sources)]];
  };

  test('lineage comes from views and from the queries that the server remembers', async () => {
    const copied =
      'insert into stock.order_items (order_id, position, sku) select id, 1, state::text from sales.orders';
    await postgres.execute('shop', copied);
    await waitUntilFound(framework, 'customer_totals');
    const sourceConfig = { config: { type: 'DatabaseLineage' } };
    const source = { type: 'postgres-lineage', serviceName: SERVICE, sourceConfig };
    expectSuccess(await framework.metadata('ingest', { source, ...SINK }, 'lineage'));
    assert.equal(await upstreamOf(`${SALES}.customer_totals`), [['customers', 'orders'], ['ViewLineage']]);
    assert.equal(await upstreamOf(`${STOCK}.heavy_items`), [['order_items'], ['ViewLineage']]);
    assert.equal(await upstreamOf(`${STOCK}.order_items`), [['orders'], ['QueryLineage']]);
    const edge = `/v1/lineage/getLineageEdge/table/name/${SALES}.orders/table/name/${SALES}.customer_totals`;
    assert.equal((await framework.ask(edge)).edge.columnsLineage, [
      { fromColumns: [`${SALES}.orders.total`], toColumn: `${SALES}.customer_totals.total` },
    ]);
  });

  test('a table that was dropped is deleted softly', async () => {
    await postgres.execute('shop', 'drop table stock.movements');
    expectSuccess(await ingest());
    assert.equal(namesOf(await tables('&include=deleted')), ['movements']);
  });

  test('the framework asked for no route that does not exist', () => {
    assert.equal(framework.unknownRoutes(), []);
  });
}

test.run();
