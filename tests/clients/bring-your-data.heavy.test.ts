import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as assert from 'uvu/assert';
import { openWithToken } from '../browser/explorer-page.ts';
import { inBrowser, openBrowser } from '../support/browser.ts';
import { blocksOf, readPages } from '../support/documentation.ts';
import { installProgram, readerEnvironment, runBlock } from '../support/documentation-commands.ts';
import { startCompanyService } from '../support/prepared-home.ts';
import { type ServiceProcess, stopServiceProcess } from '../support/service-process.ts';
import { suite } from '../support/suite.ts';
import { ENVIRONMENTS } from './environments.ts';
import { type PostgresServer, startPostgresServer } from './postgres-server.ts';

/** Shows that every command of the page «Bring your data» works, with dbt, a PostgreSQL server and the published clients. */

const test = suite('clients: the page «Bring your data»');

/** Blocks that are not run, by their beginning, with the reason. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'pip install': 'takes minutes; the test has the same packages at pinned versions',
  'spark-submit': 'needs Spark; tests/lineage/openlineage posts what its listener sends',
};

const PROJECT = fileURLToPath(new URL('dbt-shop', import.meta.url));

/** What an emitter wrote into a file. */
const EVENT = {
  eventType: 'COMPLETE',
  eventTime: '2026-03-01T10:00:00Z',
  run: { runId: '01890a5d-ac96-774b-bcce-b302099a8057' },
  job: { namespace: 'nightly', name: 'load' },
  inputs: [{ namespace: 'files', name: 'orders.csv' }],
  outputs: [{ namespace: 'files', name: 'orders.parquet' }],
  producer: 'https://example.com/loader',
  schemaURL: 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent',
};

const programs = {
  openmetadata: await ENVIRONMENTS.openMetadata(),
  openlineage: await ENVIRONMENTS.openLineage(),
  postgresql: await ENVIRONMENTS.postgresql(),
};
const missing = Object.values(programs).flatMap((one) => ('missing' in one ? [one.missing] : []));
const folders = Object.values(programs).flatMap((one) => ('folder' in one ? [one.folder] : []));

const blocks = readPages()
  .filter(({ path }) => path === 'docs/bring-your-data.md')
  .flatMap(blocksOf)
  .filter(({ language }) => language === 'sh');
const reasonNotToRun = (code: string) => Object.entries(NOT_RUN).find(([beginning]) => code.startsWith(beginning))?.[1];

let folder: string;
let service: ServiceProcess | undefined;
let postgres: PostgresServer | undefined;

const run = async (code: string): Promise<string> => {
  const env = readerEnvironment();
  const path = [...folders.map((one) => join(one, 'bin')), env['PATH']].join(':');
  const adapted = code
    .replaceAll('http://127.0.0.1:8585', service?.address ?? '')
    .replaceAll('db.example.com:5432', `127.0.0.1:${postgres?.port}`);
  const ended = await runBlock(adapted, { folder, env: { ...env, PATH: path, SHOP_PASSWORD: 'unused' } });
  assert.is(ended.code, 0, `${ended.output}\n${ended.errors}`.slice(-4000));
  return ended.output;
};

const MART = 'duckdb.warehouse.main_mart';

/** What the dashboard and the metric of the project are made from, and the columns on the way. */
const expectConsumers = async (printed: string): Promise<void> => {
  const [board = '', metric = ''] = printed.split(/^revenue$/m);
  for (const name of ['customer_totals', 'known_customers', 'placed_orders']) assert.match(board, `${MART}.${name}`);
  assert.match(metric, `${MART}.placed_orders`);
  assert.not.match(metric, 'customer');
  const { edges } = JSON.parse(await readFile(join(folder, 'revenue.json'), 'utf8')) as {
    readonly edges: readonly { readonly lineageDetails: { readonly columnsLineage: readonly object[] } }[];
  };
  assert.equal(
    edges.flatMap(({ lineageDetails }) => lineageDetails.columnsLineage),
    ['id', 'customer_id', 'total', 'placed_on'].map((column) => ({
      fromColumns: [`duckdb.warehouse.main_raw.orders.${column}`],
      toColumn: `${MART}.placed_orders.${column}`,
    })),
  );
};

