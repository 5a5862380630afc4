/**
 * Scripts in several dialects with the lineage that they have, written down by hand. Some are beyond what is understood;
 * they are here so that the measure is honest.
 */

/** The tables of the corpus: those of a wholesale supplier, and the tables that reports are made into. */
export const CORPUS_TABLES: Readonly<Record<string, string>> = {
  region: 'r_regionkey r_name',
  nation: 'n_nationkey n_name n_regionkey',
  supplier: 's_suppkey s_name s_nationkey s_acctbal',
  part: 'p_partkey p_name p_brand p_type p_size',
  partsupp: 'ps_partkey ps_suppkey ps_availqty ps_supplycost',
  customer: 'c_custkey c_name c_nationkey c_phone c_acctbal c_mktsegment',
  orders: 'o_orderkey o_custkey o_orderstatus o_totalprice o_orderdate o_orderpriority',
  lineitem:
    'l_orderkey l_partkey l_suppkey l_linenumber l_quantity l_extendedprice l_discount l_tax l_returnflag l_linestatus l_shipdate l_commitdate l_receiptdate l_shipmode',
  pricing: 'flag status qty base discounted orders',
  priority: 'orderkey revenue orderdate',
  local_supplier: 'nation revenue',
  share: 'year share',
  top_supplier: 'suppkey name revenue',
  customer_dim: 'id name nation region segment',
  customer_copy: 'c_custkey c_name c_nationkey c_phone c_acctbal c_mktsegment',
  order_fact: 'orderkey customer amount lines day',
  stock: 'part available cost',
  names: 'name kind',
  counts: 'name total',
};

export type CorpusScript = {
  readonly name: string;
  readonly dialect: string;
  readonly sql: string;
  /** `from -> to: column>column …`; without columns where only rows depend on the table. */
  readonly edges: readonly string[];
};

const REVENUE = 'sum(l_extendedprice * (1 - l_discount))';

