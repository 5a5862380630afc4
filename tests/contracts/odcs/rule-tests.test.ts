import { readFileSync } from 'node:fs';
import * as assert from 'uvu/assert';
import type { Json, JsonObject } from '../../../src/model/json.ts';
import { checkTestParameters } from '../../../src/quality/parameters.ts';
import {
  column,
  contractOf,
  document,
  edited,
  exported,
  findings,
  firstObject,
  firstProperty,
  imported,
  ordersTable,
  propertiesOf,
  withProperties,
} from '../../support/odcs-mapping.ts';
import { suite } from '../../support/suite.ts';

/** Shows that quality rules are converted to test cases. */

const test = suite('contracts/odcs: rules and test cases');

type Definition = Parameters<typeof checkTestParameters>[0];
type Seed = {
  readonly body: {
    readonly name: string;
    readonly entityType: string;
    readonly testPlatforms: readonly string[];
    readonly parameterDefinition: Definition['parameters'];
  };
};

const DEFINITIONS: ReadonlyMap<string, Definition> = new Map(
  (JSON.parse(readFileSync('seeds/builtin/test-definitions.json', 'utf8')) as readonly Seed[]).map(
    ({ body: { name, entityType, testPlatforms, parameterDefinition } }) => [
      name,
      { name, target: entityType, platforms: testPlatforms, parameters: parameterDefinition, isEnabled: true },
    ],
  ),
);

const onColumn = (...quality: readonly JsonObject[]) =>
  withProperties([{ name: 'status', logicalType: 'string', quality }]);
const onObject = (...quality: readonly JsonObject[]) =>
  withProperties([{ name: 'status', logicalType: 'string' }], { quality });
const tested = (source: JsonObject) => imported(source, { createTestCases: true });
const linesOf = (source: JsonObject) => tested(source).report['qualityRules'] as readonly JsonObject[];

/** The definition and the parameters of the one test that a document asks for; nothing when it asks for none. */
const testOf = (source: JsonObject): readonly [string, JsonObject] | undefined => {
  const { tests } = tested(source);
  assert.ok(tests.length < 2);
  const [one] = tests;
  if (!one) return undefined;
  const definition = DEFINITIONS.get(one.testDefinition);
  assert.ok(definition, one.testDefinition);
  assert.is(definition && checkTestParameters(definition, one.parameterValues), undefined);
  assert.is(definition?.target === 'COLUMN', one.column !== undefined);
  return [one.testDefinition, Object.fromEntries(one.parameterValues.map(({ name, value }) => [name, value]))];
};

const set = (values: readonly Json[]) => ({ allowedValues: JSON.stringify(values), matchEnum: 'true' });
const percent = { thresholdUnit: 'PERCENTAGE' };

