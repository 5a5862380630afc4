/**
 * A row as it is read. An event that is being removed can still be found for a moment after it has lost its properties.
 */
export type ExpiringRow<T extends object> = { readonly [Name in keyof T]: T[Name] | null };

/** Keeps the rows that have all their properties. */
export const filterComplete = <T extends object>(rows: readonly ExpiringRow<T>[]): T[] =>
  rows.filter((row): row is ExpiringRow<T> & T => Object.values(row).every((value) => value !== null));

/** The position from which to continue after some rows; unchanged when no row has a position any more. */
export const lastKnownPlace = (rows: readonly ExpiringRow<{ place: string }>[], edge: string): string =>
  rows.findLast(({ place }) => place !== null)?.place ?? edge;
