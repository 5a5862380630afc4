import * as assert from 'node:assert/strict';
import { openSqlReader } from '../../../src/lineage/sql/reader.ts';
import { expectLineage, requireDialect, type Sample } from '../../support/sql.ts';
import { suite } from '../../support/suite.ts';

/** Shows the column lineage of SQL statements that write tables, sample by sample. */

const test = suite('lineage: columns of SQL statements');
const reader = openSqlReader({ timeoutMs: 30_000 });
test.after(() => reader.close());

const cases = (name: string, samples: readonly Sample[]): void =>
  test(name, async () => {
    for (const sample of samples) await expectLineage(reader, sample);
  });

cases('an INSERT fills the columns it lists', [
  {
    sql: 'insert into tgt (r, P) select max(a), b || c from t group by 2',
    lines: ['tgt.r <- t:a {max(a)}', 'tgt.p <- t:b, t:c {b || c}'],
  },
  { sql: 'insert into other.place (m) select a from t', lines: ['other.place.m <- t:a'] },
  { sql: 'insert into tgt (p, q) select a from t', unresolved: ['tgt: column count'] },
  {
    sql: 'insert into tgt (p, q, r) select t.a, n.* from t, nowhere n',
    lines: ['tgt.p <- t:a'],
    unresolved: ['*: unknown columns'],
  },
  { sql: 'insert into tgt (p) with c as (select a from t) select a from c', lines: ['tgt.p <- t:a'] },
  {
    sql: 'insert into tgt (with c as (select a, b, c from t) select * from c)',
    lines: ['tgt.p <- t:a', 'tgt.q <- t:b', 'tgt.r <- t:c'],
  },
  { sql: 'with c as (select a from t) insert into tgt (p) select a from c', lines: ['tgt.p <- t:a'] },
]);

cases('an INSERT without a list goes by the places of the catalog', [
  { sql: 'insert into tgt select id, x, y from u', lines: ['tgt.p <- u:id', 'tgt.q <- u:x', 'tgt.r <- u:y'] },
  { sql: 'insert into tgt select * from u', lines: ['tgt.p <- u:id', 'tgt.q <- u:x', 'tgt.r <- u:y'] },
  { sql: 'insert into tgt select a, b from t', lines: ['tgt.p <- t:a', 'tgt.q <- t:b'] },
  { dialect: 'mysql', sql: 'insert into tgt select a, b from t', unresolved: ['tgt: column count'] },
  { sql: 'insert into nowhere select a from t', unresolved: ['nowhere: unknown columns'] },
  { sql: 'insert into nowhere values (1, 2)' },
  {
    dialect: 'hive',
    sql: "insert overwrite table tgt partition (r = 'x') select a, b from t",
    lines: ['tgt.p <- t:a', 'tgt.q <- t:b'],
  },
  {
    dialect: 'hive',
    sql: 'insert overwrite table tgt partition (p) select a, b, c from t',
    lines: ['tgt.q <- t:a', 'tgt.r <- t:b', 'tgt.p <- t:c'],
  },
]);

cases('an INSERT may assign, and call its table otherwise', [
  {
    dialect: 'mysql',
    sql: 'insert into tgt set p = (select max(a) from t), q = 1',
    lines: ['tgt.p <- t:a {(select max(a) from t)}'],
  },
  {
    sql: 'insert into tgt as g (p) select a from t on conflict (p) do update set q = g.q + excluded.p',
    lines: ['tgt.p <- t:a', 'tgt.q <- tgt:q, t:a {g.q + excluded.p}'],
  },
  { dialect: 'mysql', sql: 'insert into tgt values (1)' },
]);

cases('what an INSERT does with rows that are there already', [
  {
    sql: 'insert into tgt (p, q) select a, b from t on conflict (p) do update set q = excluded.q + tgt.q',
    lines: ['tgt.p <- t:a', 'tgt.q <- t:b', 'tgt.q <- t:b, tgt:q {excluded.q + tgt.q}'],
  },
  {
    dialect: 'mysql',
    sql: 'insert into tgt (p, q) select a, b from t on duplicate key update q = values(q), r = r + 1',
    lines: ['tgt.p <- t:a', 'tgt.q <- t:b', 'tgt.r <- tgt:r {r + 1}'],
  },
]);