test('every column rule has its test definition', () => {
  const rows: readonly (readonly [JsonObject, string, JsonObject])[] = [
    [{ metric: 'nullValues', mustBe: 0 }, 'columnValuesToBeNotNull', {}],
    [{ metric: 'NULLVALUES' }, 'columnValuesToBeNotNull', {}],
    [{ rule: 'nullCount', mustBeLessOrEqualTo: 5 }, 'columnValuesToBeNotNull', { threshold: '5' }],
    [{ rule: 'nullCheck' }, 'columnValuesToBeNotNull', {}],
    [{ rule: 'notNull' }, 'columnValuesToBeNotNull', {}],
    [{ type: 'library', metric: 'duplicateValues' }, 'columnValuesToBeUnique', {}],
    [{ rule: 'duplicateCount', mustBeLessThan: 10 }, 'columnValuesToBeUnique', { threshold: '9' }],
    [{ rule: 'unique' }, 'columnValuesToBeUnique', {}],
    [{ metric: 'invalidValues', arguments: { validValues: ['a', 1] } }, 'columnValuesToBeInSet', set(['a', 1])],
    [
      { metric: 'invalidValues', arguments: { validValues: ['', null] }, mustBeLessOrEqualTo: 5, unit: 'percent' },
      'columnValuesToBeInSet',
      { ...set(['', null]), threshold: '5', ...percent },
    ],
    [{ rule: 'validValues', validValues: ['a'] }, 'columnValuesToBeInSet', set(['a'])],
    [{ metric: 'invalidValues', arguments: { pattern: '^a' }, mustBe: 0 }, 'columnValuesToMatchRegex', { regex: '^a' }],
    [{ rule: 'regex', arguments: { pattern: '^a' } }, 'columnValuesToMatchRegex', { regex: '^a' }],
    [{ rule: 'pattern', pattern: '^a' }, 'columnValuesToMatchRegex', { regex: '^a' }],
    [{ metric: 'missingValues', mustBe: 3 }, 'columnValuesMissingCount', { missingCountValue: '3' }],
    [
      { metric: 'missingValues', mustBe: 0, arguments: { missingValues: ['', 'n/a'] } },
      'columnValuesMissingCount',
      { missingCountValue: '0', missingValueMatch: '["","n/a"]' },
    ],
    [{ rule: 'missingCount', mustBe: 0 }, 'columnValuesMissingCount', { missingCountValue: '0' }],
    [
      { metric: 'completeness', mustBeGreaterOrEqualTo: 99.9, unit: '%' },
      'columnValuesToBeNotNull',
      { threshold: '0.1', ...percent },
    ],
    [{ metric: 'completeness', mustBe: 100, unit: 'percentage' }, 'columnValuesToBeNotNull', {}],
    [
      { metric: 'textLength', mustBeBetween: [1, 10] },
      'columnValueLengthsToBeBetween',
      { minLength: '1', maxLength: '10' },
    ],
    [{ metric: 'textLength', mustBeLessThan: 10 }, 'columnValueLengthsToBeBetween', { maxLength: '9' }],
    [
      { metric: 'valuesBetween', mustBeGreaterOrEqualTo: 0.5, mustBeLessOrEqualTo: 9.5 },
      'columnValuesToBeBetween',
      { minValue: '0.5', maxValue: '9.5' },
    ],
    [{ metric: 'valuesBetween', mustBeGreaterThan: 5 }, 'columnValuesToBeBetween', { minValue: '6' }],
  ];
  for (const [rule, definition, parameters] of rows) {
    assert.equal(testOf(onColumn(rule)), [definition, parameters], JSON.stringify(rule));
    assert.equal(linesOf(onColumn(rule))[0]?.['outcome'], 'testCase');
  }
});

test('object rules and queries have their test definitions', () => {
  const sql = (sqlExpression: string, operator: string, threshold: string, strategy = 'COUNT') => ({
    sqlExpression,
    strategy,
    operator,
    threshold,
  });
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how documents write it.
  const query = 'select count(*) from ${object} where {property} < 0';
  const filled = 'select count(*) from orders where status < 0';
  const rows: readonly (readonly [JsonObject, string, JsonObject])[] = [
    [onObject({ metric: 'rowCount', mustBe: 7 }), 'tableRowCountToEqual', { value: '7' }],
    [onObject({ rule: 'countCheck', mustBe: 7 }), 'tableRowCountToEqual', { value: '7' }],
    [onObject({ metric: 'rowCount', mustBeGreaterThan: 1000000 }), 'tableRowCountToBeBetween', { minValue: '1000001' }],
    [
      onObject({ metric: 'rowCount', mustBeBetween: [1, 5] }),
      'tableRowCountToBeBetween',
      { minValue: '1', maxValue: '5' },
    ],
    [onColumn({ type: 'sql', query, mustBe: 0 }), 'tableCustomSQLQuery', sql(filled, '==', '0')],
    [onColumn({ query, mustNotBe: 1.5 }), 'tableCustomSQLQuery', sql(filled, '!=', '1.5')],
    [
      onObject({ type: 'sql', query: '{object}', mustBeGreaterThan: 1 }),
      'tableCustomSQLQuery',
      sql('orders', '>', '1'),
    ],
    [onObject({ type: 'sql', query: 'q', mustBeGreaterOrEqualTo: 1 }), 'tableCustomSQLQuery', sql('q', '>=', '1')],
    [onObject({ type: 'sql', query: 'q', mustBeLessThan: 1 }), 'tableCustomSQLQuery', sql('q', '<', '1')],
    [onObject({ type: 'sql', query: 'q', mustBeLessOrEqualTo: 1 }), 'tableCustomSQLQuery', sql('q', '<=', '1')],
    [
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how documents write it.
      onObject({ type: 'sql', query: 'select 1 from ${table} GROUP\n BY a', mustBe: 1 }),
      'tableCustomSQLQuery',
      sql('select 1 from orders GROUP\n BY a', '==', '1', 'ROWS'),
    ],
    [onObject({ metric: 'nullValues', column: 'status' }), 'columnValuesToBeNotNull', {}],
    [onObject({ metric: 'rowCount', mustBe: 1, column: 'orders' }), 'tableRowCountToEqual', { value: '1' }],
  ];
  for (const [source, definition, parameters] of rows) {
    assert.equal(testOf(source), [definition, parameters], JSON.stringify(source['schema']));
  }
});

