import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as assert from 'uvu/assert';
import { parse, stringify } from 'yaml';
import { startCompanyService } from '../support/prepared-home.ts';
import { type ServiceProcess, stopServiceProcess } from '../support/service-process.ts';
import { suite } from '../support/suite.ts';
import { IMPORT_SOURCES, ODD_COLUMNS, ODD_CONTRACT, ODD_TESTS, OLD_FORMAT } from './data-contracts.ts';
import { runDataContract } from './datacontract-cli.ts';
import { ENVIRONMENTS } from './environments.ts';
import type { Answer } from './ingestion-framework.ts';
import { type PostgresServer, startPostgresServer } from './postgres-server.ts';
import { type Run, runModule, runScript } from './python.ts';

/** Shows that datacontract-cli reads and tests exported contracts, and that the documents it makes can be imported. */

const test = suite('clients: datacontract-cli');

/** Each version of the standard, and the one whose schema the program has for it. */
const VERSIONS = [
  ['v3.0.0', 'v3.0.2'],
  ['v3.0.1', 'v3.0.2'],
  ['v3.0.2', 'v3.0.2'],
  ['v3.1.0', 'v3.1.0'],
  ['v3.2.0', 'v3.2.0'],
] as const;
const PROJECT = fileURLToPath(new URL('dbt-shop', import.meta.url));
const SHOP = 'local_shop.shop.sales';
const RICH_DOCUMENT = new URL('../contracts/odcs/documents/v3.2.0.odcs.yaml', import.meta.url);

const programs = {
  datacontract: await ENVIRONMENTS.dataContract(),
  dbt: await ENVIRONMENTS.dbt(),
  postgresql: await ENVIRONMENTS.postgresql(),
};

let folder: string;
let running: ServiceProcess;
let postgres: PostgresServer;

const ask = async (method: string, path: string, body?: string | object, status?: number): Promise<Answer> => {
  const isText = typeof body === 'string';
  const reply = await fetch(`${running.address}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${(await readFile(join(folder, 'home', 'admin.token'), 'utf8')).trim()}`,
      'content-type': isText ? 'application/yaml' : 'application/json',
    },
    ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
  });
  const text = await reply.text();
  assert.ok(status === undefined ? reply.ok : reply.status === status, `${method} ${path}: ${reply.status} ${text}`);
  return reply.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : text;
};

const makeTable = (name: string, columns: readonly object[]): Promise<Answer> =>
  ask('PUT', '/v1/tables', { name, databaseSchema: SHOP, columns });

const makeContract = async (table: Answer, body: object): Promise<Answer> =>
  ask('POST', '/v1/dataContracts', { name: table.name, entity: { id: table.id, type: 'table' }, ...body });

const makeTest = async (table: Answer, [definition, column, values]: (typeof ODD_TESTS)[number]): Promise<object> => {
  const place = column === undefined ? '' : `::columns::${column}`;
  const { id } = await ask('PUT', '/v1/dataQuality/testCases', {
    name: definition,
    testDefinition: definition,
    entityLink: `<#E::table::${table.fullyQualifiedName}${place}>`,
    parameterValues: Object.entries(values).map(([name, value]) => ({ name, value })),
  });
  return { id, type: 'testCase' };
};

const makeOddContract = async (): Promise<void> => {
  const table = await makeTable('odd', ODD_COLUMNS);
  const qualityExpectations: object[] = [];
  for (const one of ODD_TESTS) qualityExpectations.push(await makeTest(table, one));
  await makeContract(table, { schema: ODD_COLUMNS, qualityExpectations, ...ODD_CONTRACT });
};

