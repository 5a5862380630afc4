import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../support/expect.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that lists are narrowed by regular expressions for the names of records and of what they lie in. */

const test = suite('catalog: lists by patterns');

const SCHEMAS = ['sales', 'Sales_old', 'finance', 'pg.catalog'];
const NAMES = ['orders', 'order_items', 'customers', 'tmp_orders'];

let service: Service;
let source: string;

test.before(async () => {
  service = await openService();
  source = uniqueName('source');
  ok(await service.admin.post('/v1/services/databaseServices', { name: source, serviceType: 'Postgres' }), 201);
  for (const database of ['main', 'archive']) {
    ok(await service.admin.post('/v1/databases', { name: database, service: source }), 201);
    for (const name of SCHEMAS) {
      const { fullyQualifiedName } = ok(
        await service.admin.post('/v1/databaseSchemas', { name, database: `${source}.${database}` }),
        201,
      );
      const rows = NAMES.map((table) => ({
        name: table,
        databaseSchema: fullyQualifiedName,
        columns: [{ name: 'id', dataType: 'INT' }],
      }));
      ok(await service.admin.put('/v1/tables/bulk', rows));
    }
  }
});

const list = async (path: string, query: Readonly<Record<string, string>>) => {
  const parameters = new URLSearchParams({ service: source, limit: '100', ...query });
  const { data, paging } = ok(await service.admin.get(`/v1/${path}?${parameters}`));
  const names: string[] = data.map(({ fullyQualifiedName }: { fullyQualifiedName: string }) =>
    fullyQualifiedName.slice(source.length + 1),
  );
  return { names: names.sort(), total: paging.total as number };
};

const ALL_TABLES = ['main', 'archive'].flatMap((database) =>
  SCHEMAS.flatMap((schema) => NAMES.map((table) => [database, schema, table] as const)),
);

const fqn = (parts: readonly string[]): string =>
  parts.map((part) => (part.includes('.') ? `"${part}"` : part)).join('.');

type Expectation = (database: string, schema: string, table: string) => boolean;

const expectTables = async (query: Readonly<Record<string, string>>, expectation: Expectation): Promise<void> => {
  const expected = ALL_TABLES.filter((parts) => expectation(...parts))
    .map(fqn)
    .sort();
  const { names, total } = await list('tables', query);
  assert.equal(names, expected, JSON.stringify(query));
  assert.is(total, expected.length, `total of ${JSON.stringify(query)}`);
};

test('a pattern selects by the name of the record, its schema or its database', async () => {
  await expectTables({ tableRegex: 'orders' }, (_database, _schema, table) => table === 'orders');
  await expectTables({ tableRegex: 'ORDER' }, (_database, _schema, table) => table.startsWith('order'));
  await expectTables({ databaseSchemaRegex: '^sales$' }, (_database, schema) => schema === 'sales');
  await expectTables({ databaseSchemaRegex: 'pg\\.' }, (_database, schema) => schema === 'pg.catalog');
  await expectTables(
    { databaseRegex: 'arch.*', tableRegex: '(^orders$)|(^cust)' },
    (database, _schema, table) => database === 'archive' && ['orders', 'customers'].includes(table),
  );
  await expectTables({ tableRegex: 'nothing' }, () => false);
});

test('the mode exclude leaves out what matches any of the patterns', async () => {
  await expectTables(
    { tableRegex: 'tmp_', regexMode: 'exclude' },
    (_database, _schema, table) => table !== 'tmp_orders',
  );
  await expectTables(
    { tableRegex: 'tmp_', databaseSchemaRegex: 'sales', regexMode: 'exclude' },
    (_database, schema, table) => table !== 'tmp_orders' && !schema.toLowerCase().startsWith('sales'),
  );
});

test('patterns for fully qualified names see them up to their part', async () => {
  const schema = `${source}\\.main\\.sales$`;
  await expectTables(
    { databaseSchemaRegex: schema, regexFilterByFqn: 'true' },
    (database, name) => database === 'main' && name === 'sales',
  );
  await expectTables({ tableRegex: 'orders', regexFilterByFqn: 'true' }, () => false);
});

test('databases and schemas are narrowed as well', async () => {
  assert.equal(await list('databases', { databaseRegex: 'm' }), { names: ['main'], total: 1 });
  const schemas = await list('databaseSchemas', { databaseRegex: 'main', databaseSchemaRegex: 'sales' });
  assert.equal(schemas, { names: ['main.Sales_old', 'main.sales'], total: 2 });
});

test('pages of a narrowed list follow each other in both directions', async () => {
  const read = async (query: string) =>
    ok(await service.admin.get(`/v1/tables?service=${source}&tableRegex=order&limit=3${query}`));
  const names = ({ data }: { data: { fullyQualifiedName: string }[] }) => data.map((row) => row.fullyQualifiedName);
  const pages: string[][] = [];
  let page = await read('');
  for (;;) {
    pages.push(names(page));
    assert.is(page.paging.total, 16);
    if (!page.paging.after) break;
    page = await read(`&after=${page.paging.after}`);
  }
  assert.is(new Set(pages.flat()).size, 16);
  for (const known of pages.slice(0, -1).reverse()) {
    page = await read(`&before=${page.paging.before}`);
    assert.equal(names(page), known);
  }
});

test('what is no pattern is refused and never widens the list', async () => {
  const refuse = async (query: string, reason: RegExp) =>
    expectRefused(await service.admin.get(`/v1/tables?service=${source}&${query}`), 400, reason);
  await refuse('tableRegex=%5Bx', /tableRegex: unclosed character class/);
  await refuse('databaseSchemaRegex=%28%3F%3Dx%29', /databaseSchemaRegex: unsupported group/);
  await refuse(`tableRegex=${'a'.repeat(4097)}`, /longer than 4096/);
  await refuse('tableRegex=x&regexMode=both', /regexMode must be include or exclude/);
  await refuse('tableRegex=x&regexFilterByFqn=maybe', /regexFilterByFqn must be false or true/);
});

test('a slow pattern over many names lets others go on', async () => {
  const slow = service.admin.get(`/v1/tables?service=${source}&tableRegex=${encodeURIComponent('(.*)*'.repeat(150))}x`);
  const startedMs = performance.now();
  ok(await service.admin.get('/v1/databases?limit=1'));
  const waitedMs = performance.now() - startedMs;
  ok(await slow);
  assert.ok(waitedMs < 2000, `${waitedMs} ms`);
});

test.run();
