import * as assert from 'uvu/assert';
import { type DdlResult, readDdl, type TableStep } from '../../../src/lineage/sql/ddl.ts';
import { findDialect } from '../../../src/lineage/sql/dialect.ts';
import { loadParser } from '../../../src/lineage/sql/parse.ts';
import { openSqlReader } from '../../../src/lineage/sql/reader.ts';
import { suite } from '../../support/suite.ts';

/** Shows how DDL statements are read into columns and changes of columns. */

const test = suite('lineage: DDL');

test.before(loadParser);

const read = (sql: string, dialect = 'postgres'): DdlResult => {
  const known = findDialect(dialect);
  if (!known) throw new Error(`no dialect is called ${dialect}`);
  return readDdl(sql, known);
};

const stepsOf = (sql: string, dialect?: string): readonly TableStep[] => {
  const found = read(sql, dialect);
  if ('reason' in found) throw new Error(`${found.reason}: ${found.text}`);
  return found.definitions.flatMap(({ steps }) => steps);
};

/** Columns of a new table as `name type constraint`. */
const created = (sql: string, dialect?: string): readonly string[] =>
  stepsOf(sql, dialect).flatMap((one) =>
    one.step === 'create' ? one.columns.map(({ name, type, constraint }) => `${name} ${type.text} ${constraint}`) : [],
  );

const reasonOf = (sql: string, dialect?: string): string => {
  const found = read(sql, dialect);
  return 'reason' in found ? found.reason : 'read';
};

test('a new table has columns with types and constraints', () => {
  const sql = `CREATE TABLE s.t (id int, name varchar(20) not null, p numeric(10,2) null, d double precision,
    "X y" timestamp(6) with time zone, u text unique, k bigint primary key, primary key (id))`;
  assert.equal(created(sql), [
    'id INT PRIMARY_KEY',
    'name VARCHAR(20) NOT_NULL',
    'p NUMERIC(10,2) NULL',
    'd DOUBLEPRECISION NULL',
    'X y TIMESTAMP WITH TIME ZONE NULL',
    'u TEXT UNIQUE',
    'k BIGINT PRIMARY_KEY',
  ]);
  assert.equal(created('CREATE OR REPLACE TABLE t (a NUMBER(38,0), b VARIANT)', 'snowflake'), [
    'a NUMBER(38,0) NULL',
    'b VARIANT NULL',
  ]);
});

test('types have elements and fields', () => {
  const [step] = stepsOf(
    'CREATE TABLE `p.d.t` (a STRUCT<x INT64, y ARRAY<STRING>>, b ARRAY<STRUCT<z DATE>>)',
    'bigquery',
  );
  const columns = step?.step === 'create' ? step.columns : [];
  assert.equal(
    columns.map(({ type }) => type),
    [
      {
        text: 'STRUCT',
        fields: [
          { name: 'x', type: { text: 'INT64' } },
          { name: 'y', type: { text: 'ARRAY', element: { text: 'STRING' } } },
        ],
      },
      { text: 'ARRAY', element: { text: 'STRUCT', fields: [{ name: 'z', type: { text: 'DATE' } }] } },
    ],
  );
});

test('changes of columns are read in several dialects', () => {
  const sql = `ALTER TABLE s.t DROP COLUMN IF EXISTS a, ADD COLUMN b text not null, ALTER COLUMN c TYPE bigint,
    ALTER COLUMN d SET NOT NULL, ALTER e DROP NOT NULL; ALTER TABLE s.t RENAME COLUMN f TO g`;
  assert.equal(stepsOf(sql), [
    { step: 'drop', name: 'a', isLenient: true },
    { step: 'add', column: { name: 'b', type: { text: 'TEXT' }, constraint: 'NOT_NULL' }, isLenient: false },
    { step: 'retype', name: 'c', type: { text: 'BIGINT' } },
    { step: 'constrain', name: 'd', constraint: 'NOT_NULL' },
    { step: 'constrain', name: 'e', constraint: 'NULL' },
    { step: 'rename', name: 'f', to: 'g' },
  ]);
  assert.equal(stepsOf('ALTER TABLE t CHANGE COLUMN a b varchar(10) NOT NULL, MODIFY COLUMN c INT(11)', 'mysql'), [
    { step: 'declare', name: 'a', column: { name: 'b', type: { text: 'VARCHAR(10)' }, constraint: 'NOT_NULL' } },
    { step: 'declare', name: 'c', column: { name: 'c', type: { text: 'INT' }, constraint: 'NULL' } },
  ]);
  assert.equal(stepsOf('ALTER TABLE [dbo].[t] ALTER COLUMN [a] decimal(10,2) NOT NULL', 'mssql'), [
    { step: 'declare', name: 'a', column: { name: 'a', type: { text: 'DECIMAL(10,2)' }, constraint: 'NOT_NULL' } },
  ]);
  assert.equal(
    stepsOf('ALTER TABLE t MODIFY a NUMBER(10)', 'oracle'),
    [{ step: 'retype', name: 'a', type: { text: 'NUMBER(10)' } }],
    'it requires what it did',
  );
  assert.equal(
    stepsOf('ALTER TABLE t DROP COLUMN a, b', 'snowflake').map((one) => ('name' in one ? one.name : '')),
    ['a', 'b'],
  );
  assert.equal(stepsOf('DROP TABLE s.t'), [{ step: 'remove' }]);
  assert.equal(stepsOf('BEGIN; ALTER TABLE t ADD PRIMARY KEY (x); COMMIT'), [
    { step: 'constrain', name: 'x', constraint: 'PRIMARY_KEY' },
  ]);
});

test('an unclear statement is refused and not ignored', () => {
  assert.is(reasonOf('CREATE TABLE t AS SELECT 1 a'), 'unsupported');
  assert.is(reasonOf('CREATE VIEW t AS SELECT 1 a'), 'unsupported');
  assert.is(reasonOf('ALTER TABLE a SWAP WITH b', 'snowflake'), 'unsupported');
  assert.is(reasonOf('SELECT 1'), 'unsupported');
  assert.is(reasonOf(''), 'unsupported');
  assert.is(reasonOf('ALTER TABLE'), 'syntax');
  assert.is(reasonOf('ALTER TABLE t DROP COLUMN a; ALTER TABLE t FROBNICATE b'), 'syntax');
  assert.is(reasonOf('CREATE TABLE {{ ref("t") }} (a int)'), 'template');
  assert.is(reasonOf(`CREATE TABLE t (a int) -- ${'x'.repeat(200_000)}`), 'too long');
  assert.is(reasonOf(`CREATE TABLE t (a ${'ARRAY<'.repeat(200)}INT${'>'.repeat(200)})`, 'bigquery'), 'too deep');
});

test('the worker thread parses DDL too, and hostile DDL does not end it', async () => {
  const reader = openSqlReader({ timeoutMs: 30_000 });
  try {
    const dialect = findDialect('postgres');
    if (!dialect) throw new Error('there is no such dialect');
    const deep = `CREATE TABLE t (a int DEFAULT ${'('.repeat(5000)}1${')'.repeat(5000)})`;
    assert.is('reason' in (await reader.ddlOf(deep, dialect)), true);
    const found = await reader.ddlOf('ALTER TABLE t DROP COLUMN a', dialect);
    assert.equal(found, { definitions: [{ table: ['t'], steps: [{ step: 'drop', name: 'a', isLenient: false }] }] });
  } finally {
    await reader.close();
  }
});

test.run();
