import { isObject, type JsonObject } from '../../../model/json.ts';
import { jsonItems, jsonObject, jsonObjects, nonBlankText } from '../../../model/json-parts.ts';
import { COLUMN_TYPES } from '../../../model/schemas/columns/column.ts';
import { isSameText, omitEmpty } from '../json-parts.ts';
import { OPTIONS_BY_TYPE } from '../versions/type-options.ts';

/** Converts data types between documents (`physicalType`, `logicalType` with options) and columns (odcs.md 4). */

/** The logical types of the standard. */
export const LOGICAL_TYPES = [
  'string',
  'date',
  'timestamp',
  'time',
  'number',
  'integer',
  'object',
  'array',
  'boolean',
  'map',
  'vector',
] as const;

/** Type names of other catalogs and of 2.x, with their equivalents in the standard. */
export const FOREIGN_TYPES: Readonly<Record<string, (typeof LOGICAL_TYPES)[number]>> = {
  text: 'string',
  decimal: 'number',
  float: 'number',
  double: 'number',
  numeric: 'number',
  long: 'integer',
  bytes: 'string',
  binary: 'string',
  uuid: 'string',
  xml: 'string',
  null: 'string',
};

const KNOWN_TYPES: ReadonlySet<string> = new Set(COLUMN_TYPES);

const ALIASES: Readonly<Record<string, string>> = {
  INTEGER: 'INT',
  INT4: 'INT',
  SERIAL: 'INT',
  INT8: 'BIGINT',
  BIGSERIAL: 'BIGINT',
  INT64: 'BIGINT',
  INT2: 'SMALLINT',
  SMALLSERIAL: 'SMALLINT',
  FLOAT4: 'FLOAT',
  REAL: 'FLOAT',
  FLOAT8: 'DOUBLE',
  'DOUBLE PRECISION': 'DOUBLE',
  FLOAT64: 'DOUBLE',
  DEC: 'DECIMAL',
  VARCHAR2: 'VARCHAR',
  NVARCHAR: 'VARCHAR',
  'CHARACTER VARYING': 'VARCHAR',
  BPCHAR: 'CHAR',
  CHARACTER: 'CHAR',
  NCHAR: 'CHAR',
  BOOL: 'BOOLEAN',
  TIMESTAMPTZ: 'TIMESTAMPZ',
  'TIMESTAMP WITH TIME ZONE': 'TIMESTAMPZ',
  LIST: 'ARRAY',
  OBJECT: 'STRUCT',
};

const TYPE_BY_LOGICAL: Readonly<Record<string, string>> = {
  string: 'STRING',
  date: 'DATE',
  timestamp: 'TIMESTAMP',
  time: 'TIME',
  number: 'NUMBER',
  integer: 'INT',
  boolean: 'BOOLEAN',
  array: 'ARRAY',
  object: 'STRUCT',
  map: 'MAP',
  vector: 'ARRAY',
  text: 'TEXT',
  long: 'BIGINT',
  decimal: 'DECIMAL',
  float: 'FLOAT',
  double: 'DOUBLE',
  bytes: 'BINARY',
  null: 'NULL',
  numeric: 'NUMERIC',
  uuid: 'UUID',
  xml: 'XML',
  binary: 'BINARY',
};

const TYPE_BY_FORMAT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  number: { f32: 'FLOAT', f64: 'DOUBLE' },
  integer: {
    i8: 'TINYINT',
    i16: 'SMALLINT',
    i64: 'BIGINT',
    u64: 'BIGINT',
    i128: 'LARGEINT',
    u128: 'LARGEINT',
    u8: 'UINT',
    u16: 'UINT',
    u32: 'UINT',
  },
};

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Types whose single argument is a length. */
const LENGTH_TYPES = setOf(
  'STRING VARCHAR CHAR TEXT MEDIUMTEXT NTEXT CLOB BINARY VARBINARY BLOB BYTEA BYTES LONGBLOB MEDIUMBLOB',
);
const BINARY_TYPES = setOf('BINARY VARBINARY BLOB BYTEA BYTES LONGBLOB MEDIUMBLOB');
/** Types that get the length 1 when declared without one. */
const TYPES_NEEDING_LENGTH = setOf('CHAR VARCHAR BINARY VARBINARY');

