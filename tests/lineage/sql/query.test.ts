import { openSqlReader } from '../../../src/lineage/sql/reader.ts';
import { expectLineage, type Sample } from '../../support/sql.ts';
import { suite } from '../../support/suite.ts';

/** Shows the column lineage of SQL queries, sample by sample. */

const test = suite('lineage: columns of SQL queries');
const reader = openSqlReader({ timeoutMs: 30_000 });
test.after(() => reader.close());

const cases = (name: string, samples: readonly Sample[]): void =>
  test(name, async () => {
    for (const sample of samples) await expectLineage(reader, sample);
  });

cases('a plain column is named and an alias renames it', [
  { sql: 'select a, b as bee, t.c from t', lines: ['a <- t:a', 'bee <- t:b', 'c <- t:c'] },
  { sql: 'select a from t as one', lines: ['a <- t:a'] },
]);

cases('an expression names all its columns and keeps its text', [
  { sql: 'select a  +  b /* both */ as s from t', lines: ['s <- t:a, t:b {a + b}'] },
  {
    sql: 'select distinct coalesce(a, b, 0) as c1, a from t',
    lines: ['c1 <- t:a, t:b {coalesce(a, b, 0)}', 'a <- t:a'],
  },
  {
    sql: 'select case when a = 1 then b else c end as k from t',
    lines: ['k <- t:a, t:b, t:c {case when a = 1 then b else c end}'],
  },
  { sql: 'select distinct on (a) a, b::int as n from t', lines: ['a <- t:a', 'n <- t:b {b::int}'] },
  {
    sql: "select extract(year from a) y, interval '1 day' * b as i from t",
    lines: ['y <- t:a {extract(year from a)}', "i <- t:b {interval '1 day' * b}"],
  },
  { sql: 'select a is distinct from b as d, b from t', lines: ['d <- t:a, t:b {a is distinct from b}', 'b <- t:b'] },
  { sql: 'select max(a) filter (where b > 0) as m from t', lines: ['m <- t:a, t:b {max(a) filter (where b > 0)}'] },
]);

cases('a table is the same one with and without what inherits from it', [
  { sql: 'select a from only t', lines: ['a <- t:a'] },
  { sql: 'select x.a  +  x.b as s from ONLY (t) as x', lines: ['s <- t:a, t:b {x.a + x.b}'] },
  {
    sql: 'select t.a, u.x, v.z from only t join only u on t.id = u.id, only v fetch first 3 rows only',
    lines: ['a <- t:a', 'x <- u:x', 'z <- v:z'],
  },
  { sql: 'update only tgt set p = u.x from only u', lines: ['tgt.p <- u:x'] },
  { sql: 'select a from "only" as t', lines: ['a <- only:a'] },
  { sql: 'select "only".a as only from "only"', lines: ['only <- only:a'] },
  { dialect: 'mysql', sql: 'select t.a from only t', lines: ['a <- only:a'] },
]);

cases('literals, counts of rows and pure calls come from nothing', [
  { sql: "select 1 as one, 'x' as x, null as n, now() as at, count(*) as rows from t" },
  { sql: 'select 1' },
]);

cases('conditions and joins are no lineage', [
  {
    sql: 'select t.a from t join u on t.id = u.id where u.x > 1 group by t.a having max(u.y) > 1 order by u.x',
    lines: ['a <- t:a'],
  },
  {
    sql: 'select case when exists (select 1 from v where k = 1) then a end as e from t',
    lines: ['e <- t:a {case when exists (select 1 from v where k = 1) then a end}'],
  },
]);

cases('windows belong to their function, also by name', [
  {
    sql: 'select row_number() over (partition by a order by b) as n from t',
    lines: ['n <- t:a, t:b {row_number() over (partition by a order by b)}'],
  },
  {
    sql: 'select sum(a) over w as s from t window w as (partition by b order by c)',
    lines: ['s <- t:a, t:b, t:c {sum(a) over w}'],
  },
]);

