import * as assert from 'uvu/assert';
import { findBrokenClauses, type LinkedTest } from '../../../src/contracts/validation/broken-clauses.ts';
import type { ColumnChange } from '../../../src/contracts/validation/column-changes.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import { expectLinearCalls } from '../../support/count-calls.ts';
import { hostileContract } from '../../support/hostile-input.ts';
import { suite } from '../../support/suite.ts';

/** Shows that column changes break exactly the clauses that depend on them. */

const test = suite('contracts/validation: broken clauses');

const column = (name: string, dataType = 'INT', more: JsonObject = {}): JsonObject => ({ name, dataType, ...more });

const dropped = (name: string): ColumnChange => ({ column: name, change: 'dropped', before: 'INT' });
const renamed = (name: string, after: string): ColumnChange => ({
  column: name,
  change: 'renamed',
  before: name.split('.').at(-1) ?? '',
  after,
});
const retyped = (name: string, before: string, after: string): ColumnChange => ({
  column: name,
  change: 'retyped',
  before,
  after,
});
const nullable = (name: string, before = 'NOT_NULL', after = 'NULL'): ColumnChange => ({
  column: name,
  change: 'nullability',
  before,
  after,
});

const broken = (contract: JsonObject, changes: readonly ColumnChange[], tests: readonly LinkedTest[] = []) =>
  findBrokenClauses(contract, changes, tests);
const clauses = (contract: JsonObject, changes: readonly ColumnChange[], tests: readonly LinkedTest[] = []) =>
  broken(contract, changes, tests).map(({ clause }) => clause);

const SCHEMA: JsonObject = {
  schema: [
    column('id', 'INT', { constraint: 'PRIMARY_KEY' }),
    column('amount', 'DECIMAL', { precision: 10, scale: 2, constraint: 'NOT_NULL' }),
    column('note', 'VARCHAR', { dataLength: 100 }),
    column('tags', 'ARRAY', { arrayDataType: 'INT' }),
    column('address', 'STRUCT', { children: [column('city', 'STRING'), column('zip.code', 'STRING')] }),
  ],
};

test('schema: a dropped or renamed column breaks, with its nested columns', () => {
  assert.equal(broken(SCHEMA, [dropped('amount')]), [{ clause: 'schema.amount', reason: 'column amount is dropped' }]);
  assert.equal(broken(SCHEMA, [renamed('AMOUNT', 'total')]), [
    { clause: 'schema.amount', reason: 'column AMOUNT is renamed to total' },
  ]);
  assert.equal(clauses(SCHEMA, [dropped('address')]), [
    'schema.address',
    'schema.address.city',
    'schema.address."zip.code"',
  ]);
  assert.equal(clauses(SCHEMA, [renamed('address.city', 'town')]), ['schema.address.city']);
  assert.equal(clauses(SCHEMA, [dropped('address."zip.code"')]), ['schema.address."zip.code"']);
  assert.equal(clauses(SCHEMA, [{ column: 'amount', change: 'renamed' }]), ['schema.amount']);
});

test('schema: columns outside the contract and added columns break nothing', () => {
  assert.equal(
    clauses(SCHEMA, [dropped('other'), dropped('city'), { column: 'new', change: 'added', after: 'INT' }]),
    [],
  );
  assert.equal(clauses(SCHEMA, [{ column: 'amount', change: 'added', after: 'INT' }]), []);
  assert.equal(clauses({}, [dropped('amount')], [{ name: 'of the table' }]), []);
});

test('schema: case matters only where the contract has both spellings', () => {
  const both = { schema: [column('userId'), column('userID')] };
  assert.equal(clauses(both, [dropped('userID')]), ['schema.userID']);
  assert.equal(clauses({ schema: [column('userId')] }, [dropped('userID')]), ['schema.userId']);
});

