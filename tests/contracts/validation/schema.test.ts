import * as assert from 'uvu/assert';
import { validateSchema } from '../../../src/contracts/validation/schema.ts';
import { isCompatibleType } from '../../../src/contracts/validation/type-families.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import { suite } from '../../support/suite.ts';

/** Shows that the schema of a contract is compared with the columns of its asset. */

const test = suite('contracts/validation: schema');

const column = (name: string, dataType = 'INT', ...children: JsonObject[]): JsonObject => ({
  name,
  dataType,
  ...(children.length > 0 && { children }),
});

const table = (...columns: JsonObject[]) => ({ kind: 'columns', columns }) as const;
const fields = (...names: JsonObject[]) => ({ kind: 'names', names }) as const;

test('a schema whose columns all exist passes', () => {
  const promised = [column('id'), column('s', 'STRUCT', column('x'), column('y'))];
  const { schemaValidation, mismatches } = validateSchema(promised, table(...promised.toReversed(), column('more')));
  assert.equal(schemaValidation, { passed: 4, failed: 0, total: 4 });
  assert.is(mismatches, 0);
});

test('a contract without columns counts nothing', () => {
  assert.equal(validateSchema([], table(column('a'))).schemaValidation, { passed: 0, failed: 0, total: 0 });
});

test('missing columns are reported by path at every depth', () => {
  const promised = [column('id'), column('gone'), column('s', 'STRUCT', column('x'), column('z')), column('a.b')];
  const entity = table(column('id'), column('s', 'STRUCT', column('x')), column('z'));
  assert.equal(validateSchema(promised, entity).schemaValidation, {
    passed: 3,
    failed: 3,
    total: 6,
    failedFields: ['gone', 's.z', '"a.b"'],
  });
});

test('children of a missing column are missing, and so is everything in an asset without columns', () => {
  const promised = [column('s', 'STRUCT', column('x')), column('a')];
  const { schemaValidation } = validateSchema(promised, table());
  assert.equal(schemaValidation, { passed: 0, failed: 3, total: 3, failedFields: ['s', 's.x', 'a'] });
});

test('names match exactly, else the only one that differs in case', () => {
  const missing = (promised: string, ...names: string[]) =>
    validateSchema([column(promised)], table(...names.map((name) => column(name)))).schemaValidation.failedFields;
  assert.is(missing('Amount', 'amount'), undefined);
  assert.is(missing('Amount', 'amount', 'Amount'), undefined);
  assert.equal(missing('Amount', 'amount', 'AMOUNT'), ['Amount']);
  const nested = [column('S', 'STRUCT', column('X'))];
  assert.is(validateSchema(nested, table(column('s', 'STRUCT', column('x')))).schemaValidation.failed, 0);
  const typed = [column('a', 'INT'), column('A', 'STRING')];
  assert.is(validateSchema(typed, table(column('A', 'STRING'), column('a', 'INT'))).mismatches, 0, 'each its own');
});

test('equal names in different places are different columns', () => {
  const promised = [column('s', 'STRUCT', column('x', 'INT')), column('t', 'STRUCT', column('x', 'STRING'))];
  assert.equal(validateSchema(promised, table(...promised)).schemaValidation, { passed: 4, failed: 0, total: 4 });
  const swapped = [column('s', 'STRUCT', column('x', 'STRING')), column('t', 'STRUCT', column('x', 'INT'))];
  assert.is(validateSchema(promised, table(...swapped)).mismatches, 2);
});

test('a duplicate name is reported once and fails once', () => {
  const promised = [column('a'), column('a'), column('a'), column('s', 'STRUCT', column('x'), column('x'))];
  const entity = table(column('a'), column('s', 'STRUCT', column('x')));
  assert.equal(validateSchema(promised, entity).schemaValidation, {
    passed: 4,
    failed: 2,
    total: 6,
    duplicateFields: ['a', 's.x'],
  });
  assert.equal(validateSchema([column('a'), column('a')], table()).schemaValidation, {
    passed: 0,
    failed: 2,
    total: 2,
    failedFields: ['a'],
    duplicateFields: ['a'],
  });
  assert.is(validateSchema([column('a'), column('A')], table(column('a'), column('A'))).schemaValidation.failed, 0);
});

