import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { expectRefused, ok } from '../support/expect.ts';
import {
  CONTRACTS,
  createOdcsExchange,
  type OdcsExchange,
  odcsJson,
  odcsPath,
  odcsRoot,
} from '../support/odcs-exchange.ts';
import { CASES, createQualityTests, type QualityTests } from '../support/quality-tests.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import { openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { missing, objections } from './odcs/official.ts';

/** Shows that quality rules of documents become test cases and are updated. */

const test = suite('contracts: quality rules of ODCS documents');

let service: Service;
let testing: QualityTests;
let exchange: OdcsExchange;
let rights: RightsFactory;
test.before(async () => {
  service = await openService();
  testing = createQualityTests(service);
  exchange = createOdcsExchange(service);
  rights = createRightsFactory(service);
});
test.after(() => rights.clear());

const COLUMNS = [
  { name: 'code', dataType: 'STRING' },
  { name: 'num', dataType: 'INT' },
];

type Rules = readonly JsonObject[];

/** A document with rules on the column `code` and on its object. */
const withRules = (column: Rules, object: Rules = [], more: JsonObject = {}): JsonObject =>
  odcsJson({
    schema: [
      {
        name: 'orders',
        logicalType: 'object',
        ...(object.length > 0 ? { quality: object } : {}),
        properties: [
          { name: 'code', logicalType: 'string', ...(column.length > 0 ? { quality: column } : {}) },
          { name: 'num', logicalType: 'integer' },
        ],
      },
    ],
    ...more,
  } as unknown as JsonObject);

const TESTED = { createTestCases: 'true' };

const idsOf = (refs: readonly { readonly id: string }[] = []): readonly string[] => refs.map(({ id }) => id).sort();

/** The tests of a table and its columns, by their names. */
const testsOf = async (table: { fullyQualifiedName: string }) => {
  const entityLink = encodeURIComponent(`<#E::table::${table.fullyQualifiedName}>`);
  const { data } = ok(
    await service.admin.get(`${CASES}?entityLink=${entityLink}&includeAllTests=true&limit=1000&fields=testDefinition`),
  );
  return new Map<string, JsonObject>(data.map((one: JsonObject) => [String(one['name']), one]));
};

const parametersOf = ({ parameterValues = [] }: JsonObject): JsonObject =>
  Object.fromEntries(
    (parameterValues as readonly JsonObject[]).map(({ name, value }) => [String(name), value ?? null]),
  );

const definitionOf = ({ testDefinition }: JsonObject): unknown => (testDefinition as JsonObject)['name'];