const LOGICAL_TYPE_SETS: readonly (readonly [logicalType: string, types: ReadonlySet<string>])[] = [
  ['date', setOf('DATE')],
  ['timestamp', setOf('TIMESTAMP TIMESTAMPZ DATETIME')],
  ['time', setOf('TIME')],
  ['number', setOf('DECIMAL NUMERIC NUMBER MONEY FIXED FLOAT DOUBLE')],
  ['integer', setOf('INT TINYINT SMALLINT BYTEINT BIGINT LONG LARGEINT UINT YEAR')],
  ['boolean', setOf('BOOLEAN')],
  ['array', setOf('ARRAY SET TUPLE')],
  ['object', setOf('STRUCT MAP RECORD UNION JSON VARIANT SUPER')],
];

const FORMAT_BY_TYPE: Readonly<Record<string, string>> = {
  UUID: 'uuid',
  FLOAT: 'f32',
  DOUBLE: 'f64',
  TINYINT: 'i8',
  SMALLINT: 'i16',
  BIGINT: 'i64',
  LONG: 'i64',
  LARGEINT: 'i128',
};

type DeclaredPhysicalType = { readonly dataType?: string; readonly rest: string };

/** The maximum length of a type's text that is read; documents may contain any text. */
const MAX_TYPE_LENGTH = 1000;

const findKnownType = (word: string): string | undefined => {
  const upper = word.trim().replace(/\s+/g, ' ').toUpperCase();
  if (KNOWN_TYPES.has(upper)) return upper;
  return Object.hasOwn(ALIASES, upper) ? ALIASES[upper] : undefined;
};

/** Parses the type at the beginning of a text such as `varchar(20)`, `varchar[20]` or `timestamp with time zone`. */
const parsePhysicalType = (physicalType: string): DeclaredPhysicalType => {
  const text = physicalType.slice(0, MAX_TYPE_LENGTH).trim();
  const bracket = text.search(/[([<]/);
  const word = bracket === -1 ? text : text.slice(0, bracket);
  const rest = bracket === -1 ? '' : text.slice(bracket);
  const tail = rest.slice(rest.search(/[)\]>]/) + 1);
  // The text after the argument matters in `timestamp(6) with time zone`, but not in `int(11) unsigned`, which has no
  // type of its own.
  const spoken = bracket !== -1 && tail.trim() !== '' ? findKnownType(`${word} ${tail}`) : undefined;
  const dataType = spoken ?? findKnownType(word) ?? findKnownType(word.trim().split(/\s/, 1)[0] ?? '');
  return { rest, ...(dataType !== undefined && { dataType }) };
};

const ARGUMENTS = /^[([]\s*(\d{1,9})(?:\s+[a-z]+)?\s*(?:,\s*(-?\d{1,9})\s*)?[)\]]/i;

const typeArgumentsOf = ({ dataType = '', rest }: DeclaredPhysicalType): JsonObject => {
  const [, first, second] = ARGUMENTS.exec(rest) ?? [];
  if (first === undefined) return {};
  if (LENGTH_TYPES.has(dataType)) return { dataLength: Number(first) };
  return { precision: Number(first), ...(second !== undefined && { scale: Number(second) }) };
};

const hasTimeFormat = (format: string | undefined): boolean => format !== undefined && /[Hhs]|:mm/.test(format);

