import * as assert from 'uvu/assert';
import {
  isOptionOfType,
  readColumnType,
  toLogicalType,
  writeTypeMembers,
} from '../../../src/contracts/odcs/schema/column-types.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import { hostileTypes } from '../../support/hostile-input.ts';
import { suite } from '../../support/suite.ts';

/** Shows that data types are converted both ways. */

const test = suite('contracts/odcs: column types');

const typed = (property: JsonObject) => readColumnType(property)['dataType'];

test('physical types are read by known names and aliases, in any case, with and without arguments', () => {
  const rows: Readonly<Record<string, string>> = {
    varchar: 'VARCHAR',
    'VarChar(20)': 'VARCHAR',
    'varchar[50]': 'VARCHAR',
    ' decimal ( 10 , 2 ) ': 'DECIMAL',
    integer: 'INT',
    int4: 'INT',
    serial: 'INT',
    int8: 'BIGINT',
    bigserial: 'BIGINT',
    int64: 'BIGINT',
    int2: 'SMALLINT',
    smallserial: 'SMALLINT',
    float4: 'FLOAT',
    real: 'FLOAT',
    float8: 'DOUBLE',
    'double precision': 'DOUBLE',
    float64: 'DOUBLE',
    dec: 'DECIMAL',
    varchar2: 'VARCHAR',
    'nvarchar(max)': 'VARCHAR',
    'character varying(255)': 'VARCHAR',
    bpchar: 'CHAR',
    character: 'CHAR',
    nchar: 'CHAR',
    bool: 'BOOLEAN',
    timestamptz: 'TIMESTAMPZ',
    'timestamp with time zone': 'TIMESTAMPZ',
    'timestamp(6) with time zone': 'TIMESTAMPZ',
    'timestamp without time zone': 'TIMESTAMP',
    'int(11) unsigned': 'INT',
    list: 'ARRAY',
    object: 'STRUCT',
    'array<string>': 'ARRAY',
    'struct<a:int>': 'STRUCT',
    json: 'JSON',
    'measure hidden': 'MEASURE HIDDEN',
  };
  for (const [physicalType, dataType] of Object.entries(rows)) {
    assert.is(typed({ physicalType, logicalType: 'boolean' }), dataType, physicalType);
    assert.is(readColumnType({ physicalType })['dataTypeDisplay'], physicalType);
  }
});

test('an unknown physical type falls back to the logical one, and then to text', () => {
  const rows: readonly (readonly [JsonObject, string])[] = [
    [{ physicalType: 'Name', logicalType: 'object' }, 'STRUCT'],
    [{ logicalType: 'string' }, 'STRING'],
    [{ logicalType: 'STRING' }, 'STRING'],
    [{ logicalType: 'date' }, 'DATE'],
    [{ logicalType: 'date', logicalTypeOptions: { format: 'yyyy-MM-dd' } }, 'DATE'],
    [{ logicalType: 'date', logicalTypeOptions: { format: 'yyyy-MM-dd HH:mm:ss' } }, 'TIMESTAMP'],
    [{ logicalType: 'timestamp' }, 'TIMESTAMP'],
    [{ logicalType: 'time' }, 'TIME'],
    [{ logicalType: 'number' }, 'NUMBER'],
    [{ logicalType: 'number', logicalTypeOptions: { format: 'f32' } }, 'FLOAT'],
    [{ logicalType: 'number', logicalTypeOptions: { format: 'f64' } }, 'DOUBLE'],
    [{ logicalType: 'integer' }, 'INT'],
    [{ logicalType: 'integer', logicalTypeOptions: { format: 'i8' } }, 'TINYINT'],
    [{ logicalType: 'integer', logicalTypeOptions: { format: 'i16' } }, 'SMALLINT'],
    [{ logicalType: 'integer', logicalTypeOptions: { format: 'i32' } }, 'INT'],
    [{ logicalType: 'integer', logicalTypeOptions: { format: 'i64' } }, 'BIGINT'],
    [{ logicalType: 'integer', logicalTypeOptions: { format: 'u64' } }, 'BIGINT'],
    [{ logicalType: 'integer', logicalTypeOptions: { format: 'i128' } }, 'LARGEINT'],
    [{ logicalType: 'integer', logicalTypeOptions: { format: 'u128' } }, 'LARGEINT'],
    [{ logicalType: 'integer', logicalTypeOptions: { format: 'u8' } }, 'UINT'],
    [{ logicalType: 'integer', logicalTypeOptions: { format: 'u32' } }, 'UINT'],
    [{ logicalType: 'boolean' }, 'BOOLEAN'],
    [{ logicalType: 'array' }, 'ARRAY'],
    [{ logicalType: 'object' }, 'STRUCT'],
    [{ logicalType: 'text' }, 'TEXT'],
    [{ logicalType: 'long' }, 'BIGINT'],
    [{ logicalType: 'decimal' }, 'DECIMAL'],
    [{ logicalType: 'float' }, 'FLOAT'],
    [{ logicalType: 'double' }, 'DOUBLE'],
    [{ logicalType: 'bytes' }, 'BINARY'],
    [{ logicalType: 'null' }, 'NULL'],
    [{ logicalType: 'Numeric' }, 'NUMERIC'],
    [{ logicalType: 'UUID' }, 'UUID'],
    [{ logicalType: 'XML' }, 'XML'],
    [{ logicalType: 'Binary' }, 'BINARY'],
    [{ logicalType: 'constructor' }, 'STRING'],
    [{}, 'STRING'],
  ];
  for (const [property, dataType] of rows) assert.is(typed(property), dataType, JSON.stringify(property));
});