cases('a star is all columns that the catalog knows', [
  { sql: 'select * from u', lines: ['id <- u:id', 'x <- u:x', 'y <- u:y'] },
  { sql: 'select v.*, u.x from u, v', lines: ['k <- v:k', 'z <- v:z', 'x <- u:x'] },
  { sql: 'select * from nowhere', unresolved: ['*: unknown columns'] },
  { sql: 'select n.*, u.x from u, nowhere n', lines: ['x <- u:x'], unresolved: ['*: unknown columns'] },
  { sql: 'select w.* from u', unresolved: ['w.*: unknown table'] },
  {
    dialect: 'bigquery',
    sql: 'select * except (x) replace (upper(y) as y) from u',
    lines: ['id <- u:id', 'y <- u:y {upper(y)}'],
  },
  { dialect: 'snowflake', sql: 'select * exclude (id) rename (x as ex) from u', lines: ['ex <- u:x', 'y <- u:y'] },
  {
    dialect: 'bigquery',
    sql: 'select * replace (upper(n) as n) from nowhere',
    lines: ['n <- nowhere:n {upper(n)}'],
    unresolved: ['*: unknown columns'],
  },
]);

cases('texts of several items are told apart', [
  {
    sql: 'select case when (select count(*) from u) > 1 then a end as m, case b when 1 then case when c then 2 end else 3 end n from t',
    lines: [
      'm <- t:a {case when (select count(*) from u) > 1 then a end}',
      'n <- t:b, t:c {case b when 1 then case when c then 2 end else 3 end}',
    ],
  },
]);

cases('texts are found behind a star that leaves columns out', [
  {
    dialect: 'clickhouse',
    sql: 'select * except (a), sumIf(b, c = 1) as s from t',
    lines: ['id <- t:id', 'b <- t:b', 'c <- t:c', 'addr <- t:addr', 's <- t:b, t:c {sumIf(b, c = 1)}'],
  },
  {
    sql: 'select a + start as s, format || b as f from (select a, b, id as start, c as format from t) q',
    lines: ['s <- t:a, t:id {a + start}', 'f <- t:c, t:b {format || b}'],
  },
  {
    dialect: 'mssql',
    sql: 'select top 5 percent with ties a + 1 as z, b from t',
    lines: ['z <- t:a {a + 1}', 'b <- t:b'],
  },
]);

cases('columns that a join makes one come once and first', [
  {
    sql: 'select * from t join u using (id)',
    lines: ['id <- t:id', 'a <- t:a', 'b <- t:b', 'c <- t:c', 'addr <- t:addr', 'x <- u:x', 'y <- u:y'],
  },
  { sql: 'select id, x from t right join u using (id)', lines: ['id <- u:id', 'x <- u:x'] },
  { sql: 'select id from t full join u using (id)', lines: ['id <- t:id, u:id'] },
  { sql: 'select id, y from t natural join u', lines: ['id <- t:id', 'y <- u:y'] },
  { sql: 'select * from u natural join nowhere', unresolved: ['*: unknown columns'] },
  { dialect: 'spark', sql: 'select * from v left semi join u on v.k = u.id', lines: ['k <- v:k', 'z <- v:z'] },
]);

cases('queries in FROM hand their columns on', [
  { sql: 'select m, s.n from (select a, upper(b) from t) s (m, n)', lines: ['m <- t:a', 'n <- t:b {upper(b)}'] },
  {
    sql: 'select s.x, s.rn from (select *, row_number() over (order by q) rn from nowhere) s',
    lines: ['x <- nowhere:x', 'rn <- nowhere:q {row_number() over (order by q)}'],
  },
  { sql: 'select * from (values (1, 2)) s (m, n)' },
  { sql: 'select s.x from u, lateral (select u.x from v) s', lines: ['x <- u:x'] },
  {
    dialect: 'mssql',
    sql: 'select s.best from u cross apply (select top 1 z + u.x as best from v where k = u.id) s',
    lines: ['best <- v:z, u:x {z + u.x}'],
  },
]);