const typeFromLogical = (property: JsonObject): string | undefined => {
  const word = nonBlankText(property['logicalType'])?.trim().toLowerCase() ?? '';
  const format = nonBlankText(jsonObject(property['logicalTypeOptions'])['format']);
  if (word === 'date' && hasTimeFormat(format)) return 'TIMESTAMP';
  const formats = Object.hasOwn(TYPE_BY_FORMAT, word) ? TYPE_BY_FORMAT[word] : undefined;
  if (formats && format !== undefined && Object.hasOwn(formats, format)) return formats[format];
  return Object.hasOwn(TYPE_BY_LOGICAL, word) ? TYPE_BY_LOGICAL[word] : undefined;
};

/** The element type in a text such as `array<string>`. */
const parseElementType = (physicalType: string | undefined): string | undefined => {
  const [, inner] = /^[^<]{0,100}<([^>,]{1,100})/.exec(physicalType ?? '') ?? [];
  return inner === undefined ? undefined : parsePhysicalType(inner).dataType;
};

/** Infers the type of a property from its members. */
const inferType = (property: JsonObject): string => {
  if (jsonObjects(property['properties']).length > 0) return 'STRUCT';
  return isObject(property['items']) ? 'ARRAY' : 'STRING';
};

const resolveDataType = (property: JsonObject): string => {
  const physicalType = nonBlankText(property['physicalType']);
  const declared = physicalType === undefined ? undefined : parsePhysicalType(physicalType).dataType;
  return declared ?? typeFromLogical(property) ?? inferType(property);
};

/** The types of the elements of vectors; a vector that names none has floats. */
const ELEMENT_TYPES: Readonly<Record<string, string>> = {
  binary: 'BOOLEAN',
  float64: 'DOUBLE',
  int8: 'TINYINT',
  uint8: 'SMALLINT',
};

const resolveElementType = (property: JsonObject): string => {
  if (isSameText(nonBlankText(property['logicalType']), 'vector')) {
    const named = nonBlankText(jsonObject(property['logicalTypeOptions'])['elementType']) ?? '';
    return Object.hasOwn(ELEMENT_TYPES, named) ? (ELEMENT_TYPES[named] ?? 'FLOAT') : 'FLOAT';
  }
  const items = jsonObject(property['items']);
  if (items['physicalType'] !== undefined || items['logicalType'] !== undefined) return resolveDataType(items);
  // An array without an element type still needs one, because columns require it.
  return (
    parseElementType(nonBlankText(property['physicalType'])) ??
    (items['properties'] === undefined ? 'UNKNOWN' : 'STRUCT')
  );
};

/** Reads the type of a property's column: `dataType`, its arguments and the text as written. */
export const readColumnType = (property: JsonObject): JsonObject => {
  const physicalType = nonBlankText(property['physicalType']);
  const dataType = resolveDataType(property);
  const declared = physicalType === undefined ? undefined : parsePhysicalType(physicalType);
  const { maxLength } = jsonObject(property['logicalTypeOptions']);
  const isLength = Number.isSafeInteger(maxLength) && Number(maxLength) >= 0 && toLogicalType(dataType) === 'string';
  return omitEmpty({
    dataType,
    ...(declared?.dataType === dataType && typeArgumentsOf(declared)),
    ...(isLength && { dataLength: Number(maxLength) }),
    dataTypeDisplay: physicalType,
    arrayDataType: dataType === 'ARRAY' ? resolveElementType(property) : undefined,
  });
};

/** The logical type of a data type. */
export const toLogicalType = (dataType: string): string =>
  LOGICAL_TYPE_SETS.find(([, types]) => types.has(dataType))?.[0] ?? 'string';

const hasFields = ({ children }: JsonObject): boolean => jsonItems(children).length > 0;

/** The logical type of a column: a column with fields is an object, even when it is stored as text. */
export const columnLogicalType = (column: JsonObject): string => {
  const logical = toLogicalType(String(column['dataType']));
  return logical !== 'array' && hasFields(column) ? 'object' : logical;
};

const formatOf = (dataType: string): string | undefined => {
  if (BINARY_TYPES.has(dataType)) return 'binary';
  return Object.hasOwn(FORMAT_BY_TYPE, dataType) ? FORMAT_BY_TYPE[dataType] : undefined;
};

