import * as assert from 'uvu/assert';
import { detailsOf } from '../lineage/fixture.ts';
import { HIDING } from '../lineage/read/graph/fixture.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { waitForJobEnd } from '../support/job.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import { anonymous } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { askSql, edgeLines, openShop, placeQuery, readSql, type Shop } from './sql-fixture.ts';

/** Shows what scripts and query logs tell of lineage and usage, and that nothing is written unless asked for. */

const test = suite('insight: SQL at rest');

let shop: Shop;
let rights: RightsFactory;

test.before(async () => {
  shop = await openShop();
  rights = createRightsFactory(shop.service);
});

test.after(() => rights.clear());

const MORNING = Date.parse('2026-11-27T08:00:00Z');
const EVENING = Date.parse('2026-11-27T20:00:00Z');

const REPORT = `
-- the daily report
create temp table per_customer as
  select customer_id, sum(amount) as total from orders where placed > '2026-01-01' group by customer_id;
insert into report (customer, total)
  select c.name, p.total from per_customer p join customers c on c.id = p.customer_id;
drop table per_customer;
`;

test('a script is seen through from lasting table to lasting table', async () => {
  const answer = await readSql(shop, { text: REPORT });
  assert.equal(edgeLines(shop, answer.edges), [
    'customers -> report | customers.name > report.customer',
    'orders -> report | orders.amount > report.total {sum(amount)}',
  ]);
  assert.equal(
    [answer.dryRun, answer.statements, answer.distinct, answer.understood, answer.applied, answer.unresolved],
    [true, 3, 3, 3, 0, []],
  );
  assert.equal(answer.usage, []);
  for (const { statements, confidence, source, fingerprint, firstAt } of answer.edges) {
    assert.equal([statements, confidence, source, firstAt], [1, 0.8, 'QueryLineage', undefined]);
    assert.match(fingerprint, /^[0-9a-f]{32}$/);
  }
});

test('a dry run writes nothing', async () => {
  await readSql(shop, { text: REPORT });
  const reply = await shop.admin.get(`/v1/lineage/getLineageEdge/${shop.orders.id}/${shop.report.id}`);
  assert.is(reply.status, 404);
  const usage = ok(await shop.admin.get(`/v1/usage/table/${shop.customers.id}`));
  await readSql(shop, { text: 'select * from customers' });
  assert.equal(ok(await shop.admin.get(`/v1/usage/table/${shop.customers.id}`)), usage);
});

test('statements that differ in values, case, spaces and comments are one', async () => {
  const statements = [
    { sql: "INSERT INTO archive SELECT id, amount FROM orders WHERE id = 7 AND placed IN ('a','b')", at: EVENING },
    {
      sql: "insert into archive  select id,amount /* all */ from orders where id=8 and placed in ('c')",
      at: MORNING,
      count: 4,
    },
    { sql: 'insert into archive select id, amount from orders where id > 8', at: '2026-11-27T09:00:00Z' },
  ];
  const answer = await readSql(shop, { statements });
  assert.equal([answer.statements, answer.distinct, answer.understood, answer.edges.length], [6, 2, 6, 1]);
  const [edge] = answer.edges;
  assert.equal([edge.statements, edge.firstAt, edge.lastAt], [6, MORNING, EVENING]);
});

test('questions count as usage, also through common table expressions and temporary tables', async () => {
  const statements = [
    {
      sql: 'select c.name from customers c where exists (select 1 from orders o where o.customer_id = c.id)',
      count: 3,
    },
    { sql: 'with orders as (select * from customers) select * from orders' },
    { sql: 'create temp table t as select id from orders' },
    { sql: 'select * from t', count: 10 },
    { sql: 'insert into archive select id, amount from orders' },
  ];
  const { usage } = await readSql(shop, { statements });
  assert.equal(
    usage.map(({ entity, count }: { entity: { name: string }; count: number }) => [entity.name, count]),
    [
      ['orders', 13],
      ['customers', 4],
    ],
  );
});