/** Rules with the test that each becomes; no test where none says the same. */
const ON_COLUMN: readonly (readonly [rule: JsonObject, definition?: string, parameters?: JsonObject])[] = [
  [{ metric: 'nullValues', mustBe: 0 }, 'columnValuesToBeNotNull', {}],
  [{ rule: 'nullCheck' }, 'columnValuesToBeNotNull', {}],
  [{ rule: 'notNull', mustBeLessOrEqualTo: 5 }, 'columnValuesToBeNotNull', { threshold: '5' }],
  [{ metric: 'nullValues', mustBeLessThan: 5 }, 'columnValuesToBeNotNull', { threshold: '4' }],
  [
    { metric: 'nullValues', mustBeLessOrEqualTo: 5, unit: '%' },
    'columnValuesToBeNotNull',
    { threshold: '5', thresholdUnit: 'PERCENTAGE' },
  ],
  [{ metric: 'nullValues', mustBeGreaterThan: 5 }],
  [{ metric: 'nullValues', mustBeLessOrEqualTo: 101, unit: 'percent' }],
  [{ metric: 'duplicateValues', mustBe: 0 }, 'columnValuesToBeUnique', {}],
  [{ rule: 'duplicateCount', mustBeLessThan: 2 }, 'columnValuesToBeUnique', { threshold: '1' }],
  [
    { metric: 'invalidValues', arguments: { validValues: ['a', 'b'] }, mustBe: 0 },
    'columnValuesToBeInSet',
    { allowedValues: '["a","b"]', matchEnum: 'true' },
  ],
  [{ rule: 'validValues', validValues: [1] }, 'columnValuesToBeInSet', { allowedValues: '[1]', matchEnum: 'true' }],
  [{ metric: 'invalidValues', arguments: { pattern: '^a' }, mustBe: 0 }, 'columnValuesToMatchRegex', { regex: '^a' }],
  [{ rule: 'regex', pattern: '^b' }, 'columnValuesToMatchRegex', { regex: '^b' }],
  [
    { metric: 'missingValues', arguments: { missingValues: ['', 'n/a'] }, mustBe: 3 },
    'columnValuesMissingCount',
    { missingCountValue: '3', missingValueMatch: '["","n/a"]' },
  ],
  [
    { metric: 'completeness', mustBeGreaterOrEqualTo: 98.5, unit: 'percent' },
    'columnValuesToBeNotNull',
    { threshold: '1.5', thresholdUnit: 'PERCENTAGE' },
  ],
  [{ rule: 'textLength', mustBeBetween: [2, 8] }, 'columnValueLengthsToBeBetween', { minLength: '2', maxLength: '8' }],
  [
    { rule: 'valuesBetween', mustBeGreaterThan: 0, mustBeLessThan: 10 },
    'columnValuesToBeBetween',
    { minValue: '1', maxValue: '9' },
  ],
  [
    {
      type: 'custom',
      engine: 'openmetadata',
      implementation: '{"name":"mine","testDefinition":"columnValuesToBeUnique","parameterValues":[]}',
    },
    'columnValuesToBeUnique',
    {},
  ],
  [{ type: 'custom', engine: 'soda', implementation: 'checks' }],
  [{ type: 'text', description: 'said' }],
  [{ metric: 'unheardOf', mustBe: 0 }],
];

const ON_OBJECT: typeof ON_COLUMN = [
  [{ metric: 'rowCount', mustBe: 7 }, 'tableRowCountToEqual', { value: '7' }],
  [{ rule: 'countCheck', mustBe: 8 }, 'tableRowCountToEqual', { value: '8' }],
  [{ rule: 'countCheck' }],
  [{ metric: 'rowCount', mustBeBetween: [1, 9] }, 'tableRowCountToBeBetween', { minValue: '1', maxValue: '9' }],
  [{ metric: 'rowCount', mustBeGreaterThan: 3 }, 'tableRowCountToBeBetween', { minValue: '4' }],
  [
    { type: 'sql', query: 'select count(*) from {object}', mustBeLessThan: 5 },
    'tableCustomSQLQuery',
    { strategy: 'COUNT', operator: '<', threshold: '5' },
  ],
  [
    { type: 'sql', query: 'select a from t group by a', mustBe: 0 },
    'tableCustomSQLQuery',
    { sqlExpression: 'select a from t group by a', strategy: 'ROWS', operator: '==', threshold: '0' },
  ],
  [{ type: 'sql', query: 'select 1', mustBe: 0, mustBeLessThan: 2 }],
  [{ metric: 'duplicateValues', mustBe: 0 }],
];

