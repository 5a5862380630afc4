import * as assert from 'uvu/assert';
import { isNarrowerType } from '../../src/insight/changes/narrower-type.ts';
import { suite } from '../support/suite.ts';

/** Shows which new types of a column may no longer hold its old values. */

const test = suite('insight: narrower types');

const isNarrower = (before: string, after: string): boolean =>
  isNarrowerType({ dataType: before }, { dataType: after });

test('a type is narrower when it holds less of the same, or something else', () => {
  for (const [wide, narrow] of [
    ['BIGINT', 'INT'],
    ['INT', 'SMALLINT'],
    ['DOUBLE', 'FLOAT'],
    ['TEXT', 'VARCHAR'],
    ['VARCHAR', 'CHAR'],
    ['TIMESTAMP', 'DATE'],
    ['BLOB', 'BINARY'],
    ['DECIMAL', 'BIGINT'],
    ['INT', 'BOOLEAN'],
    ['STRING', 'INT'],
    ['STRING', 'DATE'],
  ] as const) {
    assert.is(isNarrower(wide, narrow), true, `${wide} → ${narrow}`);
    assert.is(isNarrower(narrow, wide), false, `${narrow} → ${wide}`);
  }
});

test('types that do not compare count as narrower, and other names of a type do not', () => {
  for (const [before, after] of [
    ['DATE', 'INT'],
    ['TIME', 'DATE'],
    ['STRUCT', 'ARRAY'],
    ['BLOB', 'TEXT'],
    ['GEOGRAPHY', 'POINT'],
  ] as const)
    assert.is(isNarrower(before, after), true, `${before} → ${after}`);
  for (const [before, after] of [
    ['int', 'INT'],
    ['DECIMAL', 'NUMERIC'],
    ['STRING', 'TEXT'],
    ['DATE', 'VARCHAR'],
  ] as const)
    assert.is(isNarrower(before, after), false, `${before} → ${after}`);
});

test('sizes matter where the type stays', () => {
  assert.is(isNarrowerType({ dataLength: 20 }, { dataLength: 10 }), true);
  assert.is(isNarrowerType({ dataLength: 10 }, { dataLength: 20 }), false);
  assert.is(isNarrowerType({}, { dataLength: 20 }), true);
  assert.is(isNarrowerType({ dataLength: 20 }, {}), false);
  assert.is(isNarrowerType({ precision: 10, scale: 4 }, { precision: 10, scale: 2 }), true);
  assert.is(isNarrowerType({ precision: 10 }, { precision: 12 }), false);
  assert.is(isNarrowerType({ dataType: 'VARCHAR' }, { dataType: 'TEXT' }), false);
  assert.is(isNarrowerType({ arrayDataType: 'BIGINT' }, { arrayDataType: 'INT' }), true);
});

test.run();