test('a spelled-out test is used unchanged', () => {
  const implementation = {
    name: 'my test',
    testDefinition: 'columnValueMinToBeBetween',
    parameterValues: [
      { name: 'minValueForMinInCol', value: 3 },
      { name: 'maxValueForMinInCol', value: '9' },
    ],
  };
  for (const said of [implementation, JSON.stringify(implementation)] as Json[]) {
    const [one] = tested(onColumn({ type: 'custom', engine: 'OpenMetadata', implementation: said })).tests;
    assert.equal(one, {
      name: 'my test',
      testDefinition: 'columnValueMinToBeBetween',
      column: 'status',
      parameterValues: [
        { name: 'minValueForMinInCol', value: '3' },
        { name: 'maxValueForMinInCol', value: '9' },
      ],
    });
  }
});

test('a rule without a matching test is not run, with a reason', () => {
  const column: readonly JsonObject[] = [
    { metric: 'nullValues', mustNotBe: 0 },
    { metric: 'nullValues', mustBe: 3 },
    { metric: 'nullValues', mustBeLessThan: 1.5 },
    { metric: 'nullValues', mustBeLessThan: 5, unit: 'percent' },
    { metric: 'nullValues', mustBeLessOrEqualTo: 101, unit: '%' },
    { metric: 'nullValues', mustBeLessOrEqualTo: -1 },
    { metric: 'nullValues', mustBeGreaterOrEqualTo: 0, mustBeLessOrEqualTo: 5 },
    { metric: 'invalidValues' },
    { metric: 'invalidValues', arguments: { validValues: [] } },
    { rule: 'regex' },
    { metric: 'missingValues', mustBe: 1.5 },
    { metric: 'missingValues', mustBe: 5, unit: 'percent' },
    { metric: 'completeness', mustBeGreaterOrEqualTo: 95 },
    { metric: 'completeness', mustBeGreaterThan: 95, unit: 'percent' },
    { metric: 'completeness', mustBeLessOrEqualTo: 95, unit: 'percent' },
    { metric: 'textLength', mustBe: 5 },
    { metric: 'textLength', mustBeBetween: [5, 1] },
    { metric: 'valuesBetween', mustNotBeBetween: [1, 5] },
    { metric: 'valuesBetween', mustBeGreaterThan: 1.5 },
    { metric: 'rowCount', mustBe: 5 },
    { metric: 'distinctValues', mustBe: 5 },
    { metric: 'constructor' },
    { rule: 'minCheck' },
    { type: 'library' },
    { type: 'sql', mustBe: 0 },
    { type: 'sql', query: 'q' },
    { type: 'sql', query: 'q', mustBe: 'a' },
    { type: 'sql', query: 'q', mustBeBetween: [1, 2] },
    { type: 'sql', query: 'q', mustBe: 1, mustNotBe: 2 },
    { type: 'custom', engine: 'soda', implementation: 'x' },
    { type: 'custom', engine: 'openmetadata', implementation: 'x' },
    { type: 'custom', engine: 'openmetadata', implementation: '[{'.repeat(200) },
    { type: 'custom' },
    { type: 'text', description: 'Be good.' },
    { type: 'strange' },
    {},
  ];
  for (const rule of column) {
    assert.is(testOf(onColumn(rule)), undefined, JSON.stringify(rule));
    const [line = {}] = linesOf(onColumn(rule));
    assert.is(line['outcome'], 'notExecuted');
    assert.type(line['reason'], 'string');
    assert.is(line['column'], 'status');
  }
  const object: readonly JsonObject[] = [
    { metric: 'duplicateValues' },
    { metric: 'nullValues' },
    { metric: 'rowCount' },
    { rule: 'countCheck' },
    { metric: 'rowCount', mustBe: 5, unit: 'percent' },
    { metric: 'rowCount', mustBeGreaterOrEqualTo: 1.5 },
    { metric: 'nullValues', column: 'ghost' },
    { type: 'custom', engine: 'openmetadata', implementation: { testDefinition: 'columnValuesToBeUnique' } },
  ];
  for (const rule of object) assert.is(testOf(onObject(rule)), undefined, JSON.stringify(rule));
  assert.is(testOf(withProperties([{ name: 'ghost', quality: [{ metric: 'nullValues' }] }])), undefined);
});