test('each rule becomes a test case, or is reported as not runnable', async () => {
  const table = await testing.table(COLUMNS);
  const named = (rows: typeof ON_COLUMN, prefix: string) =>
    rows.map(([rule], at) => ({ id: `${prefix}${at}`, name: `Rule ${at}`, ...rule }));
  const document = withRules(named(ON_COLUMN, 'c'), named(ON_OBJECT, 'o'));
  const { odcsImportReport: report } = await exchange.validated(table, document, TESTED);
  const made = await exchange.imported(table, document, TESTED);
  const found = await testsOf(table);
  const rows = [
    ...ON_COLUMN.map((row, at) => [`c${at}`, ...row] as const),
    ...ON_OBJECT.map((row, at) => [`o${at}`, ...row] as const),
  ];
  for (const [id, rule, definition, parameters = {}] of rows) {
    const one = found.get(id);
    const about = JSON.stringify(rule);
    assert.is(one && definitionOf(one), definition, about);
    for (const [name, value] of Object.entries(parameters))
      assert.is(one && parametersOf(one)[name], value, `${name} of ${about}`);
    if (!one) continue;
    assert.is(one['displayName'], `Rule ${id.slice(1)}`);
    const place = /^table/.test(definition ?? '') ? table.fullyQualifiedName : `${table.fullyQualifiedName}.code`;
    assert.is(one['entityFQN'], place);
    assert.is(
      report.qualityRules.find(({ testCaseName }: JsonObject) => testCaseName === id)?.testDefinition,
      definition,
    );
  }
  const wanted = rows.filter(([, , definition]) => definition !== undefined).length;
  assert.is(found.size, wanted);
  assert.is(made.qualityExpectations.length, wanted);
  assert.match(String(parametersOf(found.get('o5') ?? {})['sqlExpression']), new RegExp(`from ${table.name}$`));
  const outcomes = report.qualityRules.map(({ outcome, reason }: JsonObject) => [outcome, reason !== undefined]);
  assert.is(outcomes.filter(([outcome]: [string]) => outcome === 'testCase').length, wanted);
  assert.ok(outcomes.every(([outcome, hasReason]: [string, boolean]) => (outcome === 'notExecuted') === hasReason));
  assert.is(report.canCreateTestCases, true);
  assert.is(made.odcsQualityRules.length, rows.length);
  assert.equal(made.odcsQualityRules.filter(({ column }: JsonObject) => column === 'code').length, ON_COLUMN.length);
});

test('test cases are named after their rules, and freshness becomes an SLA', async () => {
  const table = await testing.table(COLUMNS);
  const rules = [
    { name: 'No nulls, please!', metric: 'nullValues', mustBe: 0, description: 'D', businessImpact: 'I' },
    { metric: 'duplicateValues', mustBe: 0 },
    { metric: 'duplicateValues', mustBeLessThan: 3 },
    { name: 'x'.repeat(200), metric: 'nullValues', mustBe: 0 },
  ];
  const document = withRules(rules, [{ metric: 'freshness', mustBeLessOrEqualTo: 6, unit: 'hours' }]);
  const made = await exchange.imported(table, document, TESTED);
  const found = await testsOf(table);
  assert.equal([...found.keys()].sort(), [
    'odcs_duplicatevalues',
    'odcs_duplicatevalues_2',
    'odcs_no_nulls_please',
    `odcs_${'x'.repeat(120)}`,
  ]);
  const first = found.get('odcs_no_nulls_please');
  assert.equal([first?.['displayName'], first?.['description']], ['No nulls, please!', 'D\n\nBusiness impact: I']);
  assert.equal(made.sla, { refreshFrequency: { interval: 6, unit: 'hour' } });
  const other = { ...document, slaProperties: [{ property: 'frequency', value: 1, unit: 'd' }] };
  const { odcsImportReport: report } = await exchange.validated(table, other, TESTED);
  assert.ok(report.issues.some(({ message }: JsonObject) => /another refresh frequency/.test(String(message))));
  assert.equal((await exchange.put(table, other, { ...TESTED, mode: 'replace' })).sla, {
    refreshFrequency: { interval: 1, unit: 'day' },
  });
});

test('without the flag no test case is created, and without the right nothing at all', async () => {
  const table = await testing.table(COLUMNS);
  const document = withRules([{ metric: 'nullValues', mustBe: 0 }]);
  const creator = await rights.person([{ operations: ['Create', 'EditAll'], resources: ['dataContract'] }]);
  const send = (method: string, query: Record<string, string>, by = creator) =>
    exchange.send(method, odcsPath(table, query), JSON.stringify(document), 'application/json', by);
  expectRefused(await send('POST', TESTED), 403);
  expectRefused(await send('PUT', TESTED), 403);
  expectRefused(await service.admin.get(`${CONTRACTS}/entity?entityId=${table.id}&entityType=table`), 404);
  assert.is((await testsOf(table)).size, 0);
  const made = ok(await send('POST', {}), 201);
  assert.equal(made.qualityExpectations ?? [], []);
  expectRefused(await send('PUT', TESTED), 403);
  assert.is((await testsOf(table)).size, 0);
  const tester = await rights.person([
    { operations: ['EditAll'], resources: ['dataContract'] },
    { operations: ['CreateTests', 'ViewBasic'], resources: ['table'] },
  ]);
  assert.is(ok(await send('PUT', TESTED, tester)).qualityExpectations.length, 1);
});