test('arguments are a length for texts and bytes, else precision and scale', () => {
  const rows: readonly (readonly [string, JsonObject])[] = [
    ['varchar(20)', { dataLength: 20 }],
    ['varchar2(20 char)', { dataLength: 20 }],
    ['varbinary[8]', { dataLength: 8 }],
    ['decimal(10)', { precision: 10 }],
    ['decimal(10, 2)', { precision: 10, scale: 2 }],
    ['number(10,-2)', { precision: 10, scale: -2 }],
    ['float(3,2)', { precision: 3, scale: 2 }],
    ['nvarchar(max)', {}],
    ['varchar(99999999999999999999)', {}],
    ['geometry(Point,4326)', {}],
  ];
  for (const [physicalType, numbers] of rows) {
    const { dataType: _type, dataTypeDisplay: _display, ...rest } = readColumnType({ physicalType });
    assert.equal(rest, numbers, physicalType);
  }
  assert.is(readColumnType({ physicalType: 'varchar(20)', logicalTypeOptions: { maxLength: 10 } })['dataLength'], 10);
  assert.is(readColumnType({ logicalType: 'string', logicalTypeOptions: { maxLength: 7 } })['dataLength'], 7);
  assert.is(readColumnType({ logicalType: 'string', logicalTypeOptions: { maxLength: '7' } })['dataLength'], undefined);
});

test('the element type comes from the items, else from the type, and is never missing', () => {
  const arrays: readonly (readonly [JsonObject, string])[] = [
    [{ logicalType: 'array', items: { logicalType: 'integer' } }, 'INT'],
    [{ logicalType: 'array', items: { physicalType: 'varchar(3)', logicalType: 'string' } }, 'VARCHAR'],
    [{ logicalType: 'array', items: { properties: [{ name: 'a' }] } }, 'STRUCT'],
    [{ physicalType: 'array<bigint>' }, 'BIGINT'],
    [{ physicalType: 'list' }, 'UNKNOWN'],
  ];
  for (const [property, element] of arrays) assert.is(readColumnType(property)['arrayDataType'], element);
});

test('a hostile type is read like any unknown one', () => {
  const unknown = typed({ physicalType: 'nonsense' });
  for (const physicalType of hostileTypes(1e6)) assert.is(typed({ physicalType }), unknown, physicalType.slice(0, 3));
});

test('data types are mapped to the nine logical types of the standard', () => {
  const rows: Readonly<Record<string, string>> = {
    string: 'STRING CHAR VARCHAR TEXT MEDIUMTEXT NTEXT CLOB ENUM UUID XML INTERVAL BINARY BLOB GEOMETRY UNKNOWN',
    date: 'DATE',
    timestamp: 'TIMESTAMP TIMESTAMPZ DATETIME',
    time: 'TIME',
    number: 'DECIMAL NUMERIC NUMBER MONEY FIXED FLOAT DOUBLE',
    integer: 'INT TINYINT SMALLINT BYTEINT BIGINT LONG LARGEINT UINT YEAR',
    boolean: 'BOOLEAN',
    array: 'ARRAY SET TUPLE',
    object: 'STRUCT MAP RECORD UNION JSON VARIANT SUPER',
  };
  for (const [logical, types] of Object.entries(rows)) {
    for (const dataType of types.split(' ')) assert.is(toLogicalType(dataType), logical, dataType);
  }
});

