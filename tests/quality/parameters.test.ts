import * as assert from 'uvu/assert';
import type { DeclaredTestParameter, TestParameterValue } from '../../src/model/schemas/quality/test-case.ts';
import { checkTestParameters, type TestDefinitionParameters } from '../../src/quality/parameters.ts';
import { suite } from '../support/suite.ts';

/** Shows that parameters of test cases are validated against their test definition. */

const test = suite('quality: parameters');

const define = (
  parameters: readonly DeclaredTestParameter[],
  more: Partial<TestDefinitionParameters> = {},
): TestDefinitionParameters => ({
  name: 'someTest',
  target: 'TABLE',
  platforms: ['OpenMetadata'],
  parameters,
  isEnabled: true,
  ...more,
});

const given = (values: Readonly<Record<string, string | undefined>>): TestParameterValue[] =>
  Object.entries(values).map(([name, value]) => (value === undefined ? { name } : { name, value }));

/** What speaks against values, or undefined. */
const objection = (
  definition: TestDefinitionParameters,
  values: Readonly<Record<string, string | undefined>>,
): string | undefined => checkTestParameters(definition, given(values))?.message;

const accepts = (definition: TestDefinitionParameters, values: Readonly<Record<string, string | undefined>>): void =>
  assert.is(objection(definition, values), undefined);

test('an undefined name is refused with the list of defined ones', () => {
  const definition = define([{ name: 'low' }, { name: 'high' }]);
  accepts(definition, { low: 'a' });
  assert.is(
    objection(definition, { low: 'a', depth: 'b' }),
    'Parameter depth is not defined by the test definition someTest, which defines low, high',
  );
});

test('any name is refused when the definition has no parameters', () => {
  assert.is(
    objection(define([]), { depth: '1' }),
    'Parameter depth is not defined: the test definition someTest has no parameters',
  );
  accepts(define([]), {});
});

test('threshold and thresholdUnit are allowed everywhere', () => {
  accepts(define([]), { threshold: '5', thresholdUnit: 'PERCENTAGE' });
  accepts(define([{ name: 'low' }]), { threshold: '5' });
  assert.match(String(objection(define([]), { threshold: 'much' })), /threshold must be a number, not much/);
});

test('unknown parameter names are accepted for GreatExpectations and tableDiff', () => {
  accepts(define([{ name: 'low' }], { platforms: ['dbt', 'GreatExpectations'] }), { mostly: '0.9' });
  accepts(define([], { platforms: ['GreatExpectations'] }), { mostly: '0.9' });
  accepts(define([{ name: 'table2', required: true }], { name: 'tableDiff' }), { table2: 'a.b', 'table3.where': 'x' });
  assert.ok(objection(define([{ name: 'low' }], { platforms: ['dbt'] }), { mostly: '0.9' }));
});

test('a required parameter must have a value', () => {
  const definition = define([
    { name: 'low', dataType: 'INT' },
    { name: 'text', required: true },
    { name: 'count', required: true, dataType: 'INT' },
  ]);
  const missing = (name: string, of = 'someTest') =>
    `Required parameter ${name} of the test definition ${of} is missing`;
  assert.is(objection(definition, {}), missing('text'));
  assert.is(objection(definition, { text: 'a' }), missing('count'));
  assert.is(objection(definition, { text: undefined, count: '1' }), missing('text'));
  assert.is(objection(definition, { text: 'a', count: ' ' }), missing('count'), 'an empty form says nothing');
  accepts(definition, { text: '', count: '1' });
  assert.is(
    objection(define([{ name: 'table2', required: true }], { name: 'tableDiff' }), {}),
    missing('table2', 'tableDiff'),
  );
});

