import type { SeriesPosition } from '../model/cursor.ts';

/**
 * The sort key of a profile: a text of its type and its inverted timestamp, so that reading an index in ascending
 * order returns the newest first.
 */

/** Profile types: of a table, of its columns, or of operations reported by the source system. */
export const PROFILE_TYPES = ['table', 'column', 'system'] as const;
export type ProfileType = (typeof PROFILE_TYPES)[number];

const TYPE_LETTERS: Readonly<Record<ProfileType, string>> = { table: 't', column: 'c', system: 's' };

const DIGITS = String(Number.MAX_SAFE_INTEGER).length;

const invertTimestamp = (timestamp: number): string =>
  String(Number.MAX_SAFE_INTEGER - timestamp).padStart(DIGITS, '0');

/** The prefix of all sort keys with one timestamp. */
export const timestampPrefix = (type: ProfileType, timestamp: number): string =>
  withTypePrefix(type, `${invertTimestamp(timestamp)} `);

/** The first text after all sort keys with a prefix; in sort keys only a blank follows the prefix. */
const endOfPrefix = (prefix: string): string => `${prefix.slice(0, -1)}!`;

/** The range of all sort keys between two timestamps, both inclusive. */
export const sortKeyRange = (type: ProfileType, start: number, end: number) => ({
  from: timestampPrefix(type, end),
  to: endOfPrefix(timestampPrefix(type, start)),
});

/** The first text after a sort key. */
export const nextSortKey = (place: string): string => `${place}\u0000`;

const NAME_START = 2 + DIGITS + 1;

export const decodeSortKey = (place: string): SeriesPosition => ({
  timestamp: Number.MAX_SAFE_INTEGER - Number(place.slice(2, 2 + DIGITS)),
  name: place.slice(NAME_START),
});

export const encodeSortKey = (type: ProfileType, { timestamp, name }: SeriesPosition): string =>
  timestampPrefix(type, timestamp) + name;

/** The series of a whole table's profiles. A column's series is stored on the column, so it survives renames. */
export const profileSeriesOf = (type: 'table' | 'system', tableId: string): string =>
  `${TYPE_LETTERS[type]} ${tableId}`;

/** Removes the profile type, so that sort keys of all types share one order. */
export const withoutTypePrefix = (place: string): string => place.slice(2);

export const profileTypeOf = (place: string): ProfileType =>
  PROFILE_TYPES.find((type) => place.startsWith(TYPE_LETTERS[type])) ?? 'table';

/** Adds a profile type to a sort key or a bound without one. */
export const withTypePrefix = (type: ProfileType, bare: string): string => `${TYPE_LETTERS[type]} ${bare}`;
