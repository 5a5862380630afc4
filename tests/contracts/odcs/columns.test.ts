import * as assert from 'uvu/assert';
import { equalJson, type JsonObject } from '../../../src/model/json.ts';
import {
  column,
  contractOf,
  edited,
  exported,
  findings,
  firstColumn,
  firstObject,
  firstProperty,
  imported,
  lookup,
  ordersTable,
  propertiesOf,
  tableOf,
  withProperties,
} from '../../support/odcs-mapping.ts';
import { suite } from '../../support/suite.ts';

/** Shows that ODCS properties and columns are converted both ways. */

const test = suite('contracts/odcs: columns');

const columnOf = (property: JsonObject, target = ordersTable) =>
  firstColumn(contractOf(withProperties([{ name: 'id', ...property }]), target));

test('each member of a property is mapped to a column', () => {
  assert.equal(
    columnOf({
      businessName: 'Order number',
      description: 'Counts up.',
      logicalType: 'integer',
      physicalType: 'int4',
      primaryKey: true,
      unique: true,
      required: true,
      tags: ['PII.Sensitive', 'uid', 'Business.Order', 'PII.Sensitive'],
      physicalName: 'order_id',
      classification: 'public',
      examples: [1, 2],
    }),
    {
      name: 'id',
      displayName: 'Order number',
      dataType: 'INT',
      dataTypeDisplay: 'int4',
      description: 'Counts up.',
      constraint: 'PRIMARY_KEY',
      tags: [
        { tagFQN: 'PII.Sensitive', source: 'Classification', labelType: 'Manual', state: 'Confirmed' },
        { tagFQN: 'Business.Order', source: 'Glossary', labelType: 'Manual', state: 'Confirmed' },
      ],
    },
  );
  assert.equal(columnOf({}), { name: 'id', dataType: 'STRING' });
});

test('the constraint is the strongest of the flags', () => {
  const rows: readonly (readonly [JsonObject, string | undefined])[] = [
    [{ primaryKey: true }, 'PRIMARY_KEY'],
    [{ primaryKey: false, unique: true, required: true }, 'UNIQUE'],
    [{ unique: false, required: true }, 'NOT_NULL'],
    [{ primaryKey: false, unique: false, required: false }, undefined],
    [{ primaryKey: 'true' }, undefined],
  ];
  for (const [flags, constraint] of rows) assert.is(columnOf(flags)['constraint'], constraint, JSON.stringify(flags));
});

test('nested columns come from properties, or from the items of an array', () => {
  const zip = { name: 'zip', logicalType: 'string' };
  assert.equal(columnOf({ name: 'address', logicalType: 'object', properties: [zip] })['children'], [
    { name: 'zip', dataType: 'STRING' },
  ]);
  const lines = columnOf({
    name: 'lines',
    logicalType: 'array',
    items: { logicalType: 'object', properties: [{ name: 'sku', logicalType: 'string' }] },
  });
  assert.is(lines['arrayDataType'], 'STRUCT');
  assert.equal(lines['children'], [{ name: 'sku', dataType: 'STRING' }]);
});

test('a column of the asset is matched by name, then by physical name', () => {
  const rows: readonly (readonly [JsonObject, string])[] = [
    [{ name: 'amount' }, 'amount'],
    [{ name: 'Amount' }, 'Amount'],
    [{ name: 'total', physicalName: 'amount' }, 'amount'],
    [{ name: 'total', physicalName: 'AMOUNT' }, 'amount'],
    [{ name: 'id', physicalName: 'amount' }, 'id'],
    [{ name: 'zone', physicalName: 'region' }, 'zone'],
  ];
  for (const [property, name] of rows) assert.is(columnOf(property)['name'], name, JSON.stringify(property));
  const both = contractOf(withProperties([{ name: 'total', physicalName: 'amount' }, { name: 'amount' }]));
  assert.equal(
    (both['schema'] as readonly JsonObject[]).map(({ name }) => name),
    ['total', 'amount'],
  );
});

test('columns missing from the asset are reported with their path', () => {
  const found = findings(
    imported(
      withProperties([
        { name: 'id' },
        { name: 'ghost' },
        { name: 'address', properties: [{ name: 'zip' }, { name: 'planet' }] },
        { name: 'lines', logicalType: 'array', items: { properties: [{ name: 'wish' }] } },
        { logicalType: 'string' },
      ]),
    ),
  );
  assert.equal(found, [
    'blocking schema schema[0].properties[1]',
    'blocking schema schema[0].properties[2].properties[1]',
    'blocking schema schema[0].properties[3].items.properties[0]',
  ]);
});

