import { COLUMN_TYPE_NAME } from '../cells/column-cells.ts';

/** The levels of the hierarchy in files, and the names of their types. */

/** The types of direct children, by type. */
const CHILD_TYPES: Readonly<Record<string, readonly string[]>> = {
  databaseService: ['database'],
  database: ['databaseSchema'],
  databaseSchema: ['table', 'storedProcedure'],
};

export const TABLE_TYPE_NAME = 'table';
export const PROCEDURE_TYPE_NAME = 'storedProcedure';

/** The types of a record's direct children. */
export const childTypesOf = (entityType: string): readonly string[] =>
  (Object.hasOwn(CHILD_TYPES, entityType) ? CHILD_TYPES[entityType] : undefined) ?? [];

/** The parent type of a type. */
export const parentTypeOf = (entityType: string): string =>
  Object.keys(CHILD_TYPES).find((type) => childTypesOf(type).includes(entityType)) ?? '';

/** The type of rows in a file that has no type field. */
export const defaultRowType = (entityType: string): string => childTypesOf(entityType)[0] ?? '';

/** All types of descendants that a file for a record of this type may contain. */
export const descendantTypesOf = (entityType: string): readonly string[] => [
  ...childTypesOf(entityType).flatMap((type) => [type, ...descendantTypesOf(type)]),
  ...(entityType === TABLE_TYPE_NAME ? [COLUMN_TYPE_NAME] : []),
];

/**
 * The number of parts in the fully qualified name of a type; names of columns have more parts than those of their
 * table.
 */
const FQN_PART_COUNTS: Readonly<Record<string, number>> = {
  database: 2,
  databaseSchema: 3,
  table: 4,
  storedProcedure: 4,
};

export const fqnPartCount = (type: string): number =>
  FQN_PART_COUNTS[type === COLUMN_TYPE_NAME ? TABLE_TYPE_NAME : type] ?? 0;