test('a new import updates its test cases and unlinks those of removed rules', async () => {
  const table = await testing.table(COLUMNS);
  const own = await testing.test(table, 'num');
  const rule = (most: number) => ({ id: 'nulls', metric: 'nullValues', mustBeLessOrEqualTo: most });
  const rows = { id: 'rows', metric: 'rowCount', mustBe: 1 };
  const made = await exchange.imported(table, withRules([rule(1)], [rows]), TESTED);
  const path = `${CONTRACTS}/${made.id}`;
  const expectations = [...made.qualityExpectations, { id: own.id, type: 'testCase' }];
  ok(await service.admin.patch(path, [{ op: 'add', path: '/qualityExpectations', value: expectations }]));
  const before = await testsOf(table);
  const [nulls, count] = [before.get('nulls')?.['id'], before.get('rows')?.['id']] as [string, string];
  const changed = await exchange.put(table, withRules([rule(2)], [rows]), TESTED);
  assert.equal(idsOf(changed.qualityExpectations), [nulls, count, own.id].sort());
  const after = await testsOf(table);
  assert.equal([after.size, after.get('nulls')?.['id']], [3, nulls]);
  assert.equal(parametersOf(after.get('nulls') ?? {}), { threshold: '2' });
  const less = await exchange.put(table, withRules([rule(2)]), TESTED);
  assert.equal(idsOf(less.qualityExpectations), [nulls, own.id].sort());
  assert.is((await testsOf(table)).size, 3, 'the test itself is still there');
  const untested = await exchange.put(table, withRules([rule(3)]));
  assert.equal(idsOf(untested.qualityExpectations), [nulls, own.id].sort());
  assert.equal(parametersOf((await testsOf(table)).get('nulls') ?? {}), { threshold: '2' });
  const replaced = await exchange.put(table, withRules([rule(3)], [rows]), { ...TESTED, mode: 'replace' });
  assert.equal(idsOf(replaced.qualityExpectations), [nulls, count].sort());
  const none = await exchange.put(table, withRules([rule(3)], [rows]), { mode: 'replace' });
  assert.equal(none.qualityExpectations ?? [], []);
});