test('an asset without a schema is reported', () => {
  const dashboard = { ...ordersTable, entityType: 'dashboard', columns: [], hasSchema: false };
  const { report } = imported(withProperties([{ name: 'id' }]), { target: dashboard });
  assert.is(report['canImport'], false);
  assert.is(imported(withProperties([]), { target: dashboard }).report['canImport'], true);
});

test('properties are written for a contract without a document', () => {
  const schema: readonly JsonObject[] = [
    column('id', 'INT', { constraint: 'PRIMARY_KEY', displayName: 'Number', description: 'Counts up.' }),
    column('part', 'INT', { constraint: 'PRIMARY_KEY' }),
    column('mail', 'VARCHAR', {
      dataLength: 50,
      constraint: 'UNIQUE',
      tags: [{ tagFQN: 'PII.Sensitive' }, { tagFQN: 'x.y' }],
    }),
    column('status', 'VARCHAR', {
      dataTypeDisplay: 'text',
      constraint: 'NOT_NULL',
      tags: [{ tagFQN: 'Data.Restricted' }],
    }),
    column('note', 'STRING', { constraint: 'NULL' }),
    column('address', 'STRUCT', { children: [column('zip')] }),
    column('lines', 'ARRAY', { arrayDataType: 'STRUCT', children: [column('sku')] }),
    column('facts', 'MAP', { children: [column('key')] }),
    column('packed', 'TEXT', { dataLength: 9, children: [column('inner')] }),
    column('raw', 'JSON', { children: [column('kept')] }),
  ];
  assert.equal(propertiesOf(exported({ schema, entityStatus: 'Draft' })), [
    {
      name: 'id',
      physicalName: 'id',
      businessName: 'Number',
      logicalType: 'integer',
      physicalType: 'int',
      description: 'Counts up.',
      primaryKey: true,
      required: true,
      primaryKeyPosition: 1,
    },
    {
      name: 'part',
      physicalName: 'part',
      logicalType: 'integer',
      physicalType: 'int',
      primaryKey: true,
      required: true,
      primaryKeyPosition: 2,
    },
    {
      name: 'mail',
      physicalName: 'mail',
      logicalType: 'string',
      physicalType: 'varchar(50)',
      unique: true,
      tags: ['PII.Sensitive', 'x.y'],
      classification: 'PII',
      logicalTypeOptions: { maxLength: 50 },
    },
    {
      name: 'status',
      physicalName: 'status',
      logicalType: 'string',
      physicalType: 'varchar',
      required: true,
      tags: ['Data.Restricted'],
      classification: 'restricted',
    },
    { name: 'note', physicalName: 'note', logicalType: 'string', physicalType: 'string' },
    {
      name: 'address',
      physicalName: 'address',
      logicalType: 'object',
      physicalType: 'struct',
      properties: [{ name: 'zip', physicalName: 'zip', logicalType: 'string', physicalType: 'string' }],
    },
    {
      name: 'lines',
      physicalName: 'lines',
      logicalType: 'array',
      physicalType: 'array',
      items: {
        logicalType: 'object',
        physicalType: 'struct',
        properties: [{ name: 'sku', physicalName: 'sku', logicalType: 'string', physicalType: 'string' }],
      },
    },
    { name: 'facts', physicalName: 'facts', logicalType: 'object', physicalType: 'map' },
    {
      name: 'packed',
      physicalName: 'packed',
      logicalType: 'object',
      physicalType: 'text(9)',
      properties: [{ name: 'inner', physicalName: 'inner', logicalType: 'string', physicalType: 'string' }],
    },
    {
      name: 'raw',
      physicalName: 'raw',
      logicalType: 'object',
      physicalType: 'json',
      properties: [{ name: 'kept', physicalName: 'kept', logicalType: 'string', physicalType: 'string' }],
    },
  ]);
});

test('the written object is named, typed and described by the asset', () => {
  const contract = { schema: [column('id', 'INT')] };
  const head = (entityType: string) => {
    const { properties: _properties, ...rest } = firstObject(
      exported(contract, undefined, { target: { ...ordersTable, entityType } }),
    );
    return rest;
  };
  const rest = { name: 'orders', logicalType: 'object', description: 'What was ordered.' };
  assert.equal(head('table'), { ...rest, physicalType: 'table' });
  assert.equal(head('topic'), { ...rest, physicalType: 'topic' });
  assert.equal(head('apiEndpoint'), { ...rest, physicalType: 'endpoint' });
  assert.is(exported({ name: 'c' })['schema'], undefined);
});

/** A property after its column was changed. */
const after = (property: JsonObject, change: (made: JsonObject) => JsonObject): JsonObject =>
  firstProperty(
    edited(withProperties([{ name: 'id', ...property }]), (contract) => ({
      ...contract,
      schema: [change(firstColumn(contract))],
    })),
  );