test('test cases are created on request only, and only for tables', () => {
  const source = onColumn({ metric: 'nullValues' }, { metric: 'freshness', mustBe: 1, unit: 'd' });
  const plain = imported(source);
  assert.equal(plain.tests, []);
  assert.is(plain.contract['sla'], undefined);
  assert.equal(plain.report['canCreateTestCases'], true);
  const topic = imported(source, { createTestCases: true, target: { ...ordersTable, entityType: 'topic' } });
  assert.equal(topic.tests, []);
  assert.equal(topic.report['canCreateTestCases'], false);
  for (const { report } of [plain, topic]) {
    for (const line of report['qualityRules'] as readonly JsonObject[]) assert.is(line['outcome'], 'notExecuted');
  }
});

test('freshness becomes an SLA, and an explicit one wins', () => {
  const daily = { metric: 'freshness', mustBe: 1, unit: 'd' };
  const at = (name: string, rule: JsonObject, more: JsonObject = {}) =>
    tested({ ...withProperties([{ name, quality: [rule] }]), ...more });
  const sla = { refreshFrequency: { interval: 1, unit: 'day' } };
  assert.equal(at('updated_at', daily).contract['sla'], { ...sla, columnName: 'updated_at' });
  assert.equal(at('UPDATED_AT', daily).contract['sla'], { ...sla, columnName: 'updated_at' });
  assert.equal(tested(onObject({ ...daily, mustBe: undefined as never, mustBeLessOrEqualTo: 1 })).contract['sla'], sla);
  const stated = (value: number) => ({ slaProperties: [{ property: 'freshness', value, unit: 'd', element: 'o.id' }] });
  const same = at('updated_at', daily, stated(1));
  assert.equal(same.contract['sla'], { ...sla, columnName: 'id' });
  const other = at('updated_at', daily, stated(2));
  assert.equal(other.contract['sla'], { refreshFrequency: { interval: 2, unit: 'day' }, columnName: 'id' });
  assert.equal(findings(other), ['warning quality undefined']);
  const outcome = ({ report }: typeof same) => (report['qualityRules'] as readonly JsonObject[])[0]?.['outcome'];
  assert.equal([outcome(same), outcome(other)], ['sla', 'notExecuted']);
  for (const rule of [
    { ...daily, unit: 'min' },
    { ...daily, mustBe: 0 },
    { ...daily, mustBe: 1.5 },
    { metric: 'freshness', mustBe: 1 },
    { metric: 'freshness', mustBeLessThan: 2, unit: 'd' },
  ]) {
    assert.is(at('updated_at', rule).contract['sla'], undefined, JSON.stringify(rule));
  }
});

test('test cases are named by id or after the rule, numbered when they clash on one target', () => {
  const names = (source: JsonObject) => tested(source).tests.map(({ name }) => name);
  const rule = { metric: 'nullValues' };
  assert.equal(names(onColumn({ ...rule, id: 'my id.1' })), ['my id.1']);
  assert.equal(names(onColumn({ ...rule, id: 'a::b', name: 'No  Nulls, please!' })), ['odcs_no_nulls_please']);
  assert.equal(names(onColumn(rule, rule, rule)), ['odcs_nullvalues', 'odcs_nullvalues_2', 'odcs_nullvalues_3']);
  assert.equal(names(onColumn({ type: 'sql', query: 'q', mustBe: 1 })), ['odcs_sql']);
  assert.equal(names(onColumn({ ...rule, name: 'Ünïcode Ärger' })), ['odcs_ünïcode_ärger']);
  assert.equal(names(onColumn({ ...rule, name: '!!!' })), ['odcs_nullvalues']);
  assert.is(names(onColumn({ ...rule, name: 'x'.repeat(500) }))[0]?.length, 125);
  const apart = withProperties([
    { name: 'id', quality: [rule] },
    { name: 'status', quality: [rule] },
  ]);
  assert.equal(names(apart), ['odcs_nullvalues', 'odcs_nullvalues']);
});