test('linked test cases without a rule are exported as rules and imported as the same test cases', async () => {
  const table = await testing.table(COLUMNS);
  const values = (parameters: JsonObject) => Object.entries(parameters).map(([name, value]) => ({ name, value }));
  const rows: readonly (readonly [string, string | undefined, JsonObject, JsonObject])[] = [
    ['columnValuesToBeNotNull', 'code', {}, { metric: 'nullValues', mustBe: 0 }],
    ['columnValuesToBeUnique', 'code', { threshold: '2' }, { metric: 'duplicateValues', mustBeLessOrEqualTo: 2 }],
    [
      'columnValuesToBeInSet',
      'code',
      { allowedValues: '["a"]', matchEnum: 'true' },
      { metric: 'invalidValues', arguments: { validValues: ['a'] }, mustBe: 0 },
    ],
    [
      'columnValuesToMatchRegex',
      'code',
      { regex: '^a' },
      { metric: 'invalidValues', arguments: { pattern: '^a' }, mustBe: 0 },
    ],
    ['columnValuesMissingCount', 'code', { missingCountValue: '3' }, { metric: 'missingValues', mustBe: 3 }],
    ['columnValuesToBeBetween', 'num', { minValue: '1' }, { type: 'custom', engine: 'openmetadata' }],
    ['tableRowCountToEqual', undefined, { value: '5' }, { metric: 'rowCount', mustBe: 5 }],
    [
      'tableRowCountToBeBetween',
      undefined,
      { minValue: '1', maxValue: '2' },
      { metric: 'rowCount', mustBeBetween: [1, 2] },
    ],
    [
      'tableCustomSQLQuery',
      undefined,
      { sqlExpression: 'select 1', strategy: 'COUNT', operator: '<', threshold: '5' },
      { type: 'sql', query: 'select 1', mustBeLessThan: 5 },
    ],
  ];
  const cases: JsonObject[] = [];
  for (const [testDefinition, column, parameters] of rows) {
    cases.push(await testing.test(table, column, { testDefinition, parameterValues: values(parameters) as never }));
  }
  const made = ok(
    await service.admin.post(CONTRACTS, {
      name: 'own',
      entity: { id: table.id, type: 'table' },
      schema: COLUMNS,
      qualityExpectations: cases.map(({ id }) => ({ id: id ?? '', type: 'testCase' })),
    }),
    201,
  );
  const out = await exchange.exported(made);
  if (missing === undefined) assert.equal(objections(out, 'v3.1.0'), []);
  const [object] = out.schema;
  const rules: Rules = [
    ...object.quality,
    ...object.properties.flatMap(({ quality = [] }: { quality?: Rules }) => quality),
  ];
  rows.forEach(([definition, , , wanted], at) => {
    const rule = rules.find(({ id }) => id === cases[at]?.['name']);
    for (const [name, value] of Object.entries(wanted)) assert.equal(rule?.[name], value, `${name} of ${definition}`);
  });
  assert.is(rules.length, rows.length);
  const again = await testing.table(COLUMNS);
  const learnt = await exchange.imported(again, { ...out, id: 'x' }, TESTED);
  assert.is(learnt.qualityExpectations.length, rows.length);
  const [one, other] = [await testsOf(table), await testsOf(again)];
  for (const [name, before] of one) {
    const after = other.get(name) ?? {};
    assert.equal([definitionOf(after), parametersOf(after)], [definitionOf(before), parametersOf(before)], name);
  }
});

test('rules that a version does not allow are exported in an allowed form and read back', async () => {
  const table = await testing.table(COLUMNS);
  const rules = [
    { metric: 'nullValues' },
    { rule: 'uniqueValues', mustBe: 3 },
    { metric: 'rowCount', mustBeGreaterOrEqualTo: 1, mustBeLessOrEqualTo: 5 },
    { id: 'not an id', rule: 'duplicateCount', mustBe: 0 },
  ];
  const made = await exchange.imported(table, { ...withRules([], rules), apiVersion: 'v3.0.2' });
  const rulesIn = (out: JsonObject) => (out['schema'] as readonly JsonObject[])[0]?.['quality'] as Rules;
  assert.equal(rulesIn(await exchange.exported(made, { odcsVersion: 'v3.0.2' })), rules);
  const out = await exchange.exported(made);
  if (missing === undefined) assert.equal(objections(out, 'v3.1.0'), []);
  const [nulls, strange, rows, duplicates] = rulesIn(out);
  assert.equal(nulls?.['mustBe'], 0);
  assert.equal([strange?.['type'], strange?.['engine']], ['custom', 'odcs']);
  assert.equal([rows?.['mustBeBetween'], rows?.['mustBeGreaterOrEqualTo']], [[1, 5], undefined]);
  assert.equal(
    [duplicates?.['metric'], duplicates?.['rule'], duplicates?.['id']],
    ['duplicateValues', undefined, undefined],
  );
  const other = await exchange.imported(await testing.table(COLUMNS), { ...out, id: 'y' });
  const restored = rulesIn(await exchange.exported(other, { odcsVersion: 'v3.0.2' }))[1];
  assert.equal([restored?.['rule'], restored?.['mustBe'], restored?.['engine']], ['uniqueValues', 3, undefined]);
});