test('temporary tables belong to the session of a user, and end when they are dropped', async () => {
  const statements = [
    { user: 'ann', sql: 'create temp table t as select id, amount from orders' },
    { user: 'bob', sql: 'create temp table t as select person as id, amount from salaries' },
    { user: 'ann', sql: 'insert into archive select id, amount from t' },
    { user: 'eve', sql: 'insert into archive select id, amount from t' },
    { user: 'bob', sql: 'drop table t' },
    { user: 'bob', sql: 'insert into archive select id, amount from t' },
  ];
  const answer = await readSql(shop, { statements });
  assert.equal(edgeLines(shop, answer.edges), [
    'orders -> archive | orders.amount > archive.amount | orders.id > archive.id',
  ]);
  assert.equal(
    answer.unresolved.map(({ reason, name, count }: Record<string, unknown>) => [reason, name, count]),
    [['unknown table', 't', 2]],
  );
  assert.is(answer.understood, 4);
});

test('a view is the source of view lineage', async () => {
  const answer = await readSql(shop, {
    text: 'create view big_orders as select id, amount from orders where amount > 9',
  });
  assert.equal(
    answer.edges.map(({ source, confidence }: Record<string, unknown>) => [source, confidence]),
    [['ViewLineage', 0.95]],
  );
  assert.equal(edgeLines(shop, answer.edges), [
    'orders -> big_orders | orders.amount > big_orders.amount | orders.id > big_orders.id',
  ]);
});

test('what is not understood is told by reason, with an example without values', async () => {
  const statements = [
    { sql: "insert into archive select id, amount from nowhere where id = 'secret'", count: 2 },
    { sql: 'insert into archive (id, colour) select id, amount from orders' },
    { sql: 'insert in archive' },
    { sql: 'select {{ columns }} from orders' },
    { sql: 'call refresh_all()' },
  ];
  const answer = await readSql(shop, { statements });
  assert.equal(
    answer.unresolved.map(({ reason, name, count, example }: Record<string, unknown>) => [
      reason,
      name,
      count,
      example,
    ]),
    [
      ['unknown table', 'nowhere', 2, 'insert into archive select id, amount from nowhere where id = ?'],
      ['syntax', undefined, 1, 'insert in archive'],
      ['template', undefined, 1, 'select {{ columns }} from orders'],
      ['unknown column', 'colour', 1, 'insert into archive (id, colour) select id, amount from orders'],
      ['unsupported', undefined, 1, 'call refresh_all()'],
    ],
  );
  assert.is(answer.understood, 0);
  assert.equal(edgeLines(shop, answer.edges), ['orders -> archive | orders.id > archive.id']);
  assert.is(answer.edges[0].confidence, 0.72, 'part of the only statement is unclear');
});

test('names are completed by the request, and never guessed', async () => {
  const { admin, serviceFqn: service } = shop;
  const statements = [
    { sql: 'insert into DB.PUBLIC.ARCHIVE select id, amount from public.orders' },
    { sql: 'insert into archive select id, amount from db.public.orders' },
  ];
  const ask = async (place: object) =>
    ok(await admin.post('/v1/lineage/sql', { service, dialect: 'snowflake', statements, ...place })).edges.length;
  assert.is(await ask({ database: 'db', schema: 'public' }), 1);
  assert.is(await ask({ database: 'db' }), 1);
  assert.is(await ask({}), 0);
});