test('a test case describes its rule, on the column as the table spells it', () => {
  const quality = [{ metric: 'nullValues', name: 'Whole', description: 'No gaps.', businessImpact: 'Bad reports.' }];
  const source = withProperties([{ name: 'Address', logicalType: 'object', properties: [{ name: 'ZIP', quality }] }]);
  assert.equal(tested(source).tests, [
    {
      name: 'odcs_whole',
      displayName: 'Whole',
      description: 'No gaps.\n\nBusiness impact: Bad reports.',
      testDefinition: 'columnValuesToBeNotNull',
      column: 'address.zip',
      parameterValues: [],
    },
  ]);
  assert.equal(linesOf(source), [
    {
      name: 'Whole',
      column: 'Address.ZIP',
      outcome: 'testCase',
      testDefinition: 'columnValuesToBeNotNull',
      testCaseName: 'odcs_whole',
    },
  ]);
});

test('rules are stored as written, each with its column', () => {
  const implementation = { type: 'duplicates', columns: ['a'] };
  const source = {
    ...withProperties([{ name: 'id', quality: [{ type: 'custom', engine: 'soda', implementation, tags: [] }] }], {
      quality: [{ type: 'text', description: 'd', extra: { a: null } }],
    }),
    quality: [{ metric: 'rowCount', mustBe: 1 }],
  };
  assert.equal(contractOf(source)['odcsQualityRules'], [
    { metric: 'rowCount', mustBe: 1 },
    { type: 'text', description: 'd', extra: { a: null } },
    { type: 'custom', engine: 'soda', implementation: JSON.stringify(implementation), tags: [], column: 'id' },
  ]);
  assert.equal(exported(contractOf(source), source), source);
});

test('changed rules change in place, and others stay as written', () => {
  const implementation = { a: [1] };
  const soda = { type: 'custom', engine: 'soda', implementation, description: 'old' };
  const [one, two] = [
    { id: 'one', metric: 'nullValues', mustBe: 0 },
    { metric: 'duplicateValues', mustBe: 0 },
  ];
  const source = withProperties([{ name: 'id', quality: [one, two, soda] }, { name: 'status' }], {
    quality: [{ type: 'text', description: 'd' }],
  });
  const result = edited(source, (contract) => {
    const [text = {}, first = {}, , third = {}] = contract['odcsQualityRules'] as readonly JsonObject[];
    return {
      ...contract,
      odcsQualityRules: [
        { ...third, description: 'new' },
        { ...first, mustBe: 1 },
        text,
        { metric: 'rowCount', mustBe: 5, column: 'orders' },
        { metric: 'nullValues', mustBe: 0, column: 'status' },
      ],
    };
  });
  assert.equal(firstObject(result)['quality'], [
    { type: 'text', description: 'd' },
    { metric: 'rowCount', mustBe: 5 },
  ]);
  const [id, status] = propertiesOf(result);
  assert.equal(id?.['quality'], [
    { ...soda, description: 'new' },
    { ...one, mustBe: 1 },
  ]);
  assert.equal(status?.['quality'], [{ metric: 'nullValues', mustBe: 0 }]);
  const none = edited(source, ({ odcsQualityRules: _rules, ...contract }) => contract);
  assert.is(firstObject(none)['quality'], undefined);
  assert.is(firstProperty(none)['quality'], undefined);
});

