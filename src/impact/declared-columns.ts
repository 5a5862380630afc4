import { readColumnType } from '../contracts/odcs/schema/column-types.ts';
import type { DeclaredColumn } from '../lineage/sql/ddl.ts';
import type { DeclaredType } from '../lineage/sql/declared-type.ts';
import type { JsonObject } from '../model/json.ts';

/** Converts column definitions from DDL to columns of the catalog. */

/** SQL types with a different name in the catalog, in addition to the aliases that contract documents use. */
const TYPE_ALIASES: Readonly<Record<string, string>> = {
  BIGDECIMAL: 'DECIMAL',
  BIGNUMERIC: 'NUMERIC',
  BINARY_DOUBLE: 'DOUBLE',
  BINARY_FLOAT: 'FLOAT',
  BITVARYING: 'BIT',
  CHARACTERLARGEOBJECT: 'CLOB',
  CHARACTERVARYING: 'VARCHAR',
  CHARLARGEOBJECT: 'CLOB',
  CHARVARYING: 'VARCHAR',
  DATE32: 'DATE',
  DATETIME2: 'DATETIME',
  DATETIME64: 'DATETIME',
  DATETIMEOFFSET: 'TIMESTAMPZ',
  DOUBLEPRECISION: 'DOUBLE',
  FIXEDSTRING: 'STRING',
  FLOAT32: 'FLOAT',
  HUGEINT: 'LARGEINT',
  INT128: 'LARGEINT',
  INT16: 'SMALLINT',
  INT256: 'LARGEINT',
  INT32: 'INT',
  JSONB: 'JSON',
  LONGTEXT: 'TEXT',
  MEDIUMINT: 'INT',
  NVARCHAR2: 'VARCHAR',
  SMALLDATETIME: 'DATETIME',
  TIMESTAMPNTZ: 'TIMESTAMP',
  TIMESTAMP_LTZ: 'TIMESTAMPZ',
  TIMESTAMP_NTZ: 'TIMESTAMP',
  TIMESTAMP_TZ: 'TIMESTAMPZ',
  TINYBLOB: 'BLOB',
  TINYTEXT: 'TEXT',
  UINT16: 'UINT',
  UINT32: 'UINT',
  UINT64: 'UINT',
  UINT8: 'UINT',
  UNIQUEIDENTIFIER: 'UUID',
  VARBIT: 'BIT',
};

/** The catalog type for a type name that is not known. */
export const UNKNOWN_TYPE = 'UNKNOWN';

const SIZE_PATTERN = /\(.*$/s;

const normaliseTypeText = (text: string): string => {
  const room = SIZE_PATTERN.exec(text)?.[0] ?? '';
  const word = text.slice(0, text.length - room.length).replace(/UNSIGNED$/, '');
  return `${Object.hasOwn(TYPE_ALIASES, word) ? TYPE_ALIASES[word] : word}${room}`;
};

/** Unknown type names are first mapped to a type that no column declares. */
const NO_TYPE = 'NULL';

/** The members that store a type in a column of the catalog, from its text in upper case without blanks. */
export const readTypeText = (text: string): JsonObject => {
  const { dataTypeDisplay: _, ...found } = readColumnType({
    physicalType: normaliseTypeText(text),
    logicalType: NO_TYPE.toLowerCase(),
  });
  return found['dataType'] === NO_TYPE ? { dataType: UNKNOWN_TYPE } : found;
};

const toChildColumns = ({ fields, element }: DeclaredType): readonly JsonObject[] =>
  (fields ?? element?.fields ?? []).map(({ name, type }) => ({ name, ...toTypeMembers(type) }));

/** Returns the members that store a type in a column of the catalog. */
export const toTypeMembers = (type: DeclaredType): JsonObject => {
  const { arrayDataType: _, ...own } = readTypeText(type.text);
  const children = toChildColumns(type);
  return {
    ...own,
    ...(type.element === undefined
      ? {}
      : { arrayDataType: readTypeText(type.element.text)['dataType'] ?? UNKNOWN_TYPE }),
    ...(children.length > 0 ? { children } : {}),
  };
};

export const toCatalogColumn = ({ name, type, constraint }: DeclaredColumn): JsonObject => ({
  name,
  ...toTypeMembers(type),
  constraint,
});