test('what is shown is written when that is asked for, and writing it again changes nothing', async () => {
  const statements = [
    { sql: "insert into archive select id, amount from orders where placed = 'x'", at: MORNING },
    { sql: 'insert into archive select id, amount from orders where placed = 3', at: EVENING },
    { sql: 'select * from customers', at: MORNING, count: 5 },
    { sql: 'select id from customers', at: EVENING },
  ];
  const answer = await readSql(shop, { statements }, '?dryRun=false');
  assert.equal([answer.dryRun, answer.applied, answer.refused], [false, 1, []]);
  const edge = await detailsOf(shop.admin, shop.orders, shop.archive);
  assert.equal(
    [edge.source, edge.sqlQuery, edge.observed],
    [
      'QueryLineage',
      'insert into archive select id, amount from orders where placed = ?',
      { fingerprint: answer.edges[0].fingerprint, firstAt: MORNING, lastAt: EVENING },
    ],
  );
  assert.is(edge.columnsLineage.length, 2);
  const usageOf = async () =>
    ok(await shop.admin.get(`/v1/usage/table/${shop.customers.id}?date=2026-11-27`)).usage[0].dailyStats.count;
  assert.is(await usageOf(), 6);
  const again = await readSql(shop, { statements }, '?dryRun=false');
  assert.equal(again, answer);
  assert.equal(await detailsOf(shop.admin, shop.orders, shop.archive), edge);
  assert.is(await usageOf(), 6);
  const later = EVENING + 1000;
  await readSql(shop, { statements: [{ sql: statements[0]?.sql, at: later }] }, '?dryRun=false');
  const { observed } = await detailsOf(shop.admin, shop.orders, shop.archive);
  assert.equal([observed.firstAt, observed.lastAt], [MORNING, later]);
});

test('hidden tables are unknown like those that do not exist', async () => {
  const restricted = await rights.person([HIDING]);
  const sql = (table: string) => [
    { sql: `insert into archive select person, amount from ${table}` },
    { sql: `select * from ${table}` },
  ];
  const hidden = await readSql(shop, { statements: sql('salaries') }, '', restricted);
  const missing = await readSql(shop, { statements: sql('nothings') }, '', restricted);
  assert.equal(JSON.parse(JSON.stringify(hidden).replaceAll('salaries', 'nothings')), missing);
  assert.equal([hidden.edges, hidden.usage, hidden.understood], [[], [], 0]);
  assert.is((await readSql(shop, { statements: sql('salaries') })).edges.length, 1);
});

test('writing needs rights to the lineage of both tables, and to usage', async () => {
  const reader = await rights.person();
  const statements = [{ sql: 'insert into report select name, id from customers' }, { sql: 'select * from customers' }];
  await readSql(shop, { statements }, '', reader);
  expectRefused(await askSql(reader, shop, { statements }, '?dryRun=false'), 403);
  const partly = await rights.person([
    { operations: ['EditLineage'] },
    { effect: 'deny', operations: ['EditLineage'], resources: ['table'], condition: "matchAnyTag('PII.Sensitive')" },
  ]);
  const both = [
    { sql: 'insert into report select name, id from customers' },
    { sql: 'insert into archive select person, amount from salaries' },
    { sql: 'select * from customers' },
  ];
  const answer = await readSql(shop, { statements: both }, '?dryRun=false', partly);
  assert.is(answer.applied, 1);
  assert.equal(
    answer.refused.map(({ entity, status }: { entity: { name: string }; status: number }) => [entity.name, status]),
    [
      ['archive', 403],
      ['customers', 403],
    ],
  );
});

