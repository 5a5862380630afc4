import * as assert from 'node:assert/strict';
import { openSqlReader } from '../../../src/lineage/sql/reader.ts';
import type { SessionReading } from '../../../src/lineage/sql/session-statement.ts';
import type { ColumnName } from '../../../src/lineage/sql/sql-column.ts';
import type { SessionTemporary } from '../../../src/lineage/sql/temporary-table.ts';
import { requireDialect } from '../../support/sql.ts';
import { suite } from '../../support/suite.ts';

const test = suite('lineage: statements of a session');
const reader = openSqlReader({ timeoutMs: 30_000 });
test.after(() => reader.close());

const columns = (...names: readonly string[]): readonly ColumnName[] => names.map((name) => [name]);

const TABLES: readonly (readonly [readonly string[], readonly ColumnName[]])[] = [
  [['t'], columns('id', 'a', 'b')],
  [['u'], columns('id', 'x')],
  [['tgt'], columns('p', 'q')],
];

/** Reads statements one after the other, each with the temporary tables of those before. */
const readSession = async (statements: readonly string[], dialect = 'postgres'): Promise<SessionReading[]> => {
  const temporaries = new Map<string, SessionTemporary>();
  const readings: SessionReading[] = [];
  for (const sql of statements) {
    const reading = await reader.sessionStatementOf(sql, requireDialect(dialect), TABLES, [...temporaries.values()]);
    for (const one of reading.temporaries) temporaries.set(JSON.stringify(one.name.map(({ text }) => text)), one);
    readings.push(reading);
  }
  return readings;
};

const linesOf = ({ mappings }: SessionReading): readonly string[] =>
  mappings.map(
    ({ target = [], toColumn, fromColumns, function: made }) =>
      `${target.join('.')}.${toColumn} <- ${fromColumns.map(({ table, column }) => [...table, ...column].join('.')).join(', ')}${made === undefined ? '' : ` {${made}}`}`,
  );

const lastOf = async (statements: readonly string[], dialect?: string): Promise<SessionReading> => {
  const reading = (await readSession(statements, dialect)).at(-1);
  assert.ok(reading);
  return reading;
};

test('a temporary table is seen through, with its columns', async () => {
  const reading = await lastOf([
    'create temp table s as select id, a + b as c from t',
    'insert into tgt (p, q) select s.id, s.c from s',
  ]);
  assert.deepEqual(linesOf(reading), ['tgt.p <- t.id', 'tgt.q <- t.a, t.b {a + b}']);
  assert.deepEqual(reading.reads, [['t']]);
  assert.deepEqual(reading.writes, [{ table: ['tgt'], isView: false }]);
  assert.deepEqual(reading.unresolved, []);
});

test('temporary tables of temporary tables are seen through, and * of them', async () => {
  const reading = await lastOf([
    'create temp table s as select * from t',
    'create temp table r as select s.id, u.x from s join u on u.id = s.id',
    'insert into tgt select * from r',
  ]);
  assert.deepEqual(linesOf(reading), ['tgt.p <- t.id', 'tgt.q <- u.x']);
  assert.deepEqual(reading.reads, [['t'], ['u']]);
});

test('what fills a temporary table counts where it is read', async () => {
  const reading = await lastOf([
    'create temporary table s (k int, v int)',
    'insert into s select id, a from t',
    'insert into s (k) select id from u',
    'update s set v = u.x from u where u.id = s.k',
    'insert into tgt select k, v from s',
  ]);
  assert.deepEqual(linesOf(reading), ['tgt.p <- t.id, u.id', 'tgt.q <- t.a, u.x']);
  assert.deepEqual(reading.reads, [['t'], ['u']]);
});