test('a property contains all members that describe a type', () => {
  const rows: readonly (readonly [JsonObject, JsonObject])[] = [
    [{ dataType: 'UUID' }, { logicalType: 'string', physicalType: 'uuid', logicalTypeOptions: { format: 'uuid' } }],
    [{ dataType: 'BLOB' }, { logicalType: 'string', physicalType: 'blob', logicalTypeOptions: { format: 'binary' } }],
    [{ dataType: 'FLOAT' }, { logicalType: 'number', physicalType: 'float', logicalTypeOptions: { format: 'f32' } }],
    [{ dataType: 'DOUBLE' }, { logicalType: 'number', physicalType: 'double', logicalTypeOptions: { format: 'f64' } }],
    [
      { dataType: 'TINYINT' },
      { logicalType: 'integer', physicalType: 'tinyint', logicalTypeOptions: { format: 'i8' } },
    ],
    [{ dataType: 'BIGINT' }, { logicalType: 'integer', physicalType: 'bigint', logicalTypeOptions: { format: 'i64' } }],
    [
      { dataType: 'LARGEINT' },
      { logicalType: 'integer', physicalType: 'largeint', logicalTypeOptions: { format: 'i128' } },
    ],
    [
      { dataType: 'TIMESTAMPZ' },
      { logicalType: 'timestamp', physicalType: 'timestampz', logicalTypeOptions: { timezone: true } },
    ],
    [{ dataType: 'INT' }, { logicalType: 'integer', physicalType: 'int' }],
    [
      { dataType: 'DECIMAL', precision: 10, scale: 2 },
      { logicalType: 'number', physicalType: 'decimal(10,2)' },
    ],
    [
      { dataType: 'VARCHAR', dataLength: 20 },
      { logicalType: 'string', physicalType: 'varchar(20)', logicalTypeOptions: { maxLength: 20 } },
    ],
    [
      { dataType: 'VARCHAR', dataLength: 20, dataTypeDisplay: 'character varying(20)' },
      { logicalType: 'string', physicalType: 'character varying(20)', logicalTypeOptions: { maxLength: 20 } },
    ],
    // A length that only fills a gap is told to nobody.
    [
      { dataType: 'VARCHAR', dataLength: 1, dataTypeDisplay: 'text' },
      { logicalType: 'string', physicalType: 'varchar' },
    ],
    [
      { dataType: 'VARCHAR', dataLength: 1, dataTypeDisplay: 'varchar' },
      { logicalType: 'string', physicalType: 'varchar' },
    ],
    [
      { dataType: 'ARRAY', arrayDataType: 'INT' },
      { logicalType: 'array', physicalType: 'array', items: { logicalType: 'integer', physicalType: 'int' } },
    ],
    [
      { dataType: 'ARRAY', arrayDataType: 'UNKNOWN' },
      { logicalType: 'array', physicalType: 'array' },
    ],
    // A spelling that says another type by now is not repeated; one that nobody knows is.
    [
      { dataType: 'INT', dataTypeDisplay: 'varchar(9)' },
      { logicalType: 'integer', physicalType: 'int' },
    ],
    [
      { dataType: 'INT', dataTypeDisplay: 'mystery' },
      { logicalType: 'integer', physicalType: 'mystery' },
    ],
  ];
  for (const [column, members] of rows) assert.equal(writeTypeMembers(column), members, JSON.stringify(column));
});

test('every type with its arguments is read back from what is written', () => {
  const columns: readonly JsonObject[] = [
    { dataType: 'VARCHAR', dataLength: 30 },
    { dataType: 'DECIMAL', precision: 12, scale: 3 },
    { dataType: 'TIMESTAMPZ' },
    { dataType: 'MAP' },
    { dataType: 'MEASURE HIDDEN' },
    { dataType: 'ARRAY', arrayDataType: 'BIGINT' },
  ];
  for (const column of columns) {
    const { dataTypeDisplay: _display, ...again } = readColumnType(writeTypeMembers(column));
    assert.equal(again, column);
  }
});

test('options survive a change of type only where they mean the same', () => {
  assert.is(isOptionOfType('maximum', 'integer', 'number'), true);
  assert.is(isOptionOfType('maximum', 'date', 'timestamp'), true);
  assert.is(isOptionOfType('maximum', 'date', 'integer'), false);
  assert.is(isOptionOfType('pattern', 'string', 'integer'), false);
  assert.is(isOptionOfType('pattern', 'string', 'nothing'), false);
});

test.run();
