import * as assert from 'uvu/assert';
import { narrowByPatterns, parseNamePatterns } from '../../src/catalog/read/pattern-list.ts';
import { HandOverToLane } from '../../src/http/route.ts';
import { countTurns } from '../support/count-turns.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { manyLetters } from '../support/many-letters.ts';
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

const SLOW = `${'(.*)*'.repeat(50)}x`;

test('a slow pattern and another request are both answered', async () => {
  const slow = service.admin.get(`/v1/tables?service=${source}&tableRegex=${encodeURIComponent(SLOW)}`);
  ok(await service.admin.get('/v1/databases?limit=1'));
  assert.equal(ok(await slow).data, []);
});

/** Some tables in a schema of their own, with names that begin like no other and have very many letters. */
const createManyNames = async (): Promise<string> => {
  const made = await service.admin.post('/v1/databaseSchemas', { name: 'many', database: `${source}.archive` });
  const { fullyQualifiedName } = ok(made, 201);
  const columns = [{ name: 'id', dataType: 'INT' }];
  const rows = Array.from({ length: 160 }, (_, at) => ({
    name: manyLetters(at, 200),
    databaseSchema: fullyQualifiedName,
    columns,
  }));
  ok(await service.admin.put('/v1/tables/bulk', rows));
  return fullyQualifiedName;
};

/** An expression of some length that asks the items of one class again and again. */
const repeatedClass = (length: number): string => `(?:[${'~'.repeat(length - 17)}\\s\\S]?){230}!`;

test('a pattern that costs more than its budget is refused with the name of its parameter', async () => {
  const schema = await createManyNames();
  const get = (more: Readonly<Record<string, string>>) =>
    service.admin.get(`/v1/tables?${new URLSearchParams({ databaseSchema: schema, ...more })}`);
  const refuse = async (more: Readonly<Record<string, string>>) =>
    expectRefused(await get(more), 400, /\[tableRegex: the expression is too expensive\]/);
  for (const length of [1000, 4000]) {
    const tableRegex = repeatedClass(length);
    await refuse({ tableRegex });
    await refuse({ tableRegex, limit: '100000' });
    await refuse({ tableRegex, regexMode: 'exclude', limit: '5' });
    await refuse({ databaseSchemaRegex: 'many', tableRegex });
  }
});

test('the same pattern over a few databases is answered', async () => {
  for (const length of [1000, 4000]) {
    assert.equal(await list('databases', { databaseRegex: repeatedClass(length) }), { names: [], total: 0 });
  }
});

type ListCaller = Parameters<typeof narrowByPatterns>[3];

/** A list of names without end, or of some pages, that is narrowed for a caller. */
const narrowNames = (value: string, nameOf: (at: number) => string, caller: Partial<ListCaller>, rowsInAll: number) => {
  const condition = { name: 'tableRegex', filter: { by: 'pattern', part: 3 } as const, value };
  const patterns = parseNamePatterns([condition]);
  if (patterns === undefined) throw new Error('there is a pattern');
  let read = 0;
  const page = async (_direction: string, edge: string, limit: number) => {
    const first = edge === '' ? 0 : Number(edge) + 1;
    const count = Math.min(limit, rowsInAll - first);
    read += count;
    return Array.from({ length: count }, (_, at) => ({
      id: String(first + at),
      sortKey: String(first + at),
      revision: 1,
    }));
  };
  const plan = narrowByPatterns(
    {
      referenceById: async (id) =>
        ({ id, entityType: 'table', fullyQualifiedName: `a.b.c.${nameOf(Number(id))}` }) as never,
    },
    { page, total: async () => rowsInAll, atOnce: 1000, anchorIds: [] },
    patterns,
    { signal: new AbortController().signal, countWork: () => {}, ...caller },
  );
  return { plan, read: () => read };
};

test('a slow pattern over many names lets others go on, and its work is counted', async () => {
  let counted = 0;
  const countWork = (characters: number) => {
    counted += characters;
  };
  const { plan } = narrowNames(repeatedClass(1000), (at) => manyLetters(at, 200), { countWork }, 60);
  assert.ok(plan.mayBeRefused);
  const turns = await countTurns(() => plan.total());
  // What one turn of the event loop may do counts for 512 Ki characters.
  const least = Math.floor(counted / (512 * 1024));
  assert.ok(least > 10, `${counted} characters`);
  assert.ok(turns >= least, `the work of ${counted} characters was done in ${turns} turns`);
});

const failureOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no failure',
    (failure: Error) => failure.message,
  );

test('a pattern whose caller has gone away is matched no further', async () => {
  const gone = new AbortController();
  const hangUp = (at: number) => {
    if (at === 1500) gone.abort();
    return `name ${at}`;
  };
  const { plan, read } = narrowNames('.*x', hangUp, { signal: gone.signal }, 1_000_000);
  assert.match(await failureOf(plan.page('forward', '', 10)), /The caller has gone away/);
  assert.is(read(), 2000);
});

test('work that is left to another thread ends here at once', async () => {
  const countWork = (characters: number) => {
    if (characters > 0) throw new HandOverToLane('elsewhere');
  };
  const { plan, read } = narrowNames('.*x', (at) => `name ${at}`, { countWork }, 1_000_000);
  assert.match(await failureOf(plan.total()), /elsewhere/);
  assert.is(read(), 1000);
});

test.run();