test('temporary tables exist in several dialects', async () => {
  const insert = 'insert into tgt select id, a from #s';
  assert.deepEqual(linesOf(await lastOf(['select id, a into #s from t', insert], 'mssql')), [
    'tgt.p <- t.id',
    'tgt.q <- t.a',
  ]);
  const variable = ['declare @s table (id int, a int)', 'insert into @s select id, a from t'];
  assert.deepEqual(linesOf(await lastOf([...variable, 'insert into tgt select id, a from @s'], 'mssql')), [
    'tgt.p <- t.id',
    'tgt.q <- t.a',
  ]);
  const like = ['create temporary table s like t', 'insert into s select id, x, x from u'];
  assert.deepEqual(linesOf(await lastOf([...like, 'insert into tgt select id, b from s'], 'mysql')), [
    'tgt.p <- u.id',
    'tgt.q <- u.x',
  ]);
  const view = 'create temporary view s as select id, a from t';
  assert.deepEqual(linesOf(await lastOf([view, 'insert into tgt select id, a from s'], 'spark')), [
    'tgt.p <- t.id',
    'tgt.q <- t.a',
  ]);
  const cache = 'cache table s as select id, a from t';
  assert.deepEqual(linesOf(await lastOf([cache, 'insert into tgt select id, a from s'], 'spark')), [
    'tgt.p <- t.id',
    'tgt.q <- t.a',
  ]);
  const volatile = 'create volatile table s as (select id, a from t) with data on commit preserve rows';
  assert.deepEqual(linesOf(await lastOf([volatile, 'insert into tgt select id, a from s'], 'teradata')), [
    'tgt.p <- t.id',
    'tgt.q <- t.a',
  ]);
});

test('a temporary table hides a lasting one of the same name', async () => {
  const reading = await lastOf([
    'create temp table u as select id, a as x from t',
    'insert into tgt select id, x from u',
  ]);
  assert.deepEqual(linesOf(reading), ['tgt.p <- t.id', 'tgt.q <- t.a']);
  assert.deepEqual(reading.reads, [['t']]);
});

test('tables in conditions are read, common table expressions are not tables', async () => {
  const reading = await lastOf([
    'with u as (select * from u), c as (select id from u) insert into tgt (p) select a from t where id in (select id from c) and exists (select 1 from s.v)',
  ]);
  assert.deepEqual(reading.reads, [['u'], ['t'], ['s', 'v']]);
  assert.deepEqual(linesOf(reading), ['tgt.p <- t.a']);
});

test('names of statements are found without columns', async () => {
  const names = (sql: string, dialect = 'postgres') => reader.namesOf(sql, requireDialect(dialect));
  assert.deepEqual(await names('select a from t where b in (select x from u)'), {
    effect: 'query',
    tables: [['t'], ['u']],
    makesTemporary: false,
    dropped: [],
  });
  assert.equal((await names('explain insert into tgt select id, a from t')).effect, 'none');
  assert.equal((await names('delete from t using u where t.id = u.id')).effect, 'none');
  assert.deepEqual((await names('drop table if exists s, v')).dropped, [['s'], ['v']]);
  assert.deepEqual((await names('update x set a = 1 from dbo.t x', 'mssql')).tables, [['dbo', 't']]);
  assert.deepEqual((await names('select e from p.d.t x, x.items e', 'bigquery')).tables, [['p', 'd', 't']]);
  assert.equal((await names('selec a from t')).failure, 'syntax');
  assert.equal((await names('select a from {{ ref("t") }}')).failure, 'template');
  assert.equal((await names(`select ${'a,'.repeat(100_001)} b from t`)).failure, 'too long');
  assert.equal((await names('create temp table s (a int)')).makesTemporary, true);
  assert.equal((await names('select a into #s from t', 'mssql')).makesTemporary, true);
});

test('a clone reads its table, and a table made like another does not', async () => {
  const names = (sql: string, dialect: string) => reader.namesOf(sql, requireDialect(dialect));
  assert.deepEqual((await names('create temporary table s like t', 'mysql')).tables, [['t']]);
  const [made] = await readSession(['create temporary table s like t'], 'mysql');
  assert.deepEqual(
    made?.temporaries.map(({ sources }) => sources),
    [[]],
  );
  const clone = await lastOf(['create table u clone t'], 'snowflake');
  assert.deepEqual([clone.reads, clone.writes], [[['t']], [{ table: ['u'], isView: false }]]);
});

test('a view is written as a view', async () => {
  const reading = await lastOf(['create or replace view tgt as select id p, a q from t']);
  assert.deepEqual(reading.writes, [{ table: ['tgt'], isView: true }]);
  assert.deepEqual(linesOf(reading), ['tgt.p <- t.id', 'tgt.q <- t.a']);
});

test.run();
