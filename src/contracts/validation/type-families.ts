/**
 * Families of data types that hold the same sort of values: a contract may use any type of the family of a column's
 * type.
 */
const FAMILIES = {
  string: ['STRING', 'VARCHAR', 'CHAR', 'TEXT', 'MEDIUMTEXT', 'NTEXT', 'CLOB', 'UUID', 'ENUM'],
  integer: ['INT', 'BIGINT', 'SMALLINT', 'TINYINT', 'BYTEINT', 'LONG', 'LARGEINT', 'UINT'],
  decimal: ['DECIMAL', 'NUMERIC', 'NUMBER', 'DOUBLE', 'FLOAT', 'MONEY'],
  boolean: ['BOOLEAN'],
  time: ['DATE', 'DATETIME', 'TIMESTAMP', 'TIMESTAMPZ', 'TIME'],
  binary: ['BINARY', 'VARBINARY', 'BLOB', 'BYTEA', 'BYTES', 'LONGBLOB', 'MEDIUMBLOB'],
  complex: ['ARRAY', 'MAP', 'STRUCT', 'JSON', 'RECORD'],
} as const;

export type TypeFamily = keyof typeof FAMILIES;

/** Number types without a known scale, which may hold integers. */
const ANY_NUMBER: readonly string[] = ['NUMBER', 'NUMERIC'];

const FAMILY_BY_TYPE: ReadonlyMap<string, TypeFamily> = new Map(
  (Object.keys(FAMILIES) as TypeFamily[]).flatMap((family) => FAMILIES[family].map((type) => [type, family] as const)),
);

/** The family of a type; undefined for a type without a family. */
export const typeFamilyOf = (type: string): TypeFamily | undefined => FAMILY_BY_TYPE.get(type.toUpperCase());

const isIntegerAndAnyNumber = (one: string, other: string): boolean =>
  ANY_NUMBER.includes(one) && FAMILY_BY_TYPE.get(other) === 'integer';

/** Whether a contract may promise one type for a column of the other. A missing type is compatible with any. */
export const isCompatibleType = (one: string | undefined, other: string | undefined): boolean => {
  if (!one || !other) return true;
  const [a, b] = [one.toUpperCase(), other.toUpperCase()];
  if (a === b || isIntegerAndAnyNumber(a, b) || isIntegerAndAnyNumber(b, a)) return true;
  const family = FAMILY_BY_TYPE.get(a);
  return family !== undefined && family === FAMILY_BY_TYPE.get(b);
};