cases('CREATE TABLE AS and CREATE VIEW name their columns', [
  { sql: 'create table k as select a, upper(b) as ub from t', lines: ['k.a <- t:a', 'k.ub <- t:b {upper(b)}'] },
  { sql: 'create or replace view w (one, two) as select a, x from t, u', lines: ['w.one <- t:a', 'w.two <- u:x'] },
  { sql: 'create view w (one) as select a, b from t', unresolved: ['w: column count'] },
  { sql: 'create materialized view w as select a from t with no data', lines: ['w.a <- t:a'] },
  {
    dialect: 'snowflake',
    sql: "create or replace view w (a comment 'x', b) copy grants as select x, y from u",
    lines: ['w.a <- u:x', 'w.b <- u:y'],
  },
  {
    dialect: 'spark',
    sql: "create table g.k using delta partitioned by (a) location 's3://x' as select a from t",
    lines: ['g.k.a <- t:a'],
  },
  {
    dialect: 'oracle',
    sql: 'create or replace force editionable view "S"."V" ("A") as select a from t',
    lines: ['S.V.A <- t:a'],
  },
  {
    dialect: 'mysql',
    sql: 'create algorithm=undefined definer=`root`@`%` sql security definer view `w` as select `t`.`a` AS `m` from `t`',
    lines: ['w.m <- t:a'],
  },
  { dialect: 'mysql', sql: 'create table k select a from t', lines: ['k.a <- t:a'] },
  { dialect: 'clickhouse', sql: 'create materialized view w to dst as select a as m from t', lines: ['dst.m <- t:a'] },
  {
    dialect: 'mssql',
    sql: 'select [a], total = b * c into k from t',
    lines: ['k.a <- t:a', 'k.total <- t:b, t:c {b * c}'],
  },
  { dialect: 'snowflake', sql: 'create table k clone v', lines: ['k.k <- v:k', 'k.z <- v:z'] },
  { sql: 'create table k (one int, two text)' },
]);

cases('an UPDATE sets columns of its table', [
  {
    sql: 'update tgt g set p = u.x, q = q + 1 from u where u.id = g.p',
    lines: ['tgt.p <- u:x', 'tgt.q <- tgt:q {q + 1}'],
  },
  { sql: 'update tgt set (p, q) = (select x, y from u)', lines: ['tgt.p <- u:x', 'tgt.q <- u:y'] },
  {
    dialect: 'mysql',
    sql: 'update tgt join u on u.id = tgt.p set tgt.p = u.x, u.y = ifnull(tgt.q, 0)',
    lines: ['tgt.p <- u:x', 'u.y <- tgt:q {ifnull(tgt.q, 0)}'],
  },
  {
    dialect: 'mssql',
    sql: 'update x set x.p = u.y, q = 1 from dbo.tgt x join u on u.id = x.p',
    lines: ['dbo.tgt.p <- u:y'],
  },
  { sql: 'with c as (select x from u) update tgt set p = c.x from c', lines: ['tgt.p <- u:x'] },
]);

cases('a MERGE writes what its clauses say', [
  {
    sql: `merge into tgt g using (select id, x as ex from u) s on g.p = s.id
      when matched and s.ex > 1 then update set q = g.q + s.ex
      when not matched then insert (p, q) values (s.id, coalesce(ex, 0))`,
    lines: ['tgt.q <- tgt:q, u:x {g.q + s.ex}', 'tgt.p <- u:id', 'tgt.q <- u:x {coalesce(ex, 0)}'],
  },
  {
    dialect: 'bigquery',
    sql: 'merge tgt g using u s on g.p = s.id when not matched then insert (p) values (id) when not matched by source then delete',
    lines: ['tgt.p <- u:id'],
  },
  {
    dialect: 'databricks',
    sql: 'merge into k using u on k.id = u.id when matched then update set * when not matched then insert *',
    lines: ['k.id <- u:id', 'k.x <- u:x', 'k.y <- u:y'],
  },
  {
    dialect: 'databricks',
    sql: 'merge into k using nowhere n on k.id = n.id when matched then update set *',
    unresolved: ['*: unknown columns'],
  },
  {
    dialect: 'bigquery',
    sql: 'merge tgt g using u s on g.p = s.id when not matched then insert row',
    lines: ['tgt.id <- u:id', 'tgt.x <- u:x', 'tgt.y <- u:y'],
  },
]);

