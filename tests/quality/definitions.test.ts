import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { expectList, expectRefused, ok } from '../support/expect.ts';
import { CASES, createQualityTests, DEFINITIONS, type QualityTests } from '../support/quality-tests.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that built-in and custom test definitions follow the contract. */

const test = suite('quality: test definitions');

let service: Service;
let testing: QualityTests;
test.before(async () => {
  service = await openService();
  testing = createQualityTests(service);
});

const N = 'NUMBER INT FLOAT DOUBLE DECIMAL TINYINT SMALLINT BIGINT BYTEINT';
const T = 'BYTES STRING MEDIUMTEXT TEXT CHAR VARCHAR';
const ANY = `NUMBER TINYINT SMALLINT INT BIGINT BYTEINT BYTES FLOAT DOUBLE DECIMAL NUMERIC TIMESTAMP TIMESTAMPZ TIME DATE
  DATETIME INTERVAL STRING MEDIUMTEXT TEXT CHAR VARCHAR BOOLEAN BINARY VARBINARY ARRAY BLOB LONGBLOB MEDIUMBLOB MAP STRUCT
  UNION SET GEOGRAPHY ENUM JSON UUID VARIANT GEOMETRY POINT POLYGON`;

/** A pair of bounds, each of which is checked against the other. */
const bounds = (low: string, high: string): string => `${low}:INT<=${high} ${high}:INT>=${low}`;

const LOCATION = 'locationReferenceType*:ARRAY=CITY,POSTAL_CODE longitudeColumnName*:STRING latitudeColumnName*:STRING';
const QUERY = `sqlExpression*:STRING strategy:ARRAY=ROWS,COUNT operator:STRING===,>,>=,<,<=,!= threshold:NUMBER
  partitionExpression:STRING`;
const DIFF = `table2*:STRING keyColumns:ARRAY table2.keyColumns:ARRAY useColumns:ARRAY threshold:NUMBER where:STRING
  caseSensitiveColumns:BOOLEAN`;
const INSERTED = `min:INT max:INT columnName*:STRING rangeType*:STRING=HOUR,DAY,MONTH,YEAR rangeInterval*:INT`;

/** The table of the contract: name, types of columns or TABLE, parameters, dimension, what is supported. */
const BUILT_IN: readonly (readonly [string, string, string, string, string?])[] = [
  ['columnValueLengthsToBeBetween', `${T} ARRAY`, bounds('minLength', 'maxLength'), 'Accuracy', 'rows'],
  ['columnValueMaxToBeBetween', N, bounds('minValueForMaxInCol', 'maxValueForMaxInCol'), 'Accuracy', 'dynamic'],
  [
    'columnValueMeanToBeBetween',
    `${N} ARRAY SET`,
    bounds('minValueForMeanInCol', 'maxValueForMeanInCol'),
    'Accuracy',
    'dynamic',
  ],
  [
    'columnValueMedianToBeBetween',
    N,
    bounds('minValueForMedianInCol', 'maxValueForMedianInCol'),
    'Accuracy',
    'dynamic',
  ],
  ['columnValueMinToBeBetween', N, bounds('minValueForMinInCol', 'maxValueForMinInCol'), 'Accuracy', 'dynamic'],
  [
    'columnValueStdDevToBeBetween',
    N,
    bounds('minValueForStdDevInCol', 'maxValueForStdDevInCol'),
    'Accuracy',
    'dynamic',
  ],
  ['columnValuesMissingCount', ANY, 'missingCountValue*:INT missingValueMatch:STRING', 'Completeness'],
  ['columnValuesSumToBeBetween', N, bounds('minValueForColSum', 'maxValueForColSum'), 'Accuracy', 'dynamic'],
  ['columnValuesToBeAtExpectedLocation', `${T} ${N}`, `${LOCATION} radius*:FLOAT`, 'Accuracy'],
  [
    'columnValuesToBeBetween',
    `${N} TIMESTAMP TIMESTAMPZ DATETIME DATE`,
    bounds('minValue', 'maxValue'),
    'Accuracy',
    'rows',
  ],
  ['columnValuesToBeInSet', `${N} ${T} BOOLEAN`, 'allowedValues*:ARRAY matchEnum:BOOLEAN', 'Validity', 'rows'],
  ['columnValuesToBeNotInSet', `${N} ${T} BOOLEAN`, 'forbiddenValues*:ARRAY', 'Validity', 'rows'],
  ['columnValuesToBeNotNull', ANY, '', 'Completeness', 'rows'],
  ['columnValuesToBeUnique', ANY, '', 'Uniqueness', 'rows'],
  ['columnValuesToMatchRegex', T, 'regex*:STRING', 'Validity', 'rows'],
  ['columnValuesToNotMatchRegex', T, 'forbiddenRegex*:STRING', 'Validity', 'rows'],
  ['tableColumnCountToBeBetween', 'TABLE', bounds('minColValue', 'maxColValue'), 'Integrity'],
  ['tableColumnCountToEqual', 'TABLE', 'columnCount*:INT', 'Integrity'],
  ['tableColumnNameToExist', 'TABLE', 'columnName*:STRING', 'Integrity'],
  ['tableColumnToMatchSet', 'TABLE', 'columnNames*:STRING ordered:BOOLEAN', 'Integrity'],
  ['tableCustomSQLQuery', 'TABLE', QUERY, 'SQL', 'rows'],
  ['tableDiff', 'TABLE', DIFF, 'Consistency'],
  ['tableRowCountToBeBetween', 'TABLE', bounds('minValue', 'maxValue'), 'Integrity', 'dynamic'],
  ['tableRowCountToEqual', 'TABLE', 'value*:INT', 'Integrity'],
  ['tableRowInsertedCountToBeBetween', 'TABLE', INSERTED, 'Integrity'],
];

