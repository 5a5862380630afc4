import type { MomentPlace } from '../model/cursor.ts';

/**
 * Where a profile stands among the others: a text that begins with its sort and goes on with its moment, counted down, so
 * that an index that is read from its beginning gives the newest first.
 */

/** What is measured: a table, its columns, or what the system that holds it does with it. */
export const SORTS = ['table', 'column', 'system'] as const;
export type Sort = (typeof SORTS)[number];

const LETTERS: Readonly<Record<Sort, string>> = { table: 't', column: 'c', system: 's' };

const DIGITS = String(Number.MAX_SAFE_INTEGER).length;

const countedDown = (timestamp: number): string => String(Number.MAX_SAFE_INTEGER - timestamp).padStart(DIGITS, '0');

/** How all places of one moment begin. */
export const momentPrefix = (sort: Sort, timestamp: number): string => withSort(sort, `${countedDown(timestamp)} `);

/** What comes right behind all places that begin so: no place has anything but a blank there. */
const behind = (prefix: string): string => `${prefix.slice(0, -1)}!`;

/** All places between two moments, both included. */
export const spanOf = (sort: Sort, start: number, end: number) => ({
  from: momentPrefix(sort, end),
  to: behind(momentPrefix(sort, start)),
});

/** What comes right behind a place. */
export const after = (place: string): string => `${place}\u0000`;

const HEAD = 2 + DIGITS + 1;

export const edgeOf = (place: string): MomentPlace => ({
  timestamp: Number.MAX_SAFE_INTEGER - Number(place.slice(2, 2 + DIGITS)),
  name: place.slice(HEAD),
});

export const placeOf = (sort: Sort, { timestamp, name }: MomentPlace): string => momentPrefix(sort, timestamp) + name;

/** The series of what is measured of a whole table; a column has one of its own, wherever its name goes. */
export const seriesOf = (sort: 'table' | 'system', tableId: string): string => `${LETTERS[sort]} ${tableId}`;

/** Without their sort, places of all sorts stand in one order. */
export const bareOf = (place: string): string => place.slice(2);

export const sortOf = (place: string): Sort => SORTS.find((sort) => place.startsWith(LETTERS[sort])) ?? 'table';

/** A place, or a bound of places, of one sort. */
export const withSort = (sort: Sort, bare: string): string => `${LETTERS[sort]} ${bare}`;
