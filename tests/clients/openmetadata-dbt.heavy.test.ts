import { cp, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
import { runModule } from './python.ts';

/** Shows that OpenMetadata's ingestion framework brings what a dbt project says of the tables of a catalog. */

const test = suite('clients: dbt through the ingestion framework');

const SERVICE = 'warehouse_service';
const DATABASE = `${SERVICE}.warehouse`;
const MART = `${DATABASE}.main_mart`;
const TOTALS = `${MART}.customer_totals`;
const FIELDS = 'columns,owners,tags,dataModel';

const PROJECT = join(dirname(fileURLToPath(import.meta.url)), 'dbt-shop');

const [provided, dbt] = [await ENVIRONMENTS.openMetadata(), await ENVIRONMENTS.dbt()];

let framework: IngestionFramework;

const projectFile = (...path: readonly string[]) => join(framework.home, 'dbt', ...path);

const runDbt = async (python: string, args: readonly string[]): Promise<string> => {
  const folder = projectFile();
  return (await runModule(python, 'dbt.cli.main', [...args, '--profiles-dir', folder], folder)).output;
};

/** Builds the project. Its documentation goes elsewhere, because it would replace the results of the tests. */
const buildProject = async (python: string): Promise<void> => {
  await cp(PROJECT, projectFile(), { recursive: true });
  assert.match(await runDbt(python, ['build']), /PASS=9 WARN=0 ERROR=1/);
  assert.match(await runDbt(python, ['docs', 'generate', '--target-path', 'documentation']), /Catalog written/);
};

/** Creates the tables that dbt made, as another connector would have brought them. */
const createTables = async (): Promise<void> => {
  const { send } = framework;
  await send('PUT', '/v1/services/databaseServices', {
    name: SERVICE,
    serviceType: 'CustomDatabase',
    connection: { config: { type: 'CustomDatabase', sourcePythonClass: 'warehouse.Source' } },
  });
  await send('PUT', '/v1/databases', { name: 'warehouse', service: SERVICE });
  for (const schema of ['main_raw', 'main_mart'])
    await send('PUT', '/v1/databaseSchemas', { name: schema, database: DATABASE });
  const catalog = JSON.parse(await readFile(projectFile('documentation', 'catalog.json'), 'utf8'));
  for (const { metadata, columns } of Object.values<Answer>(catalog.nodes)) {
    await send('PUT', '/v1/tables', {
      name: metadata.name,
      databaseSchema: `${DATABASE}.${metadata.schema}`,
      tableType: metadata.type === 'VIEW' ? 'View' : 'Regular',
      columns: Object.values<Answer>(columns).map(({ name, type, index }) => ({
        name,
        ordinalPosition: index,
        dataType: type === 'INTEGER' ? 'INT' : type,
        ...(type === 'VARCHAR' ? { dataLength: 255 } : {}),
      })),
    });
    await waitUntilFound(framework, metadata.name);
  }
};

const ingest = () =>
  framework.metadata('ingest', {
    source: {
      type: 'dbt',
      serviceName: SERVICE,
      sourceConfig: {
        config: {
          type: 'DBT',
          dbtConfigSource: {
            dbtConfigType: 'local',
            dbtManifestFilePath: projectFile('target', 'manifest.json'),
            dbtCatalogFilePath: projectFile('documentation', 'catalog.json'),
            dbtRunResultsFilePath: projectFile('target', 'run_results.json'),
          },
          dbtUpdateDescriptions: true,
          dbtUpdateOwners: true,
          includeTags: true,
          dbtClassificationName: 'dbtTags',
          searchAcrossDatabases: false,
        },
      },
    },
    ...SINK,
  });

const readTable = (name: string): Promise<Answer> => framework.ask(`/v1/tables/name/${MART}.${name}?fields=${FIELDS}`);

const tagsOf = ({ tags }: Answer): readonly string[] => tags.map(({ tagFQN }: Answer) => tagFQN).sort();

const columnOf = (table: Answer, column: string): Answer => table.columns.find(({ name }: Answer) => name === column);

const [missing] = [provided, dbt].flatMap((one) => ('missing' in one ? [one.missing] : []));

if ('missing' in provided || 'missing' in dbt) {
  test.skipped('ingest of a dbt project', missing ?? '');
  test('a skipped run has a reason', () => assert.ok(missing));
} else {
  test.before(async () => {
    framework = await startIngestionFramework(provided.python);
    await buildProject(dbt.python);
    await createTables();
    const owner = { name: 'ann', email: 'ann@example.com' };
    await framework.send('PUT', '/v1/users', owner);
  });

  test.after(() => framework.stop());

  test('ingest brings descriptions, tags, the tier and owners', async () => {
    expectSuccess(await ingest());
    const totals = await readTable('customer_totals');
    assert.is(totals.description, 'What each customer spent');
    assert.equal(tagsOf(totals), ['Tier.Tier2', 'dbtTags.finance']);
    assert.equal(
      totals.owners.map(({ name }: Answer) => name),
      ['ann'],
    );
    const email = columnOf(totals, 'email');
    assert.equal([email.description, tagsOf(email)], ['Where to write to', ['dbtTags.contact']]);
  });

  test('ingest keeps how each model is made', async () => {
    const { dataModel } = await readTable('customer_totals');
    const { modelType, resourceType, path, upstream } = dataModel;
    assert.equal([modelType, resourceType, path], ['DBT', 'model', 'models/customer_totals.sql']);
    assert.equal(upstream, [`${MART}.known_customers`, `${MART}.placed_orders`]);
    assert.match(dataModel.rawSql, /from \{\{ ref\('known_customers'\) \}\}/);
    assert.match(dataModel.sql, /from "warehouse"."main_mart"."known_customers"/);
  });

  test('ingest draws lineage between models and their columns', async () => {
    const graph = await framework.ask(`/v1/lineage/table/name/${TOTALS}?upstreamDepth=2&downstreamDepth=0`);
    assert.equal(namesOf(graph.nodes), ['customers', 'known_customers', 'orders', 'placed_orders']);
    const sources = graph.upstreamEdges.map(({ lineageDetails }: Answer) => lineageDetails.source);
    assert.equal(sources, Array(4).fill('DbtLineage'));
    const edge = `/v1/lineage/getLineageEdge/table/name/${MART}.known_customers/table/name/${TOTALS}`;
    const { columnsLineage } = (await framework.ask(edge)).edge;
    // The framework reports columns in no order.
    const columns = columnsLineage.map(({ fromColumns, toColumn }: Answer) => [toColumn, fromColumns]).sort();
    assert.equal(columns, [
      [`${TOTALS}.customer_id`, [`${MART}.known_customers.id`]],
      [`${TOTALS}.email`, [`${MART}.known_customers.email`]],
    ]);
  });

  const testCases = async (): Promise<readonly Answer[]> => {
    const query = `entityLink=${encodeURIComponent(`<#E::table::${TOTALS}>`)}&includeAllTests=true`;
    const fields = 'fields=testCaseResult,testDefinition';
    return (await framework.ask(`/v1/dataQuality/testCases?${query}&${fields}`)).data;
  };

  test('tests of dbt become test cases with their results', async () => {
    const results = (await testCases()).map(({ name, testDefinition, testCaseResult }) => [
      name,
      testDefinition.name,
      testCaseResult.testCaseStatus,
    ]);
    assert.equal(results.sort(), [
      ['known_addresses', 'accepted_values', 'Failed'],
      ['not_null_customer_totals_customer_id', 'not_null', 'Success'],
      ['unique_customer_totals_customer_id', 'unique', 'Success'],
    ]);
    const { testPlatforms } = await framework.ask('/v1/dataQuality/testDefinitions/name/accepted_values');
    assert.equal(testPlatforms, ['dbt']);
  });

  test('a second ingest changes nothing', async () => {
    const read = async () => {
      const { data } = await framework.ask(`/v1/tables?database=${DATABASE}&limit=100`);
      return versionsOf([...data, ...(await testCases())]);
    };
    const before = await read();
    expectSuccess(await ingest());
    assert.equal(await read(), before);
  });

  test('the framework asked for no route that does not exist', () => {
    assert.equal(framework.unknownRoutes(), []);
  });
}

test.run();
