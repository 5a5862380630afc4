import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
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
import { runScript } from './python.ts';

/** Shows that OpenMetadata's ingestion framework runs unchanged, from a plain configuration and with a bot's token. */

const test = suite('clients: OpenMetadata ingestion framework');

const SERVICE = 'shop';
const SCHEMA = `${SERVICE}.sales.main`;

const provided = await ENVIRONMENTS.openMetadata();

let framework: IngestionFramework;

const databaseFile = () => join(framework.home, 'shop.db');

const PIPELINE = {
  ingestionPipelineFQN: `${SERVICE}.nightly`,
  pipelineRunId: randomUUID(),
  enableStreamableLogs: true,
};

const ingest = (pipeline: object = {}) =>
  framework.metadata('ingest', {
    ...pipeline,
    source: {
      type: 'sqlite',
      serviceName: SERVICE,
      serviceConnection: { config: { type: 'SQLite', databaseMode: databaseFile(), database: 'sales' } },
      sourceConfig: { config: { type: 'DatabaseMetadata' } },
    },
    ...SINK,
  });

const tables = async (query = ''): Promise<readonly Answer[]> =>
  (await framework.ask(`/v1/tables?databaseSchema=${SCHEMA}&fields=columns,tableConstraints&limit=100${query}`)).data;

