import { badRequest } from '../errors.ts';
import { isObject, type JsonObject, member } from './json.ts';

/** Cursors of paged lists. */

/** Sorts below every character of a name, so that `a` precedes `ab` whatever their ids are. */
const SEPARATOR = '\u0001';

/** Far above the longest possible key. A longer cursor was not created here. */
const MAX_CURSOR_LENGTH = 32_768;

/** The sort key of every list: name ascending, then id. */
export const sortKeyOf = (name: string, id: string): string => `${name}${SEPARATOR}${id}`;

/**
 * Encodes the sort key of a row as a cursor. It is unpadded base64url, because clients paste it into URLs unescaped.
 */
export const encodeCursor = (sortKey: string): string => {
  const cut = sortKey.lastIndexOf(SEPARATOR);
  const edge = { name: sortKey.slice(0, cut), id: sortKey.slice(cut + 1) };
  return Buffer.from(JSON.stringify(edge)).toString('base64url');
};

const parseCursorJson = (cursor: string): unknown => {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
};

const decodeCursorJson = (cursor: string): JsonObject => {
  const isReadable = cursor.length <= MAX_CURSOR_LENGTH && /^[\w-]+={0,2}$/.test(cursor);
  const edge = isReadable ? parseCursorJson(cursor) : undefined;
  if (!isObject(edge)) throw badRequest('Invalid cursor');
  return edge as JsonObject;
};

/** Decodes a cursor to its sort key. Throws bad_request when the text was not created by `encodeCursor`. */
export const decodeCursor = (cursor: string): string => {
  const edge = decodeCursorJson(cursor);
  const [name, id] = [member(edge, 'name'), member(edge, 'id')];
  if (typeof name !== 'string' || typeof id !== 'string') throw badRequest('Invalid cursor');
  return sortKeyOf(name, id);
};

/** The position of a version in the history of a kind: its time, its record, and its number. */
export type HistoryPosition = { readonly at: number; readonly id: string; readonly version: number };

/** Encodes the position of a version in the history of a kind. */
export const encodeHistoryCursor = ({ at, id, version }: HistoryPosition): string =>
  Buffer.from(JSON.stringify({ at, id, version })).toString('base64url');

/**
 * Decodes a cursor to the position of a version. Throws bad_request when the text was not created by
 * `encodeHistoryCursor`.
 */
export const decodeHistoryCursor = (cursor: string): HistoryPosition => {
  const edge = decodeCursorJson(cursor);
  const [at, id, version] = [member(edge, 'at'), member(edge, 'id'), member(edge, 'version')];
  if (typeof at !== 'number' || typeof id !== 'string' || typeof version !== 'number')
    throw badRequest('Invalid cursor');
  return { at, id, version };
};

/** A position in a time series. The name distinguishes entries of the same time. */
export type SeriesPosition = { readonly timestamp: number; readonly name: string };

/** Encodes a position in a time series. */
export const encodeSeriesCursor = ({ timestamp, name }: SeriesPosition): string =>
  Buffer.from(JSON.stringify({ timestamp, name })).toString('base64url');

/**
 * Decodes a cursor to a position in a time series. Throws bad_request when the text was not created by
 * `encodeSeriesCursor`.
 */
export const decodeSeriesCursor = (cursor: string): SeriesPosition => {
  const edge = decodeCursorJson(cursor);
  const [timestamp, name] = [member(edge, 'timestamp'), member(edge, 'name')];
  if (!Number.isSafeInteger(timestamp) || Number(timestamp) < 0 || typeof name !== 'string')
    throw badRequest('Invalid cursor');
  return { timestamp: Number(timestamp), name };
};

/** A row of a list that is computed for each request: its key, and how many rows came before the next one. */
export type RowPosition = { readonly key: string; readonly place: number };

/** Encodes the position of a row in a computed list. */
export const encodeRowCursor = ({ key, place }: RowPosition): string =>
  Buffer.from(JSON.stringify({ key, place })).toString('base64url');

/** Decodes a cursor to the position of a row. Throws bad_request when the text was not created by `encodeRowCursor`. */
export const decodeRowCursor = (cursor: string): RowPosition => {
  const edge = decodeCursorJson(cursor);
  const [key, place] = [member(edge, 'key'), member(edge, 'place')];
  if (typeof key !== 'string' || !Number.isSafeInteger(place) || Number(place) < 0) throw badRequest('Invalid cursor');
  return { key, place: Number(place) };
};
