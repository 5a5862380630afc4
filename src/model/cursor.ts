import { badRequest } from '../errors.ts';
import { isObject, type JsonObject, member } from './json.ts';

/** Sorts below every character a name may hold, so that `a` precedes `ab` whatever their ids are. */
const SEPARATOR = '\u0001';

/** Far above the longest key there is; what is longer was not made here. */
const MAX_CURSOR_LENGTH = 32_768;

/** The key every list is ordered by: name ascending, then id. */
export const sortKeyOf = (name: string, id: string): string => `${name}${SEPARATOR}${id}`;

/** The cursor of a row, made from its sort key: unpadded base64url, since clients paste it into addresses as it is. */
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

/** The sort key a cursor stands for. Throws bad_request when the text is not a cursor made by `encodeCursor`. */
export const decodeCursor = (cursor: string): string => {
  const edge = decodeCursorJson(cursor);
  const [name, id] = [member(edge, 'name'), member(edge, 'id')];
  if (typeof name !== 'string' || typeof id !== 'string') throw badRequest('Invalid cursor');
  return sortKeyOf(name, id);
};

/** One state among those of all records of a kind: when it was made, whose it is, and which of theirs. */
export type HistoryPosition = { readonly at: number; readonly id: string; readonly version: number };

/** The cursor of a state in the history of a kind. */
export const encodeHistoryCursor = ({ at, id, version }: HistoryPosition): string =>
  Buffer.from(JSON.stringify({ at, id, version })).toString('base64url');

/** The state a cursor stands for. Throws bad_request when the text is not a cursor made by `encodeStateCursor`. */
export const decodeHistoryCursor = (cursor: string): HistoryPosition => {
  const edge = decodeCursorJson(cursor);
  const [at, id, version] = [member(edge, 'at'), member(edge, 'id'), member(edge, 'version')];
  if (typeof at !== 'number' || typeof id !== 'string' || typeof version !== 'number')
    throw badRequest('Invalid cursor');
  return { at, id, version };
};

/** One moment in a series, and what tells those of the same moment apart. */
export type SeriesPosition = { readonly timestamp: number; readonly name: string };

/** The cursor of a moment in a series. */
export const encodeSeriesCursor = ({ timestamp, name }: SeriesPosition): string =>
  Buffer.from(JSON.stringify({ timestamp, name })).toString('base64url');

/** The moment a cursor stands for. Throws bad_request when the text is not a cursor made by `encodeMomentCursor`. */
export const decodeSeriesCursor = (cursor: string): SeriesPosition => {
  const edge = decodeCursorJson(cursor);
  const [timestamp, name] = [member(edge, 'timestamp'), member(edge, 'name')];
  if (!Number.isSafeInteger(timestamp) || Number(timestamp) < 0 || typeof name !== 'string')
    throw badRequest('Invalid cursor');
  return { timestamp: Number(timestamp), name };
};