const without =
  (...names: readonly string[]) =>
  (from: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)));

test('an edited column changes only the edited members of its property', () => {
  const rows: readonly (readonly [string, JsonObject, (made: JsonObject) => JsonObject, JsonObject])[] = [
    [
      'text',
      { description: 'old', examples: [1] },
      (c) => ({ ...c, description: 'new' }),
      { description: 'new', examples: [1] },
    ],
    ['no text', { description: 'old', examples: [1] }, without('description'), { examples: [1] }],
    ['name for people', { businessName: 'A' }, (c) => ({ ...c, displayName: 'B' }), { businessName: 'B' }],
    [
      'tag added',
      { tags: ['uid', 'PII.Sensitive'] },
      (c) => ({ ...c, tags: [{ tagFQN: 'PII.Sensitive' }, { tagFQN: 'Tier.Tier1' }] }),
      { tags: ['uid', 'PII.Sensitive', 'Tier.Tier1'] },
    ],
    ['tag removed', { tags: ['uid', 'PII.Sensitive'] }, without('tags'), { tags: ['uid'] }],
    ['last tag removed', { tags: ['PII.Sensitive'] }, without('tags'), {}],
    [
      'longer',
      { physicalType: 'varchar(5)', logicalType: 'string', logicalTypeOptions: { maxLength: 5, pattern: 'x' } },
      (c) => ({ ...c, dataLength: 9 }),
      { physicalType: 'varchar(9)', logicalType: 'string', logicalTypeOptions: { maxLength: 9, pattern: 'x' } },
    ],
    [
      'no length',
      { physicalType: 'text', logicalType: 'string', logicalTypeOptions: { maxLength: 5, pattern: 'x' } },
      without('dataLength'),
      { physicalType: 'text', logicalType: 'string', logicalTypeOptions: { pattern: 'x' } },
    ],
    [
      'another type',
      { physicalType: 'varchar(5)', logicalType: 'string', logicalTypeOptions: { pattern: 'x', maxLength: 5 } },
      (c) => ({ ...without('dataLength')(c), dataType: 'BIGINT' }),
      { physicalType: 'bigint', logicalType: 'integer', logicalTypeOptions: { format: 'i64' } },
    ],
    [
      'a near type keeps the odd word of the document',
      { physicalType: 'int4', logicalType: 'number' },
      (c) => ({ ...c, dataType: 'SMALLINT', dataTypeDisplay: 'int2' }),
      { physicalType: 'int2', logicalType: 'number', logicalTypeOptions: { format: 'i16' } },
    ],
    [
      'no fields any more',
      { logicalType: 'object', properties: [{ name: 'a' }] },
      (c) => ({ ...without('children')(c), dataType: 'STRING' }),
      { logicalType: 'string', physicalType: 'string' },
    ],
    [
      'no fields any more, of what only shows its type',
      { physicalType: 'struct<a:int>', properties: [{ name: 'a' }], logicalTypeOptions: { maxProperties: 3 } },
      (c) => ({ ...without('children')(c), dataType: 'STRING' }),
      { logicalType: 'string', physicalType: 'string' },
    ],
    [
      'an object where there was a list of them',
      { logicalType: 'array', items: { logicalType: 'object', properties: [{ name: 'a', examples: [1] }] } },
      (c) => ({ ...without('arrayDataType')(c), dataType: 'STRUCT' }),
      { logicalType: 'object', physicalType: 'struct', properties: [{ name: 'a', examples: [1] }] },
    ],
    [
      'fields where there were none',
      { logicalType: 'string', logicalTypeOptions: { minLength: 1 } },
      (c) => ({ ...c, dataType: 'STRUCT', children: [column('a', 'INT')] }),
      {
        logicalType: 'object',
        physicalType: 'struct',
        properties: [{ name: 'a', physicalName: 'a', logicalType: 'integer', physicalType: 'int' }],
      },
    ],
    [
      'elements of another type',
      { logicalType: 'array', items: { logicalType: 'string', examples: ['a'] } },
      (c) => ({ ...c, arrayDataType: 'INT' }),
      { logicalType: 'array', items: { logicalType: 'integer', physicalType: 'int', examples: ['a'] } },
    ],
  ];
  for (const [what, property, change, expected] of rows) {
    assert.equal(after(property, change), { name: 'id', ...expected }, what);
  }
});

