/** What hangs below what in files of a hierarchy, and how it is called there. */

/** What hangs right below a record of each type. */
const BELOW: Readonly<Record<string, readonly string[]>> = {
  databaseService: ['database'],
  database: ['databaseSchema'],
  databaseSchema: ['table', 'storedProcedure'],
};

export const COLUMN = 'column';
export const TABLE = 'table';
export const PROCEDURE = 'storedProcedure';

/** The types of records right below a record of this type. */
export const typesBelow = (entityType: string): readonly string[] =>
  (Object.hasOwn(BELOW, entityType) ? BELOW[entityType] : undefined) ?? [];

/** The type of the record that a record of this type hangs below. */
export const parentTypeOf = (entityType: string): string =>
  Object.keys(BELOW).find((type) => typesBelow(type).includes(entityType)) ?? '';

/** The type that the rows of a file have that says nothing of types. */
export const typeOfRows = (entityType: string): string => typesBelow(entityType)[0] ?? '';

/** Every type of row that a file of everything below a record of this type may have. */
export const typesWithin = (entityType: string): readonly string[] => [
  ...typesBelow(entityType).flatMap((type) => [type, ...typesWithin(type)]),
  ...(entityType === TABLE ? [COLUMN] : []),
];

/** How many names the fully qualified name of a record of this type is made of; that of a column has more than a table's. */
const PARTS: Readonly<Record<string, number>> = { database: 2, databaseSchema: 3, table: 4, storedProcedure: 4 };

export const partsOf = (type: string): number => PARTS[type === COLUMN ? TABLE : type] ?? 0;
