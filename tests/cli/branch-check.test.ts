import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { checkBranch } from '../../src/cli/branch-check.ts';
import { REPORT_FORMATTERS, verdictOf } from '../../src/cli/contract-report.ts';
import { StartupError } from '../../src/errors.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { ok } from '../support/expect.ts';
import { TRIBUTARY } from '../support/program.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { runDbtImport } from './dbt-import.ts';

/** Shows what `tributary check` tells of a branch of a dbt project. */

const test = suite('cli: check of a branch');

const WAREHOUSE = uniqueName('branch');
const DATABASE = uniqueName('SHOP').toUpperCase();
const MART = `${WAREHOUSE}.${DATABASE}.MART`;
const PROJECT = uniqueName('project');

let service: Service;
let folder: string;

type Columns = Readonly<Record<string, string>>;
type Model = { readonly reads: readonly string[]; readonly sql: string; readonly columns: Columns };
type Models = Readonly<Record<string, Model>>;

const idOf = (name: string): string => (name === 'orders' ? 'source.shop.raw.orders' : `model.shop.${name}`);

const toManifest = (models: Models): JsonObject => ({
  metadata: {
    dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json',
    adapter_type: 'snowflake',
    project_name: PROJECT,
  },
  sources: {
    'source.shop.raw.orders': {
      resource_type: 'source',
      database: DATABASE.toLowerCase(),
      schema: 'raw',
      name: 'orders',
      identifier: 'orders',
      columns: {},
    },
  },
  nodes: Object.fromEntries(
    Object.entries(models).map(([name, { reads, sql }]) => [
      idOf(name),
      {
        resource_type: 'model',
        database: DATABASE.toLowerCase(),
        schema: 'mart',
        name,
        alias: name,
        compiled_code: sql.replaceAll('SHOP', DATABASE.toLowerCase()),
        depends_on: { nodes: reads.map(idOf) },
        config: { materialized: 'table' },
        columns: {},
      },
    ]),
  ),
});

const toColumns = (columns: Columns): JsonObject =>
  Object.fromEntries(Object.entries(columns).map(([name, type], at) => [name, { name, type, index: at + 1 }]));

const toCatalog = (models: Models): JsonObject => ({
  sources: {
    'source.shop.raw.orders': {
      metadata: { database: DATABASE, schema: 'RAW', name: 'ORDERS', type: 'BASE TABLE' },
      columns: toColumns({ ID: 'NUMBER', AMOUNT: 'FLOAT' }),
    },
  },
  nodes: Object.fromEntries(
    Object.entries(models).map(([name, { columns }]) => [
      idOf(name),
      {
        metadata: { database: DATABASE, schema: 'MART', name: name.toUpperCase(), type: 'BASE TABLE' },
        columns: toColumns(columns),
      },
    ]),
  ),
});

const MAIN: Models = {
  daily: {
    reads: ['orders'],
    sql: 'select id, amount as total from SHOP.raw.orders',
    columns: { ID: 'NUMBER', TOTAL: 'FLOAT' },
  },
  weekly: {
    reads: ['daily'],
    sql: 'select total as paid from SHOP.mart.daily',
    columns: { PAID: 'FLOAT' },
  },
};

const files = (models: Models, hasCatalog = true) => ({
  manifest: toManifest(models),
  ...(hasCatalog ? { catalog: toCatalog(models) } : {}),
});

const send = async (address: string, init: RequestInit) =>
  service.app.hono.request(new URL(address).pathname + new URL(address).search, init);

/** Writes the artifacts of a branch and compares them with the catalog. */
const check = async (models: Models, options: { hasCatalog?: boolean; service?: string; user?: string } = {}) => {
  const branch = await mkdtemp(join(folder, 'branch-'));
  for (const [name, file] of Object.entries(files(models, options.hasCatalog)))
    await writeFile(join(branch, `${name}.json`), JSON.stringify(file));
  const token = await service.token(options.user ?? 'admin');
  return checkBranch({ server: 'http://catalog.example', token, send }, { folder: branch, service: options.service });
};

test.before(async () => {
  service = await openService();
  folder = await mkdtemp(join(tmpdir(), 'tributary-branch-'));
  const imported = await runDbtImport(service, { folder, warehouse: WAREHOUSE, files: files(MAIN) });
  assert.is(imported.code, 0, imported.printed);
  const weekly = ok(await service.admin.get(`/v1/tables/name/${MART}.WEEKLY`));
  const schema = [{ name: 'PAID', dataType: 'FLOAT' }];
  const entity = { id: weekly.id, type: 'table' };
  ok(await service.admin.post('/v1/dataContracts', { name: 'weekly', entity, schema }), 201);
});

test.after(() => rm(folder, { recursive: true, force: true }));