const startEverything = async (postgresql: string): Promise<void> => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-bring-'));
  await cp(PROJECT, folder, { recursive: true });
  await installProgram(folder);
  await writeFile(join(folder, 'events.jsonl'), `${JSON.stringify(EVENT)}\n`);
  const home = join(folder, '.tributary');
  const started = await Promise.all([startCompanyService(home), startPostgresServer(postgresql)]);
  [service, postgres] = started;
  await postgres.execute('postgres', 'create database shop');
  await postgres.execute('postgres', 'create role catalog_reader login superuser');
  await postgres.execute('shop', await readFile(new URL('postgres-shop.sql', import.meta.url), 'utf8'));
};

if (missing.length > 0 || 'missing' in programs.postgresql) {
  test.skipped('the commands of the page', missing[0] ?? '');
  test('a skipped run has a reason', () => assert.ok(missing.length > 0));
} else {
  const { folder: postgresql } = programs.postgresql;
  test.before(() => startEverything(postgresql));

  test.after(async () => {
    if (service) await stopServiceProcess(service, 'SIGTERM');
    await postgres?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** As a newcomer does: the page of the table, its lineage, its columns, and one of them. */
  const lightColumn = async (executable: string): Promise<void> => {
    const browser = await openBrowser(executable);
    try {
      const view = { name: 'desktop', width: 1280, height: 800, colorScheme: 'light' } as const;
      const address = service?.address ?? '';
      const token = (await readFile(join(folder, '.tributary', 'admin.token'), 'utf8')).trim();
      const visit = await openWithToken({ browser, view, address, token }, `/assets/table/${MART}.customer_totals`);
      const { page } = visit;
      await page.getByRole('link', { name: 'Lineage' }).first().click();
      const box = page.locator('.react-flow__node', { hasText: 'customer_totals' }).first();
      await box.getByRole('button', { name: 'Show columns' }).click();
      await box.getByRole('button', { name: 'total', exact: true }).click();
      await page.getByText(/^The trail of total: \d+ columns in \d+ assets\.$/).waitFor();
      await page.locator('.react-flow__node', { hasText: 'placed_orders' }).first().waitFor();
      await visit.close();
    } finally {
      await browser.close();
    }
  };

  test('every exception is a block of the page', () => {
    const unused = Object.keys(NOT_RUN).filter((beginning) => !blocks.some(({ code }) => code.startsWith(beginning)));
    assert.equal(unused, []);
  });

  for (const { code } of blocks.filter((block) => reasonNotToRun(block.code) === undefined)) {
    test(`${code.split('\n')[0]}`, async () => {
      const printed = await run(code);
      if (code.includes('import dbt')) {
        assert.match(printed, /1 exposures, 1 metrics/);
        assert.match(printed, /is made from\n(.*\n)*.*main_raw\.orders\.total/);
        // What the column breaks reaches the dashboard and the metric.
        assert.match(printed, /dbt_shop\.customer_board/);
        assert.match(printed, /\brevenue\b/);
      }
      if (code.includes('revenue.json')) await expectConsumers(printed);
      if (code.includes('metadata ingest')) assert.match(printed, /shop_db\.shop\.sales\.orders/);
      if (code.includes('import openlineage')) assert.match(printed, /1 accepted, 0 refused/);
      if (code.includes('describe.py')) assert.match(printed, /toEntity/);
    });
  }

  inBrowser(test, 'the lineage of an own dbt project on the screen', (executable) => {
    test('the columns of the dbt project light their whole trail on the screen', () => lightColumn(executable));
  });
}

test.run();
