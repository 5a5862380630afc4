import * as assert from 'uvu/assert';
import { CatalogError } from '../../src/errors.ts';
import { applyDefinitions } from '../../src/impact/apply-ddl.ts';
import { readDdl } from '../../src/lineage/sql/ddl.ts';
import { findDialect } from '../../src/lineage/sql/dialect.ts';
import { loadParser } from '../../src/lineage/sql/parse.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { foldCase } from '../../src/model/kind/columns.ts';
import { suite } from '../support/suite.ts';

/** Shows that DDL statements become column changes. */

const test = suite('impact: DDL changes');

test.before(loadParser);

const LIVE: readonly JsonObject[] = [
  { name: 'id', dataType: 'INT', constraint: 'PRIMARY_KEY' },
  { name: 'Amount', dataType: 'DECIMAL', precision: 10, scale: 2, constraint: 'NOT_NULL' },
  { name: 'note', dataType: 'VARCHAR', dataLength: 20 },
  { name: 'a.b', dataType: 'STRING' },
];

const changes = (sql: string, live = LIVE, fqn = 'svc.db.sch.orders', dialect = 'postgres') => {
  const known = findDialect(dialect);
  if (!known) throw new Error(`no dialect is called ${dialect}`);
  const found = readDdl(sql, known);
  if ('reason' in found) throw new Error(found.reason);
  return applyDefinitions(live, found.definitions, { fqn, fold: foldCase }).map(({ column, change, before, after }) =>
    [change, column, before ?? '', after ?? ''].join(' | '),
  );
};

const refuses = (sql: string, what: RegExp) => {
  try {
    changes(sql);
  } catch (failure) {
    assert.instance(failure, CatalogError);
    assert.match((failure as Error).message, what);
    return;
  }
  assert.unreachable(`${sql} is accepted`);
};

test('each change has the former name of its column', () => {
  assert.equal(changes('ALTER TABLE orders DROP COLUMN AMOUNT'), ['dropped | Amount | DECIMAL(10,2) | ']);
  assert.equal(changes('ALTER TABLE orders DROP COLUMN "a.b"'), ['dropped | "a.b" | STRING | ']);
  assert.equal(changes('ALTER TABLE orders ADD COLUMN x bigint not null'), ['added | x |  | BIGINT']);
  assert.equal(changes('ALTER TABLE orders ALTER COLUMN amount TYPE text'), [
    'retyped | Amount | DECIMAL(10,2) | TEXT',
  ]);
  assert.equal(changes('ALTER TABLE orders ALTER COLUMN note TYPE varchar(40)'), [
    'retyped | note | VARCHAR(20) | VARCHAR(40)',
  ]);
  assert.equal(changes('ALTER TABLE orders ALTER COLUMN amount DROP NOT NULL'), [
    'nullability | Amount | NOT_NULL | NULL',
  ]);
  assert.equal(changes('ALTER TABLE orders ALTER COLUMN note SET NOT NULL'), ['nullability | note | NULL | NOT_NULL']);
  assert.equal(changes('ALTER TABLE orders ALTER COLUMN id SET NOT NULL'), [], 'a key has a value anyway');
  assert.equal(changes('ALTER TABLE orders MODIFY COLUMN amount DECIMAL(10,2)', LIVE, 'orders', 'mysql'), [
    'nullability | Amount | NOT_NULL | NULL',
  ]);
  assert.equal(changes('ALTER TABLE orders MODIFY COLUMN id INT', LIVE, 'orders', 'mysql'), [], 'a key stays one');
  assert.equal(changes('DROP TABLE orders').length, LIVE.length);
});

test('a renamed column stays the same one, whatever else happens', () => {
  assert.equal(changes('ALTER TABLE orders RENAME COLUMN note TO remark; ALTER TABLE orders DROP COLUMN "a.b"'), [
    'dropped | "a.b" | STRING | ',
    'renamed | note | note | remark',
  ]);
  assert.equal(
    changes('ALTER TABLE orders RENAME COLUMN note TO remark; ALTER TABLE orders ALTER COLUMN remark TYPE int'),
    ['retyped | note | VARCHAR(20) | INT', 'renamed | note | note | remark'],
  );
  assert.equal(changes('ALTER TABLE orders RENAME COLUMN note TO x; ALTER TABLE orders RENAME COLUMN x TO note'), []);
});

test('a removed and an added column are two, even at one position and of one type', () => {
  assert.equal(changes('ALTER TABLE orders DROP COLUMN "a.b"; ALTER TABLE orders ADD COLUMN c varchar'), [
    'dropped | "a.b" | STRING | ',
    'added | c |  | VARCHAR',
  ]);
});

test('a new shape is compared with the stored one, and unknown types contradict nothing', () => {
  assert.equal(
    changes('CREATE TABLE orders (id integer primary key, amount numeric(10,2) not null, note citext, "a.b" text)'),
    ['retyped | Amount | DECIMAL(10,2) | NUMERIC(10,2)', 'retyped | "a.b" | STRING | TEXT'],
  );
  assert.equal(changes('CREATE TABLE orders (id int, amount decimal(10,2) not null, note varchar(20), "a.b" string)'), [
    'nullability | id | PRIMARY_KEY | NULL',
  ]);
});

test('of several tables the one with the name is changed, and a single one in any case', () => {
  assert.equal(changes('ALTER TABLE staging.other DROP COLUMN note').length, 1);
  assert.equal(changes('ALTER TABLE other DROP COLUMN nope; ALTER TABLE x.ORDERS DROP COLUMN note'), [
    'dropped | note | VARCHAR(20) | ',
  ]);
  refuses('ALTER TABLE a DROP COLUMN note; ALTER TABLE b DROP COLUMN note', /several tables/);
});

test('an impossible change is refused', () => {
  refuses('ALTER TABLE orders DROP COLUMN nope', /nope/);
  refuses('ALTER TABLE orders RENAME COLUMN nope TO x', /nope/);
  refuses('ALTER TABLE orders RENAME COLUMN note TO id', /id/);
  refuses('ALTER TABLE orders ADD COLUMN note int', /note/);
  assert.equal(changes('ALTER TABLE orders DROP COLUMN IF EXISTS nope'), []);
  assert.equal(changes('ALTER TABLE orders ADD COLUMN IF NOT EXISTS note int'), []);
});

test.run();