test('an edited constraint keeps flags that mean the same and changes others', () => {
  const to = (constraint?: string) => (made: JsonObject) => ({
    ...without('constraint')(made),
    ...(constraint !== undefined && { constraint }),
  });
  const rows: readonly (readonly [JsonObject, string | undefined, JsonObject])[] = [
    [{ primaryKey: true, primaryKeyPosition: 1, required: false }, 'NOT_NULL', { required: true }],
    [{ primaryKey: true, primaryKeyPosition: 1, unique: true }, undefined, {}],
    [{ primaryKey: true, required: true }, 'UNIQUE', { unique: true, required: true }],
    [{ unique: true, required: false, primaryKey: false }, undefined, { required: false, primaryKey: false }],
    [{ required: true }, 'PRIMARY_KEY', { required: true, primaryKey: true, primaryKeyPosition: 1 }],
    [{ primaryKeyPosition: -1 }, 'PRIMARY_KEY', { primaryKey: true, primaryKeyPosition: 1 }],
    [{ required: false, primaryKeyPosition: -1 }, 'NOT_NULL', { required: true, primaryKeyPosition: -1 }],
    [{ required: true }, 'NULL', {}],
    [{ unique: true }, 'NOT_NULL', { required: true }],
    [{ unique: true, required: true }, undefined, {}],
  ];
  for (const [flags, constraint, expected] of rows) {
    const property = after(flags, to(constraint));
    assert.ok(equalJson(property, { name: 'id', ...expected }), JSON.stringify([flags, constraint, property]));
    const again = firstColumn(contractOf(withProperties([property])))['constraint'];
    assert.is(again, constraint === 'NULL' ? undefined : constraint);
  }
});

test('columns are added, removed and renamed in case, and the properties between them stay', () => {
  const source = withProperties(
    [
      { name: 'id', examples: [1] },
      { name: 'note', logicalType: 'string' },
      { name: 'address', properties: [{ name: 'zip', examples: ['1'] }, { name: 'street' }] },
    ],
    { tags: ['kept'] },
  );
  const target = tableOf('orders', [column('id'), column('note'), column('address')]);
  const result = edited(
    source,
    (contract) => {
      const [id = {}, , address = {}] = contract['schema'] as readonly JsonObject[];
      const children = [column('zip'), column('city')];
      return { ...contract, schema: [column('fresh', 'DATE'), { ...address, children }, { ...id, name: 'ID' }] };
    },
    { target },
  );
  assert.equal(firstObject(result), {
    name: 'orders',
    logicalType: 'object',
    properties: [
      { name: 'ID', examples: [1] },
      {
        name: 'address',
        properties: [
          { name: 'zip', examples: ['1'] },
          { name: 'city', physicalName: 'city', logicalType: 'string', physicalType: 'string' },
        ],
      },
      { name: 'fresh', physicalName: 'fresh', logicalType: 'date', physicalType: 'date' },
    ],
    tags: ['kept'],
  });
});

test('a document name that only the physical name ties to the asset stays', () => {
  const source = withProperties([{ name: 'total', physicalName: 'amount', description: 'a' }]);
  const result = edited(source, (contract) => ({
    ...contract,
    schema: [{ ...firstColumn(contract), description: 'b' }],
  }));
  assert.equal(propertiesOf(result), [{ name: 'total', physicalName: 'amount', description: 'b' }]);
});

test('fields that differ only in case are distinct', () => {
  const source = withProperties([
    { name: 'userId', examples: [1] },
    { name: 'userID', examples: [2] },
  ]);
  const target = tableOf('orders', [column('userId'), column('userID')]);
  const result = edited(
    source,
    (contract) => ({ ...contract, schema: (contract['schema'] as readonly JsonObject[]).slice(1) }),
    { target },
  );
  assert.equal(propertiesOf(result), [{ name: 'userID', examples: [2] }]);
  const added = edited(
    withProperties([{ name: 'userId', examples: [1] }]),
    (contract) => ({ ...contract, schema: [firstColumn(contract), column('userID')] }),
    { target },
  );
  assert.equal(
    propertiesOf(added).map(({ name, examples }) => [name, examples]),
    [
      ['userId', [1]],
      ['userID', undefined],
    ],
  );
});

test('an object without columns is kept as an object', () => {
  const source = withProperties([{ name: 'id' }], { logicalType: undefined as never, physicalName: 'orders_v1' });
  const { logicalType: _logicalType, ...object } = firstObject(source);
  const result = edited({ ...source, schema: [object] }, without('schema'));
  assert.equal(result['schema'], [{ name: 'orders', physicalName: 'orders_v1', logicalType: 'object' }]);
});

test('later tags, users or columns do not change a re-exported document', () => {
  const source = withProperties([{ name: 'total', physicalName: 'gone', tags: ['Later.Tag'] }]);
  const before = contractOf(source);
  const knowing = {
    lookup: { ...lookup, tag: () => 'Classification' as const },
    target: tableOf('orders', [column('gone')]),
    imported: before,
  };
  assert.ok(equalJson(exported(before, source, knowing), source));
});

test.run();