test('rules are written for a contract without a document, with names for undescribed columns', () => {
  const contract = {
    odcsQualityRules: [
      { metric: 'rowCount', mustBe: 1 },
      { metric: 'nullValues', mustBe: 0, column: 'amount' },
      { metric: 'nullValues', mustBe: 0, column: 'address.zip' },
    ],
    schema: [column('id', 'INT')],
  };
  const written = exported(contract);
  assert.equal(firstObject(written)['quality'], [{ metric: 'rowCount', mustBe: 1 }]);
  const nulls = [{ metric: 'nullValues', mustBe: 0 }];
  assert.equal(propertiesOf(written), [
    { name: 'id', physicalName: 'id', logicalType: 'integer', physicalType: 'int' },
    { name: 'amount', physicalName: 'amount', logicalType: 'number', physicalType: 'decimal', quality: nulls },
    {
      name: 'address',
      physicalName: 'address',
      logicalType: 'object',
      physicalType: 'struct',
      properties: [{ name: 'zip', physicalName: 'zip', logicalType: 'string', physicalType: 'string', quality: nulls }],
    },
  ]);
});

const values = (parameters: Readonly<Record<string, string>>) =>
  Object.entries(parameters).map(([name, value]) => ({ name, value }));

const ruleFor = (testDefinition: string, parameters: Readonly<Record<string, string>>): JsonObject => {
  const testCase = { name: 't', testDefinition, column: 'id', parameterValues: values(parameters) };
  const [rule = {}] = firstProperty(exported({ schema: [column('id', 'INT')] }, undefined, { testCases: [testCase] }))[
    'quality'
  ] as readonly JsonObject[];
  const { id, ...rest } = rule;
  assert.is(id, 't');
  return rest;
};

test('linked test cases without a rule are written as matching rules', () => {
  const library = { type: 'library' };
  const rows: readonly (readonly [string, Readonly<Record<string, string>>, JsonObject])[] = [
    ['columnValuesToBeNotNull', {}, { metric: 'nullValues', mustBe: 0 }],
    ['columnValuesToBeNotNull', { threshold: '5' }, { metric: 'nullValues', mustBeLessOrEqualTo: 5 }],
    [
      'columnValuesToBeUnique',
      { threshold: '5', thresholdUnit: 'PERCENTAGE' },
      { metric: 'duplicateValues', mustBeLessOrEqualTo: 5, unit: 'percent' },
    ],
    [
      'columnValuesToBeInSet',
      { allowedValues: '["a",1]', matchEnum: 'true' },
      { metric: 'invalidValues', arguments: { validValues: ['a', 1] }, mustBe: 0 },
    ],
    ['columnValuesToMatchRegex', { regex: '^a' }, { metric: 'invalidValues', arguments: { pattern: '^a' }, mustBe: 0 }],
    [
      'columnValuesMissingCount',
      { missingCountValue: '2', missingValueMatch: '["x"]' },
      { metric: 'missingValues', arguments: { missingValues: ['x'] }, mustBe: 2 },
    ],
    ['tableRowCountToEqual', { value: '9' }, { metric: 'rowCount', mustBe: 9 }],
    ['tableRowCountToBeBetween', { minValue: '1', maxValue: '9' }, { metric: 'rowCount', mustBeBetween: [1, 9] }],
    ['tableRowCountToBeBetween', { minValue: '9', maxValue: '9' }, { metric: 'rowCount', mustBe: 9 }],
    ['tableRowCountToBeBetween', { minValue: '1' }, { metric: 'rowCount', mustBeGreaterOrEqualTo: 1 }],
    ['tableRowCountToBeBetween', { maxValue: '1' }, { metric: 'rowCount', mustBeLessOrEqualTo: 1 }],
  ];
  for (const [definition, parameters, rule] of rows) {
    assert.equal(ruleFor(definition, parameters), { ...library, ...rule }, definition);
  }
  assert.equal(
    ruleFor('tableCustomSQLQuery', { sqlExpression: 'q', strategy: 'COUNT', operator: '>=', threshold: '3' }),
    { type: 'sql', query: 'q', mustBeGreaterOrEqualTo: 3 },
  );
});