const RULES: Readonly<Record<string, string>> = { '<=': 'LESS_THAN_OR_EQUALS', '>=': 'GREATER_THAN_OR_EQUALS' };

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

/** A parameter as the table above writes it: `name*:TYPE`, with `=options` or `<=other` behind it. */
const parameterOf = (text: string): JsonObject => {
  const [, name = '', star, dataType = '', rest = ''] = /^([\w.]+)(\*?):([A-Z]+)(.*)$/.exec(text) ?? [];
  const rule = /^(<=|>=)(.+)$/.exec(rest);
  return {
    name,
    dataType,
    required: star === '*',
    optionValues: rest.startsWith('=') ? rest.slice(1).split(',') : [],
    ...(rule ? { validationRule: { parameterField: rule[2] ?? '', rule: RULES[rule[1] ?? ''] ?? '' } } : {}),
  };
};

const THRESHOLD = 'threshold:NUMBER';
const UNIT = 'thresholdUnit:STRING=ABSOLUTE,PERCENTAGE';
const POLICY = 'dimensionFailurePolicy:STRING=OVERALL_ONLY,ANY_DIMENSION';

const wantedParameters = (text: string, isColumn: boolean): JsonObject[] => {
  const own = words(text);
  const all = [...own, ...(own.includes(THRESHOLD) ? [] : [THRESHOLD]), UNIT, ...(isColumn ? [POLICY] : [])];
  return all.map(parameterOf);
};

const byName = (list: readonly JsonObject[]): JsonObject[] =>
  [...list].sort((one, other) => (String(one['name']) < String(other['name']) ? -1 : 1));

const SERVICES = `Snowflake BigQuery Athena Redshift Postgres MySQL Mssql Oracle Trino SapHana Databricks UnityCatalog
  AzureSQL`;

/** Members that every built-in definition has, whatever it defines. */
const MEMBERS = [
  'dataQualityDimension',
  'deleted',
  'description',
  'displayName',
  'enabled',
  'entityType',
  'fullyQualifiedName',
  'href',
  'id',
  'name',
  'parameterDefinition',
  'provider',
  'supportedServices',
  'supportsDynamicAssertion',
  'supportsRowLevelPassedFailed',
  'testPlatforms',
  'updatedAt',
  'updatedBy',
  'validatorClass',
  'version',
];
/** Present when another test has changed the definition. */
const OF_A_CHANGE: ReadonlySet<string> = new Set(['changeDescription', 'incrementalChangeDescription']);

test('there are as many built-in definitions as in the contract', () => assert.is(BUILT_IN.length, 25));