const numberIn = (column: JsonObject, name: string): number | undefined =>
  typeof column[name] === 'number' ? column[name] : undefined;

/** The length of a column. A length of 1 that was filled in because the type requires one is ignored. */
const lengthOf = (column: JsonObject, written: JsonObject | undefined): number | undefined => {
  const length = numberIn(column, 'dataLength');
  const isFilledIn =
    length === 1 && TYPES_NEEDING_LENGTH.has(String(column['dataType'])) && written?.['dataLength'] !== 1;
  return isFilledIn ? undefined : length;
};

/** Whether the written type still matches the column; an unknown type always does. */
const isStillCorrect = (declared: DeclaredPhysicalType, written: JsonObject, column: JsonObject): boolean => {
  if (declared.dataType === undefined) return true;
  if (declared.dataType !== column['dataType']) return false;
  const lengths = [lengthOf(column, written), numberIn(column, 'precision'), numberIn(column, 'scale')];
  return ['dataLength', 'precision', 'scale'].every(
    (name, index) => lengths[index] === undefined || written[name] === undefined || lengths[index] === written[name],
  );
};

const writePhysicalType = (column: JsonObject, written: JsonObject | undefined): string => {
  const lengths = [lengthOf(column, written), numberIn(column, 'precision'), numberIn(column, 'scale')];
  const numbers = lengths.filter((number) => number !== undefined);
  const type = String(column['dataType'] ?? 'STRING').toLowerCase();
  return numbers.length === 0 ? type : `${type}(${numbers.join(',')})`;
};

const writeTypeOptions = (column: JsonObject, logicalType: string, written: JsonObject | undefined): JsonObject => {
  const dataType = String(column['dataType']);
  return omitEmpty({
    format: toLogicalType(dataType) === logicalType ? formatOf(dataType) : undefined,
    timezone: logicalType === 'timestamp' && dataType === 'TIMESTAMPZ' ? true : undefined,
    maxLength: logicalType === 'string' ? lengthOf(column, written) : undefined,
  });
};

const writeArrayItems = (column: JsonObject): JsonObject => {
  const named = nonBlankText(column['arrayDataType']);
  const element = named === undefined || named === 'UNKNOWN' ? (hasFields(column) ? 'STRUCT' : undefined) : named;
  const logicalType = hasFields(column) ? 'object' : toLogicalType(element ?? '');
  return element === undefined ? {} : { logicalType, physicalType: element.toLowerCase() };
};

/** Writes the members of a property that describe a column's type. */
export const writeTypeMembers = (column: JsonObject): JsonObject => {
  const display = nonBlankText(column['dataTypeDisplay']);
  const declared = display === undefined ? undefined : parsePhysicalType(display);
  const written = declared === undefined ? undefined : typeArgumentsOf(declared);
  const logicalType = columnLogicalType(column);
  const isAsWritten = declared !== undefined && written !== undefined && isStillCorrect(declared, written, column);
  return omitEmpty({
    logicalType,
    physicalType: isAsWritten ? display : writePhysicalType(column, written),
    logicalTypeOptions: writeTypeOptions(column, logicalType, written),
    items: logicalType === 'array' ? writeArrayItems(column) : undefined,
  });
};

const BOUNDS = setOf('minimum maximum exclusiveMinimum exclusiveMaximum');
const NUMBERS = setOf('number integer');

/** Whether an option of one type has the same meaning for another: bounds of dates are not bounds of numbers. */
export const isOptionOfType = (name: string, before: string, after: string): boolean => {
  if (!Object.hasOwn(OPTIONS_BY_TYPE, after) || !Object.hasOwn(OPTIONS_BY_TYPE[after] ?? {}, name)) return false;
  return !BOUNDS.has(name) || NUMBERS.has(before) === NUMBERS.has(after);
};
