/** What hangs below what in files of a hierarchy, and how it is called there. */

/** What hangs right below a record of each type. */
const CHILD_TYPES: Readonly<Record<string, readonly string[]>> = {
  databaseService: ['database'],
  database: ['databaseSchema'],
  databaseSchema: ['table', 'storedProcedure'],
};

export const COLUMN_TYPE_NAME = 'column';
export const TABLE_TYPE_NAME = 'table';
export const PROCEDURE_TYPE_NAME = 'storedProcedure';

/** The types of records right below a record of this type. */
export const childTypesOf = (entityType: string): readonly string[] =>
  (Object.hasOwn(CHILD_TYPES, entityType) ? CHILD_TYPES[entityType] : undefined) ?? [];

/** The type of the record that a record of this type hangs below. */
export const parentTypeOf = (entityType: string): string =>
  Object.keys(CHILD_TYPES).find((type) => childTypesOf(type).includes(entityType)) ?? '';

/** The type that the rows of a file have that says nothing of types. */
export const defaultRowType = (entityType: string): string => childTypesOf(entityType)[0] ?? '';

/** Every type of row that a file of everything below a record of this type may have. */
export const descendantTypesOf = (entityType: string): readonly string[] => [
  ...childTypesOf(entityType).flatMap((type) => [type, ...descendantTypesOf(type)]),
  ...(entityType === TABLE_TYPE_NAME ? [COLUMN_TYPE_NAME] : []),
];

/** How many names the fully qualified name of a record of this type is made of; that of a column has more than a table's. */
const FQN_PART_COUNTS: Readonly<Record<string, number>> = {
  database: 2,
  databaseSchema: 3,
  table: 4,
  storedProcedure: 4,
};

export const fqnPartCount = (type: string): number =>
  FQN_PART_COUNTS[type === COLUMN_TYPE_NAME ? TABLE_TYPE_NAME : type] ?? 0;