for (const [name, types, parameters, dimension, supports] of BUILT_IN) {
  test(`${name} is built in`, async () => {
    const read = ok(await service.admin.get(`${DEFINITIONS}/name/${name}`));
    const isColumn = types !== 'TABLE';
    const wanted = isColumn ? [...MEMBERS, 'supportedDataTypes'].sort() : MEMBERS;
    const told = Object.keys(read).filter(
      (member) => !OF_A_CHANGE.has(member) && (isColumn || member !== 'supportedDataTypes'),
    );
    assert.equal(told.sort(), wanted);
    assert.is(read.fullyQualifiedName, name);
    assert.is(read.entityType, isColumn ? 'COLUMN' : 'TABLE');
    const isMax = name === 'columnValueMaxToBeBetween';
    assert.equal([...read.testPlatforms].sort(), isMax ? ['OpenMetadata', 'dbt'] : ['OpenMetadata']);
    assert.equal([...(read.supportedDataTypes ?? [])].sort(), isColumn ? words(types).sort() : []);
    assert.is(read.dataQualityDimension, dimension);
    assert.is(read.validatorClass, `${name.slice(0, 1).toUpperCase()}${name.slice(1)}Validator`);
    assert.is(read.provider, 'system');
    assert.is(read.enabled, true);
    assert.is(read.supportsRowLevelPassedFailed, supports === 'rows');
    assert.is(read.supportsDynamicAssertion, supports === 'dynamic');
    assert.equal([...read.supportedServices].sort(), name === 'tableDiff' ? words(SERVICES).sort() : []);
    assert.ok(read.displayName.length > 3 && read.description.length > 20);
    const found = (read.parameterDefinition as readonly JsonObject[]).map(({ displayName, description, ...rest }) => {
      assert.type(displayName, 'string');
      assert.type(description, 'string');
      return rest;
    });
    assert.equal(byName(found), byName(wantedParameters(parameters, isColumn)));
  });
}

test('the built-in definitions are exactly those of the contract, and cannot be deleted', async () => {
  const { data } = expectList(await service.admin.get(`${DEFINITIONS}?limit=1000`));
  // Samples of other tests may say that they are the system's.
  const system = (data as readonly JsonObject[]).filter(
    ({ provider, name }) => provider === 'system' && !String(name).startsWith('s_'),
  );
  assert.equal(system.map(({ name }) => name).sort(), BUILT_IN.map(([name]) => name).sort());
  for (const { id, name } of system.slice(0, 2)) {
    expectRefused(
      await service.admin.delete(`${DEFINITIONS}/${id}?hardDelete=true`),
      400,
      `System entity [${name}] of type testDefinition can not be deleted.`,
    );
  }
});

const body = (more: JsonObject = {}): JsonObject => ({
  name: uniqueName('rule'),
  entityType: 'COLUMN',
  testPlatforms: ['Soda'],
  ...more,
});

const create = async (more: JsonObject = {}) => ok(await service.admin.post(DEFINITIONS, body(more)), 201);

test('a custom definition has its own members and the defaults', async () => {
  const made = await create({
    description: 'what it tests',
    supportedDataTypes: ['INT', 'STRING'],
    parameterDefinition: [{ name: 'depth', dataType: 'INT' }, { name: 'any' }],
    dataQualityDimension: 'Validity',
    sqlExpression: 'SELECT 1',
    validatorClass: 'DepthValidator',
    supportedServices: ['Trino'],
  });
  assert.equal(made.parameterDefinition, [
    { name: 'depth', dataType: 'INT', required: false, optionValues: [] },
    { name: 'any', required: false, optionValues: [] },
  ]);
  assert.is(made.enabled, true);
  assert.is(made.supportsDynamicAssertion, false);
  assert.is(made.supportsRowLevelPassedFailed, false);
  assert.equal(made.supportedServices, ['Trino']);
  assert.is(made.sqlExpression, 'SELECT 1');
  assert.is(made.validatorClass, 'DepthValidator');
  assert.equal(made.owners, []);
  const read = ok(await service.admin.get(`${DEFINITIONS}/${made.id}`));
  assert.is('owners' in read, false);
  assert.equal(ok(await service.admin.get(`${DEFINITIONS}/${made.id}?fields=owners`)).owners, []);
  assert.equal(ok(await service.admin.get(`${DEFINITIONS}/${made.id}?fields=*`)).domains, []);
});

test('a definition with missing or unknown members or values is refused', async () => {
  const { entityType: _type, ...untyped } = body();
  const { testPlatforms: _platforms, ...homeless } = body();
  expectRefused(await service.admin.post(DEFINITIONS, untyped), 400, '[entityType must not be null]');
  expectRefused(await service.admin.post(DEFINITIONS, homeless), 400, '[testPlatforms must not be null]');
  for (const more of [
    { entityType: 'SCHEMA' },
    { testPlatforms: ['Elsewhere'] },
    { supportedDataTypes: ['WORDS'] },
    { dataQualityDimension: 'Beauty' },
    { parameterDefinition: [{ dataType: 'INT' }] },
    { parameterDefinition: [{ name: 'a', dataType: 'WORD' }] },
    { parameterDefinition: [{ name: 'a', validationRule: { parameterField: 'b', rule: 'ALIKE' } }] },
    { parameterDefinition: [{ name: 'a', colour: 'red' }] },
    { colour: 'red' },
    { enabled: 'yes' },
  ]) {
    const asked = body(more);
    expectRefused(await service.admin.post(DEFINITIONS, asked), 400);
    expectRefused(await service.admin.put(DEFINITIONS, asked), 400);
    expectRefused(await service.admin.get(`${DEFINITIONS}/name/${asked['name']}`), 404);
  }
});