test('different types are reported and never fail', () => {
  const promised = [column('id', 'STRING'), column('s', 'STRUCT', column('x', 'DATE')), column('n', 'INT')];
  const entity = table(column('ID', 'BIGINT'), column('s', 'STRUCT', column('x', 'BOOLEAN')), column('n', 'SMALLINT'));
  const { schemaValidation, mismatches } = validateSchema(promised, entity);
  assert.is(mismatches, 2);
  assert.equal(schemaValidation, {
    passed: 4,
    failed: 0,
    total: 4,
    typeMismatchFields: ['id: expected BIGINT, got STRING', 's.x: expected BOOLEAN, got DATE'],
  });
});

test('types of name-only fields are not compared, and names may repeat', () => {
  const entity = fields(
    column('order', 'RECORD', column('id', 'INT')),
    column('order', 'RECORD', column('status', 'STRING')),
  );
  const promised = [column('order', 'STRING', column('id', 'DATE'), column('status', 'DATE'))];
  assert.equal(validateSchema(promised, entity).schemaValidation, { passed: 3, failed: 0, total: 3 });
});

test('inherited property names are ordinary names', () => {
  const promised = ['constructor', '__proto__', 'toString'].map((name) => column(name));
  assert.is(validateSchema(promised, table(column('a'))).schemaValidation.failed, 3);
  assert.is(validateSchema(promised, table(...promised)).schemaValidation.failed, 0);
});

const FAMILIES = [
  'STRING VARCHAR CHAR TEXT MEDIUMTEXT NTEXT CLOB UUID ENUM',
  'INT BIGINT SMALLINT TINYINT BYTEINT LONG LARGEINT UINT',
  'DECIMAL NUMERIC NUMBER DOUBLE FLOAT MONEY',
  'BOOLEAN',
  'DATE DATETIME TIMESTAMP TIMESTAMPZ TIME',
  'BINARY VARBINARY BLOB BYTEA BYTES LONGBLOB MEDIUMBLOB',
  'ARRAY MAP STRUCT JSON RECORD',
  'GEOGRAPHY',
  'XML',
].map((types) => types.split(' '));

test('types are compatible within their family, and numbers without precision with integers', () => {
  const isException = (one: string, other: string) =>
    ['NUMBER', 'NUMERIC'].includes(one) && (FAMILIES[1] ?? []).includes(other);
  for (const [at, family] of FAMILIES.entries()) {
    for (const one of family) {
      for (const [where, others] of FAMILIES.entries()) {
        for (const other of others) {
          const wanted = at === where || isException(one, other) || isException(other, one);
          assert.is(isCompatibleType(one, other), wanted, `${one} and ${other}`);
        }
      }
      assert.ok(isCompatibleType(one, undefined) && isCompatibleType(undefined, one));
    }
  }
  assert.ok(isCompatibleType('varchar', 'String'));
});

/** A small sequence of numbers that looks like chance and is the same every time. */
const chance = (seed: number) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648;
};

test('property: passed and failed columns add up', () => {
  const next = chance(7);
  const tree = (depth: number): JsonObject[] =>
    Array.from({ length: Math.floor(next() * 5) }, () =>
      column(
        'abcABC'[Math.floor(next() * 6)] ?? 'a',
        next() < 0.5 ? 'INT' : 'TEXT',
        ...(depth > 0 ? tree(depth - 1) : []),
      ),
    );
  for (let round = 0; round < 300; round += 1) {
    const [promised, entity] = [tree(2), tree(2)];
    const { schemaValidation, mismatches } = validateSchema(promised, table(...entity));
    const {
      passed,
      failed,
      total,
      failedFields = [],
      duplicateFields = [],
      typeMismatchFields = [],
    } = schemaValidation;
    assert.is(passed + failed, total);
    assert.is(failed, failedFields.length + duplicateFields.length);
    assert.is(mismatches, typeMismatchFields.length);
    const own = validateSchema(entity, table(...entity)).schemaValidation;
    assert.is(own.failedFields, undefined, 'a tree has all that it has');
  }
});

test.run();
