import * as assert from 'node:assert/strict';
import { dialectOfService, findDialect } from '../../../src/lineage/sql/dialect.ts';
import { openSqlReader } from '../../../src/lineage/sql/reader.ts';
import { expectLineage, type Sample } from '../../support/sql.ts';
import { suite } from '../../support/suite.ts';

/** Shows how identifiers are read in each SQL dialect, and how dialects are found. */

const test = suite('lineage: SQL identifiers');
const reader = openSqlReader({ timeoutMs: 30_000 });
test.after(() => reader.close());

const cases = (name: string, samples: readonly Sample[]): void =>
  test(name, async () => {
    for (const sample of samples) await expectLineage(reader, sample);
  });

cases('names without quotes match in any case', [
  { sql: 'select A, T.B from T', lines: ['A <- T:a', 'B <- T:b'] },
  { dialect: 'snowflake', sql: 'with C as (select a as One from t) select ONE from c', lines: ['ONE <- t:a'] },
  { dialect: 'bigquery', sql: 'select `A` from `T`', lines: ['A <- T:a'] },
]);

cases('names in quotes match exactly where the dialect says so', [
  { sql: 'select "A" from t', unresolved: ['A: unknown column'] },
  { sql: 'select "One" from (select a as "One" from t) s', lines: ['One <- t:a'] },
  { sql: 'select One from (select a as "One" from t) s', unresolved: ['One: unknown column'] },
  { dialect: 'snowflake', sql: 'select "ONE" from (select a as one from t) s', lines: ['ONE <- t:a'] },
  { dialect: 'snowflake', sql: 'select "one" from (select a as one from t) s', unresolved: ['one: unknown column'] },
  { dialect: 'mssql', sql: 'select [A] from [t]', lines: ['A <- t:a'] },
  { dialect: 'mysql', sql: 'select `A` from t', lines: ['A <- t:a'] },
]);

cases('where case alone tells columns apart, the stored spelling counts', [
  { dialect: 'snowflake', sql: 'select id from mixed', lines: ['id <- mixed:ID'] },
  { dialect: 'snowflake', sql: 'select "Id" from mixed', lines: ['Id <- mixed:Id'] },
  { dialect: 'postgres', sql: 'select id from mixed', unresolved: ['id: ambiguous'] },
]);

cases('a column that may belong to several tables is not guessed', [
  { sql: 'select id from t, u', unresolved: ['id: ambiguous'] },
  { sql: 'select q from nowhere, t', unresolved: ['q: ambiguous'] },
  { sql: 'select a from nowhere, t', unresolved: ['a: ambiguous'] },
  { sql: 'select a from t one, t two', unresolved: ['a: ambiguous'] },
  { sql: 'select q from nowhere join (select a from t) s on true', lines: ['q <- nowhere:q'] },
  { sql: 'select q from nowhere', lines: ['q <- nowhere:q'] },
  { sql: 'select a, x from t, u', lines: ['a <- t:a', 'x <- u:x'] },
]);

cases('what exists nowhere is reported', [
  {
    sql: 'select nope, t.nope, w.a, a from t',
    lines: ['a <- t:a'],
    unresolved: ['nope: unknown column', 't.nope: unknown column', 'w.a: unknown table'],
  },
  { sql: 'select a', unresolved: ['a: unknown column'] },
]);

cases('an expression keeps what it could tell', [
  {
    sql: 'select coalesce(a, nope) as n from t',
    lines: ['n <- t:a {coalesce(a, nope)}'],
    unresolved: ['nope: unknown column'],
  },
]);

cases('tables are called by any end of their name, or by their alias alone', [
  {
    sql: 'select orders.amount, s.orders.order_id from s.orders',
    lines: ['amount <- s.orders:amount', 'order_id <- s.orders:order_id'],
  },
  { sql: 'select orders.amount from s.orders o', unresolved: ['orders.amount: unknown table'] },
]);

cases('earlier aliases count where the dialect knows them, behind the columns of tables', [
  {
    dialect: 'snowflake',
    sql: 'select a + 1 as m, m * 2 as n, b as a, a as o from t',
    lines: ['m <- t:a {a + 1}', 'n <- t:a {m * 2}', 'a <- t:b', 'o <- t:a'],
  },
  {
    dialect: 'postgres',
    sql: 'select a + 1 as m, m * 2 as n from t',
    lines: ['m <- t:a {a + 1}'],
    unresolved: ['m: unknown column'],
  },
  {
    dialect: 'snowflake',
    sql: 'select a + 1 as m, m * 2 as n from nowhere',
    lines: ['m <- nowhere:a {a + 1}'],
    unresolved: ['m: ambiguous'],
  },
]);

cases('an alias that takes the name of a column leaves the column to those who mean it', [
  {
    dialect: 'spark',
    sql: 'select coalesce(q, 0) as q, q + 1 as r from nowhere',
    lines: ['q <- nowhere:q {coalesce(q, 0)}', 'r <- nowhere:q {q + 1}'],
  },
  { dialect: 'clickhouse', sql: 'select b as a, a as o from t', lines: ['a <- t:b'], unresolved: ['a: ambiguous'] },
  {
    dialect: 'generic',
    sql: 'select q as r, r as s from nowhere',
    lines: ['r <- nowhere:q'],
    unresolved: ['r: ambiguous'],
  },
]);

test('a dialect is found by its name, its aliases and by types of services', () => {
  assert.equal(findDialect('PostgreSQL')?.name, 'postgres');
  assert.equal(findDialect('tsql')?.name, 'mssql');
  assert.equal(findDialect('cobol'), undefined);
  assert.equal(findDialect('constructor'), undefined);
  assert.equal(dialectOfService('UnityCatalog').name, 'databricks');
  assert.equal(dialectOfService('BigQuery').name, 'bigquery');
  assert.equal(dialectOfService('MongoDB').name, 'generic');
  assert.equal(dialectOfService(undefined).name, 'generic');
});

test.run();