test('PUT and PATCH change a definition, and DELETE soft-deletes it', async () => {
  const made = await create();
  const put = ok(
    await service.admin.put(
      DEFINITIONS,
      body({ name: made.name, dataQualityDimension: 'SQL', testPlatforms: ['dbt'] }),
    ),
  );
  assert.is(put.id, made.id);
  assert.is(put.dataQualityDimension, 'SQL');
  assert.is(put.version, 0.2);
  const patched = ok(
    await service.admin.patch(`${DEFINITIONS}/${made.id}`, [{ op: 'replace', path: '/enabled', value: false }]),
  );
  assert.is(patched.enabled, false);
  assert.is(
    ok(await service.admin.put(DEFINITIONS, body({ name: made.name }))).enabled,
    false,
    'silence does not enable',
  );
  assert.is(ok(await service.admin.delete(`${DEFINITIONS}/${made.id}`)).deleted, true);
  expectRefused(await service.admin.get(`${DEFINITIONS}/${made.id}`), 404);
  expectRefused(
    await service.admin.post(DEFINITIONS, body({ name: made.name })),
    409,
    undefined,
    'ENTITY_ALREADY_EXISTS',
  );
});

test('lists are filtered by entity type, platform and data type', async () => {
  const [column, table] = [
    await create({ supportedDataTypes: ['UUID', 'INT'], testPlatforms: ['Soda', 'Deequ'] }),
    await create({ entityType: 'TABLE', testPlatforms: ['Deequ'] }),
  ];
  const list = async (query: string): Promise<string[]> =>
    expectList(await service.admin.get(`${DEFINITIONS}?limit=1000000&${query}`)).data.map(
      ({ name }: JsonObject) => name,
    );
  const holds = async (query: string, which: readonly [boolean, boolean]) => {
    const names = await list(query);
    assert.equal([names.includes(column.name), names.includes(table.name)], which, query);
  };
  await holds('', [true, true]);
  await holds('entityType=COLUMN', [true, false]);
  await holds('entityType=TABLE', [false, true]);
  await holds('testPlatform=Soda', [true, false]);
  await holds('testPlatform=Deequ', [true, true]);
  await holds('supportedDataType=UUID', [true, false]);
  await holds('testPlatform=Deequ&entityType=TABLE', [false, true]);
  await holds('testPlatform=Deequ&supportedDataType=INT', [true, false]);
  const byInt = await list('supportedDataType=INT&entityType=COLUMN');
  assert.ok(byInt.includes('columnValueMaxToBeBetween') && !byInt.includes('columnValuesToMatchRegex'));
  expectRefused(await service.admin.get(`${DEFINITIONS}?entityType=SCHEMA`), 400);
  expectRefused(await service.admin.get(`${DEFINITIONS}?fields=nothing`), 400, 'Invalid field name nothing');
  expectRefused(await service.admin.get(`${DEFINITIONS}?limit=1000001`), 400);
  const ten = expectList(await service.admin.get(DEFINITIONS));
  assert.is(ten.data.length, 10);
  assert.ok(ten.paging.total >= 27 && ten.paging.after);
});

test('a soft-deleted definition is still shown in its test cases, and a used one cannot be hard-deleted', async () => {
  const definition = await create({ entityType: 'TABLE' });
  const table = await testing.table();
  const made = await testing.test(table, undefined, { testDefinition: definition.name, parameterValues: [] });
  ok(await service.admin.delete(`${DEFINITIONS}/${definition.id}`));
  for (const query of ['', '?include=all', '?fields=*']) {
    const read = ok(await service.admin.get(`${CASES}/${made.id}${query}`));
    assert.is(read.testDefinition?.id, definition.id, `with ${query}`);
  }
  const patched = ok(await service.admin.patch(`${CASES}/${made.id}`, { description: 'still a test' }));
  assert.is(patched.testDefinition.id, definition.id);
  ok(
    await service.admin.post(`${CASES}/testCaseResults/${encodeURIComponent(made.fullyQualifiedName)}`, {
      timestamp: 1_763_700_000_000,
      testCaseStatus: 'Success',
    }),
    201,
  );
  expectRefused(
    await testing.post(testing.body(table, undefined, { testDefinition: definition.name, parameterValues: [] })),
    404,
  );
  expectRefused(await service.admin.delete(`${DEFINITIONS}/${definition.id}?hardDelete=true`), 400);
  ok(await service.admin.delete(`${CASES}/${made.id}?hardDelete=true`));
  ok(await service.admin.delete(`${DEFINITIONS}/${definition.id}?hardDelete=true`));
});

test.run();