const QUERIES_OF_REPORTS: readonly CorpusScript[] = [
  {
    name: 'pricing summary',
    dialect: 'postgres',
    sql: `create table pricing as select l_returnflag as flag, l_linestatus as status, sum(l_quantity) as qty,
      sum(l_extendedprice) as base, ${REVENUE} as discounted, count(*) as orders from lineitem
      where l_shipdate <= date '1998-12-01' - interval '90' day group by l_returnflag, l_linestatus`,
    edges: [
      'lineitem -> pricing: l_returnflag>flag l_linestatus>status l_quantity>qty l_extendedprice>base l_extendedprice>discounted l_discount>discounted',
    ],
  },
  {
    name: 'shipping priority',
    dialect: 'snowflake',
    sql: `INSERT INTO PRIORITY SELECT L_ORDERKEY, ${REVENUE.toUpperCase()}, O_ORDERDATE FROM CUSTOMER, ORDERS, LINEITEM
      WHERE C_MKTSEGMENT = 'BUILDING' AND C_CUSTKEY = O_CUSTKEY AND L_ORDERKEY = O_ORDERKEY GROUP BY 1, 3`,
    edges: [
      'lineitem -> priority: l_orderkey>orderkey l_extendedprice>revenue l_discount>revenue',
      'orders -> priority: o_orderdate>orderdate',
      'customer -> priority',
    ],
  },
  {
    name: 'order priority checking',
    dialect: 'trino',
    sql: `insert into counts select o_orderpriority, count(*) from orders
      where exists (select * from lineitem where l_orderkey = o_orderkey and l_commitdate < l_receiptdate) group by 1`,
    edges: ['orders -> counts: o_orderpriority>name', 'lineitem -> counts'],
  },
  {
    name: 'local supplier volume',
    dialect: 'spark',
    sql: `insert overwrite table local_supplier select n_name, ${REVENUE} from customer join orders on c_custkey = o_custkey
      join lineitem on l_orderkey = o_orderkey join supplier on l_suppkey = s_suppkey and c_nationkey = s_nationkey
      join nation on s_nationkey = n_nationkey join region on n_regionkey = r_regionkey where r_name = 'ASIA' group by n_name`,
    edges: [
      'nation -> local_supplier: n_name>nation',
      'lineitem -> local_supplier: l_extendedprice>revenue l_discount>revenue',
      'customer -> local_supplier',
      'orders -> local_supplier',
      'supplier -> local_supplier',
      'region -> local_supplier',
    ],
  },
  {
    name: 'market share by a subquery',
    dialect: 'postgres',
    sql: `insert into share (year, share) select o_year, sum(case when nation = 'BRAZIL' then volume else 0 end) / sum(volume)
      from (select extract(year from o_orderdate) as o_year, l_extendedprice * (1 - l_discount) as volume, n2.n_name as nation
        from lineitem, orders, supplier, nation n2 where o_orderkey = l_orderkey and s_suppkey = l_suppkey
        and s_nationkey = n2.n_nationkey) as all_nations group by o_year`,
    edges: [
      'orders -> share: o_orderdate>year',
      'lineitem -> share: l_extendedprice>share l_discount>share',
      'nation -> share: n_name>share',
      'supplier -> share',
    ],
  },
  {
    name: 'important stock',
    dialect: 'redshift',
    sql: `insert into stock (part, cost) select ps_partkey, sum(ps_supplycost * ps_availqty) from partsupp, supplier
      where ps_suppkey = s_suppkey group by ps_partkey having sum(ps_supplycost * ps_availqty) >
      (select sum(ps_supplycost) * 0.0001 from partsupp, nation where n_name = 'GERMANY')`,
    edges: [
      'partsupp -> stock: ps_partkey>part ps_supplycost>cost ps_availqty>cost',
      'supplier -> stock',
      'nation -> stock',
    ],
  },
  {
    name: 'top supplier by a temporary view',
    dialect: 'spark',
    sql: `create or replace temporary view revenue0 as select l_suppkey as supplier_no, ${REVENUE} as total_revenue
      from lineitem where l_shipdate >= date '1996-01-01' group by l_suppkey;
      insert into top_supplier select s_suppkey, s_name, total_revenue from supplier, revenue0
      where s_suppkey = supplier_no and total_revenue = (select max(total_revenue) from revenue0);
      drop view revenue0`,
    edges: [
      'supplier -> top_supplier: s_suppkey>suppkey s_name>name',
      'lineitem -> top_supplier: l_extendedprice>revenue l_discount>revenue',
    ],
  },
  {
    name: 'large volume customers',
    dialect: 'oracle',
    sql: `INSERT INTO order_fact (orderkey, customer, amount, day) SELECT o_orderkey, c_name, o_totalprice, o_orderdate
      FROM customer, orders WHERE c_custkey = o_custkey(+) AND o_orderkey IN
      (SELECT l_orderkey FROM lineitem GROUP BY l_orderkey HAVING SUM(l_quantity) > 300)`,
    edges: [
      'orders -> order_fact: o_orderkey>orderkey o_totalprice>amount o_orderdate>day',
      'customer -> order_fact: c_name>customer',
      'lineitem -> order_fact',
    ],
  },
  {
    name: 'global sales opportunity by nested queries',
    dialect: 'duckdb',
    sql: `insert into counts select cntrycode, sum(c_acctbal) from (select substring(c_phone, 1, 2) as cntrycode, c_acctbal
      from customer where c_acctbal > (select avg(c_acctbal) from customer) and not exists
      (select * from orders where o_custkey = c_custkey)) as custsale group by cntrycode`,
    edges: ['customer -> counts: c_phone>name c_acctbal>total', 'orders -> counts'],
  },
];