const startEverything = async (postgresql: string): Promise<void> => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-datacontract-'));
  const home = join(folder, 'home');
  [running, postgres] = await Promise.all([startCompanyService(home), startPostgresServer(postgresql)]);
  const config = {
    type: 'Postgres',
    hostPort: `127.0.0.1:${postgres.port}`,
    username: 'postgres',
    authType: { password: 'hush' },
  };
  await ask('PUT', '/v1/services/databaseServices', {
    name: 'local_shop',
    serviceType: 'Postgres',
    connection: { config },
  });
  await ask('PUT', '/v1/databases', { name: 'shop', service: 'local_shop' });
  await ask('PUT', '/v1/databaseSchemas', { name: 'sales', database: 'local_shop.shop' });
  await makeOddContract();
};

const listContracts = async (): Promise<readonly Answer[]> => (await ask('GET', '/v1/dataContracts?limit=100')).data;

/** Writes an export into a file; answers its name. */
const writeExport = async ({ id, name }: Answer, version: string, notation: 'yaml' | 'json'): Promise<string> => {
  const path = `/v1/dataContracts/${id}/odcs${notation === 'yaml' ? '/yaml' : ''}?odcsVersion=${version}`;
  const document = await ask('GET', path);
  const file = `${name}-${version}.${notation}`;
  await writeFile(join(folder, file), notation === 'yaml' ? document : JSON.stringify(document));
  return file;
};

const exportOf = async (name: string, version = 'v3.1.0'): Promise<string> =>
  writeExport(
    (await listContracts()).find((one) => one.name === name),
    version,
    'yaml',
  );

const namesAt = (items: readonly Answer[]): readonly string[] => items.map(({ name }) => name);

const ODD_NAMES = namesAt(ODD_COLUMNS);

type Property = { readonly name: string; readonly [member: string]: Answer };

/** The column that a property of a document is about. */
const toColumn = ({ name, properties, items }: Property): object => {
  const children = (properties ?? items?.properties)?.map(toColumn);
  if (items === undefined) return { name, ...(children ? { dataType: 'STRUCT', children } : { dataType: 'STRING' }) };
  return { name, dataType: 'ARRAY', arrayDataType: children ? 'STRUCT' : 'STRING', ...(children ? { children } : {}) };
};

/** Imports a document of the program and answers it as it is exported again. */
const importAndExport = async (format: string, text: string): Promise<Answer> => {
  const [object] = parse(text).schema;
  const { id } = await makeTable(`from_${format}`, object.properties.map(toColumn));
  const query = new URLSearchParams({ entityId: id, entityType: 'table', objectName: object.name });
  const contract = await ask('POST', `/v1/dataContracts/odcs/yaml?${query}`, text, 201);
  return ask('GET', `/v1/dataContracts/${contract.id}/odcs`);
};

const [missing] = Object.values(programs).flatMap((one) => ('missing' in one ? [one.missing] : []));
const { datacontract, dbt, postgresql } = programs;