if ('missing' in provided) {
  test.skipped('ingest, profile, test, usage and lineage of a SQLite database', provided.missing);
  test('a skipped run has a reason', () => assert.ok(provided.missing.length > 0));
} else {
  test.before(async () => {
    framework = await startIngestionFramework(provided.python);
    await runScript(provided.python, 'make_shop.py', [databaseFile()]);
  });

  test.after(() => framework.stop());

  test('ingest brings the tables of a database with their columns and constraints', async () => {
    expectSuccess(await ingest());
    const found = await tables();
    assert.equal(namesOf(found), ['customer_totals', 'customers', 'order_items', 'orders']);
    const orders = found.find(({ name }) => name === 'orders');
    assert.equal(
      orders.columns.map(({ name, dataType }: Answer) => [name, dataType]),
      [
        ['id', 'INT'],
        ['customer_id', 'INT'],
        ['total', 'NUMERIC'],
        ['placed', 'DATE'],
      ],
    );
    const key = orders.tableConstraints.find(({ constraintType }: Answer) => constraintType === 'FOREIGN_KEY');
    assert.equal([key.columns, key.referredColumns], [['customer_id'], [`${SCHEMA}.customers.id`]]);
    assert.is(found.find(({ name }) => name === 'customer_totals').tableType, 'View');
  });

  test('a second ingest changes nothing', async () => {
    const before = await tables();
    expectSuccess(await ingest());
    assert.equal(versionsOf(await tables()), versionsOf(before));
  });

  test('a run that names its pipeline is kept with its status, progress and log', async () => {
    expectSuccess(await ingest(PIPELINE));
    const { ingestionPipelineFQN: fqn, pipelineRunId: run } = PIPELINE;
    const at = '/v1/services/ingestionPipelines';
    const pipeline = await framework.ask(`${at}/name/${fqn}?fields=pipelineStatuses`);
    assert.equal([pipeline.pipelineType, pipeline.service.name], ['metadata', SERVICE]);
    const [{ runId, pipelineState, status }] = pipeline.pipelineStatuses;
    assert.equal([runId, pipelineState], [run, 'success']);
    const sink = status.find(({ name }: Answer) => name === 'OpenMetadata');
    assert.equal([sink.errors, sink.records > 0], [0, true]);
    assert.is((await framework.ask(`${at}/progress/${fqn}/${run}`)).updateType, 'PIPELINE_COMPLETE');
    const log = await framework.ask(`${at}/logs/${fqn}/${run}`);
    assert.match(log.logs, /Success %|Workflow Summary|OpenMetadata/);
    const { pipelines } = await framework.ask(`/v1/services/databaseServices/name/${SERVICE}?fields=pipelines`);
    assert.equal(namesOf(pipelines), ['nightly']);
  });

  const profile = (filters: object = {}) =>
    framework.metadata('profile', {
      source: { type: 'sqlite', serviceName: SERVICE, sourceConfig: { config: { type: 'Profiler', ...filters } } },
      processor: { type: 'orm-profiler', config: {} },
      ...SINK,
    });

  const isProfiled = async (table: string) =>
    (await framework.ask(`/v1/tables/${SCHEMA}.${table}/tableProfile/latest`)).profile !== undefined;

  test('profile leaves out what its filters exclude', async () => {
    expectSuccess(await profile({ tableFilterPattern: { includes: ['^orders$'] } }));
    assert.equal([await isProfiled('orders'), await isProfiled('customers')], [true, false]);
    expectSuccess(await profile({ tableFilterPattern: { excludes: ['cust.*', '^order_items$'] } }));
    assert.equal([await isProfiled('customers'), await isProfiled('order_items')], [false, false]);
  });

  test('profile tells rows and values', async () => {
    expectSuccess(await profile());
    const { profile: measured, columns } = await framework.ask(`/v1/tables/${SCHEMA}.customers/tableProfile/latest`);
    assert.is(measured.rowCount, 2);
    assert.is(columns.find(({ name }: Answer) => name === 'name').profile.nullCount, 1);
  });

  const TESTS_OF_ORDERS = [
    {
      name: 'orders_count',
      testDefinitionName: 'tableRowCountToBeBetween',
      parameterValues: [
        { name: 'minValue', value: '1' },
        { name: 'maxValue', value: '100' },
      ],
    },
    { name: 'unique_customer', columnName: 'customer_id', testDefinitionName: 'columnValuesToBeUnique' },
  ];

  const runTests = () =>
    framework.metadata('test', {
      source: {
        type: 'TestSuite',
        serviceName: 'orders_suite',
        sourceConfig: { config: { type: 'TestSuite', entityFullyQualifiedName: `${SCHEMA}.orders` } },
      },
      processor: { type: 'orm-test-runner', config: { testCases: TESTS_OF_ORDERS } },
      ...SINK,
    });

  const readTests = async (): Promise<readonly Answer[]> => {
    const link = encodeURIComponent(`<#E::table::${SCHEMA}.orders>`);
    const path = `/v1/dataQuality/testCases?entityLink=${link}&includeAllTests=true&fields=testCaseResult`;
    return (await framework.ask(path)).data;
  };

  test('test runs the built-in tests and keeps their results', async () => {
    expectSuccess(await runTests());
    const results = (await readTests()).map(({ name, testCaseResult }) => [name, testCaseResult.testCaseStatus]);
    assert.equal(results.sort(), [
      ['orders_count', 'Success'],
      ['unique_customer', 'Failed'],
    ]);
  });

  const YESTERDAY = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const JOINED = 'select email, total from customers c join orders o on c.id = o.customer_id';

  const runUsage = async () => {
    const log = join(framework.home, 'log.csv');
    const row = (text: string) =>
      `"${text}",sales,main,ann,${YESTERDAY} 10:00:00.000000,${YESTERDAY} 10:00:01.000000,false`;
    const head = 'query_text,database_name,schema_name,user_name,start_time,end_time,aborted';
    await writeFile(log, [head, row(JOINED), row('select qty from order_items')].join('\n'));
    const stage = { config: { filename: join(framework.home, 'usage') } };
    return framework.metadata('usage', {
      source: {
        type: 'query-log-usage',
        serviceName: SERVICE,
        sourceConfig: { config: { type: 'DatabaseUsage', queryLogFilePath: log } },
      },
      processor: { type: 'query-parser', config: {} },
      stage: { type: 'table-usage', ...stage },
      bulkSink: { type: 'metadata-usage', ...stage },
    });
  };

  const countUses = async (): Promise<number> =>
    (await framework.ask(`/v1/usage/table/name/${SCHEMA}.orders?date=${YESTERDAY}&days=1`)).usage[0].dailyStats.count;

  const readQueries = async (): Promise<readonly Answer[]> => {
    const { id } = await framework.ask(`/v1/tables/name/${SCHEMA}.orders`);
    return (await framework.ask(`/v1/queries?entityId=${id}`)).data;
  };

  test('usage counts the queries of a log by table', async () => {
    expectSuccess(await runUsage());
    assert.is(await countUses(), 1);
    assert.equal(
      (await readQueries()).map(({ query }) => query),
      [JOINED],
    );
  });

  const runLineage = async () => {
    const query =
      'insert into order_items select o.id, o.id, c.name, 1 from orders o join customers c on c.id = o.customer_id';
    expectSuccess(await framework.metadata('lineage', { serviceName: SERVICE, query }));
    const views = { type: 'query-log-lineage', serviceName: SERVICE };
    const sourceConfig = { config: { type: 'DatabaseLineage', processQueryLineage: false } };
    await waitUntilFound(framework, 'customer_totals');
    expectSuccess(await framework.metadata('ingest', { source: { ...views, sourceConfig }, ...SINK }, 'views'));
  };

  test('lineage reads a statement, and ingest of lineage the definitions of views', async () => {
    await runLineage();
    const upstream = async (table: string) => {
      const graph = await framework.ask(`/v1/lineage/table/name/${SCHEMA}.${table}?upstreamDepth=1&downstreamDepth=0`);
      return namesOf(graph.nodes);
    };
    assert.equal(await upstream('order_items'), ['customers', 'orders']);
    assert.equal(await upstream('customer_totals'), ['customers', 'orders']);
    const edge = `/v1/lineage/getLineageEdge/table/name/${SCHEMA}.orders/table/name/${SCHEMA}.customer_totals`;
    assert.equal((await framework.ask(edge)).edge.columnsLineage, [
      { fromColumns: [`${SCHEMA}.orders.total`], toColumn: `${SCHEMA}.customer_totals.total` },
    ]);
  });

  /** What the edges around the tables are, apart from when they were last seen. */
  const readEdges = async () => {
    const query = `type=table&fqn=${SCHEMA}.orders&upstreamDepth=2&downstreamDepth=2&columns=true`;
    const { edges, columnEdges } = await framework.ask(`/v1/lineage/graph?${query}`);
    return { edges: edges.map(({ seenAt, ...edge }: Answer) => edge), columnEdges };
  };

  test('whatever runs again changes nothing, and usage counts what it is told', async () => {
    const read = async () => ({
      tables: versionsOf(await tables()),
      tests: (await readTests()).map(({ name, version }) => [name, version]),
      queries: (await readQueries()).map(({ query, version }) => [query, version]),
      edges: await readEdges(),
    });
    const before = await read();
    expectSuccess(await profile());
    expectSuccess(await runTests());
    await runLineage();
    assert.is(await countUses(), 1);
    // The framework adds to the count of a day, so a log that is read twice is counted twice.
    expectSuccess(await runUsage());
    assert.is(await countUses(), 2);
    assert.equal(await read(), before);
  });

  test.skipped(
    'classify tags columns by their values',
    'the model en_core_web_md of spaCy, which it loads, is in no registry of packages',
  );

  test('a table that was dropped is deleted softly', async () => {
    await runScript(provided.python, 'make_shop.py', [databaseFile(), 'drop table order_items']);
    expectSuccess(await ingest());
    assert.equal(namesOf(await tables()), ['customer_totals', 'customers', 'orders']);
    assert.equal(namesOf(await tables('&include=deleted')), ['order_items']);
  });

  test('the framework asked for no route that does not exist', () => {
    assert.equal(framework.unknownRoutes(), []);
  });
}

test.run();