cases('a WITH that writes does both', [
  {
    sql: 'with i as (insert into tgt (p) select a from t returning p) insert into v (k) select p from i',
    lines: ['tgt.p <- t:a', 'v.k <- tgt:p'],
  },
  {
    sql: 'with d as (delete from u returning *) insert into tgt select * from d',
    lines: ['tgt.p <- u:id', 'tgt.q <- u:x', 'tgt.r <- u:y'],
  },
]);

cases('statements follow each other, and temporary tables stand for what they are made of', [
  {
    sql: 'create temp table tmp as select a, b from t; insert into tgt (p) select a from tmp',
    lines: ['tgt.p <- t:a'],
  },
  {
    dialect: 'mssql',
    sql: 'select a into #tmp from t\nGO\ninsert into tgt (p) select a from #tmp',
    lines: ['tgt.p <- t:a'],
  },
  {
    sql: 'create table k as select x, y from u; insert into v select * from k',
    lines: ['k.x <- u:x', 'k.y <- u:y', 'v.k <- k:x', 'v.z <- k:y'],
  },
  {
    sql: 'create table k (one int, two int); insert into k select x, y from u',
    lines: ['k.one <- u:x', 'k.two <- u:y'],
  },
  {
    sql: "insert into tgt (p) select ';' || a from t -- ; no end\n; select x from u /* ; */",
    lines: ["tgt.p <- t:a {';' || a}", 'x <- u:x'],
  },
]);

cases('what is no lineage is not reported', [
  {
    sql: 'begin; set x = 1; delete from t where a = 1; drop table t; truncate u; grant select on t to public; commit;;',
  },
  { sql: '' },
  { sql: '-- nothing' },
]);

cases('what cannot be read is reported, and the rest is read', [
  {
    sql: 'select a from t; this is no sql; select x from u',
    lines: ['a <- t:a', 'x <- u:x'],
    unresolved: ['this is no sql: syntax'],
  },
  {
    sql: "select {{ col }} from t; select a from t -- {{ x }}\n where b = '{{ y }}'",
    lines: ['a <- t:a'],
    unresolved: ['select {{ col }} from t: template'],
  },
  {
    sql: "insert into tgt (p) select a from {{ ref('t') }}",
    unresolved: ["insert into tgt (p) select a from {{ ref('t') }}: template"],
  },
  { sql: `select a from ${'$'}{schema}.t`, unresolved: [`select a from ${'$'}{schema}.t: template`] },
  {
    sql: 'select a from t; create procedure p (v int) begin insert into tgt (p) select v from nowhere; end; select x from u',
    dialect: 'bigquery',
    lines: ['a <- t:a'],
    unresolved: ['create procedure p (v int) begin insert into tgt (p) select v from nowhere: unsupported'],
  },
  { sql: 'call refresh()', unresolved: ['Call: unsupported'] },
]);

test('tables have the names that the text uses', async () => {
  const sql =
    'insert into Db.tgt select * from "S".orders o join (select x from u) s on true where o.k in (select k from v)';
  assert.deepEqual(await reader.tablesOf(sql, requireDialect('postgres')), [['Db', 'tgt'], ['S', 'orders'], ['u']]);
  assert.deepEqual(await reader.tablesOf('with c as (select 1) select * from c', requireDialect('postgres')), []);
  assert.deepEqual(await reader.tablesOf('select a from `p.d.t`', requireDialect('bigquery')), [['p', 'd', 't']]);
});

test.run();