if ('missing' in datacontract || 'missing' in dbt || 'missing' in postgresql) {
  test.skipped('contracts through datacontract-cli', missing ?? '');
  test('a skipped run has a reason', () => assert.ok(missing));
} else {
  const run = (args: readonly string[], env = {}): Promise<Run> =>
    runDataContract(datacontract.folder, args, { cwd: folder, env });

  const succeed = async (args: readonly string[], env = {}): Promise<string> => {
    const { code, output } = await run(args, env);
    assert.is(code, 0, `${args.join(' ')}: ${output.slice(-3000)}`);
    return output;
  };

  /** What a command writes into its output file, without its warnings. */
  const readOutput = async (args: readonly string[]): Promise<string> => {
    await succeed([...args, '--output', 'written']);
    return readFile(join(folder, 'written'), 'utf8');
  };

  const expectSameAfterImport = async (format: string, file: string): Promise<void> => {
    const text = await readFile(join(folder, file), 'utf8');
    const [document, { servers, ...exported }] = [parse(text), await importAndExport(format, text)];
    const { servers: own, ...rest } = document;
    assert.equal(exported, rest, format);
    assert.equal(own === undefined ? servers[0].server : servers, own ?? 'local_shop', format);
  };

  test.before(() => startEverything(postgresql.folder));

  test.after(async () => {
    if (running) await stopServiceProcess(running, 'SIGTERM');
    await postgres?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('every contract of the sample company and an odd one pass its lint, in every version that it knows', async () => {
    const contracts = await listContracts();
    assert.ok(contracts.length >= 5);
    const files: (readonly [file: string, schema: string])[] = [];
    for (const contract of contracts) {
      for (const [version, schema] of VERSIONS) files.push([await writeExport(contract, version, 'yaml'), schema]);
      for (const [version, schema] of VERSIONS) files.push([await writeExport(contract, version, 'json'), schema]);
    }
    const paths = files.map(([file]) => join(folder, file));
    const runs = JSON.parse(await runScript(datacontract.python, 'lint_contracts.py', paths));
    const expected = files.map(([, schema]) => ['passed', [`Data contract is valid against ODCS ${schema}`]]);
    assert.equal(runs, expected);
    assert.match(await succeed(['lint', await exportOf('odd')]), 'Data contract is valid against ODCS v3.1.0');
  });

  test('it takes documents of 2.2.x for another format, as docs/compatibility.md says', async () => {
    assert.match((await run(['lint', await exportOf('odd', 'v2.2.2')])).output, 'Data Contract Specification');
  });

  test('it writes SQL, schemas and dbt models with the columns of the contract', async () => {
    const file = await exportOf('odd');
    const sql = await succeed(['export', 'sql', file]);
    assert.equal(
      [...sql.matchAll(/^ {2}"?([^\s"]+)"? \S/gm)].map(([, name]) => name),
      ODD_NAMES,
    );
    assert.match(sql, /^-- SQL Dialect: postgres$/m);
    assert.match(sql, /^ {2}id bigint not null primary key,$/m);
    assert.match(sql, /^ {2}größe numeric\(10,2\),$/m);
    const schema = JSON.parse(await succeed(['export', 'jsonschema', file]));
    assert.equal(Object.keys(schema.properties), ODD_NAMES);
    assert.equal(schema.required, ['id', '名前']);
    assert.equal(Object.keys(schema.properties.address.properties), ['city', 'place']);
    assert.equal(Object.keys(schema.properties.lines.items.properties), ['sku', 'count']);
    const models = parse(await readOutput(['export', 'dbt-models', file]));
    assert.equal(namesAt(models.models[0].columns), ODD_NAMES);
    const sources = parse(await readOutput(['export', 'dbt-sources', file, '--server', 'local_shop']));
    assert.equal([sources.sources[0].database, sources.sources[0].schema], ['shop', 'sales']);
    const avro = JSON.parse(await readOutput(['export', 'avro', await exportOf('orders')]));
    assert.equal(namesAt(avro.fields), ['order_id', 'status', 'total']);
  });

  test('contracts that it makes of SQL, schemas and files are imported and exported without a loss', async () => {
    for (const [format, { file, text, args = [] }] of Object.entries(IMPORT_SOURCES)) {
      await writeFile(join(folder, file), text);
      await succeed(['import', format, '--source', file, '--output', `${format}.yaml`, ...args]);
      await expectSameAfterImport(format, `${format}.yaml`);
    }
  });

  test('contracts that it makes of a dbt project are imported and exported without a loss', async () => {
    const project = join(folder, 'dbt');
    await cp(PROJECT, project, { recursive: true });
    const parsed = await runModule(dbt.python, 'dbt.cli.main', ['parse', '--profiles-dir', project], project);
    assert.is(parsed.code, 0, parsed.output);
    await succeed([
      'import',
      'dbt',
      '--source',
      'dbt/target/manifest.json',
      '--model',
      'customer_totals',
      '--output',
      'dbt.yaml',
    ]);
    await expectSameAfterImport('dbt', 'dbt.yaml');
  });

  test('everything that 3.2.0 added comes back through its import', async () => {
    const source = parse(await readFile(RICH_DOCUMENT, 'utf8'));
    // The program leaves out an allowed value that is null.
    source.schema[0].properties[0].enum.pop();
    const columns = [
      { name: 'state', dataType: 'STRING' },
      { name: 'labels', dataType: 'MAP' },
      { name: 'embedding', dataType: 'ARRAY', arrayDataType: 'FLOAT' },
    ];
    const { id } = await makeTable('rich', columns);
    const query = new URLSearchParams({ entityId: id, entityType: 'table', objectName: 'orders' });
    const contract = await ask('POST', `/v1/dataContracts/odcs/yaml?${query}`, stringify(source), 201);
    const file = await writeExport(contract, 'v3.2.0', 'yaml');
    assert.match(await succeed(['lint', file]), 'Data contract is valid against ODCS v3.2.0');
    await succeed(['import', 'odcs', '--source', file, '--output', 'rich.yaml']);
    const returned = await importAndExport('odcs', await readFile(join(folder, 'rich.yaml'), 'utf8'));
    assert.equal(returned, source);
  });

  test('a document in its former format is refused with what converts it', async () => {
    const { id } = await makeTable('old_orders', [
      { name: 'id', dataType: 'BIGINT' },
      { name: 'email', dataType: 'STRING' },
    ]);
    const path = `/v1/dataContracts/odcs/yaml?entityType=table&entityId=${id}`;
    const { message } = await ask('POST', path, OLD_FORMAT, 400);
    assert.match(message, /Data Contract Specification 1\.2\.1, which is not ODCS/);
    await writeFile(join(folder, 'old.yaml'), OLD_FORMAT);
    const [command] = /datacontract export odcs FILE/.exec(message) ?? [];
    const args = (command ?? '').replace('FILE', 'old.yaml').split(' ').slice(1);
    const contract = await ask('POST', path, await readOutput(args), 201);
    assert.equal(namesAt(contract.schema), ['id', 'email']);
  });

  test('it tests a PostgreSQL database by the server that an export names', async () => {
    await postgres.execute('postgres', 'create database shop');
    await postgres.execute(
      'shop',
      'create schema sales; create table sales.sold (id bigint primary key, email varchar(100) not null, placed date)',
    );
    await postgres.execute('shop', "insert into sales.sold values (1, 'a@example.com', '2024-01-01')");
    const columns = [
      { name: 'id', dataType: 'BIGINT', constraint: 'PRIMARY_KEY' },
      { name: 'email', dataType: 'VARCHAR', dataLength: 100, constraint: 'NOT_NULL' },
      { name: 'placed', dataType: 'DATE' },
    ];
    const table = await makeTable('sold', columns);
    const rules = [
      await makeTest(table, ['tableRowCountToBeBetween', undefined, { minValue: '1', maxValue: '2' }]),
      await makeTest(table, ['columnValuesToBeUnique', 'id', {}]),
    ];
    await makeContract(table, { schema: columns, qualityExpectations: rules });
    const login = { DATACONTRACT_POSTGRES_USERNAME: 'postgres', DATACONTRACT_POSTGRES_PASSWORD: 'unused' };
    const args = ['test', await exportOf('sold'), '--server', 'local_shop'];
    const passed = await succeed(args, login);
    assert.match(passed, `port=${postgres.port}, database=shop, schema=sales`);
    assert.match(passed, 'physical type varchar(100)');
    await postgres.execute('shop', "insert into sales.sold values (2, 'b', null), (3, 'c', null)");
    await postgres.execute('shop', 'alter table sales.sold drop column placed');
    const failed = await run(args, login);
    assert.is(failed.code, 1, failed.output);
    assert.match(failed.output, /failed .*'placed' is present/);
    assert.match(failed.output, /failed .*row_count/i);
  });
}

test.run();