test('logs come as CSV and as lines of JSON', async () => {
  const query = `?${placeQuery(shop)}`;
  const send = (type: string, body: string) =>
    shop.admin.raw('POST', `/v1/lineage/sql${query}`, body, { 'content-type': type });
  const csv =
    'at,sql,count\n2026-11-27 08:00:00Z,"insert into archive\nselect id, amount from ""orders""",2\n,select 1 from orders,\n';
  const lines = [
    JSON.stringify({ at: MORNING, sql: 'insert into archive select id, amount from "orders"', count: 2 }),
    '',
    JSON.stringify({ sql: 'select 1 from orders' }),
  ].join('\n');
  const [one, other] = [ok(await send('text/csv', csv)), ok(await send('application/x-ndjson', lines))];
  assert.equal(one, other);
  assert.equal([one.statements, one.edges[0].statements, one.edges[0].firstAt, one.usage[0].count], [3, 2, MORNING, 1]);
  const refuses = async (type: string, body: string, message: RegExp) => {
    const reply = await send(type, body);
    assert.is(reply.status, 400, reply.text);
    assert.match(reply.json.message, message);
  };
  await refuses('text/csv', 'sql,colour\nselect 1,red\n', /line 1 has the column colour/);
  await refuses('text/csv', 'at,user\n1,a\n', /line 1 must have the column sql/);
  await refuses('text/csv', 'sql,at\nselect 1,yesterday\n', /row 1\.at must be/);
  await refuses('text/csv', 'sql,count\nselect 1,\nselect 2,many\n', /row 2|count/);
  await refuses('text/csv', 'sql\n"select 1', /body must be CSV/);
  await refuses('text/csv', '', /body must not be null/);
  await refuses('application/x-ndjson', '{"sql":"select 1"}\n{"sql":', /line 2 must be JSON/);
  await refuses('application/x-ndjson', '[1]', /line 1 must be an object/);
  await refuses('application/x-ndjson', '{"sql":"select 1","colour":1}', /colour is not a known property/);
});

test('bad requests are refused with their place', async () => {
  const { admin, serviceFqn: service } = shop;
  const refuses = async (body: object, message: RegExp, status = 400, query = '') => {
    const reply = await admin.post(`/v1/lineage/sql${query}`, body);
    assert.is(reply.status, status, reply.text);
    assert.match(reply.json.message, message);
  };
  const text = 'select 1';
  await refuses({ text }, /service must not be null/);
  await refuses({ service }, /either statements or text/);
  await refuses({ service, text, statements: [] }, /either statements or text/);
  await refuses({ service, text, dialect: 'klingon' }, /dialect must be one of/);
  await refuses({ service, text, colour: 1 }, /colour is not a known property/);
  await refuses({ service, statements: [{ sql: 'select 1' }, { sql: 7 }] }, /statements\.1\.sql must be a string/);
  await refuses({ service, statements: [{ sql: 'select 1', at: 'soon' }] }, /statements\.0\.at must be/);
  await refuses({ service, statements: [{ sql: 'select 1', count: 0 }] }, /statements\.0\.count must be/);
  await refuses({ service: `${service}x`, text }, /not found/, 404);
  await refuses({ service, database: 'none', text }, /not found/, 404);
  await refuses({ service, text: 'select 1;'.repeat(5001) }, /statements must be at most 5000/);
  await refuses({ service, text }, /dryRun must be true or false/, 400, '?dryRun=maybe');
  await refuses({ service, text }, /colour/, 400, '?colour=1');
  expectRefused(await askSql(anonymous(shop.service), shop, { text }), 401);
});

test('a job reads and writes as much as a request does', async () => {
  const { admin } = shop;
  const statements = Array.from({ length: 6000 }, (_, at) => ({
    sql:
      at % 2 === 0
        ? `select id from orders where id = ${at}`
        : `insert into report (total) select amount + ${at} from orders`,
    at: MORNING + at,
  }));
  const reply = await askSql(admin, shop, { statements }, '?async=true&dryRun=false');
  assert.is(reply.status, 202, reply.text);
  const job = await waitForJobEnd(admin, reply.json.jobId);
  assert.equal([job.status, job.error], ['COMPLETED', undefined]);
  const result = ok(await admin.get(`/v1/jobs/${reply.json.jobId}/result`));
  assert.equal([result.statements, result.distinct, result.understood, result.applied], [6000, 2, 6000, 1]);
  assert.is(result.edges[0].statements, 3000);
  const { observed } = await detailsOf(admin, shop.orders, shop.report);
  assert.equal(observed, { fingerprint: result.edges[0].fingerprint, firstAt: MORNING + 1, lastAt: MORNING + 5999 });
  const reader = await rights.person();
  expectRefused(await askSql(reader, shop, { statements }, '?async=true&dryRun=false'), 403);
});

test.run();