test('schema: an incompatible type breaks', () => {
  const cases: readonly (readonly [ColumnChange, boolean])[] = [
    [retyped('id', 'INT', 'BIGINT'), false],
    [retyped('id', 'INT', 'NUMBER'), false],
    [retyped('id', 'INT', 'VARCHAR(20)'), true],
    [retyped('id', 'STRING', 'BOOLEAN'), false],
    [{ column: 'id', change: 'retyped' }, true],
    [{ column: 'id', change: 'retyped', after: 'BIGINT' }, false],
    [{ column: 'id', change: 'retyped', after: 'TEXT' }, true],
    [retyped('note', 'VARCHAR(100)', 'VARCHAR(50)'), true],
    [retyped('note', 'VARCHAR(200)', 'VARCHAR(100)'), false],
    [retyped('note', 'VARCHAR(100)', 'TEXT'), false],
    [retyped('note', 'VARCHAR(80)', 'VARCHAR(50)'), false],
    [retyped('amount', 'DECIMAL(10,2)', 'DECIMAL(12,4)'), false],
    [retyped('amount', 'DECIMAL(10,2)', 'DECIMAL(8,2)'), true],
    [retyped('amount', 'DECIMAL(10,2)', 'DECIMAL(10,1)'), true],
    [retyped('tags', 'ARRAY<INT>', 'ARRAY<STRING>'), true],
    [retyped('tags', 'ARRAY<INT>', 'ARRAY<BIGINT>'), false],
    [retyped('address', 'STRUCT', 'JSON'), false],
    [retyped('address', 'STRUCT', 'STRING'), true],
  ];
  for (const [change, isBroken] of cases) {
    assert.is(clauses(SCHEMA, [change]).length, isBroken ? 1 : 0, JSON.stringify(change));
  }
  assert.equal(broken(SCHEMA, [retyped('id', 'INT', 'TEXT')]), [
    { clause: 'schema.id', reason: 'column id changes from INT to TEXT and the contract says INT PRIMARY_KEY' },
  ]);
});

test('schema: a column that becomes nullable breaks a required one', () => {
  const cases: readonly (readonly [ColumnChange, boolean])[] = [
    [nullable('amount'), true],
    [nullable('id', 'PRIMARY_KEY', 'UNIQUE'), true],
    [nullable('note'), false],
    [nullable('amount', 'NULL', 'NOT_NULL'), false],
    [nullable('amount', 'NOT_NULL', 'PRIMARY_KEY'), false],
    [{ column: 'amount', change: 'nullability' }, true],
  ];
  for (const [change, isBroken] of cases) {
    assert.is(clauses(SCHEMA, [change]).length, isBroken ? 1 : 0, JSON.stringify(change));
  }
  assert.equal(broken(SCHEMA, [nullable('amount')]), [
    { clause: 'schema.amount', reason: 'column amount may become null and the contract says DECIMAL NOT_NULL' },
  ]);
});

const ruled = (expression: unknown, more: JsonObject = {}): JsonObject => ({
  semantics: [
    {
      name: 'rule',
      rule: typeof expression === 'string' ? expression : JSON.stringify(expression),
      enabled: true,
      ...more,
    },
  ],
});

