/** A row as it is read: an event that is being removed is still found for a moment when it has lost what it says. */
export type ExpiringRow<T extends object> = { readonly [Name in keyof T]: T[Name] | null };

/** Those of which everything is there. */
export const filterComplete = <T extends object>(rows: readonly ExpiringRow<T>[]): T[] =>
  rows.filter((row): row is ExpiringRow<T> & T => Object.values(row).every((value) => value !== null));

/** Where to go on behind some rows; the same place when none of them says any more where it lay. */
export const lastKnownPlace = (rows: readonly ExpiringRow<{ place: string }>[], edge: string): string =>
  rows.findLast(({ place }) => place !== null)?.place ?? edge;