const TEMPORARY_TABLES: readonly CorpusScript[] = [
  {
    name: 'three steps of temporary tables',
    dialect: 'postgres',
    sql: `create temp table open_orders as select * from orders where o_orderstatus = 'O';
      create temp table order_lines as select o.o_orderkey, o.o_custkey, count(l.l_linenumber) as n, max(o.o_totalprice) as price
        from open_orders o join lineitem l on l.l_orderkey = o.o_orderkey group by 1, 2;
      insert into order_fact (orderkey, customer, amount, lines)
        select t.o_orderkey, c.c_name, t.price, t.n from order_lines t left join customer c on c.c_custkey = t.o_custkey;`,
    edges: [
      'orders -> order_fact: o_orderkey>orderkey o_totalprice>amount',
      'lineitem -> order_fact: l_linenumber>lines',
      'customer -> order_fact: c_name>customer',
    ],
  },
  {
    name: 'a temporary table of SQL Server, filled twice',
    dialect: 'mssql',
    sql: `CREATE TABLE #who ([name] nvarchar(50), [kind] nvarchar(20));
      INSERT INTO #who SELECT c_name, 'customer' FROM [customer];
      INSERT INTO #who ([name]) SELECT s_name FROM supplier;
      INSERT INTO names ([name], [kind]) SELECT w.[name], w.[kind] FROM #who AS w;
      DROP TABLE #who;`,
    edges: ['customer -> names: c_name>name', 'supplier -> names: s_name>name'],
  },
  {
    name: 'SELECT INTO a temporary table',
    dialect: 'mssql',
    sql: `SELECT s_suppkey AS k, s_name AS n INTO #s FROM supplier
GO
INSERT INTO top_supplier (suppkey, name) SELECT k, n FROM #s
GO`,
    edges: ['supplier -> top_supplier: s_suppkey>suppkey s_name>name'],
  },
  {
    name: 'a table variable',
    dialect: 'mssql',
    sql: `DECLARE @r TABLE (id int, name nvarchar(20));
      INSERT INTO @r SELECT r_regionkey, r_name FROM region;
      INSERT INTO counts (name) SELECT name FROM @r;`,
    edges: ['region -> counts: r_name>name'],
  },
  {
    name: 'a volatile table of Teradata',
    dialect: 'teradata',
    sql: `CREATE VOLATILE TABLE vt AS (SELECT ps_partkey, SUM(ps_availqty) AS q FROM partsupp GROUP BY 1) WITH DATA
      PRIMARY INDEX (ps_partkey) ON COMMIT PRESERVE ROWS;
      INSERT INTO stock (part, available) SELECT p_name, q FROM vt JOIN part ON p_partkey = ps_partkey;`,
    edges: ['partsupp -> stock: ps_availqty>available', 'part -> stock: p_name>part'],
  },
  {
    name: 'a temporary table made like another',
    dialect: 'mysql',
    sql: `CREATE TEMPORARY TABLE tmp LIKE customer;
      INSERT INTO tmp SELECT * FROM customer WHERE c_acctbal > 0;
      UPDATE tmp JOIN nation ON n_nationkey = c_nationkey SET c_phone = n_name;
      REPLACE INTO names (name, kind) SELECT c_name, c_phone FROM tmp;`,
    edges: ['customer -> names: c_name>name c_phone>kind', 'nation -> names: n_name>kind'],
  },
  {
    name: 'a temporary table of BigQuery',
    dialect: 'bigquery',
    sql: `CREATE TEMP TABLE seg AS SELECT c_mktsegment, COUNT(*) AS n, SUM(c_acctbal) AS bal FROM \`customer\` GROUP BY 1;
      INSERT INTO counts (name, total) SELECT c_mktsegment, bal FROM seg;`,
    edges: ['customer -> counts: c_mktsegment>name c_acctbal>total'],
  },
  {
    name: 'a cached table of Spark',
    dialect: 'databricks',
    sql: `CACHE TABLE big AS SELECT o_orderkey, o_totalprice FROM orders WHERE o_totalprice > 1000;
      INSERT INTO priority (orderkey, revenue) SELECT o_orderkey, o_totalprice FROM big`,
    edges: ['orders -> priority: o_orderkey>orderkey o_totalprice>revenue'],
  },
  {
    name: 'a temporary table that hides a lasting one',
    dialect: 'sqlite',
    sql: `CREATE TEMP TABLE orders AS SELECT c_custkey AS o_orderkey, c_acctbal AS o_totalprice FROM customer;
      INSERT INTO order_fact (orderkey, amount) SELECT o_orderkey, o_totalprice FROM orders;`,
    edges: ['customer -> order_fact: c_custkey>orderkey c_acctbal>amount'],
  },
];