test('any other test case is spelled out and read back unchanged', () => {
  const rows: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['columnValueMaxToBeBetween', { minValueForMaxInCol: '1' }],
    ['columnValuesToBeInSet', { allowedValues: '["a"]' }],
    ['columnValuesToBeInSet', { allowedValues: "['a']", matchEnum: 'true' }],
    ['columnValuesMissingCount', { missingCountValue: '2', threshold: '1' }],
    ['columnValuesToBeNotNull', { threshold: 'many' }],
    ['columnValuesToBeNotNull', { dimensionFailurePolicy: 'ANY_DIMENSION' }],
    ['mine', {}],
  ];
  for (const [testDefinition, parameters] of rows) {
    const rule = ruleFor(testDefinition, parameters);
    assert.equal([rule['type'], rule['engine']], ['custom', 'openmetadata'], testDefinition);
    const [again] = tested(withProperties([{ name: 'id', quality: [rule] }])).tests;
    assert.equal(again, { name: 't', testDefinition, column: 'id', parameterValues: values(parameters) });
  }
  const rows2: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['tableCustomSQLQuery', { sqlExpression: 'q', strategy: 'ROWS', operator: '<=', threshold: '3' }],
    ['tableCustomSQLQuery', { sqlExpression: 'q', strategy: 'COUNT', threshold: '3' }],
    ['tableRowCountToEqual', { value: '9', threshold: '1' }],
    ['tableRowCountToBeBetween', {}],
  ];
  for (const [definition, parameters] of rows2)
    assert.is(ruleFor(definition, parameters)['type'], 'custom', definition);
});

test('table tests, column links, references and invalid ids are handled', () => {
  const testCases = [
    {
      name: 'rows.1',
      displayName: 'Rows',
      description: 'd',
      testDefinition: { id: 'x', type: 'testDefinition', fullyQualifiedName: 'tableRowCountToEqual' },
      entityLink: '<#E::table::shop.pg.public.orders>',
      parameterValues: values({ value: '1' }),
    },
    {
      name: 'zip',
      testDefinition: 'columnValuesToBeNotNull',
      entityLink: '<#E::table::shop.pg.public.orders::columns::address.zip>',
    },
  ];
  const written = exported({}, undefined, { testCases });
  assert.equal(firstObject(written)['quality'], [
    { name: 'Rows', description: 'd', type: 'library', metric: 'rowCount', mustBe: 1 },
  ]);
  const [zip] = firstProperty(written)['properties'] as readonly JsonObject[];
  assert.equal(zip?.['quality'], [{ id: 'zip', type: 'library', metric: 'nullValues', mustBe: 0 }]);
});

test('a test case of a rule is not written twice', () => {
  const source = onColumn({ metric: 'nullValues', mustBe: 0, name: 'Whole' });
  const { contract, tests } = tested(source);
  assert.is(tests.length, 1);
  assert.equal(exported(contract, source, { testCases: tests as never }), source);
  const [rule] = firstProperty(exported({ ...contract, odcsQualityRules: [] }, source, { testCases: tests as never }))[
    'quality'
  ] as readonly JsonObject[];
  assert.equal(rule, { id: 'odcs_whole', name: 'Whole', type: 'library', metric: 'nullValues', mustBe: 0 });
});

test('a frequency that a rule promises is not written twice', () => {
  const source = onColumn({ metric: 'freshness', mustBe: 1, unit: 'd' });
  const { contract } = tested(source);
  assert.ok(contract['sla']);
  assert.equal(exported(contract, source), source);
  assert.equal(exported(contract, source, { imported: contract }), source);
  const sla = { refreshFrequency: { interval: 2, unit: 'day' } };
  assert.equal(exported({ ...contract, sla }, source, { imported: contract })['slaProperties'], [
    { property: 'freshness', value: '2', unit: 'day' },
  ]);
});

test('rules without an object stay at the top level', () => {
  const source = document({
    quality: [{ metric: 'rowCount', mustBe: 1 }],
    schema: [{ name: 'id', logicalType: 'integer' }],
  });
  const result = edited(source, (contract) => ({
    ...contract,
    odcsQualityRules: [
      { metric: 'rowCount', mustBe: 2 },
      { type: 'text', description: 'd' },
    ],
  }));
  assert.equal(result['quality'], [
    { metric: 'rowCount', mustBe: 2 },
    { type: 'text', description: 'd' },
  ]);
});

test.run();
