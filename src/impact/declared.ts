import { typeOf } from '../contracts/odcs/types.ts';
import type { DeclaredColumn } from '../lineage/sql/ddl.ts';
import type { DeclaredType } from '../lineage/sql/type.ts';
import type { JsonObject } from '../model/json.ts';

/** Columns as statements declare them, in the words of the catalog. */

/** Words of SQL for types that go by another name in the catalog, beside those that documents use as well. */
const WORDS: Readonly<Record<string, string>> = {
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

/** The type of a column whose own has a word that is not known. */
export const UNKNOWN = 'UNKNOWN';

const ROOM = /\(.*$/s;

const spoken = (text: string): string => {
  const room = ROOM.exec(text)?.[0] ?? '';
  const word = text.slice(0, text.length - room.length).replace(/UNSIGNED$/, '');
  return `${Object.hasOwn(WORDS, word) ? WORDS[word] : word}${room}`;
};

/** A word that is not known is read as what no column is declared to be. */
const NO_TYPE = 'NULL';

const plainType = (text: string): JsonObject => {
  const { dataTypeDisplay: _, ...found } = typeOf({ physicalType: spoken(text), logicalType: NO_TYPE.toLowerCase() });
  return found['dataType'] === NO_TYPE ? { dataType: UNKNOWN } : found;
};

const fieldsOf = ({ fields, element }: DeclaredType): readonly JsonObject[] =>
  (fields ?? element?.fields ?? []).map(({ name, type }) => ({ name, ...typeMembersOf(type) }));

/** The members by which a column of the catalog says its type. */
export const typeMembersOf = (type: DeclaredType): JsonObject => {
  const { arrayDataType: _, ...own } = plainType(type.text);
  const children = fieldsOf(type);
  return {
    ...own,
    ...(type.element === undefined ? {} : { arrayDataType: plainType(type.element.text)['dataType'] ?? UNKNOWN }),
    ...(children.length > 0 ? { children } : {}),
  };
};

export const columnOf = ({ name, type, constraint }: DeclaredColumn): JsonObject => ({
  name,
  ...typeMembersOf(type),
  constraint,
});