const WRITING_STATEMENTS: readonly CorpusScript[] = [
  {
    name: 'common table expressions',
    dialect: 'postgres',
    sql: `with nations as (select n_nationkey, n_name, r_name from nation join region on r_regionkey = n_regionkey),
      people (id, name, nationkey, segment) as (select c_custkey, c_name, c_nationkey, c_mktsegment from customer)
      insert into customer_dim select p.id, p.name, n.n_name, n.r_name, p.segment from people p
      left join nations n on n.n_nationkey = p.nationkey`,
    edges: [
      'customer -> customer_dim: c_custkey>id c_name>name c_mktsegment>segment',
      'nation -> customer_dim: n_name>nation',
      'region -> customer_dim: r_name>region',
    ],
  },
  {
    name: 'a common table expression called like its table',
    dialect: 'snowflake',
    sql: 'insert into customer_copy with customer as (select * from customer where c_acctbal > 0) select * from customer',
    edges: [
      'customer -> customer_copy: c_custkey>c_custkey c_name>c_name c_nationkey>c_nationkey c_phone>c_phone c_acctbal>c_acctbal c_mktsegment>c_mktsegment',
    ],
  },
  {
    name: 'every column by *',
    dialect: 'hive',
    sql: 'insert overwrite table customer_copy select * from customer',
    edges: [
      'customer -> customer_copy: c_custkey>c_custkey c_name>c_name c_nationkey>c_nationkey c_phone>c_phone c_acctbal>c_acctbal c_mktsegment>c_mktsegment',
    ],
  },
  {
    name: '* without a column and with another one replaced',
    dialect: 'duckdb',
    sql: `insert into customer_copy by name select * exclude (c_phone) replace (c_acctbal * 2 as c_acctbal) from customer`,
    edges: [
      'customer -> customer_copy: c_custkey>c_custkey c_name>c_name c_nationkey>c_nationkey c_acctbal>c_acctbal c_mktsegment>c_mktsegment',
    ],
  },
  {
    name: 'MERGE',
    dialect: 'snowflake',
    sql: `merge into customer_dim d using (select c_custkey, c_name, n_name from customer join nation on n_nationkey = c_nationkey) s
      on d.id = s.c_custkey when matched then update set d.name = s.c_name, d.nation = s.n_name
      when not matched then insert (id, name, nation) values (s.c_custkey, upper(s.c_name), s.n_name)`,
    edges: ['customer -> customer_dim: c_custkey>id c_name>name', 'nation -> customer_dim: n_name>nation'],
  },
  {
    name: 'UPDATE with FROM',
    dialect: 'postgres',
    sql: 'update customer_dim d set nation = n.n_name from nation n, customer c where c.c_custkey = d.id and n.n_nationkey = c.c_nationkey',
    edges: ['nation -> customer_dim: n_name>nation', 'customer -> customer_dim'],
  },
  {
    name: 'UPDATE of an alias',
    dialect: 'mssql',
    sql: 'UPDATE d SET d.region = r.r_name FROM customer_dim AS d INNER JOIN region r ON r.r_regionkey = d.id',
    edges: ['region -> customer_dim: r_name>region'],
  },
  {
    name: 'UPDATE with a subquery',
    dialect: 'oracle',
    sql: 'UPDATE order_fact f SET (amount, day) = (SELECT o_totalprice, o_orderdate FROM orders o WHERE o.o_orderkey = f.orderkey)',
    edges: ['orders -> order_fact: o_totalprice>amount o_orderdate>day'],
  },
  {
    name: 'an upsert',
    dialect: 'sqlite',
    sql: `INSERT INTO counts (name, total) SELECT p_brand, count(*) FROM part WHERE true GROUP BY p_brand
      ON CONFLICT (name) DO UPDATE SET total = excluded.total`,
    edges: ['part -> counts: p_brand>name'],
  },
  {
    name: 'ON DUPLICATE KEY',
    dialect: 'mysql',
    sql: `INSERT INTO stock (part, available, cost) SELECT ps_partkey, ps_availqty, ps_supplycost FROM partsupp
      ON DUPLICATE KEY UPDATE available = VALUES(available)`,
    edges: ['partsupp -> stock: ps_partkey>part ps_availqty>available ps_supplycost>cost'],
  },
  {
    name: 'a union',
    dialect: 'clickhouse',
    sql: `INSERT INTO names (name, kind) SELECT c_name, 'c' FROM customer UNION ALL SELECT s_name, r_name FROM supplier, region`,
    edges: ['customer -> names: c_name>name', 'supplier -> names: s_name>name', 'region -> names: r_name>kind'],
  },
  {
    name: 'QUALIFY and a window',
    dialect: 'snowflake',
    sql: `create or replace table order_fact as select o_orderkey as orderkey, first_value(o_totalprice) over
      (partition by o_custkey order by o_orderdate) as amount from orders qualify row_number() over (partition by o_custkey order by o_orderdate) = 1`,
    edges: ['orders -> order_fact: o_orderkey>orderkey o_totalprice>amount o_custkey>amount o_orderdate>amount'],
  },
  {
    name: 'a clone',
    dialect: 'snowflake',
    sql: 'create or replace table customer_copy clone customer',
    edges: [
      'customer -> customer_copy: c_custkey>c_custkey c_name>c_name c_nationkey>c_nationkey c_phone>c_phone c_acctbal>c_acctbal c_mktsegment>c_mktsegment',
    ],
  },
  {
    name: 'a recursive query',
    dialect: 'postgres',
    sql: `with recursive up (k, label) as (select n_nationkey, n_name from nation union all
      select u.k, r_name from up u join region on r_regionkey = u.k) insert into counts (name) select label from up`,
    edges: ['nation -> counts: n_name>name', 'region -> counts: r_name>name'],
  },
  {
    name: 'LATERAL',
    dialect: 'postgres',
    sql: `insert into order_fact (orderkey, amount) select o.o_orderkey, x.price from orders o,
      lateral (select max(l_extendedprice) as price from lineitem where l_orderkey = o.o_orderkey) x`,
    edges: ['orders -> order_fact: o_orderkey>orderkey', 'lineitem -> order_fact: l_extendedprice>amount'],
  },
  {
    name: 'a scalar subquery',
    dialect: 'postgres',
    sql: 'insert into counts (name, total) select r_name, (select sum(s_acctbal) from supplier) from region',
    edges: ['region -> counts: r_name>name', 'supplier -> counts: s_acctbal>total'],
  },
  {
    name: 'a statement within WITH',
    dialect: 'postgres',
    sql: `with gone as (delete from orders where o_orderstatus = 'X' returning o_orderkey, o_totalprice)
      insert into priority (orderkey, revenue) select o_orderkey, o_totalprice from gone`,
    edges: ['orders -> priority: o_orderkey>orderkey o_totalprice>revenue'],
  },
  {
    name: 'LATERAL VIEW',
    dialect: 'hive',
    sql: `insert into table names select word, p_brand from part lateral view explode(split(p_name, ' ')) w as word`,
    edges: ['part -> names: p_name>name p_brand>kind'],
  },
  {
    name: 'a view',
    dialect: 'postgres',
    sql: 'create or replace view local_supplier (nation, revenue) as select n_name, s_acctbal from supplier join nation on n_nationkey = s_nationkey',
    edges: ['nation -> local_supplier: n_name>nation', 'supplier -> local_supplier: s_acctbal>revenue'],
  },
  {
    name: 'a materialised view that fills a table',
    dialect: 'clickhouse',
    sql: 'CREATE MATERIALIZED VIEW mv TO counts AS SELECT c_mktsegment AS name, sum(c_acctbal) AS total FROM customer GROUP BY name',
    edges: ['customer -> counts: c_mktsegment>name c_acctbal>total'],
  },
];