const FULL = (owner: string): JsonObject => ({
  name: 'own',
  displayName: 'Own',
  description: 'kept',
  entityStatus: 'In Review',
  schema: [{ name: 'code', dataType: 'STRING' }],
  sla: { maxLatency: { value: 1, unit: 'hour' }, retention: { period: 1, unit: 'day' } },
  security: { dataClassification: 'kept' },
  owners: [{ id: owner, type: 'user' }],
  reviewers: [{ id: owner, type: 'user' }],
  extension: { a: 1, b: 1 },
  semantics: [{ name: 's', description: 'd', rule: '{"==": [1, 1]}', enabled: true }],
  termsOfUse: 'kept',
  effectiveFrom: '2026-01-01T00:00:00Z',
  sourceUrl: 'https://example.org/kept',
});

test('merge keeps and updates, and replace leaves nothing', async () => {
  const [ada, ben] = [await rights.person(), await rights.person()];
  const table = await testing.table(COLUMNS);
  const body = { ...FULL(ada.id), entity: { id: table.id, type: 'table' } };
  const made = ok(await service.admin.post(CONTRACTS, body), 201);
  const silent = await exchange.put(table, odcsRoot('', { status: 'draft' }));
  assert.is(silent.version, made.version, 'a draft says nothing against a review');
  assert.is(silent.entityStatus, 'In Review');
  const said = odcsJson({
    name: 'other',
    description: 'new',
    schema: [{ name: 'o', logicalType: 'object', properties: [{ name: 'num', logicalType: 'integer' }] }],
    slaProperties: [{ property: 'retention', value: 2, unit: 'd' }],
    roles: [{ role: 'reader', access: 'read' }],
    team: [{ username: ben.name, role: 'owner' }],
    customProperties: [
      { property: 'b', value: 2 },
      { property: 'openMetadataContract', value: '{"displayName":"New"}' },
    ],
  });
  const merged = await exchange.put(table, said);
  assert.equal([merged.id, merged.name, merged.createdAt], [made.id, 'own', made.createdAt]);
  assert.ok(merged.version > made.version);
  assert.equal([merged.displayName, merged.description, merged.entityStatus], ['New', 'new', 'Approved']);
  assert.equal(
    merged.schema.map(({ name }: JsonObject) => name),
    ['num'],
  );
  assert.equal(merged.sla.maxLatency, { value: 1, unit: 'hour' });
  assert.equal(merged.sla.retention, { period: 2, unit: 'day' });
  assert.equal(merged.security, { policies: [{ accessPolicy: 'reader' }] });
  assert.equal([idsOf(merged.owners), idsOf(merged.reviewers)], [[ben.id], [ada.id]]);
  assert.equal(merged.extension, { a: 1, b: 2 });
  assert.equal(
    [merged.semantics, merged.termsOfUse, merged.effectiveFrom, merged.sourceUrl],
    [made.semantics, made.termsOfUse, made.effectiveFrom, made.sourceUrl],
  );
  const replaced = await exchange.put(table, said, { mode: 'replace' });
  assert.equal([replaced.id, replaced.name, replaced.displayName], [made.id, 'own', 'New']);
  assert.equal(replaced.extension, { b: 2 });
  assert.is(replaced.sla.maxLatency, undefined);
  assert.equal([idsOf(replaced.owners), replaced.reviewers ?? []], [[ben.id], []]);
  for (const name of ['semantics', 'termsOfUse', 'effectiveFrom', 'sourceUrl'])
    assert.equal(replaced[name] ?? [], [], name);
});