test('the artifacts that the catalog has break nothing', async () => {
  const report = await check(MAIN);
  assert.equal([verdictOf(report), report.found.changes, report.found.breaks], ['ok', [], []]);
  const told = REPORT_FORMATTERS.text(report, 200);
  assert.match(told, new RegExp(`^${PROJECT}: breaks no contract\nno changes`));
});

const DROPPED: Models = {
  ...MAIN,
  daily: { reads: ['orders'], sql: 'select id from SHOP.raw.orders', columns: { ID: 'NUMBER' } },
};

test('a column that a branch drops breaks the contract of what still reads it', async () => {
  const report = await check(DROPPED);
  assert.is(verdictOf(report), 'breaks');
  assert.equal(
    report.found.breaks.map(({ entity, clause, depth }) => [entity.fullyQualifiedName, clause, depth]),
    [[`${MART}.WEEKLY`, 'schema.PAID', 1]],
  );
  const markdown = REPORT_FORMATTERS.markdown(report);
  assert.match(markdown, /^## .* breaks 1 clause of contracts\n/);
  assert.ok(markdown.includes(`${MART.replaceAll('_', '\\_')}.DAILY.TOTAL | dropped`), markdown);
  const json = JSON.parse(REPORT_FORMATTERS.json(report)) as { verdict: string };
  assert.is(json.verdict, 'breaks');
});

test('a branch that also changes the reader, or its edge, is judged by what it has', async () => {
  const rewritten = await check({
    ...DROPPED,
    weekly: { reads: ['daily'], sql: 'select id as paid from SHOP.mart.daily', columns: { PAID: 'FLOAT' } },
  });
  assert.is(verdictOf(rewritten), 'ok');
  const narrower = await check({
    ...MAIN,
    weekly: { ...MAIN['weekly'], columns: { SUM: 'FLOAT', MORE: 'FLOAT' } } as Model,
  });
  assert.equal(
    narrower.found.breaks.map(({ entity, clause, depth }) => [entity.fullyQualifiedName, clause, depth]),
    [[`${MART}.WEEKLY`, 'schema.PAID', 0]],
  );
});

test('what goes through a new model is followed, and a model that is gone breaks its readers', async () => {
  const between = await check({
    ...DROPPED,
    middle: { reads: ['daily'], sql: 'select total as half from SHOP.mart.daily', columns: { HALF: 'FLOAT' } },
    weekly: { reads: ['middle'], sql: 'select half as paid from SHOP.mart.middle', columns: { PAID: 'FLOAT' } },
  });
  assert.equal(
    between.found.breaks.map(({ entity, depth }) => [entity.fullyQualifiedName, depth]),
    [[`${MART}.WEEKLY`, 2]],
  );
  const { daily: _, ...others } = MAIN;
  const gone = await check(others);
  assert.equal(
    gone.found.breaks.map(({ entity }) => entity.fullyQualifiedName),
    [],
    'the branch says that nothing is made from the model any more',
  );
  const left = await check({ daily: MAIN['daily'] as Model });
  assert.equal(
    left.found.breaks.map(({ entity, clause }) => [entity.fullyQualifiedName, clause]),
    [[`${MART}.WEEKLY`, 'schema.PAID']],
  );
});

test('without a catalog file, columns count as unchanged, and the report says so', async () => {
  const report = await check(DROPPED, { hasCatalog: false });
  assert.is(verdictOf(report), 'ok');
  assert.match(REPORT_FORMATTERS.text(report, 200), /There is no catalog\.json/);
});

test('a service can be named, and one that is not there is told', async () => {
  assert.is(verdictOf(await check(DROPPED, { service: WAREHOUSE })), 'breaks');
  const failure = await check(DROPPED, { service: 'nowhere' }).then(
    () => assert.unreachable('there is no such service'),
    (reason: unknown) => reason,
  );
  assert.instance(failure, StartupError);
  assert.match(
    (failure as Error).message,
    /answered 404 .* changes\[0\]: databaseService instance for nowhere not found/,
  );
});

test('the command ends with 2 when it could not check', async () => {
  const run = (...args: readonly string[]) =>
    new Promise<{ readonly code: number; readonly text: string }>((resolve) => {
      execFile(process.execPath, [TRIBUTARY, 'check', ...args], (failure, out, err) =>
        resolve({ code: Number(failure?.code ?? 0), text: `${out}${err}` }),
      );
    });
  const missing = await run('--dbt', `${folder}-nowhere`, '--server', 'http://127.0.0.1:9', '--token', 'x');
  assert.is(missing.code, 2);
  assert.match(missing.text, /There is no manifest\.json in/);
  const unreachable = await run('--dbt', folder, '--server', 'http://127.0.0.1:9', '--token', 'x');
  assert.is(unreachable.code, 2);
  assert.match(unreachable.text, /No service answers at http:\/\/127\.0\.0\.1:9/);
  const wrong = await run();
  assert.is(wrong.code, 2);
  assert.match(wrong.text, /needs --dbt DIR/);
});

test.run();
