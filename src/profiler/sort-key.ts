import type { SeriesPosition } from '../model/cursor.ts';

/**
 * Where a profile stands among the others: a text that begins with its sort and goes on with its moment, counted down, so
 * that an index that is read from its beginning gives the newest first.
 */

/** What is measured: a table, its columns, or what the system that holds it does with it. */
export const PROFILE_TYPES = ['table', 'column', 'system'] as const;
export type ProfileType = (typeof PROFILE_TYPES)[number];

const TYPE_LETTERS: Readonly<Record<ProfileType, string>> = { table: 't', column: 'c', system: 's' };

const DIGITS = String(Number.MAX_SAFE_INTEGER).length;

const invertTimestamp = (timestamp: number): string =>
  String(Number.MAX_SAFE_INTEGER - timestamp).padStart(DIGITS, '0');

/** How all places of one moment begin. */
export const timestampPrefix = (type: ProfileType, timestamp: number): string =>
  withTypePrefix(type, `${invertTimestamp(timestamp)} `);

/** What comes right behind all places that begin so: no place has anything but a blank there. */
const endOfPrefix = (prefix: string): string => `${prefix.slice(0, -1)}!`;

/** All places between two moments, both included. */
export const sortKeyRange = (type: ProfileType, start: number, end: number) => ({
  from: timestampPrefix(type, end),
  to: endOfPrefix(timestampPrefix(type, start)),
});

/** What comes right behind a place. */
export const nextSortKey = (place: string): string => `${place}\u0000`;

const NAME_START = 2 + DIGITS + 1;

export const decodeSortKey = (place: string): SeriesPosition => ({
  timestamp: Number.MAX_SAFE_INTEGER - Number(place.slice(2, 2 + DIGITS)),
  name: place.slice(NAME_START),
});

export const encodeSortKey = (type: ProfileType, { timestamp, name }: SeriesPosition): string =>
  timestampPrefix(type, timestamp) + name;

/** The series of what is measured of a whole table; a column has one of its own, wherever its name goes. */
export const profileSeriesOf = (type: 'table' | 'system', tableId: string): string =>
  `${TYPE_LETTERS[type]} ${tableId}`;

/** Without their sort, places of all sorts stand in one order. */
export const withoutTypePrefix = (place: string): string => place.slice(2);

export const profileTypeOf = (place: string): ProfileType =>
  PROFILE_TYPES.find((type) => place.startsWith(TYPE_LETTERS[type])) ?? 'table';

/** A place, or a bound of places, of one sort. */
export const withTypePrefix = (type: ProfileType, bare: string): string => `${TYPE_LETTERS[type]} ${bare}`;
