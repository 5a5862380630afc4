/** The types that stand for the same sort of values: a contract may name any of them for a column of another. */
const FAMILIES = {
  string: ['STRING', 'VARCHAR', 'CHAR', 'TEXT', 'MEDIUMTEXT', 'NTEXT', 'CLOB', 'UUID', 'ENUM'],
  integer: ['INT', 'BIGINT', 'SMALLINT', 'TINYINT', 'BYTEINT', 'LONG', 'LARGEINT', 'UINT'],
  decimal: ['DECIMAL', 'NUMERIC', 'NUMBER', 'DOUBLE', 'FLOAT', 'MONEY'],
  boolean: ['BOOLEAN'],
  time: ['DATE', 'DATETIME', 'TIMESTAMP', 'TIMESTAMPZ', 'TIME'],
  binary: ['BINARY', 'VARBINARY', 'BLOB', 'BYTEA', 'BYTES', 'LONGBLOB', 'MEDIUMBLOB'],
  complex: ['ARRAY', 'MAP', 'STRUCT', 'JSON', 'RECORD'],
} as const;

export type Family = keyof typeof FAMILIES;

/** Numbers of which nothing says how precise they are may be whole ones. */
const ANY_NUMBER: readonly string[] = ['NUMBER', 'NUMERIC'];

const FAMILY_OF: ReadonlyMap<string, Family> = new Map(
  (Object.keys(FAMILIES) as Family[]).flatMap((family) => FAMILIES[family].map((type) => [type, family] as const)),
);

/** The family of a type; undefined for a type that stands alone. */
export const familyOf = (type: string): Family | undefined => FAMILY_OF.get(type.toUpperCase());

const isWholeAndAny = (one: string, other: string): boolean =>
  ANY_NUMBER.includes(one) && FAMILY_OF.get(other) === 'integer';

/** Whether values of one type may be promised as values of the other; nothing said contradicts nothing. */
export const isCompatible = (one: string | undefined, other: string | undefined): boolean => {
  if (!one || !other) return true;
  const [a, b] = [one.toUpperCase(), other.toUpperCase()];
  if (a === b || isWholeAndAny(a, b) || isWholeAndAny(b, a)) return true;
  const family = FAMILY_OF.get(a);
  return family !== undefined && family === FAMILY_OF.get(b);
};
