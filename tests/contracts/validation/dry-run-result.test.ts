import * as assert from 'uvu/assert';
import { buildDryRunResult, describeColumnErrors } from '../../../src/contracts/validation/dry-run-result.ts';
import { validateSchema } from '../../../src/contracts/validation/schema.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import { suite } from '../../support/suite.ts';

/** Shows that a dry run reports the faults of a contract. */

const test = suite('contracts/validation: dry run result');

const column = (name: string, dataType = 'INT', ...children: JsonObject[]): JsonObject => ({
  name,
  dataType,
  children,
});
const judge = (promised: readonly JsonObject[], ...columns: JsonObject[]) =>
  validateSchema(promised, { kind: 'columns', columns }).schemaValidation;

test('missing and duplicate columns are errors, each named', () => {
  const promised = [
    column('a'),
    column('a'),
    column('b'),
    column('b'),
    column('c'),
    column('s', 'STRUCT', column('x')),
  ];
  const found = judge(promised, column('a'), column('b'), column('s', 'STRUCT'));
  assert.equal(describeColumnErrors(found), [
    '[schema has the columns a, b more than once]',
    '[schema names the unknown columns c, s.x]',
  ]);
  assert.equal(describeColumnErrors(judge([column('a'), column('a')], column('b'))), [
    '[schema has the column a more than once]',
    '[schema names the unknown column a]',
  ]);
});

test('duplicates are errors at the top level only', () => {
  const promised = [column('s', 'STRUCT', column('x'), column('x'))];
  assert.equal(describeColumnErrors(judge(promised, ...promised)), []);
  assert.equal(describeColumnErrors(judge([column('a.b'), column('a.b')], column('a.b'))), [
    '[schema has the column "a.b" more than once]',
  ]);
});

test('a contract without errors is valid, even with different types', () => {
  const mismatched = judge([column('a', 'INT')], column('a', 'TEXT'));
  assert.equal(describeColumnErrors(mismatched), []);
  assert.equal(buildDryRunResult([], describeColumnErrors(mismatched), mismatched), {
    valid: true,
    schemaValidation: mismatched,
  });
  assert.equal(buildDryRunResult([], []), { valid: true });
  assert.equal(buildDryRunResult(['e'], []), { valid: false, entityErrors: ['e'] });
  assert.equal(buildDryRunResult([], ['c']), { valid: false, constraintErrors: ['c'] });
  assert.equal(buildDryRunResult(['e'], ['c']), { valid: false, entityErrors: ['e'], constraintErrors: ['c'] });
});

test.run();