cases('queries as values come from what they select, not from what they filter by', [
  {
    sql: 'select (select max(y) from u where u.id = t.id) as m from t',
    lines: ['m <- u:y {(select max(y) from u where u.id = t.id)}'],
  },
  { sql: 'select (select x + t.b from u) as n from t', lines: ['n <- u:x, t:b {(select x + t.b from u)}'] },
  { sql: 'select (select b from u) as n from t', lines: ['n <- t:b {(select b from u)}'] },
  { sql: 'select (select b from nowhere) as n from t', unresolved: ['b: ambiguous'] },
]);

cases('WITH names queries, in their own scope', [
  {
    sql: 'with x as (select a, id from t), y as (select x.*, u.x as ux from x join u on u.id = x.id) select * from y',
    lines: ['a <- t:a', 'id <- t:id', 'ux <- u:x'],
  },
  { sql: 'with t as (select a as q from t) select * from t', lines: ['q <- t:a'] },
  {
    sql: 'with a as (with b as (select a from t) select * from b), b as (select x from u) select a.a, b.x from a, b',
    lines: ['a <- t:a', 'x <- u:x'],
  },
  { sql: 'with c (m, n) as (select a, b from t) select n, m from c', lines: ['n <- t:b', 'm <- t:a'] },
  { sql: 'with c as (select wrong from t) select a from t', lines: ['a <- t:a'] },
]);

cases('a query that refers to itself ends', [
  {
    sql: 'with recursive r (n, s) as (select id, a from t union all select r.s, r.n from r) select * from r',
    lines: ['n <- t:id, t:a', 's <- t:a, t:id'],
  },
  {
    dialect: 'mssql',
    sql: 'with c as (select id, a from t union all select t.id, c.a from t join c on c.id = t.id) select * from c',
    lines: ['id <- t:id', 'a <- t:a'],
  },
  { sql: 'with recursive r as (select * from r) select * from r', unresolved: ['*: unknown columns'] },
]);

cases('unions go by place, and what is taken away hands on nothing', [
  {
    sql: 'select a, b as n from t union all select x, y from u union select k, z from v',
    lines: ['a <- t:a, u:x, v:k', 'n <- t:b, u:y, v:z'],
  },
  { sql: 'select a from t union select upper(x) from u', lines: ['a <- t:a', 'a <- u:x {upper(x)}'] },
  { sql: 'select a from t except select x from u', lines: ['a <- t:a'] },
  { sql: 'select a from t intersect select x from u', lines: ['a <- t:a, u:x'] },
  { sql: 'select a from t union select x, y from u', unresolved: ['UNION: column count'] },
  { sql: 'select * from one union all select * from two', unresolved: ['*: unknown columns'] },
  {
    dialect: 'duckdb',
    sql: 'select a, b from t union by name select y as b, x from u',
    lines: ['a <- t:a', 'b <- t:b, u:y', 'x <- u:x'],
  },
]);

cases('fields are columns of their own where the catalog knows them', [
  {
    sql: 'select t.addr.city, (addr).zip, (t.addr).nope from t',
    lines: ['city <- t:addr/city', 'zip <- t:addr/zip', 'nope <- t:addr {t.addr.nope}'],
  },
  {
    dialect: 'snowflake',
    sql: 'select payload:a.b::int as n from nowhere',
    lines: ['n <- nowhere:payload {payload:a.b::int}'],
  },
]);

cases('elements of columns come from the columns', [
  {
    dialect: 'bigquery',
    sql: 'select item.sku, qty, order_id, pos from s.orders, unnest(items) as item with offset as pos',
    lines: [
      'sku <- s.orders:items/sku {unnest(items)}',
      'qty <- s.orders:items/qty {unnest(items)}',
      'order_id <- s.orders:order_id',
    ],
  },
  {
    dialect: 'trino',
    sql: 'select e, n from t cross join unnest(t.a) with ordinality as w (e, n)',
    lines: ['e <- t:a {unnest(t.a)}'],
  },
  {
    sql: 'select f.one from t, jsonb_to_recordset(t.a) as f (one int, two text)',
    lines: ['one <- t:a {jsonb_to_recordset(t.a)}'],
  },
  {
    dialect: 'hive',
    sql: 'select item, pos, val from t lateral view explode(a) e as item lateral view posexplode(b) p as pos, val',
    lines: ['item <- t:a {explode(a)}', 'val <- t:b {posexplode(b)}'],
  },
  {
    dialect: 'snowflake',
    sql: 'select f.value:id::int as id from raw.events e, lateral flatten(input => e.payload:items) f',
    lines: ['id <- raw.events:payload {f.value:id::int}'],
  },
  { dialect: 'redshift', sql: 'select i.sku from s.orders o, o.items i', lines: ['sku <- s.orders:items {o.items}'] },
  {
    dialect: 'clickhouse',
    sql: 'select it, amount from s.orders array join items as it',
    lines: ['it <- s.orders:items {ARRAY JOIN items}', 'amount <- s.orders:amount'],
  },
]);