test('semantics: rules that read a column by path or by name break', () => {
  const some = (name: string) => ({ some: [{ var: 'columns' }, { '==': [{ var: 'name' }, name] }] });
  const reading: readonly (readonly [unknown, string, boolean])[] = [
    [some('amount'), 'amount', true],
    [some('AMOUNT'), 'amount', true],
    [some('amount'), 'note', false],
    [some('city'), 'address.city', true],
    [some('address.city'), 'address.city', true],
    [some('shop.pg.public.orders.address.city'), 'address.city', true],
    [some('shop.pg.public.orders.city'), 'address.city', false],
    [some('town.city'), 'address.city', false],
    [{ in: ['amount', { tableColumnValues: 'columns.name' }] }, 'amount', true],
    [{ in: ['amount', { tableColumnValues: 'schemaFields.name' }] }, 'amount', true],
    [{ '==': [{ var: 'name' }, 'amount'] }, 'amount', false],
    [{ '!!': { var: 'columns.amount.description' } }, 'amount', true],
    [{ '!!': { var: ['columns.address.city.description'] } }, 'address.city', true],
    [{ '!!': { var: 'columns.address.city.description' } }, 'address', true],
    [{ '!': { missing: ['columns.amount'] } }, 'amount', true],
    [{ '!': { isChanged: 'columns.amount' } }, 'amount', true],
    [{ '!': { isChanged: 'columns.amounts' } }, 'amount', false],
    [JSON.stringify(JSON.stringify(some('amount'))), 'amount', true],
    ['no json', 'amount', false],
    [{ all: [{ var: 'columns' }, { '!!': { var: 'description' } }] }, 'description', false],
  ];
  for (const [expression, name, isBroken] of reading) {
    const note = JSON.stringify([expression, name]);
    assert.is(clauses(ruled(expression), [dropped(name)]).length, isBroken ? 1 : 0, note);
    assert.is(clauses(ruled(expression), [renamed(name, 'new')]).length, isBroken ? 1 : 0, note);
    assert.is(clauses(ruled(expression), [retyped(name, 'INT', 'TEXT'), nullable(name)]).length, 0, note);
  }
  assert.equal(broken(ruled(some('amount')), [dropped('amount')]), [
    { clause: 'semantics.rule', reason: 'column amount is dropped and the rule reads it' },
  ]);
  assert.equal(clauses(ruled(some('amount'), { enabled: false }), [dropped('amount')]), []);
});

test('semantics: types and constraints break rules that read them', () => {
  const about = (name: string) => ({
    some: [{ var: 'columns' }, { and: [{ '==': [{ var: 'name' }, 'amount'] }, { '==': [{ var: name }, 'x'] }] }],
  });
  assert.is(clauses(ruled(about('dataType')), [retyped('amount', 'INT', 'TEXT')]).length, 1);
  assert.is(clauses(ruled(about('constraint')), [retyped('amount', 'INT', 'TEXT')]).length, 0);
  assert.equal(broken(ruled(about('constraint')), [nullable('amount')]), [
    { clause: 'semantics.rule', reason: 'column amount becomes NULL and the rule reads it' },
  ]);
  assert.is(clauses(ruled(about('dataType')), [nullable('amount')]).length, 0);
});

test('quality: rules of a column, and of a table that name it, break', () => {
  const rules = (rule: JsonObject): JsonObject => ({ odcsQualityRules: [rule] });
  const onAmount = rules({ name: 'no nulls', metric: 'nullValues', column: 'amount' });
  assert.equal(broken(onAmount, [dropped('amount')]), [
    { clause: 'quality.no nulls', reason: 'column amount is dropped and the rule checks it' },
  ]);
  assert.equal(clauses(onAmount, [renamed('Amount', 'total')]), ['quality.no nulls']);
  assert.equal(clauses(onAmount, [retyped('amount', 'INT', 'TEXT')]), ['quality.no nulls']);
  assert.equal(clauses(onAmount, [retyped('amount', 'INT', 'BIGINT'), nullable('amount'), dropped('id')]), []);
  const inner = rules({ id: 'r1', column: 'address.city' });
  assert.equal(clauses(inner, [dropped('address')]), ['quality.r1']);
  assert.equal(clauses(rules({ metric: 'nullValues', column: 'amount' }), [dropped('amount')]), ['quality.nullValues']);
  assert.equal(clauses(rules({ column: 'amount' }), [dropped('amount')]), ['quality.1']);
  const sql = rules({ id: 'sql', type: 'sql', query: 'SELECT count(*) FROM {object} WHERE "Amount" < 0' });
  assert.equal(broken(sql, [dropped('amount')]), [
    { clause: 'quality.sql', reason: 'column amount is dropped and the rule names it' },
  ]);
  assert.equal(clauses(sql, [dropped('amounts'), dropped('mount'), retyped('amount', 'INT', 'TEXT')]), []);
  const unique = rules({ id: 'unique', metric: 'duplicateValues', arguments: { properties: ['id', 'amount'] } });
  assert.equal(clauses(unique, [dropped('AMOUNT')]), ['quality.unique']);
  assert.equal(clauses(unique, [dropped('note')]), []);
});