const BEYOND: readonly CorpusScript[] = [
  {
    name: 'several targets of Hive',
    dialect: 'hive',
    sql: 'from part insert overwrite table names select p_name, p_brand insert into table counts select p_type, p_size',
    edges: ['part -> names: p_name>name p_brand>kind', 'part -> counts: p_type>name p_size>total'],
  },
  {
    name: 'several targets of Oracle',
    dialect: 'oracle',
    sql: 'INSERT ALL INTO names (name) VALUES (r_name) INTO counts (name) VALUES (r_name) SELECT r_name FROM region',
    edges: ['region -> names: r_name>name', 'region -> counts: r_name>name'],
  },
  {
    name: 'PIVOT',
    dialect: 'snowflake',
    sql: `insert into counts select * from (select o_orderstatus, o_totalprice from orders) pivot (sum(o_totalprice) for o_orderstatus in ('O'))`,
    edges: ['orders -> counts: o_totalprice>total'],
  },
  {
    name: 'SQL in a text',
    dialect: 'mssql',
    sql: `EXEC sp_executesql N'INSERT INTO counts (name) SELECT r_name FROM region'`,
    edges: ['region -> counts: r_name>name'],
  },
  {
    name: 'a procedure',
    dialect: 'postgres',
    sql: `create procedure fill() language sql as $$ insert into counts (name) select r_name from region $$; call fill();`,
    edges: ['region -> counts: r_name>name'],
  },
];