cases('whole rows come from all their columns', [
  { sql: 'select row_to_json(u) as j from u', lines: ['j <- u:id, u:x, u:y {row_to_json(u)}'] },
  { sql: 'select to_jsonb(u.*) as j from u', unresolved: ['to_jsonb(*): unsupported'] },
  { sql: 'select row_to_json(n) as j from nowhere n', unresolved: ['n: unknown columns'] },
]);

cases('what looks like a column and is none is left out', [
  {
    dialect: 'snowflake',
    sql: 'select dateadd(day, 1, a) as d, date_trunc(month, c) as m from t',
    lines: ['d <- t:a {dateadd(day, 1, a)}', 'm <- t:c {date_trunc(month, c)}'],
  },
  {
    dialect: 'bigquery',
    sql: 'select date_trunc(a, week(monday)) as d, date_diff(a, b, day) as e, "lit" as l from t',
    lines: ['d <- t:a {date_trunc(a, week(monday))}', 'e <- t:a, t:b {date_diff(a, b, day)}'],
  },
  { dialect: 'hive', sql: 'select "lit" as l, concat("x", a) as m from t', lines: ['m <- t:a {concat("x", a)}'] },
  {
    dialect: 'trino',
    sql: 'select transform(a, x -> x + 1) as l from nowhere',
    lines: ['l <- nowhere:a {transform(a, x -> x + 1)}'],
  },
  {
    dialect: 'databricks',
    sql: 'select filter(a, (x, i) -> x > b) as l from t',
    lines: ['l <- t:a, t:b {filter(a, (x, i) -> x > b)}'],
  },
  { dialect: 'oracle', sql: 'select sysdate as s, rownum as n, a from nowhere', lines: ['a <- nowhere:a'] },
  { dialect: 'mssql', sql: 'select @v as v, a from nowhere', lines: ['a <- nowhere:a'] },
  {
    dialect: 'bigquery',
    sql: 'declare lim int64 default 1; select lim as l, a from nowhere',
    lines: ['a <- nowhere:a'],
  },
]);

cases('columns without a name are reported, unless the dialect or the target names them', [
  { dialect: 'snowflake', sql: 'select a, upper(b) from t', lines: ['a <- t:a'], unresolved: ['upper(b): no name'] },
  { sql: 'select upper(b), c::int from t', lines: ['upper <- t:b {upper(b)}', 'c <- t:c {c::int}'] },
  {
    dialect: 'snowflake',
    sql: 'select a, upper(b), 1 from t',
    wanted: ['A', 'BIG', 'ONE'],
    lines: ['A <- t:a', 'BIG <- t:b {upper(b)}'],
  },
  {
    dialect: 'snowflake',
    sql: 'select a, upper(b) from t',
    wanted: ['BIG', 'A'],
    lines: ['A <- t:a'],
    unresolved: ['upper(b): no name'],
  },
]);

cases('what is not read is reported', [
  { dialect: 'snowflake', sql: "select p.* from t pivot (sum(a) for b in ('x')) as p", unresolved: ['*: unsupported'] },
  { dialect: 'bigquery', sql: 'from t |> where a > 0 |> select a', unresolved: ['*: unsupported'] },
  { dialect: 'duckdb', sql: "select columns('a.*') from t", unresolved: ['COLUMNS: unsupported'] },
  { dialect: 'snowflake', sql: 'select $1 as one from @stage', unresolved: ['$1: unsupported'] },
]);

test.run();