test('quality: tests of a removed or incompatible column break, and follow a renamed one', () => {
  const tests = [
    { name: 'amount is positive', column: 'amount' },
    { name: 'rows' },
    { name: 'of city', column: 'address.city' },
  ];
  assert.equal(broken({}, [dropped('amount')], tests), [
    { clause: 'quality.amount is positive', reason: 'column amount is dropped and the test checks it' },
  ]);
  assert.equal(clauses({}, [renamed('amount', 'total')], tests), []);
  assert.equal(clauses({}, [retyped('amount', 'INT', 'TEXT')], tests), ['quality.amount is positive']);
  assert.equal(clauses({}, [retyped('amount', 'INT', 'BIGINT')], tests), []);
  assert.equal(clauses({}, [dropped('address')], tests), ['quality.of city']);
});

test('sla: the column of the freshness breaks', () => {
  const fresh = (columnName: string): JsonObject => ({
    entity: { id: 'e', type: 'table', fullyQualifiedName: 'shop.pg.public.orders' },
    sla: { columnName },
  });
  for (const name of ['updated', 'UPDATED', 'shop.pg.public.orders.updated', 'Shop.pg.public.orders.Updated']) {
    assert.equal(
      broken(fresh(name), [dropped('updated')]),
      [{ clause: 'sla.columnName', reason: 'column updated is dropped and freshness is read from it' }],
      name,
    );
  }
  assert.equal(clauses(fresh('updated'), [renamed('updated', 'at')]), ['sla.columnName']);
  assert.equal(clauses(fresh('meta.updated'), [dropped('meta')]), ['sla.columnName']);
  assert.equal(clauses(fresh('updated'), [retyped('updated', 'TIMESTAMP', 'INT')]), ['sla.columnName']);
  assert.equal(clauses(fresh('updated'), [{ column: 'updated', change: 'retyped' }]), ['sla.columnName']);
  assert.equal(clauses(fresh('updated'), [retyped('updated', 'TIMESTAMP', 'DATE'), nullable('updated')]), []);
  assert.equal(clauses(fresh('updated'), [dropped('other')]), []);
  assert.equal(clauses({ sla: {} }, [dropped('updated')]), []);
});

test('security: columns of row filters break', () => {
  const contract = { security: { policies: [{ accessPolicy: 'p' }, { rowFilters: [{ columnName: 'region' }, {}] }] } };
  assert.equal(broken(contract, [dropped('region')]), [
    { clause: 'security.region', reason: 'column region is dropped and rows are filtered by it' },
  ]);
  assert.equal(clauses(contract, [retyped('region', 'INT', 'TEXT')]), []);
});

test('one clause can break for several reasons, each reported once', () => {
  const changes = [renamed('amount', 'total'), retyped('amount', 'DECIMAL(10,2)', 'TEXT'), nullable('amount')];
  assert.equal(clauses(SCHEMA, changes), ['schema.amount', 'schema.amount', 'schema.amount']);
  assert.equal(clauses(SCHEMA, [dropped('amount'), dropped('amount')]), ['schema.amount']);
});

test('a rule that names many columns reports some of them', () => {
  const names = Array.from({ length: 100 }, (_, index) => `column_${index}`);
  const contract = {
    ...ruled({ in: [{ var: 'columns.name' }, names] }),
    odcsQualityRules: [{ id: 'sql', query: names.join(', ') }],
  };
  assert.is(clauses(contract, names.map(dropped)).length, 40);
});

test('hostile contracts are checked with work that grows with their size', () => {
  expectLinearCalls(500, hostileContract, ({ contract, changes }) => broken(contract, changes));
  const { contract, changes } = hostileContract(5_000);
  assert.ok(broken(contract, changes).length >= 10_000);
});

test.run();