const WITHOUT_LINEAGE: readonly CorpusScript[] = [
  { name: 'a question', dialect: 'postgres', sql: 'select c_name from customer', edges: [] },
  { name: 'values', dialect: 'mysql', sql: "insert into names values ('a', 'b'), ('c', 'd')", edges: [] },
  {
    name: 'removal',
    dialect: 'oracle',
    sql: 'delete from orders where o_custkey in (select c_custkey from customer)',
    edges: [],
  },
  {
    name: 'a plan',
    dialect: 'postgres',
    sql: 'explain insert into names select c_name, c_phone from customer',
    edges: [],
  },
  {
    name: 'a definition',
    dialect: 'snowflake',
    sql: 'create table fresh (a int); grant select on customer to role r; drop table names',
    edges: [],
  },
  {
    name: 'an unknown table',
    dialect: 'postgres',
    sql: 'insert into names select a, b from elsewhere.customer',
    edges: [],
  },
  {
    name: 'a temporary table that is never read',
    dialect: 'postgres',
    sql: 'create temp table t as select * from customer; insert into names select s_name, s_name from supplier',
    edges: ['supplier -> names: s_name>name s_name>kind'],
  },
];

export const SQL_CORPUS: readonly (readonly [part: string, scripts: readonly CorpusScript[]])[] = [
  ['questions of reports', QUERIES_OF_REPORTS],
  ['temporary tables', TEMPORARY_TABLES],
  ['statements that write', WRITING_STATEMENTS],
  ['statements without lineage, or nearly', WITHOUT_LINEAGE],
  ['notations beyond understanding', BEYOND],
];