test('documents of different versions are merged', async () => {
  const table = await testing.table(COLUMNS);
  const old = {
    apiVersion: 'v2.2.2',
    kind: 'DataContract',
    uuid: 'old',
    version: '1.0.0',
    status: 'current',
    quantumName: 'q',
    datasetDomain: 'd',
    productDl: 'dl@example.org',
    dataset: [
      {
        table: 'one',
        columns: [{ column: 'code', logicalType: 'string', physicalType: 'text', encryptedColumnName: 'e' }],
      },
      { table: 'two', columns: [{ column: 'x', logicalType: 'string', physicalType: 'text' }] },
    ],
  };
  const wide = await testing.table([{ name: 'code', dataType: 'TEXT' }]);
  const made = await exchange.imported(wide, old, { objectName: 'one' });
  const merged = await exchange.put(
    wide,
    odcsJson({
      tenant: 't',
      schema: [
        {
          name: 'three',
          logicalType: 'object',
          properties: [{ name: 'code', logicalType: 'string', classification: 'c' }],
        },
      ],
    }),
  );
  assert.equal(
    merged.schema.map(({ name }: JsonObject) => name),
    ['code'],
  );
  const out = await exchange.exported(made);
  assert.equal([out.tenant, out.domain, out.dataProduct, out.id], ['t', 'd', 'q', 'x']);
  assert.equal(
    out.schema.map(({ name }: JsonObject) => name),
    ['one', 'two', 'three'],
  );
  assert.is(out.schema[0].properties[0].encryptedName, 'e');
  assert.is(out.schema[2].properties[0].classification, 'c');
  const older = await exchange.exported(made, { odcsVersion: 'v2.2.2' });
  assert.equal([older.tenant, older.datasetDomain, older.productDl], ['t', 'd', 'dl@example.org']);
  assert.is(older.dataset.length, 3);
  const back = await exchange.put(wide, old, { objectName: 'one' });
  assert.is(back.id, made.id);
  assert.is((await exchange.exported(made)).tenant, 't');
  const numbered = {
    ...old,
    'x-mine': 1,
    dataset: [{ table: 'n', columns: [{ column: 'num', logicalType: 'Numeric', physicalType: 'int' }] }],
  };
  const same = await testing.table(COLUMNS);
  const first = await exchange.imported(same, numbered);
  const more = {
    ...old,
    dataset: [{ table: 'm', columns: [{ column: 'code', logicalType: 'string', physicalType: 'string' }] }],
    tenant: 's',
  };
  await exchange.put(same, more, { objectName: 'm' });
  const asWritten = { ...numbered, tenant: 's', dataset: [...numbered.dataset, ...more.dataset] };
  assert.equal(await exchange.exported(first, { odcsVersion: 'v2.2.2' }), asWritten, 'one version stays that version');
  await exchange.put(same, odcsJson({ domain: 'x' }));
  const newest = await exchange.exported(first);
  assert.is(newest['x-mine'], 1);
  assert.is(newest.schema[0].properties[0].name, 'num');
  const { 'x-mine': _mine, ...legal } = numbered;
  const other = await testing.table(COLUMNS);
  const second = await exchange.imported(other, legal);
  await exchange.put(other, odcsJson({ domain: 'x' }));
  const conforming = await exchange.exported(second);
  if (missing === undefined) assert.equal(objections(conforming, 'v3.1.0'), []);
  assert.equal([conforming.domain, conforming.schema[0].properties[0].logicalType], ['x', 'number']);
  const three = await exchange.imported(table, { ...odcsJson({ tenant: 'a', 'x-mine': 1 }), apiVersion: 'v3.0.1' });
  await exchange.put(table, odcsJson({ domain: 'b' }));
  const joined = await exchange.exported(three);
  assert.equal([joined.tenant, joined.domain, joined['x-mine'], joined.apiVersion], ['a', 'b', 1, 'v3.1.0']);
});

test('an import restores a deleted contract', async () => {
  const table = await testing.table(COLUMNS);
  const made = await exchange.imported(table, odcsJson({ tenant: 'a' }));
  ok(await service.admin.delete(`${CONTRACTS}/${made.id}`));
  expectRefused(await service.admin.get(`${CONTRACTS}/${made.id}/odcs`), 404);
  const sent = await exchange.send(
    'PUT',
    odcsPath(table),
    JSON.stringify(odcsJson({ domain: 'b' })),
    'application/json',
  );
  assert.is(ok(sent).id, made.id);
  const out = await exchange.exported(made);
  assert.equal([out.tenant, out.domain], ['a', 'b']);
});

test.run();
