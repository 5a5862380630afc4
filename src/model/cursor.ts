import { badRequest } from '../errors.ts';
import { isObject, member } from './json.ts';

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

const parseEdge = (cursor: string): unknown => {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
};

/** The sort key a cursor stands for. Throws bad_request when the text is not a cursor made by `encodeCursor`. */
export const decodeCursor = (cursor: string): string => {
  const isReadable = cursor.length <= MAX_CURSOR_LENGTH && /^[\w-]+={0,2}$/.test(cursor);
  const edge = isReadable ? parseEdge(cursor) : undefined;
  const name = isObject(edge) ? member(edge, 'name') : undefined;
  const id = isObject(edge) ? member(edge, 'id') : undefined;
  if (typeof name !== 'string' || typeof id !== 'string') throw badRequest('Invalid cursor');
  return sortKeyOf(name, id);
};