test('values have the format of their type', () => {
  const forms: readonly [NonNullable<DeclaredTestParameter['dataType']>, readonly string[], readonly string[]][] = [
    ['NUMBER', ['1', '-1.5', '1e3', ' 7 '], ['one', '1,5', '1 2', 'NaN', 'Infinity']],
    ['INT', ['1', '0', '-7', '1.5'], ['many', '1.5.2']],
    ['FLOAT', ['1.5'], ['x']],
    ['DOUBLE', ['1.5'], ['x']],
    ['DECIMAL', ['1.5'], ['x']],
    ['BOOLEAN', ['true', 'False', ' TRUE '], ['yes', '1']],
    ['TIMESTAMP', ['1763700000000', '2025-11-21T10:00:00Z'], ['soon']],
    ['DATE', ['2025-11-21'], ['someday']],
    ['DATETIME', ['2025-11-21T10:00:00'], ['later']],
    ['TIME', ['10:30', '10:30:15.5'], ['noon']],
    ['ARRAY', ['["a"]', "['a', 'b']", 'a,b', ''], []],
    ['MAP', ['{"a": 1}', "{'a': 1}"], []],
    ['SET', ['{1, 2}'], []],
    ['STRING', ['', 'anything'], []],
  ];
  for (const [dataType, good, bad] of forms) {
    const definition = define([{ name: 'value', dataType }]);
    for (const value of good) accepts(definition, { value });
    for (const value of bad) {
      assert.match(String(objection(definition, { value })), new RegExp(`^Parameter value must be .+, not ${value}$`));
    }
  }
});

const between = (rule: NonNullable<DeclaredTestParameter['validationRule']>['rule']): TestDefinitionParameters =>
  define([
    { name: 'value', dataType: 'INT', validationRule: { parameterField: 'other', rule } },
    { name: 'other', dataType: 'INT' },
  ]);

test('dependent values are compared, with a small tolerance', () => {
  const rows: readonly [NonNullable<DeclaredTestParameter['validationRule']>['rule'], string, boolean][] = [
    ['LESS_THAN_OR_EQUALS', '9', true],
    ['LESS_THAN_OR_EQUALS', '10', true],
    ['LESS_THAN_OR_EQUALS', '10.00005', true],
    ['LESS_THAN_OR_EQUALS', '10.001', false],
    ['LESS_THAN_OR_EQUALS', '11', false],
    ['GREATER_THAN_OR_EQUALS', '11', true],
    ['GREATER_THAN_OR_EQUALS', '10', true],
    ['GREATER_THAN_OR_EQUALS', '9.99995', true],
    ['GREATER_THAN_OR_EQUALS', '9', false],
    ['EQUALS', '10', true],
    ['EQUALS', '10.00005', true],
    ['EQUALS', '10.001', false],
    ['NOT_EQUALS', '10.001', true],
    ['NOT_EQUALS', '10.00005', false],
  ];
  for (const [rule, value, holds] of rows) {
    const said = objection(between(rule), { value, other: '10' });
    assert.is(said === undefined, holds, `${value} ${rule} 10: ${said}`);
    if (said !== undefined)
      assert.match(said, new RegExp(`^Parameter value \\(${value}\\) must be .+ other \\(10\\)$`));
  }
});

test('values that are no numbers, or have no counterpart, are not compared', () => {
  const texts = define([
    { name: 'value', dataType: 'STRING', validationRule: { parameterField: 'other', rule: 'LESS_THAN_OR_EQUALS' } },
    { name: 'other', dataType: 'STRING' },
  ]);
  accepts(texts, { value: 'z', other: 'a' });
  accepts(texts, { value: '9', other: 'a' });
  accepts(between('LESS_THAN_OR_EQUALS'), { value: '11' });
  accepts(between('LESS_THAN_OR_EQUALS'), { other: '11' });
});

test('the first of several faults in the order of the contract is reported', () => {
  const definition = define([
    { name: 'low', dataType: 'INT', validationRule: { parameterField: 'high', rule: 'LESS_THAN_OR_EQUALS' } },
    { name: 'high', dataType: 'INT' },
    { name: 'text', required: true },
  ]);
  assert.match(String(objection(definition, { depth: '1', low: '2', high: '1' })), /depth is not defined/);
  assert.match(
    String(objection(definition, { low: '2', high: '1' })),
    /text of the test definition someTest is missing/,
  );
  assert.match(String(objection(definition, { text: 'a', low: '2', high: '1' })), /low \(2\) must be less than/);
});

test.run();
